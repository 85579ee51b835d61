//! Allocators of one machine and trace beside each other, where a sweep says what they leave room for.

use super::figures::{BarFigure, figure_file};
use super::ranking::{RankedSetting, list_ties, rank_settings};
use super::section_figures::SectionFigures;
use crate::machines::Difference;
use crate::plot::{self, format_fixed};
use crate::report::html::{BestValue, Column, Figure, Section, Table};
use crate::report::sentences::{RichText, sentence};
use nodeorder_base::Result;

/// A figure of a setting: its column, its name in the table and on an axis, its decimals, which value is marked.
struct SettingFigure(&'static str, &'static str, usize, BestValue);

/// Most settings that the page lists.
const MOST_SETTINGS: usize = 8;

/// Figures of settings; those that no setting has are left out.
const SHOWN: [SettingFigure; 8] = [
    SettingFigure("never_placed", "Jobs never placed", 0, BestValue::Low),
    SettingFigure("mean_wait", "Mean wait (s)", 1, BestValue::Low),
    SettingFigure("wait_p90", "90 % wait up to (s)", 1, BestValue::Low),
    SettingFigure(
        "mean_placeable",
        "Largest job placeable (nodes)",
        1,
        BestValue::High,
    ),
    SettingFigure("mean_stranded", "Free nodes beyond it", 1, BestValue::Low),
    SettingFigure(
        "mean_slurm_fragmentation",
        "Slurm's fragmentation (nodes)",
        0,
        BestValue::None,
    ),
    SettingFigure("mean_ring_step", "Ring step (hops)", 4, BestValue::Low),
    SettingFigure("mean_cut_best", "Links of a halving", 2, BestValue::High),
];

/// Ranks the settings of a section; of those with the same figures the first stands for all. Empty if the sweep has
/// not looked at room, or at one allocator.
fn rank_choices(figures: &SectionFigures<'_>) -> Vec<RankedSetting> {
    let known = figures
        .rows
        .iter()
        .any(|row| row.number("mean_placeable").is_some());
    // Without room there is nothing that tells a scheduler's settings apart but waits, which the section of schedules
    // has.
    if !known || figures.group.by != "allocator" || figures.choices.len() < 2 {
        return Vec::new();
    }
    rank_settings(figures.rows.iter().copied(), &SHOWN.map(|shown| shown.0))
}

/// Cuts the middle out of the name of a setting that would fill a sentence.
pub fn cut_name(name: &str) -> String {
    plot::cut_middle(name, 64)
}

/// Says how surely the first of ranked settings, at least one, is ahead of the others.
pub fn describe_lead(ranked: &[RankedSetting]) -> String {
    let schedules = ranked[0].rows.len();
    if schedules < 2 {
        return "One schedule each: no interval says what chance may change".into();
    }
    let ties = list_ties(ranked);
    let others = ranked.len() - 1;
    if ties.is_empty() {
        return format!(
            "Clearly ahead of all {others} others (95 % intervals of differences over \
             {schedules} schedules of the same jobs)"
        );
    }
    let mut named = Vec::new();
    named.extend(
        ties.iter()
            .take(3)
            .map(|setting| cut_name(&setting.names[0])),
    );
    let more = match ties.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "No setting is clearly the best: chance may have put {}{more} behind it ({} of {others} \
         others; 95 % intervals of differences over {schedules} schedules of the same jobs)",
        named.join("; "),
        ties.len()
    )
}

/// Makes the columns that say how far each setting lies behind the first, with half the 95 % interval.
fn list_differences(ranked: &[RankedSetting]) -> [Column; 2] {
    let differences: Vec<Option<Difference>> = ranked
        .iter()
        .map(|setting| setting.compare_rows(&ranked[0]))
        .collect();
    let means = differences.iter().map(|d| Some(d.as_ref()?.difference));
    let halves = differences.iter().map(|d| {
        let d = d.as_ref()?;
        Some(d.high? - d.difference)
    });
    [
        Column::new("Behind the first", 1, BestValue::None, means),
        Column::new("± 95 %", 1, BestValue::None, halves),
    ]
}

/// Makes the section of that number, and its verdict. `None` if there is nothing to choose from.
pub fn settings_section(
    figures: &SectionFigures<'_>,
    number: usize,
) -> Result<Option<(Section, RichText)>> {
    let mut settings = rank_choices(figures);
    if settings.is_empty() {
        return Ok(None);
    }
    let lead = describe_lead(&settings);
    // All rows stand in the table of results; a page is for those that one would choose.
    let folded = settings.len().saturating_sub(MOST_SETTINGS);
    settings.truncate(MOST_SETTINGS);
    let ranked: Vec<String> = settings.iter().map(|s| s.names[0].clone()).collect();
    let mut said = String::new();
    // Waits only where jobs are scheduled, Slurm's measure only for its plugins.
    let mut columns = Vec::new();
    let mut shown = Vec::new();
    for (at, figure) in SHOWN.iter().enumerate() {
        let SettingFigure(column, title, decimals, best) = figure;
        let means = settings
            .iter()
            .map(|setting| setting.mean_and_interval(at).0);
        let values: Vec<_> = means.collect();
        match (*column, values[0]) {
            ("mean_wait", Some(wait)) => {
                said += &format!(", mean wait {} s", format_fixed(wait, 1));
            }
            ("mean_placeable", Some(nodes)) => {
                let nodes = format_fixed(nodes, 0);
                said += &format!(", largest job placeable {nodes} nodes on average");
            }
            _ => {}
        }
        if values.iter().any(Option::is_some) {
            shown.push((at, figure));
            columns.push(Column::new(*title, *decimals, *best, values));
        }
    }
    columns.extend(list_differences(&settings));
    let table = Table {
        before: vec![Column::counts("Rank", 1..=ranked.len() as u64)],
        ..Table::new(
            "Settings beside each other",
            "Setting",
            ranked.clone(),
            columns,
        )
    };
    let title = format!("{}: settings", figures.title());
    let mut about = String::from(
        "Means over seeds and orderings. Sorted by jobs placed, then mean wait. Settings with \
         identical results share a row. Behind the first: mean wait (s), in a replay free nodes, \
         setting against setting under the same seed. The largest job placeable and the free \
         nodes beyond it are means over time, or over placements in a replay.",
    );
    if folded > 0 {
        about += &format!(" The table of results has {folded} further settings.");
    }
    let mut section = Section::new(format!("s{number}"), title.clone(), about, table);
    let mut bars = Vec::new();
    for (rank, choice) in (1..).zip(&ranked) {
        // What all have in common, the plugin, says nothing.
        let options = choice.split_once(':').map_or(&**choice, |(_, it)| it);
        bars.push(format!("{rank}: {options}"));
    }
    let panels: Vec<(&str, &str)> = shown.iter().map(|(_, figure)| ("", figure.1)).collect();
    let drawn = BarFigure {
        title: title.clone(),
        note: "one row per setting, in the order of the table",
        orderings: bars.clone(),
        all: &bars,
        intervals: true,
    };
    let figure = drawn.draw(figure_file(number, "settings"), &panels, |bar, i| {
        // Rows are found by their names; these begin with the rank, so they differ.
        let row = bars.iter().position(|other| other == bar)?;
        let (mean, half) = settings[row].mean_and_interval(shown[i % shown.len()].0);
        if i < shown.len() { mean } else { half }
    })?;
    section.figures.extend(figure.map(|figure| {
        Figure {
            caption:
                "The figures of the table, each with its rank; lines: 95 % intervals over the \
            schedules."
                    .into(),
            ..figure
        }
    }));
    let verdict = sentence(format!("{title}: "))
        .bold(&cut_name(&ranked[0]))
        .text(format!("{said}. {lead}."));
    Ok(Some((section, verdict)))
}
