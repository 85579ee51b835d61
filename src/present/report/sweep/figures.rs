//! The figures of a sweep's page: bars of every kind of row, a panel a choice or a machine, and improvements.

use std::collections::BTreeSet;

use super::section_figures::SectionFigures;
use crate::plot::replay::{BarPanel, Bars, Figure as Drawn};
use crate::plot::{HeatMap, format_fixed};
use crate::report::bar_figure::{BarRow, draw_bars};
use crate::report::html::{BestValue, Column, Figure, Section, Table};
use crate::report::sentences::{RichText, file_name, sentence};
use nodeorder_base::Result;
use nodeorder_jobs::replay::set::BASELINE;

/// The caption of a figure of improvements.
pub const IMPROVED: &str = "The best combinations by mean distance, best first.";

/// Most bars of a figure.
const MOST_BARS: usize = 24;
/// The line below the titles of figures of orderings.
pub const LOWER: &str = "one bar per ordering; lower is better";
/// Most panels of a figure.
const MOST_PANELS: usize = 12;

/// Makes a section of each workload that several machines have, a panel a machine; `number` is that of the first.
pub fn side_by_side(found: &[SectionFigures<'_>], number: usize) -> Result<Vec<Section>> {
    let mut sections = Vec::new();
    let mut seen = BTreeSet::new();
    for figures in found {
        let workload = figures.workload_values();
        // Sections of one workload need not stand together: rows of other workloads may lie between.
        if !seen.insert(workload.clone()) {
            continue;
        }
        let machines: Vec<&SectionFigures<'_>> = found
            .iter()
            .filter(|figures| figures.workload_values() == workload)
            .collect();
        // A single machine has been shown already.
        if machines.len() > 1 {
            sections.push(machine_section(&machines, number + sections.len())?);
        }
    }
    Ok(sections)
}

/// Makes the section of one workload on several machines.
fn machine_section(machines: &[&SectionFigures<'_>], number: usize) -> Result<Section> {
    let first = machines[0];
    let group = first.group;
    let mut titles = first.titles.clone();
    if let Some(topology) = first.machine_key() {
        titles[topology] = "all machines".into();
    }
    let title = (group.title)(&titles);
    // Machines have different orderings: all of them, each once, by the rank on the first machine that has it.
    let mut names: Vec<String> = Vec::new();
    for name in machines.iter().flat_map(|figures| figures.rank_orderings()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let machine_names: Vec<&str> = machines
        .iter()
        .map(|figures| {
            figures
                .machine_key()
                .map_or("", |i| file_name(&figures.titles[i]))
        })
        .collect();
    let (column, _, axis) = group.columns[0];
    let mut columns = Vec::new();
    for (figures, machine) in machines.iter().zip(&machine_names) {
        let values = names.iter().map(|name| figures.lowest_value(name, column));
        columns.push(Column::new(*machine, 4, BestValue::Low, values));
    }
    let chosen = if first.choices.len() > 1 && !group.first_ranks {
        format!(", with the {} that is best for the ordering", group.by)
    } else {
        String::new()
    };
    let about =
        format!("Every machine by its own orderings: {axis}{chosen}. Best values are bold.");
    let table = Table::new("Machines side by side", "Ordering", names.clone(), columns);
    let mut section = Section::new(format!("s{number}"), title.clone(), about, table);
    let bars = BarFigure {
        title,
        note: LOWER,
        orderings: names,
        all: first.all,
        intervals: false,
    };
    for (column, _, axis) in group.columns {
        let panels: Vec<(&str, &str)> = machine_names.iter().map(|name| (*name, *axis)).collect();
        let named = BarFigure {
            title: format!("{}: {axis}", bars.title),
            ..bars.clone()
        };
        let file = figure_file(number, column);
        let drawn = named.draw(file, &panels, |ordering, i| {
            machines[i].lowest_value(ordering, column)
        })?;
        section.figures.extend(drawn);
    }
    Ok(section)
}

/// Makes the file name of a figure of a section.
pub fn figure_file(number: usize, column: &str) -> String {
    format!("section-{number:02}-{}.svg", column.replace('_', "-"))
}

/// A figure of bars, but for its panels and values.
#[derive(Clone)]
pub struct BarFigure<'a> {
    pub title: String,
    /// Line below the title.
    pub note: &'a str,
    /// Names of the bars, from the top.
    pub orderings: Vec<String>,
    /// Names in the whole sweep, whose indices decide colours.
    pub all: &'a [String],
    /// Whether half the interval of a value is known: that of panel i stands as many places on as there are panels.
    pub intervals: bool,
}

impl BarFigure<'_> {
    /// Draws a bar an ordering in each panel, of a name and an axis; `value` has that of an ordering in a panel.
    /// `None` if there is no value.
    pub fn draw(
        &self,
        file: String,
        panels: &[(&str, &str)],
        value: impl Fn(&str, usize) -> Option<f64>,
    ) -> Result<Option<Figure>> {
        let mut drawn = Vec::new();
        for (name, axis) in panels.iter().take(MOST_PANELS) {
            drawn.push(BarPanel {
                name,
                axis,
                decimals: if axis.ends_with("(s)") { 1 } else { 3 },
            });
        }
        let shown = &self.orderings[..self.orderings.len().min(MOST_BARS)];
        let mut rows: Vec<BarRow<'_>> = Vec::new();
        for label in shown {
            // The index in the whole sweep: an ordering has one colour in all figures.
            let slot = self.all.iter().position(|other| other == label);
            let known = drawn.len() * (1 + usize::from(self.intervals));
            let values = (0..known).map(|i| value(label, i));
            rows.push((label, slot.unwrap_or(0), values.collect()));
        }
        let more = match self.orderings.len() - shown.len() {
            0 => String::new(),
            n => format!(" The {n} other orderings are in the table."),
        };
        let caption = format!("The figures of the table as bars.{more}");
        draw_bars(file, caption, (&self.title, self.note), &drawn, &rows)
    }
}

/// Draws a heat map of each column of a section's group: orderings, the best first, against the choices. Says in
/// sentences which columns have equal values only.
pub fn draw_heat_maps(
    figures: &SectionFigures<'_>,
    number: usize,
) -> Result<(Vec<Figure>, RichText)> {
    let mut rows = figures.rank_orderings();
    let more = match rows.len().saturating_sub(MOST_BARS) {
        0 => String::new(),
        n => format!(" The {n} other orderings are in the table."),
    };
    rows.truncate(MOST_BARS);
    let choices: Vec<&str> = figures
        .choices
        .iter()
        .take(MOST_BARS)
        .map(String::as_str)
        .collect();
    let mut drawn = Vec::new();
    let mut equal = Vec::new();
    for (column, _, axis) in figures.group.columns {
        let mut values = Vec::new();
        for ordering in &rows {
            let row = choices
                .iter()
                .map(|choice| figures.mean_figure(ordering, choice, column));
            values.push(row.collect());
        }
        let apart = figures.group.first_ranks;
        let map = HeatMap {
            rows: &rows,
            columns: &choices,
            values,
            decimals: if axis.ends_with("(s)") { 1 } else { 3 },
            apart,
        };
        let whose = if apart { " of a column" } else { "" };
        let note = format!("lower is better; the lowest{whose} has a frame, ties too");
        let read = map.values.iter().flatten().flatten();
        let read: BTreeSet<String> = read.map(|v| format_fixed(*v, map.decimals)).collect();
        // One colour says nothing.
        if let [value] = Vec::from_iter(&read)[..] {
            equal.push(sentence(format!("All equal: {axis} {value}.")));
        }
        // A column that no row has a value of is left out, as in the table.
        if read.len() > 1 {
            let title = format!("{}: {axis}", figures.title());
            let caption = format!("The table as colours, dark for low values.{more}");
            let cells = map.plot_cells((&title, &note))?;
            drawn.push(Figure::from_drawing(
                figure_file(number, column),
                caption,
                cells,
            )?);
        }
    }
    Ok((drawn, RichText::join(equal, " ")))
}

/// Draws the improvement of the best combinations over `fifo:0`. `None` if none has one.
pub fn draw_improvement(
    figures: &SectionFigures<'_>,
    number: usize,
    machine: &str,
) -> Result<Option<Figure>> {
    let mut ranked: Vec<(f64, &str, usize)> = Vec::new();
    for ordering in &figures.orderings {
        for (slot, choice) in figures.choices.iter().enumerate() {
            // The baseline has no improvement over itself.
            if choice != BASELINE
                && let Some(mind) = figures.mean_figure(ordering, choice, "mean_mind")
            {
                ranked.push((mind, ordering, slot));
            }
        }
    }
    // By distance, not by improvement: a bad ordering leaves more to improve.
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    ranked.truncate(MOST_BARS);
    let labels: Vec<String> = ranked
        .iter()
        .map(|(_, ordering, slot)| format!("{ordering} · {}", figures.choices[*slot]))
        .collect();
    let mut bars = Vec::new();
    for ((_, ordering, slot), label) in ranked.iter().zip(&labels) {
        let data = [
            "improvement_small",
            "improvement_large",
            "improvement_overall",
        ]
        .map(|figure| figures.mean_figure(ordering, &figures.choices[*slot], figure));
        bars.push(Bars {
            label,
            slot: *slot,
            data,
        });
    }
    if bars.iter().all(|bar| bar.data == [None; 3]) {
        return Ok(None);
    }
    let title = format!("Improvement over {BASELINE} on {machine}");
    let what = format!("improvement over {BASELINE} (%)");
    let drawn = Drawn::plot_averages(&title, &what, &bars)?;
    let file = format!("section-{number:02}.svg");
    Ok(Some(Figure::from_drawing(file, IMPROVED, drawn)?))
}
