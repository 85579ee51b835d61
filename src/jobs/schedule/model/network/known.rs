//! What is known of an application's jobs of one size: their traffic, and their times on the compact allocation.

use std::sync::Arc;

use rayon::prelude::*;

use super::recent::Place;
use super::state::{Known, Network};
use crate::schedule::task::Task;
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_base::ids::NodeId;
use nodeorder_traffic::corun::{Phase, PlacedJob};
use nodeorder_traffic::mapping::guest::Benchmark;
use nodeorder_traffic::mapping::{Guest, ProcessMapping};

/// Windows of an ordering that are tried for the compact allocation.
const WINDOWS: usize = 4;

impl Network<'_> {
    /// Returns a job on some nodes.
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

    /// Returns a task of a known size on its nodes, and how many of its seconds alone are latency.
    pub fn placed(&mut self, place: Place) -> Result<(Arc<PlacedJob>, f64)> {
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

    /// Works out the reference times of an application's jobs of one size, unless they are known.
    pub fn prepare(&mut self, app: u32, task: &Task) -> Result<()> {
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
