//! Availability against published values, plain sums and a simulation.

use super::*;
use crate::testing::build;
use nodeorder_base::random::{random_below, seed_generator};

fn compute(spec: &str, question: AvailabilityQuestion<'_>) -> Availability {
    Availability::compute(&build(spec), &question).unwrap()
}

/// The values of 128 racks of 18 nodes and of 64 cubes of 16 hosts, each up for 99.5 % of the time.
#[test]
fn published_values_hold_to_four_digits() {
    for (need, unit, at_95) in [
        ("18/18", 0.9137, 112),
        ("17/18", 0.9964, 126),
        ("16/18", 0.9999, 128),
    ] {
        let question = AvailabilityQuestion {
            need: Some(need),
            ..AvailabilityQuestion::default()
        };
        let found = compute("xgft:m=18x128,w=1x1", question);
        assert_eq!(
            (found.units, found.nodes, found.units_at_95),
            (128, 18, at_95)
        );
        assert!((found.unit_availability - unit).abs() < 5e-5, "{found:?}");
        assert!((found.expected_units - 128.0 * found.unit_availability).abs() < 1e-9);
    }
    let question = AvailabilityQuestion {
        node: Some(0.995),
        slices: &[16, 1],
        ..AvailabilityQuestion::default()
    };
    let found = compute("xgft:m=16x64,w=1x1", question);
    let [jobs, single] = found.goodput[..] else {
        panic!("{found:?}")
    };
    assert!(
        (jobs.any - 0.751).abs() < 5e-4 && (jobs.fixed - 0.277).abs() < 5e-4,
        "{jobs:?}"
    );
    assert!((single.any - found.unit_availability).abs() < 1e-9);
    assert!((single.fixed - found.unit_availability).abs() < 1e-9);
    let times = AvailabilityQuestion {
        times: Some(["5y", "12h"]),
        ..AvailabilityQuestion::default()
    };
    let hours = 5.0 * 365.25 * 24.0;
    assert!((compute("xgft:m=16x64,w=1x1", times).node - hours / (hours + 12.0)).abs() < 1e-12);
}

/// Binomial probabilities from logarithms of factorials.
#[test]
fn powers_are_binomial() {
    let n = 3000;
    let p = 0.3f64;
    let mut factorials = vec![0.0];
    for i in 1..=n {
        factorials.push(factorials[i - 1] + (i as f64).ln());
    }
    for (i, found) in repeat_distribution(&[1.0 - p, p], n as u32)
        .into_iter()
        .enumerate()
    {
        let ways = factorials[n] - factorials[i] - factorials[n - i];
        let expected = (ways + i as f64 * p.ln() + (n - i) as f64 * (1.0 - p).ln()).exp();
        assert!((found - expected).abs() < 1e-12, "{i}");
    }
}

/// Spares are the fewest, by trying each number.
#[test]
fn spares_are_the_fewest() {
    let question = |promise| AvailabilityQuestion {
        promise: Some(promise),
        ..AvailabilityQuestion::default()
    };
    let found = compute("xgft:m=18x128,w=1x1", question("120:0.99"));
    let p = 0.995f64.powi(18);
    let all =
        (0..).find(|k| tail_probability(&repeat_distribution(&[1.0 - p, p], 128 + k), 120) >= 0.99);
    assert_eq!(found.spares, all);
    assert_eq!(
        compute("xgft:m=18x128,w=1x1", question("112:0.95")).spares,
        Some(0)
    );
}

/// Racks of unequal sizes under pods, with switches that fail: drawn at random, node by node and switch by switch.
#[test]
fn a_simulation_agrees_within_its_interval() {
    let machine = build("xgft:m=4x3x5,w=1x1x1,exclude=0-1+17+30-32");
    let question = AvailabilityQuestion {
        need: Some("3/4"),
        node: Some(0.9),
        switch: Some(0.95),
        slices: &[2, 5],
        ..AvailabilityQuestion::default()
    };
    let found = Availability::compute(&machine, &question).unwrap();
    let levels = machine.measured_levels();
    let mut random = seed_generator(7);
    let mut draw = |share: f64| random_below(1_000_000, &mut random) < (share * 1e6) as u64;
    let rounds = 40_000;
    let mut sums = [0.0f64; 3];
    let mut squares = [0.0f64; 3];
    for _ in 0..rounds {
        let mut up = [0u32; 15];
        let mut all = vec![0u32; 15];
        for node in machine.nodes().iter() {
            all[levels[0].unit_of(node) as usize] += 1;
            up[levels[0].unit_of(node) as usize] += u32::from(draw(0.9));
        }
        let pods: Vec<bool> = (0..5).map(|_| draw(0.95)).collect();
        let racks: Vec<bool> = (0..15)
            .map(|i| draw(0.95) && pods[i / 3] && 4 * up[i] >= 3 * all[i])
            .zip(&all)
            .filter(|(_, nodes)| **nodes > 0)
            .map(|(up, _)| up)
            .collect();
        let count = racks.iter().filter(|up| **up).count();
        let fixed = racks
            .chunks_exact(2)
            .filter(|slice| !slice.contains(&false))
            .count();
        let units = racks.len() as f64;
        let drawn = [
            count as f64,
            (count / 5 * 5) as f64 / units,
            fixed as f64 / racks.chunks_exact(2).len() as f64,
        ];
        for (i, value) in drawn.into_iter().enumerate() {
            sums[i] += value;
            squares[i] += value * value;
        }
    }
    let expected = [
        found.expected_units,
        found.goodput[1].any,
        found.goodput[0].fixed,
    ];
    for (i, expected) in expected.into_iter().enumerate() {
        let mean = sums[i] / f64::from(rounds);
        let deviation = (squares[i] / f64::from(rounds) - mean * mean).sqrt();
        let error = deviation / f64::from(rounds).sqrt();
        assert!(
            (mean - expected).abs() < 3.0 * error,
            "{i}: {mean} of {expected}"
        );
    }
}

#[test]
fn wrong_questions_are_refused() {
    let machine = build("fat-tree:k=4");
    let plain = AvailabilityQuestion::default();
    for (question, expected) in [
        (
            AvailabilityQuestion {
                level: Some("rak"),
                ..plain
            },
            "unknown level `rak`",
        ),
        (
            AvailabilityQuestion {
                need: Some("3/2"),
                ..plain
            },
            "M/N with M from 1 to N",
        ),
        (
            AvailabilityQuestion {
                node: Some(1.5),
                ..plain
            },
            "from 0 to 1",
        ),
        (
            AvailabilityQuestion {
                times: Some(["5 years", "1h"]),
                ..plain
            },
            "12h, 30d or 5y",
        ),
        (
            AvailabilityQuestion {
                slices: &[1, 9],
                ..plain
            },
            "from 1 to 8",
        ),
        (
            AvailabilityQuestion {
                promise: Some("3:1"),
                ..plain
            },
            "U:P with U",
        ),
        (
            AvailabilityQuestion {
                node: Some(0.0),
                promise: Some("3:0.9"),
                ..plain
            },
            "would not keep the promise",
        ),
    ] {
        let error = Availability::compute(&machine, &question)
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{error}");
    }
    assert!(Availability::compute(&build("torus:4x4"), &plain).is_err());
}
