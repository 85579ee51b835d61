//! OpenPBS: a resource of its own to sort vnodes by.

use super::*;

/// `--to pbs`.
pub(super) const TARGET: ExportTarget =
    ExportTarget::plain("pbs", "qmgr input for OpenPBS: a rank a vnode, to sort by", write);

const ABOUT: &str = "\
What it does: gives every vnode its rank as a resource; the scheduler sorts vnodes by it.
Run with: nothing; written after the manual of OpenPBS (pbs_resources(7B), the scheduler's sched_config).
How to use it: qmgr < THIS FILE
  In PBS_HOME/sched_priv/sched_config set
  node_sort_key: \"rank LOW\" ALL
  and send pbs_sched a HUP. The built-in Priority would do for 2048 nodes only.
Know before: placement sets are applied before nodes are sorted, and a job that fits into one stays in it:
  unset node_group_key (or do_not_span_psets) to have this order alone. Vnodes must carry the node's name.
How to undo it: remove the node_sort_key, send pbs_sched a HUP, then in qmgr: delete resource rank
";

fn write(topology: &Topology, order: &NodeOrder, _: &Params) -> Result<Export> {
    let mut text = header("#", topology, order, ABOUT);
    text += "create resource rank type=long, flag=h\n";
    for (rank, name) in names(topology, order)?.iter().enumerate() {
        text += &format!("set node {name} resources_available.rank = {rank}\n");
    }
    Ok(text.into())
}
