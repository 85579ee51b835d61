//! Ranks machines, and says how the first differs from the others.

use std::borrow::Borrow;

use super::carried::{BrokenFigures, MachineThroughput};
use super::confidence::{Difference, is_above};
use super::contender::{Contender, Criterion, SeedFigures};
use super::workload::{ComparedJobs, ScheduledJobs, replay_and_schedule};
use nodeorder_base::{Error, Result, SourceLocation};
use nodeorder_jobs::schedule::model;
use nodeorder_jobs::schedule::orderings::TraceSettings;
use nodeorder_jobs::schedule::saving::WEEK;
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::comparison::{mean_log, values_up_to};
use nodeorder_order::metric::cost::{PriceList, Prices};
use nodeorder_order::metric::machine_figures::MachineFigures;
use nodeorder_order::metric::mpc;
use nodeorder_order::ordering::Observer;
use nodeorder_traffic::mapping::routing::{BestShares, RANKING_ROUTING};
use nodeorder_traffic::mapping::{Fabric, FixedRouting};
use nodeorder_traffic::slowdown::{GUESTS, SlowdownComparison, SlowdownOptions, Slowdowns};

/// Number of seeds on which a random network is drawn.
const SEEDS: u64 = 10;
/// Families of networks that are drawn at random.
const RANDOM: [&str; 3] = ["watts-strogatz", "random-regular", "gnm"];

/// Machines side by side, the best first.
#[derive(Clone, Debug)]
pub struct Machines {
    /// Figure by which they are ranked.
    pub criterion: Criterion,
    /// Machines, ranked; equal ones in the order given. Last those that are not compared: some of their windows
    /// span pieces that no link joins, and no mean makes up for a job that no path joins.
    pub contenders: Vec<Contender>,
    /// Number of machines that are compared, from the first on.
    pub compared: usize,
    /// Largest job size of the means: the number of nodes of the smallest machine's orderings.
    pub largest: usize,
    /// Figure of each machine by which they are ranked, in the unit of `criterion`.
    pub scores: Vec<f64>,
    /// Number of jobs that the scores are means over; 0 where no jobs rank.
    pub jobs: usize,
    /// Difference of the first machine to each other one that is compared, with its interval.
    pub differences: Vec<Difference>,
    /// Policy, allocator and runtime model of the schedules; none where jobs have no times. A model that takes a
    /// routing names the one that all machines have.
    pub settings: Option<TraceSettings>,
    /// Routing of the traffic that ranks the machines, the same on all; none where no traffic does.
    pub routing: Option<String>,
}

/// Options of a comparison of machines.
#[derive(Clone, Default)]
pub struct MachineOptions<'a> {
    /// Orderings asked for; each machine takes those that suit it, or its default ones.
    pub orders: &'a [String],
    /// Prices, watts, classes of cables.
    pub buying: PriceList,
    /// Routing under which the throughput of the machines is searched; none for no search.
    pub routing: Option<BestShares>,
    /// Routing under which the slowdowns of the best ordering and of `random` are measured, the same on all machines;
    /// none for no slowdowns.
    pub slowdown_routing: Option<FixedRouting>,
    /// What is broken in ten draws of each machine, as in `links:0.02`; none for nothing.
    pub broken: Option<&'a str>,
    /// Criterion that ranks them; none for the response times or distances of their jobs, else MPC.
    pub rank: Option<Criterion>,
}

impl Machines {
    /// Names the unit of the figure that ranks: of costs the currency, where the prices name one.
    pub fn unit(&self) -> &str {
        let currency = self
            .contenders
            .first()
            .map(|one| &one.machine.bill.currency);
        match currency {
            Some(name) if self.criterion == Criterion::Cost && !name.is_empty() => name,
            _ => self.criterion.unit(),
        }
    }

    /// Finds the rank of the machine at `slot`, from 1. `None` if it is not compared. Where brackets rank, it
    /// is 1 more than the number of machines that are surely better, so that machines whose figures overlap may
    /// share a rank.
    pub fn rank(&self, slot: usize) -> Option<usize> {
        let compared = &self.contenders[..self.compared];
        let contender = compared.get(slot)?;
        let Some(own) = contender.ranking_bracket(self.criterion) else {
            return Some(slot + 1);
        };
        let mut rank = 1;
        for other in compared {
            let Some(other) = other.ranking_bracket(self.criterion) else {
                continue;
            };
            // First the end that was found, then the one that nothing exceeds.
            rank += usize::from(if self.criterion.higher_is_better() {
                is_above(other[0], own[1])
            } else {
                is_above(own[1], other[0])
            });
        }
        Some(rank)
    }

    /// Checks whether the first machine is surely better than every other one that is compared. `None` if there is
    /// no other.
    pub fn is_told(&self) -> Option<bool> {
        let told = self.differences.iter().all(Difference::is_significant);
        (!self.differences.is_empty()).then_some(told)
    }

    /// Finds the fewest and the most nodes of the machines' orderings. `None` if all have the same number.
    pub fn node_counts(&self) -> Option<(usize, usize)> {
        let most = self.contenders.iter().map(|c| c.machine.best.len()).max()?;
        (most > self.largest).then_some((self.largest, most))
    }

    /// Checks whether every figure may be read across all machines: one is told to be the best, all are compared,
    /// and all have the same number of nodes.
    pub fn is_even(&self) -> bool {
        self.is_told() == Some(true)
            && self.compared == self.contenders.len()
            && self.node_counts().is_none()
    }
}

/// Nodes up to which slowdowns are measured unasked: random orders of larger machines take minutes.
pub const SLOWDOWNS_UNASKED: usize = 1 << 13;

/// Chooses the routing under which slowdowns are measured where none was named. `None` if a machine is too large. Fails
/// only if the table of routings lost its entry.
pub fn usual_slowdown_routing(
    topologies: &[impl Borrow<Topology>],
) -> Result<Option<FixedRouting>> {
    let mut all = topologies.iter();
    // One routing and one set of figures for all: a machine without them could not be ranked.
    if all.any(|one| one.borrow().node_count() > SLOWDOWNS_UNASKED) {
        return Ok(None);
    }
    FixedRouting::find_by_name(RANKING_ROUTING).map(Some)
}

/// Compares machines that are built: figures and best ordering of each, and with a workload what its jobs get.
/// Each machine takes those of the orderings asked for that suit it, or its default ones where none is given or none
/// does; means are over the job sizes that all machines have. `progress` is called with the name of each step before
/// it begins.
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
    request: &MachineOptions<'_>,
    workload: Option<&ComparedJobs<'_>>,
    observer: &dyn Observer,
    progress: &dyn Fn(&str),
) -> Result<Machines> {
    let topologies: Vec<&Topology> = topologies.iter().map(Borrow::borrow).collect();
    // The routing that a model takes by default depends on the kind of machine, which may not decide a ranking.
    let queue = workload.and_then(|workload| workload.queue.as_ref());
    let settings = queue.map(|queue| TraceSettings {
        model: model::fix_for_ranking(&queue.settings.model),
        ..queue.settings.clone()
    });
    let workload = workload.map(|workload| ComparedJobs {
        queue: queue
            .zip(settings.as_ref())
            .map(|(queue, settings)| ScheduledJobs {
                tasks: queue.tasks,
                settings,
            }),
        ..*workload
    });
    let workload = workload.as_ref();
    // Searches take minutes: what cannot be priced is refused before them.
    check_priced(&topologies, request)?;
    let mut carried = match &request.routing {
        Some(routing) => {
            MachineThroughput::search_machines(&topologies, routing, observer, progress)?
        }
        None => Vec::new(),
    }
    .into_iter();
    let orderings = topologies
        .iter()
        // All orderings first: means are over the job sizes that every machine has.
        .map(|topology| MachineFigures::make_orderings(topology, request.orders, observer))
        .collect::<Result<Vec<_>>>()?;
    let largest = orderings
        .iter()
        .flatten()
        .map(NodeOrder::len)
        .min()
        .unwrap_or(0);
    let mut contenders = Vec::new();
    for (topology, orderings) in topologies.iter().copied().zip(orderings) {
        progress(topology.name());
        let machine = MachineFigures::new(topology, orderings, largest, &request.buying)?;
        let service = workload
            .map(|workload| replay_and_schedule(topology, &machine.best, workload))
            .transpose()?;
        let carried = carried.next();
        let searched = request.routing.as_ref().zip(carried.as_ref());
        let broken = request.broken.zip(searched);
        let broken = broken.map(|(parts, (routing, whole))| {
            let whole = &whole.all_to_all;
            BrokenFigures::measure_draws(topology, parts, routing, whole, observer)
        });
        contenders.push(Contender {
            broken: broken.transpose()?,
            seeds: measure_on_seeds(topology, &machine, largest)?,
            slowdowns: measure_slowdowns(topology, &machine.best, request)?,
            machine,
            service,
            carried,
        });
    }
    let (criterion, jobs) = match request.rank {
        None => choose_criterion(&contenders),
        Some(rank) => (rank, Vec::new()),
    };
    let mut ranked: Vec<(f64, Contender)> = contenders
        .into_iter()
        .map(|contender| (ranking_score(&contender, criterion, &jobs), contender))
        .collect();
    ranked.sort_by(|(a_score, a), (b_score, b)| {
        let by_score = if criterion.higher_is_better() {
            b_score.total_cmp(a_score)
        } else {
            a_score.total_cmp(b_score)
        };
        // Means without some windows are of other jobs: the more are left out, the further back, whatever the score.
        a.machine
            .windows_left_out()
            .total_cmp(&b.machine.windows_left_out())
            .then(by_score)
    });
    let (scores, contenders): (Vec<f64>, Vec<Contender>) = ranked.into_iter().unzip();
    let compared = contenders
        .iter()
        .take_while(|contender| contender.machine.windows_left_out() == 0.0)
        .count();
    let seed = topologies
        .first()
        .map_or(1, |topology| topology.context().seed);
    let differences = contenders[..compared]
        .iter()
        .skip(1)
        .filter_map(|other| {
            machine_difference(&contenders[0], other, criterion, &jobs, workload, seed)
        })
        .collect();
    let routing = match criterion {
        Criterion::Response => {
            let model = settings.as_ref().map(|settings| &settings.model);
            model.and_then(|model| model::routing_name(model))
        }
        criterion if criterion.is_bracket() => {
            let searched = request.routing.as_ref();
            searched.map(|routing| routing.name.to_string())
        }
        _ => None,
    };
    Ok(Machines {
        criterion,
        contenders,
        compared,
        largest,
        scores,
        jobs: jobs.len(),
        differences,
        settings,
        routing,
    })
}

/// Computes the figure that ranks a machine; means are over these jobs, by index.
fn ranking_score(contender: &Contender, criterion: Criterion, jobs: &[usize]) -> f64 {
    match criterion {
        Criterion::MeanLog => contender.mean_log(),
        Criterion::Throughput | Criterion::Cost => contender
            .ranking_bracket(criterion)
            .map_or(f64::NAN, |ends| ends[0]),
        Criterion::Response | Criterion::Hops => {
            let values = job_figures(contender, criterion);
            jobs.iter().filter_map(|job| values[*job]).sum::<f64>() / jobs.len() as f64
        }
    }
}

/// Looks up the figure of each job on a machine: response times or hops. Empty if it has none.
fn job_figures(contender: &Contender, criterion: Criterion) -> &[Option<f64>] {
    match (&contender.service, criterion) {
        (Some(service), Criterion::Response) => &service.responses,
        (Some(service), Criterion::Hops) => &service.hops,
        _ => &[],
    }
}

/// Chooses the first criterion of which every machine has figures, and the jobs that have them on all.
fn choose_criterion(contenders: &[Contender]) -> (Criterion, Vec<usize>) {
    // What users wait for says more than distances of jobs, and these more than curves without jobs.
    for criterion in [Criterion::Response, Criterion::Hops] {
        let all: Vec<_> = contenders
            .iter()
            .map(|c| job_figures(c, criterion))
            .collect();
        let most = all.iter().map(|values| values.len()).min().unwrap_or(0);
        let jobs: Vec<usize> = (0..most)
            .filter(|job| all.iter().all(|values| values[*job].is_some()))
            .collect();
        if !jobs.is_empty() {
            return (criterion, jobs);
        }
    }
    (Criterion::MeanLog, Vec::new())
}

/// Subtracts the second machine's figure from the first one's, with an interval. `None` if they have no job in common.
fn machine_difference(
    first: &Contender,
    second: &Contender,
    criterion: Criterion,
    jobs: &[usize],
    workload: Option<&ComparedJobs<'_>>,
    seed: u64,
) -> Option<Difference> {
    let figure = criterion.name();
    let unit = criterion.unit();
    if criterion.is_bracket() {
        let ours = first.ranking_bracket(criterion)?;
        return Some(Difference::between_brackets(
            figure,
            unit,
            ours,
            second.ranking_bracket(criterion)?,
        ));
    }
    if criterion == Criterion::MeanLog {
        if first.seeds.is_none() && second.seeds.is_none() {
            let gap = first.machine.mean_log() - second.machine.mean_log();
            return Some(Difference::without_interval(figure, unit, gap));
        }
        // Seed by seed; a network that is not drawn has the same mean on each.
        let gaps: Vec<f64> = (0..SEEDS as usize)
            .map(|i| first.mean_log_of_seed(i) - second.mean_log_of_seed(i))
            .collect();
        return Some(Difference::over_seeds(figure, unit, &gaps));
    }
    // Only waits depend on the week: distances of jobs are resampled job by job.
    let tasks = workload
        .and_then(|workload| workload.queue.as_ref())
        .map(|queue| queue.tasks)
        .filter(|_| criterion == Criterion::Response);
    let ours = job_figures(first, criterion);
    let theirs = job_figures(second, criterion);
    let mut pairs = Vec::new();
    for job in jobs {
        if let (Some(a), Some(b)) = (ours[*job], theirs[*job]) {
            let week = tasks.map(|tasks| tasks[*job].submit.saturating_sub(tasks[0].submit) / WEEK);
            pairs.push((week, a - b));
        }
    }
    Difference::over_jobs(figure, unit, &pairs, seed)
}

/// Measures the slowdowns of a machine's best ordering and of `random`. `None` unless that is asked for.
fn measure_slowdowns(
    topology: &Topology,
    best: &NodeOrder,
    request: &MachineOptions<'_>,
) -> Result<Option<SlowdownComparison>> {
    let Some(routing) = request.slowdown_routing.filter(|_| best.len() > 1) else {
        return Ok(None);
    };
    let fabric = Fabric::with_components(topology)?;
    let slowdowns = Slowdowns::new(&fabric, SlowdownOptions::new(routing))?;
    let orders = [best.clone(), NodeOrder::make(topology, "random")?];
    Ok(Some(slowdowns.compare_orders(
        &orders,
        &GUESTS,
        &|_, _| (),
    )?))
}

/// Draws a random network on ten seeds, from its own on. `None` if the network is not drawn.
fn measure_on_seeds(
    topology: &Topology,
    machine: &MachineFigures,
    largest: usize,
) -> Result<Option<SeedFigures>> {
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
    // Options may follow the seed.
    let digits = rest.find(',').unwrap_or(rest.len());
    let first: u64 = rest[..digits].parse().map_err(|_| missing())?;
    // The first seed's network is the machine itself.
    let mut distances = vec![machine.comparison.topology.mean_distance];
    let mut values = vec![machine.mean_log()];
    for i in 1..SEEDS {
        let seed = first.wrapping_add(i);
        let text = format!("{before},seed={seed}{}", &rest[digits..]);
        let drawn = Topology::inline(&text, topology.context())?;
        // One method for all draws: it is the ordering of the family that is judged, not the luck of a choice.
        let order = NodeOrder::make(&drawn, machine.best.label())?;
        let curve = mpc::curve(&drawn, &order)?;
        values.push(mean_log(values_up_to(&curve.values(), largest)));
        distances.push(drawn.statistics()?.mean_distance);
    }
    Ok(Some(SeedFigures {
        first,
        mean_distance: Difference::over_seeds("mean distance", "hops", &distances),
        mean_log: Difference::over_seeds(Criterion::MeanLog.name(), "hops", &values),
        values,
    }))
}

/// Checks before any search that every machine can be priced.
fn check_priced(topologies: &[&Topology], request: &MachineOptions<'_>) -> Result<()> {
    if request.rank == Some(Criterion::Cost) && request.buying.prices == Prices::default() {
        let expected = "--prices links=X,routers=Y,nodes=W, or some of them";
        return Err(Error::option("--rank cost", "no prices", expected));
    }
    let names: Vec<&str> = topologies.iter().map(|topology| topology.name()).collect();
    request.buying.cables.check_machines(&names)?;
    for topology in topologies {
        request
            .buying
            .add_up_costs(topology, &topology.statistics()?)?;
    }
    Ok(())
}
