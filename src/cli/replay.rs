//! `nodeorder replay`: a placement log through allocators on chosen orderings.

use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::shared::notes::note;
use crate::shared::rows::RowFile;
use crate::shared::traffic::TrafficArgs;
use crate::shared::{inputs, output, own_files, progress, tables};
use clap::Args;
use nodeorder_base::{Error, Lines};
use nodeorder_jobs::replay::set::{ReplayResult, ReplaySet, ReplaySettings, Summaries};
use nodeorder_jobs::replay::{Clock, Counts, FigureSet};
use nodeorder_network::{Context, Topology};
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::rank_distances::RankDistances;
use nodeorder_present::report::replay::{BlockRows, ReplaySummary};
use nodeorder_trace::open::OpenedLog;
use nodeorder_trace::{Sizes, Weight, WorkloadKind};
use std::path::PathBuf;

/// Replay a placement log through allocators on orderings: a row for every placed job
#[derive(Debug, Args)]
#[command(
    after_help = "Example: nodeorder replay hector --order hilbert --trace jobs.log --alloc first-fit:8 --alloc closest-mind -o placements.csv --summary summary.json"
)]
pub struct Command {
    /// The machine: any file that describes it, the name of a shipped one, or kind:options
    spec: String,
    /// An ordering: a name with options, or an ordering file; repeat for several
    #[arg(long = "order", value_name = "ORD", required = true)]
    orders: Vec<String>,
    /// A record of jobs: a placement log, lines `P JOB NODES` and `F JOB`, or an SWF trace; plain or .gz
    #[arg(long = "trace", alias = "log", value_name = "FILE")]
    log: PathBuf,
    /// Options of jobs by their sizes: CSV from,to,options, as in 64,511,segment=16; options in the log go before
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    /// An allocator (see `nodeorder list allocators`), such as first-fit:8; repeat for several
    #[arg(long = "alloc", value_name = "A", required = true)]
    allocators: Vec<String>,
    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Add a column with the ranks of each job
    #[arg(long)]
    ranks: bool,
    /// Write the nodes' names: a column with the host list of each job
    #[arg(long)]
    names: bool,
    /// Add a column with the nodes of each job and its pods on each, as in a:4 b:2
    #[arg(long)]
    pods: bool,
    /// Add columns with the diameter and the bounding box of each job's nodes
    #[arg(long)]
    extent: bool,
    /// Add compactness columns: units spanned and minimum, ring hops, bisection links, closed rings
    #[arg(long)]
    shape: bool,
    /// Measure the room left for jobs: columns with the largest job that could still be placed after each placement,
    /// and Slurm's fragmentation
    #[arg(long)]
    room: bool,
    #[command(flatten)]
    traffic: TrafficArgs,
    /// Write a summary: FILE.json with means by size, improvements over fifo:0 and tests; FILE.csv by size only
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,
    /// Write a row for every replay as CSV: means, improvements over fifo:0, its test, and seconds with --timings
    #[arg(long, value_name = "FILE")]
    totals: Option<PathBuf>,
    /// Draw the result: job sizes, improvement by size, its means and the ranges of mean distance, as SVG into DIR
    #[arg(long = "plot", alias = "plots", value_name = "DIR")]
    plots: Option<PathBuf>,
    /// Print one JSON document: the summary
    #[arg(long)]
    json: bool,
    /// Count only sizes with more than N placements in improvements
    #[arg(long, value_name = "N", default_value_t = 30)]
    threshold: u64,
    /// Cut each job's mean distance to whole hops in summaries, totals and figures
    #[arg(long)]
    whole_hops: bool,
    /// Weight improvements by the node-hours that a trace spends on each size (FILE.swf, or CSV size,share)
    #[arg(long, value_name = "FILE")]
    compute: Option<PathBuf>,
    /// Processors per node, in SWF traces [default: 1]
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u32).range(1..))]
    procs_per_node: Option<u32>,
    /// Print a table with each allocator's results and time to standard error
    #[arg(long)]
    timings: bool,
}

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        // JSON for a device or `-`, too, as with `--json`.
        let form = |path| output::form_by_ending("--summary", path, &["json", "csv"], Some("json"));
        let form = self.summary.as_deref().map(form).transpose()?;
        inputs::check_distinct("--alloc", "allocator", &self.allocators)?;
        let topology = inputs::build_topology(&self.spec, context)?;
        let orders = inputs::make_orders(&topology, &self.orders)?;
        inputs::check_names(self.names, &topology, &orders)?;
        let nodes = topology.node_count() as u32;
        // All inputs are read and all options checked before the first row goes out.
        let shares = self.read_compute_shares(nodes, context)?;
        let input = inputs::open_log(&self.log, self.procs_per_node, nodes, context)?;
        let fabric = self.traffic.build_fabric(&topology)?;
        let distances: Vec<RankDistances> = orders
            .iter()
            .map(|o| RankDistances::new(&topology, o))
            .collect::<Result<_, _>>()?;
        let rules = inputs::open_rules(self.rules.as_deref(), context)?;
        let settings = ReplaySettings {
            allocators: &self.allocators,
            figures: self.shown_figures(),
            traffic: self.traffic.traffic_settings(fabric.as_ref())?,
            summaries: if self.shows_improvements() {
                // Improvements need a replay of the baseline on each ordering: a further replay, so only where they
                // are shown.
                Summaries::OverBaseline
            } else {
                Summaries::None
            },
            rules: rules.as_ref(),
        };
        let mut replays = ReplaySet::new(&topology, &orders, &distances, settings)?;
        if self.whole_hops {
            replays = replays.with_whole_hops();
        }
        self.write_placements(input, &mut replays, &topology, &orders)?;

        let results = replays.list_results();
        let summary = ReplaySummary {
            results: &results,
            threshold: self.threshold,
            shares: shares.as_deref(),
        };
        self.print_tables(&results)?;
        if self.json || form.is_some() {
            self.write_summary(&topology, form, &summary)?;
        }
        if let Some(path) = self.totals.as_deref() {
            output::write_by(Some(path), |out| summary.write_totals(out))?;
        }
        if let Some(folder) = &self.plots {
            let figures = summary.draw_figures(topology.name())?;
            own_files::replace_files(folder, "replay", figures)?;
        }
        Ok(())
    }

    /// Prints what each allocator gave where people read it: instead of the rows, and with times on standard error.
    fn print_tables(&self, results: &[ReplayResult<'_>]) -> anyhow::Result<()> {
        if self.is_summed_up() {
            output::write_by(None, |out| {
                tables::write_replays(out, results, self.threshold)
            })?;
        }
        if self.timings {
            tables::print_timings(results, self.threshold);
        }
        Ok(())
    }

    /// Tells whether a table takes the rows' place: they would run off the screen.
    fn is_summed_up(&self) -> bool {
        !self.json && output::is_for_people(self.output.as_deref())
    }

    /// Tells whether an output shows improvements over the baseline.
    fn shows_improvements(&self) -> bool {
        let files = [&self.summary, &self.totals, &self.plots];
        self.json || self.timings || self.is_summed_up() || files.iter().any(|file| file.is_some())
    }

    /// Lists the figures that the rows show.
    fn shown_figures(&self) -> FigureSet {
        FigureSet {
            ranks: self.ranks,
            hosts: self.names,
            pods: self.pods,
            extent: self.extent,
            shape: self.shape,
            room: self.room,
            ..FigureSet::default()
        }
    }

    /// Runs the replays and writes a row for every placement.
    fn write_placements(
        &self,
        input: OpenedLog,
        replays: &mut ReplaySet<'_>,
        topology: &Topology,
        orders: &[NodeOrder],
    ) -> anyhow::Result<()> {
        // With --json and on a terminal the rows go only where -o says.
        let path = self.output.as_deref();
        let wanted = path.is_some() || !self.json && !self.is_summed_up();
        let labels = if wanted {
            // A baseline that was only added for the improvements gets no rows.
            replays.requested_labels()
        } else {
            &[]
        };
        let rows = BlockRows::new(replays.figures(), labels, topology, orders);
        let mut file = wanted
            .then(|| RowFile::open_table(path, |out| rows.write_header(out)))
            .transpose()?;
        let started = Instant::now();
        let clock = || started.elapsed();
        let clock: Option<Clock<'_>> = if self.timings { Some(&clock) } else { None };
        let OpenedLog {
            mut log,
            read,
            bytes,
            ..
        } = input;
        let bar = progress::show_bytes(bytes, "replay");
        let block_done = || {
            bar.set_position(read.load(Ordering::Relaxed));
            file.as_mut()
                .map_or(Ok(()), |file| file.append_block(&rows))
        };
        replays.run_with(&mut log, clock, |step| Ok(rows.write(&step)?), block_done)?;
        bar.finish_and_clear();
        self.report_skipped(&replays.list_results(), orders[0].len());
        file.map_or(Ok(()), RowFile::finish)
    }

    /// Reports on standard error how many jobs were skipped or refused and why: once where that is the same for
    /// all replays, which it is unless an allocator refuses jobs.
    fn report_skipped(&self, results: &[ReplayResult<'_>], nodes: usize) {
        let is_same_for_all = results
            .iter()
            .all(|result| result.counts.refused.is_empty());
        let log = self.log.display();
        for result in &results[..if is_same_for_all { 1 } else { results.len() }] {
            let Counts {
                placed,
                skipped,
                oversized: never,
                refused,
                ..
            } = &result.counts;
            let mut reasons = Vec::new();
            // Jobs beyond the machine are among the skipped, but no emptier machine would take them.
            if skipped > never {
                reasons.push(format!("{} found too few nodes free", skipped - never));
            }
            if *never > 0 {
                let size = format!("more than the {nodes} nodes of the ordering");
                reasons.push(format!("{never} asked for {size}"));
            }
            for (choice, count) in refused {
                let answer = choice.short_answer();
                let reason = choice.refusal_reason();
                reasons.push(format!("{count} refused, {answer}: {reason}"));
            }
            let left_out = skipped + result.counts.count_refused();
            self.report_pods(&result.counts);
            if left_out > 0 {
                let replay = match (is_same_for_all, self.orders.len()) {
                    (true, _) => String::new(),
                    (_, 1) => format!("{}: ", result.allocator),
                    _ => format!("{}, {}: ", result.ordering, result.allocator),
                };
                let all = placed + left_out;
                let share = 100.0 * left_out as f64 / all as f64;
                note!(
                    "{log}: {replay}skipped {left_out} of {all} jobs ({share:.0} %): {}",
                    reasons.join(", ")
                );
            }
        }
    }

    /// Reports on standard error which pods were left out and which moved.
    fn report_pods(&self, counts: &Counts) {
        let (log, (jobs, pods)) = (self.log.display(), counts.remainders);
        if jobs > 0 {
            note!("{log}: left out {pods} pods of {jobs} jobs, which fill no slice");
        }
        let Counts { moved, evicted, .. } = counts;
        if moved + evicted > 0 {
            note!(
                "{log}: nodes failed: the pods of {moved} jobs went to others, {evicted} jobs ended"
            );
        }
    }

    /// Writes the summary to where `--json` and `--summary` ask for it.
    fn write_summary(
        &self,
        topology: &Topology,
        form: Option<&str>,
        summary: &ReplaySummary<'_>,
    ) -> anyhow::Result<()> {
        let document = || {
            let log = self.log.display().to_string();
            summary.document(topology, &log, self.traffic.guest.as_deref())
        };
        if self.json {
            output::write_text(None, format!("{}\n", document()))?;
        }
        let path = self.summary.as_deref();
        match form {
            None => Ok(()),
            Some("csv") => output::write_by(path, |out| summary.write_sizes(out)),
            Some(_) => output::write_text(path, format!("{:#}\n", document())),
        }
    }

    /// Reads the share of compute of each job size. `None` without `--compute`. A table's shares are taken as
    /// they are.
    fn read_compute_shares(
        &self,
        nodes: u32,
        context: &Context,
    ) -> anyhow::Result<Option<Vec<(u32, f64)>>> {
        let Some(path) = &self.compute else {
            return Ok(None);
        };
        let options = inputs::trace_options(self.procs_per_node, context);
        let weight = match nodeorder_trace::detect_kind(&mut Lines::open(path, context.memory)?)? {
            // A table's shares are compute already: weighting them by time would count it twice.
            WorkloadKind::Table => Weight::Jobs,
            WorkloadKind::Swf | WorkloadKind::Records(_) => Weight::NodeHours,
            WorkloadKind::Log => {
                let found = format!("{}, a placement log", path.display());
                let expected = "an SWF trace, which has times, or a table size,share";
                return Err(Error::option("--compute", found, expected).into());
            }
        };
        let sizes = Sizes::read(&path.display().to_string(), weight, &options)?;
        Ok(Some(sizes.shares_up_to(nodes)?))
    }
}
