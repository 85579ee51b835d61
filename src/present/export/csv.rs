//! `rank,node,name`: for spreadsheets, notebooks and scripts.

use std::path::Path;

use super::entry::{Export, ExportInput, ExportTarget, plain_target};
use nodeorder_base::{Error, Result};

/// `--to csv`.
pub(super) const TARGET: ExportTarget =
    plain_target("csv", "rank,node,name, one node a line", write);

fn write(input: &ExportInput) -> Result<Export> {
    let mut writer = ::csv::Writer::from_writer(Vec::with_capacity(24 * input.order.len()));
    let failed = |e: ::csv::Error| Error::io(Path::new("the CSV export"), "writing", e.into());
    writer
        .write_record(["rank", "node", "name"])
        .map_err(failed)?;
    for (rank, node) in input.order.nodes().iter().enumerate() {
        let record = [
            rank.to_string(),
            node.to_string(),
            input.topology.node_name(*node),
        ];
        writer.write_record(record).map_err(failed)?;
    }
    let bytes = writer
        .into_inner()
        .map_err(|e| failed(e.into_error().into()))?;
    // Every field was a text, so that nothing is lost here.
    Ok(String::from_utf8_lossy(&bytes).into_owned().into())
}

#[cfg(test)]
mod tests {
    use nodeorder_network::{Context, Topology};
    use nodeorder_order::NodeOrder;

    #[test]
    fn one_line_a_node_in_rank_order() {
        let topology = Topology::inline("mesh:2x6", &Context::default()).unwrap();
        let order = NodeOrder::make(&topology, "snake:axes=yx").unwrap();
        let text = crate::export::write_order("csv", &topology, &order)
            .unwrap()
            .text;
        assert!(
            text.starts_with("rank,node,name\n0,0,n00\n1,6,n06\n2,7,n07\n3,1,n01\n"),
            "{text}"
        );
    }
}
