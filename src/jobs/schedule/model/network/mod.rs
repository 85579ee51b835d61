//! Run times by what the network gives a job beside the jobs that run with it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use rayon::prelude::*;

use super::{BuildModel, Lost, Model, ModelEntry, Start};
use crate::allocator::AllocatorContext;
use crate::schedule::task::{TICKS, Task};
use nodeorder_base::error::{Error, Result, SourceLocation, six_digits};
use nodeorder_base::ids::NodeId;
use nodeorder_base::params::{Opt, Params, SEED, Unit, join};
use nodeorder_network::topology::Topology;
use nodeorder_order::ordering::{NodeOrder, defaults};
use nodeorder_traffic::corun::{
    Channels, Detail, Figures, Level, Phase, PlacedJob, SPEED_OPTIONS, Speeds,
};
use nodeorder_traffic::mapping::guest::Benchmark;
use nodeorder_traffic::mapping::{Fabric, FixedRouting, Guest, ProcessMapping, ROUTINGS};

mod applications;
mod recent;

use recent::{Place, RecentJobs};

/// `network:share=0.3,guest=stencil3d[,bandwidth=…,latency=…]`: a task is a loop that computes and then sends all
/// messages of its guest, process i on its i-th lowest rank, and waits for them. The trace's run time t is what it takes
/// on a compact allocation, alone: (1-f)·t of computing and f·t of sending (`share` f). Elsewhere, and beside others,
/// its speed is what the network gives it then; its progress is the sum of that over time.
///
/// *Compact* depends on machine, guest and size alone: the least iteration time among four evenly spaced windows of
/// each ordering that `compare` starts from (without `random` and those that search the whole graph), on the empty
/// machine. A task may do better: its stretch is then below 1. What a task would take alone where it is, less t, is lost
/// to *latency* as far as messages travel longer before their first byte, and else to its own *links*; what it takes
/// beside others, less that, is lost to *sharing*; in node-hours, over all tasks.
///
/// A message takes hops · latency and its bytes over its rate; links carry `bandwidth` times their capacity, a node link
/// `node_bandwidth` each way for all that its node sends or receives (`node_links=free` lets it bound each message
/// alone), a switch `switch_bandwidth`. Jobs share these at the levels of `corun`: message by message (`level=flow`) or
/// channel by channel (`level=job`). Whenever a job starts or ends, the jobs that it meets run [`ITERATIONS`] iterations
/// beside each other from a common start, of which the mean counts.
///
/// With `compute` there is no share: an iteration computes for so long and its processes send `bytes` each on the
/// mean; t is so many iterations on the compact allocation. `apps=FILE` (`app,weight,guest,share`) draws an application
/// for each task, in queue order, by seed. A guest is a pattern for any size, or one of its own size (`npb-bt:n=64`,
/// a file) for the first nodes of jobs that are large enough.
///
/// With `speed` there is no run time either: guests are benchmarks ([`Benchmark`]), of which each process does so many
/// operations a second, and a task runs its benchmark once, all iterations, however long the trace says. The stages of an
/// iteration follow each other, alone and beside others. Run times then differ between machines. The file of applications has no shares: `app,weight,guest`, such as `bt,1,npb-bt:class=A`.
///
/// Requested times stay as they are and nobody ends at them; with `kill=true` tasks do, whether done or not.
///
/// # Limits
/// With `level=job` messages that another channel holds up leave none of their share to others. Jobs that meet are taken
/// to begin their iterations together. Overheads of sending, adaptive routing and files are left out.
///
/// # Complexity
/// A start costs that of the routing, the first of its size that of some dozen windows; an instant at which tasks
/// start or end the simulation of those that share channels with them, directly or through others, for [`ITERATIONS`]
/// iterations each, less where their states come again.
///
/// # References
/// Hu, "Topology Mapping of Parallel Applications onto Random Allocations", section IV (run times that depend on
/// dilation and shared links).
pub(super) const NETWORK: ModelEntry = ModelEntry {
    name: "network",
    about: "a job's speed is what the network gives its traffic beside the jobs that run with it",
    example: "network:share=0.3,guest=stencil3d",
    options: &join::<6, 10, 16>(
        SPEED_OPTIONS,
        [
            Opt::number(
                "share",
                "share of the run time in which a job sends, on a compact allocation",
            )
            .or_else("0.2"),
            Opt::text(
                "guest",
                "traffic of every job: a pattern for any size, or a guest",
            )
            .or_else("stencil3d"),
            Opt::file(
                "apps",
                "applications, drawn by seed: CSV app,weight,guest,share (no share with speed=)",
            )
            .or_else("one: share= and guest="),
            Opt::text(
                "bytes",
                "what a process sends in an iteration on the mean, such as 1MB",
            )
            .or_else("1"),
            Opt::text(
                "compute",
                "computing in an iteration, such as 20ms, instead of a share",
            )
            .or_else("by share"),
            Opt::text(
                "speed",
                "operations a second, such as 1Gf: jobs run their benchmark once",
            )
            .or_else("run times are the trace's"),
            Opt::name_of(
                "routing",
                || ROUTINGS.names().collect(),
                "which links the traffic takes",
            )
            .or_else("dimension-order on grids, else ecmp-path"),
            Opt::one_of(
                "level",
                &["flow", "job"],
                "how closely messages are followed",
            )
            .or_else("flow with speed=, else job"),
            Opt::flag("kill", "end jobs at their requested times"),
            SEED,
        ],
    ),
    parse: BuildModel {
        stretches: true,
        links: true,
        make: |params, context, tasks| Ok(Box::new(Network::new(params, context, tasks)?)),
    },
};

/// Windows of an ordering that are tried for the compact allocation.
const WINDOWS: usize = 4;

/// Iterations of each job that meets others: as many as `corun` takes.
const ITERATIONS: u64 = 30;

/// An application: its name, how often it is drawn, its traffic.
#[derive(Clone, Debug)]
struct Application {
    name: String,
    weight: f64,
    guest: String,
    share: f64,
    location: SourceLocation,
}

/// Traffic and reference times of an application's jobs of one size.
struct Known {
    /// The phases of an iteration.
    phases: Vec<Phase>,
    processes: u32,
    /// Iterations of a run, where it is a benchmark's.
    iterations: Option<u32>,
    /// Seconds of an iteration on the compact allocation.
    reference: f64,
    /// How much of these is latency.
    latency: f64,
}

/// A running task.
struct Job {
    nodes: u32,
    /// Ticks by the trace.
    run: i64,
    start: i64,
    /// Ticks that it would take alone here.
    alone: i64,
    /// How many of them, less those of the compact allocation, are latency.
    latency: i64,
    /// Seconds of an iteration on the compact allocation.
    reference: f64,
    /// Seconds of an iteration now.
    seconds: f64,
    /// Ticks of the compact allocation that were left at `since`.
    left: f64,
    since: i64,
    end: i64,
    /// The latest end allowed.
    limit: i64,
}

struct Network<'a> {
    applications: Vec<Application>,
    /// The application of each task.
    drawn: Vec<u32>,
    /// The applications in words.
    what: String,
    detail: Detail,
    channels: Channels,
    bytes: f64,
    compute: Option<f64>,
    /// Operations a second of a process, where tasks run benchmarks.
    speed: Option<f64>,
    kill: bool,
    routing: FixedRouting,
    topology: &'a Topology,
    order: &'a NodeOrder,
    fabric: Fabric<'a>,
    /// The orderings whose windows may be compact.
    compact: Vec<NodeOrder>,
    known: HashMap<(u32, u32), Known>,
    recent: RecentJobs,
    level: Level,
    jobs: BTreeMap<u32, Job>,
    changed: bool,
    lost: Lost,
}

impl<'a> Network<'a> {
    fn new(params: &Params, context: &AllocatorContext<'a>, tasks: usize) -> Result<Self> {
        let topology = context.topology;
        let share = params.real("share", 0.0, 1.0)?;
        let guest = params.word("guest")?;
        let file = params.path("apps")?;
        let compute = params.quantity("compute", Unit::Seconds)?;
        let speed = params.quantity("speed", Unit::Speed)?;
        if let (Some(_), Some(key)) = (
            speed,
            ["share", "bytes", "compute"]
                .into_iter()
                .find(|key| params.has(key)),
        ) {
            return Err(params.wrong(key, "either it or speed=, with which benchmarks say it"));
        }
        if speed == Some(0.0) {
            return Err(params.wrong("speed", "more than 0"));
        }
        let bytes = params.quantity("bytes", Unit::Bytes)?.unwrap_or(1.0);
        if bytes <= 0.0 {
            return Err(params.wrong("bytes", "more than 0"));
        }
        let speeds = Figures::from_params(params, topology.context().memory)?.speeds(1.0);
        let by_job = params
            .chosen("level")?
            .map_or(speed.is_none(), |level| level == "job");
        let detail = if by_job { Detail::Job } else { Detail::Flow };
        if compute.is_some() && share.is_some() {
            return Err(params.wrong("share", "either share= or compute="));
        }
        if let (Some(_), Some(key)) = (
            &file,
            ["share", "guest"].into_iter().find(|k| params.has(k)),
        ) {
            return Err(params.wrong(key, "no share= or guest= beside apps=, whose file has them"));
        }
        let routing = super::routing(params, topology)?;
        let kill = params.flag("kill")?;
        let seed = params.seed()?;
        let (applications, what) = match &file {
            Some(path) => {
                let read = applications::read(path, speed.is_some(), topology.context())?;
                let what = format!("applications of {}", path.display());
                (read, what)
            }
            None => {
                let app = Application {
                    name: "jobs".into(),
                    weight: 1.0,
                    guest: guest.unwrap_or_else(|| "stencil3d".into()),
                    share: share.unwrap_or(0.2),
                    location: params.location_of("guest"),
                };
                app.check(speed.is_some(), topology.context())?;
                let what = app.what(speed.is_some(), compute);
                (vec![app], what)
            }
        };
        let fabric = Fabric::new(topology)?;
        let channels = Channels::new(topology, fabric.links, &speeds);
        Ok(Network {
            drawn: applications::draw(&applications, tasks, seed),
            applications,
            what,
            level: Level::new(channels.clone(), ITERATIONS),
            detail,
            channels,
            bytes,
            compute,
            speed,
            kill,
            routing,
            topology,
            order: context.order,
            fabric,
            compact: compact(topology)?,
            known: HashMap::new(),
            recent: RecentJobs::default(),
            jobs: BTreeMap::new(),
            changed: false,
            lost: Lost::default(),
        })
    }

    /// A job on some nodes.
    fn place(&self, phases: &[Phase], nodes: Vec<NodeId>) -> Result<PlacedJob> {
        let mapping = ProcessMapping::new(self.topology, "a job", nodes)?;
        let Network {
            fabric,
            routing,
            channels,
            ..
        } = self;
        PlacedJob::new(self.detail, fabric, *routing, phases, &mapping, channels)
    }

    /// A task of a known size on its nodes, and how many of its seconds alone are latency.
    fn placed(&mut self, place: Place) -> Result<(Arc<PlacedJob>, f64)> {
        if let Some(found) = self.recent.find(&place) {
            return Ok(found);
        }
        let phases = &self.known[&(place.0, place.1)].phases;
        let pairs = phases.iter().map(|phase| phase.guest.pair_count()).sum();
        let job = self.place(phases, place.2.clone())?;
        let latency = job.latency(&self.channels);
        let found = (Arc::new(job), latency);
        self.recent.keep(place, pairs, found.clone());
        Ok(found)
    }

    /// Makes an application's jobs of one size known.
    fn prepare(&mut self, app: u32, task: &Task) -> Result<()> {
        if self.known.contains_key(&(app, task.nodes)) {
            return Ok(());
        }
        let application = &self.applications[app as usize];
        let context = self.topology.context();
        let (mut phases, operations, iterations) = match self.speed {
            None => {
                let guest = application.guest(task.nodes, task.id, context)?;
                let phase = Phase {
                    compute: 0.0,
                    guest,
                    bytes: self.bytes,
                    messages: 1.0,
                };
                (vec![phase], 0.0, None)
            }
            Some(_) => {
                let made = Benchmark::sized(&application.guest, task.nodes, context)?;
                (
                    Phase::of_stages(&made, 0.0),
                    made.operations,
                    Some(made.iterations),
                )
            }
        };
        let processes = match iterations {
            None => phases[0].guest.processes(),
            Some(_) => task.nodes,
        };
        let count = processes as usize;
        let windows = self.compact.iter().flat_map(|order| {
            let last = order.len().saturating_sub(count);
            let mut starts: Vec<usize> = (0..WINDOWS).map(|i| last * i / (WINDOWS - 1)).collect();
            starts.dedup();
            starts
                .into_iter()
                .map(move |start| &order.nodes()[start..start + count])
        });
        let windows: Vec<&[NodeId]> = windows.collect();
        let alone = |nodes: &&[NodeId]| {
            let placed = self.place(&phases, nodes.to_vec())?;
            Ok((placed.alone(), placed.latency(&self.channels)))
        };
        let all: Vec<(f64, f64)> = windows.par_iter().map(alone).collect::<Result<_>>()?;
        let first = (f64::INFINITY, 0.0);
        let less = |a: (f64, f64), b: (f64, f64)| if b.0 < a.0 { b } else { a };
        let (least, latency) = all.into_iter().fold(first, less);
        let silent = self.compute.is_none() && self.speed.is_none() && application.share == 0.0;
        let compute = match (self.compute, self.speed) {
            (Some(seconds), _) => seconds,
            (_, Some(speed)) => operations / speed,
            // A job that never sends: what it would send does not count.
            _ if silent || least == 0.0 => 1.0,
            _ => least * (1.0 - application.share) / application.share,
        };
        if silent {
            phases[0].guest = Guest::new("nothing", task.nodes, [])?;
        }
        match phases.first_mut() {
            Some(first) => first.compute = compute,
            None => {
                let guest = Guest::new("nothing", task.nodes, [])?;
                phases.push(Phase {
                    compute,
                    guest,
                    bytes: 0.0,
                    messages: 1.0,
                });
            }
        }
        let (sends, latency) = if silent { (0.0, 0.0) } else { (least, latency) };
        let reference = compute + sends;
        if reference <= 0.0 {
            let location = SourceLocation::option(format!("job {}", task.id));
            let found = format!("an iteration of 0 s ({})", application.location);
            return Err(Error::input(
                location,
                found,
                "compute= above 0 where nothing is sent",
            ));
        }
        let known = Known {
            phases,
            processes,
            iterations,
            reference,
            latency,
        };
        self.known.insert((app, task.nodes), known);
        Ok(())
    }
}

impl Model for Network<'_> {
    fn rule(&self) -> String {
        let ends = if self.kill {
            "; jobs end at their requested times"
        } else {
            ""
        };
        let rate = match self.channels.speeds {
            Speeds {
                bandwidth, latency, ..
            } if bandwidth != 1.0 || latency != 0.0 => {
                let (bandwidth, latency) = (six_digits(bandwidth), six_digits(latency));
                format!(", {bandwidth} bytes a second a link, {latency} s a hop")
            }
            _ => String::new(),
        };
        let nodes = if self.channels.speeds.node_links_shared {
            "shared"
        } else {
            "free"
        };
        let rate = format!("{rate}, node links {nodes}");
        let run = match self.speed {
            Some(speed) => format!("jobs run a benchmark once, {speed} operations a second"),
            None => "the trace's run times stand for a compact allocation, alone".into(),
        };
        format!(
            "network: {run}; speed is what links give a job \
             beside those that run with it ({}, routing {}{rate}{ends})",
            self.what,
            self.routing.name()
        )
    }

    fn start(&mut self, start: &Start<'_>) -> Result<i64> {
        let app = self.drawn[start.index as usize];
        self.prepare(app, start.task)?;
        let known = &self.known[&(app, start.task.nodes)];
        let (reference, least) = (known.reference, known.latency);
        let run = known.iterations.map_or(start.task.run, |iterations| {
            super::stretched(TICKS, f64::from(iterations) * reference)
        });
        let nodes = start.ranks.iter().take(known.processes as usize);
        let nodes = nodes.map(|rank| self.order.nodes()[rank as usize]);
        let (placed, latency) = self.placed((app, start.task.nodes, nodes.collect()))?;
        let seconds = placed.alone();
        let latency = (run as f64 * (latency - least) / reference).round() as i64;
        self.level.start(start.index, placed);
        let alone = super::stretched(run, seconds / reference);
        let limit = if self.kill {
            start.now + start.task.requested
        } else {
            i64::MAX
        };
        self.jobs.insert(
            start.index,
            Job {
                nodes: start.task.nodes,
                run,
                start: start.now,
                alone,
                latency,
                reference,
                seconds,
                left: run as f64,
                since: start.now,
                end: start.now + alone.min(limit - start.now),
                limit,
            },
        );
        self.changed = true;
        Ok(alone.min(limit - start.now))
    }

    fn end(&mut self, task: u32) {
        let Some(job) = self.jobs.remove(&task) else {
            return;
        };
        self.level.end(task);
        self.changed = true;
        // Less than a tick is rounding.
        let since = (job.end - job.since) as f64;
        let done = job.end < job.limit || job.left - since * job.reference / job.seconds < 1.0;
        let alone = if done {
            job.alone
        } else {
            job.alone.min(job.limit - job.start)
        };
        let hours = |ticks: i64| i128::from(job.nodes) * i128::from(ticks);
        // A job ended early lost so much of either as it had time for.
        let own = alone - job.run.min(job.limit - job.start);
        let latency = if done {
            job.latency
        } else {
            job.latency.clamp(own.min(0), own.max(0))
        };
        self.lost.latency += hours(latency);
        self.lost.links += hours(own - latency);
        self.lost.sharing += hours(job.end - job.start - alone);
        self.lost.killed += u32::from(!done);
    }

    fn settle(&mut self, now: i64, moves: &mut dyn FnMut(u32, i64)) -> Result<()> {
        if !std::mem::take(&mut self.changed) {
            return Ok(());
        }
        for (task, seconds) in self.level.update() {
            let Some(job) = self.jobs.get_mut(&task) else {
                continue;
            };
            if seconds == job.seconds {
                continue;
            }
            job.left -= (now - job.since) as f64 * job.reference / job.seconds;
            (job.since, job.seconds) = (now, seconds);
            let ticks = super::stretched(1, job.left.max(0.0) * seconds / job.reference);
            let end = (now + ticks).min(job.limit);
            if job.end != end {
                job.end = end;
                moves(task, end);
            }
        }
        Ok(())
    }

    fn lost(&self) -> Option<Lost> {
        Some(self.lost)
    }
}

/// The orderings whose windows may be compact: those that `compare` starts from and that are quickly made.
fn compact(topology: &Topology) -> Result<Vec<NodeOrder>> {
    let slow = [
        "random",
        "spectral",
        "nearest",
        "dfs",
        "hierarchical:scatter=true",
    ];
    let texts = defaults::suiting(topology)
        .into_iter()
        .filter(|t| !slow.contains(&t.as_str()));
    texts
        .collect::<Vec<_>>()
        .par_iter()
        .map(|text| NodeOrder::make(topology, text))
        .collect()
}
