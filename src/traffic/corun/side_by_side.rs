//! The jobs of a file beside each other and alone, at either level: groups of jobs that meet are simulated each for
//! itself.

use std::collections::BTreeSet;
use std::sync::Arc;

use rayon::prelude::*;

use super::jobs::Job;
use super::level::{Detail, PlacedJob, RunningJobs};
use super::progress::ComputingTimes;
use super::timing::{Simulation, Span};
use super::{Channels, Fair, NetworkFigures, Speeds};
use crate::mapping::{Fabric, FixedRouting};
use nodeorder_base::error::format_six_digits;
use nodeorder_base::{Error, Result, SourceLocation};
use nodeorder_network::Topology;

/// Settings of all jobs: network, level, and length of the simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Bandwidths and latencies of the network.
    pub speeds: Speeds,
    /// Level of detail at which messages are followed.
    pub level: Detail,
    /// Number of iterations that every job does at least, from 1; all jobs go on until the last has done them.
    pub iterations: u64,
    /// Whether periods that repeat exactly are counted instead of simulated; never with drawn computing times.
    pub count_patterns: bool,
    /// Number of spans of the jobs that are kept for [`Outcome::spans`].
    pub spans: usize,
}

impl Settings {
    /// Creates settings from the network's figures (links of 1.25 GB/s unless given) and the texts of `--fair`
    /// (`flow`, `rtt`) and `--detail` (`flow`, `job`); states that come again are counted, and no spans kept.
    pub fn new(figures: &NetworkFigures, fair: &str, level: &str, iterations: u64) -> Self {
        let fair = if fair == "rtt" { Fair::Rtt } else { Fair::Flow };
        let speeds = Speeds {
            fair,
            ..figures.with_defaults(1.25e9)
        };
        let level = if level == "job" {
            Detail::Job
        } else {
            Detail::Flow
        };
        Settings {
            speeds,
            level,
            iterations,
            count_patterns: true,
            spans: 0,
        }
    }
}

/// Times of one job.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct JobOutcome {
    /// Name of the job.
    pub name: String,
    /// Number of processes of the job.
    pub processes: u32,
    /// Number of iterations that it finished beside the others.
    pub iterations: u64,
    /// Mean seconds of an iteration beside the others.
    pub seconds: f64,
    /// Mean seconds of an iteration alone.
    pub alone: f64,
}

impl JobOutcome {
    /// Divides the seconds beside the others by the seconds alone.
    pub fn slowdown(&self) -> f64 {
        self.seconds / self.alone
    }
}

/// Times of all jobs, and loads of the links.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// Times of each job, in the order of the list.
    pub jobs: Vec<JobOutcome>,
    /// Seconds until every job had done its iterations.
    pub seconds: f64,
    /// Bytes that each directed link carried over those that it could have carried in that time, in the order of
    /// [`RouterGraph`](nodeorder_network::topology::RouterGraph).
    pub utilisation: Vec<f64>,
    /// Directed links of the network: those of the fabric but for joints, which are never used.
    pub links: usize,
    /// The first spans of the jobs, by job and time.
    pub spans: Vec<Span>,
}

/// Number of times that progress is reported.
const STEPS: u64 = 20;

/// Simulates `jobs` side by side, and each alone. `progress` is called with the number of iterations that a group of
/// jobs that meet has just done together, from any thread. Jobs draw their computing times from the machine's seed
/// and their index in the list. The same bytes for any number of threads.
///
/// # Errors
/// A routing that does not suit the machine; iterations of lengths too different
/// to be simulated together; more memory than allowed.
///
/// # Complexity
/// Flow level: a search for each target and O(messages · hops) to begin with; then for every end of a message the
/// flows that its links reach. Job level: see [`RunningJobs`].
pub fn side_by_side(
    fabric: &Fabric<'_>,
    routing: FixedRouting,
    jobs: &[Job],
    settings: &Settings,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Outcome> {
    routing.check_machine(fabric.topology)?;
    check_drawn(jobs, settings.iterations)?;
    let channels = Channels::new(fabric.topology, fabric.links, &settings.speeds);
    let (mut groups, alone) = group_meeting_jobs(fabric, routing, jobs, settings, &channels)?;
    // Every job runs until the last has done its iterations: a much shorter one would do millions meanwhile.
    let shortest = alone.iter().copied().fold(f64::INFINITY, f64::min);
    let longest = alone.iter().copied().fold(0.0, f64::max);
    if !(shortest > 0.0 && longest / shortest <= LONGEST) {
        let of = |seconds: f64| {
            let at = alone.iter().position(|s| *s == seconds);
            at.map_or("", |i| &jobs[i].name)
        };
        return Err(Error::unsuited(
            SourceLocation::option("--jobs"),
            format!(
                "an iteration of `{}` takes {} s, one of `{}` {} s",
                of(longest),
                format_six_digits(longest),
                of(shortest),
                format_six_digits(shortest)
            ),
            format!("iterations may differ in length by a factor of {LONGEST:e} at most"),
        ));
    }
    let iterations = settings.iterations.max(1);
    let steps = STEPS.min(iterations);
    let ends: Vec<f64> = (groups.par_iter_mut())
        .map(|(members, run)| {
            run.timeline().spans.room = settings.spans / jobs.len().max(1) * members.len();
            let mut end = 0.0;
            let mut done = 0;
            for step in 1..=steps {
                let goal = iterations * step / steps;
                end = run.run_iterations(goal);
                progress((goal - done) * members.len() as u64);
                done = goal;
            }
            end
        })
        .collect();
    // All groups go on to the end of the slowest, so that shares of links mean the same stretch of time.
    let seconds = ends.iter().copied().fold(0.0, f64::max);
    groups
        .par_iter_mut()
        .for_each(|(_, run)| run.run_until(seconds));
    let mut outcome = Outcome {
        jobs: Vec::with_capacity(jobs.len()),
        seconds,
        utilisation: vec![0.0; fabric.links.len()],
        links: fabric.links.cabled_link_count(),
        spans: Vec::new(),
    };
    let mut means = vec![(0.0, 0); jobs.len()];
    for (members, run) in &mut groups {
        for (i, job) in members.iter().enumerate() {
            means[*job] = run.mean_iteration(i);
        }
        // Channels beyond the links are node links and switches, which have no utilisation here.
        for (channel, bytes) in run.carried_bytes(&channels) {
            let channel = channel as usize;
            if let Some(utilisation) = outcome.utilisation.get_mut(channel) {
                *utilisation += bytes / (channels.capacity[channel] * seconds);
            }
        }
        for span in &run.timeline().spans.list {
            outcome.spans.push(Span {
                job: members[span.job],
                ..*span
            });
        }
    }
    // Groups end in any order: sorted, threads do not show.
    outcome.spans.sort_by(|a, b| {
        (a.job, a.from)
            .partial_cmp(&(b.job, b.from))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    for ((job, (seconds, iterations)), alone) in jobs.iter().zip(means).zip(alone) {
        outcome.jobs.push(JobOutcome {
            name: job.name.clone(),
            processes: job.processes(),
            iterations,
            seconds,
            alone,
        });
    }
    Ok(outcome)
}

/// Refuses more drawn computing times than can be simulated: with them no state comes again that could be counted.
fn check_drawn(jobs: &[Job], iterations: u64) -> Result<()> {
    let phases: usize = jobs.iter().map(|job| job.phases.len()).sum();
    let most = MOST_DRAWN / phases.max(1) as u64;
    let Some(job) = jobs
        .iter()
        .find(|job| job.spread > 0.0 && iterations > most)
    else {
        return Ok(());
    };
    let problem = format!(
        "the computing times of `{}` are drawn, so that each is simulated",
        job.name
    );
    let remedy = format!("use at most {most} iterations, or spread = 0");
    Err(Error::unsuited(
        SourceLocation::option(format!("--iterations {iterations}")),
        problem,
        remedy,
    ))
}

/// Largest number of phases of all jobs that are simulated if computing times are drawn.
const MOST_DRAWN: u64 = 100_000_000;

/// Largest ratio of the longest iteration to the shortest: a much shorter one would be done millions of times.
const LONGEST: f64 = 1e6;

/// Groups of jobs that meet, by index, each with its simulation; and the mean seconds of an iteration of each job
/// alone.
type MeetingGroups = (Vec<(Vec<usize>, Box<dyn Simulation>)>, Vec<f64>);

/// Finds the groups of jobs that meet, and times each job alone.
fn group_meeting_jobs(
    fabric: &Fabric<'_>,
    routing: FixedRouting,
    jobs: &[Job],
    settings: &Settings,
    channels: &Channels,
) -> Result<MeetingGroups> {
    let placed: Vec<PlacedJob> = jobs
        .par_iter()
        .enumerate()
        .map(|(i, job)| {
            let Job {
                phases, mapping, ..
            } = job;
            let level = settings.level;
            let placed = PlacedJob::new(level, fabric, routing, phases, mapping, channels)?;
            Ok(placed.with_spread(job.spread, job_seed(fabric.topology, i)))
        })
        .collect::<Result<_>>()?;
    let mut level = RunningJobs::new(channels.clone(), settings.iterations);
    level.count_patterns = settings.count_patterns;
    for (key, job) in (0..).zip(placed) {
        level.start_job(key, Arc::new(job));
    }
    let alone = (0..jobs.len() as u32)
        .into_par_iter()
        .map(|key| {
            let mut run = level.create_simulation(&[key]);
            run.run_iterations(settings.iterations.max(1));
            run.mean_iteration(0).0
        })
        .collect();
    let mut left: BTreeSet<u32> = (0..jobs.len() as u32).collect();
    let mut groups = Vec::new();
    while let Some(key) = left.first() {
        let met: Vec<u32> = level.find_meeting_jobs(*key).into_iter().collect();
        left.retain(|key| met.binary_search(key).is_err());
        let members = met.iter().map(|key| *key as usize).collect();
        groups.push((members, level.create_simulation(&met)));
    }
    Ok((groups, alone))
}

/// Draws the first `count` computing times of the job at `index` of the list, in seconds, one phase and iteration
/// after the other: another simulator needs them to follow the same jobs.
pub fn computing_times(topology: &Topology, index: usize, job: &Job, count: usize) -> Vec<f64> {
    let mut computing = ComputingTimes::new(job_seed(topology, index), job.spread);
    job.phases
        .iter()
        .cycle()
        .take(count)
        .map(|phase| computing.draw_seconds(phase.compute))
        .collect()
}

/// Makes the seed of a job's draws: another one for each job, from the machine's seed.
fn job_seed(topology: &Topology, job: usize) -> u64 {
    let seed = topology.context().seed;
    seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(job as u64)
}
