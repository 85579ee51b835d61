//! Flux: brokers ranked in rank order.

use super::{Export, ExportTarget, ParseTarget, checked_names, header_comments};
use nodeorder_base::error::Result;
use nodeorder_network::topology::{Topology, compact_list};
use nodeorder_order::ordering::NodeOrder;

/// `--to flux`.
pub(super) const TARGET: ExportTarget = ExportTarget::plain(
    "flux",
    "TOML for Flux: broker ranks and resources in rank order",
    ParseTarget::Order(|_| Ok(Box::new(write))),
);

const ABOUT: &str = include_str!("texts/flux.txt");

fn write(topology: &Topology, order: &NodeOrder) -> Result<Export> {
    let hosts = compact_list(checked_names(topology, order)?);
    let text = header_comments("#", topology, order, ABOUT);
    Ok(format!(
        "{text}[bootstrap]\nhosts = [\n    {{ host = \"{hosts}\" }},\n]\n\n[[resource.config]]\nhosts = \"{hosts}\"\n"
    )
    .into())
}
