//! What orderings carry when jobs of one size fill the machine: sentences, a chart and a table.

use crate::columns::throughput::WindowRow;
use crate::plot::replay::{BarPanel, Figure as Drawn, Labelled};
use crate::plot::thousands;
use crate::report::html::{Best, Column, Figure, Part, Section, Table, words};
use nodeorder_base::error::Result;

/// Rows of each size, in the order of the sizes.
fn by_size<'r, 'a>(rows: &'r [WindowRow<'a>]) -> Vec<(usize, Vec<&'r WindowRow<'a>>)> {
    let mut sizes: Vec<(usize, Vec<&WindowRow<'a>>)> = Vec::new();
    for row in rows {
        match sizes.iter_mut().find(|(size, _)| *size == row.size) {
            Some((_, rows)) => rows.push(row),
            None => sizes.push((row.size, vec![row])),
        }
    }
    sizes
}

/// A sentence for each size: which ordering carries most, or which are not told apart because their brackets meet.
pub fn sentences(rows: &[WindowRow<'_>]) -> Vec<String> {
    let one = |(size, rows): (usize, Vec<&WindowRow<'_>>)| {
        let best = rows
            .iter()
            .max_by(|a, b| a.throughput.total_cmp(&b.throughput))?;
        let near: Vec<&str> = (rows.iter())
            .filter(|row| row.throughput_at_most >= best.throughput)
            .map(|row| row.ordering)
            .collect();
        let jobs = format!(
            "{} jobs of {} nodes at once",
            best.windows,
            thousands(size as u64)
        );
        let (low, high) = (best.throughput, best.throughput_at_most);
        Some(match near.len() {
            1 => format!(
                "{jobs} ({}): {} carries most, {low:.4} to {high:.4}.",
                best.guest, best.ordering
            ),
            n if n == rows.len() => {
                format!(
                    "{jobs} ({}): the orderings are not told apart, at least {low:.4}.",
                    best.guest
                )
            }
            _ => format!(
                "{jobs} ({}): most, at least {low:.4}, with {}, which are not told apart.",
                best.guest,
                near.join(", ")
            ),
        })
    };
    by_size(rows).into_iter().filter_map(one).collect()
}

/// The section of a page with its chart; `slots` are the numbers of the orderings as the user named them. Errors: a
/// chart that cannot be drawn.
pub(super) fn section(rows: &[WindowRow<'_>], slots: &[(&str, usize)]) -> Result<Section> {
    let of = |value: fn(&WindowRow<'_>) -> f64| rows.iter().map(move |row| Some(value(row)));
    let bounds = rows.iter().map(|row| row.throughput_bound);
    let columns = vec![
        Column::counts("Job size (nodes)", rows.iter().map(|row| row.size as u64)),
        Column::counts("Jobs at once", rows.iter().map(|row| row.windows as u64)),
        Column::new("Throughput", 4, Best::None, of(|row| row.throughput)),
        Column::new("At most", 4, Best::None, of(|row| row.throughput_at_most)),
        Column::new("Bound from MPC", 4, Best::None, bounds),
        Column::new("A job alone", 4, Best::None, of(|row| row.alone)),
    ];
    let names = rows.iter().map(|row| row.ordering.to_string()).collect();
    let table = Table::new("Throughput of orderings", "Ordering", names, columns);
    let (guest, routing) = rows
        .first()
        .map_or(("", ""), |row| (row.guest, row.routing));
    let about = words![
        "Jobs of one size fill the machine, each on consecutive ranks, and all send at once (",
        Part::Code(guest.into()),
        ", routing ",
        Part::Code(routing.into()),
        "). Throughput is the multiple of this traffic that the links carry, found and proved: no routing carries more than \
         “at most”. A job alone borrows the links of all others, so that spreading it out looks best: nothing is ranked \
         by it."
    ];
    let mut section = Section::new("throughput", "What they carry", about, table);
    section.list = sentences(rows)
        .into_iter()
        .map(|sentence| words![sentence])
        .collect();
    let sizes = by_size(rows);
    let titles: Vec<String> = sizes
        .iter()
        .map(|(size, _)| format!("{} nodes", thousands(*size as u64)))
        .collect();
    let axis = "throughput of all jobs at once";
    let panels: Vec<BarPanel<'_>> = titles
        .iter()
        .map(|name| BarPanel {
            name,
            axis,
            decimals: 3,
        })
        .collect();
    let data: Vec<(&str, usize, Vec<Option<f64>>)> = (slots.iter())
        .map(|(name, slot)| {
            let at = |(_, rows): &(usize, Vec<&WindowRow<'_>>)| {
                rows.iter()
                    .find(|row| row.ordering == *name)
                    .map(|row| row.throughput)
            };
            (*name, *slot, sizes.iter().map(at).collect())
        })
        .collect();
    let labelled: Vec<Labelled<'_, &[Option<f64>]>> = data
        .iter()
        .map(|(label, slot, data)| Labelled {
            label,
            slot: *slot,
            data: &data[..],
        })
        .collect();
    let note = "found and surely carried; higher is better";
    let drawn = Drawn::bars(
        "Throughput of full machines by job size",
        note,
        &panels,
        &labelled,
    )?;
    let caption = "The throughput found, a bar an ordering.";
    section
        .figures
        .push(Figure::of("throughput.svg", caption, drawn)?);
    Ok(section)
}
