//! `compare --throughput` of one machine: what its links carry when jobs of one size fill it, ordering by ordering.

use crate::shared::kit::*;
use crate::shared::tables::of_columns;
use nodeorder_order::metric::comparison::Comparison;
use nodeorder_present::columns::throughput::WindowRow;
use nodeorder_present::report::windows::sentences;
use nodeorder_traffic::throughput::windows::windows;

/// What jobs send unless `--guest` says it, and how it is routed unless `--routing` does.
const GUEST: &str = "all-to-all";
const ROUTING: &str = "ideal";

/// Sizes of jobs, guest and routing.
pub struct Asked {
    sizes: Vec<usize>,
    guest: String,
    routing: String,
}

impl Asked {
    /// Reads `--throughput S,…`, before anything is computed.
    pub fn read(
        sizes: &str,
        guest: Option<&String>,
        routing: Option<&String>,
        topology: &Topology,
    ) -> anyhow::Result<Self> {
        let most = topology.node_count();
        let size = |text: &str| {
            let size = text
                .trim()
                .parse::<usize>()
                .ok()
                .filter(|size| (2..=most).contains(size));
            size.ok_or_else(|| {
                let expected = format!("sizes of jobs from 2 to {most} nodes, such as 64,256");
                Error::option(
                    format!("--throughput {sizes}"),
                    format!("`{text}`"),
                    expected,
                )
            })
        };
        let or =
            |given: Option<&String>, default: &str| given.map_or(default.into(), String::clone);
        let mut list = sizes.split(',').map(size).collect::<Result<Vec<_>, _>>()?;
        list.sort_unstable();
        list.dedup();
        Ok(Asked {
            sizes: list,
            guest: or(guest, GUEST),
            routing: or(routing, ROUTING),
        })
    }

    /// A row for each ordering and size, orderings as they are ranked.
    pub fn rows<'a>(
        &'a self,
        topology: &Topology,
        orders: &[NodeOrder],
        comparison: &'a Comparison,
    ) -> anyhow::Result<Vec<WindowRow<'a>>> {
        let fabric = inputs::fabric(topology)?;
        let mut rows = Vec::new();
        for entry in &comparison.entries {
            let order = orders.iter().find(|order| order.label() == entry.label);
            let nodes = order.map_or(&[][..], NodeOrder::nodes);
            for size in self.sizes.iter().filter(|size| **size <= nodes.len()) {
                let (size, guest, routing) = (*size, self.guest.as_str(), self.routing.as_str());
                let find = |alone| -> anyhow::Result<_> {
                    let demand = windows(topology, nodes, size as u32, guest, alone)?;
                    throughput::row(&fabric, &demand, guest, routing)
                };
                let all = find(false)?;
                rows.push(WindowRow {
                    ordering: &entry.label,
                    size,
                    windows: nodes.len() / size,
                    guest,
                    routing,
                    throughput: all.throughput,
                    throughput_at_most: all.throughput_at_most,
                    routing_gap: all.routing_gap,
                    throughput_bound: comparison
                        .capacity
                        .filter(|_| guest == GUEST)
                        .and_then(|capacity| entry.bound(size, capacity)),
                    alone: find(true)?.throughput,
                    method: all.method,
                });
            }
        }
        Ok(rows)
    }
}

/// The rows on the terminal, where there are any.
pub fn write_table(out: &mut impl Write, rows: &[WindowRow<'_>]) -> anyhow::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    for text in sentences(rows) {
        layout::sentence(out, &text)?;
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
    let table = of_columns(&columns::named(WindowRow::ALL, &names), rows, 1);
    writeln!(out, "\n{}", layout::fitted(table, 1, &std::io::stdout()))?;
    layout::sentence(
        out,
        "All jobs send at once, and each gets the multiple of its traffic shown; alone, a job borrows the links of the \
         others: nothing is ranked by that.",
    )?;
    Ok(())
}
