//! What cells share: made once where their scope begins, dropped where it ends.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::plan::{Plan, Work};
use crate::error::{Error, Result};
use crate::input::Lines;
use crate::mapping::{Fabric, Guest};
use crate::metric::rank_distances::RankDistances;
use crate::ordering::NodeOrder;
use crate::schedule::Task;
use crate::topology::{Context, Topology};
use crate::trace::{Options, Trace, convert};

/// A cell by its number, and what it does.
pub(super) type Numbered = (usize, Work);
/// Takes the figures of a cell, or why it has none.
pub(super) type Put<'p> = &'p (dyn Fn(usize, Result<Vec<String>, String>) -> Outcome + Sync);
/// Whether to go on; no error where the one who takes the figures has it.
pub(super) type Outcome = Result<(), Option<Error>>;

/// Goes on `inside` with what `cells` share; where it does not suit, their rows say why.
pub(super) fn scope<T>(
    cells: &[Numbered],
    put: Put<'_>,
    made: Result<T>,
    inside: impl FnOnce(T) -> Outcome,
) -> Outcome {
    match made {
        Ok(shared) => inside(shared),
        Err(error @ Error::Unsuited { .. }) => {
            cells.iter().try_for_each(|(cell, _)| put(*cell, Err(error.to_string())))
        }
        Err(error) => Err(Some(error)),
    }
}

/// Computes every cell by itself.
pub(super) fn each(
    cells: &[Numbered],
    put: Put<'_>,
    figures: impl Fn(&Work) -> Result<Vec<String>> + Sync,
) -> Outcome {
    cells.par_iter().try_for_each(|cell| {
        scope(&[*cell], put, figures(&cell.1), |figures| put(cell.0, Ok(figures)))
    })
}

/// Runs of cells whose works have the same key, in parallel.
pub(super) fn groups<K: PartialEq>(
    cells: &[Numbered],
    key: impl Fn(&Work) -> K,
    inside: impl Fn(&[Numbered]) -> Outcome + Sync,
) -> Outcome {
    let groups: Vec<&[Numbered]> = cells.chunk_by(|a, b| key(&a.1) == key(&b.1)).collect();
    groups.par_iter().try_for_each(|cells| inside(cells))
}

/// A machine with a seed, and what all its orderings share.
pub(super) struct Machine<'m> {
    pub plan: &'m Plan,
    pub topology: &'m Topology,
    /// Where guests are mapped.
    pub fabric: Option<Fabric<'m>>,
    pub guests: BTreeMap<u32, Guest>,
    pub traces: BTreeMap<(u32, u32), TraceJobs>,
}

/// The jobs of a trace that fit a machine.
pub(super) struct TraceJobs {
    /// As a placement log, where they are replayed.
    pub log: String,
    /// As a queue, where they are scheduled.
    pub tasks: Vec<Task>,
    pub left_out: u64,
}

impl<'m> Machine<'m> {
    /// What `cells` use.
    pub(super) fn new(
        plan: &'m Plan,
        topology: &'m Topology,
        context: &Context,
        cells: &[Numbered],
    ) -> Result<Self> {
        let mut machine = Machine {
            plan,
            topology,
            fabric: None,
            guests: BTreeMap::new(),
            traces: BTreeMap::new(),
        };
        for (_, work) in cells {
            if let Some(guest) = work.guest
                && !machine.guests.contains_key(&guest)
            {
                let made = Guest::make(&plan.guests[guest as usize].located, context)?;
                machine.guests.insert(guest, made);
                if machine.fabric.is_none() {
                    machine.fabric = Some(Fabric::new(topology)?);
                }
            }
            if let (Some(workload), Some(procs)) = (work.workload, work.procs)
                && !machine.traces.contains_key(&(workload, procs))
            {
                let jobs = machine.trace_jobs(workload, procs)?;
                machine.traces.insert((workload, procs), jobs);
            }
        }
        Ok(machine)
    }

    fn trace_jobs(&self, workload: u32, procs: u32) -> Result<TraceJobs> {
        let options = Options {
            procs_per_node: self.plan.procs_per_node[procs as usize],
            nodes: Some(self.topology.node_count() as u32),
            ..Options::default()
        };
        let path = &self.plan.workloads[workload as usize].path;
        let trace = Trace::over(Lines::open(path)?, &options)?;
        let replayed = self.plan.policies.is_empty();
        let dropped = trace.tally().iter().filter(|(reason, _)| reason.drops());
        Ok(TraceJobs {
            left_out: dropped.map(|(_, count)| count).sum(),
            log: if replayed { convert::to_log(&trace) } else { String::new() },
            tasks: if replayed { Vec::new() } else { Task::of(&trace) },
        })
    }
}

/// An ordering of a machine.
pub(super) struct Ordered<'m> {
    pub machine: &'m Machine<'m>,
    pub order: NodeOrder,
    /// Where the plan has workloads.
    pub distances: Option<RankDistances>,
}

impl<'m> Ordered<'m> {
    pub(super) fn new(machine: &'m Machine<'m>, ordering: usize) -> Result<Self> {
        let plan = machine.plan;
        let order = NodeOrder::make(machine.topology, &plan.orderings[ordering].located)?;
        let distances = || RankDistances::new(machine.topology, &order);
        let distances = (!plan.workloads.is_empty()).then(distances).transpose()?;
        Ok(Ordered { machine, order, distances })
    }
}
