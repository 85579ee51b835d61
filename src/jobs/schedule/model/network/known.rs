//! Reference times: the traffic of an application's jobs of one size, and their iteration time on the compact
//! allocation.

use std::sync::Arc;

use rayon::prelude::*;

use super::recent::JobPlacement;
use super::state::{NetworkModel, ReferenceTimes};
use crate::schedule::task::Task;
use nodeorder_base::{Error, NodeId, Result};
use nodeorder_traffic::corun::{Phase, PlacedJob};
use nodeorder_traffic::mapping::guest::Benchmark;
use nodeorder_traffic::mapping::{Guest, ProcessMapping};

/// Number of windows of an ordering that are tried as the compact allocation.
const WINDOWS: usize = 4;

impl NetworkModel<'_> {
    /// Places a job on some nodes and routes its traffic. Fails if that takes more memory than allowed.
    fn route_job(&self, phases: &[Phase], nodes: Vec<NodeId>) -> Result<PlacedJob> {
        let mapping = ProcessMapping::new(self.topology, "a job", nodes)?;
        PlacedJob::new(
            self.options.detail,
            &self.fabric,
            self.routing,
            phases,
            &mapping,
            &self.channels,
        )
    }

    /// Places a task of a known size on its nodes, or takes it from the cache; returns also the seconds of
    /// latency in its iteration alone.
    pub fn routed_job(&mut self, place: JobPlacement) -> Result<(Arc<PlacedJob>, f64)> {
        if let Some(found) = self.recent.find_job(&place) {
            return Ok(found);
        }
        let phases = &self.references[&(place.0, place.1)].phases;
        let pairs = phases.iter().map(|phase| phase.guest.pair_count()).sum();
        let job = self.route_job(phases, place.2.clone())?;
        let latency = job.latency_share(&self.channels);
        let found = (Arc::new(job), latency);
        self.recent.add_job(place, pairs, found.clone());
        Ok(found)
    }

    /// Finds the least seconds of sending in an iteration among the windows of all orderings, and the latency in them.
    fn compact_times(&self, phases: &[Phase], processes: usize) -> Result<(f64, f64)> {
        let mut windows = Vec::new();
        for order in &self.compact {
            let last = order.len().saturating_sub(processes);
            let mut starts: Vec<usize> = (0..WINDOWS).map(|i| last * i / (WINDOWS - 1)).collect();
            // A job nearly as large as the machine has fewer windows.
            starts.dedup();
            for start in starts {
                windows.push(&order.nodes()[start..start + processes]);
            }
        }
        let times: Vec<(f64, f64)> = windows
            .par_iter()
            .map(|nodes| {
                let placed = self.route_job(phases, nodes.to_vec())?;
                Ok((placed.time_alone(), placed.latency_share(&self.channels)))
            })
            .collect::<Result<_>>()?;
        // Of equal times the first, so that the latency does not depend on threads.
        let mut least = (f64::INFINITY, 0.0);
        for time in times {
            if time.0 < least.0 {
                least = time;
            }
        }
        Ok(least)
    }

    /// Computes the reference times of an application's jobs of one size, unless they are known. Fails if an iteration
    /// takes no time, or the guest does not fit the size.
    pub fn prepare_reference(&mut self, app: u32, task: &Task) -> Result<()> {
        if self.references.contains_key(&(app, task.nodes)) {
            return Ok(());
        }
        let application = &self.applications[app as usize];
        let context = self.topology.context();
        let mut operations = 0.0;
        let mut iterations = None;
        let mut processes = task.nodes;
        let mut phases = if self.options.speed.is_some() {
            let made = Benchmark::make_sized(&application.guest, task.nodes, context)?;
            operations = made.operations;
            iterations = Some(made.iterations);
            Phase::from_stages(&made, 0.0)
        } else {
            let guest = application.make_guest(task.nodes, task.id, context)?;
            processes = guest.processes();
            vec![Phase {
                compute: 0.0,
                guest,
                bytes: self.options.bytes,
                messages: 1.0,
            }]
        };
        let (mut sends, mut latency) = self.compact_times(&phases, processes as usize)?;
        let compute = match (self.options.compute, self.options.speed) {
            (Some(seconds), _) => seconds,
            (_, Some(speed)) => operations / speed,
            // A job that never sends: what its guest would send does not count.
            _ if application.share == 0.0 => {
                phases[0].guest = Guest::new("nothing", task.nodes, [])?;
                sends = 0.0;
                latency = 0.0;
                1.0
            }
            // Nothing to send at any share: only the ratio to the run time counts, so any time will do.
            _ if sends == 0.0 => 1.0,
            _ => sends * (1.0 - application.share) / application.share,
        };
        // A benchmark without stages only computes.
        if phases.is_empty() {
            phases.push(Phase {
                compute,
                guest: Guest::new("nothing", task.nodes, [])?,
                bytes: 0.0,
                messages: 1.0,
            });
        }
        phases[0].compute = compute;
        let reference = compute + sends;
        if reference <= 0.0 {
            let found = format!("an iteration of 0 s ({})", application.location);
            return Err(Error::option(
                format!("job {}", task.id),
                found,
                "compute= above 0 where nothing is sent",
            ));
        }
        let known = ReferenceTimes {
            phases,
            processes,
            iterations,
            reference,
            latency,
        };
        self.references.insert((app, task.nodes), known);
        Ok(())
    }
}
