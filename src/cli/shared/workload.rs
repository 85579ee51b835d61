//! The jobs that orderings are compared on: `--trace` of `compare` and what goes with it.

use std::path::{Path, PathBuf};

use clap::Args;

use super::command_line::CommandLine;
use super::traffic::TrafficArgs;
use super::{inputs, progress};
use nodeorder_base::error::{Error, Result};
use nodeorder_jobs::replay::prediction::predict;
use nodeorder_jobs::replay::traffic::TrafficSettings;
use nodeorder_jobs::schedule::orderings::{TraceSettings, on_orderings};
use nodeorder_jobs::schedule::{Task, model};
use nodeorder_network::topology::Topology;
use nodeorder_order::metric::mpc::Curve;
use nodeorder_order::ordering::NodeOrder;
use nodeorder_present::machines::Asked;
use nodeorder_present::report::WorkloadResults;
use nodeorder_trace::open::OpenedLog;
use nodeorder_trace::{Log, Options, Sizes, Trace, Weight};

#[derive(Debug, Args)]
pub struct WorkloadArgs {
    /// Replay this workload on every ordering, and weight MPC by its job sizes: an SWF trace or a
    /// placement log, plain or .gz
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// An allocator for the replay (see `nodeorder list allocators`); repeat for several
    /// [default: fifo:0, first-fit:1, span-best-fit, slurm-best-fit]
    #[arg(long = "alloc", value_name = "A", requires = "trace")]
    pub allocators: Vec<String>,
    /// Options of jobs by their sizes, under every --alloc: CSV from,to,options, as in 64,511,segment=16; an --alloc
    /// with `rules=FILE` has its own
    #[arg(long, value_name = "FILE", requires = "trace")]
    pub rules: Option<PathBuf>,
    /// Processors per node, in an SWF trace
    #[arg(long, value_name = "P", requires = "trace", value_parser = clap::value_parser!(u32).range(1..))]
    pub procs_per_node: Option<u32>,
    /// Policy of the schedule of an SWF trace on every ordering (see `nodeorder list policies`), or none for no
    /// schedule; it uses the first --alloc, else span-best-fit [default: easy]
    #[arg(long, value_name = "P", requires = "trace")]
    pub policy: Option<String>,
    /// Runtime model of the schedule (see `nodeorder list models`) [default: network:share=0.2,guest=stencil3d]
    #[arg(long, value_name = "M", requires = "trace")]
    pub model: Option<String>,
    #[command(flatten)]
    pub traffic: TrafficArgs,
}

/// Jobs to replay and to schedule.
pub struct Workload {
    log: Log,
    sizes: Sizes,
    allocators: Vec<String>,
    /// Tasks and settings of a schedule, where one is wanted and the jobs have times.
    queue: Option<(Vec<Task>, TraceSettings)>,
    /// The hint that its processors are probably no nodes.
    processors: Option<String>,
}

impl WorkloadArgs {
    /// Gives the rules of `--rules` to the allocators asked for; `later`: once they are known.
    pub fn apply_rules(&mut self, later: bool) -> Result<()> {
        let mut allocators = std::mem::take(&mut self.allocators);
        let added = if later {
            Ok(())
        } else {
            self.add_rules(&mut allocators)
        };
        self.allocators = allocators;
        added
    }

    /// Gives the rules of `--rules` to allocators that have none of their own, as their option `rules=FILE`.
    pub fn add_rules(&self, allocators: &mut [String]) -> Result<()> {
        let Some(path) = &self.rules else {
            return Ok(());
        };
        if allocators.is_empty() {
            let expected = "--alloc A: an allocator whose jobs have options, such as slurm-block";
            return Err(Error::option(
                format!("--rules {}", path.display()),
                "no --alloc",
                expected,
            ));
        }
        for text in allocators
            .iter_mut()
            .filter(|text| !text.contains("rules="))
        {
            let between = if text.contains(':') { ',' } else { ':' };
            *text += &format!("{between}rules={}", path.display());
        }
        Ok(())
    }

    /// Opens the workload, where there is one. What is left out of a trace is reported on standard error.
    pub fn open(&self, topology: &Topology) -> anyhow::Result<Option<Workload>> {
        let Some(path) = &self.trace else {
            return match &self.traffic.guest {
                None => Ok(None),
                Some(guest) => {
                    let option = format!("--guest {guest}");
                    Err(Error::option(option, "no --trace", "--trace FILE: its jobs talk").into())
                }
            };
        };
        let asked = self.asked();
        asked.check()?;
        let allocators = asked.allocators();
        let nodes = topology.node_count() as u32;
        let OpenedLog { log, trace, .. } =
            inputs::log(path, self.procs_per_node, nodes, topology.context())?;
        let hint = trace.as_ref().and_then(Trace::processors_hint);
        let processors = hint.map(ToString::to_string);
        let (sizes, queue) = match trace {
            Some(trace) => (Sizes::of_trace(&trace, Weight::Jobs), asked.queue(&trace)),
            // A log is a stream: its sizes take a pass of their own before the replay.
            None => (self.sizes_of_log(path, topology.context().memory)?, None),
        };
        if queue
            .as_ref()
            .is_some_and(|(_, settings)| model::uses_links(&settings.model))
        {
            inputs::say_assumed(topology);
        }
        Ok(Some(Workload {
            log,
            sizes,
            allocators,
            queue,
            processors,
        }))
    }

    /// The allocators, policy and model asked for.
    pub fn asked(&self) -> Asked<'_> {
        let (policy, model) = (self.policy.as_deref(), self.model.as_deref());
        Asked {
            allocators: &self.allocators,
            policy,
            model,
        }
    }

    /// The job sizes of a placement log, which cannot be scheduled.
    pub fn sizes_of_log(&self, path: &Path, memory: u64) -> Result<Sizes> {
        let name = path.display().to_string();
        self.asked().check_log(&name)?;
        Sizes::read(
            &name,
            Weight::Jobs,
            &Options {
                memory,
                ..Options::default()
            },
        )
    }

    /// The text of an ordering that is searched for these jobs' sizes.
    pub fn search(&self, budget: &str) -> String {
        let sizes = match &self.trace {
            Some(path) => path.display().to_string(),
            None => "log-uniform".into(),
        };
        let processors = match self.procs_per_node {
            Some(count) => format!(",procs-per-node={count}"),
            None => String::new(),
        };
        format!("optimise:weights=workload,sizes={sizes}{processors},{budget}")
    }

    /// Adds the options to a command line.
    pub fn add_to(&self, line: CommandLine) -> CommandLine {
        line.option("--trace", self.trace.as_ref().map(|path| path.display()))
            .option("--alloc", &self.allocators)
            .option("--procs-per-node", self.procs_per_node)
            .option("--policy", &self.policy)
            .option("--model", &self.model)
            .option("--guest", &self.traffic.guest)
            .option("--routing", &self.traffic.routing)
    }
}

impl Workload {
    /// Replays and schedules the jobs on every ordering.
    pub fn run(
        mut self,
        topology: &Topology,
        orders: &[NodeOrder],
        curves: &[Curve],
        traffic: Option<TrafficSettings<'_>>,
    ) -> Result<WorkloadResults<'static>> {
        let bar = progress::bar(2, "the workload");
        bar.set_message("replaying");
        let curves: Vec<&Curve> = curves.iter().collect();
        let (log, shares) = (&mut self.log, |nodes| self.sizes.shares(nodes));
        let prediction = predict(
            topology,
            orders,
            &curves,
            &self.allocators,
            log,
            &shares,
            traffic,
        )?;
        bar.inc(1);
        bar.set_message("scheduling");
        let schedule = |(tasks, settings): &(Vec<Task>, TraceSettings)| {
            on_orderings(topology, orders, tasks, settings)
        };
        let schedules = self.queue.as_ref().map(schedule).transpose()?;
        bar.finish_and_clear();
        Ok(WorkloadResults {
            prediction: Some(prediction),
            schedules,
            processors: self.processors,
            windows: Vec::new(),
        })
    }
}
