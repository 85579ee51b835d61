//! Proved lower bounds on the objective.
//!
//! All in integers: weights are scaled and rounded down first, so rounding can only weaken a bound.

use rayon::prelude::*;

use super::space::{Distances, Space};
use super::{Problem, assignment};
use crate::topology::Topology;

/// Layers that the relaxation is priced at; about as many are computed one by one.
const LAYERS: u64 = 48;

/// Rounding of the last conversion to `f64`, generously.
const SAFE: f64 = 1.0 - 1e-12;

/// Most elements of an assignment by rows and columns: n³ operations, 8n² bytes.
const ASSIGNED: usize = 400;

/// The larger of the bounds that can be had for `work` operations: by assignment, and by the dynamic
/// program's relaxation on networks where all routers look alike; for `workload` by balls. The relaxation is
/// given up where `stop` says so.
pub(in crate::ordering) fn lower(
    topology: &Topology,
    problem: &Problem<'_>,
    work: u64,
    stop: &dyn Fn() -> bool,
) -> f64 {
    let n = problem.space.len();
    if n < 2 || problem.weights.window() == 0 {
        return 0.0;
    }
    let alike = alike(topology);
    if problem.weights.has_edges() {
        return balls(problem, alike, work);
    }
    let scaled = Scaled::new(problem);
    let by_assignment = assigned(problem, &scaled, alike, work);
    let by_relaxation = if alike && problem.even {
        Torus::new(problem).and_then(|torus| relaxed(problem, &scaled, &torus, work, stop))
    } else {
        None
    };
    by_assignment.max(by_relaxation.unwrap_or(0.0))
}

/// Whether `much` work gives another relaxation than `little`.
pub(super) fn gains(topology: &Topology, problem: &Problem<'_>, little: u64, much: u64) -> bool {
    let suits = alike(topology) && problem.even && !problem.weights.has_edges();
    let torus = if suits { Torus::new(problem) } else { None };
    let memory = |work| torus.as_ref().and_then(|t| t.memory(problem.weights.window(), work));
    memory(much) > memory(little)
}

fn alike(topology: &Topology) -> bool {
    topology.network().vertex_transitive() && topology.nodes().is_full()
}

/// Lag weights between elements as integers, rounded down.
struct Scaled {
    lag: Vec<i64>,
    unit: f64,
}

impl Scaled {
    fn new(problem: &Problem<'_>) -> Self {
        let lag = problem.element_lags(problem.weights.window());
        // The relaxation adds up that many ranks in 32 bits.
        let ranks = (LAYERS as usize + lag.len()) * (problem.space.diameter as usize + 1);
        let most = f64::from(1 << 29) / ranks as f64;
        if let Some(exact) = problem.integral()
            && (exact.lag.iter().sum::<i64>() as f64) < most
        {
            return Scaled { lag: exact.lag, unit: 1.0 / exact.scale as f64 };
        }
        let scale = most / lag.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let lag = lag.iter().map(|w| (w * scale * SAFE).floor() as i64).collect();
        Scaled { lag, unit: 1.0 / scale }
    }

    fn bound(&self, value: i64) -> f64 {
        value as f64 * self.unit * SAFE
    }
}

/// Distances from `element` to all others, ascending, the first `count`.
fn sorted(space: &Space, element: u32, count: usize) -> Vec<i64> {
    let mut histogram = vec![0usize; space.diameter as usize + 1];
    for other in (0..space.len() as u32).filter(|o| *o != element) {
        histogram[space.distances.between(element, other) as usize] += 1;
    }
    let all = histogram.iter().enumerate();
    all.flat_map(|(d, c)| std::iter::repeat_n(d as i64, *c)).take(count).collect()
}

/// Gilmore-Lawler: an element at a rank pays at least its weights, heaviest first, times its distances,
/// nearest first; half of that, since both ends pay; the cheapest assignment of elements to ranks.
///
/// Ranks further than K from both ends are alike. So with few ranks the assignment is solved; with many,
/// every element pays as inside, less the most that any saves by standing at each rank near an end. Where
/// all elements are alike, that is the assignment.
///
/// # References
/// Gilmore 1962, <https://doi.org/10.1137/0110022>; Lawler 1963, <https://doi.org/10.1287/mnsc.9.4.586>.
fn assigned(problem: &Problem<'_>, scaled: &Scaled, alike: bool, work: u64) -> f64 {
    let (space, n) = (problem.space, problem.space.len());
    let ring = problem.weights.is_ring();
    let window = scaled.lag.len() - 1;
    if !problem.even {
        return uneven(problem);
    }
    // The weights at a rank, heaviest first.
    let at_rank = |p: usize| -> Vec<i64> {
        let lag = |k: usize| if k <= window { scaled.lag[k] } else { 0 };
        let mut weights: Vec<i64> = if ring {
            (1..n).map(|q| lag(q.min(n - q))).filter(|w| *w > 0).collect()
        } else {
            let (left, right) = (p.min(window), (n - 1 - p).min(window));
            (1..=left).chain(1..=right).map(lag).collect()
        };
        weights.sort_unstable_by(|a, b| b.cmp(a));
        weights
    };
    let count = (2 * window).min(n - 1);
    let looks = if alike { 1 } else { n };
    if (looks as u64).saturating_mul(n as u64) > work {
        // Every pair is at least the smallest distance apart.
        return uneven(problem);
    }
    let rows: Vec<Vec<i64>> =
        (0..looks as u32).into_par_iter().map(|e| sorted(space, e, count)).collect();
    let pay = |weights: &[i64], distances: &[i64]| -> i64 {
        weights.iter().zip(distances).map(|(w, d)| w * d).sum()
    };
    let inside = at_rank(n / 2);
    let doubled = if alike {
        let here = |p: usize| pay(&at_rank(p), &rows[0]);
        if ring || n > 2 * window {
            let ends: i64 = (0..window.min(n)).map(|p| if ring { 0 } else { 2 * here(p) }).sum();
            let middle = if ring { n } else { n - 2 * window };
            ends + middle as i64 * pay(&inside, &rows[0])
        } else {
            (0..n).map(here).sum()
        }
    } else if n <= ASSIGNED {
        let costs: Vec<i64> = (0..n)
            .flat_map(|p| {
                let weights = at_rank(p);
                rows.iter().map(move |row| pay(&weights, row)).collect::<Vec<i64>>()
            })
            .collect();
        assignment::least(n, &costs)
    } else {
        let all: i64 = rows.iter().map(|row| pay(&inside, row)).sum();
        let saved = |p: usize| {
            let weights = at_rank(p);
            rows.iter().map(|row| pay(&inside, row) - pay(&weights, row)).max().unwrap_or(0)
        };
        let ends: i64 = if ring { 0 } else { (0..window.min(n)).map(saved).sum() };
        all - 2 * ends
    };
    // Half of an odd sum of halves is not lost: the objective is whole in these units.
    scaled.bound((doubled + 1) / 2)
}

/// Any two nodes on different routers are at least a hop apart: of the pairs at lag k, at least those that
/// leave a router.
fn uneven(problem: &Problem<'_>) -> f64 {
    let (n, group) = (problem.weights.nodes(), problem.group);
    // At lag k at most max(0, group - k) pairs a router stay on it.
    let routers = problem.space.len();
    let split = problem.group == 1 && problem.space.nodes.len() == n;
    if split && problem.space.routers.windows(2).any(|r| r[0] == r[1]) {
        return 0.0;
    }
    let ring = problem.weights.is_ring();
    let leaving = |k: usize| {
        let pairs = match ring {
            true if 2 * k == n => n / 2,
            true => n,
            false => n - k,
        };
        pairs.saturating_sub(routers * group.saturating_sub(k))
    };
    let lags = 1..=problem.weights.window();
    SAFE * lags.map(|k| problem.weights.lag(k) * leaving(k) as f64).sum::<f64>()
}

/// For `workload` on a line: S nodes are pairwise at least as far apart, on the mean, as the S-1 nearest
/// of some node are from it; so is MPC(S), whose mean over sizes is the objective.
fn balls(problem: &Problem<'_>, alike: bool, work: u64) -> f64 {
    let (space, n) = (problem.space, problem.weights.nodes());
    let looks = if alike { 1 } else { space.len() };
    if (looks as u64).saturating_mul(space.len() as u64) > work.max(1 << 24) {
        return 0.0;
    }
    // least[S] = the least sum of distances from a node to its S-1 nearest.
    let sums = |element: u32| -> Vec<u64> {
        let mut histogram = vec![0usize; space.diameter as usize + 1];
        for (other, nodes) in space.nodes.iter().enumerate() {
            let d = space.distances.between(element, other as u32);
            histogram[d as usize] += nodes.len();
        }
        histogram[0] -= 1;
        let mut sums = vec![0u64; 2];
        let mut sum = 0;
        for (d, count) in histogram.iter().enumerate() {
            for _ in 0..*count {
                sum += d as u64;
                sums.push(sum);
            }
        }
        sums
    };
    let least = (0..looks as u32).into_par_iter().map(sums).reduce_with(|mut a, b| {
        a.iter_mut().zip(b).for_each(|(a, b)| *a = (*a).min(b));
        a
    });
    let (Some(least), Some(shares)) = (least, problem.weights.window_shares()) else { return 0.0 };
    let value = |size: usize| {
        // p(S) times the mean of the S-1 least; a window's total is at least S/2 such sums.
        let windows = (n - size + 1) as f64;
        shares[size] * windows * size as f64 * least[size] as f64 / 2.0
    };
    SAFE * (2..=n).map(value).sum::<f64>()
}

/// A full torus (rings and cliques), where differences of elements make sense.
struct Torus {
    n: usize,
    /// `minus[a·n + b]`: the element a - b.
    minus: Vec<u16>,
    /// Distances from element 0.
    hops: Vec<i64>,
    /// Automorphisms that leave element 0 where it is, the identity first: a group.
    turns: Vec<Vec<u16>>,
    /// All elements but 0, nearest first.
    nearest: Vec<u16>,
}

impl Torus {
    /// Most elements: the table of differences has n² entries.
    const LARGEST: usize = 4096;

    /// Most automorphisms that are used.
    const TURNS: usize = 48;

    fn new(problem: &Problem<'_>) -> Option<Self> {
        let space = problem.space;
        let n = space.len();
        let Distances::Lanes { axes, coordinates } = &space.distances else { return None };
        if n > Torus::LARGEST {
            return None;
        }
        let extents: Vec<usize> = (0..axes.len())
            .map(|i| coordinates.iter().map(|x| usize::from(x[i])).max().unwrap_or(0) + 1)
            .collect();
        // With nodes parted, elements are no group.
        if extents.iter().product::<usize>() != n {
            return None;
        }
        let mut minus = vec![0u16; n * n];
        for a in 0..n {
            for b in 0..n {
                let digit = |i: usize| {
                    let (x, y) = (usize::from(coordinates[a][i]), usize::from(coordinates[b][i]));
                    (x + extents[i] - y) % extents[i]
                };
                let index = (0..extents.len()).fold(0, |index, i| index * extents[i] + digit(i));
                minus[a * n + b] = index as u16;
            }
        }
        let hops: Vec<i64> =
            (0..n as u32).map(|e| i64::from(space.distances.between(0, e))).collect();
        let mut nearest: Vec<u16> = (1..n as u16).collect();
        nearest.sort_by_key(|e| hops[usize::from(*e)]);
        let turns = turns(&extents, &hops);
        Some(Torus { n, minus, hops, turns, nearest })
    }

    /// How many elements a relaxation can remember for `work` operations.
    fn memory(&self, window: usize, work: u64) -> Option<usize> {
        let states = |m: usize| (self.n as u64).saturating_pow(m as u32 - 1);
        let cost =
            |m: usize| states(m).saturating_mul(self.n as u64 * LAYERS) / self.turns.len() as u64;
        (2..=window.min(6)).rev().find(|m| cost(*m) <= work && states(*m) <= STATES)
    }
}

/// The permutations of elements that turn single axes round or exchange axes, and keep distances from
/// element 0. Where those are too many, only those that turn axes round; failing that, none but the identity.
fn turns(extents: &[usize], hops: &[i64]) -> Vec<Vec<u16>> {
    let axes = extents.len();
    let digits = |mut element: usize| {
        let mut digits = vec![0; axes];
        for (digit, extent) in digits.iter_mut().zip(extents).rev() {
            *digit = element % extent;
            element /= extent;
        }
        digits
    };
    let turned = |from: &[usize], flips: usize| -> Option<Vec<u16>> {
        if from.iter().zip(extents).any(|(i, extent)| extents[*i] != *extent) {
            return None;
        }
        let image = |element: usize| {
            let digits = digits(element);
            let axis = |i: usize| {
                let digit = digits[from[i]];
                if flips >> i & 1 == 1 { (extents[i] - digit) % extents[i] } else { digit }
            };
            (0..axes).fold(0, |index, i| index * extents[i] + axis(i)) as u16
        };
        let images: Vec<u16> = (0..hops.len()).map(image).collect();
        let same = images.iter().zip(hops).all(|(image, hop)| hops[usize::from(*image)] == *hop);
        same.then_some(images)
    };
    let all = |orders: &[Vec<usize>]| {
        let mut found: Vec<Vec<u16>> = Vec::new();
        for order in orders {
            for flips in 0..1 << axes {
                // Turning an axis of two round changes nothing.
                found.extend(turned(order, flips).filter(|turn| !found.contains(turn)));
                if found.len() > Torus::TURNS {
                    return None;
                }
            }
        }
        Some(found)
    };
    let mut orders: Vec<Vec<usize>> = vec![Vec::new()];
    for i in 0..axes {
        let longer = orders.iter().flat_map(|order| {
            (0..=i).map(|at| {
                let mut order = order.clone();
                order.insert(at, i);
                order
            })
        });
        orders = longer.collect();
    }
    // Inserted last, last: the identity comes last.
    orders.reverse();
    let identity: Vec<usize> = (0..axes).collect();
    all(&orders)
        .or_else(|| all(&[identity]))
        .unwrap_or_else(|| vec![(0..hops.len() as u16).collect()])
}

/// States that automorphisms turn into each other cost the same: one of each class.
struct Classes {
    /// The least code of each class, ascending.
    least: Vec<u32>,
    /// The class of every code.
    of: Vec<u32>,
}

impl Classes {
    /// The classes of states of `count` differences. O(n^count · automorphisms).
    fn new(torus: &Torus, count: usize) -> Self {
        let n = torus.n;
        let size = n.pow(count as u32);
        let mut of: Vec<u32> = (0..size)
            .into_par_iter()
            .map(|code| {
                let digits = digits(code, n, count);
                let image = |turn: &Vec<u16>| {
                    let digits = digits[..count].iter().rev();
                    digits.fold(0, |code, d| code * n + usize::from(turn[*d]))
                };
                torus.turns.iter().map(image).min().unwrap_or(code) as u32
            })
            .collect();
        let least: Vec<u32> = (0..size as u32).filter(|code| of[*code as usize] == *code).collect();
        let mut class = vec![0; size];
        least.iter().zip(0..).for_each(|(code, index)| class[*code as usize] = index);
        of.par_iter_mut().for_each(|code| *code = class[*code as usize]);
        Classes { least, of }
    }
}

/// The dynamic program of [`super::dp`] with everything forgotten but the last M elements, on a torus:
/// there only differences to the last element matter, n^(M-1) states. Lags beyond M cost at least what the
/// nearest elements not among the M remembered cost, heaviest lag first.
///
/// After some steps the cost to go grows by at least δ every two steps, for ever, where δ is the least
/// growth over all states of the last two steps: the operator is monotone. So not every rank needs a layer.
fn relaxed(
    problem: &Problem<'_>,
    scaled: &Scaled,
    torus: &Torus,
    work: u64,
    stop: &dyn Fn() -> bool,
) -> Option<f64> {
    let n = torus.n;
    let window = scaled.lag.len() - 1;
    if problem.weights.is_ring() && 2 * window >= n || window == 0 {
        return None;
    }
    let memory = torus.memory(window, work)?;
    let tails = Tails::new(torus, scaled, memory);
    let classes = Classes::new(torus, memory - 1);
    // Layers from the back; the last ones see all lags, the first ones only those that exist.
    let mut value = vec![0i32; classes.least.len()];
    let mut history: Vec<Vec<i32>> = vec![value.clone()];
    // A ring has no ends: there every rank sees all lags.
    let free = if problem.weights.is_ring() { 0 } else { window };
    let full = n.checked_sub(free.max(memory))?;
    let mut done = 0;
    while done < full {
        if stop() {
            return None;
        }
        value = step(torus, scaled, &tails, &classes, memory, window, &value);
        done += 1;
        history.push(value.clone());
        if history.len() > 3 {
            history.remove(0);
        }
        if done >= LAYERS as usize - 16 {
            break;
        }
    }
    let mut extra = 0i64;
    if done < full {
        let growth = |back: usize| {
            let before = &history[history.len() - 1 - back];
            value.iter().zip(before).filter(|(v, _)| **v < NO_STATE).map(|(v, b)| v - b).min()
        };
        let left = full - done;
        let by_two = i64::from(growth(2)?.max(0)) * (left / 2) as i64;
        let by_one = i64::from(growth(1)?.max(0)) * left as i64;
        extra = by_two.max(by_one);
    }
    if !problem.weights.is_ring() {
        for placed in (memory..window.max(memory)).rev() {
            if stop() {
                return None;
            }
            value = step(torus, scaled, &tails, &classes, memory, placed, &value);
        }
    }
    // The first M elements among themselves.
    let all = classes.least.par_iter().zip(&value).filter(|(_, value)| **value < NO_STATE);
    let least = all.map(|(code, value)| {
        let differences = digits(*code as usize, n, memory - 1);
        let mut inside = 0;
        if !problem.weights.is_ring() {
            for (j, b) in differences.iter().take(memory - 1).enumerate() {
                inside += scaled.lag[j + 1] * torus.hops[*b];
                for (i, a) in differences.iter().take(j).enumerate() {
                    let apart = torus.hops[usize::from(torus.minus[a * n + b])];
                    inside += scaled.lag[j - i] * apart;
                }
            }
        }
        inside + i64::from(*value)
    });
    let least = least.min()?;
    Some(scaled.bound(least + extra))
}

/// Most states: their classes take 8 bytes each while they are made.
const STATES: u64 = 1 << 24;

/// Where elements repeat: no state.
const NO_STATE: i32 = i32::MAX / 2;

fn digits(mut code: usize, n: usize, count: usize) -> [usize; 6] {
    let mut digits = [0; 6];
    for digit in digits.iter_mut().take(count) {
        *digit = code % n;
        code /= n;
    }
    digits
}

/// What lags beyond the memory cost at least, by how many of the remembered elements stand in each of the
/// nearest shells.
struct Tails {
    /// By number of lags present, then by code of shells.
    by_lags: Vec<Vec<i32>>,
    /// What an element at each distance adds to the code.
    code: Vec<usize>,
}

impl Tails {
    const SHELLS: usize = 4;

    fn new(torus: &Torus, scaled: &Scaled, memory: usize) -> Self {
        let window = scaled.lag.len() - 1;
        let far = torus.hops.iter().copied().max().unwrap_or(0) as usize;
        let mut shells = vec![0usize; far + 1];
        torus.hops.iter().skip(1).for_each(|d| shells[*d as usize] += 1);
        let code = (0..=far)
            .map(|d| {
                let shell = d.wrapping_sub(1);
                if shell < Tails::SHELLS { (memory + 1).pow(shell as u32) } else { 0 }
            })
            .collect();
        let codes = (memory + 1).pow(Tails::SHELLS as u32);
        let tail = |last: usize, mut code: usize| {
            let mut left = shells.clone();
            for count in left.iter_mut().skip(1).take(Tails::SHELLS) {
                *count = count.saturating_sub(code % (memory + 1));
                code /= memory + 1;
            }
            let near = left.iter().enumerate();
            let near = near.flat_map(|(d, c)| std::iter::repeat_n(d as i64, *c));
            let lags = memory + 1..=last;
            lags.zip(near).map(|(k, d)| scaled.lag[k] * d).sum::<i64>() as i32
        };
        let by_lags =
            (0..=window).map(|last| (0..codes).map(|code| tail(last, code)).collect()).collect();
        Tails { by_lags, code }
    }
}

/// One layer, class by class: the least over next elements x, as seen from the last one, of their cost and
/// what follows. Far elements are left out once the first lag alone costs too much.
fn step(
    torus: &Torus,
    scaled: &Scaled,
    tails: &Tails,
    classes: &Classes,
    memory: usize,
    lags: usize,
    after: &[i32],
) -> Vec<i32> {
    let n = torus.n;
    let tail = &tails.by_lags[lags.min(tails.by_lags.len() - 1)];
    let hop = |d: usize, lag: usize| (scaled.lag[lag] * torus.hops[d]) as i32;
    let priced: Vec<Vec<i32>> = (1..=memory).map(|k| (0..n).map(|d| hop(d, k)).collect()).collect();
    let shell: Vec<usize> = torus.hops.iter().map(|d| tails.code[*d as usize]).collect();
    let floor = tail.iter().min().unwrap_or(&0) + after.iter().min().unwrap_or(&0);
    let cheapest = |code: &u32| {
        let differences = digits(*code as usize, n, memory - 1);
        let differences = &differences[..memory - 1];
        let repeats = |(i, d): (usize, &usize)| *d == 0 || differences[..i].contains(d);
        if differences.iter().enumerate().any(repeats) {
            return NO_STATE;
        }
        // Of the state behind x, all digits but the oldest difference.
        let kept = &differences[..memory - 2];
        let mut least = NO_STATE;
        for x in torus.nearest.iter().map(|x| usize::from(*x)) {
            let mut cost = priced[0][x];
            if cost + floor >= least {
                break;
            }
            if differences.contains(&x) {
                continue;
            }
            let mut shells = shell[x];
            let mut next = usize::from(torus.minus[x]);
            let mut digit = n;
            for (k, d) in kept.iter().enumerate() {
                let apart = usize::from(torus.minus[d * n + x]);
                cost += priced[k + 1][apart];
                shells += shell[apart];
                next += apart * digit;
                digit *= n;
            }
            let apart = usize::from(torus.minus[differences[memory - 2] * n + x]);
            cost += priced[memory - 1][apart];
            shells += shell[apart];
            least = least.min(cost + tail[shells] + after[classes.of[next] as usize]);
        }
        least
    };
    classes.least.par_iter().with_min_len(256).map(cheapest).collect()
}
