//! A snapshot of a machine: one JSON document, and a page.

use serde_json::{Value as Json, json};

use super::document::Document;
use super::file::File;
use super::html::{Best, Column, Fact, Figure, Part, Section, Table, bold, words};
use super::terms;
use crate::plot::{self, thousands};
use nodeorder_base::error::Result;
use nodeorder_jobs::audit::snapshot::{LevelNow, Snapshot, UnitNow};
use nodeorder_network::topology::Topology;

/// Rows of a table of units on the page; the JSON document has all.
const ROWS: usize = 20;
/// Jobs named in a cell.
const NAMED: usize = 4;

/// The jobs that hold nodes of a unit, the first few by name.
pub fn jobs_of(snapshot: &Snapshot, unit: &UnitNow) -> String {
    let names: Vec<&str> = unit.jobs.iter().map(|job| snapshot.name_of(*job)).collect();
    match names.len() {
        more if more > NAMED => format!("{} and {} more", names[..NAMED].join(", "), more - NAMED),
        _ => names.join(", "),
    }
}

/// Hours from the latest time of the records to that at which a unit is freed.
pub fn hours_until(snapshot: &Snapshot, unit: &UnitNow) -> Option<f64> {
    unit.freed
        .map(|freed| (freed - snapshot.latest).max(0) as f64 / 3600.0)
}

/// Waiting jobs that ask for no more nodes than are free.
fn waiting_that_fit(snapshot: &Snapshot) -> usize {
    let free = snapshot.machine().free;
    snapshot
        .waiting
        .iter()
        .filter(|nodes| (1..=free).contains(nodes))
        .count()
}

/// `{"version","command","topology","jobs","latest","nodes","free","held","out","running","waiting","waiting_that_fit",
/// "levels","notes"}`; a level has its roomiest unit, and `next`: the units held, in the order in which they are freed.
/// Indented, with a newline at the end. `jobs` is the file of records, `command` the command line that makes the snapshot
/// again.
pub fn document(snapshot: &Snapshot, topology: &Topology, jobs: &str, command: &str) -> String {
    let unit = |unit: &UnitNow| -> Json {
        let jobs: Vec<&str> = unit.jobs.iter().map(|job| snapshot.name_of(*job)).collect();
        json!({"unit": unit.name, "nodes": unit.nodes, "free": unit.free, "held": unit.held(), "out": unit.out,
               "jobs": jobs, "freed": unit.freed})
    };
    let level = |level: &LevelNow| -> Json {
        let roomiest = level.roomiest();
        json!({
            "level": level.name,
            "units": level.units.len(),
            "free_units": level.units.iter().filter(|unit| unit.is_free()).count(),
            "largest": roomiest.free,
            "roomiest": unit(roomiest),
            "next": level.next().into_iter().map(unit).collect::<Vec<_>>(),
        })
    };
    let note = |note: &nodeorder_jobs::audit::LeftOut| {
        let first = Some(&note.first).filter(|first| !first.is_empty());
        json!({"reason": note.name, "about": note.about, "count": note.count, "first": first})
    };
    let all = snapshot.machine();
    let document = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "command": command,
        "topology": topology.spec(),
        "jobs": jobs,
        "latest": snapshot.latest,
        "nodes": all.nodes,
        "free": all.free,
        "held": all.held(),
        "out": all.out,
        "running": snapshot.running.len(),
        "waiting": snapshot.waiting.len(),
        "waiting_that_fit": waiting_that_fit(snapshot),
        "levels": snapshot.levels.iter().map(level).collect::<Vec<_>>(),
        "notes": snapshot.notes.iter().map(note).collect::<Vec<_>>(),
    });
    format!("{document:#}\n")
}

/// Returns every file of a snapshot: `index.html`, `snapshot.json` and its figure as SVG. The arguments are those of
/// [`document`].
///
/// # Errors
/// A figure that cannot be drawn.
pub fn files<'a>(
    snapshot: &Snapshot,
    topology: &Topology,
    jobs: &str,
    command: &str,
) -> Result<Vec<File<'a>>> {
    let mut files = vec![File::text(
        "snapshot.json",
        document(snapshot, topology, jobs, command),
    )];
    let (page, figures) = page(snapshot, topology, command, &files)?;
    files.insert(0, File::text("index.html", page));
    files.extend(
        figures
            .into_iter()
            .map(|figure| File::text(figure.file, figure.svg)),
    );
    Ok(files)
}

fn page(
    snapshot: &Snapshot,
    topology: &Topology,
    command: &str,
    files: &[File<'_>],
) -> Result<(String, Vec<Figure>)> {
    let all = snapshot.machine();
    let mut verdict = words![format!(
        "{} of {} nodes are free.",
        thousands(all.free.into()),
        thousands(all.nodes.into())
    )];
    if let [inner @ .., _] = snapshot.levels.as_slice()
        && !inner.is_empty()
    {
        verdict
            .parts
            .push(" The largest job that fits now within".into());
        for (i, level) in inner.iter().enumerate() {
            verdict
                .parts
                .push(if i == 0 { " one " } else { "; one " }.into());
            verdict.parts.push(bold(&level.name));
            verdict
                .parts
                .push(format!(": {} nodes", thousands(level.roomiest().free.into())).into());
        }
        verdict.parts.push(".".into());
    }
    let mut facts = vec![Fact::wide("Machine", Part::Code(topology.spec().into()))];
    for (term, count) in [
        ("Jobs that run", snapshot.running.len()),
        ("Jobs that wait", snapshot.waiting.len()),
        (
            "of which ask for no more nodes than are free",
            waiting_that_fit(snapshot),
        ),
        ("Nodes held", all.held() as usize),
        ("Nodes out of service", all.out as usize),
    ] {
        facts.push(Fact::new(term, thousands(count as u64)));
    }
    for note in &snapshot.notes {
        let first =
            Some(format!(" (the first: {})", note.first)).filter(|_| !note.first.is_empty());
        let said = format!(
            "{} {}{}",
            thousands(note.count),
            note.about,
            first.unwrap_or_default()
        );
        facts.push(Fact::wide("Noted", said));
    }
    let mut sections = vec![largest(snapshot)?];
    let machine = snapshot.levels.len() - 1;
    let below = if machine == 0 { 0..1 } else { 0..machine };
    sections.extend(
        snapshot.levels[below]
            .iter()
            .filter_map(|level| next(snapshot, level)),
    );
    let page = Document {
        title: format!("What fits on {} now", topology.name()),
        verdict,
        details: words![
            "Times are those at which jobs end at their recorded limits, in hours from the latest time in the records. \
             Most jobs end sooner."
        ],
        about: ("read", "What was read"),
        facts,
        exact: "Every node and job is counted; nothing is sampled or foretold.",
        terms: terms::SNAPSHOT.to_vec(),
        sections,
        ..Document::new(files, command)
    };
    Ok(page.html())
}

/// The largest job within one unit of each level, what blocks it, and how it grows.
fn largest(snapshot: &Snapshot) -> Result<Section> {
    let levels = &snapshot.levels;
    let roomiest: Vec<&UnitNow> = levels.iter().map(LevelNow::roomiest).collect();
    let count = |value: fn(&UnitNow) -> u32| roomiest.iter().map(move |unit| value(unit).into());
    let free = |level: &LevelNow| level.units.iter().filter(|unit| unit.is_free()).count() as u64;
    let columns = vec![
        Column::counts("Units", levels.iter().map(|level| level.units.len() as u64)),
        Column::counts("Free units", levels.iter().map(free)),
        Column::counts("Largest job (nodes)", count(|unit| unit.free)),
        Column::names("In", roomiest.iter().map(|unit| unit.name.clone())),
        Column::counts("Nodes of it", count(|unit| unit.nodes)),
        Column::counts("Held", count(UnitNow::held)),
        Column::counts("Out", count(|unit| unit.out)),
        Column::names(
            "Held by",
            roomiest.iter().map(|unit| jobs_of(snapshot, unit)),
        ),
    ];
    let names = levels.iter().map(|level| level.name.clone()).collect();
    let table = Table::new(
        "The largest job that fits, by level",
        "Within one",
        names,
        columns,
    );
    let about = words![
        "The unit of each level with the most free nodes, and what keeps the rest of it: jobs, or nodes out of service."
    ];
    let mut section = Section::new("largest", "The largest job that fits", about, table);
    let hours = |time: i64| (time - snapshot.latest) as f64 / 3600.0;
    let end = levels
        .iter()
        .filter_map(|level| level.growth.last())
        .map(|(time, _)| *time)
        .max();
    let end = end.filter(|end| *end > snapshot.latest);
    if let Some(end) = end {
        let grows: Vec<&LevelNow> = levels
            .iter()
            .filter(|level| level.growth.len() > 1)
            .collect();
        let points = |level: &LevelNow| -> Vec<(f64, f64)> {
            level
                .growth
                .iter()
                .map(|(time, most)| (hours(*time), f64::from(*most)))
                .collect()
        };
        let names: Vec<String> = grows
            .iter()
            .map(|level| format!("within one {} (nodes)", level.name))
            .collect();
        let panels = names.iter().zip(grows.iter().copied());
        let panels = panels.map(|(name, level)| (name.as_str(), vec![points(level)]));
        let ticks = (0..=4).map(|i| hours(end) * f64::from(i) / 4.0);
        let ticks = ticks.map(|hour| (hour, format!("{hour:.1} h"))).collect();
        let (title, note) = (
            "The largest job that fits, as jobs end at their limits",
            "no job starts; a dot where jobs end",
        );
        let lines = ["largest job"];
        let panels = panels.collect();
        let drawn = plot::audit::over_time(title, note, &lines, ticks, panels)?;
        let caption = "The most free nodes in one unit, were no job to start and every job to run to its limit; jobs past theirs end at 0.";
        section
            .figures
            .push(Figure::of("largest.svg", caption, drawn)?);
    }
    Ok(section)
}

/// The units that jobs hold, in the order in which they are freed; none where all are free.
fn next(snapshot: &Snapshot, level: &LevelNow) -> Option<Section> {
    let all = level.next();
    let units: Vec<&UnitNow> = all.iter().take(ROWS).copied().collect();
    let count = |value: fn(&UnitNow) -> u32| units.iter().map(move |unit| value(unit).into());
    let columns = vec![
        Column::new(
            "Freed in (h)",
            2,
            Best::None,
            units.iter().map(|u| hours_until(snapshot, u)),
        ),
        Column::counts("Nodes", count(|unit| unit.nodes)),
        Column::counts("Free now", count(|unit| unit.free)),
        Column::counts("Held", count(UnitNow::held)),
        Column::counts("Out", count(|unit| unit.out)),
        Column::names(
            "Jobs whose end frees it",
            units.iter().map(|u| jobs_of(snapshot, u)),
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
    let about = match all.len() {
        more if more > ROWS => {
            format!(
                "The first {ROWS} of {} that jobs hold.",
                thousands(more as u64)
            )
        }
        _ => "All that jobs hold.".to_string(),
    };
    let section = Section::new(format!("next-{}", level.name), title, words![about], table);
    (!units.is_empty()).then_some(section)
}
