//! `nodeorder snapshot`: what fits on a machine now, what blocks it, and when jobs free it.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use crate::shared::command_line::CommandLine;
use crate::shared::formats::FormatArgs;
use crate::shared::notes::note;
use crate::shared::output::{self, Output};
use crate::shared::tables::{format_number, write_section};
use crate::shared::{inputs, own_files};
use nodeorder_base::error::{Error, SourceLocation};
use nodeorder_base::input::{Lines, Text};
use nodeorder_jobs::audit::snapshot::{LevelState, Snapshot};
use nodeorder_network::topology::Context;
use nodeorder_present::report::snapshot::{document, files, holding_jobs, hours_until};
use nodeorder_trace::records::Records;

/// Show what fits on a machine now, what blocks it, and when that ends
#[derive(Debug, Args)]
#[command(
    after_help = "Example: nodeorder snapshot slurm-topology:topology.conf --jobs jobs.json --node-file nodes.json --out now"
)]
pub struct Command {
    /// The machine: a TOML file, the name of a shipped machine, or kind:options
    spec: String,
    /// The jobs of now: what squeue --json prints, or accounting in which jobs that run have no end; plain or .gz
    #[arg(long, value_name = "FILE")]
    jobs: PathBuf,
    #[command(flatten)]
    format: FormatArgs,
    /// The nodes of now, as sinfo --json prints them [default: all that no job holds are free]
    #[arg(long = "node-file", alias = "nodes", value_name = "FILE")]
    nodes: Option<PathBuf>,
    /// Write a page (index.html), its figure as SVG and all figures as JSON into DIR
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print one JSON document instead of the tables
    #[arg(long)]
    json: bool,
}

/// Units of a level that the terminal shows.
const SHOWN: usize = 3;

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        let topology = inputs::build_topology(&self.spec, context)?;
        let mut lines = Lines::open(&self.jobs, context.memory)?;
        let form = self
            .format
            .find_record_format(&mut lines)?
            // Without nodes nobody knows what a running job holds: such a format is refused like an unknown one.
            .filter(|(form, _)| form.lists_nodes);
        let Some((form, columns)) = form else {
            let location = SourceLocation::File(lines.name().into());
            let expected =
                "jobs of now with their nodes: squeue --json, or accounting that lists nodes";
            return Err(Error::input(location, "no records that list nodes", expected).into());
        };
        let mut records = Records::from_lines(lines, form, columns.as_ref())?;
        let states = self
            .nodes
            .as_ref()
            .map(|path| Text::read(path, context.memory))
            .transpose()?;
        let snapshot = Snapshot::new(&topology, &mut records, states.as_ref())?;
        tell_notes(&snapshot, records.name());
        let jobs = self.jobs.display().to_string();
        let command = CommandLine::new("snapshot")
            .add_argument(&self.spec)
            .add_option("--jobs", [&jobs])
            .add_option("--from", &self.format.from)
            .add_option("--columns", &self.format.columns)
            .add_option(
                "--node-file",
                self.nodes.as_ref().map(|path| path.display()),
            )
            .add_option("--out", self.out.as_ref().map(|path| path.display()))
            .to_string();
        if let Some(folder) = &self.out {
            let files = files(&snapshot, &topology, &jobs, &command)?;
            own_files::write_report(folder, "snapshot", files)?;
        }
        if self.json {
            return output::write_text(None, document(&snapshot, &topology, &jobs, &command));
        }
        let mut out = Output::open(None)?;
        write_tables(&mut out, &snapshot, topology.name())?;
        output::say_page(&mut out, self.out.as_deref())?;
        out.finish()
    }
}

/// Reports on standard error what was assumed or left out, with counts.
fn tell_notes(snapshot: &Snapshot, file: &str) {
    for found in &snapshot.notes {
        let mut note = format!("{file}: noted {}: {}", found.count, found.about);
        if !found.first.is_empty() {
            note += "; the first: ";
            note += &found.first;
        }
        note!("{note}");
    }
}

/// Prints the largest job that each level could take, then the units that running jobs free next.
fn write_tables(out: &mut impl Write, snapshot: &Snapshot, machine: &str) -> anyhow::Result<()> {
    let all = snapshot.whole_machine();
    let about = format!(
        "{machine}: {} of {} nodes free, {} held, {} out of service. Jobs that run: {}; that wait: {}. The largest job that \
         fits within one unit of each level, and what holds the rest of the unit.",
        all.free,
        all.nodes,
        all.count_held(),
        all.out,
        snapshot.running.len(),
        snapshot.waiting.len()
    );
    let header = [
        "level",
        "units",
        "free units",
        "largest",
        "unit",
        "held",
        "out",
        "held by",
    ];
    let row = |level: &LevelState| {
        let unit = level.roomiest();
        let free = level.units.iter().filter(|unit| unit.is_free());
        [
            level.name.clone(),
            level.units.len().to_string(),
            free.count().to_string(),
            unit.free.to_string(),
            unit.name.clone(),
            unit.count_held().to_string(),
            unit.out.to_string(),
            holding_jobs(snapshot, unit),
        ]
    };
    write_section(out, &about, header, snapshot.levels.iter().map(row), [1, 3])?;
    writeln!(out)?;
    let about = "The units that jobs free next, by the jobs' limits.";
    let header = ["level", "unit", "hours", "free now", "held", "jobs"];
    let rows = snapshot.levels.iter().flat_map(|level| {
        level.next_freed().into_iter().take(SHOWN).map(|unit| {
            [
                level.name.clone(),
                unit.name.clone(),
                format_number(hours_until(snapshot, unit), 2),
                unit.free.to_string(),
                unit.count_held().to_string(),
                holding_jobs(snapshot, unit),
            ]
        })
    });
    write_section(out, about, header, rows, [2, 3])?;
    Ok(())
}
