//! The options of the network model: what they are, how they are read, and the model built from them.

use std::collections::{BTreeMap, HashMap};

use rayon::prelude::*;

use super::applications::{Application, draw_applications, read_applications};
use super::recent::RecentJobs;
use super::state::{ITERATIONS, JobOptions, NetworkModel, NetworkOptions};
use crate::allocator::AllocatorContext;
use crate::schedule::model::entry::{BuildModel, LostNodeTime, Model, ModelEntry};
use nodeorder_base::params::{SEED, Unit, join_options};
use nodeorder_base::{Error, Opt, Params, Result};
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_order::ordering::defaults;
use nodeorder_traffic::corun::{Channels, Detail, FigureOptions, RunningJobs, SPEED_OPTIONS};
use nodeorder_traffic::mapping::routing::suitable;
use nodeorder_traffic::mapping::{Fabric, FixedRouting, ROUTINGS};

/// `network:share=0.3,guest=stencil3d[,bandwidth=…,latency=…]`: a task is a loop that computes, then sends all
/// messages of its guest, process i on its i-th lowest rank, and waits for them. The trace's run time t is that on a
/// compact allocation, alone: (1-f)·t of computing and f·t of sending, with `share` f. On other nodes, and beside
/// other tasks, sending takes longer. For example, a job of 100 s with a share of 0.3 that gets half the bandwidth
/// takes 130 s. When its bandwidth changes, it does what is left of its 100 s at the new speed.
///
/// The *compact* allocation depends on machine, guest and size alone: it is the window of an ordering with the least
/// iteration time on the empty machine, among four evenly spaced windows of each ordering that `compare` starts from
/// (without `random` and those that search the whole graph). A task may do better: its stretch is then below 1. Which
/// orderings these are depends on the kind of machine; with `compact=links` they are those that every machine has, so
/// that one network described in two ways has one compact allocation: where machines are ranked, it is the default.
///
/// Time that a task takes beyond t is counted under three causes, in node-hours over all tasks. What it takes beyond
/// t even alone on its nodes is lost to *latency* as far as its messages wait longer for their first byte than on the
/// compact allocation, and for the rest to the task's own *links*. What it takes beside others, beyond its time
/// alone, is lost to *sharing*.
///
/// A message takes hops · latency and its bytes over its rate. Links carry `bandwidth` times their capacity, a node
/// link `node_bandwidth` each way for all that its node sends or receives (`node_links=free` lets it bound each
/// message alone), a switch `switch_bandwidth`. Jobs share these at the levels of `corun`: message by message
/// (`level=flow`) or channel by channel (`level=job`). Whenever a job starts or ends, the jobs that share channels
/// with it are simulated for [`ITERATIONS`] iterations from a common start; the mean iteration time counts.
///
/// With `compute` there is no share: an iteration computes for `compute` seconds and its processes send `bytes` each on
/// the mean; t is a whole number of such iterations on the compact allocation. `apps=FILE` (`app,weight,guest,share`)
/// draws an application for each task, in queue order, by seed. A guest is a pattern for any size, or one of its own
/// size (`npb-bt:n=64`, a file) for the first nodes of jobs that are large enough.
///
/// With `speed` the trace's run times do not count: guests are benchmarks (`mapping::guest::Benchmark`) of which each
/// process does `speed` operations a second, and a task runs its benchmark once, all iterations. The stages of an
/// iteration follow each other, alone and beside others. Run times then differ between machines. The file of
/// applications has no shares: `app,weight,guest`, such as `bt,1,npb-bt:class=A`.
///
/// Requested times do not end tasks; with `kill=true` they do, whether the task is done or not.
///
/// # Limits
/// With `level=job` messages that another channel holds up leave none of their share to others. Jobs that meet are
/// taken to begin their iterations together. Overheads of sending, adaptive routing and files are left out.
///
/// # Complexity
/// A start costs that of the routing, the first of its size that of some dozen windows; an instant at which tasks
/// start or end the simulation of those that share channels with them, directly or through others, for [`ITERATIONS`]
/// iterations each, less where their states come again.
///
/// # References
/// Hu, "Topology Mapping of Parallel Applications onto Random Allocations", section IV (run times that depend on
/// dilation and shared links).
pub(in crate::schedule::model) const NETWORK: ModelEntry = ModelEntry {
    name: "network",
    about: "a job's speed is what the network gives its traffic beside the jobs that run with it",
    example: "network:share=0.3,guest=stencil3d",
    options: &join_options::<6, 11, 17>(
        SPEED_OPTIONS,
        [
            Opt::number(
                "share",
                "share of the run time in which a job sends, on a compact allocation",
            )
            .default_in_words("0.2"),
            Opt::text(
                "guest",
                "traffic of every job: a pattern for any size, or a guest",
            )
            .default_in_words("stencil3d"),
            Opt::file(
                "apps",
                "applications, drawn by seed: CSV app,weight,guest,share (no share with speed=)",
            )
            .default_in_words("one: share= and guest="),
            Opt::text(
                "bytes",
                "what a process sends in an iteration on the mean, such as 1MB",
            )
            .default_in_words("1"),
            Opt::text(
                "compute",
                "computing in an iteration, such as 20ms, instead of a share",
            )
            .default_in_words("by share"),
            Opt::text(
                "speed",
                "operations a second, such as 1Gf: jobs run their benchmark once",
            )
            .default_in_words("run times are the trace's"),
            Opt::name_of(
                "routing",
                || ROUTINGS.names().collect(),
                "which links the traffic takes",
            )
            .default_in_words("dimension-order on grids, else ecmp-path"),
            Opt {
                former: "level",
                ..Opt::one_of(
                    "detail",
                    &["flow", "job"],
                    "how closely messages are followed",
                )
            }
            .default_in_words("flow with speed=, else job"),
            Opt::one_of(
                "compact",
                &["orderings", "links"],
                "orderings whose windows are the compact allocation: those of the machine's kind, or of all machines",
            ),
            Opt::flag("kill", "end jobs at their requested times"),
            SEED,
        ],
    ),
    parse: |params| Ok(Box::new(NetworkOptions::parse(params)?)),
};

impl NetworkOptions {
    /// Reads the options. Fails if one is out of range, or two set the same figure.
    fn parse(params: &Params) -> Result<Self> {
        let share = params.optional_real("share", 0.0, 1.0)?;
        let guest = params.optional_word("guest")?;
        let file = params.optional_path("apps")?;
        let compute = params.optional_quantity("compute", Unit::Seconds)?;
        let speed = params.optional_quantity("speed", Unit::Speed)?;
        // A benchmark says itself what it computes and sends.
        let by_speed = ["share", "bytes", "compute"];
        if speed.is_some()
            && let Some(key) = by_speed.into_iter().find(|key| params.has_key(key))
        {
            return Err(
                params.invalid_value(key, "either it or speed=, with which benchmarks say it")
            );
        }
        if speed == Some(0.0) {
            return Err(params.invalid_value("speed", "more than 0"));
        }
        let bytes = params
            .optional_quantity("bytes", Unit::Bytes)?
            .unwrap_or(1.0);
        if bytes <= 0.0 {
            return Err(params.invalid_value("bytes", "more than 0"));
        }
        let figures = FigureOptions::parse(params)?;
        let by_job = match params.optional_choice("detail")? {
            Some(level) => level == "job",
            None => speed.is_none(),
        };
        if compute.is_some() && share.is_some() {
            return Err(params.invalid_value("share", "either share= or compute="));
        }
        if file.is_some()
            && let Some(key) = ["share", "guest"]
                .into_iter()
                .find(|key| params.has_key(key))
        {
            return Err(
                params.invalid_value(key, "no share= or guest= beside apps=, whose file has them")
            );
        }
        let routing = params.optional_word("routing")?;
        let routing = routing
            .map(|name| FixedRouting::find_by_name(&name))
            .transpose()?;
        let jobs = match file {
            Some(path) => JobOptions::File(path),
            None => JobOptions::One(Application {
                name: "jobs".into(),
                weight: 1.0,
                guest: guest.unwrap_or_else(|| "stencil3d".into()),
                share: share.unwrap_or(0.2),
                location: params.location_of("guest"),
            }),
        };
        Ok(NetworkOptions {
            location: params.location().clone(),
            jobs,
            bytes,
            compute,
            speed,
            figures,
            detail: if by_job { Detail::Job } else { Detail::Flow },
            routing,
            compact_by_links: params.required_choice("compact")? == "links",
            kill: params.is_set("kill")?,
            seed: params.seed()?,
        })
    }

    /// Chooses the routing, by default the first that suits the machine. Fails if it does not suit.
    fn choose_routing(&self, topology: &Topology) -> Result<FixedRouting> {
        let routing = self
            .routing
            .or_else(|| suitable(topology).into_iter().next())
            .ok_or_else(|| Error::input(self.location.clone(), "no `routing`", "a routing"))?;
        routing.check_machine(topology)?;
        Ok(routing)
    }

    /// Reads and checks the applications; returns also a description of them. Fails if one does not exist.
    fn load_applications(&self, topology: &Topology) -> Result<(Vec<Application>, String)> {
        let benchmarks = self.speed.is_some();
        match &self.jobs {
            JobOptions::File(path) => {
                let read = read_applications(path, benchmarks, topology.context())?;
                Ok((read, format!("applications of {}", path.display())))
            }
            JobOptions::One(application) => {
                application.check_guest(benchmarks, topology.context())?;
                let what = application.describe_traffic(benchmarks, self.compute);
                Ok((vec![application.clone()], what))
            }
        }
    }
}

impl BuildModel for NetworkOptions {
    fn build_model<'a>(
        self: Box<Self>,
        context: &AllocatorContext<'a>,
        tasks: usize,
    ) -> Result<Box<dyn Model + 'a>> {
        let topology = context.topology;
        let figures = self.figures.read_figures(topology.context().memory)?;
        let figures = figures.of_machine(topology);
        let routing = self.choose_routing(topology)?;
        let (applications, what) = self.load_applications(topology)?;
        let fabric = Fabric::new(topology)?;
        let channels = Channels::new(topology, fabric.links, &figures.with_defaults(1.0));
        Ok(Box::new(NetworkModel {
            application_of_task: draw_applications(&applications, tasks, self.seed),
            applications,
            what,
            level: RunningJobs::new(channels.clone(), ITERATIONS),
            channels,
            routing,
            topology,
            order: context.order,
            fabric,
            compact: make_compact_orderings(topology, self.compact_by_links)?,
            references: HashMap::new(),
            recent: RecentJobs::default(),
            jobs: BTreeMap::new(),
            changed: false,
            lost: LostNodeTime::default(),
            options: *self,
        }))
    }

    fn uses_links(&self) -> bool {
        true
    }
}

/// Orderings that follow from ids and links alone: every machine has them.
const EVERYWHERE: [&str; 3] = ["row-major", "bfs", "rcm"];

/// Makes the orderings whose windows are tried as the compact allocation: those that `compare` starts from, except the
/// random one and those that are slow to make; `by_links`, those of them that every machine has.
fn make_compact_orderings(topology: &Topology, by_links: bool) -> Result<Vec<NodeOrder>> {
    let slow = [
        "random",
        "spectral",
        "nearest",
        "dfs",
        "hierarchical:scatter=true",
    ];
    let mut texts = defaults::default_orderings(topology);
    texts.retain(|text| !slow.contains(&text.as_str()));
    if by_links {
        texts.retain(|text| EVERYWHERE.contains(&text.as_str()));
    }
    texts
        .par_iter()
        .map(|text| NodeOrder::make(topology, text))
        .collect()
}
