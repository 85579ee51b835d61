//! Allocators of one machine and trace beside each other, where a sweep says what they leave room for.

use super::figures::{BarFigure, figure_file};
use super::ranking::{RankedSetting, list_ties, rank_settings};
use super::section_figures::{SectionFigures, mean_where};
use crate::machines::Difference;
use crate::plot::format_fixed;
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

/// Cuts the middle out of the name of a setting that would fill a sentence: the table has it whole.
fn cut_name(name: &str) -> String {
    const ENDS: usize = 32;
    match (
        name.char_indices().nth(ENDS),
        name.char_indices().nth_back(ENDS),
    ) {
        (Some((head, _)), Some((tail, _))) if head < tail => {
            format!("{}…{}", &name[..head], &name[tail..])
        }
        _ => name.to_string(),
    }
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
            "Clearly ahead of all {others} others (95 % intervals of differences over {schedules} schedules of the \
             same jobs)"
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
        "No setting is clearly the best: chance may have put {}{more} behind it ({} of {others} others; 95 % intervals \
         of differences over {schedules} schedules of the same jobs)",
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

/// Computes the mean of a figure of a setting over orderings and seeds. `None` if there is none.
fn setting_mean(figures: &SectionFigures<'_>, choice: &str, column: &str) -> Option<f64> {
    mean_where(&figures.rows, &[(figures.group.by, choice)], column)
}

/// Shortens a setting to few letters, with its rank: `slurm:sizes=2x4x8,wide=true` is `1: 2x…x8 wide`.
fn short_setting(rank: usize, choice: &str) -> String {
    let options = choice
        .split_once(':')
        .map_or(choice, |(_, options)| options);
    let options: Vec<String> = options.split(',').map(short_option).collect();
    format!("{rank}: {}", options.join(" "))
}

/// Shortens an option to its value, or to its key where the value is true; chains of block sizes to their ends.
fn short_option(text: &str) -> String {
    let value = match text.split_once('=') {
        Some((key, "true")) | Some(("", key)) => key,
        Some((_, value)) => value,
        None => text,
    };
    let sizes: Vec<&str> = value.split('x').collect();
    match sizes.as_slice() {
        // A `/` is part of a file's name, in which an x is no sign of sizes.
        [first, _, _, .., last] if !value.contains('/') => format!("{first}x…x{last}"),
        _ => value.to_string(),
    }
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
    let best = &ranked[0];
    // Waits only where jobs are scheduled, Slurm's measure only for its plugins.
    let mut columns = Vec::new();
    let mut shown: Vec<&SettingFigure> = Vec::new();
    for figure in &SHOWN {
        let SettingFigure(column, title, decimals, best) = figure;
        let values: Vec<_> = ranked
            .iter()
            .map(|choice| setting_mean(figures, choice, column))
            .collect();
        if values.iter().any(Option::is_some) {
            shown.push(figure);
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
        "Means over seeds and orderings. Sorted by jobs placed, then mean wait. Settings with identical results share a \
         row. Behind the first: mean wait (s), in a replay free nodes, setting against setting under the same seed. \
         The largest job placeable and the free nodes beyond it are means over time, or over placements in a replay.",
    );
    if folded > 0 {
        about += &format!(" The table of results has {folded} further settings.");
    }
    let mut section = Section::new(format!("s{number}"), title.clone(), about, table);
    let bars: Vec<String> = (1..)
        .zip(&ranked)
        .map(|(rank, choice)| short_setting(rank, choice))
        .collect();
    let panels: Vec<(&str, &str)> = shown.iter().map(|shown| ("", shown.1)).collect();
    let drawn = BarFigure {
        title: title.clone(),
        note: "one bar per setting, in the order of the table",
        orderings: bars.clone(),
        all: &bars,
    };
    let figure = drawn.draw(figure_file(number, "settings"), &panels, |bar, i| {
        // Bars are found by their short names; these begin with the rank, so they differ.
        let at = bars.iter().position(|other| other == bar)?;
        setting_mean(figures, &ranked[at], shown[i].0)
    })?;
    section.figures.extend(figure.map(|figure| Figure {
        caption: "The figures of the table as bars; each begins with the setting's rank.".into(),
        ..figure
    }));
    let mut said = String::new();
    if let Some(wait) = setting_mean(figures, best, "mean_wait") {
        said += &format!(", mean wait {} s", format_fixed(wait, 1));
    }
    if let Some(nodes) = setting_mean(figures, best, "mean_placeable") {
        said += &format!(
            ", largest job placeable {} nodes on average",
            format_fixed(nodes, 0)
        );
    }
    let verdict = sentence(format!("{title}: "))
        .bold(&cut_name(best))
        .text(format!("{said}. {lead}."));
    Ok(Some((section, verdict)))
}
