//! Flux: brokers ranked in rank order.

use super::entry::{Export, ExportInput, ExportTarget, plain_target};
use nodeorder_base::error::Result;
use nodeorder_network::topology::compact_list;

/// `--to flux`.
pub(super) const TARGET: ExportTarget = plain_target(
    "flux",
    "TOML for Flux: broker ranks and resources in rank order",
    write,
);

fn write(input: &ExportInput) -> Result<Export> {
    let hosts = compact_list(input.checked_names()?);
    let text = input.header_comments("#", include_str!("texts/flux.txt"));
    Ok(format!(
        "{text}[bootstrap]\nhosts = [\n    {{ host = \"{hosts}\" }},\n]\n\n[[resource.config]]\nhosts = \"{hosts}\"\n"
    )
    .into())
}
