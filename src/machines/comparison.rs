//! The machines ranked, with the difference between the first two.

use std::borrow::Borrow;

use super::confidence::Difference;
use super::workload::{ComparedJobs, Service, serve};
use crate::error::{Error, Result, SourceLocation};
use crate::metric::comparison::{mean_log, up_to};
use crate::metric::machine_figures::{Machine, Prices};
use crate::metric::mpc;
use crate::ordering::{NodeOrder, Observer};
use crate::schedule::orderings::TraceSettings;
use crate::schedule::saving::WEEK;
use crate::topology::Topology;

/// Seeds of a random machine.
const SEEDS: u64 = 10;
/// The families whose networks are drawn at random.
const RANDOM: [&str; 3] = ["watts-strogatz", "random-regular", "gnm"];

/// One of the machines.
#[derive(Clone, Debug)]
pub struct Contender {
    /// Its figures.
    pub machine: Machine,
    /// Service that jobs get on it, where there is a workload.
    pub service: Option<Service>,
    /// Mean distance and the best ordering's mean(log) on ten seeds, where the network is a random one.
    pub seeds: Option<Seeds>,
}

impl Contender {
    /// The best ordering's mean(log); of a random network the mean over its seeds.
    fn mean_log(&self) -> f64 {
        self.seeds.as_ref().map_or(self.machine.mean_log(), |seeds| seeds.mean_log.difference)
    }
}

/// A random network's figures on seeds from its own on.
#[derive(Clone, Debug, PartialEq)]
pub struct Seeds {
    /// The first seed.
    pub first: u64,
    /// Mean distances with their interval.
    pub mean_distance: Difference,
    /// The best ordering's mean(log) with its interval, ordered by the same method on each seed.
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

impl Machines {
    /// Whether the first machine is told apart from every other one that is compared; none where there is no other.
    pub fn is_told(&self) -> Option<bool> {
        let told = self.differences.iter().all(Difference::is_significant);
        (!self.differences.is_empty()).then_some(told)
    }

    /// The fewest and the most nodes of the machines' orderings, where they differ.
    pub(crate) fn node_counts(&self) -> Option<(usize, usize)> {
        let most = self.contenders.iter().map(|c| c.machine.best.len()).max()?;
        (most > self.largest).then_some((self.largest, most))
    }

    /// Whether each figure of the first machine can be read beside those of all others.
    pub(crate) fn is_even(&self) -> bool {
        self.is_told() == Some(true)
            && self.compared == self.contenders.len()
            && self.node_counts().is_none()
    }
}

/// Compares machines that are built: figures and best ordering of each, and with a workload what its jobs get.
/// Each machine takes those of `orders` that suit it, or its default ones where none is given or none does; means are over the
/// job sizes that all machines have. `progress` is called with the name of each step before it begins.
///
/// # Errors
/// An ordering that is wrong; more memory than allowed; a workload that is wrong, or whose jobs all are too large for
/// one of the machines.
///
/// # Complexity
/// The curves, one replay and one schedule for each machine, one machine after another; the parts of each
/// in parallel. Results never depend on the number of threads.
pub fn compare(
    topologies: &[impl Borrow<Topology>],
    orders: &[String],
    prices: &Prices,
    workload: Option<&ComparedJobs<'_>>,
    observer: &dyn Observer,
    progress: &dyn Fn(&str),
) -> Result<Machines> {
    let topologies: Vec<&Topology> = topologies.iter().map(Borrow::borrow).collect();
    let made = topologies.iter().map(|topology| Machine::orderings(topology, orders, observer));
    let made = made.collect::<Result<Vec<_>>>()?;
    let largest = made.iter().flatten().map(NodeOrder::len).min().unwrap_or(0);
    let mut contenders = Vec::new();
    for (topology, made) in topologies.iter().copied().zip(made) {
        progress(topology.name());
        let machine = Machine::new(topology, made, largest, prices)?;
        let served = |workload| serve(topology, &machine.best, workload);
        let service = workload.map(served).transpose()?;
        let seeds = seeds(topology, &machine, largest)?;
        contenders.push(Contender { machine, service, seeds });
    }
    let (criterion, jobs) = criterion(&contenders);
    let scores: Vec<f64> = (0..contenders.len())
        .map(|i| match criterion {
            Criterion::MeanLog => contenders[i].mean_log(),
            _ => {
                let values = values(&contenders[i], criterion);
                jobs.iter().filter_map(|job| values[*job]).sum::<f64>() / jobs.len() as f64
            }
        })
        .collect();
    let mut ranked: Vec<(f64, Contender)> = scores.into_iter().zip(contenders).collect();
    let left_out = |contender: &Contender| contender.machine.windows_left_out();
    ranked.sort_by(|a, b| left_out(&a.1).total_cmp(&left_out(&b.1)).then(a.0.total_cmp(&b.0)));
    let (scores, contenders): (Vec<f64>, Vec<Contender>) = ranked.into_iter().unzip();
    let seed = topologies.first().map_or(1, |topology| topology.context().seed);
    let compared = contenders.iter().take_while(|c| left_out(c) == 0.0).count();
    let others = contenders[..compared].iter().skip(1);
    let differences = others
        .filter_map(|other| difference(&contenders[0], other, criterion, &jobs, workload, seed))
        .collect();
    let queue = workload.and_then(|workload| workload.queue.as_ref());
    let settings = queue.map(|queue| queue.settings.clone());
    let jobs = jobs.len();
    Ok(Machines { criterion, contenders, compared, largest, scores, jobs, differences, settings })
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

/// Machines compared on jobs small enough to follow.
#[cfg(test)]
mod tests {
    use super::*;
    use crate::machines::{Queue, headline};
    use crate::ordering::NoObserver;
    use crate::schedule::Task;
    use crate::topology::Context;
    use crate::trace::Log;

    fn build(specs: &[&str]) -> Vec<Topology> {
        specs.iter().map(|s| Topology::inline(s, &Context::default()).unwrap()).collect()
    }

    fn plain(specs: &[&str]) -> Machines {
        let prices = Prices::default();
        compare(&build(specs), &[], &prices, None, &NoObserver, &|_| ()).unwrap()
    }

    fn names(machines: &Machines) -> Vec<&str> {
        machines.contenders.iter().map(|c| c.machine.name()).collect()
    }

    /// Compares on a placement log.
    fn on_log(specs: &[&str], log: &str, allocators: &[&str]) -> Machines {
        let allocators: Vec<String> = allocators.iter().map(|a| a.to_string()).collect();
        let open = || Ok(Log::new("log", log));
        let workload = ComparedJobs {
            name: "log",
            open: &open,
            allocators: &allocators,
            leading: 0,
            queue: None,
        };
        let prices = Prices::default();
        compare(&build(specs), &[], &prices, Some(&workload), &NoObserver, &|_| ()).unwrap()
    }

    /// Compares on tasks, scheduled first come first served.
    fn on_tasks(specs: &[&str], tasks: &[Task], model: &str) -> Machines {
        let settings = TraceSettings {
            trace: "t.swf".into(),
            policy: "fcfs".into(),
            allocator: "fifo:0".into(),
            model: model.into(),
            other_models: Vec::new(),
            waits: Vec::new(),
        };
        let text: String =
            tasks.iter().map(|t| format!("P {} {}\nF {}\n", t.id, t.nodes, t.id)).collect();
        let open = || Ok(Log::new("t.swf", text.clone()));
        let allocators = ["fifo:0".to_string()];
        let workload = ComparedJobs {
            name: "t.swf",
            open: &open,
            allocators: &allocators,
            leading: 0,
            queue: Some(Queue { tasks, settings: &settings }),
        };
        let prices = Prices::default();
        compare(&build(specs), &[], &prices, Some(&workload), &NoObserver, &|_| ()).unwrap()
    }

    #[test]
    fn without_jobs_the_curves_rank() {
        let machines = plain(&["mesh:64", "hyperx:8x8", "torus:8x8"]);
        assert_eq!(names(&machines), ["hyperx:8x8", "torus:8x8", "mesh:64"]);
        assert_eq!((machines.criterion, machines.jobs), (Criterion::MeanLog, 0));
        assert!(machines.scores.is_sorted());
        let difference = &machines.differences[0];
        assert_eq!(difference.difference, machines.scores[0] - machines.scores[1]);
        assert!(difference.is_significant() && difference.low.is_none());
        let said = headline(&machines, None);
        assert!(
            said.starts_with("Best: hyperx:8x8 with ") && said.contains("Both figures are exact."),
            "{said}"
        );
    }

    #[test]
    fn a_machine_is_no_better_than_itself() {
        let machines = plain(&["torus:4x4", "torus:4x4,per_router=1"]);
        assert!(!&machines.differences[0].is_significant());
        assert!(headline(&machines, None).starts_with("No winner: torus:4x4 with "));
        let one = plain(&["torus:4x4"]);
        assert_eq!(one.is_told(), None);
        assert!(headline(&one, None).starts_with("torus:4x4 with "));
    }

    #[test]
    fn random_networks_have_ten_seeds() {
        let machines = plain(&["random-regular:n=32,d=3,seed=5", "mesh:32"]);
        let random = machines.contenders.iter().find(|c| c.seeds.is_some()).unwrap();
        let seeds = random.seeds.as_ref().unwrap();
        assert_eq!((seeds.first, seeds.values.len()), (5, 10));
        assert_eq!(seeds.values[0], random.machine.mean_log());
        assert!(seeds.values[1..].iter().any(|v| *v != seeds.values[0]));
        let difference = &machines.differences[0];
        assert_eq!((difference.over, difference.count), ("seeds", 10));
        assert!(difference.low < difference.high);
        assert!(headline(&machines, None).contains("10 seeds of the random networks"));
    }

    #[test]
    fn a_log_ranks_by_the_hops_that_jobs_get() {
        let log: String = (0..40).map(|i| format!("P j{i} {}\nF j{i}\n", 2 + i % 7)).collect();
        let log = log + "P big 65\nF big\nP huge 999\nF huge\nP one 1\n";
        let machines =
            on_log(&["mesh:64", "hyperx:8x8", "torus:9x9"], &log, &["span-best-fit", "fifo:0"]);
        assert_eq!((machines.criterion, machines.jobs), (Criterion::Hops, 40));
        assert_eq!(names(&machines)[0], "hyperx:8x8");
        for contender in &machines.contenders {
            let service = contender.service.as_ref().unwrap();
            let nodes = contender.machine.comparison.topology.nodes;
            let big = u64::from(nodes < 65);
            assert_eq!(
                (service.placed, service.skipped, service.too_large),
                (42 - big, 0, 1 + big)
            );
            assert_eq!(service.too_large_names.last().map(String::as_str), Some("huge"));
            assert_eq!(service.allocators.len(), 2);
            assert_eq!(
                (service.allocators[1].allocator.as_str(), service.allocators[1].improvement),
                ("fifo:0", None)
            );
            assert!(service.schedule.is_none() && service.responses.is_empty());
        }
        // One job at a time gets the first ranks: the score is the mean over jobs of their own hops.
        let hops = machines.contenders[0].service.as_ref().unwrap().hops.clone();
        assert_eq!(hops.len(), 43);
        let mean = hops[..40].iter().flatten().sum::<f64>() / 40.0;
        assert_eq!(machines.scores[0], mean);
        let difference = &machines.differences[0];
        assert_eq!((difference.over, difference.jobs), ("jobs", 40));
        let said = headline(&machines, Some("log"));
        assert!(said.contains("2 of the jobs do not fit on hyperx:8x8: big, huge."), "{said}");
        assert!(said.contains("1 of the jobs do not fit on torus:9x9: huge."), "{said}");
    }

    /// The baseline is replayed where it is not among the allocators, but not reported.
    #[test]
    fn improvement_is_over_fifo() {
        let log: String = (0..200)
            .map(|i| {
                format!(
                    "P j{i} 4\n{}",
                    if i >= 9 { format!("F j{}\n", i - 9) } else { String::new() }
                )
            })
            .collect();
        let machines = on_log(&["torus:8x8", "mesh:8x8"], &log, &["span-best-fit"]);
        for contender in &machines.contenders {
            let [row] = contender.service.as_ref().unwrap().allocators.as_slice() else { panic!() };
            assert!(row.mean_mind.is_some() && row.improvement.is_some());
            assert_eq!((row.improvement_small, row.improvement_large), (row.improvement, None));
        }
    }

    fn tasks(count: i64, weeks: i64) -> Vec<Task> {
        let step = weeks * 7 * 24 * 3600 / count;
        (0..count)
            .map(|i| Task {
                id: i + 1,
                submit: 5000 + i * step,
                run: 100_000 + 100 * (i % 13),
                requested: 200_000,
                nodes: 4 + (i % 5) as u32,
            })
            .collect()
    }

    #[test]
    fn a_trace_ranks_by_response_over_weeks() {
        let tasks = tasks(200, 12);
        let machines = on_tasks(&["mesh:20", "mesh:10"], &tasks, "fixed");
        assert_eq!((machines.criterion, machines.jobs), (Criterion::Response, 200));
        assert_eq!(names(&machines), ["mesh:20", "mesh:10"]);
        for (contender, score) in machines.contenders.iter().zip(&machines.scores) {
            let row = contender.service.as_ref().unwrap().schedule.as_ref().unwrap();
            assert!((row.summary.mean_response - score).abs() < 1e-6 * score, "{row:?} {score}");
            assert_eq!((row.summary.jobs, row.too_large), (200, 0));
        }
        let difference = &machines.differences[0];
        assert_eq!((difference.over, difference.count), ("weeks", 12));
        assert!(difference.is_significant() && difference.high.unwrap() < 0.0);
        let said = headline(&machines, Some("t.swf"));
        assert!(said.starts_with("Best for t.swf, jobs of at most 10 nodes: mesh:20 with "));
    }

    #[test]
    fn jobs_that_do_not_fit_are_left_out_of_the_score() {
        let mut tasks = tasks(30, 1);
        tasks[7].nodes = 15;
        let machines = on_tasks(&["mesh:10", "mesh:20"], &tasks, "fixed");
        assert_eq!(machines.jobs, 29);
        let small = machines.contenders.iter().find(|c| c.machine.name() == "mesh:10").unwrap();
        let service = small.service.as_ref().unwrap();
        assert_eq!(
            (service.too_large, service.too_large_names.clone()),
            (1, vec!["8".to_string()])
        );
        assert_eq!(service.responses[7], None);
        assert_eq!(service.schedule.as_ref().unwrap().too_large, 1);
        assert_eq!(machines.differences[0].over, "jobs");
    }

    #[test]
    fn jobs_that_never_wait_and_never_stretch_tell_no_difference() {
        let tasks: Vec<Task> = (0..50)
            .map(|i| Task { id: i, submit: i * 1000, run: 10, requested: 10, nodes: 3 })
            .collect();
        let machines = on_tasks(&["mesh:20", "torus:5x5"], &tasks, "fixed");
        let difference = &machines.differences[0];
        assert_eq!((difference.low, difference.high), (Some(0.0), Some(0.0)));
        let said = headline(&machines, Some("t.swf"));
        assert!(said.starts_with("No winner for t.swf, jobs of at most 20 nodes: mesh:20 with "));
    }

    #[test]
    fn threads_do_not_show() {
        let tasks = tasks(60, 10);
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| on_tasks(&["torus:4x4", "mesh:4x5"], &tasks, "distance:weight=0.1"))
        };
        let (one, four) = (run(1), run(4));
        assert_eq!((&one.scores, &one.differences), (&four.scores, &four.differences));
        assert_eq!(headline(&one, None), headline(&four, None));
    }
}
