//! The rows of machines side by side, and the jobs that they were compared on.

use crate::columns::machines::{MachineJobs, MachinePoint, RankedMachine};
use crate::columns::schedule::ScheduleFigures;
use crate::machines::Machines;
use crate::report::schedule_comparison::schedule_figures;

/// Returns the rows of `machines.csv`, ranked.
pub fn machine_rows(machines: &Machines) -> impl Iterator<Item = RankedMachine<'_>> {
    let scored = machines.contenders.iter().zip(&machines.scores).enumerate();
    scored.map(|(i, (contender, score))| RankedMachine {
        rank: machines.rank(i),
        contender,
        score: *score,
        largest: machines.largest,
        routing: machines.routing.as_deref(),
    })
}

/// Returns the rows of `machine-curves.csv`: the best ordering of each machine at each job size.
pub fn curve_rows(machines: &Machines) -> impl Iterator<Item = MachinePoint<'_>> {
    machines.contenders.iter().flat_map(|contender| {
        let machine = &contender.machine;
        let nodes = machine.comparison.topology.nodes as f64;
        // Entries are ranked: the first one is the best.
        let values = machine.comparison.entries[0].values.iter().enumerate();
        values.map(move |(i, mpc)| MachinePoint {
            machine: machine.name(),
            ordering: machine.best.label(),
            size: i + 2,
            nodes,
            mpc: *mpc,
            floor: machine.comparison.floor.get(i).copied(),
        })
    })
}

/// Returns the rows of `machine-jobs.csv`: one for each machine and allocator.
pub fn job_rows(machines: &Machines) -> impl Iterator<Item = MachineJobs<'_>> {
    let served = machines
        .contenders
        .iter()
        .filter_map(|c| Some((c, c.service.as_ref()?)));
    served.flat_map(|(contender, service)| {
        service.allocators.iter().map(move |allocator| MachineJobs {
            contender,
            service,
            allocator,
        })
    })
}

/// Returns the rows of `machine-queue.csv`: one for each machine whose jobs have times.
pub fn queue_rows(machines: &Machines) -> impl Iterator<Item = ScheduleFigures<'_>> {
    machines.contenders.iter().filter_map(|contender| {
        let schedule = contender.service.as_ref()?.schedule.as_ref()?;
        Some(ScheduleFigures {
            machine: contender.machine.name(),
            ..schedule_figures(schedule)
        })
    })
}

/// The jobs that machines were compared on.
#[derive(Clone, Copy, Debug)]
pub struct NamedWorkload<'a> {
    /// Name of the workload.
    pub name: &'a str,
    /// Hint that the trace's processors were wrongly taken for nodes.
    pub processors: Option<&'a str>,
}
