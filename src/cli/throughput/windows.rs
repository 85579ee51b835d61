//! What the links of a machine carry when jobs of one size fill it, ordering by ordering.

use crate::shared::tables::lay_out_columns;
use crate::shared::{inputs, layout, throughput};
use nodeorder_base::error::Error;
use nodeorder_base::ids::NodeId;
use nodeorder_network::topology::Topology;
use nodeorder_order::metric::comparison::Comparison;
use nodeorder_order::ordering::NodeOrder;
use nodeorder_present::columns;
use nodeorder_present::columns::throughput::{ThroughputRow, WindowRow};
use nodeorder_present::report::windows::sentences;
use nodeorder_traffic::mapping::Fabric;
use nodeorder_traffic::throughput::windows::build_window_traffic;
use std::io::Write;

/// Jobs that fill a machine, and what they send.
pub struct WindowTraffic<'a> {
    /// Sizes of jobs, ascending, each once.
    pub sizes: Vec<usize>,
    /// What the nodes of a job send to each other.
    pub guest: &'a str,
    /// Routing of the messages of all jobs.
    pub routing: &'a str,
}

/// Parses the sizes of `--sizes`, of which the largest is `most`.
pub fn parse_sizes(text: &str, most: usize) -> Result<Vec<usize>, Error> {
    let mut sizes = Vec::new();
    for part in text.split(',') {
        let size = part.trim().parse::<usize>().ok();
        let size = size.filter(|size| (2..=most).contains(size));
        sizes.push(size.ok_or_else(|| {
            let expected = format!("sizes of jobs from 2 to {most} nodes, such as 64,256");
            Error::option(format!("--sizes {text}"), format!("`{part}`"), expected)
        })?);
    }
    // A size given twice would be searched twice, for the same row.
    sizes.sort_unstable();
    sizes.dedup();
    Ok(sizes)
}

impl WindowTraffic<'_> {
    /// Computes a row for each ordering and size, orderings as they are ranked.
    pub fn compute_rows<'a>(
        &'a self,
        topology: &Topology,
        orders: &[NodeOrder],
        comparison: &'a Comparison,
    ) -> anyhow::Result<Vec<WindowRow<'a>>> {
        let fabric = inputs::build_fabric(topology)?;
        let mut rows = Vec::new();
        for entry in &comparison.entries {
            let order = orders.iter().find(|order| order.label() == entry.label);
            let nodes = order.map_or(&[][..], NodeOrder::nodes);
            // An ordering may hold fewer nodes than the machine, for which sizes were checked.
            for size in self.sizes.iter().filter(|size| **size <= nodes.len()) {
                let all = self.search_windows(&fabric, nodes, *size, false)?;
                // All-to-all jobs are bound by the mean distance in their windows.
                let capacity = comparison.capacity.filter(|_| self.guest == "all-to-all");
                rows.push(WindowRow {
                    ordering: &entry.label,
                    size: *size,
                    windows: nodes.len() / size,
                    guest: self.guest,
                    routing: self.routing,
                    throughput: all.throughput,
                    throughput_at_most: all.throughput_at_most,
                    routing_gap: all.routing_gap,
                    throughput_bound: capacity
                        .and_then(|capacity| entry.bound_throughput(*size, capacity)),
                    alone: self.search_windows(&fabric, nodes, *size, true)?.throughput,
                    method: all.method,
                });
            }
        }
        Ok(rows)
    }

    /// Searches what the links carry of all jobs of one size, or of the first `alone`.
    fn search_windows(
        &self,
        fabric: &Fabric<'_>,
        nodes: &[NodeId],
        size: usize,
        alone: bool,
    ) -> anyhow::Result<ThroughputRow<'_>> {
        let demand = build_window_traffic(fabric.topology, nodes, size as u32, self.guest, alone)?;
        throughput::measure_throughput(fabric, &demand, self.guest, self.routing)
    }
}

/// Prints the rows, where there are any.
pub fn write_table(out: &mut impl Write, rows: &[WindowRow<'_>]) -> anyhow::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    for text in sentences(rows) {
        layout::print_sentence(out, &text)?;
    }
    let names = [
        "ordering",
        "size",
        "windows",
        "throughput",
        "throughput_at_most",
        "throughput_bound",
        "alone",
    ];
    let table = lay_out_columns(&columns::select_columns(WindowRow::ALL, &names), rows, 1);
    writeln!(
        out,
        "\n{}",
        layout::fit_to_terminal(table, 1, &std::io::stdout())
    )?;
    layout::print_sentence(
        out,
        "All jobs send at once, and each gets the multiple of its traffic shown; alone, a job borrows the links of the \
         others: nothing is ranked by that.",
    )?;
    Ok(())
}
