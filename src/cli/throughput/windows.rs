//! What the links of a machine carry when jobs of one size fill it, ordering by ordering.

use crate::shared::tables::lay_out_columns;
use crate::shared::{inputs, layout, throughput};
use nodeorder_base::{Error, NodeId};
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::comparison::Comparison;
use nodeorder_present::columns;
use nodeorder_present::columns::throughput::{ThroughputRow, WindowRow};
use nodeorder_present::report::windows::sentences;
use nodeorder_traffic::mapping::routing::RANKING_ROUTING;
use nodeorder_traffic::mapping::{Demand, Dilation, Fabric, FixedRouting};
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
                let demand = self.build_demand(topology, nodes, *size, false)?;
                let all = self.search_demand(&fabric, &demand)?;
                let alone = self.build_demand(topology, nodes, *size, true)?;
                rows.push(WindowRow {
                    ordering: &entry.label,
                    size: *size,
                    windows: nodes.len() / size,
                    guest: self.guest,
                    routing: self.routing,
                    throughput: all.throughput,
                    throughput_at_most: all.throughput_at_most,
                    routing_gap: all.routing_gap,
                    throughput_bound: bound_by_hops(&fabric, &demand, comparison.capacity)?,
                    alone: self.search_demand(&fabric, &alone)?.throughput,
                    method: all.method,
                });
            }
        }
        Ok(rows)
    }

    /// Builds the traffic of all jobs of one size, or of the first `alone`.
    fn build_demand(
        &self,
        topology: &Topology,
        nodes: &[NodeId],
        size: usize,
        alone: bool,
    ) -> anyhow::Result<Demand> {
        Ok(build_window_traffic(
            topology,
            nodes,
            size as u32,
            self.guest,
            alone,
        )?)
    }

    /// Searches how much of this traffic the links carry.
    fn search_demand(
        &self,
        fabric: &Fabric<'_>,
        demand: &Demand,
    ) -> anyhow::Result<ThroughputRow<'_>> {
        throughput::measure_throughput(fabric, demand, self.guest, self.routing)
    }
}

/// Bounds what any routing carries of `demand`: all of it goes at least the distance of its ends, over links of
/// `capacity` together. `None` where capacities do not say it, or nothing goes over a link.
fn bound_by_hops(
    fabric: &Fabric<'_>,
    demand: &Demand,
    capacity: Option<f64>,
) -> anyhow::Result<Option<f64>> {
    let shortest = FixedRouting::find_by_name(RANKING_ROUTING)?;
    let hops = Dilation::measure_paths(fabric, demand, shortest)?.hop_bytes;
    Ok(capacity
        .filter(|_| hops > 0.0)
        .map(|capacity| capacity / hops))
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
        "Values: traffic each job can send when all send. The column for a job alone is not used for ranking.",
    )?;
    Ok(())
}
