//! A site's own topology.conf with its lines in rank order.

use super::slurm_site::{Described, describe_site};
use super::{Export, ExportTarget, ParseTarget, header_comments};
use nodeorder_base::error::Result;
use nodeorder_network::topology::Topology;
use nodeorder_network::topology::site::SiteKind;
use nodeorder_order::ordering::NodeOrder;

/// `--to slurm-permuted`.
pub(super) const TARGET: ExportTarget = ExportTarget::plain(
    "slurm-permuted",
    "topology.conf: the site's own switches, blocks or rings, their lines in rank order; the fabric stays as it is",
    ParseTarget::Order(|_| Ok(Box::new(write))),
);

const ABOUT: &str = include_str!("texts/slurm-permuted.txt");

fn write(topology: &Topology, order: &NodeOrder) -> Result<Export> {
    let Described {
        kind, lines, sizes, ..
    } = describe_site(topology, order, TARGET.name)?;
    let mut text = header_comments("#", topology, order, ABOUT);
    let key = match kind {
        SiteKind::Block => "BlockName",
        SiteKind::Ring => "RingName",
        _ => "SwitchName",
    };
    lines
        .into_iter()
        .for_each(|line| text += &line.conf_line(key));
    if !sizes.is_empty() {
        let sizes: Vec<String> = sizes.iter().map(u64::to_string).collect();
        text += &format!("BlockSizes={}\n", sizes.join(","));
    }
    Ok(text.into())
}
