//! LSF: compute units of one host each, in rank order.

use super::*;

/// `--to lsf`.
pub(super) const TARGET: ExportTarget =
    ExportTarget::plain("lsf", "lsb.hosts for LSF: a compute unit a host, in rank order", write);

const ABOUT: &str = "\
What it does: makes every host a compute unit of its own, listed in rank order; jobs that ask for
  cu[pref=config] get hosts in the order of this list.
Run with: nothing; written after the reference of lsb.hosts and lsb.params, LSF 10.1.
How to use it: put it into lsb.hosts, set in lsb.params
  COMPUTE_UNIT_TYPES = node
  and in the queue (lsb.queues)
  RES_REQ = cu[type=node:pref=config]
  then run `badmin reconfig`.
Know before: a host is in one compute unit of the finest type only: units that a site has already must list
  these as their members. The order string of a resource requirement comes after cu[].
How to undo it: remove the section and both settings and run `badmin reconfig`.
";

fn write(topology: &Topology, order: &NodeOrder, _: &Params) -> Result<Export> {
    let mut text = header("#", topology, order, ABOUT);
    let names = names(topology, order)?;
    let prefix = prefix(&names);
    text += "Begin ComputeUnit\nNAME MEMBER TYPE\n";
    for (rank, name) in names.iter().enumerate() {
        text += &format!("{} ({name}) node\n", padded(prefix, rank, names.len()));
    }
    text += "End ComputeUnit\n";
    Ok(text.into())
}
