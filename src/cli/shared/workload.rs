//! The jobs that orderings or machines are compared on: `--trace` of `compare` and `machines`, and what goes with it.

use std::path::{Path, PathBuf};

use clap::Args;

use super::command_line::CommandLine;
use super::{inputs, progress};
use nodeorder_base::{Error, Result};
use nodeorder_jobs::replay::prediction::predict;
use nodeorder_jobs::replay::traffic::TrafficSettings;
use nodeorder_jobs::schedule::orderings::{TraceSettings, on_orderings};
use nodeorder_jobs::schedule::{Task, model};
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::mpc::Curve;
use nodeorder_present::machines::WorkloadOptions;
use nodeorder_present::report::WorkloadResults;
use nodeorder_trace::open::OpenedLog;
use nodeorder_trace::{Log, Options, Sizes, Trace, Weight};

#[derive(Debug, Args)]
pub struct WorkloadArgs {
    /// A record of jobs: an SWF trace or a placement log, plain or .gz; replayed on every ordering, and MPC is weighted
    /// by its job sizes
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// An allocator (see `nodeorder list allocators`); repeat for several [default: fifo:0, first-fit:1, span-best-fit,
    /// slurm-best-fit]
    #[arg(long = "alloc", value_name = "A", requires = "trace")]
    pub allocators: Vec<String>,
    /// Options of jobs by their sizes: CSV from,to,options, as in 64,511,segment=16; for every --alloc but those with
    /// `rules=FILE`
    #[arg(long, value_name = "FILE", requires = "trace")]
    pub rules: Option<PathBuf>,
    /// Processors per node, in SWF traces
    #[arg(
        long,
        value_name = "P",
        requires = "trace",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub procs_per_node: Option<u32>,
    /// Queue policy (see `nodeorder list policies`), for an SWF trace, or none for no schedule; it uses the first
    /// --alloc, else span-best-fit [default: easy]
    #[arg(long, value_name = "P", requires = "trace")]
    pub policy: Option<String>,
    /// Runtime model (see `nodeorder list models`) [default: network:share=0.2,guest=stencil3d]
    #[arg(long, value_name = "M", requires = "trace")]
    pub model: Option<String>,
}

/// A workload that is opened: jobs to replay and to schedule.
pub struct OpenedWorkload {
    log: Log,
    sizes: Sizes,
    allocators: Vec<String>,
    /// Tasks and settings of a schedule, where one is wanted and the jobs have times.
    queue: Option<(Vec<Task>, TraceSettings)>,
    /// The hint that the trace's processors were probably wrongly taken for nodes.
    processors: Option<String>,
}

/// Gives a table of rules to allocators that have none of their own, as their option `rules=FILE`.
pub fn add_rules(rules: Option<&Path>, allocators: &mut [String]) -> Result<()> {
    let Some(path) = rules else {
        return Ok(());
    };
    // The default allocators take no options of jobs: rules would have no effect, and nobody would notice.
    if allocators.is_empty() {
        let expected = "--alloc A: an allocator whose jobs have options, such as slurm-block";
        return Err(Error::option(
            format!("--rules {}", path.display()),
            "no --alloc",
            expected,
        ));
    }
    for text in allocators {
        // The allocator's own rules win, as the help says: so settings with different rules can be compared.
        if !text.contains("rules=") {
            let between = if text.contains(':') { ',' } else { ':' };
            *text += &format!("{between}rules={}", path.display());
        }
    }
    Ok(())
}

impl WorkloadArgs {
    /// Gives the rules of `--rules` to the allocators.
    pub fn apply_rules(&mut self) -> Result<()> {
        add_rules(self.rules.as_deref(), &mut self.allocators)
    }

    /// Opens the workload, where there is one. What is left out of a trace is reported on standard error.
    pub fn open_workload(&self, topology: &Topology) -> anyhow::Result<Option<OpenedWorkload>> {
        let Some(path) = &self.trace else {
            return Ok(None);
        };
        // Wrong names of allocators, policy or model show before a long trace is read.
        let options = self.workload_options();
        options.check()?;
        let allocators = options.allocators();
        let nodes = topology.node_count() as u32;
        let OpenedLog { log, trace, .. } =
            inputs::open_log(path, self.procs_per_node, nodes, topology.context())?;
        let processors = trace
            .as_ref()
            .and_then(Trace::processors_hint)
            .map(ToString::to_string);
        let (sizes, queue) = match trace {
            Some(trace) => (
                Sizes::from_trace(&trace, Weight::Jobs),
                options.schedule_inputs(&trace),
            ),
            // A log is a stream: its sizes take a pass of their own before the replay.
            None => (self.sizes_of_log(path, topology.context().memory)?, None),
        };
        if queue
            .as_ref()
            .is_some_and(|(_, settings)| model::uses_links(&settings.model))
        {
            inputs::say_assumed(topology);
        }
        Ok(Some(OpenedWorkload {
            log,
            sizes,
            allocators,
            queue,
            processors,
        }))
    }

    /// Collects the allocators, policy and model, with their defaults.
    pub fn workload_options(&self) -> WorkloadOptions<'_> {
        WorkloadOptions {
            allocators: &self.allocators,
            policy: self.policy.as_deref(),
            model: self.model.as_deref(),
        }
    }

    /// Reads the job sizes of a placement log, which cannot be scheduled.
    pub fn sizes_of_log(&self, path: &Path, memory: u64) -> Result<Sizes> {
        let name = path.display().to_string();
        self.workload_options().check_log(&name)?;
        Sizes::read(
            &name,
            Weight::Jobs,
            &Options {
                memory,
                ..Options::default()
            },
        )
    }

    /// Writes the option of a search that is for these jobs' sizes.
    pub fn sizes_option(&self) -> String {
        let sizes = match &self.trace {
            Some(path) => path.display().to_string(),
            None => "log-uniform".into(),
        };
        // The search reads the trace by itself: without the number it would take processors for nodes.
        let processors = match self.procs_per_node {
            Some(count) => format!(",procs-per-node={count}"),
            None => String::new(),
        };
        format!("sizes={sizes}{processors}")
    }

    /// Adds the options to a command line.
    pub fn add_to(&self, line: CommandLine) -> CommandLine {
        // `--rules` is not missing: it stands in the allocators by now, as their `rules=`.
        line.add_option("--trace", self.trace.as_ref().map(|path| path.display()))
            .add_option("--alloc", &self.allocators)
            .add_option("--procs-per-node", self.procs_per_node)
            .add_option("--policy", &self.policy)
            .add_option("--model", &self.model)
    }
}

impl OpenedWorkload {
    /// Replays the jobs on every ordering, and schedules those with times.
    pub fn run(
        mut self,
        topology: &Topology,
        orders: &[NodeOrder],
        curves: &[Curve],
        traffic: Option<TrafficSettings<'_>>,
    ) -> Result<WorkloadResults<'static>> {
        let bar = progress::show_steps(2, "the workload");
        bar.set_message("replaying");
        let curves: Vec<&Curve> = curves.iter().collect();
        let prediction = predict(
            topology,
            orders,
            &curves,
            &self.allocators,
            &mut self.log,
            &|nodes| self.sizes.shares_up_to(nodes),
            traffic,
        )?;
        bar.inc(1);
        bar.set_message("scheduling");
        let schedules = match &self.queue {
            Some((tasks, settings)) => Some(on_orderings(topology, orders, tasks, settings)?),
            None => None,
        };
        bar.finish_and_clear();
        Ok(WorkloadResults {
            prediction: Some(prediction),
            schedules,
            processors: self.processors,
            ..WorkloadResults::default()
        })
    }
}
