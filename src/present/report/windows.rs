//! What orderings carry when jobs of one size fill the machine: sentences, a chart and a table.

use super::bar_figure::{BarRow, draw_bars};
use super::grouping::group_by_key;
use super::html::{Column, Section, Table};
use super::sentences::sentence;
use crate::columns::bounds::Bound;
use crate::columns::throughput::WindowRow;
use crate::plot::format_thousands;
use crate::plot::replay::BarPanel;
use nodeorder_base::Result;

/// Says for each size which ordering carries most, or which are not told apart because their brackets meet.
pub fn sentences(rows: &[WindowRow<'_>]) -> Vec<String> {
    group_by_key(rows, |row| row.size)
        .into_iter()
        .filter_map(|(size, rows)| size_sentence(size, &rows))
        .collect()
}

/// Says which ordering carries most at one size. `None` without rows.
fn size_sentence(size: usize, rows: &[&WindowRow<'_>]) -> Option<String> {
    let best = rows
        .iter()
        .max_by(|a, b| a.throughput.total_cmp(&b.throughput))?;
    let low = Bound::Lower.round(best.throughput, 4);
    let high = Bound::Upper.round(best.throughput_at_most, 4);
    // An ordering whose limit reaches what the best one surely carries may be as good.
    let near: Vec<&str> = rows
        .iter()
        .filter(|row| row.throughput_at_most >= best.throughput)
        .map(|row| row.ordering)
        .collect();
    let jobs = format!(
        "{} jobs of {} nodes at once ({}):",
        best.windows,
        format_thousands(size as u64),
        best.guest
    );
    Some(if near.len() == 1 {
        format!(
            "{jobs} {} carries most, {low:.4} to {high:.4}.",
            best.ordering
        )
    } else if near.len() == rows.len() {
        format!("{jobs} no ordering is surely better, at least {low:.4}.")
    } else {
        format!(
            "{jobs} at least {low:.4} with the best; that may be any of {}.",
            near.join(", ")
        )
    })
}

/// Makes the section of a page with its chart; `slots` are the numbers of the orderings as the user named them. Fails
/// if the chart cannot be drawn.
pub(super) fn throughput_section(
    rows: &[WindowRow<'_>],
    slots: &[(&str, usize)],
) -> Result<Section> {
    let columns = vec![
        Column::counts("Job size (nodes)", rows.iter().map(|row| row.size as u64)),
        Column::counts("Jobs at once", rows.iter().map(|row| row.windows as u64)),
        unmarked_column("Throughput", rows, |row| {
            Some(Bound::Lower.round(row.throughput, 4))
        }),
        unmarked_column("At most", rows, |row| {
            Some(Bound::Upper.round(row.throughput_at_most, 4))
        }),
        unmarked_column("Bound from hops", rows, |row| {
            Some(Bound::Upper.round(row.throughput_bound?, 4))
        }),
        unmarked_column("A job alone", rows, |row| Some(row.alone)),
    ];
    let names = rows.iter().map(|row| row.ordering.to_string()).collect();
    let table = Table::new("Throughput of orderings", "Ordering", names, columns);
    let (guest, routing) = rows
        .first()
        .map_or(("", ""), |row| (row.guest, row.routing));
    let about = sentence(
        "Jobs of one size fill the machine, each on consecutive ranks, and all send at once (",
    )
    .code(guest)
    .text(", routing ")
    .code(routing)
    .text(
        "). Throughput is the multiple of this traffic that the links carry, found and proved: \
         no routing carries more than “at most”. Values of a job alone are not used for ranking: \
         spreading it out looks best there.",
    );
    let mut section = Section::new("throughput", "What they carry", about, table);
    section.list = sentences(rows).into_iter().map(sentence).collect();
    let sizes = group_by_key(rows, |row| row.size);
    // Sizes differ in scale, so each has a panel of its own.
    let titles: Vec<String> = sizes
        .iter()
        .map(|(size, _)| format!("{} nodes", format_thousands(*size as u64)))
        .collect();
    let mut panels = Vec::new();
    for name in &titles {
        panels.push(BarPanel {
            name,
            axis: "throughput of all jobs at once",
            decimals: 3,
        });
    }
    let mut bars: Vec<BarRow<'_>> = Vec::new();
    for (name, slot) in slots {
        let values = sizes
            .iter()
            .map(|(_, rows)| Some(rows.iter().find(|row| row.ordering == *name)?.throughput));
        bars.push((name, *slot, values.collect()));
    }
    section.figures.extend(draw_bars(
        "throughput.svg",
        "The throughput found, one bar per ordering.",
        (
            "Throughput of full machines by job size",
            "found and surely carried; higher is better",
        ),
        &panels,
        &bars,
    )?);
    Ok(section)
}

/// Makes a column in which no value is marked as the best: the brackets of orderings may overlap.
fn unmarked_column(
    title: &str,
    rows: &[WindowRow<'_>],
    value: fn(&WindowRow<'_>) -> Option<f64>,
) -> Column {
    Column::unranked_figures(title, 4, rows.iter().map(value))
}
