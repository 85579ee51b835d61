//! `nodeorder snapshot`: what fits on a machine now, what blocks it, and when jobs free it.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::Args;

use crate::shared::command_line::CommandLine;
use crate::shared::formats::FormatArgs;
use crate::shared::notes::note;
use crate::shared::output::{self, Output};
use crate::shared::tables::{format_number, write_section};
use crate::shared::{inputs, own_files};
use nodeorder_base::{Error, Lines, SourceLocation, Text};
use nodeorder_jobs::audit::free_units::{FreeRequest, MoveCost};
use nodeorder_jobs::audit::slots::{JobSize, UNIT_STATES};
use nodeorder_jobs::audit::snapshot::{LevelState, Snapshot};
use nodeorder_network::{Context, Topology};
use nodeorder_present::report::snapshot::{SnapshotReport, holding_jobs, hours_until};
use nodeorder_present::report::snapshot_samples::{write_history, write_metrics};
use nodeorder_trace::records::Records;

/// Show what fits on a machine now, what blocks it, and which moves free whole units
#[derive(Debug, Args)]
#[command(
    after_help = "Example: nodeorder snapshot slurm-topology:topology.conf --jobs jobs.json --node-file nodes.json --out now"
)]
pub struct Command {
    /// The machine: any file that describes it, the name of a shipped one, or kind:options
    spec: String,
    /// Jobs on the machine: what squeue --json or kubectl get pods -A -o json prints, or accounting in which jobs that
    /// run have no end; plain or .gz
    #[arg(long, value_name = "FILE")]
    jobs: PathBuf,
    #[command(flatten)]
    format: FormatArgs,
    /// The nodes of now, as sinfo --json prints them [default: all that no job holds are free]
    #[arg(long = "node-file", alias = "nodes", value_name = "FILE")]
    nodes: Option<PathBuf>,
    /// Job sizes: those whose slots are counted, such as 4,16,64:segment=8 [default: powers of two]
    #[arg(long, value_name = "SIZES")]
    sizes: Option<String>,
    /// Find the fewest moves of jobs that free K units of a level [default: the innermost with several nodes a unit]
    #[arg(long, value_name = "K[,level=L]")]
    free: Option<String>,
    /// Jobs that stay where they are
    #[arg(long, value_name = "JOBS", requires = "free")]
    fixed: Option<String>,
    /// The only jobs that may move
    #[arg(long, value_name = "JOBS", requires = "free", conflicts_with = "fixed")]
    movable: Option<String>,
    /// What is to be few: nodes, jobs (then nodes), or node-hours that jobs have run
    #[arg(long, value_name = "COST", requires = "free", default_value = "nodes")]
    cost: String,
    /// Move a job as a whole or not at all, and onto no more units than it has
    #[arg(long, requires = "free")]
    whole_jobs: bool,
    /// Write the figures to FILE for Prometheus' node_exporter (textfile collector)
    #[arg(long, value_name = "FILE")]
    metrics: Option<PathBuf>,
    /// Write a further line with the figures to FILE.csv
    #[arg(long, value_name = "FILE.csv")]
    append: Option<PathBuf>,
    /// Write into the folder DIR: a page (index.html), its figure as SVG and all figures as JSON
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Seconds after which the search for moves ends with what it has.
const SECONDS: f64 = 10.0;
/// Units of a level that the terminal shows.
const SHOWN: usize = 3;

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        // Misspelt options show before the machine is built.
        let sizes = self.sizes.as_deref().map(JobSize::parse_list).transpose()?;
        let cost = MoveCost::parse(&self.cost)?;
        let topology = inputs::build_topology(&self.spec, context)?;
        let snapshot = self.take_snapshot(&topology, context)?;
        let jobs = self.jobs.display().to_string();
        let command = self.command_line(&jobs);
        let moves = self.free.as_deref().map(|units| {
            snapshot.free_units(&FreeRequest {
                units,
                fixed: self.fixed.as_deref(),
                movable: self.movable.as_deref(),
                cost,
                whole_jobs: self.whole_jobs,
                seconds: SECONDS,
            })
        });
        let report = SnapshotReport {
            snapshot: &snapshot,
            topology: &topology,
            jobs: &jobs,
            command: &command,
            slots: snapshot.list_slots(sizes.as_deref()),
            moves: moves.transpose()?,
        };
        // Files before the tables: what watches them does not wait for a reader.
        if let Some(file) = &self.metrics {
            output::write_text(Some(file), write_metrics(&report))?;
        }
        if let Some(file) = &self.append {
            append_history(file, &write_history(&report))?;
        }
        if let Some(folder) = &self.out {
            own_files::write_report(folder, "snapshot", report.files()?)?;
        }
        if self.json {
            return output::write_text(None, report.document());
        }
        let mut out = Output::open(None)?;
        write_tables(&mut out, &snapshot, topology.name())?;
        write_slots(&mut out, &report)?;
        write_moves(&mut out, &report)?;
        output::say_page(&mut out, self.out.as_deref())?;
        out.finish()
    }

    /// Reads the jobs and nodes of now, and says what was assumed or left out.
    fn take_snapshot(&self, topology: &Topology, context: &Context) -> anyhow::Result<Snapshot> {
        let mut lines = Lines::open(&self.jobs, context.memory)?;
        let form = self
            .format
            .find_record_format(&mut lines)?
            // Without nodes nobody knows what a running job holds: such a format is refused like an unknown one.
            .filter(|(form, _)| form.lists_nodes);
        let Some((form, columns)) = form else {
            let location = SourceLocation::File(lines.name().into());
            let expected =
                "records of jobs and their nodes: squeue --json, or accounting that lists nodes";
            return Err(Error::input(location, "no records that list nodes", expected).into());
        };
        let mut records = Records::from_lines(lines, form, columns.as_ref())?;
        let states = self
            .nodes
            .as_ref()
            .map(|path| Text::read(path, context.memory))
            .transpose()?;
        let snapshot = Snapshot::new(topology, &mut records, states.as_ref())?;
        tell_notes(&snapshot, records.name());
        Ok(snapshot)
    }

    /// Writes the command line that takes this snapshot again.
    fn command_line(&self, jobs: &str) -> String {
        CommandLine::new("snapshot")
            .add_argument(&self.spec)
            .add_option("--jobs", [jobs])
            .add_option("--from", &self.format.from)
            .add_option("--columns", &self.format.columns)
            .add_option(
                "--node-file",
                self.nodes.as_ref().map(|path| path.display()),
            )
            .add_option("--sizes", &self.sizes)
            .add_option("--free", &self.free)
            .add_option("--fixed", &self.fixed)
            .add_option("--movable", &self.movable)
            // The default says nothing that the line does not.
            .add_option("--cost", (self.cost != "nodes").then_some(&self.cost))
            .add_flag("--whole-jobs", self.whole_jobs)
            .add_option("--out", self.out.as_ref().map(|path| path.display()))
            .to_string()
    }
}

/// Adds the line of a snapshot to a history. Fails if the file has other columns.
fn append_history(path: &Path, [header, line]: &[String; 2]) -> anyhow::Result<()> {
    let name = path.display();
    let mut file = File::options()
        .read(true)
        .append(true)
        .create(true)
        .open(path)
        .with_context(|| format!("{name}: opening"))?;
    let mut first = String::new();
    BufReader::new(&file)
        .take(1 + header.len() as u64)
        .read_line(&mut first)
        .with_context(|| format!("{name}: reading"))?;
    if !first.is_empty() && first != *header {
        bail!(
            "{name}:1: found other columns than those of this snapshot; expected its own history, or a new file"
        );
    }
    let text = if first.is_empty() {
        format!("{header}{line}")
    } else {
        line.clone()
    };
    // In one piece: whoever reads meanwhile sees whole lines.
    file.write_all(text.as_bytes())
        .with_context(|| format!("{name}: writing"))
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

/// Prints the units of each level by state, and the slots of each size.
fn write_slots(out: &mut impl Write, report: &SnapshotReport<'_>) -> anyhow::Result<()> {
    writeln!(out)?;
    let about = "Units by the state of their nodes: all free, some, none, all out of service.";
    let rows = report.snapshot.levels.iter().map(|level| {
        let counts = level.count_units().map(|count| count.to_string());
        [std::slice::from_ref(&level.name), &counts[..]].concat()
    });
    let header = [&["level"], &UNIT_STATES[..]].concat();
    write_section(out, about, header, rows, [1, 1])?;
    writeln!(out)?;
    // Where no job waits there is nothing that free nodes are stranded for.
    let about = match report.snapshot.fragmentation() {
        Some(share) => format!(
            "Further jobs that fit within units, and free nodes beyond them. The jobs that wait would strand {:.0} % of the \
             free nodes.",
            100.0 * share
        ),
        None => "Further jobs that fit within units, and free nodes beyond them.".into(),
    };
    let rows = report.slots.iter().map(|row| {
        [
            report.snapshot.levels[row.level].name.clone(),
            row.write_size(),
            row.slots.to_string(),
            row.stranded.to_string(),
            report.name_most_gained(row),
        ]
    });
    let header = [
        "level",
        "size",
        "slots",
        "stranded",
        "most gained if one job ends",
    ];
    write_section(out, &about, header, rows, [1, 4])?;
    Ok(())
}

/// Prints the moves that free units, if they were asked for.
fn write_moves(out: &mut impl Write, report: &SnapshotReport<'_>) -> anyhow::Result<()> {
    let Some(about) = report.describe_moves() else {
        return Ok(());
    };
    writeln!(out)?;
    write_section(
        out,
        &about,
        ["job", "nodes", "from", "to"],
        report.list_moves(),
        [1, 4],
    )?;
    Ok(())
}
