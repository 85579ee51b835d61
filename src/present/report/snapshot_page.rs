//! The page of a snapshot.

use super::document::Document;
use super::file::{File, add_page};
use super::html::{Column, Fact, Figure, Section, Table};
use super::sentences::{RichText, sentence};
use super::snapshot::{
    SnapshotReport, count_free_units, holding_jobs, hours_until, waiting_that_fit,
};
use super::terms;
use crate::plot::audit::LineShape;
use crate::plot::{self, NodeGroup, format_thousands};
use nodeorder_base::Result;
use nodeorder_jobs::audit::ReasonCount;
use nodeorder_jobs::audit::slots::SlotRow;
use nodeorder_jobs::audit::snapshot::{LevelState, Snapshot, UnitState};
use nodeorder_network::Topology;
use nodeorder_trace::records::NodeState;

/// Most rows of a table of units; the JSON document has all.
const ROWS: usize = 20;

impl SnapshotReport<'_> {
    /// Makes every file of a snapshot: `index.html`, `snapshot.json` and its figure as SVG.
    ///
    /// # Errors
    /// A figure that cannot be drawn.
    pub fn files<'f>(&self) -> Result<Vec<File<'f>>> {
        let mut files = vec![File::text("snapshot.json", self.document())];
        let (page, figures) = snapshot_page(self, &files)?;
        add_page(&mut files, page, figures);
        Ok(files)
    }
}

/// Makes the page, and returns its figures as well.
fn snapshot_page(report: &SnapshotReport<'_>, files: &[File<'_>]) -> Result<(String, Vec<Figure>)> {
    let SnapshotReport {
        snapshot,
        topology,
        command,
        ..
    } = *report;
    let all = snapshot.whole_machine();
    // The last level is the machine itself; without another one it has a table of its own.
    let levels = match snapshot.levels.as_slice() {
        [below @ .., _] if !below.is_empty() => below,
        machine => machine,
    };
    let mut largest = largest_section(snapshot)?;
    // What is there now comes before what will be.
    largest.figures.insert(0, draw_states(snapshot, topology)?);
    let mut sections = vec![largest, slots_section(report)];
    sections.extend(moves_section(report));
    sections.extend(
        levels
            .iter()
            .filter_map(|level| freed_section(snapshot, level)),
    );
    let mut facts = vec![Fact::code("Machine", topology.spec())];
    for (term, count) in [
        ("Jobs that run", snapshot.running.len()),
        ("Jobs that wait", snapshot.waiting.len()),
        (
            "of which ask for no more nodes than are free",
            waiting_that_fit(snapshot),
        ),
        ("Nodes held", all.count_held() as usize),
        ("Nodes out of service", all.out as usize),
    ] {
        facts.push(Fact::new(term, format_thousands(count as u64)));
    }
    facts.extend(snapshot.notes.iter().map(|note| note_fact("Noted", note)));
    let page = Document {
        title: format!("What fits on {} now", topology.name()),
        verdict: free_sentence(snapshot),
        details: "Times are those at which jobs end at their recorded limits, in hours from the \
                  latest time in the records. Most jobs end sooner."
            .into(),
        about: ("read", "What was read"),
        facts,
        exact: "Every node and job is counted; nothing is sampled or foretold.",
        terms: terms::SNAPSHOT.to_vec(),
        sections,
        ..Document::new(files, command)
    };
    Ok(page.html())
}

/// Makes a fact of records that were left out, with the first of them as an example.
pub(super) fn note_fact(term: &str, note: &ReasonCount) -> Fact {
    let mut text = format!("{} {}", format_thousands(note.count), note.about);
    if !note.first.is_empty() {
        text += &format!(" (the first: {})", note.first);
    }
    Fact::on_own_line(term, text)
}

/// Says how many nodes are free, and which job fits within one unit of each level.
fn free_sentence(snapshot: &Snapshot) -> RichText {
    let all = snapshot.whole_machine();
    let mut verdict = sentence(format!(
        "{} of {} nodes are free.",
        format_thousands(all.free.into()),
        format_thousands(all.nodes.into())
    ));
    if let [inner @ .., _] = snapshot.levels.as_slice()
        && !inner.is_empty()
    {
        verdict = verdict.text(" The largest job that fits now within");
        for (i, level) in inner.iter().enumerate() {
            let free = format_thousands(level.roomiest().free.into());
            verdict = verdict
                .text(if i == 0 { " one " } else { "; one " })
                .bold(&level.name)
                .text(format!(": {free} nodes"));
        }
        verdict = verdict.text(".");
    }
    verdict
}

/// Makes the section of the largest job within one unit of each level, what blocks it, and how it grows.
fn largest_section(snapshot: &Snapshot) -> Result<Section> {
    let levels = &snapshot.levels;
    let roomiest: Vec<&UnitState> = levels.iter().map(LevelState::roomiest).collect();
    let columns = vec![
        Column::counts("Units", levels.iter().map(|level| level.units.len() as u64)),
        Column::counts("Free units", levels.iter().map(count_free_units)),
        node_counts("Largest job (nodes)", &roomiest, |unit| unit.free),
        Column::names("In", roomiest.iter().map(|unit| unit.name.clone())),
        node_counts("Nodes of it", &roomiest, |unit| unit.nodes),
        node_counts("Held", &roomiest, UnitState::count_held),
        node_counts("Out", &roomiest, |unit| unit.out),
        Column::names(
            "Held by",
            roomiest.iter().map(|unit| holding_jobs(snapshot, unit)),
        ),
    ];
    let names = levels.iter().map(|level| level.name.clone()).collect();
    let table = Table::new(
        "The largest job that fits, by level",
        "Within one",
        names,
        columns,
    );
    let about = "The unit of each level with the most free nodes, and what keeps the rest of it: \
        jobs, or nodes out of service.";
    let mut section = Section::new("largest", "The largest job that fits", about, table);
    section.figures.extend(draw_growth(snapshot)?);
    Ok(section)
}

/// Makes the section of the slots of each level and size.
fn slots_section(report: &SnapshotReport<'_>) -> Section {
    let rows = &report.slots;
    let levels = rows
        .iter()
        .map(|row| report.snapshot.levels[row.level].name.clone());
    let columns = vec![
        Column::names("Job (nodes)", rows.iter().map(SlotRow::write_size)),
        Column::counts("Slots", rows.iter().map(|row| row.slots.into())),
        Column::counts("Stranded nodes", rows.iter().map(|row| row.stranded.into())),
        Column::names(
            "Most gained if one job ends",
            rows.iter().map(|row| report.name_most_gained(row)),
        ),
    ];
    let title = "Further jobs that fit within one unit, by level and size";
    let table = Table::new(title, "Within one", levels.collect(), columns);
    let about = "How many more jobs of a size fit now, each within one unit, and the free nodes \
        that they would leave.";
    Section::new("slots", "Further jobs that fit", about, table)
}

/// Makes the section of the moves that free units, if they were asked for.
fn moves_section(report: &SnapshotReport<'_>) -> Option<Section> {
    let about = report.describe_moves()?;
    let moves: Vec<[String; 4]> = report.list_moves().collect();
    let column = |i: usize| moves.iter().map(move |one| one[i].clone());
    let columns = vec![
        Column::unordered_figures("Nodes", column(1)),
        Column::names("From", column(2)),
        Column::names("To", column(3)),
    ];
    let table = Table::new("Moves that free units", "Job", column(0).collect(), columns);
    Some(Section::new("moves", "Moves that free units", about, table))
}

/// Draws the nodes on the machine by state.
fn draw_states(snapshot: &Snapshot, topology: &Topology) -> Result<Figure> {
    let states = [
        ("held", NodeState::Held, 0),
        ("free", NodeState::Free, 5),
        ("out of service", NodeState::Out, 1),
    ];
    let groups = states.map(|(label, state, slot)| {
        let nodes = snapshot.nodes.iter().filter(|node| node.1 == state);
        NodeGroup::new(label, Some(slot), nodes.map(|node| node.0).collect())
    });
    let title = format!("The nodes of {} now", topology.name());
    let caption = "Nodes that jobs hold, free ones, and those out of service.";
    Figure::from_drawing(
        "nodes.svg",
        caption,
        plot::plot_groups(topology, &title, &groups),
    )
}

/// Draws how the largest job grows as running jobs end. `None` if none ends later than the latest time of the records.
fn draw_growth(snapshot: &Snapshot) -> Result<Option<Figure>> {
    // The last step of growth of a level is when its last job ends.
    let ends = snapshot
        .levels
        .iter()
        .filter_map(|level| Some(level.growth.last()?.0));
    let Some(end) = ends.max().filter(|end| *end > snapshot.latest) else {
        return Ok(None);
    };
    // Levels that do not grow have no panel.
    let mut names = Vec::new();
    let mut lines = Vec::new();
    for level in snapshot
        .levels
        .iter()
        .filter(|level| level.growth.len() > 1)
    {
        let mut line = Vec::new();
        for (time, most) in &level.growth {
            line.push((hours_after(snapshot, *time), f64::from(*most)));
        }
        names.push(format!("within one {} (nodes)", level.name));
        lines.push(vec![line]);
    }
    let panels = names.iter().map(String::as_str).zip(lines).collect();
    let ticks = list_round_hours(hours_after(snapshot, end));
    let drawn = plot::audit::plot_over_time(
        "The largest job that fits, as jobs end at their limits",
        "no job starts; a dot where jobs end",
        &["largest job"],
        ticks,
        panels,
        LineShape::Step,
    )?;
    let caption = "Largest job that would fit in one unit if nothing new starts and every job \
        uses its full limit. Overdue jobs count as ending now.";
    Ok(Some(Figure::from_drawing("largest.svg", caption, drawn)?))
}

/// Lists up to eight round hours from 0 to `end`, with their labels.
fn list_round_hours(end: f64) -> Vec<(f64, String)> {
    const STEPS: [f64; 9] = [0.25, 0.5, 1.0, 2.0, 3.0, 6.0, 12.0, 24.0, 48.0];
    let fits = |step: &&f64| end / **step <= 8.0;
    // Beyond a fortnight whole weeks.
    let weeks = 168.0 * (end / (8.0 * 168.0)).ceil();
    let step = STEPS.iter().find(fits).copied().unwrap_or(weeks);
    let count = (end / step) as u32;
    (0..=count)
        .map(|i| f64::from(i) * step)
        .map(|hour| (hour, format!("{hour} h")))
        .collect()
}

/// Computes the hours from the latest time of the records to `time`.
fn hours_after(snapshot: &Snapshot, time: i64) -> f64 {
    (time - snapshot.latest) as f64 / 3600.0
}

/// Makes the section of the units that jobs hold, in the order in which they are freed. `None` if all are free.
fn freed_section(snapshot: &Snapshot, level: &LevelState) -> Option<Section> {
    let all = level.next_freed();
    // Large machines have thousands of leaf switches; those freed first matter.
    let units = &all[..all.len().min(ROWS)];
    let columns = vec![
        Column::unranked_figures(
            "Freed in (h)",
            2,
            units.iter().map(|unit| hours_until(snapshot, unit)),
        ),
        node_counts("Nodes", units, |unit| unit.nodes),
        node_counts("Free now", units, |unit| unit.free),
        node_counts("Held", units, UnitState::count_held),
        node_counts("Out", units, |unit| unit.out),
        Column::names(
            "Jobs whose end frees it",
            units.iter().map(|unit| holding_jobs(snapshot, unit)),
        ),
    ];
    let names = units.iter().map(|unit| unit.name.clone()).collect();
    let table = Table::new(
        "Units in the order in which jobs free them",
        "Unit",
        names,
        columns,
    );
    let title = format!("When a {} becomes free", level.name);
    let about = if all.len() > ROWS {
        let count = format_thousands(all.len() as u64);
        format!("The first {ROWS} of {count} that jobs hold.")
    } else {
        format!("All {} units with running jobs.", level.name)
    };
    let section = Section::new(format!("next-{}", level.name), title, about, table);
    (!units.is_empty()).then_some(section)
}

/// Makes a column of nodes of units.
fn node_counts(title: &str, units: &[&UnitState], count: fn(&UnitState) -> u32) -> Column {
    Column::counts(title, units.iter().map(|unit| count(unit).into()))
}
