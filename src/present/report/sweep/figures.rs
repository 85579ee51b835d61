//! The figures of a sweep's page: bars of every kind of row, a panel a choice or a machine, and improvements.

use std::collections::BTreeSet;

use super::section_figures::Figures;
use crate::plot::replay::{BarPanel, Bars, Figure as Drawn, Labelled};
use crate::report::html::{Best, Column, Figure, Section, Table, words};
use crate::report::words::file_name;
use nodeorder_base::error::Result;
use nodeorder_jobs::replay::set::BASELINE;

/// The caption of a figure of improvements.
pub(super) const IMPROVED: &str = "The best combinations by mean distance, best first.";

/// Bars of a figure at most.
const MOST_BARS: usize = 24;
/// The line below the titles of figures of orderings.
pub(super) const LOWER: &str = "a bar an ordering; lower is better";
/// Panels of a figure at most.
const MOST_PANELS: usize = 12;

/// Sections of the same workload on several machines, a panel a machine; `number` is that of the first.
pub(super) fn side_by_side(found: &[Figures<'_>], number: usize) -> Result<Vec<Section>> {
    let mut workloads: Vec<Vec<&str>> = found.iter().map(Figures::workload).collect();
    workloads.dedup();
    let mut seen = BTreeSet::new();
    workloads.retain(|workload| seen.insert(workload.clone()));
    let mut sections = Vec::new();
    for workload in &workloads {
        let machines: Vec<&Figures<'_>> = found
            .iter()
            .filter(|figures| figures.workload() == *workload)
            .collect();
        let Some((first, [_, ..])) = machines.split_first() else {
            continue;
        };
        let number = number + sections.len();
        let keys = first.group.keys.iter().zip(&first.titles);
        let all = |(key, value): (&&str, &String)| match *key {
            "topology" => "all machines".into(),
            _ => value.clone(),
        };
        let title = (first.group.title)(&keys.map(all).collect::<Vec<_>>());
        let mut names: Vec<String> = Vec::new();
        for name in machines.iter().flat_map(|figures| figures.ranked()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let machine = |figures: &&Figures<'_>| {
            let topology = first.group.keys.iter().position(|key| *key == "topology");
            file_name(topology.map_or("", |i| &figures.titles[i])).to_string()
        };
        let called: Vec<String> = machines.iter().map(machine).collect();
        let (column, _, axis) = first.group.columns[0];
        let values = |figures: &&Figures<'_>| {
            let values = names.iter().map(|name| figures.lowest(name, column));
            Column::new(machine(figures), 4, Best::Low, values.collect::<Vec<_>>())
        };
        let columns = machines.iter().map(values).collect();
        let chosen = if first.choices.len() > 1 && !first.group.first_ranks {
            format!(
                ", with the {} that is best for the ordering",
                first.group.by
            )
        } else {
            String::new()
        };
        let about = words![format!(
            "Every machine by its own orderings: {axis}{chosen}. The lowest value of each machine is bold."
        )];
        let label = "Machines side by side";
        let table = Table {
            label,
            of: "Ordering",
            names: names.clone(),
            columns,
            ..Table::default()
        };
        let mut section = Section::new(format!("s{number}"), title.clone(), about, table);
        for (column, _, axis) in first.group.columns {
            let panels: Vec<(&str, &str)> = called.iter().map(|name| (&**name, *axis)).collect();
            let of = |o: &str, i: usize| machines[i].lowest(o, column);
            let file = format!("section-{number:02}-{}.svg", column.replace('_', "-"));
            section.figures.extend(drawn(
                file,
                (&format!("{title}: {axis}"), LOWER),
                &panels,
                (&names, first.all),
                &of,
            )?);
        }
        sections.push(section);
    }
    Ok(sections)
}

/// A bar an ordering in each panel, of a name and an axis, coloured by its index among all; none where there is no
/// value.
pub(super) fn drawn(
    file: String,
    (title, note): (&str, &str),
    panels: &[(&str, &str)],
    (orderings, all): (&[String], &[String]),
    of: &dyn Fn(&str, usize) -> Option<f64>,
) -> Result<Option<Figure>> {
    let decimals = |axis: &str| if axis.ends_with("(s)") { 1 } else { 3 };
    let mut drawn: Vec<BarPanel<'_>> = Vec::new();
    for (name, axis) in panels.iter().take(MOST_PANELS) {
        drawn.push(BarPanel {
            name,
            axis,
            decimals: decimals(axis),
        });
    }
    let shown = &orderings[..orderings.len().min(MOST_BARS)];
    let value = |o: &String| (0..drawn.len()).map(|i| of(o, i)).collect();
    let values: Vec<Vec<Option<f64>>> = shown.iter().map(value).collect();
    if values.iter().flatten().all(Option::is_none) {
        return Ok(None);
    }
    let mut rows: Vec<Labelled<'_, &[Option<f64>]>> = Vec::new();
    for (label, data) in shown.iter().zip(&values) {
        // The index in the whole sweep: an ordering has one colour in all figures.
        let slot = all.iter().position(|other| other == label).unwrap_or(0);
        rows.push(Labelled { label, slot, data });
    }
    let more = match orderings.len() - shown.len() {
        0 => String::new(),
        n => format!(" The {n} other orderings are in the table."),
    };
    let caption = format!("The figures of the table as bars.{more}");
    Ok(Some(Figure::of(
        file,
        caption,
        Drawn::bars(title, note, &drawn, &rows)?,
    )?))
}

/// The best combinations' improvement over `fifo:0`, where any has one.
pub(super) fn improvement(
    figures: &Figures<'_>,
    number: usize,
    machine: &str,
) -> Result<Option<Figure>> {
    let pairs = (figures.orderings.iter()).flat_map(|ordering| {
        figures
            .choices
            .iter()
            .enumerate()
            .map(move |c| (ordering, c))
    });
    let mut ranked: Vec<(f64, &str, usize)> = pairs
        .filter_map(|(o, (slot, c))| Some((figures.of(o, c, "mean_mind")?, o.as_str(), slot)))
        .collect();
    // The baseline has no improvement over itself.
    ranked.retain(|(_, _, slot)| figures.choices[*slot] != BASELINE);
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    ranked.truncate(MOST_BARS);
    let name = |ordering: &str, slot: usize| format!("{ordering} · {}", figures.choices[slot]);
    let labels: Vec<String> = ranked.iter().map(|(_, o, slot)| name(o, *slot)).collect();
    let bars: Vec<Bars<'_>> = (ranked.iter().zip(&labels))
        .map(|((_, ordering, slot), label)| {
            let of = |figure| figures.of(ordering, &figures.choices[*slot], figure);
            let data = [
                "improvement_small",
                "improvement_large",
                "improvement_overall",
            ]
            .map(of);
            Bars {
                label,
                slot: *slot,
                data,
            }
        })
        .collect();
    if bars.iter().all(|b| b.data == [None; 3]) {
        return Ok(None);
    }
    let title = format!("Improvement over {BASELINE} on {machine}");
    let what = format!("improvement over {BASELINE} (%)");
    let drawn = Drawn::averages(&title, &what, &bars)?;
    Ok(Some(Figure::of(
        format!("section-{number:02}.svg"),
        IMPROVED,
        drawn,
    )?))
}
