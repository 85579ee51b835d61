//! Jobs on a machine for targets that take some: of a file of jobs, or those that run at an event of a log.

use std::collections::BTreeMap;

use nodeorder_base::{Error, NodeId, Result, SourceLocation};
use nodeorder_jobs::allocator::{self, AllocatorContext};
use nodeorder_jobs::replay::{FigureSet, Replay};
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::allocation::AllocationMeter;
use nodeorder_order::metric::rank_distances::RankDistances;
use nodeorder_trace::{Block, Event, Log};
use nodeorder_traffic::corun::Job;
use nodeorder_traffic::mapping::Guest;

/// A job on its nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportJob {
    /// Name of the job.
    pub name: String,
    /// The node of each process.
    pub nodes: Vec<NodeId>,
    /// Messages of one iteration, phase by phase: the guest, and the bytes that one unit of its volume stands for.
    /// Empty for a job from a log.
    pub traffic: Vec<(Guest, f64)>,
}

impl From<&Job> for ExportJob {
    fn from(job: &Job) -> Self {
        let phases = job.phases.iter();
        ExportJob {
            name: job.name.clone(),
            nodes: job.mapping.nodes()[..job.processes() as usize].to_vec(),
            traffic: phases
                .map(|phase| (phase.guest.clone(), phase.bytes))
                .collect(),
        }
    }
}

impl ExportJob {
    /// Finds the jobs that hold nodes after the first `event` events of a log, processes in rank order, and notes
    /// those that the allocator did not place.
    ///
    /// # Errors
    /// With file and line: a bad log. A log with fewer events, or in which nodes fail; an allocator of pods.
    pub fn jobs_at_event(
        topology: &Topology,
        order: &NodeOrder,
        log: &mut Log,
        alloc: &str,
        event: u64,
    ) -> Result<(Vec<Self>, Option<String>)> {
        let distances = RankDistances::new(topology, order)?;
        let context = AllocatorContext {
            topology,
            order,
            distances: &distances,
        };
        let mut allocator = allocator::make(alloc, &context)?;
        // A job of the targets has whole nodes, so that pods cannot be said.
        if allocator.pod_rules().is_some() {
            return Err(Error::unsuited(
                SourceLocation::option(format!("--alloc {alloc}")),
                "pods, of which a node may have several",
                "an allocator of nodes",
            ));
        }
        let meter = AllocationMeter::new(topology, &distances)?;
        let figures = FigureSet {
            ranks: true,
            ..FigureSet::default()
        };
        let mut replay = Replay::new(allocator, meter, order.len() as u32, figures);
        let mut live = BTreeMap::new();
        let mut done = 0;
        let mut block = Block::default();
        let mut placed = Vec::new();
        // The last block ends at the event: what jobs do later is no matter.
        while done < event && log.next_block((event - done).min(1 << 12) as usize, &mut block)? {
            if let Some(i) = block
                .events
                .iter()
                .position(|what: &Event| matches!(what, Event::Down | Event::Up))
            {
                let found = format!("event {} of a node", done + i as u64 + 1);
                return Err(Error::option(log.name(), found, "jobs that begin and end"));
            }
            replay.replay_block(&block, None, &mut placed)?;
            let mut placed = placed.drain(..).peekable();
            for (i, what) in block.events.iter().enumerate() {
                // A log may use the number of a job again after its end.
                if let Event::Free { job } = what {
                    live.remove(&job.0);
                }
                // Placements come in the order of events; an event without one was refused or skipped.
                if let Event::Place { job, .. } = what
                    && let Some(found) = placed.next_if(|found| found.event == i)
                {
                    let ranks = found.figures.ranks.unwrap_or_default();
                    let nodes = ranks.iter().map(|rank| order.nodes()[rank as usize]);
                    let begun = ExportJob {
                        name: block.name_of_event(i).to_string(),
                        nodes: nodes.collect(),
                        traffic: Vec::new(),
                    };
                    live.insert(job.0, (done + i as u64, begun));
                }
            }
            done += block.events.len() as u64;
        }
        if done < event {
            let found = format!("{done} events in {}", log.name());
            let expected = format!("--at from 1 to {done}");
            return Err(Error::option(format!("--at {event}"), found, expected));
        }
        let counts = replay.counts();
        let lost = counts.skipped + counts.count_refused();
        let note =
            format!("{lost} of the jobs before event {event} found no place and are not written");
        let mut placed: Vec<(u64, ExportJob)> = live.into_values().collect();
        // By start: numbers of jobs need not rise in a log.
        placed.sort_unstable_by_key(|(began, _)| *began);
        let jobs = placed.into_iter().map(|(_, job)| job).collect();
        Ok((jobs, (lost > 0).then_some(note)))
    }
}
