//! The ranked table of a page: a row an ordering, with its curve in small.

use crate::plot::{self, format_fixed, format_thousands};
use crate::report::html::{BestValue, Column, Table};
use crate::report::sentences::per_cent_above;
use nodeorder_base::Result;
use nodeorder_order::metric::comparison::{Comparison, OrderingFigures};

/// Number of columns of job sizes that are shown unasked.
const SIZES: usize = 4;

/// Makes the table, best ordering first. Fails if a curve cannot be drawn.
pub fn ranking_table(comparison: &Comparison, slots: &[usize], best: &[f64]) -> Result<Table> {
    let entries = &comparison.entries;
    // Means over other windows cannot be compared with the leader's.
    let above = entries.iter().map(|entry| {
        (entry.spanning == entries[0].spanning)
            .then(|| per_cent_above(entry.mean_log, entries[0].mean_log))
    });
    let mut columns = vec![
        figure_column(entries, "Log-uniform mean (hops)", 3, |e| e.mean_log),
        Column::unranked_figures("Above the best (%)", 1, above),
        figure_column(entries, "Plain mean (hops)", 3, |e| e.mean_plain).on_demand(),
        figure_column(entries, "Best at (% of sizes)", 1, |e| 100.0 * e.best_share),
        figure_column(entries, "Mean step (hops)", 3, |e| e.mean_step).on_demand(),
    ];
    // Usually all orderings have all nodes: a column of equal numbers would say nothing.
    if entries.iter().any(|e| e.nodes != entries[0].nodes) {
        let nodes = entries.iter().map(|e| e.nodes as u64);
        columns.push(Column::counts("Nodes", nodes));
    }
    if entries.iter().any(|e| e.spanning.is_some()) {
        let shares = entries.iter().map(|e| Some(100.0 * e.spanning?));
        columns.push(Column::unranked_figures("Windows left out (%)", 1, shares));
    }
    // At the last size, the whole machine, all orderings are equal.
    let last = comparison.sizes.len().saturating_sub(2);
    let shown: [usize; SIZES] = std::array::from_fn(|i| i * last / (SIZES - 1));
    for (i, size) in comparison.sizes.iter().enumerate() {
        let title = format!("MPC({}) (hops)", format_thousands(*size as u64));
        let column = Column::new(title, 3, BestValue::Low, entries.iter().map(|e| e.at[i]));
        columns.push(if shown.contains(&i) {
            column
        } else {
            column.on_demand()
        });
    }
    if comparison.capacity.is_some() {
        for (i, size) in comparison.sizes.iter().enumerate() {
            let title = format!("Throughput bound({})", format_thousands(*size as u64));
            let bounds = entries.iter().map(|e| e.throughput_bound[i]);
            columns.push(Column::unranked_figures(title, 3, bounds).on_demand());
        }
    }
    let mean = comparison.topology.mean_distance;
    let mut curves = Vec::new();
    for (series, entry) in plot::comparison_series(comparison, slots)
        .into_iter()
        .zip(entries)
    {
        let key = plot::plot_sample(series.slot).decoration_svg()?;
        let spark = plot::plot_sparkline(series, best, mean).decoration_svg()?;
        curves.push((key, spark_words(entry, mean), spark));
    }
    let names = entries.iter().map(|e| e.label.clone()).collect();
    Ok(Table {
        id: "ranked",
        curves,
        ..Table::ranked(
            "Ranking of the orderings",
            names,
            comparison.list_ranks(),
            columns,
        )
    })
}

/// Makes a column of a figure of all orderings, unmarked: the table is ranked already.
fn figure_column(
    entries: &[OrderingFigures],
    title: &str,
    decimals: usize,
    value: fn(&OrderingFigures) -> f64,
) -> Column {
    let values = entries.iter().map(|entry| Some(value(entry)));
    Column::unranked_figures(title, decimals, values)
}

/// Describes a small curve for screen readers.
fn spark_words(entry: &OrderingFigures, mean: f64) -> String {
    let last = entry.values.len().saturating_sub(1);
    // The middle of the log axis.
    let middle = ((entry.values.len() as f64).sqrt() as usize).min(last);
    let [first, half, whole] = [0, middle, last].map(|i| match entry.values.get(i) {
        Some(value) if mean > 0.0 => format!("{} %", format_fixed(100.0 * value / mean, 0)),
        _ => "–".to_string(),
    });
    format!(
        "MPC as a share of that of random placement: {first} at 2 nodes, {half} at {}, {whole} \
         at {}",
        format_thousands(middle as u64 + 2),
        format_thousands(entry.values.len() as u64 + 1),
    )
}
