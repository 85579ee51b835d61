//! A site's own topology.conf with its lines in rank order.

use super::slurm_site::{Described, described};
use super::*;
use crate::topology::site::SiteKind;

/// `--to slurm-permuted`.
pub(super) const TARGET: ExportTarget = ExportTarget::plain(
    "slurm-permuted",
    "topology.conf: the site's own switches, blocks or rings, their lines in rank order; the fabric stays as it is",
    write,
);

const ABOUT: &str = "\
What it does: lists the site's own leaf switches (blocks, rings) in rank order. Slurm breaks ties by the order of
  these lines, gives ranks leaf by leaf in their order where tasks are distributed by blocks, and keeps its
  nodes in it with TopologyParam=SwitchAsNodeRank or BlockAsNodeRank. Which switch holds which nodes stays.
  Blocks move only inside the larger blocks that BlockSizes makes of them.
Run with: Slurm 26.05.
How to use it: save it as topology.conf and run `scontrol reconfigure`.
Know before: Slurm reads topology.yaml instead, where there is one: see slurm-yaml.
How to undo it: put the old topology.conf back and run `scontrol reconfigure`.
";

fn write(topology: &Topology, order: &NodeOrder, _: &Params) -> Result<Export> {
    let Described { kind, lines, sizes, .. } = described(topology, order, TARGET.name)?;
    let mut text = header("#", topology, order, ABOUT);
    let key = match kind {
        SiteKind::Block => "BlockName",
        SiteKind::Ring => "RingName",
        _ => "SwitchName",
    };
    lines.into_iter().for_each(|line| text += &line.line(key));
    if !sizes.is_empty() {
        let sizes: Vec<String> = sizes.iter().map(u64::to_string).collect();
        text += &format!("BlockSizes={}\n", sizes.join(","));
    }
    Ok(text.into())
}
