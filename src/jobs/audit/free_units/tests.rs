//! Plans of moves against every set of units and every way to deal jobs out.

use super::*;
use crate::audit::snapshot::{HeldNodes, RunningJob};
use nodeorder_base::random::{random_below, seed_generator};
use std::collections::{BTreeMap, BTreeSet};

/// A level of units with so many nodes each: `held[u][j]` nodes of unit u by job j, and nodes out of service.
fn snapshot(nodes: &[u32], held: &[Vec<u32>], out: &[u32]) -> Snapshot {
    let mut units = Vec::new();
    for (i, nodes) in nodes.iter().enumerate() {
        let jobs = (0..).zip(&held[i]).filter(|(_, nodes)| **nodes > 0);
        let jobs: BTreeMap<u32, HeldNodes> = jobs
            .map(|(job, nodes)| {
                (
                    job,
                    HeldNodes {
                        nodes: *nodes,
                        alone: *nodes,
                    },
                )
            })
            .collect();
        units.push(UnitState {
            name: format!("rack {i}"),
            nodes: *nodes,
            free: nodes - out[i] - held[i].iter().sum::<u32>(),
            out: out[i],
            jobs,
            ..UnitState::default()
        });
    }
    let running = (0..held[0].len()).map(|job| RunningJob {
        name: format!("job{job}"),
        nodes: held.iter().map(|unit| unit[job]).sum(),
        start: -3600 * (1 + 7 * job as i64 % 5),
        end: None,
    });
    Snapshot {
        running: running.collect(),
        levels: vec![crate::audit::snapshot::LevelState {
            name: "rack".into(),
            units,
            growth: Vec::new(),
        }],
        ..Snapshot::default()
    }
}

fn request(units: &str, cost: MoveCost, whole_jobs: bool) -> FreeRequest<'_> {
    FreeRequest {
        units,
        fixed: None,
        movable: None,
        cost,
        whole_jobs,
        seconds: 60.0,
    }
}

/// Whether jobs of so many nodes can be dealt out to units, each to so many at most: every way is tried.
fn fits(jobs: &[(u32, usize)], room: &mut Vec<u32>) -> bool {
    fn place(
        left: u32,
        targets: usize,
        from: usize,
        jobs: &[(u32, usize)],
        room: &mut Vec<u32>,
    ) -> bool {
        if left == 0 {
            return fits(&jobs[1..], room);
        }
        if targets == 0 || from == room.len() {
            return false;
        }
        for taken in (0..=left.min(room[from])).rev() {
            room[from] -= taken;
            let found = place(
                left - taken,
                targets - usize::from(taken > 0),
                from + 1,
                jobs,
                room,
            );
            room[from] += taken;
            if found {
                return true;
            }
        }
        false
    }
    match jobs.first() {
        None => true,
        Some((nodes, targets)) => place(*nodes, *targets, 0, jobs, room),
    }
}

/// The least cost of all sets of `count` units, and whether there is one.
fn try_all_sets(
    held: &[Vec<u32>],
    taken: &Snapshot,
    count: u32,
    cost: MoveCost,
    whole: bool,
) -> Option<f64> {
    let units = &taken.levels[0].units;
    let mut best: Option<f64> = None;
    for set in 0u32..1 << units.len() {
        let chosen: Vec<usize> = (0..units.len()).filter(|u| set >> u & 1 == 1).collect();
        if set.count_ones() != count || chosen.iter().any(|u| units[*u].out > 0) {
            continue;
        }
        let touched: BTreeSet<usize> = (0..taken.running.len())
            .filter(|job| chosen.iter().any(|u| held[*u][*job] > 0))
            .collect();
        let moved = |job: usize| -> u32 {
            let from = (0..units.len()).filter(|u| whole || chosen.contains(u));
            from.map(|u| held[u][job]).sum()
        };
        let mut room: Vec<u32> = (0..units.len())
            .filter(|u| !chosen.contains(u))
            .map(|u| units[u].free)
            .collect();
        let jobs = touched.iter().map(|job| {
            let has = held.iter().filter(|unit| unit[*job] > 0).count();
            (moved(*job), if whole { has } else { room.len() })
        });
        if !fits(&jobs.collect::<Vec<_>>(), &mut room) {
            continue;
        }
        let hours =
            |job: &usize| f64::from(moved(*job)) * -taken.running[*job].start as f64 / 3600.0;
        let sum = match cost {
            MoveCost::Nodes => touched.iter().map(|job| f64::from(moved(*job))).sum(),
            MoveCost::Jobs => touched.len() as f64,
            MoveCost::NodeHours => touched.iter().map(hours).sum(),
        };
        best = Some(best.map_or(sum, |best| best.min(sum)));
    }
    best
}

/// Moves take all that the units hold, to free nodes of others, and no job onto more units than it has where jobs are
/// moved whole.
fn check_moves(plan: &MovePlan, taken: &Snapshot, whole: bool) {
    let units = &taken.levels[0].units;
    let mut left: Vec<BTreeMap<u32, u32>> = units
        .iter()
        .map(|unit| {
            unit.jobs
                .iter()
                .map(|(job, held)| (*job, held.nodes))
                .collect()
        })
        .collect();
    let mut room: Vec<u32> = units.iter().map(|unit| unit.free).collect();
    let mut targets: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
    for one in &plan.moves {
        assert!(!plan.freed.contains(&one.to) && one.nodes > 0);
        *left[one.from].get_mut(&one.job).unwrap() -= one.nodes;
        room[one.to] -= one.nodes;
        targets.entry(one.job).or_default().insert(one.to);
    }
    for unit in &plan.freed {
        assert!(left[*unit].values().all(|nodes| *nodes == 0));
    }
    if whole {
        for (job, to) in targets {
            assert!(
                left.iter()
                    .all(|unit| unit.get(&job).is_none_or(|nodes| *nodes == 0))
            );
            let has = units
                .iter()
                .filter(|unit| unit.jobs.contains_key(&job))
                .count();
            assert!(to.len() <= has);
        }
    }
}

/// Two hundred machines of up to six units: every set of units and every way to deal jobs out is tried.
#[test]
fn plans_cost_as_little_as_any() {
    let mut random = seed_generator(5);
    let mut draw = |below: u32| random_below(u64::from(below), &mut random) as u32;
    let mut found = 0;
    for case in 0..200 {
        let units = 3 + draw(4) as usize;
        let jobs = 1 + draw(4) as usize;
        let nodes: Vec<u32> = (0..units).map(|_| 2 + draw(4)).collect();
        let mut held = vec![vec![0; jobs]; units];
        let mut out = vec![0; units];
        for (u, unit) in held.iter_mut().enumerate() {
            out[u] = u32::from(draw(8) == 0);
            for _ in 0..draw(nodes[u] - out[u] + 1) {
                unit[draw(jobs as u32) as usize] += 1;
            }
        }
        let taken = snapshot(&nodes, &held, &out);
        let count = 1 + draw(2);
        let whole = case % 2 == 1;
        let cost = [MoveCost::Nodes, MoveCost::Jobs, MoveCost::NodeHours][case / 2 % 3];
        let plan = taken.free_units(&request(&count.to_string(), cost, whole));
        let best = try_all_sets(&held, &taken, count, cost, whole);
        assert_eq!(plan.is_ok(), best.is_some(), "{case}: {plan:?}");
        if let (Ok(plan), Some(best)) = (plan, best) {
            assert!(
                (plan.objective - best).abs() < 1e-6,
                "{case}: {plan:?}, {best}"
            );
            assert!((plan.bound - best).abs() < 1e-6 && plan.freed.len() >= count as usize);
            check_moves(&plan, &taken, whole);
            found += 1;
        }
    }
    assert!(found > 100, "{found}");
}

/// Units of one size: feasible where as many nodes are free as they have, and the fullest stay.
#[test]
fn of_equal_units_those_that_hold_least_are_freed() {
    let mut random = seed_generator(6);
    for _ in 0..40 {
        let held: Vec<Vec<u32>> = (0..20)
            .map(|_| {
                (0..3)
                    .map(|_| random_below(5, &mut random) as u32)
                    .collect()
            })
            .collect();
        let taken = snapshot(&[12; 20], &held, &[0; 20]);
        let mut sums: Vec<u32> = held.iter().map(|unit| unit.iter().sum()).collect();
        let free: u32 = sums.iter().map(|sum| 12 - sum).sum();
        sums.sort_unstable();
        for count in [1, 5, 12] {
            let plan = taken.free_units(&request(&count.to_string(), MoveCost::Nodes, false));
            assert_eq!(plan.is_ok(), free >= 12 * count);
            if let Ok(plan) = plan {
                let least: u32 = sums[..count as usize].iter().sum();
                assert_eq!(
                    (plan.objective, plan.bound),
                    (f64::from(least), f64::from(least))
                );
                check_moves(&plan, &taken, false);
            }
        }
    }
}

/// Racks of 18 nodes, 4,986 in all, 400 jobs in stretches of nodes with gaps: ten racks.
#[test]
fn ten_racks_of_a_large_machine_are_freed_within_a_few_percent() {
    let mut random = seed_generator(7);
    let units = 277;
    let mut held = vec![vec![0; 400]; units];
    let mut node = 0;
    let jobs: Vec<usize> = (0..400).collect();
    for job in jobs {
        let size = 1 + random_below(22, &mut random) as usize;
        for _ in 0..size {
            node += usize::from(random_below(8, &mut random) == 0);
            if node < 18 * units {
                held[node / 18][job] += 1;
            }
            node += 1;
        }
    }
    let taken = snapshot(&vec![18; units], &held, &vec![0; units]);
    let plan = taken
        .free_units(&request("10,level=rack", MoveCost::Nodes, false))
        .unwrap();
    assert!(plan.gap() <= 0.05, "{plan:?}");
    check_moves(&plan, &taken, false);
}

#[test]
fn jobs_that_stay_and_wrong_requests() {
    // Racks of 4 hold 1, 2 and 3 nodes of three jobs.
    let held = [vec![1, 0, 0], vec![0, 2, 0], vec![0, 0, 3]];
    let taken = snapshot(&[4; 3], &held, &[0; 3]);
    let nodes = request("1", MoveCost::Nodes, false);
    assert_eq!(taken.free_units(&nodes).unwrap().freed, [0]);
    let fixed = FreeRequest {
        fixed: Some("job0"),
        ..nodes
    };
    assert_eq!(taken.free_units(&fixed).unwrap().freed, [1]);
    let movable = FreeRequest {
        movable: Some("job2"),
        ..nodes
    };
    assert_eq!(taken.free_units(&movable).unwrap().freed, [2]);
    for (wrong, expected) in [
        (
            FreeRequest {
                units: "0",
                ..nodes
            },
            "a number of units",
        ),
        (
            FreeRequest {
                units: "1,level=rak",
                ..nodes
            },
            "unknown level `rak`",
        ),
        (
            FreeRequest {
                units: "4",
                ..nodes
            },
            "only 3 units of the level rack can be freed",
        ),
        (
            FreeRequest {
                units: "2",
                ..nodes
            },
            "no moves free 2 units",
        ),
        (
            FreeRequest {
                movable: Some("job9"),
                ..nodes
            },
            "unknown job `job9`",
        ),
    ] {
        let error = taken.free_units(&wrong).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    assert!(MoveCost::parse("hours").is_err());
}
