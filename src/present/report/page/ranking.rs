//! The ranked table of a page: a row an ordering, with its curve in small.

use crate::plot::{self, thousands};
use crate::report::html::{Best, Column, Table, fixed};
use crate::report::words;
use nodeorder_base::error::Result;
use nodeorder_order::metric::comparison::{Comparison, Entry};

/// Columns of job sizes that are shown unasked.
const SIZES: usize = 4;

/// The table, best ordering first. Errors: a curve that cannot be drawn.
pub(super) fn table(comparison: &Comparison, slots: &[usize], best: &[f64]) -> Result<Table> {
    let entries = &comparison.entries;
    let number = |title: &str, decimals, value: &dyn Fn(&Entry) -> f64| {
        Column::new(
            title,
            decimals,
            Best::None,
            entries.iter().map(|e| Some(value(e))),
        )
    };
    let first = entries.first().map_or(0.0, |e| e.mean_log);
    let above = |entry: &Entry| {
        let same_windows = entry.spanning == entries[0].spanning;
        same_windows.then(|| words::per_cent_above(entry.mean_log, first))
    };
    let mut columns = vec![
        number("Log-uniform mean (hops)", 3, &|e| e.mean_log),
        Column::new(
            "Above the best (%)",
            1,
            Best::None,
            entries.iter().map(above),
        ),
        number("Plain mean (hops)", 3, &|e| e.mean_plain).on_demand(),
        number("Best at (% of sizes)", 1, &|e| 100.0 * e.best_share),
        number("Mean step (hops)", 3, &|e| e.mean_step).on_demand(),
    ];
    if entries.iter().any(|e| e.nodes != entries[0].nodes) {
        columns.push(Column::counts(
            "Nodes",
            entries.iter().map(|e| e.nodes as u64),
        ));
    }
    if entries.iter().any(|e| e.spanning.is_some()) {
        let shares = entries
            .iter()
            .map(|e| e.spanning.map(|share| 100.0 * share));
        columns.push(Column::new("Windows left out (%)", 1, Best::None, shares));
    }
    // At the last size, the whole machine, all orderings are equal.
    let last = comparison.sizes.len().saturating_sub(2);
    let shown: Vec<usize> = (0..SIZES).map(|i| i * last / (SIZES - 1)).collect();
    columns.extend(comparison.sizes.iter().enumerate().map(|(i, size)| {
        let title = format!("MPC({}) (hops)", thousands(*size as u64));
        let column = Column::new(title, 3, Best::Low, entries.iter().map(|e| e.at[i]));
        if shown.contains(&i) {
            column
        } else {
            column.on_demand()
        }
    }));
    let mean = comparison.topology.mean_distance;
    if comparison.capacity.is_some() {
        columns.extend(comparison.sizes.iter().enumerate().map(|(i, size)| {
            let title = format!("Throughput bound({})", thousands(*size as u64));
            let bounds = entries.iter().map(|e| e.throughput_bound[i]);
            Column::new(title, 3, Best::None, bounds).on_demand()
        }));
    }
    let curves = (plot::series(comparison, slots).into_iter().zip(entries))
        .map(|(series, entry)| {
            let key = plot::sample(series.slot).decoration()?;
            let spark = plot::spark(series, best, mean).decoration()?;
            Ok((key, spark_words(entry, mean), spark))
        })
        .collect::<Result<_>>()?;
    let names = entries.iter().map(|e| e.label.clone()).collect();
    Ok(Table {
        id: "ranked",
        curves,
        ..Table::ranked("Ranking of the orderings", names, columns)
    })
}

/// Text of a small curve for screen readers.
fn spark_words(entry: &Entry, mean: f64) -> String {
    let count = entry.values.len();
    let share = |i: usize| match entry.values.get(i) {
        Some(value) if mean > 0.0 => format!("{} %", fixed(100.0 * value / mean, 0)),
        _ => "–".to_string(),
    };
    let middle = ((count as f64).sqrt() as usize).min(count.saturating_sub(1));
    format!(
        "MPC as a share of that of random placement: {} at 2 nodes, {} at {}, {} at {}",
        share(0),
        share(middle),
        thousands(middle as u64 + 2),
        share(count.saturating_sub(1)),
        thousands(count as u64 + 1),
    )
}
