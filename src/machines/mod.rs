//! Machines side by side: each with its best ordering, its figures, and what a workload's jobs get on it.
//!
//! [`compare`] ranks them by what matters most of what is known: the mean response time of the jobs that every
//! machine ran, where the jobs have times; else the mean hops between the nodes of jobs that every machine placed;
//! else the mean of the best ordering's MPC over log-spaced sizes. Between the first two it says how sure the
//! difference is ([`Difference`]).

use crate::error::{Error, Result, SourceLocation};
use crate::metric::machine::{Machine, Prices};
use crate::metric::mpc;
use crate::ordering::{NodeOrder, Observer};
use crate::schedule::Task;
use crate::schedule::orderings::TraceSettings;
use crate::topology::Topology;
use crate::trace::Log;

mod confidence;
mod headline;
mod workload;

pub use confidence::Difference;
pub use headline::headline;
pub use workload::{AllocatorService, Service};

/// Seeds of a random machine.
const SEEDS: u64 = 10;
/// The families whose networks are drawn at random.
const RANDOM: [&str; 3] = ["watts-strogatz", "random-regular", "gnm"];

/// The jobs that machines are compared on.
pub struct Workload<'w> {
    /// Its name.
    pub name: &'w str,
    /// Opens the placement log from its start.
    pub open: &'w (dyn Fn() -> Result<Log> + Sync),
    /// The allocators of the replay.
    pub allocators: &'w [String],
    /// Which of them ranks the machines where jobs have no times.
    pub leading: usize,
    /// What is scheduled and how, where jobs have times.
    pub queue: Option<Queue<'w>>,
}

/// Jobs with times and how they are scheduled.
pub struct Queue<'w> {
    /// The jobs in queue order.
    pub tasks: &'w [Task],
    /// The policy, allocator and model.
    pub settings: &'w TraceSettings,
}

/// One of the machines.
#[derive(Clone, Debug)]
pub struct Contender {
    /// Its figures.
    pub machine: Machine,
    /// What jobs get on it, where there is a workload.
    pub service: Option<Service>,
    /// Mean distance and the best ordering's mean(log) on ten seeds, where the network is a random one.
    pub seeds: Option<Seeds>,
}

/// A random network's figures on seeds from its own on.
#[derive(Clone, Debug, PartialEq)]
pub struct Seeds {
    /// The first seed.
    pub first: u64,
    /// Mean distances with their interval.
    pub mean_distance: Difference,
    /// The same of the best ordering's mean(log), ordered by the same method on each.
    pub mean_log: Difference,
    /// The values of `mean_log`.
    values: Vec<f64>,
}

/// By which figure machines are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Criterion {
    /// Mean response time over the jobs that every machine ran, in seconds.
    Response,
    /// Mean hops between a job's nodes over the jobs that every machine placed.
    Hops,
    /// The best ordering's mean of MPC over log-spaced sizes, in hops.
    MeanLog,
}

impl Criterion {
    /// The figure in words.
    pub fn name(self) -> &'static str {
        match self {
            Criterion::Response => "mean response time",
            Criterion::Hops => "mean hops between a job's nodes",
            Criterion::MeanLog => "mean hops over log-spaced job sizes",
        }
    }

    /// Its unit.
    pub fn unit(self) -> &'static str {
        match self {
            Criterion::Response => "s",
            _ => "hops",
        }
    }
}

/// Machines side by side, the best first.
#[derive(Clone, Debug)]
pub struct Machines {
    /// By what they are ranked.
    pub criterion: Criterion,
    /// The machines, ranked; equal ones in the order given.
    pub contenders: Vec<Contender>,
    /// The figure of each by which they are ranked.
    pub scores: Vec<f64>,
    /// Jobs that the scores are of, or 0.
    pub jobs: usize,
    /// First less second, with how sure that is; none for one machine.
    pub difference: Option<Difference>,
}

/// Compares machines that are built: figures and best ordering of each, and with a workload what its jobs get.
/// `orders` and `prices` as in [`Machine::new`]; `progress` is told what comes next.
///
/// # Errors
/// As [`Machine::new`]; a workload that is wrong, or whose jobs all are too large for one of the machines.
///
/// # Complexity
/// That of the curves, one replay and one schedule for each machine, one machine after another; the parts of each
/// in parallel. Results never depend on the number of threads.
pub fn compare(
    topologies: &[Topology],
    orders: &[String],
    prices: &Prices,
    workload: Option<&Workload<'_>>,
    observer: &dyn Observer,
    progress: &dyn Fn(&str),
) -> Result<Machines> {
    let mut contenders = Vec::new();
    for topology in topologies {
        progress(topology.name());
        let machine = Machine::new(topology, orders, prices, observer)?;
        let serve = |workload| workload::serve(topology, &machine.best, workload);
        let service = workload.map(serve).transpose()?;
        let seeds = seeds(topology, &machine)?;
        contenders.push(Contender { machine, service, seeds });
    }
    let (criterion, jobs) = criterion(&contenders);
    let scores: Vec<f64> = (0..contenders.len())
        .map(|i| match criterion {
            Criterion::MeanLog => contenders[i].machine.mean_log(),
            _ => {
                let values = values(&contenders[i], criterion);
                jobs.iter().filter_map(|job| values[*job]).sum::<f64>() / jobs.len() as f64
            }
        })
        .collect();
    let mut ranked: Vec<usize> = (0..contenders.len()).collect();
    ranked.sort_by(|a, b| scores[*a].total_cmp(&scores[*b]));
    let mut left: Vec<Option<Contender>> = contenders.into_iter().map(Some).collect();
    let contenders: Vec<Contender> = ranked.iter().filter_map(|i| left[*i].take()).collect();
    let seed = topologies.first().map_or(1, |topology| topology.context().seed);
    let difference = match contenders.as_slice() {
        [first, second, ..] => difference(first, second, criterion, &jobs, workload, seed),
        _ => None,
    };
    let scores = ranked.iter().map(|i| scores[*i]).collect();
    Ok(Machines { criterion, contenders, scores, jobs: jobs.len(), difference })
}

/// The figure of each job of a contender.
fn values(contender: &Contender, criterion: Criterion) -> &[Option<f64>] {
    match (&contender.service, criterion) {
        (Some(service), Criterion::Response) => &service.responses,
        (Some(service), Criterion::Hops) => &service.hops,
        _ => &[],
    }
}

/// The first criterion of which every machine has figures, and the jobs that have them on all.
fn criterion(contenders: &[Contender]) -> (Criterion, Vec<usize>) {
    for criterion in [Criterion::Response, Criterion::Hops] {
        let all = contenders.iter().map(|c| values(c, criterion));
        let most = all.clone().map(<[_]>::len).min().unwrap_or(0);
        let served = |job: &usize| all.clone().all(|values| values[*job].is_some());
        let jobs: Vec<usize> = (0..most).filter(served).collect();
        if !jobs.is_empty() {
            return (criterion, jobs);
        }
    }
    (Criterion::MeanLog, Vec::new())
}

fn difference(
    first: &Contender,
    second: &Contender,
    criterion: Criterion,
    jobs: &[usize],
    workload: Option<&Workload<'_>>,
    seed: u64,
) -> Option<Difference> {
    let (figure, unit) = (criterion.name(), criterion.unit());
    if criterion == Criterion::MeanLog {
        let of = |contender: &Contender, i: usize| match &contender.seeds {
            Some(seeds) => seeds.values[i],
            None => contender.machine.mean_log(),
        };
        if first.seeds.is_none() && second.seeds.is_none() {
            let gap = first.machine.mean_log() - second.machine.mean_log();
            return Some(Difference::exact(figure, unit, gap));
        }
        let gaps: Vec<f64> = (0..SEEDS as usize).map(|i| of(first, i) - of(second, i)).collect();
        return Some(Difference::over_seeds(figure, unit, &gaps));
    }
    let (a, b) = (values(first, criterion), values(second, criterion));
    let tasks = workload.and_then(|w| w.queue.as_ref()).map(|queue| queue.tasks);
    let week = |job: usize| {
        let tasks = tasks.filter(|_| criterion == Criterion::Response)?;
        let first = tasks.first()?.submit;
        Some(tasks[job].submit.saturating_sub(first) / confidence::WEEK)
    };
    let pair = |job: &usize| Some((week(*job), a[*job]? - b[*job]?));
    let pairs: Vec<(Option<i64>, f64)> = jobs.iter().filter_map(pair).collect();
    Difference::paired(figure, unit, &pairs, seed)
}

/// The figures of a random network on ten seeds; none for networks that are not drawn.
fn seeds(topology: &Topology, machine: &Machine) -> Result<Option<Seeds>> {
    let spec = topology.spec();
    if !RANDOM.contains(&spec.split(':').next().unwrap_or_default()) {
        return Ok(None);
    }
    let missing = || {
        Error::input(SourceLocation::option(spec), "a random network without seed", "seed= in it")
    };
    let (before, rest) = spec.split_once(",seed=").ok_or_else(missing)?;
    let digits = rest.find(',').unwrap_or(rest.len());
    let first: u64 = rest[..digits].parse().map_err(|_| missing())?;
    let (mut distances, mut logs) = (Vec::new(), Vec::new());
    for i in 0..SEEDS {
        if i == 0 {
            distances.push(machine.comparison.topology.mean_distance);
            logs.push(machine.mean_log());
            continue;
        }
        let seed = first.wrapping_add(i);
        let text = format!("{before},seed={seed}{}", &rest[digits..]);
        let drawn = Topology::inline(&text, topology.context())?;
        let order = NodeOrder::make(&drawn, machine.best.label())?;
        let curve = mpc::curve(&drawn, &order)?;
        logs.push(crate::metric::comparison::mean_log(&curve.values()));
        distances.push(drawn.statistics()?.mean_distance);
    }
    Ok(Some(Seeds {
        first,
        mean_distance: Difference::over_seeds("mean distance", "hops", &distances),
        mean_log: Difference::over_seeds(Criterion::MeanLog.name(), "hops", &logs),
        values: logs,
    }))
}

#[cfg(test)]
mod tests;
