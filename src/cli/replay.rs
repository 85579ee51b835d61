//! `nodeorder replay`: a placement log through allocators on chosen orderings.

use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use anyhow::Context as _;
use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use serde_json::json;
use tempfile::SpooledTempFile;

use super::layout::fitted;
use super::output::{self, Output};
use super::progress;
use super::traffic::TrafficArgs;
use crate::allocator::{self, AllocatorContext};
use crate::error::{Error, SourceLocation};
use crate::input::{Lines, is_packed};
use crate::metric::allocation::AllocationMeter;
use crate::metric::rank_distances::RankDistances;
use crate::replay::statistics::Summary;
use crate::replay::traffic::Traffic;
use crate::replay::{self, Outputs, Replay};
use crate::report;
use crate::report::replay::{Columns, ReplayResult, SummaryOptions};
use crate::topology::Context;
use crate::trace::{self, Log, Options, Sizes, Trace, Weight, WorkloadKind, convert};

/// The allocator that all improvements are measured against.
const BASELINE: &str = "fifo:0";

/// Rows of one replay kept in memory before they go to a temporary file, in bytes.
const SPOOL: usize = 1 << 20;

/// Replay a placement log: what every job gets from allocators on orderings
#[derive(Debug, Args)]
#[command(
    after_help = "Example: nodeorder replay hector --order hilbert --log jobs.log --alloc first-fit:8 --alloc closest-mind -o placements.csv --summary summary.json"
)]
pub struct Command {
    /// The machine: a TOML file, the name of a shipped one, or kind:…
    spec: String,
    /// An ordering: a name with options, or an ordering file; repeat for several
    #[arg(long = "order", value_name = "ORD", required = true)]
    orders: Vec<String>,
    /// The placement log, lines `P JOB NODES` and `F JOB`, or an SWF trace; plain or .gz
    #[arg(long, value_name = "FILE")]
    log: PathBuf,
    /// An allocator, such as first-fit:8 (see `nodeorder list allocators`); repeat for several
    #[arg(long = "alloc", value_name = "A", required = true)]
    allocators: Vec<String>,
    /// Write the CSV to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Add a column with the ranks of each placement
    #[arg(long)]
    ranks: bool,
    /// Add columns with the diameter and the bounding box of each placement
    #[arg(long)]
    extent: bool,
    #[command(flatten)]
    traffic: TrafficArgs,
    /// Write means by size, improvements over fifo:0 and tests: FILE.json, or by size as FILE.csv
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,
    /// Draw job sizes, improvement by size, its averages and the ranges of mean distances into DIR, as SVG
    #[arg(long, value_name = "DIR")]
    plots: Option<PathBuf>,
    /// Print the summary as one JSON document instead of the CSV
    #[arg(long)]
    json: bool,
    /// Only sizes with more placements than this count in improvements
    #[arg(long, value_name = "N", default_value_t = 30)]
    threshold: u64,
    /// Weigh improvements by the node-hours a trace spends on each size (FILE.swf, or CSV size,share)
    #[arg(long, value_name = "FILE")]
    compute: Option<PathBuf>,
    /// Processors of a node, in SWF traces
    #[arg(long, value_name = "P", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    procs_per_node: u32,
    /// Print a table with each allocator's outcome and time to standard error
    #[arg(long)]
    timings: bool,
}

/// One allocator on one ordering.
struct Lane<'a> {
    order: usize,
    allocator: &'a str,
    /// The lane of its baseline.
    baseline: usize,
    /// Whether the user asked for it.
    wanted: bool,
}

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        let as_csv = self.summary.as_deref().map(summary_is_csv).transpose()?;
        for (i, text) in self.allocators.iter().enumerate() {
            if self.allocators[..i].contains(text) {
                let location = SourceLocation::option(format!("--alloc {text}"));
                let found = "the same allocator twice";
                return Err(Error::input(location, found, "each allocator once").into());
            }
        }
        let topology = super::load(&self.spec, context)?;
        let orders = super::orders(&topology, &self.orders)?;
        let shares = self.shares(topology.node_count() as u32)?;
        let nodes = topology.node_count() as u32;
        let Opened { mut log, read, bytes, .. } = open(&self.log, self.procs_per_node, nodes)?;

        let fabric = self.traffic.fabric(&topology)?;
        let talks = self.traffic.talks(fabric.as_ref())?;
        let distances: Vec<RankDistances> =
            orders.iter().map(|o| RankDistances::new(&topology, o)).collect::<Result<_, _>>()?;
        let summarised =
            self.json || self.summary.is_some() || self.timings || self.plots.is_some();
        let lanes = self.lanes(orders.len(), summarised);
        let outputs = Outputs { ranks: self.ranks, extent: self.extent };
        let mut replays = Vec::new();
        for lane in &lanes {
            let (order, distances) = (&orders[lane.order], &distances[lane.order]);
            let context = AllocatorContext { topology: &topology, order, distances };
            let allocator = allocator::make(lane.allocator, &context)?;
            let meter = AllocationMeter::new(&topology, distances)?;
            let mut replay = Replay::new(allocator, meter, distances.len(), outputs);
            if let Some(talks) = talks {
                replay = replay.with_traffic(Traffic::new(talks, order)?);
            }
            replays.push(replay);
        }

        let columns = Columns {
            ordering: orders.len() > 1,
            extent: self.extent,
            traffic: talks.is_some(),
            ranks: self.ranks,
        };
        // With --json the rows go only where -o says.
        let rows_wanted = !self.json || self.output.is_some();
        let mut out = rows_wanted.then(|| Output::open(self.output.as_deref())).transpose()?;
        let fail = || output::name(self.output.as_deref());
        if let Some(out) = &mut out {
            columns.write_header(out).with_context(fail)?;
        }
        // The first replay's rows go out at once; those of the others wait for their turn.
        let texts: Vec<Mutex<Vec<u8>>> = lanes.iter().map(|_| Mutex::default()).collect();
        let mut spools: Vec<SpooledTempFile> =
            lanes.iter().map(|_| SpooledTempFile::new(SPOOL)).collect();
        let mut summaries = vec![Summary::default(); lanes.len()];
        let started = Instant::now();
        let clock = || started.elapsed();
        let clock: Option<replay::Clock<'_>> = if self.timings { Some(&clock) } else { None };
        let bar = progress::bytes(bytes, "replay");
        let write = |step: replay::Step<'_>| -> anyhow::Result<()> {
            let i = step.replay;
            if rows_wanted && lanes[i].wanted {
                let mut text = texts[i].lock().unwrap_or_else(|e| e.into_inner());
                text.clear();
                let ordering = orders[lanes[i].order].label();
                columns.write(&step, ordering, lanes[i].allocator, &mut *text)?;
            }
            Ok(())
        };
        let gather = |placed: &[Vec<replay::Placed>]| -> anyhow::Result<()> {
            for (i, (text, spool)) in texts.iter().zip(&mut spools).enumerate() {
                let text = text.lock().unwrap_or_else(|e| e.into_inner());
                match &mut out {
                    Some(out) if i == 0 => out.write_all(&text).with_context(fail)?,
                    _ => spool.write_all(&text).context("a temporary file: writing")?,
                }
            }
            if summarised {
                for (i, lane) in lanes.iter().enumerate() {
                    summaries[i].add(&placed[i], &placed[lane.baseline]);
                }
            }
            bar.set_position(read.load(Ordering::Relaxed));
            Ok(())
        };
        replay::run(&mut log, &mut replays, clock, write, gather)?;
        bar.finish_and_clear();

        self.warn(&replays[0], distances[0].len());
        if let Some(mut out) = out {
            for spool in &mut spools {
                spool.rewind()?;
                std::io::copy(spool, &mut out).with_context(fail)?;
            }
            out.finish()?;
        }

        let outcomes: Vec<ReplayResult<'_>> = (lanes.iter().enumerate())
            .filter(|(_, lane)| lane.wanted)
            .map(|(i, lane)| ReplayResult {
                ordering: orders[lane.order].label(),
                allocator: lane.allocator,
                placed: replays[i].placed(),
                skipped: replays[i].skipped(),
                oversized: replays[i].oversized(),
                traffic: replays[i].traffic(),
                summary: &summaries[i],
                baseline: &summaries[lane.baseline],
            })
            .collect();
        let terms = SummaryOptions { threshold: self.threshold, shares: shares.as_deref() };
        if self.json || as_csv == Some(false) {
            let document = json!({
                "version": env!("CARGO_PKG_VERSION"),
                "topology": topology.spec(),
                "log": self.log.display().to_string(),
                "baseline": BASELINE,
                "threshold": self.threshold,
                "guest": self.traffic.guest,
                "replays": outcomes.iter().map(|o| o.json(&terms)).collect::<Vec<_>>(),
            });
            if self.json {
                output::write(None, format!("{document}\n").as_bytes())?;
            }
            if as_csv == Some(false) {
                output::write(self.summary.as_deref(), format!("{document:#}\n").as_bytes())?;
            }
        }
        if as_csv == Some(true) {
            let mut out = Output::open(self.summary.as_deref())?;
            report::replay::write_sizes(&outcomes, &terms, &mut out)?;
            out.finish()?;
        }
        if let Some(folder) = &self.plots {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("{}: creating the folder", folder.display()))?;
            for (name, svg) in report::replay::figures(topology.name(), &outcomes, &terms)? {
                output::write(Some(&folder.join(name)), svg.as_bytes())?;
            }
        }
        if self.timings {
            let times = lanes.iter().zip(&replays).filter(|(lane, _)| lane.wanted);
            let times: Vec<f64> = times.map(|(_, r)| r.choosing().as_secs_f64()).collect();
            eprintln!(
                "{}",
                fitted(table(&outcomes, &times, self.threshold), 3, &std::io::stderr())
            );
        }
        Ok(())
    }

    /// Shares of compute by size, where `--compute` says where from. A table's shares are taken as they are.
    fn shares(&self, nodes: u32) -> anyhow::Result<Option<Vec<(u32, f64)>>> {
        let Some(path) = &self.compute else { return Ok(None) };
        let options = Options { procs_per_node: self.procs_per_node, ..Options::default() };
        let weight = match trace::kind(&mut Lines::open(path)?)? {
            WorkloadKind::Table => Weight::Jobs,
            WorkloadKind::Swf => Weight::NodeHours,
            WorkloadKind::Log => {
                let found = format!("{}, a placement log", path.display());
                let expected = "an SWF trace, which has times, or a table size,share";
                return Err(
                    Error::input(SourceLocation::option("--compute"), found, expected).into()
                );
            }
        };
        let sizes = Sizes::read(&path.display().to_string(), weight, &options)?;
        Ok(Some(sizes.shares(nodes)?))
    }

    /// Orderings × allocators, in the order given; with a baseline for each ordering where one is needed.
    fn lanes(&self, orders: usize, summarised: bool) -> Vec<Lane<'_>> {
        let mut lanes: Vec<Lane<'_>> = Vec::new();
        for order in 0..orders {
            let first = lanes.len();
            let given = self.allocators.iter().position(|a| a == BASELINE);
            // Without a summary nothing is compared: each lane is its own baseline.
            let baseline = match given {
                _ if !summarised => first,
                given => first + given.unwrap_or(self.allocators.len()),
            };
            let lane = |allocator, wanted| Lane { order, allocator, baseline, wanted };
            lanes.extend(self.allocators.iter().map(|a| lane(a.as_str(), true)));
            if summarised && given.is_none() {
                lanes.push(lane(BASELINE, false));
            }
        }
        lanes
    }

    /// Says what was left out. All replays skip the same jobs.
    fn warn(&self, replay: &Replay<'_>, nodes: u32) {
        if replay.skipped() == 0 {
            return;
        }
        let all = replay.placed() + replay.skipped();
        let (never, busy) = (replay.oversized(), replay.skipped() - replay.oversized());
        let mut why = Vec::new();
        if busy > 0 {
            why.push(format!("{busy} found too few nodes free"));
        }
        if never > 0 {
            why.push(format!("{never} asked for more than the {nodes} nodes of the ordering"));
        }
        let (log, skipped) = (self.log.display(), replay.skipped());
        eprintln!("{log}: skipped {skipped} of {all} jobs: {}", why.join(", "));
    }
}

/// A log being read.
pub(super) struct Opened {
    pub log: Log,
    /// The trace it is made of.
    pub trace: Option<Trace>,
    /// Bytes read so far, and all of them where that is known.
    pub read: Arc<AtomicU64>,
    pub bytes: Option<u64>,
}

/// Opens a placement log, or an SWF trace as one; of a trace also the trace. What is left out of a trace
/// is said on standard error.
pub(super) fn open(path: &Path, procs_per_node: u32, nodes: u32) -> anyhow::Result<Opened> {
    let mut lines = Lines::open(path)?;
    match trace::kind(&mut lines)? {
        WorkloadKind::Log => {
            let read = lines.count();
            let meta = std::fs::metadata(path).ok().filter(|m| m.is_file() && !is_packed(path));
            let bytes = meta.map(|m| m.len());
            Ok(Opened { log: Log::over(lines), trace: None, read, bytes })
        }
        WorkloadKind::Swf => {
            let options = Options { procs_per_node, nodes: Some(nodes), ..Options::default() };
            let trace = Trace::over(lines, &options)?;
            for (reason, count) in trace.tally().iter() {
                let what = if reason.drops() { "left out" } else { "mended" };
                eprintln!("{}: {what} {count}: {}", trace.name(), reason.about());
            }
            let text = convert::to_log(&trace);
            let bytes = Some(text.len() as u64);
            let mut lines = Lines::new(trace.name(), text);
            let read = lines.count();
            Ok(Opened { log: Log::over(lines), trace: Some(trace), read, bytes })
        }
        WorkloadKind::Table => {
            let location = SourceLocation::File(lines.name().into());
            let expected = "an SWF trace or a placement log";
            Err(Error::input(location, "a table of sizes", expected).into())
        }
    }
}

/// Whether the summary is a table; by the file's name.
fn summary_is_csv(path: &Path) -> anyhow::Result<bool> {
    match path.extension().and_then(|e| e.to_str()) {
        Some("csv") => Ok(true),
        // A device or `-` has no extension: JSON, as the contract's `--json`.
        Some("json") | None => Ok(false),
        Some(_) => {
            let expected = "a file name that ends in .json or .csv";
            let location = SourceLocation::option("--summary");
            Err(Error::input(location, path.display().to_string(), expected).into())
        }
    }
}

fn table(outcomes: &[ReplayResult<'_>], seconds: &[f64], threshold: u64) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header([
        "ordering",
        "allocator",
        "placed",
        "mean MIND",
        "small %",
        "large %",
        "overall %",
        "t",
        "seconds",
    ]);
    for (o, seconds) in outcomes.iter().zip(seconds) {
        let improvement = o.summary.improvement(o.baseline, threshold);
        let show = |value: Option<f64>, digits| {
            value.map_or_else(|| "-".into(), |v: f64| format!("{v:.digits$}"))
        };
        table.add_row([
            o.ordering.into(),
            o.allocator.into(),
            o.placed.to_string(),
            show(o.summary.mean_mind(), 4),
            show(improvement.small, 2),
            show(improvement.large, 2),
            show(improvement.overall, 2),
            show(o.summary.t_test().map(|t| t.t), 1),
            format!("{seconds:.3}"),
        ]);
    }
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}
