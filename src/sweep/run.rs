//! The work itself: cells in parallel, with what they share made once.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::cells::{Cell, Work};
use super::plan::Plan;
use super::pool::{Fault, Pool};
use super::rows::Table;
use crate::allocator::{self, AllocatorContext};
use crate::catalog;
use crate::error::{Error, Result};
use crate::input::Lines;
use crate::mapping::{self, Fabric, Guest, Links, ProcessMapping, RoutingEntry};
use crate::metric::allocation::AllocationMeter;
use crate::metric::comparison::Comparison;
use crate::metric::mpc;
use crate::metric::rank_distances::RankDistances;
use crate::ordering::NodeOrder;
use crate::replay::statistics::Summary;
use crate::replay::{self, Outputs, Placed, Replay};
use crate::schedule::{self, Settings, Task};
use crate::topology::{Context, Topology};
use crate::trace::{Log, Options, Trace, convert};

/// What improvements are measured against.
const BASELINE: &str = "fifo:0";
/// Only sizes with more placements than this count in improvements.
const THRESHOLD: u64 = 30;

/// Computes the rows of the cells `which` of `plan`, on as many threads as rayon has, and hands each to `done`
/// as soon as it is there: the cell's number and its line. A combination that does not suit (a curve on a
/// machine without coordinates, a guest of too many processes) makes a row without figures that says why.
///
/// Machines, orderings and what is derived from them are made once for all cells that use them, and dropped
/// after the last; cells that share them should follow one another.
///
/// # Errors
/// The first error of any cell, or of `done`; the run then ends.
pub fn run<E: From<Error> + Send>(
    plan: &Plan,
    context: &Context,
    which: &[usize],
    done: impl Fn(usize, &str) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let shared = Shared::new(plan, context);
    which.iter().for_each(|cell| shared.expect(&plan.cells()[*cell]));
    // A thread takes an ordering with all its cells, so that nobody waits for what another makes; when none
    // is left, it helps the others.
    let groups: Vec<(&[usize], AtomicUsize)> = (which)
        .chunk_by(|a, b| keys(&plan.cells()[*a]) == keys(&plan.cells()[*b]))
        .map(|cells| (cells, AtomicUsize::new(0)))
        .collect();
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let failure: Mutex<Option<E>> = Mutex::new(None);
    let cell = |index: usize| {
        let cell = &plan.cells()[index];
        let outcome = match shared.row(cell) {
            Ok(row) => done(index, &row),
            Err(Some(error)) => Err(error.into()),
            // Another thread has the error.
            Err(None) => return stop.store(true, Ordering::Relaxed),
        };
        shared.release(cell);
        if let Err(error) = outcome {
            stop.store(true, Ordering::Relaxed);
            failure.lock().unwrap_or_else(|e| e.into_inner()).get_or_insert(error);
        }
    };
    let drain = |(cells, next): &(&[usize], AtomicUsize)| {
        while !stop.load(Ordering::Relaxed) {
            let Some(&index) = cells.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
            cell(index);
        }
    };
    // Threads of their own, which may wait for each other's machines; what those do in parallel inside goes
    // to rayon's, which never wait.
    let work = || {
        while let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
            drain(group);
        }
        groups.iter().for_each(drain);
    };
    std::thread::scope(|scope| {
        let threads = rayon::current_num_threads().min(which.len()).max(1);
        (0..threads).for_each(|_| {
            scope.spawn(work);
        });
    });
    match failure.into_inner().unwrap_or_else(|e| e.into_inner()) {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// A machine, and its links where mappings need them.
struct LoadedMachine {
    topology: Topology,
    links: std::sync::OnceLock<Links>,
}

/// An ordering and where its ranks stand.
struct Ranked {
    order: NodeOrder,
    distances: Option<RankDistances>,
}

/// What a replay gave.
struct Replayed {
    summary: Summary,
    placed: u64,
    skipped: u64,
}

/// The jobs of a trace that fit a machine.
struct Queue {
    tasks: Vec<Task>,
    left_out: u64,
}

type MachineKey = (u32, u32);
type OrderKey = (MachineKey, u32);

struct Shared<'p> {
    plan: &'p Plan,
    context: &'p Context,
    table: Table<'p>,
    machines: Pool<MachineKey, LoadedMachine>,
    orders: Pool<OrderKey, Ranked>,
    /// Placement logs of traces: their sizes depend on the machine.
    logs: Pool<(MachineKey, u32, u32), String>,
    /// Jobs of traces that are scheduled.
    queues: Pool<(MachineKey, u32, u32), Queue>,
    baselines: Pool<(OrderKey, u32, u32), Replayed>,
    guests: Pool<(u32, u32), Guest>,
}

impl<'p> Shared<'p> {
    fn new(plan: &'p Plan, context: &'p Context) -> Self {
        Shared {
            plan,
            context,
            table: Table::new(plan),
            machines: Pool::new(),
            orders: Pool::new(),
            logs: Pool::new(),
            queues: Pool::new(),
            baselines: Pool::new(),
            guests: Pool::new(),
        }
    }

    fn expect(&self, cell: &Cell) {
        let (machine, order) = keys(cell);
        self.machines.expect(machine);
        self.orders.expect(order);
        match cell.work {
            Work::Curve => {}
            Work::Replay { workload, procs, .. } => {
                self.logs.expect((machine, workload, procs));
                self.baselines.expect((order, workload, procs));
            }
            Work::Schedule { workload, procs, .. } => {
                self.queues.expect((machine, workload, procs));
            }
            Work::Map { guest, .. } => self.guests.expect((guest, cell.seed)),
        }
    }

    fn release(&self, cell: &Cell) {
        let (machine, order) = keys(cell);
        self.machines.release(machine);
        self.orders.release(order);
        match cell.work {
            Work::Curve => {}
            Work::Replay { workload, procs, .. } => {
                self.logs.release((machine, workload, procs));
                self.baselines.release((order, workload, procs));
            }
            Work::Schedule { workload, procs, .. } => {
                self.queues.release((machine, workload, procs));
            }
            Work::Map { guest, .. } => self.guests.release((guest, cell.seed)),
        }
    }

    /// The row of a cell; none where the error is another thread's.
    fn row(&self, cell: &Cell) -> Result<String, Option<Error>> {
        let outcome = match self.figures(cell) {
            Ok(figures) => Ok(figures),
            Err(Fault::Unsuited(note)) => Err(note),
            Err(Fault::Failed(error)) => return Err(error),
        };
        self.table.row(cell, outcome).map_err(Some)
    }

    fn context(&self, cell: &Cell) -> Context {
        Context { seed: self.plan.seeds[cell.seed as usize], ..*self.context }
    }

    fn machine(&self, cell: &Cell) -> Result<Arc<LoadedMachine>, Fault> {
        self.machines.get(keys(cell).0, || {
            let spec = self.plan.located(&self.plan.topologies[cell.topology as usize]);
            let topology = catalog::topology(&spec, &self.context(cell))?;
            Ok(LoadedMachine { topology, links: std::sync::OnceLock::new() })
        })
    }

    fn order(&self, cell: &Cell, machine: &LoadedMachine) -> Result<Arc<Ranked>, Fault> {
        self.orders.get(keys(cell).1, || {
            let text = &self.plan.orderings[cell.ordering as usize];
            let order = NodeOrder::make(&machine.topology, &self.plan.located(text))?;
            let replays = !self.plan.workloads.is_empty();
            let distances =
                replays.then(|| RankDistances::new(&machine.topology, &order)).transpose()?;
            Ok(Ranked { order, distances })
        })
    }

    fn figures(&self, cell: &Cell) -> Result<Vec<String>, Fault> {
        let machine = self.machine(cell)?;
        let order = self.order(cell, &machine)?;
        match cell.work {
            Work::Curve => {
                let curve = mpc::curve(&machine.topology, &order.order)?;
                let orders = std::slice::from_ref(&order.order);
                let comparison = Comparison::new(&machine.topology, orders, vec![curve])?;
                let entry = &comparison.entries[0];
                let figures = [entry.mean_log, entry.mean_plain, entry.mean_step];
                let figures = figures.iter().map(f64::to_string);
                Ok(std::iter::once(entry.nodes.to_string()).chain(figures).collect())
            }
            Work::Replay { workload, procs, allocator } => {
                let key = (keys(cell).1, workload, procs);
                let baseline =
                    || self.baselines.get(key, || self.replay(cell, &machine, &order, BASELINE));
                let text = &self.plan.allocators[allocator as usize];
                if text == BASELINE {
                    let baseline = baseline()?;
                    return Ok(replay_figures(&baseline, &baseline));
                }
                // The baseline last: meanwhile whoever has its cell has made it.
                let ours = self.replay(cell, &machine, &order, text)?;
                let baseline = baseline()?;
                Ok(replay_figures(&ours, &baseline))
            }
            Work::Schedule { .. } => self.schedule(cell, &machine, &order),
            Work::Map { guest, routing } => self.map(cell, &machine, &order, guest, routing),
        }
    }

    /// One replay of the cell's workload.
    fn replay(
        &self,
        cell: &Cell,
        machine: &LoadedMachine,
        ranked: &Ranked,
        allocator: &str,
    ) -> Result<Replayed, Fault> {
        let (topology, order) = (&machine.topology, &ranked.order);
        let Some(distances) = &ranked.distances else { return Err(Fault::Failed(None)) };
        let context = AllocatorContext { topology, order, distances };
        let allocator = allocator::make(allocator, &context)?;
        let meter = AllocationMeter::new(topology, distances)?;
        let mut replays = [Replay::new(allocator, meter, distances.len(), Outputs::default())];
        let mut summary = Summary::default();
        let gather = |placed: &[Vec<Placed>]| {
            summary.add(&placed[0], &placed[0]);
            Ok(())
        };
        let mut log = self.log(cell, machine)?;
        replay::run::<Error>(&mut log, &mut replays, None, |_| Ok(()), gather)?;
        Ok(Replayed { summary, placed: replays[0].placed(), skipped: replays[0].skipped() })
    }

    /// The cell's workload from its start: a log as a stream, a trace as the log made of it.
    fn log(&self, cell: &Cell, machine: &LoadedMachine) -> Result<Log, Fault> {
        let Work::Replay { workload, procs, .. } = cell.work else {
            return Err(Fault::Failed(None));
        };
        let file = &self.plan.workloads[workload as usize];
        if !file.is_trace {
            return Ok(Log::open(&file.path)?);
        }
        let text = self.logs.get((keys(cell).0, workload, procs), || {
            Ok(convert::to_log(&self.trace(machine, workload, procs)?))
        })?;
        Ok(Log::new(&file.path.display().to_string(), text.as_bytes()))
    }

    /// The jobs of a trace that fit the machine.
    fn trace(&self, machine: &LoadedMachine, workload: u32, procs: u32) -> Result<Trace> {
        let options = Options {
            procs_per_node: self.plan.procs_per_node[procs as usize],
            nodes: Some(machine.topology.node_count() as u32),
            ..Options::default()
        };
        Trace::over(Lines::open(&self.plan.workloads[workload as usize].path)?, &options)
    }

    /// The cell's trace through its policy and allocator.
    fn schedule(
        &self,
        cell: &Cell,
        machine: &LoadedMachine,
        ranked: &Ranked,
    ) -> Result<Vec<String>, Fault> {
        let (Work::Schedule { workload, procs, allocator, policy }, Some(distances)) =
            (cell.work, &ranked.distances)
        else {
            return Err(Fault::Failed(None));
        };
        let queue = self.queues.get((keys(cell).0, workload, procs), || {
            let trace = self.trace(machine, workload, procs)?;
            let left_out = trace.tally().iter().filter(|(reason, _)| reason.drops());
            let left_out = left_out.map(|(_, count)| count).sum();
            Ok(Queue { tasks: Task::of(&trace), left_out })
        })?;
        // An ordering may leave nodes out.
        let fit = |task: &&Task| task.nodes <= distances.len();
        let tasks: Vec<Task> = queue.tasks.iter().filter(fit).copied().collect();
        let context =
            AllocatorContext { topology: &machine.topology, order: &ranked.order, distances };
        let settings = Settings {
            policy: &self.plan.policies[policy as usize],
            allocator: &self.plan.allocators[allocator as usize],
            model: "fixed",
            outputs: schedule::Outputs { placement: true, ..Default::default() },
        };
        let summary = schedule::simulate(&context, &tasks, &settings, &|_| ())?.summary();
        let left_out = queue.left_out + (queue.tasks.len() - tasks.len()) as u64;
        let show = |value: Option<f64>| value.map_or(String::new(), |v| v.to_string());
        let mut figures = vec![summary.jobs.to_string(), left_out.to_string()];
        figures.extend(
            [
                summary.utilisation,
                summary.mean_wait,
                summary.max_wait,
                summary.mean_response,
                summary.mean_bounded_slowdown,
                summary.makespan,
            ]
            .map(|figure| figure.to_string()),
        );
        figures.extend([show(summary.contiguous), show(summary.mean_mind)]);
        Ok(figures)
    }

    fn map(
        &self,
        cell: &Cell,
        machine: &LoadedMachine,
        ranked: &Ranked,
        guest: u32,
        routing: u32,
    ) -> Result<Vec<String>, Fault> {
        let topology = &machine.topology;
        let routing = RoutingEntry::named(&self.plan.routings[routing as usize])?;
        routing.check(topology)?;
        let guest = self.guests.get((guest, cell.seed), || {
            let text = self.plan.located(&self.plan.guests[guest as usize]);
            Ok(Guest::make(&text, &self.context(cell))?)
        })?;
        let placement = ProcessMapping::in_order(&guest, &ranked.order)?;
        let links = match machine.links.get() {
            Some(links) => links.clone(),
            None => {
                let links = Links::new(topology)?;
                machine.links.get_or_init(|| links).clone()
            }
        };
        let fabric = Fabric { topology, links };
        let found = mapping::analyse(&fabric, &guest, &placement, routing)?;
        let (dilation, contention) = (&found.dilation, &found.contention);
        let figures = [
            dilation.max,
            dilation.mean,
            dilation.mean_pairs,
            dilation.hop_bytes,
            contention.max,
            contention.mean,
        ];
        let figures = figures.iter().map(f64::to_string);
        Ok(figures.chain(std::iter::once(contention.used.to_string())).collect())
    }
}

fn keys(cell: &Cell) -> (MachineKey, OrderKey) {
    let machine = (cell.topology, cell.seed);
    (machine, (machine, cell.ordering))
}

/// In the order of [`super::rows::REPLAY`].
fn replay_figures(ours: &Replayed, baseline: &Replayed) -> Vec<String> {
    let show = |value: Option<f64>| value.map_or(String::new(), |v| v.to_string());
    let summary = &ours.summary;
    let improvement = summary.improvement(&baseline.summary, THRESHOLD);
    // Of no placement from two nodes there is no mean.
    let normalised = summary.normalised();
    let normalised = (normalised.count > 0).then_some(normalised.mean);
    let mut figures = vec![ours.placed.to_string(), ours.skipped.to_string()];
    figures.extend([
        show(summary.mean_mind()),
        show(normalised),
        show(summary.mean_components()),
        show(summary.mean_linear_span()),
        show(summary.mean_ring_span()),
        show(improvement.small),
        show(improvement.large),
        show(improvement.overall),
        show(improvement.delta_mind),
    ]);
    figures
}
