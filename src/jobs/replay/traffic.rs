//! Traffic of jobs on links: every live job sends in the same pattern; what each adds to links and meets there.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, hash_map::Entry};

use nodeorder_base::{Ranks, Result};
use nodeorder_order::NodeOrder;
use nodeorder_trace::JobKey;
use nodeorder_traffic::mapping::guest::make_sized_guest;
use nodeorder_traffic::mapping::{
    CombinedLoad, Demand, Dilation, Fabric, FixedRouting, Guest, JobLoad, ProcessMapping,
};

/// Pattern and routing of the traffic of jobs, the same for all.
#[derive(Clone, Copy)]
pub struct TrafficSettings<'a> {
    fabric: &'a Fabric<'a>,
    pub(super) pattern: &'a str,
    pub(super) routing: FixedRouting,
}

impl<'a> TrafficSettings<'a> {
    /// Creates the settings; `pattern` is one of [`nodeorder_traffic::mapping::guest::sized_names`]. Fails if the
    /// pattern is unknown or the routing does not suit the machine.
    pub fn new(fabric: &'a Fabric<'a>, pattern: &'a str, routing: FixedRouting) -> Result<Self> {
        make_sized_guest(pattern, 2, fabric.topology.context())?;
        routing.check_machine(fabric.topology)?;
        Ok(TrafficSettings {
            fabric,
            pattern,
            routing,
        })
    }
}

/// Time that a job of a schedule spends on its ranks.
#[derive(Clone, Copy, Debug)]
pub struct Interval<'r> {
    /// Start time.
    pub from: i64,
    /// End time.
    pub to: i64,
    /// Ranks of the job.
    pub ranks: &'r Ranks,
}

/// Dilation and contention of one job's traffic. Each process sends one unit on the mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JobTraffic {
    /// Mean path length of the traffic, weighted by volume.
    pub dilation_mean: f64,
    /// Largest mean path length of a pair of processes.
    pub dilation_max: f64,
    /// Volume times hops.
    pub hop_bytes: f64,
    /// Share of the volume that leaves a router.
    pub between_routers: f64,
    /// Highest contention on the job's links if it is alone: load over capacity.
    pub contention_alone: f64,
    /// Highest contention on the job's links with all live jobs, itself included.
    pub contention_met: f64,
    /// Largest number of jobs on one of the job's links, itself included.
    pub jobs_met: u32,
}

/// Sums of traffic figures over all jobs of two nodes and more.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TrafficTotals {
    /// Number of jobs.
    pub jobs: u64,
    /// Sum of [`JobTraffic::dilation_mean`].
    pub dilation: f64,
    /// Sum of [`JobTraffic::contention_alone`].
    pub contention_alone: f64,
    /// Sum of [`JobTraffic::contention_met`].
    pub contention_met: f64,
    /// Sum of [`JobTraffic::jobs_met`].
    pub jobs_met: u64,
    /// Highest contention that any job met.
    pub max_contention_met: f64,
}

impl TrafficTotals {
    /// Divides `sum` by the number of jobs; `None` without jobs.
    pub fn mean_over_jobs(&self, sum: f64) -> Option<f64> {
        (self.jobs > 0).then(|| sum / self.jobs as f64)
    }
}

/// Traffic of the live jobs of one replay or schedule.
pub struct Traffic<'a> {
    settings: TrafficSettings<'a>,
    order: &'a NodeOrder,
    /// Guests by number of nodes: logs repeat sizes.
    guests: HashMap<u32, Guest>,
    /// Load of all live jobs on the links.
    load: CombinedLoad,
    /// Load of each live job on the links, by key.
    live_loads: Vec<Option<JobLoad>>,
    totals: TrafficTotals,
}

impl<'a> Traffic<'a> {
    /// Creates the state without jobs. Fails if it takes more memory than allowed.
    pub fn new(settings: TrafficSettings<'a>, order: &'a NodeOrder) -> Result<Self> {
        let TrafficSettings { fabric, .. } = settings;
        fabric
            .topology
            .require_memory("the loads of links", 28 * fabric.links.len() as u64)?;
        Ok(Traffic {
            settings,
            order,
            guests: HashMap::new(),
            load: CombinedLoad::new(fabric.links.len()),
            live_loads: Vec::new(),
            totals: TrafficTotals::default(),
        })
    }

    /// Adds the traffic of a job that starts on `ranks`, process i on the i-th lowest, and returns what it meets.
    /// Fails if that takes more memory than allowed.
    ///
    /// # Complexity
    /// One routing of its traffic, and O(links).
    pub fn start_job(&mut self, job: JobKey, ranks: &Ranks) -> Result<JobTraffic> {
        let TrafficSettings {
            fabric,
            pattern,
            routing,
        } = self.settings;
        let topology = fabric.topology;
        let count = ranks.len();
        let guest = match self.guests.entry(count) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(make_sized_guest(pattern, count, topology.context())?),
        };
        let nodes = ranks
            .iter()
            .map(|rank| self.order.nodes()[rank as usize])
            .collect();
        let demand = Demand::new(
            topology,
            guest,
            &ProcessMapping::new(topology, "a job", nodes)?,
        )?;
        let dilation = Dilation::measure_paths(fabric, &demand, routing)?;
        let loads = routing.link_loads(fabric, &demand)?;
        let mut contention_alone: f64 = 0.0;
        for (link, load) in loads.iter().enumerate() {
            contention_alone = contention_alone.max(load / fabric.links.capacity(link));
        }
        let load = JobLoad::new(&loads);
        self.load.add_job(&load);
        let (jobs_met, contention_met) = self.load.most_on_links(fabric.links, &load);
        if self.live_loads.len() <= job.index() {
            self.live_loads.resize(job.index() + 1, None);
        }
        self.live_loads[job.index()] = Some(load);
        let outside = demand.volume - demand.inside_volume;
        let job = JobTraffic {
            dilation_mean: dilation.mean,
            dilation_max: dilation.max,
            hop_bytes: dilation.hop_bytes,
            between_routers: if demand.volume > 0.0 {
                outside / demand.volume
            } else {
                0.0
            },
            contention_alone,
            contention_met,
            jobs_met,
        };
        // A job of one node sends nothing over links and would only pull the means down.
        if count > 1 {
            let totals = &mut self.totals;
            totals.jobs += 1;
            totals.dilation += job.dilation_mean;
            totals.contention_alone += job.contention_alone;
            totals.contention_met += job.contention_met;
            totals.jobs_met += u64::from(jobs_met);
            totals.max_contention_met = totals.max_contention_met.max(contention_met);
        }
        Ok(job)
    }

    /// Removes the traffic of a job that ends; nothing if it was skipped.
    pub fn end_job(&mut self, job: JobKey) {
        if let Some(load) = self.live_loads.get_mut(job.index()).and_then(Option::take) {
            self.load.remove_job(&load);
        }
    }

    /// Measures the traffic of all jobs of a schedule, given in the order of their starts: each meets those that
    /// started before it and have not ended by then. Fails as [`Traffic::start_job`].
    pub fn measure_schedule(&mut self, stays: &[Interval<'_>]) -> Result<Vec<JobTraffic>> {
        let mut ends = BinaryHeap::new();
        let mut met = Vec::with_capacity(stays.len());
        for (job, stay) in (0..).zip(stays) {
            // A job that ends as another starts is gone by then, as in the event loop.
            while let Some(Reverse((to, gone))) = ends.peek().copied()
                && to <= stay.from
            {
                ends.pop();
                self.end_job(JobKey(gone));
            }
            ends.push(Reverse((stay.to, job)));
            met.push(self.start_job(JobKey(job), stay.ranks)?);
        }
        Ok(met)
    }

    /// Returns the sums over all jobs so far.
    pub fn totals(&self) -> TrafficTotals {
        self.totals
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_base::Run;
    use nodeorder_network::{Context, Topology};
    use nodeorder_traffic::mapping;

    #[test]
    fn jobs_meet_each_other_on_links_and_leave_nothing_behind() {
        let topology = Topology::inline("mesh:8", &Context::default()).unwrap();
        let order = NodeOrder::make(&topology, "row-major").unwrap();
        let fabric = Fabric::new(&topology).unwrap();
        let routing = FixedRouting::find_by_name("dimension-order").unwrap();
        let settings = TrafficSettings::new(&fabric, "ring", routing).unwrap();
        let mut traffic = Traffic::new(settings, &order).unwrap();
        let ranks = |runs: &[(u32, u32)]| {
            let mut ranks = Ranks::default();
            runs.iter().for_each(|(first, count)| {
                ranks.push(Run {
                    first: *first,
                    count: *count,
                })
            });
            ranks
        };
        // Nodes 0 and 7: a unit each way along the whole line.
        let far = traffic
            .start_job(JobKey(0), &ranks(&[(0, 1), (7, 1)]))
            .unwrap();
        assert_eq!(
            (far.dilation_mean, far.contention_alone, far.jobs_met),
            (7.0, 1.0, 1)
        );
        // Nodes 3 and 4 share the link in the middle with it.
        let near = traffic.start_job(JobKey(1), &ranks(&[(3, 2)])).unwrap();
        assert_eq!(
            (near.contention_alone, near.contention_met, near.jobs_met),
            (1.0, 2.0, 2)
        );
        traffic.end_job(JobKey(0));
        let again = traffic.start_job(JobKey(2), &ranks(&[(5, 2)])).unwrap();
        assert_eq!((again.contention_met, again.jobs_met), (1.0, 1));
        traffic.end_job(JobKey(7));
        assert_eq!(
            (traffic.totals().jobs, traffic.totals().max_contention_met),
            (3, 2.0)
        );
        // Alone on the machine, a job's figures are those of the analysis.
        let guest = make_sized_guest("ring", 4, &Context::default()).unwrap();
        let nodes = [0, 2, 5, 6].map(nodeorder_base::ids::NodeId).to_vec();
        let placement = ProcessMapping::new(&topology, "by hand", nodes).unwrap();
        let whole = mapping::analyse(&fabric, &guest, &placement, routing).unwrap();
        let mut alone = Traffic::new(settings, &order).unwrap();
        let job = alone
            .start_job(JobKey(3), &ranks(&[(0, 1), (2, 1), (5, 2)]))
            .unwrap();
        assert_eq!(job.dilation_mean, whole.dilation.mean);
        assert_eq!(job.contention_alone, whole.contention.max);
        assert_eq!(job.between_routers, whole.share_between_routers);
        // In time: the second job meets the first, the third comes when both have just gone.
        let ranks = [ranks(&[(0, 1), (7, 1)]), ranks(&[(3, 2)]), ranks(&[(2, 3)])];
        let stays = [(0, 5), (1, 9), (9, 12)];
        let stays = stays
            .iter()
            .zip(&ranks)
            .map(|(&(from, to), ranks)| Interval { from, to, ranks });
        let mut timed = Traffic::new(settings, &order).unwrap();
        let met = timed.measure_schedule(&stays.collect::<Vec<_>>()).unwrap();
        assert_eq!(
            met.iter().map(|t| t.jobs_met).collect::<Vec<_>>(),
            [1, 2, 1]
        );
        assert_eq!((met[0], met[1]), (far, near));
        assert_eq!(timed.totals().jobs, 3);
    }
}
