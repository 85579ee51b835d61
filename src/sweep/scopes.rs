//! Things that cells share: machines with their guests and traces, orderings, jobs.

use std::collections::BTreeMap;

use super::lists::{Cell, JobsKey, PlanLists, item_at};
use nodeorder_base::Result;
use nodeorder_jobs::replay::statistics::Summary;
use nodeorder_jobs::schedule::Task;
use nodeorder_network::{Context, Topology};
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::rank_distances::RankDistances;
use nodeorder_present::columns::Value;
use nodeorder_trace::{Changes, Options, Trace, Transformed, convert, open};
use nodeorder_traffic::mapping::{Fabric, Guest};

/// Figures of a cell, in the order of its kind's columns.
pub type CellFigures = Vec<Value<'static>>;

/// A machine with a seed, and what all its orderings share.
pub struct MachineScope<'m> {
    pub lists: &'m PlanLists,
    pub topology: &'m Topology,
    /// The machine's links, where guests are mapped.
    fabric: Option<Fabric<'m>>,
    pub guests: BTreeMap<u32, Guest>,
    /// Jobs of the traces, by [`CellSpec::jobs_key`](super::lists::CellSpec::jobs_key).
    pub traces: BTreeMap<JobsKey, TraceJobs>,
}

/// The jobs of a trace that fit a machine.
pub struct TraceJobs {
    /// Text of the jobs as a placement log, where they are replayed.
    pub log: String,
    /// Jobs as a queue, where they are scheduled.
    pub tasks: Vec<Task>,
    /// Number of jobs of the trace that are in neither, as they do not fit or their lines are unusable.
    pub left_out: u64,
}

impl<'m> MachineScope<'m> {
    /// Makes the guests, links and jobs that `cells` use.
    pub fn new(
        lists: &'m PlanLists,
        topology: &'m Topology,
        context: &Context,
        cells: &[Cell],
    ) -> Result<Self> {
        let mut machine = MachineScope {
            lists,
            topology,
            fabric: None,
            guests: BTreeMap::new(),
            traces: BTreeMap::new(),
        };
        // A shard may hold few cells of a machine: only what these use is made.
        for Cell { spec, .. } in cells {
            if spec.duty.is_some() && machine.fabric.is_none() {
                // Windows within a component have slowdowns, however many components there are.
                machine.fabric = Some(Fabric::with_components(topology)?);
            } else if let Some(guest) = spec.guest
                && spec.duty.is_none()
                && !machine.guests.contains_key(&guest)
            {
                let made = Guest::make(&lists.guests[guest as usize].located, context)?;
                machine.guests.insert(guest, made);
                if machine.fabric.is_none() {
                    // All guests of a machine share its links, which are large: they are built at the first guest,
                    // and only then.
                    machine.fabric = Some(Fabric::new(topology)?);
                }
            }
            if let (Some(workload), Some(procs)) = (spec.workload, spec.procs)
                && !machine.traces.contains_key(&spec.jobs_key())
            {
                let jobs = machine.trace_jobs(workload, procs, spec.transform)?;
                machine.traces.insert(spec.jobs_key(), jobs);
            }
        }
        Ok(machine)
    }

    /// Returns the machine's links, which are there in scopes of guests.
    pub fn fabric(&self) -> &Fabric<'m> {
        self.fabric.as_ref().expect("made with the first guest")
    }

    fn trace_jobs(&self, workload: u32, procs: u32, transform: Option<u32>) -> Result<TraceJobs> {
        let context = self.topology.context();
        let options = Options {
            procs_per_node: self.lists.procs_per_node[procs as usize],
            nodes: Some(self.topology.node_count() as u32),
            // The plan states them: no hint that they were forgotten.
            processors_stated: true,
            memory: context.memory,
            ..Options::default()
        };
        let lines = self.lists.workloads[workload as usize].open_lines(context)?;
        let (trace, mut left_out) = match item_at(&self.lists.transforms, transform) {
            None => (open::read_trace(lines, &options)?, 0),
            Some(text) => {
                let changes = Changes::parse(text, context.seed)?;
                // Changes are defined on SWF fields. Other records become SWF first, and what that drops counts as
                // left out.
                let (lines, before) = open::convert_to_swf(lines, &options)?;
                let made = Transformed::read_and_change(lines, &options, changes)?;
                // The changed trace is read like a file, so a row equals that of a run on the file that `trace
                // transform` writes.
                let text: Vec<u8> = made.swf_pieces().flatten().collect();
                let dropped = before.dropped_lines() + made.trace().tally().dropped_lines();
                (Trace::new(made.trace().name(), text, &options)?, dropped)
            }
        };
        let replayed = self.lists.policies.is_empty();
        left_out += trace.tally().dropped_lines();
        Ok(TraceJobs {
            left_out,
            // One of the two is used; both take memory for every job.
            log: if replayed {
                convert::write_log(&trace, false)
            } else {
                String::new()
            },
            tasks: if replayed {
                Vec::new()
            } else {
                Task::from_trace(&trace)
            },
        })
    }
}

/// An ordering of a machine.
pub struct OrderingScope<'m> {
    pub machine: &'m MachineScope<'m>,
    pub order: NodeOrder,
    /// Distances between ranks, where the plan has workloads.
    distances: Option<RankDistances>,
}

impl<'m> OrderingScope<'m> {
    pub fn new(machine: &'m MachineScope<'m>, ordering: usize) -> Result<Self> {
        let lists = machine.lists;
        let order = NodeOrder::make(machine.topology, &lists.orderings[ordering].located)?;
        // Distances of ranks are for allocators and what they placed; curves and mappings do without.
        let distances = if lists.workloads.is_empty() {
            None
        } else {
            Some(RankDistances::new(machine.topology, &order)?)
        };
        Ok(OrderingScope {
            machine,
            order,
            distances,
        })
    }

    /// Returns the distances between ranks, which are there in scopes of workloads.
    pub fn distances(&self) -> &RankDistances {
        self.distances
            .as_ref()
            .expect("made where the plan has workloads")
    }
}

/// Data that all cells with the same jobs share.
#[derive(Default)]
pub struct JobsScope {
    /// Summary of the replay that others are compared with; empty where nothing is replayed.
    pub baseline: Summary,
    /// Jobs that fit the ordering; empty where nothing is scheduled.
    pub tasks: Vec<Task>,
    /// Number of jobs that do not fit the ordering.
    pub left_out: u64,
}
