//! The flow level against plain definitions: work, full links, and states that come again.

use proptest::prelude::*;

use super::Channels;
use super::flow_run::FlowRun;
use super::messages::{FlowGroup, FlowJob, FlowPhase};
use super::progress::ComputingTimes;
use super::timing::Simulation;

/// Messages over a few links, with sizes and latencies that often meet.
fn group() -> impl Strategy<Value = FlowGroup> {
    let share = prop_oneof![3 => Just(1.0), 1 => Just(0.5)];
    let route = prop::collection::btree_map(0u32..6, share, 1..4);
    let size = prop_oneof![Just(1.0), Just(2.0), 0.1f64..3.0];
    let sizes = prop::collection::vec((size, 1u32..3), 1..3);
    let latency = prop_oneof![Just(0.0), Just(0.25), 0.0f64..0.5];
    (route, sizes, latency).prop_map(|(route, mut sizes, latency)| {
        sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
        sizes.dedup_by(|a, b| a.0 == b.0);
        let sizes = sizes
            .into_iter()
            .map(|(size, count)| (size, f64::from(count)))
            .collect();
        FlowGroup {
            route: route.into_iter().collect(),
            latency,
            weight: 1.0,
            sizes,
        }
    })
}

fn jobs(spread: bool) -> impl Strategy<Value = Vec<(FlowJob, ComputingTimes)>> {
    let compute = prop_oneof![Just(0.0), Just(1.0), 0.1f64..4.0];
    let phase = (
        compute,
        prop::collection::vec(group(), 1..5),
        prop_oneof![Just(0.0), Just(1.5)],
    );
    let phase = phase.prop_map(|(compute, groups, inside)| FlowPhase {
        compute,
        groups,
        inside,
    });
    let job = (prop::collection::vec(phase, 1..3), 0u64..9);
    let job = job.prop_map(move |(phases, seed)| {
        let spread = if spread { 0.2 } else { 0.0 };
        let job = FlowJob {
            phases,
            sending: Vec::new(),
        };
        (job, ComputingTimes::new(seed, spread))
    });
    prop::collection::vec(job, 1..4)
}

const CAPACITY: [f64; 6] = [1.0, 1.0, 2.0, 0.5, 1.0, 4.0];

fn channels() -> Channels {
    Channels::from_links(CAPACITY.to_vec(), 1.0)
}

fn run(jobs: &[(FlowJob, ComputingTimes)], alone: bool, count: bool) -> FlowRun {
    let mut jobs = jobs.to_vec();
    if alone {
        jobs.iter_mut()
            .for_each(|(job, _)| job.sending = FlowRun::time_phases_alone(job, &channels()));
    }
    let jobs: Vec<_> = jobs
        .iter()
        .map(|(job, computing)| (job, computing))
        .collect();
    FlowRun::new(&jobs, &channels(), count)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Rates, followed from event to event, fill no link beyond its capacity and carry what is sent, byte for byte.
    #[test]
    fn work_is_conserved(jobs in jobs(true)) {
        let mut run = run(&jobs, false, false);
        let mut sums = vec![0.0; CAPACITY.len()];
        for _ in 0..200 {
            let (from, used) = (run.timeline().elapsed_time(), run.link_rates());
            for (link, rate) in &used {
                prop_assert!(*rate <= CAPACITY[*link as usize] * (1.0 + 1e-9), "{link}: {rate}");
            }
            run.one_step();
            for (link, rate) in used {
                sums[link as usize] += rate * (run.timeline().elapsed_time() - from);
            }
        }
        for (link, bytes) in run.carried_bytes(&channels()) {
            let sum = sums[link as usize];
            prop_assert!((bytes - sum).abs() <= 1e-9 * bytes.max(1.0), "{link}: {bytes} {sum}");
        }
    }

    /// A phase that nobody overlaps takes as long as alone: leaving it out of the simulation changes nothing.
    #[test]
    fn phases_alone_are_found_once(jobs in jobs(true)) {
        let (mut quick, mut plain) = (run(&jobs, true, false), run(&jobs, false, false));
        let (a, b) = (quick.run_iterations(12), plain.run_iterations(12));
        prop_assert!((a - b).abs() <= 1e-9 * b, "{a} {b}");
        for job in 0..jobs.len() {
            let (a, b) = (quick.mean_iteration(job), plain.mean_iteration(job));
            prop_assert!((a.0 - b.0).abs() <= 1e-9 * b.0, "{a:?} {b:?}");
        }
        for time in [0.37, 1.0] {
            quick.run_until(a + time);
            plain.run_until(a + time);
            for (x, y) in quick.carried_bytes(&channels()).into_iter().zip(plain.carried_bytes(&channels())) {
                prop_assert!((x.1 - y.1).abs() <= 1e-6 * y.1.max(1.0), "{x:?} {y:?}");
            }
        }
    }

    /// States that come again are counted: the same iterations in the same time as simulated one by one.
    #[test]
    fn counting_patterns_equals_simulating(jobs in jobs(false), iterations in 1u64..400) {
        let (mut counted, mut plain) = (run(&jobs, true, true), run(&jobs, true, false));
        let a = counted.run_iterations(iterations);
        let b = plain.run_iterations(iterations);
        prop_assert!((a - b).abs() <= 1e-7 * b, "{a} {b}");
        for job in 0..jobs.len() {
            let (a, b) = (counted.mean_iteration(job), plain.mean_iteration(job));
            prop_assert!((a.0 - b.0).abs() <= 1e-8 * b.0, "{a:?} {b:?}");
            prop_assert!(a.1.abs_diff(b.1) <= 1, "{a:?} {b:?}");
        }
    }
}

#[test]
fn a_billion_iterations_are_counted() {
    let group = |links: &[u32], size| FlowGroup {
        route: links.iter().map(|link| (*link, 1.0)).collect(),
        latency: 0.0,
        weight: 1.0,
        sizes: vec![(size, 1.0)],
    };
    let job = |compute, groups| FlowJob {
        phases: vec![FlowPhase {
            compute,
            groups,
            inside: 0.0,
        }],
        ..FlowJob::default()
    };
    // In lock step on one link: one second of computing, half the link each.
    let jobs = [
        job(1.0, vec![group(&[0], 1.0)]),
        job(1.0, vec![group(&[0, 1], 1.0)]),
    ]
    .map(|job| (job, ComputingTimes::new(0, 0.0)));
    let mut run = run(&jobs, true, true);
    let end = run.run_iterations(1_000_000_000);
    assert_eq!(
        (end, run.mean_iteration(0), run.mean_iteration(1)),
        (3e9, (3.0, 1_000_000_000), (3.0, 1_000_000_000))
    );
}
