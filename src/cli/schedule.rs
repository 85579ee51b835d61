//! `nodeorder schedule`: a trace through a queue, a policy and an allocator on an ordering.

use std::collections::BTreeMap;

use crate::shared::notes::note;
use crate::shared::traffic::TrafficArgs;
use crate::shared::{inputs, output, own_files, progress, tables};
use clap::Args;
use nodeorder_base::{Error, Lines, SourceLocation};
use nodeorder_jobs::allocator::AllocatorContext;
use nodeorder_jobs::replay::FigureSet;
use nodeorder_jobs::replay::traffic::{Traffic, TrafficTotals};
use nodeorder_jobs::schedule::{
    STARVED_OVERTAKEN, STARVED_WAITS, ScheduleResult, Settings, Task, model, policy, simulate,
};
use nodeorder_network::Context;
use nodeorder_order::metric::rank_distances::RankDistances;
use nodeorder_present::report::hosts::Hosts;
use nodeorder_present::report::schedule as report;
use nodeorder_trace::{Options, Rules, Trace, open};
use std::path::PathBuf;

/// Schedule a trace: when and where jobs run, and how long they wait
#[derive(Debug, Args)]
#[command(
    after_help = "Example: nodeorder schedule theta --order row-major --trace theta.swf.gz --policy easy --alloc span-best-fit -o jobs.csv"
)]
pub struct Command {
    /// The machine: any file that describes it, the name of a shipped one, or kind:options
    spec: String,
    /// An ordering: a name with options, or an ordering file; its nodes are the machine
    #[arg(long, value_name = "ORD")]
    order: String,
    /// A record of jobs: a trace in the Standard Workload Format; plain or .gz
    #[arg(long, value_name = "FILE")]
    trace: PathBuf,
    /// Queue policy (see `nodeorder list policies`): which job starts when
    #[arg(long, value_name = "P", default_value = "easy")]
    policy: String,
    /// An allocator (see `nodeorder list allocators`): where jobs run; window policies choose ranks themselves
    #[arg(long = "alloc", value_name = "A", default_value = "span-best-fit")]
    allocator: String,
    /// Options of jobs by their sizes: CSV from,to,options, as in 64,511,segment=16
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    /// Runtime model (see `nodeorder list models`): fixed, contiguity, distance or network, with options
    #[arg(long, value_name = "M", default_value = "fixed")]
    model: String,
    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Add a column with the ranks of each job
    #[arg(long)]
    ranks: bool,
    /// Add columns with the diameter and the bounding box of each job's nodes
    #[arg(long)]
    extent: bool,
    /// Add compactness columns: units spanned and minimum, ring hops, bisection links, closed rings
    #[arg(long)]
    shape: bool,
    /// Write the machine over time as CSV: nodes in use, jobs that wait, free runs, the largest job that could
    /// still be placed, Slurm's fragmentation
    #[arg(long, value_name = "FILE")]
    timeline: Option<PathBuf>,
    /// Write the nodes' names: a column with the host list of each job
    #[arg(long)]
    names: bool,
    #[command(flatten)]
    traffic: TrafficArgs,
    /// Print one JSON document: the figures of the schedule
    #[arg(long)]
    json: bool,
    /// Draw the result: occupancy, utilisation and queue over time, as SVG into DIR
    #[arg(long = "plot", alias = "plots", value_name = "DIR")]
    plots: Option<PathBuf>,
    /// Processors per node [default: 1]
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u32).range(1..))]
    procs_per_node: Option<u32>,
    /// Keep only jobs of this partition; repeat for several
    #[arg(long = "partition", value_name = "N")]
    partitions: Vec<i32>,
}

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        // A misspelt policy shows before the machine is built and the trace is read.
        policy::check_policy(&self.policy)?;
        let topology = inputs::build_topology(&self.spec, context)?;
        let order = inputs::make_order(&topology, &self.order)?;
        inputs::check_names(self.names, &topology, std::slice::from_ref(&order))?;
        let trace = self.read_trace(order.len() as u32, context)?;
        let distances = RankDistances::new(&topology, &order)?;
        let machine = AllocatorContext {
            topology: &topology,
            order: &order,
            distances: &distances,
        };
        let fabric = self.traffic.build_fabric(&topology)?;
        let mut traffic = self
            .traffic
            .traffic_settings(fabric.as_ref())?
            .map(|settings| Traffic::new(settings, &order))
            .transpose()?;
        if model::uses_links(&self.model) {
            inputs::say_assumed(&topology);
        }
        let rules = inputs::open_rules(self.rules.as_deref(), context)?;
        let mut result =
            self.simulate_tasks(&machine, &Task::from_trace(&trace), rules.as_ref())?;
        if result.left_out.len() == trace.jobs().len() {
            return Err(no_jobs_left(&trace, "none of which can ever be placed"));
        }
        if let Some(traffic) = &mut traffic {
            // After the schedule: traffic is a figure of the placements and changes no start.
            result.measure_traffic(traffic)?;
        }
        let hosts = Hosts {
            topology: &topology,
            order: &order,
        };
        if self.rows_wanted() {
            output::write_by(self.output.as_deref(), |out| {
                report::write_csv(out, &result, self.shown_figures(), hosts)
            })?;
        }
        if self.is_summed_up() {
            print_summary(order.label(), &result)?;
        }
        if let Some(path) = self.timeline.as_deref() {
            output::write_by(Some(path), |out| report::write_timeline(out, &result))?;
        }
        if self.json {
            let guest = self.traffic.guest.as_deref();
            let totals: Option<TrafficTotals> = traffic.map(|t| t.totals());
            let settings = &self.schedule_settings();
            let json = report::document(hosts, &trace, settings, guest, &result, totals.as_ref());
            output::write_text(None, format!("{json}\n"))?;
        }
        if let Some(folder) = &self.plots {
            let title = format!("{} on {}", self.policy, topology.name());
            own_files::replace_files(folder, "schedule", report::draw_figures(&title, &result)?)?;
        }
        Ok(())
    }

    /// Reads the trace for a machine of `nodes` nodes, and reports what is left out of it.
    fn read_trace(&self, nodes: u32, context: &Context) -> anyhow::Result<Trace> {
        let options = Options {
            // The machine is what the ordering holds: it may leave nodes out.
            nodes: Some(nodes),
            partitions: self.partitions.clone(),
            ..inputs::trace_options(self.procs_per_node, context)
        };
        let trace = open::open_trace(&self.trace, &options)?;
        inputs::report_tally(&trace);
        if trace.jobs().is_empty() {
            return Err(no_jobs_left(&trace, "left out for the reasons above"));
        }
        Ok(trace)
    }

    /// Tells whether rows are written: with `--json` and on a terminal only where `-o` says so.
    fn rows_wanted(&self) -> bool {
        self.output.is_some() || !self.json && !self.is_summed_up()
    }

    /// Tells whether a table takes the rows' place: they would run off the screen.
    fn is_summed_up(&self) -> bool {
        !self.json && output::is_for_people(self.output.as_deref())
    }

    /// Lists the figures that the rows show.
    fn shown_figures(&self) -> FigureSet {
        FigureSet {
            ranks: self.ranks,
            hosts: self.names,
            extent: self.extent,
            shape: self.shape,
            traffic: self.traffic.guest.is_some(),
            ..FigureSet::default()
        }
    }

    fn schedule_settings(&self) -> Settings<'_> {
        // Pictures need ranks and the timeline, whatever else is asked.
        let drawn = self.plots.is_some();
        let shown = self.shown_figures();
        Settings {
            rules: None,
            policy: &self.policy,
            allocator: &self.allocator,
            model: &self.model,
            metrics: true,
            figures: FigureSet {
                // Ranks and extents of every job are kept until the end: only where something shows them.
                ranks: shown.keeps_ranks() && self.rows_wanted() || drawn || shown.traffic,
                hosts: false,
                extent: shown.extent && self.rows_wanted(),
                room: self.timeline.is_some(),
                ..shown
            },
            // A timeline has an instant for each start and end: memory that a table of rows does not need.
            timeline: self.json || drawn || self.timeline.is_some(),
        }
    }

    /// Schedules the tasks, and reports on standard error by which rules.
    fn simulate_tasks(
        &self,
        machine: &AllocatorContext<'_>,
        tasks: &[Task],
        rules: Option<&Rules>,
    ) -> anyhow::Result<ScheduleResult> {
        let settings = Settings {
            rules,
            ..self.schedule_settings()
        };
        let bar = progress::show_steps(tasks.len() as u64, "jobs");
        let ended = |ended| bar.set_position(ended as u64);
        let result = simulate(machine, tasks, &settings, &ended).map_err(|error| {
            // A policy knows jobs by number; people look for the line in the trace.
            match Lines::open(&self.trace, machine.topology.context().memory) {
                Ok(trace) => open::locate_job_error(error, trace),
                Err(_) => error,
            }
        })?;
        bar.finish_and_clear();
        note!("policy: {}", result.rule);
        note!("model: {}", result.model);
        if result.places_itself {
            let policy = &self.policy;
            let allocator = &self.allocator;
            note!("{policy}: chooses ranks itself; --alloc {allocator} is not used");
        }
        report_neglected(&result);
        Ok(result)
    }
}

/// Prints the figures of a schedule as a table.
fn print_summary(ordering: &str, result: &ScheduleResult) -> anyhow::Result<()> {
    let about = "Times in seconds, means over jobs. A row for each job: -o FILE, or a pipe.";
    let header = ["ordering"].into_iter().chain(tables::SCHEDULED);
    let cells = tables::schedule_cells(ordering, &result.summary());
    output::write_by(None, |out| {
        tables::write_section(out, about, header, [cells], [1, 2])
    })
}

/// Builds the error of a trace without a job to schedule: its empty schedule would pass for an idle machine.
fn no_jobs_left(trace: &Trace, why: &str) -> anyhow::Error {
    let location = SourceLocation::File(trace.name().into());
    let found = format!("{} jobs, {why}", trace.tally().lines);
    Error::input(location, found, "at least one that this machine can run").into()
}

/// Names on standard error the jobs that can never be placed, and those that starved.
fn report_neglected(result: &ScheduleResult) {
    let mut never: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for job in &result.left_out {
        never.entry(&job.reason).or_default().push(job.task);
    }
    for (reason, jobs) in never {
        note!(
            "left out, as they can never be placed: {}: {reason}",
            count_and_name_jobs(result, &jobs)
        );
    }
    let starved: Vec<u32> = result.find_starved().iter().map(|job| job.task).collect();
    if !starved.is_empty() {
        note!(
            "starved, waiting more than {STARVED_WAITS} times the mean while {STARVED_OVERTAKEN} or more jobs behind \
             started: {}",
            count_and_name_jobs(result, &starved)
        );
    }
}

/// Counts jobs in words, and names the first of them by their numbers in the trace.
fn count_and_name_jobs(result: &ScheduleResult, tasks: &[u32]) -> String {
    const NAMED: usize = 8;
    let ids = tasks
        .iter()
        .take(NAMED)
        .map(|task| result.tasks[*task as usize].id.to_string());
    let ids = ids.collect::<Vec<_>>().join(", ");
    let more = if tasks.len() > NAMED { ", …" } else { "" };
    let jobs = if tasks.len() == 1 { "job" } else { "jobs" };
    format!("{} {jobs} ({ids}{more})", tasks.len())
}
