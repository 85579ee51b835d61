//! The machines ranked, with the difference between the first two.

use std::borrow::Borrow;

use super::carried::Carried;
use super::confidence::Difference;
use super::contender::{Bracket, Contender, Criterion, Seeds};
use super::workload::{ComparedJobs, serve};
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_jobs::schedule::orderings::TraceSettings;
use nodeorder_jobs::schedule::saving::WEEK;
use nodeorder_network::topology::Topology;
use nodeorder_order::metric::comparison::{mean_log, up_to};
use nodeorder_order::metric::cost::{Buying, Prices};
use nodeorder_order::metric::machine_figures::Machine;
use nodeorder_order::metric::mpc;
use nodeorder_order::ordering::{NodeOrder, Observer};
use nodeorder_traffic::mapping::routing::BestShares;

/// Seeds of a random machine.
const SEEDS: u64 = 10;
/// The families whose networks are drawn at random.
const RANDOM: [&str; 3] = ["watts-strogatz", "random-regular", "gnm"];

/// Machines side by side, the best first.
#[derive(Clone, Debug)]
pub struct Machines {
    /// By what they are ranked.
    pub criterion: Criterion,
    /// The machines, ranked; equal ones in the order given. Last those that are not compared: some of their windows
    /// span pieces that no link joins, and no mean makes up for a job that no path joins.
    pub contenders: Vec<Contender>,
    /// How many of them are compared: all but the last ones.
    pub compared: usize,
    /// The largest job size of the means: the nodes of the smallest machine's orderings.
    pub largest: usize,
    /// The figure of each by which they are ranked.
    pub scores: Vec<f64>,
    /// Jobs that the scores are of, or 0.
    pub jobs: usize,
    /// The first machine less each other one that is compared, with how sure that is.
    pub differences: Vec<Difference>,
    /// How the jobs were scheduled, where they have times.
    pub settings: Option<TraceSettings>,
}

/// Options of a comparison of machines.
#[derive(Clone, Default)]
pub struct Request<'a> {
    /// Orderings; each machine takes those that suit it, or its default ones.
    pub orders: &'a [String],
    /// Prices, watts, classes of cables.
    pub buying: Buying,
    /// The routing under which it is searched what the machines carry, where that is asked.
    pub routing: Option<BestShares>,
    /// Criterion that ranks them; none for what their jobs get, or distances.
    pub rank: Option<Criterion>,
}

impl Machines {
    /// Rank of the machine at `slot`, from 1; none for one that is not compared. Where brackets rank: 1 more than the
    /// machines that are surely better, so that machines that are not told apart may have the same.
    pub fn rank(&self, slot: usize) -> Option<usize> {
        let bracket = |contender: &Contender| contender.bracket(self.criterion);
        let Some(own) = bracket(self.contenders.get(slot)?).filter(|_| slot < self.compared) else {
            return (slot < self.compared).then_some(slot + 1);
        };
        let better = |other: Bracket| match self.criterion.rises() {
            true => other[0] > own[1],
            false => other[0] < own[1],
        };
        let all = self.contenders[..self.compared].iter().filter_map(bracket);
        Some(1 + all.filter(|other| better(*other)).count())
    }

    /// Whether the first machine is told apart from every other one that is compared; none where there is no other.
    pub fn is_told(&self) -> Option<bool> {
        let told = self.differences.iter().all(Difference::is_significant);
        (!self.differences.is_empty()).then_some(told)
    }

    /// The fewest and the most nodes of the machines' orderings, where they differ.
    pub fn node_counts(&self) -> Option<(usize, usize)> {
        let most = self.contenders.iter().map(|c| c.machine.best.len()).max()?;
        (most > self.largest).then_some((self.largest, most))
    }

    /// Whether each figure of the first machine can be read beside those of all others.
    pub fn is_even(&self) -> bool {
        self.is_told() == Some(true)
            && self.compared == self.contenders.len()
            && self.node_counts().is_none()
    }
}

/// Compares machines that are built: figures and best ordering of each, and with a workload what its jobs get.
/// Each machine takes those of the orderings asked for that suit it, or its default ones where none is given or none does; means
/// are over the job sizes that all machines have. `progress` is called with the name of each step before it begins.
///
/// # Errors
/// An ordering that is wrong; more memory than allowed; a workload that is wrong, or whose jobs all are too large for
/// one of the machines; what machines carry, where that is asked and cannot be searched.
///
/// # Complexity
/// The curves, one replay and one schedule for each machine, one machine after another; the parts of each
/// in parallel. Results never depend on the number of threads.
pub fn compare(
    topologies: &[impl Borrow<Topology>],
    request: &Request<'_>,
    workload: Option<&ComparedJobs<'_>>,
    observer: &dyn Observer,
    progress: &dyn Fn(&str),
) -> Result<Machines> {
    let topologies: Vec<&Topology> = topologies.iter().map(Borrow::borrow).collect();
    check_priced(&topologies, request)?;
    let search = |routing| Carried::of_all(&topologies, routing, observer, progress);
    let mut carried = request
        .routing
        .as_ref()
        .map(search)
        .transpose()?
        .map(Vec::into_iter);
    let orders = request.orders;
    let made = topologies
        .iter()
        .map(|topology| Machine::orderings(topology, orders, observer));
    let made = made.collect::<Result<Vec<_>>>()?;
    let largest = made.iter().flatten().map(NodeOrder::len).min().unwrap_or(0);
    let mut contenders = Vec::new();
    for (topology, made) in topologies.iter().copied().zip(made) {
        progress(topology.name());
        let machine = Machine::new(topology, made, largest, &request.buying)?;
        let served = |workload| serve(topology, &machine.best, workload);
        let service = workload.map(served).transpose()?;
        let seeds = seeds(topology, &machine, largest)?;
        let carried = carried.as_mut().and_then(Iterator::next);
        contenders.push(Contender {
            machine,
            service,
            seeds,
            carried,
        });
    }
    let (criterion, jobs) = match request.rank {
        None => criterion(&contenders),
        Some(rank) => (rank, Vec::new()),
    };
    let scores: Vec<f64> = (0..contenders.len())
        .map(|i| match criterion {
            Criterion::MeanLog => contenders[i].mean_log(),
            Criterion::Throughput | Criterion::Cost => contenders[i]
                .bracket(criterion)
                .map_or(f64::NAN, |ends| ends[0]),
            _ => {
                let values = values(&contenders[i], criterion);
                jobs.iter().filter_map(|job| values[*job]).sum::<f64>() / jobs.len() as f64
            }
        })
        .collect();
    let mut ranked: Vec<(f64, Contender)> = scores.into_iter().zip(contenders).collect();
    let left_out = |contender: &Contender| contender.machine.windows_left_out();
    ranked.sort_by(|a, b| {
        let (a_first, b_first) = if criterion.rises() { (b, a) } else { (a, b) };
        left_out(&a.1)
            .total_cmp(&left_out(&b.1))
            .then(a_first.0.total_cmp(&b_first.0))
    });
    let (scores, contenders): (Vec<f64>, Vec<Contender>) = ranked.into_iter().unzip();
    let seed = topologies
        .first()
        .map_or(1, |topology| topology.context().seed);
    let compared = contenders.iter().take_while(|c| left_out(c) == 0.0).count();
    let others = contenders[..compared].iter().skip(1);
    let differences = others
        .filter_map(|other| difference(&contenders[0], other, criterion, &jobs, workload, seed))
        .collect();
    let queue = workload.and_then(|workload| workload.queue.as_ref());
    let settings = queue.map(|queue| queue.settings.clone());
    let jobs = jobs.len();
    Ok(Machines {
        criterion,
        contenders,
        compared,
        largest,
        scores,
        jobs,
        differences,
        settings,
    })
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
    workload: Option<&ComparedJobs<'_>>,
    seed: u64,
) -> Option<Difference> {
    let (figure, unit) = (criterion.name(), criterion.unit());
    if criterion.is_bracket() {
        let (a, b) = (first.bracket(criterion)?, second.bracket(criterion)?);
        return Some(Difference::within(figure, unit, a, b));
    }
    if criterion == Criterion::MeanLog {
        let of = |contender: &Contender, i: usize| match &contender.seeds {
            Some(seeds) => seeds.values[i],
            None => contender.machine.mean_log(),
        };
        if first.seeds.is_none() && second.seeds.is_none() {
            let gap = first.machine.mean_log() - second.machine.mean_log();
            return Some(Difference::exact(figure, unit, gap));
        }
        let gaps: Vec<f64> = (0..SEEDS as usize)
            .map(|i| of(first, i) - of(second, i))
            .collect();
        return Some(Difference::over_seeds(figure, unit, &gaps));
    }
    let (a, b) = (values(first, criterion), values(second, criterion));
    let tasks = workload
        .and_then(|w| w.queue.as_ref())
        .map(|queue| queue.tasks);
    let week = |job: usize| {
        let tasks = tasks.filter(|_| criterion == Criterion::Response)?;
        let first = tasks.first()?.submit;
        Some(tasks[job].submit.saturating_sub(first) / WEEK)
    };
    let pair = |job: &usize| Some((week(*job), a[*job]? - b[*job]?));
    let pairs: Vec<(Option<i64>, f64)> = jobs.iter().filter_map(pair).collect();
    Difference::paired(figure, unit, &pairs, seed)
}

/// The figures of a random network on ten seeds; none for networks that are not drawn.
fn seeds(topology: &Topology, machine: &Machine, largest: usize) -> Result<Option<Seeds>> {
    let spec = topology.spec();
    if !RANDOM.contains(&spec.split(':').next().unwrap_or_default()) {
        return Ok(None);
    }
    let missing = || {
        Error::input(
            SourceLocation::option(spec),
            "a random network without seed",
            "seed= in it",
        )
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
        logs.push(mean_log(up_to(&curve.values(), largest)));
        distances.push(drawn.statistics()?.mean_distance);
    }
    Ok(Some(Seeds {
        first,
        mean_distance: Difference::over_seeds("mean distance", "hops", &distances),
        mean_log: Difference::over_seeds(Criterion::MeanLog.name(), "hops", &logs),
        values: logs,
    }))
}

/// Refuses before the search what cannot be priced.
fn check_priced(topologies: &[&Topology], request: &Request<'_>) -> Result<()> {
    if request.rank == Some(Criterion::Cost) && request.buying.prices == Prices::default() {
        let expected = "--prices links=X,routers=Y,nodes=W, or some of them";
        return Err(Error::option("--rank cost", "no prices", expected));
    }
    let bill = |topology: &&Topology| request.buying.bill(topology, &topology.statistics()?);
    topologies
        .iter()
        .try_for_each(|topology| bill(topology).map(|_| ()))
}
