//! Best shares of dense traffic, block by block.

use multiversion::multiversion;

use super::dense::{Dense, rounded_up};
use super::network::{Errors, exp, set_prices};
use super::solution::{FlowSolution, StopCondition};

/// How wide [`Dense::route`] shares at most once there are prices.
const WIDEST: f64 = 0.2;

/// Block-coordinate Frank-Wolfe on the softened maximum of load over capacity.
///
/// Each block keeps the loads of its routing. In turn a block's traffic is routed again at the prices of links, and a
/// part of it moves to the new routing: as much as makes the softened maximum smallest, to second order. Loads are stored
/// rounded up and added up in double precision, so that the result is never better than its routing.
///
/// # References
/// Frank, Wolfe, "An algorithm for quadratic programming", Naval Research Logistics Quarterly 3, 1956, block by block after
/// Lacoste-Julien, Jaggi, Schmidt, Pletscher, "Block-coordinate Frank-Wolfe optimization for structural SVMs", ICML 2013.
pub(super) fn solve(blocks: &Dense<'_>, stop: &StopCondition<'_>) -> FlowSolution {
    let network = blocks.network;
    let per = &network.per;
    let mut prices: Vec<f64> = per
        .iter()
        .map(|per| f64::from(u8::from(*per > 0.0)))
        .collect();
    let mut stored: Vec<Vec<f32>> = (0..blocks.count())
        .map(|block| blocks.route(block, per, 0.5))
        .collect();
    let lengths_of =
        |prices: &[f64]| -> Vec<f64> { prices.iter().zip(per).map(|(p, c)| p * c).collect() };
    let mut loads = add_up(&stored, per.len());
    let mut sharp = 3.0;
    let worst = network.worst(&loads);
    let mut best = FlowSolution {
        loads: loads.clone(),
        worst,
        floor: 0.0,
        detoured: None,
    };
    for pass in 0.. {
        // The nearer the end, the nearer to the shortest paths.
        let width = (1.0 - best.floor / best.worst).min(WIDEST);
        for (block, old) in stored.iter_mut().enumerate() {
            let worst = network.worst(&loads);
            set_prices(&mut prices, &loads, per, worst, sharp);
            let new = blocks.route(block, &lengths_of(&prices), width);
            let changes = new.iter().zip(&*old).zip(per);
            let changes: Vec<f64> = changes
                .map(|((n, o), per)| f64::from(n - o) * per)
                .collect();
            let Some(step) = best_step(&prices, &changes, sharp / worst) else {
                continue;
            };
            for ((old, new), load) in old.iter_mut().zip(&new).zip(&mut loads) {
                let mixed = f64::from(*old) * (1.0 - step) + f64::from(*new) * step;
                let mixed = rounded_up(mixed);
                *load += f64::from(mixed) - f64::from(*old);
                *old = mixed;
            }
            if stop.over() {
                break;
            }
        }
        loads = add_up(&stored, per.len());
        let worst = network.worst(&loads);
        if worst < best.worst {
            (best.worst, best.loads) = (worst, loads.clone());
        }
        set_prices(&mut prices, &loads, per, worst, sharp);
        let floor = blocks.floor(&lengths_of(&prices));
        best.floor = best.floor.max(floor);
        if stop.now(pass, &best) {
            break;
        }
        sharp = Errors::of(network, &prices, &loads, worst, floor).sharpened(sharp);
    }
    best
}

/// How far to go: where prices no longer fall along `changes` of load over capacity, found from the slope and its change
/// at the start, and then from nearer slopes where that is too far. None where prices do not fall at all.
fn best_step(prices: &[f64], changes: &[f64], rate: f64) -> Option<f64> {
    let [slope, bend] = slopes(prices, changes, 0.0);
    if slope >= 0.0 {
        return None;
    }
    let mut step = (-slope / (bend * rate)).min(1.0);
    for _ in 0..8 {
        let [there, _] = slopes(prices, changes, step * rate);
        if there <= 0.0 {
            break;
        }
        step *= (slope / (slope - there)).max(0.1);
    }
    Some(step)
}

/// Σ price · change, and the same with changes squared, where prices have followed `rate` times the changes. Eight sums
/// side by side.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn slopes(prices: &[f64], changes: &[f64], rate: f64) -> [f64; 2] {
    let mut sums = [[0.0; 8]; 2];
    for (prices, changes) in prices.chunks(8).zip(changes.chunks(8)) {
        for (lane, (price, change)) in prices.iter().zip(changes).enumerate() {
            let paid = price * change * exp(rate * change);
            sums[0][lane] += paid;
            sums[1][lane] += paid * change;
        }
    }
    sums.map(|lanes| lanes.iter().sum())
}

/// Loads of all blocks, in their order.
fn add_up(stored: &[Vec<f32>], links: usize) -> Vec<f64> {
    let mut all = vec![0.0; links];
    for block in stored {
        all.iter_mut()
            .zip(block)
            .for_each(|(sum, load)| *sum += f64::from(*load));
    }
    all
}
