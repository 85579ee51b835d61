//! Tables on the terminal.

use comfy_table::{CellAlignment, Table, presets};

use super::layout::fitted;
use crate::replay::set::ReplayResult;

/// A table without lines whose columns from `numbers` on are numbers.
fn table(header: Vec<String>, rows: Vec<Vec<String>>, numbers: usize) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(header);
    table.add_rows(rows);
    for column in table.column_iter_mut().skip(numbers) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// A value with so many digits, `-` for none.
fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".into(), |v| format!("{v:.digits$}"))
}

/// Prints what each allocator gave and how long it took to standard error.
pub fn print_timings(results: &[ReplayResult<'_>], threshold: u64) {
    let header = ["ordering", "allocator", "placed", "mean MIND", "small %", "large %"];
    let header = header.into_iter().chain(["overall %", "t", "seconds"]);
    let row = |r: &ReplayResult<'_>| {
        let improvement = r.summary.improvement(r.baseline, threshold);
        vec![
            r.ordering.into(),
            r.allocator.into(),
            r.placed.to_string(),
            number(r.summary.mean_mind(), 4),
            number(improvement.small, 2),
            number(improvement.large, 2),
            number(improvement.overall, 2),
            number(r.summary.t_test().map(|t| t.t), 1),
            format!("{:.3}", r.choosing.as_secs_f64()),
        ]
    };
    let table = table(header.map(String::from).collect(), results.iter().map(row).collect(), 2);
    eprintln!("{}", fitted(table, 3, &std::io::stderr()));
}
