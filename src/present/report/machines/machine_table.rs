//! A table with a row a machine.

use crate::machines::{Contender, Machines};
use crate::report::html::{Column, Table};

/// Makes a table of machines, best first. Those that are not compared have no rank, and no value is marked as the best
/// unless each can be read beside all others.
pub fn machine_table(
    machines: &Machines,
    label: &'static str,
    contenders: &[&Contender],
    mut columns: Vec<Column>,
) -> Table {
    if !machines.is_even() {
        columns = columns.into_iter().map(Column::unmarked).collect();
    }
    let mut names = Vec::new();
    let mut ranks = Vec::new();
    for contender in contenders {
        names.push(contender.machine.name().to_string());
        // Machines may have equal names: their places differ.
        let slot = machines
            .contenders
            .iter()
            .position(|other| std::ptr::eq(other, *contender));
        let rank = slot.and_then(|slot| machines.rank(slot));
        ranks.push(rank.map(|rank| rank as f64));
    }
    Table {
        before: vec![Column::unranked_figures("Rank", 0, ranks)],
        ..Table::new(label, "Machine", names, columns)
    }
}
