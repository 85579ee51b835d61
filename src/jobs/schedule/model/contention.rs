//! Run times that grow with distance and with what other jobs put on the same links, as they come and go.

use std::collections::{BTreeMap, HashMap};

use super::compact::Compact;
use super::*;
use nodeorder_base::params::{Opt, Params};
use nodeorder_network::topology::Topology;
use nodeorder_order::ordering::NodeOrder;
use nodeorder_traffic::mapping::guest::{sized, sized_names};
use nodeorder_traffic::mapping::{
    CombinedLoad, Demand, Dilation, Fabric, FixedRouting, Guest, JobLoad, ProcessMapping, ROUTINGS,
};

/// `contention[:latency=1,sharing=1,base=HOPS,share=jobs,guest=all-to-all,routing=…]`: a task's process i runs on its i-th lowest rank and sends as `guest` does, each process sending
/// one unit a time on the mean. With d its volume-weighted mean dilation, d₀ that of the compact placement (or
/// `base` hops, the same on every machine), and s what other jobs do to its links, its run time grows by the
/// factor
///
/// `1 + latency · max(0, d - d₀) / max(1, d₀) + sharing · (s - 1)`.
///
/// s is the most running jobs that load any one of its links, itself included; with `share=load` it is the
/// highest contention now met on any of its links over the highest that it causes alone. s changes as tasks
/// start and end: what is left of a task is then stretched by the new factor over the old one, and its end
/// moves. Guests: `all-to-all`, `ring`, `stencil2d`, `stencil3d` (grids as square as the number of processes
/// allows). The routing is dimension-order on grids and ecmp-path elsewhere unless given.
///
/// # Limits
/// Links slow all jobs on them alike; traffic inside a router is free.
///
/// # Complexity
/// A start costs that of the routing; every instant O(links loaded by running tasks).
///
/// # References
/// Hu, "Topology Mapping of Parallel Applications onto Random Allocations", sections II.A and IV.B.
pub(super) const CONTENTION: ModelEntry = ModelEntry {
    name: "contention",
    about: "run times grow with dilation and with the share others have of a job's links, as they come and go",
    example: "contention:latency=0.5,sharing=1,guest=all-to-all",
    options: &[
        Opt::number(
            "latency",
            "growth a mean hop more, relative to the compact allocation's",
        )
        .or("1"),
        Opt::number(
            "sharing",
            "growth for each other job on the most shared link",
        )
        .or("1"),
        BASE,
        Opt::one_of(
            "share",
            &["jobs", "load"],
            "what counts as sharing: jobs on a link, or their load",
        ),
        Opt::name_of("guest", sized_names, "traffic of every job").or("all-to-all"),
        Opt::name_of(
            "routing",
            || ROUTINGS.names().collect(),
            "which links the traffic takes",
        )
        .or_else("dimension-order on grids, else ecmp-path"),
    ],
    parse: BuildModel {
        stretches: true,
        links: true,
        make: |params, context, _| Ok(Box::new(Contention::new(params, context)?)),
    },
};

/// One running task.
struct Job {
    load: JobLoad,
    /// The highest contention that it causes alone.
    alone: f64,
    /// Its factor without others.
    still: f64,
    /// Its run time at factor 1, until it has run for a while.
    fresh: Option<i64>,
    factor: f64,
    end: i64,
}

struct Contention<'a> {
    latency: f64,
    sharing: f64,
    /// d₀ where it is given.
    base: Option<f64>,
    /// Whether shares are those of load, not of jobs.
    by_load: bool,
    guest: &'static str,
    routing: FixedRouting,
    topology: &'a Topology,
    order: &'a NodeOrder,
    fabric: Fabric<'a>,
    compact: Compact,
    /// Guests by size, and their mean dilation on the compact placement.
    guests: HashMap<u32, (Guest, f64)>,
    load: CombinedLoad,
    jobs: BTreeMap<u32, Job>,
    /// Whether the load has changed since ends were set.
    changed: bool,
}

impl<'a> Contention<'a> {
    fn new(params: &Params, context: &AllocatorContext<'a>) -> Result<Self> {
        let topology = context.topology;
        let routing = super::routing(params, topology)?;
        let fabric = Fabric::new(topology)?;
        Ok(Contention {
            latency: params.number("latency", 0.0, 1e6)?,
            sharing: params.number("sharing", 0.0, 1e6)?,
            base: super::base(params)?,
            by_load: params.choice("share")? == "load",
            guest: params.choice("guest")?,
            routing,
            topology,
            order: context.order,
            load: CombinedLoad::new(fabric.links.len()),
            fabric,
            compact: Compact::new(context)?,
            guests: HashMap::new(),
            jobs: BTreeMap::new(),
            changed: false,
        })
    }

    /// The traffic between nodes of a guest whose process i runs on the i-th of `ranks`.
    fn demand(&self, guest: &Guest, ranks: impl Iterator<Item = u32>) -> Result<Demand> {
        let nodes = ranks
            .map(|rank| self.order.nodes()[rank as usize])
            .collect();
        Demand::new(
            self.topology,
            guest,
            &ProcessMapping::new(self.topology, "a job", nodes)?,
        )
    }

    /// Makes the guest of `count` processes known, with its dilation on the compact placement.
    fn prepare(&mut self, count: u32) -> Result<()> {
        if self.guests.contains_key(&count) {
            return Ok(());
        }
        let guest = sized(self.guest, count, self.topology.context())?;
        let demand = self.demand(&guest, self.compact.ranks(count).into_iter())?;
        let dilation = match self.base {
            Some(base) => base,
            None => Dilation::of(&self.fabric, &demand, self.routing)?.mean,
        };
        self.guests.insert(count, (guest, dilation));
        Ok(())
    }

    /// The factor of a job among those running.
    fn factor(&self, job: &Job) -> f64 {
        if job.alone <= 0.0 || self.sharing == 0.0 {
            return job.still;
        }
        let (jobs, met) = self.load.met_by(self.fabric.links, &job.load);
        let share = if self.by_load {
            met / job.alone
        } else {
            f64::from(jobs)
        };
        job.still + self.sharing * (share - 1.0).max(0.0)
    }
}

impl Model for Contention<'_> {
    fn rule(&self) -> String {
        let share = match self.by_load {
            true => "the highest contention on the job's links over that of the job alone",
            false => "the most jobs on one of the job's links",
        };
        format!(
            "contention: run time of the trace times 1 + {} · max(0, d - d0) / max(1, d0) + {} · (s - 1), d the \
             mean dilation of {} traffic by {}, d0 {}, s {share}",
            self.latency,
            self.sharing,
            self.guest,
            self.routing.name(),
            super::reference(self.base)
        )
    }

    fn start(&mut self, start: &Start<'_>) -> Result<i64> {
        let count = start.task.nodes;
        self.prepare(count)?;
        let (guest, least) = &self.guests[&count];
        let demand = self.demand(guest, start.ranks.iter())?;
        let dilation = Dilation::of(&self.fabric, &demand, self.routing)?.mean;
        let more = (dilation - least).max(0.0) / least.max(1.0);
        let loads = self.routing.loads(&self.fabric, &demand)?;
        let links = loads.iter().enumerate();
        let alone = links
            .map(|(i, load)| load / self.fabric.links.capacity(i))
            .fold(0.0, f64::max);
        let load = JobLoad::new(&loads);
        self.load.add(&load);
        self.changed = true;
        let still = 1.0 + self.latency * more;
        let duration = stretched(start.task.run, still);
        let fresh = Some(start.task.run);
        let end = start.now + duration;
        self.jobs.insert(
            start.index,
            Job {
                load,
                alone,
                still,
                fresh,
                factor: still,
                end,
            },
        );
        Ok(duration)
    }

    fn end(&mut self, task: u32) {
        if let Some(job) = self.jobs.remove(&task) {
            self.load.remove(&job.load);
            self.changed = true;
        }
    }

    fn settle(&mut self, now: i64, moves: &mut dyn FnMut(u32, i64)) -> Result<()> {
        if !std::mem::take(&mut self.changed) {
            return Ok(());
        }
        let factors: Vec<f64> = self.jobs.values().map(|job| self.factor(job)).collect();
        for ((task, job), factor) in self.jobs.iter_mut().zip(factors) {
            let left = match job.fresh.take() {
                Some(run) => stretched(run, factor),
                None if factor == job.factor => continue,
                None => stretched(job.end - now, factor / job.factor),
            };
            job.factor = factor;
            if job.end != now + left {
                job.end = now + left;
                moves(*task, job.end);
            }
        }
        Ok(())
    }
}
