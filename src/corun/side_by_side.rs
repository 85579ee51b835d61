//! Jobs beside each other and alone, at either level.

use std::collections::BTreeMap;
use std::fmt::Display;

use rayon::prelude::*;

use super::flow_run::FlowRun;
use super::job_level::JobLevel;
use super::jobs::{Job, Phase};
use super::messages::{FlowGroup, FlowJob, FlowPhase};
use super::timing::{Computing, Run, Span};
use super::usage::{JobUsage, PhaseUsage};
use super::{Fair, Speeds};
use crate::error::{Error, Result, SourceLocation};
use crate::mapping::{Fabric, RoutingEntry};
use crate::params::Unit;
use crate::topology::Topology;

/// How closely messages are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Message by message.
    Flow,
    /// By the links that jobs share, one by one.
    Job,
}

/// Settings of all jobs: network, level, and length of the simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The network's figures.
    pub speeds: Speeds,
    /// How closely messages are followed.
    pub level: Detail,
    /// Every job goes on until each has done so many iterations; at least 1.
    pub iterations: u64,
    /// Whether periods that repeat exactly are counted instead of simulated; never with drawn computing times.
    pub count_patterns: bool,
    /// How many stages of the jobs are kept for [`Outcome::spans`].
    pub spans: usize,
}

impl Settings {
    /// From the texts of `--bandwidth`, `--latency`, `--fair` (`flow`, `rtt`) and `--level` (`flow`, `job`); states that
    /// come again are counted, and no stages kept.
    ///
    /// # Errors
    /// A text that is no such quantity; a bandwidth of 0.
    pub fn read([bandwidth, latency, fair, level]: [&str; 4], iterations: u64) -> Result<Self> {
        let speeds = Speeds {
            bandwidth: Unit::Bandwidth.option("--bandwidth", bandwidth)?,
            latency: Unit::Seconds.option("--latency", latency)?,
            fair: if fair == "rtt" { Fair::Rtt } else { Fair::Flow },
        };
        if speeds.bandwidth == 0.0 {
            return Err(no_bandwidth(bandwidth));
        }
        let level = if level == "job" { Detail::Job } else { Detail::Flow };
        Ok(Settings { speeds, level, iterations, count_patterns: true, spans: 0 })
    }
}

fn no_bandwidth(found: impl Display) -> Error {
    let location = SourceLocation::option(format!("--bandwidth {found}"));
    Error::input(location, "a link of bandwidth 0", "a bandwidth above 0")
}

/// Times of one job.
#[derive(Clone, Debug, PartialEq)]
pub struct JobOutcome {
    /// Its name.
    pub name: String,
    /// Its processes.
    pub processes: u32,
    /// Iterations it finished beside the others.
    pub iterations: u64,
    /// Mean seconds of these.
    pub seconds: f64,
    /// Mean seconds of an iteration alone.
    pub alone: f64,
}

impl JobOutcome {
    /// Seconds beside the others over seconds alone.
    pub fn slowdown(&self) -> f64 {
        self.seconds / self.alone
    }
}

/// Times of all jobs, and loads of the links.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The jobs, in their order.
    pub jobs: Vec<JobOutcome>,
    /// Seconds until each had done its iterations.
    pub seconds: f64,
    /// Bytes that each directed link carried over those that it could have carried in that time, in the order of
    /// [`RouterGraph`](crate::topology::RouterGraph).
    pub utilisation: Vec<f64>,
    /// Directed links of the network: those of the fabric but for joints, which are never used.
    pub links: usize,
    /// The first stages of the jobs, by job and time.
    pub spans: Vec<Span>,
}

/// Number of times that progress is reported.
const STEPS: u64 = 20;

/// Lets `jobs` run side by side, and each alone. `progress` is called with the iterations that a group of jobs that
/// meet has just done together, from any thread. Jobs draw their computing times from the machine's seed and their
/// index in the list. The same bytes for any number of threads.
///
/// # Errors
/// A bandwidth that is not above 0; a routing that does not suit the machine; iterations of lengths too different
/// to be simulated together; more memory than allowed.
///
/// # Complexity
/// Flow level: a search for each target and O(messages · hops) to begin with; then for every end of a message the
/// flows that its links reach. Job level: see [`JobLevel`].
pub fn side_by_side(
    fabric: &Fabric<'_>,
    routing: &RoutingEntry,
    jobs: &[Job],
    settings: &Settings,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Outcome> {
    let speeds = &settings.speeds;
    if !(speeds.bandwidth > 0.0 && speeds.bandwidth.is_finite()) {
        return Err(no_bandwidth(speeds.bandwidth));
    }
    routing.check(fabric.topology)?;
    let capacity = speeds.capacities(fabric.links);
    let (mut groups, alone) = match settings.level {
        Detail::Flow => flows(fabric, routing, jobs, settings, &capacity)?,
        Detail::Job => usages(fabric, routing, jobs, settings)?,
    };
    // Every job runs until the last has done its iterations: a much shorter one would do millions meanwhile.
    let shortest = alone.iter().copied().fold(f64::INFINITY, f64::min);
    let longest = alone.iter().copied().fold(0.0, f64::max);
    if !(shortest > 0.0 && longest / shortest <= LONGEST) {
        let of =
            |seconds: f64| alone.iter().position(|s| *s == seconds).map_or("", |i| &jobs[i].name);
        return Err(Error::unsuited(
            SourceLocation::option("--jobs"),
            format!(
                "an iteration of `{}` takes {longest} s, one of `{}` {shortest} s",
                of(longest),
                of(shortest)
            ),
            format!("iterations may differ in length by a factor of {LONGEST:e} at most"),
        ));
    }
    let iterations = settings.iterations.max(1);
    let ends: Vec<f64> = (groups.par_iter_mut())
        .map(|(members, run)| {
            run.spans().keep(settings.spans / jobs.len().max(1) * members.len());
            let mut end = 0.0;
            for step in 1..=STEPS.min(iterations) {
                let goal = |step: u64| iterations * step / STEPS.min(iterations);
                end = run.until_each_has_done(goal(step));
                progress((goal(step) - goal(step - 1)) * members.len() as u64);
            }
            end
        })
        .collect();
    let seconds = ends.iter().copied().fold(0.0, f64::max);
    groups.par_iter_mut().for_each(|(_, run)| run.until(seconds));
    let mut outcome = Outcome {
        jobs: Vec::with_capacity(jobs.len()),
        seconds,
        utilisation: vec![0.0; capacity.len()],
        links: fabric.links.cabled(),
        spans: Vec::new(),
    };
    let mut means = vec![(0.0, 0); jobs.len()];
    for (members, run) in &mut groups {
        for (i, job) in members.iter().enumerate() {
            means[*job] = run.mean(i);
        }
        for (link, bytes) in run.carried(&capacity) {
            outcome.utilisation[link as usize] += bytes / (capacity[link as usize] * seconds);
        }
        let span = |span: &Span| Span { job: members[span.job], ..*span };
        outcome.spans.extend(run.spans().list().iter().map(span));
    }
    // Groups end in any order: sorted, threads do not show.
    outcome.spans.sort_by(|a, b| {
        (a.job, a.from).partial_cmp(&(b.job, b.from)).unwrap_or(std::cmp::Ordering::Equal)
    });
    for ((job, (seconds, iterations)), alone) in jobs.iter().zip(means).zip(alone) {
        let (name, processes) = (job.name.clone(), job.processes());
        outcome.jobs.push(JobOutcome { name, processes, iterations, seconds, alone });
    }
    Ok(outcome)
}

/// Largest ratio of the longest iteration to the shortest.
const LONGEST: f64 = 1e6;

/// Groups of jobs that meet, each with its simulation, and the mean seconds of an iteration of each job alone.
type Groups = (Vec<(Vec<usize>, Box<dyn Run>)>, Vec<f64>);

/// The seconds that the job at this index of the list computes, one phase and iteration after the other, the first
/// `count`: what another simulator needs to follow the same jobs.
pub fn computing_times(topology: &Topology, index: usize, job: &Job, count: usize) -> Vec<f64> {
    let mut computing = Computing::new(seed(topology, index), job.spread);
    let phases = job.phases.iter().cycle().take(count);
    phases.map(|phase| computing.draw(phase.compute)).collect()
}

/// The seed of a job's draws.
fn seed(topology: &Topology, job: usize) -> u64 {
    let seed = topology.context().seed;
    seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(job as u64)
}

/// Mean seconds of an iteration of the only job of a run.
fn alone(mut run: impl Run, settings: &Settings) -> f64 {
    run.until_each_has_done(settings.iterations.max(1));
    run.mean(0).0
}

fn flows(
    fabric: &Fabric<'_>,
    routing: &RoutingEntry,
    jobs: &[Job],
    settings: &Settings,
    capacity: &[f64],
) -> Result<Groups> {
    let bound = settings.speeds.bandwidth;
    let mut flows = Vec::with_capacity(jobs.len());
    for (i, job) in jobs.iter().enumerate() {
        let phases = job.phases.iter().map(|p| phase(fabric, routing, job, p, &settings.speeds));
        let phases = phases.collect::<Result<_>>()?;
        flows.push(FlowJob { phases, spread: job.spread, seed: seed(fabric.topology, i) });
    }
    let sending: Vec<Vec<f64>> =
        flows.par_iter().map(|job| FlowRun::alone(job, capacity, bound)).collect();
    let run = |members: &[usize]| {
        let jobs: Vec<&FlowJob> = members.iter().map(|i| &flows[*i]).collect();
        let sending: Vec<Vec<f64>> = members.iter().map(|i| sending[*i].clone()).collect();
        FlowRun::new(&jobs, &sending, capacity, bound, settings.count_patterns)
    };
    let alone = (0..jobs.len()).into_par_iter().map(|i| alone(run(&[i]), settings)).collect();
    let groups =
        meeting(&flows.iter().map(FlowJob::links).map(Iterator::collect).collect::<Vec<_>>());
    let groups = groups.into_iter().map(|members| {
        let run: Box<dyn Run> = Box::new(run(&members));
        (members, run)
    });
    Ok((groups.collect(), alone))
}

/// The messages of a phase by route.
fn phase(
    fabric: &Fabric<'_>,
    routing: &RoutingEntry,
    job: &Job,
    phase: &Phase,
    speeds: &Speeds,
) -> Result<FlowPhase> {
    let topology = fabric.topology;
    if phase.bytes > 0.0 {
        // A route of several links, and what is kept of it while it is simulated.
        topology.require("the messages of a job", phase.guest.pair_count().saturating_mul(400))?;
    }
    let mut between: BTreeMap<(u32, u32), Vec<f64>> = BTreeMap::new();
    let mut inside = 0f64;
    let router = |process| topology.router_of(job.mapping.node(process)).0;
    phase.guest.for_each_message(|message| {
        let (from, to) = (router(message.source), router(message.target));
        let bytes = message.volume * phase.bytes;
        if bytes > 0.0 && from == to {
            inside = inside.max(bytes);
        } else if bytes > 0.0 {
            between.entry((from, to)).or_default().push(bytes);
        }
    });
    let pairs: Vec<(u32, u32)> = between.keys().copied().collect();
    let routes = routing.routes(fabric, &pairs)?;
    let group = |(route, mut bytes): (Vec<(u32, f64)>, Vec<f64>)| {
        bytes.sort_by(f64::total_cmp);
        let sizes =
            bytes.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as f64)).collect();
        let hops: f64 =
            route.iter().map(|(link, share)| share * fabric.links.weight(*link as usize)).sum();
        let latency = phase.messages * hops * speeds.latency;
        FlowGroup { route, latency, weight: speeds.weight(hops), sizes }
    };
    let groups = routes.into_iter().zip(between.into_values()).map(group).collect();
    Ok(FlowPhase { compute: phase.compute, groups, inside })
}

/// Groups of jobs that use a link in common, directly or through others, by their first jobs.
fn meeting(links: &[Vec<u32>]) -> Vec<Vec<usize>> {
    let mut group: Vec<usize> = (0..links.len()).collect();
    let mut first: BTreeMap<u32, usize> = BTreeMap::new();
    for (job, links) in links.iter().enumerate() {
        for link in links {
            let (a, b) = (group[*first.entry(*link).or_insert(job)], group[job]);
            if a != b {
                group.iter_mut().filter(|g| **g == a.max(b)).for_each(|g| *g = a.min(b));
            }
        }
    }
    let members = |g: usize| (0..links.len()).filter(|job| group[*job] == g).collect();
    (0..links.len()).filter(|g| group[*g] == *g).map(members).collect()
}

fn usages(
    fabric: &Fabric<'_>,
    routing: &RoutingEntry,
    jobs: &[Job],
    settings: &Settings,
) -> Result<Groups> {
    let mut level = JobLevel::new(fabric.links, &settings.speeds, settings.iterations);
    for (i, job) in jobs.iter().enumerate() {
        let phase = |p: &Phase| {
            let (guest, mapping) = (&p.guest, &job.mapping);
            let speeds = &settings.speeds;
            let mut usage =
                PhaseUsage::new(fabric, routing, guest, mapping, p.bytes, p.compute, speeds)?;
            usage.latency *= p.messages;
            Ok(usage)
        };
        let phases = job.phases.iter().map(phase).collect::<Result<_>>()?;
        level.start(
            i as u64,
            JobUsage { phases, spread: job.spread, seed: seed(fabric.topology, i) },
        );
    }
    let keys: Vec<u64> = (0..jobs.len() as u64).collect();
    let alone = keys.iter().map(|key| alone(level.run_of(&[*key]), settings)).collect();
    let mut groups: Vec<(Vec<usize>, Box<dyn Run>)> = Vec::new();
    for key in &keys {
        if groups.iter().any(|(members, _)| members.contains(&(*key as usize))) {
            continue;
        }
        let met: Vec<u64> = level.meeting(*key).into_iter().collect();
        let members = met.iter().map(|key| *key as usize).collect();
        groups.push((members, Box::new(level.run_of(&met))));
    }
    Ok((groups, alone))
}
