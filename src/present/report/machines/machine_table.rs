//! A table with a row a machine.

use crate::machines::{Contender, Machines};
use crate::report::html::{Best, Column, Table};

/// A table of machines, best first. Those that are not compared have no rank, and no value is shown as the best unless
/// each can be read beside all others.
pub(super) fn table(
    machines: &Machines,
    label: &'static str,
    contenders: &[&Contender],
    mut columns: Vec<Column>,
) -> Table {
    if !machines.is_even() {
        columns = columns.into_iter().map(Column::unmarked).collect();
    }
    let names = contenders
        .iter()
        .map(|c| c.machine.name().to_string())
        .collect();
    let slot = |one: &Contender| {
        machines
            .contenders
            .iter()
            .position(|c| std::ptr::eq(c, one))
    };
    let ranks = contenders
        .iter()
        .map(|&c| Some(machines.rank(slot(c)?)? as f64));
    let before = vec![Column::new("Rank", 0, Best::None, ranks)];
    Table {
        of: "Machine",
        before,
        ..Table::ranked(label, names, columns)
    }
}
