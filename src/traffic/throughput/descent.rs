//! Best shares of dense traffic, block by block.
//!
//! The search keeps a price for each link, which grows with its load over capacity; the sharper the prices, the more
//! the fullest links count. It goes from block to block ([`super::dense`]): a block's traffic is routed again at
//! these prices, and a part of it moves from the old routing to the new. Prices after each round prove a floor.

use multiversion::multiversion;

use super::dense::{DenseTraffic, round_up};
use super::network::{SearchErrors, exp, set_prices};
use super::solution::{FlowSolution, SearchLimits};

/// Largest `width` that is given to [`DenseTraffic::route_block`]: the closer the bounds, the smaller the width.
const WIDEST: f64 = 0.2;

/// Searches for the best shares by block-coordinate Frank-Wolfe on the softened maximum of load over capacity.
///
/// Each block keeps the loads of its routing. In turn a block's traffic is routed again at the prices of links, and a
/// part of it moves to the new routing: as much as makes the softened maximum smallest, to second order. Loads are
/// stored rounded up and added up in double precision, so that the result is never better than its routing.
///
/// # References
/// Frank, Wolfe, "An algorithm for quadratic programming", Naval Research Logistics Quarterly 3, 1956, block by block
/// after Lacoste-Julien, Jaggi, Schmidt, Pletscher, "Block-coordinate Frank-Wolfe optimization for structural SVMs",
/// ICML 2013.
pub fn search_descent(blocks: &DenseTraffic<'_>, stop: &SearchLimits<'_>) -> FlowSolution {
    let network = blocks.network;
    let per = &network.inverse_capacity;
    let mut prices = network.equal_prices();
    let mut stored: Vec<Vec<f32>> = (0..blocks.block_count())
        .map(|block| blocks.route_block(block, per, 0.5))
        .collect();
    let mut loads = sum_blocks(&stored, per.len());
    let mut sharp = 3.0;
    let mut best = FlowSolution {
        loads: loads.clone(),
        worst: network.highest_contention(&loads),
        floor: stop.floor,
        detoured: None,
    };
    for pass in 0.. {
        // The nearer the end, the nearer to the shortest paths.
        let width = (1.0 - best.floor / best.worst).min(WIDEST);
        for (block, old) in stored.iter_mut().enumerate() {
            let worst = network.highest_contention(&loads);
            set_prices(&mut prices, &loads, per, worst, sharp);
            let new = blocks.route_block(block, &network.per_capacity(&prices), width);
            let changes = new.iter().zip(&*old).zip(per);
            let changes: Vec<f64> = changes
                .map(|((n, o), per)| f64::from(n - o) * per)
                .collect();
            // Where the new routing is no better at these prices, the block keeps its own.
            let Some(step) = find_step(&prices, &changes, sharp / worst) else {
                continue;
            };
            for ((old, new), load) in old.iter_mut().zip(&new).zip(&mut loads) {
                let mixed = f64::from(*old) * (1.0 - step) + f64::from(*new) * step;
                let mixed = round_up(mixed);
                *load += f64::from(mixed) - f64::from(*old);
                *old = mixed;
            }
            // A pass over all blocks of a large machine takes long.
            if stop.is_over() {
                break;
            }
        }
        // Changes one by one leave rounding errors behind.
        loads = sum_blocks(&stored, per.len());
        let worst = network.highest_contention(&loads);
        if worst < best.worst {
            best.worst = worst;
            best.loads = loads.clone();
        }
        set_prices(&mut prices, &loads, per, worst, sharp);
        let floor = blocks.prove_floor(&network.per_capacity(&prices));
        best.floor = best.floor.max(floor);
        if stop.is_reached(pass, &best) {
            break;
        }
        sharp = SearchErrors::new(network, &prices, &loads, worst, floor).next_sharpness(sharp);
    }
    best
}

/// Finds how far to go: where prices no longer fall along `changes` of load over capacity, from the slope and its
/// change at the start, and then from nearer slopes where that is too far. `None` if prices do not fall at all.
fn find_step(prices: &[f64], changes: &[f64], rate: f64) -> Option<f64> {
    let [slope, bend] = price_slopes(prices, changes, 0.0);
    if slope >= 0.0 {
        return None;
    }
    let mut step = (-slope / (bend * rate)).min(1.0);
    for _ in 0..8 {
        let [there, _] = price_slopes(prices, changes, step * rate);
        // Prices still fall there: not too far.
        if there <= 0.0 {
            break;
        }
        step *= (slope / (slope - there)).max(0.1);
    }
    Some(step)
}

/// Computes Σ price · change and Σ price · change², where prices have followed `rate` times the changes. Eight sums
/// side by side.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn price_slopes(prices: &[f64], changes: &[f64], rate: f64) -> [f64; 2] {
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

/// Adds up the loads of all blocks, in their order.
fn sum_blocks(stored: &[Vec<f32>], links: usize) -> Vec<f64> {
    let mut all = vec![0.0; links];
    for block in stored {
        for (sum, load) in all.iter_mut().zip(block) {
            *sum += f64::from(*load);
        }
    }
    all
}
