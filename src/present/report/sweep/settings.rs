//! Allocators of one machine and trace beside each other, where a sweep says what they leave room for.

use super::super::html::{Best, Column, Figure, Section, Table, Words, bold, fixed, words};
use super::figures::drawn;
use super::ranking::rank_settings;
use super::section_figures::{Figures, mean};
use nodeorder_base::error::Result;

/// A figure of a setting: its column, what the table and an axis call it, its decimals, which value is marked.
struct Shown(&'static str, &'static str, usize, Best);

/// Waits only where jobs are scheduled.
const SHOWN: [Shown; 8] = [
    Shown("never_placed", "Jobs never placed", 0, Best::Low),
    Shown("mean_wait", "Mean wait (s)", 1, Best::Low),
    Shown("wait_p90", "90 % wait up to (s)", 1, Best::Low),
    Shown(
        "mean_placeable",
        "Largest job placeable (nodes)",
        1,
        Best::High,
    ),
    Shown("mean_stranded", "Free nodes beyond it", 1, Best::Low),
    Shown(
        "mean_slurm_fragmentation",
        "Slurm's fragmentation (nodes)",
        0,
        Best::None,
    ),
    Shown("mean_ring_step", "Ring step (hops)", 4, Best::Low),
    Shown("mean_cut_best", "Links of a halving", 2, Best::High),
];

/// Ranks the settings of a section; of those with the same figures the first stands for all. Empty if the sweep has not
/// looked at room, or at one allocator.
fn ranked(figures: &Figures<'_>) -> Vec<String> {
    let known = figures
        .rows
        .iter()
        .any(|row| row.number("mean_placeable").is_some());
    if !known || figures.group.by != "allocator" || figures.choices.len() < 2 {
        return Vec::new();
    }
    let ranked = rank_settings(figures.rows.iter().copied(), &SHOWN.map(|shown| shown.0));
    let names = ranked
        .into_iter()
        .map(|mut setting| setting.names.swap_remove(0));
    names.collect()
}

/// The mean over orderings and seeds.
fn of(figures: &Figures<'_>, choice: &str, column: &str) -> Option<f64> {
    mean(&figures.rows, &[(figures.group.by, choice)], column)
}

/// A setting in few letters, with its rank: chains of block sizes by their ends.
fn short(rank: usize, choice: &str) -> String {
    let options = choice
        .split_once(':')
        .map_or(choice, |(_, options)| options);
    let option = |text: &str| {
        let value = match text.split_once('=') {
            Some((key, "true")) | Some(("", key)) => key,
            Some((_, value)) => value,
            None => text,
        };
        let sizes: Vec<&str> = value.split('x').collect();
        match sizes.as_slice() {
            [first, _, _, .., last] if !value.contains('/') => format!("{first}x…x{last}"),
            _ => value.to_string(),
        }
    };
    format!(
        "{rank}: {}",
        options.split(',').map(option).collect::<Vec<_>>().join(" ")
    )
}

/// The section of that number, and its verdict; none where there is nothing to choose from.
pub(super) fn section(figures: &Figures<'_>, number: usize) -> Result<Option<(Section, Words)>> {
    let ranked = ranked(figures);
    let Some(best) = ranked.first() else {
        return Ok(None);
    };
    let known = |shown: &&Shown| {
        ranked
            .iter()
            .any(|choice| of(figures, choice, shown.0).is_some())
    };
    let shown: Vec<&Shown> = SHOWN.iter().filter(known).collect();
    let column = |Shown(column, title, decimals, best): &&Shown| {
        let values = ranked.iter().map(|choice| of(figures, choice, column));
        Column::new(*title, *decimals, *best, values.collect::<Vec<_>>())
    };
    let table = Table {
        label: "Settings beside each other",
        of: "Setting",
        names: ranked.clone(),
        before: vec![Column::counts("Rank", 1..=ranked.len() as u64)],
        columns: shown.iter().map(column).collect(),
        ..Table::default()
    };
    let title = format!("{}: settings", figures.title());
    let about = words![
        "Means over seeds and orderings. First the settings that place the most jobs, of these the shortest mean wait; \
         of those with the same figures one, the rest is in the table of results. \
         The largest job placeable and the free nodes beyond it are means over time, or over placements in a replay."
    ];
    let mut section = Section::new(format!("s{number}"), title.clone(), about, table);
    let bars: Vec<String> = (1..)
        .zip(&ranked)
        .map(|(rank, choice)| short(rank, choice))
        .collect();
    let panels: Vec<(&str, &str)> = shown.iter().map(|shown| ("", shown.1)).collect();
    let value = |bar: &str, i: usize| {
        let at = bars.iter().position(|other| other == bar)?;
        of(figures, &ranked[at], shown[i].0)
    };
    let file = format!("section-{number:02}-settings.svg");
    let titles = (title.as_str(), "a bar a setting, in the order of the table");
    let caption = "The figures of the table as bars; each begins with the setting's rank.";
    section.figures.extend(
        drawn(file, titles, &panels, (&bars, &bars), &value)?.map(|figure| Figure {
            caption: caption.into(),
            ..figure
        }),
    );
    let wait =
        of(figures, best, "mean_wait").map(|wait| format!(", mean wait {} s", fixed(wait, 1)));
    let room = of(figures, best, "mean_placeable");
    let room = room.map(|nodes| {
        format!(
            ", largest job placeable {} nodes on average",
            fixed(nodes, 0)
        )
    });
    let said = [wait, room].into_iter().flatten().collect::<String>();
    let verdict = words![format!("{title}: "), bold(best), format!("{said}.")];
    Ok(Some((section, verdict)))
}
