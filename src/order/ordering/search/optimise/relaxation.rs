//! A lower bound by the dynamic program's relaxation, on a torus: states keep only the last M elements.
//!
//! Every element of a torus sees the same distances, so a state is told by the differences of the last M elements to
//! the latest of them: n^(M-1) states. A layer holds, by state, the least cost of all that is still to be placed;
//! layers are made from the back, each from the one after it:
//!
//! ```text
//! cost(state) = least over next elements x of  lags 1 … M  to the elements remembered
//!                                            + lags beyond M, to the nearest elements not remembered
//!                                            + cost(state with x, the oldest element forgotten)
//! ```
//!
//! States that an automorphism of the torus turns into each other cost the same and are one class.
//!
//! # References
//! Christofides, Mingozzi, Toth, "State-space relaxation procedures for the computation of bounds to routing
//! problems", 1981, <https://doi.org/10.1002/net.3230110207>.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rayon::prelude::*;

use super::elements::Distances;
use super::problem::SearchProblem;
use super::scaled::{IntegerWeights, LAYERS};
use super::starts::list_permutations;
use super::symmetry::{decode_digits, has_repeats};

/// Largest number of elements: the table of differences has n² entries.
const MAX_ELEMENTS: usize = 4096;

/// Largest number of automorphisms that are used.
const MAX_AUTOMORPHISMS: usize = 48;

/// Largest number of elements that a state remembers.
const MAX_MEMORY: usize = 6;

/// Largest number of states: their classes take 8 bytes each while they are made.
const MAX_STATES: u64 = 1 << 24;

/// Cost of a state whose elements repeat: there is none.
const NO_STATE: i32 = i32::MAX / 2;

/// A full torus (rings and cliques), where elements can be subtracted from each other.
pub struct TorusGroup {
    n: usize,
    /// Differences of elements: `minus[a·n + b]` is a - b.
    minus: Vec<u16>,
    /// Distances from element 0.
    hops: Vec<i64>,
    /// Automorphisms that leave element 0 where it is, a group.
    automorphisms: Vec<Vec<u16>>,
    /// All elements but 0, nearest first.
    nearest: Vec<u16>,
}

impl TorusGroup {
    /// Recognises the torus that the elements of a problem make. `None` if they make none, or are too many.
    pub fn new(problem: &SearchProblem<'_>) -> Option<Self> {
        let space = problem.space;
        let n = space.len();
        let Distances::ByteCoordinates { axes, coordinates } = &space.distances else {
            return None;
        };
        if n > MAX_ELEMENTS {
            return None;
        }
        let mut extents = vec![1; axes.len()];
        for position in coordinates {
            for (extent, x) in extents.iter_mut().zip(position) {
                *extent = usize::from(*x).max(*extent - 1) + 1;
            }
        }
        // With nodes parted, several elements have the same coordinates.
        if extents.iter().product::<usize>() != n {
            return None;
        }
        let mut minus = vec![0u16; n * n];
        for (a, x) in coordinates.iter().enumerate() {
            for (b, y) in coordinates.iter().enumerate() {
                let difference = element_at(&extents, |i| {
                    (usize::from(x[i]) + extents[i] - usize::from(y[i])) % extents[i]
                });
                minus[a * n + b] = difference as u16;
            }
        }
        let hops: Vec<i64> = (0..n as u32)
            .map(|e| i64::from(space.distances.between(0, e)))
            .collect();
        let mut nearest: Vec<u16> = (1..n as u16).collect();
        nearest.sort_by_key(|e| hops[usize::from(*e)]);
        Some(TorusGroup {
            n,
            minus,
            automorphisms: find_automorphisms(&extents, &hops),
            hops,
            nearest,
        })
    }

    /// Finds how many elements a relaxation can remember for `work` operations. `None` if not even two.
    pub fn affordable_memory(&self, window: usize, work: u64) -> Option<usize> {
        (2..=window.min(MAX_MEMORY)).rev().find(|memory| {
            let states = (self.n as u64).saturating_pow(*memory as u32 - 1);
            let cost = states.saturating_mul(self.n as u64 * LAYERS);
            states <= MAX_STATES && cost / self.automorphisms.len() as u64 <= work
        })
    }
}

/// Computes the element at a position of a torus, numbered row-major.
fn element_at(extents: &[usize], coordinate: impl Fn(usize) -> usize) -> usize {
    (0..extents.len()).fold(0, |element, i| element * extents[i] + coordinate(i))
}

/// Finds the permutations of elements that turn single axes round or exchange axes, and keep distances from
/// element 0. Where those are too many, only those that turn axes round; failing that, none but the identity.
fn find_automorphisms(extents: &[usize], hops: &[i64]) -> Vec<Vec<u16>> {
    let as_stored: Vec<usize> = (0..extents.len()).collect();
    list_automorphisms(&list_permutations(&as_stored), extents, hops)
        .or_else(|| list_automorphisms(&[as_stored], extents, hops))
        .unwrap_or_else(|| vec![(0..hops.len() as u16).collect()])
}

/// Lists the automorphisms that take the axes into one of `orders` and turn any of them round. `None` if they are too
/// many.
fn list_automorphisms(
    orders: &[Vec<usize>],
    extents: &[usize],
    hops: &[i64],
) -> Option<Vec<Vec<u16>>> {
    let mut found: Vec<Vec<u16>> = Vec::new();
    for order in orders {
        // Only axes of the same extent can take each other's place.
        if order.iter().zip(extents).any(|(i, n)| extents[*i] != *n) {
            continue;
        }
        for flips in 0..1 << extents.len() {
            let images: Vec<u16> = (0..hops.len())
                .map(|element| permute_axes(element, extents, order, flips) as u16)
                .collect();
            let mut pairs = images.iter().zip(hops);
            let keeps_hops = pairs.all(|(image, hop)| hops[usize::from(*image)] == *hop);
            // Turning an axis of two round changes nothing, so images may repeat.
            if keeps_hops && !found.contains(&images) {
                found.push(images);
            }
            if found.len() > MAX_AUTOMORPHISMS {
                return None;
            }
        }
    }
    Some(found)
}

/// Finds the element whose coordinate on axis i is that of `element` on axis `order[i]`, counted backwards where
/// bit i of `flips` is set.
fn permute_axes(mut element: usize, extents: &[usize], order: &[usize], flips: usize) -> usize {
    let mut position = vec![0; extents.len()];
    for (x, extent) in position.iter_mut().zip(extents).rev() {
        *x = element % extent;
        element /= extent;
    }
    element_at(extents, |i| {
        let x = position[order[i]];
        if flips >> i & 1 == 1 {
            (extents[i] - x) % extents[i]
        } else {
            x
        }
    })
}

/// Whether to stop, asked from any thread.
type StopCheck<'s> = &'s (dyn Fn() -> bool + Sync);

/// Collects the results of `make` for every number below `count`, made in parallel. `None` if `stop` interrupted it.
fn map_unless_stopped<T: Send>(
    count: u32,
    stop: StopCheck<'_>,
    make: impl Fn(u32) -> T + Sync,
) -> Option<Vec<T>> {
    /// Number of items between two checks whether to stop.
    const STRETCH: u32 = 256;
    let stopped = AtomicBool::new(false);
    (0..count)
        .into_par_iter()
        .with_min_len(STRETCH as usize)
        .map(|i| {
            if i.is_multiple_of(STRETCH) && !stopped.load(Relaxed) && stop() {
                stopped.store(true, Relaxed);
            }
            (!stopped.load(Relaxed)).then(|| make(i))
        })
        .collect()
}

/// Classes of states that automorphisms turn into each other; all states of a class cost the same.
struct Classes {
    /// Least code of each class, ascending.
    least: Vec<u32>,
    /// Class of every code.
    class_of: Vec<u32>,
}

impl Classes {
    /// Finds the classes of states of `count` differences. `None` if stopped. O(n^count · automorphisms).
    fn new(torus: &TorusGroup, count: usize, stop: StopCheck<'_>) -> Option<Self> {
        let n = torus.n;
        let size = n.pow(count as u32);
        let mut class_of = map_unless_stopped(size as u32, stop, |code| {
            let differences = decode_digits::<MAX_MEMORY>(code as usize, n, count);
            let images = torus.automorphisms.iter().map(|images| {
                let differences = differences[..count].iter().rev();
                differences.fold(0, |code, d| code * n + usize::from(images[*d]))
            });
            images.min().map_or(code, |least| least as u32)
        })?;
        let least: Vec<u32> = (0..size as u32)
            .filter(|code| class_of[*code as usize] == *code)
            .collect();
        // So far each code has the least code of its class, which now gets its number.
        let mut numbers = vec![0; size];
        for (number, code) in least.iter().enumerate() {
            numbers[*code as usize] = number as u32;
        }
        class_of
            .par_iter_mut()
            .for_each(|code| *code = numbers[*code as usize]);
        Some(Classes { least, class_of })
    }
}

/// Computes a lower bound on the objective of a torus, by a relaxation of about `work` operations. `None` if it proves
/// nothing: a ring shorter than two windows, too few operations, or stopped too early.
///
/// After some layers the cost to go grows by at least δ every two layers, for ever, where δ is the least
/// growth over all states in the last two: the operator is monotone. So not every rank needs a layer, and
/// what layers are done when it is stopped prove a bound, too: no layer costs less than nothing.
pub fn bound_by_relaxation(
    problem: &SearchProblem<'_>,
    scaled: &IntegerWeights,
    torus: &TorusGroup,
    work: u64,
    stop: StopCheck<'_>,
) -> Option<f64> {
    let n = torus.n;
    let ring = problem.weights.ring;
    let window = scaled.lag.len() - 1;
    if ring && 2 * window >= n || window == 0 {
        return None;
    }
    let memory = torus.affordable_memory(window, work)?;
    let relaxation = Relaxation {
        torus,
        scaled,
        tails: TailBounds::new(torus, scaled, memory),
        classes: Classes::new(torus, memory - 1, stop)?,
        memory,
        stop,
    };
    // Only ranks a window behind the first see all lags; a ring has no ends.
    let partial = if ring { 0 } else { window };
    let full = n.checked_sub(partial.max(memory))?;
    let (mut costs, growth) = relaxation.full_layers(full, window)?;
    if !ring {
        for placed in (memory..window.max(memory)).rev() {
            let Some(next) = relaxation.layer_before(&costs, placed) else {
                break;
            };
            costs = next;
        }
    }
    let states = relaxation.classes.least.par_iter().zip(&costs);
    let least = states
        .filter(|(_, cost)| **cost < NO_STATE)
        .map(|(code, cost)| {
            // On a ring every rank is a next element once, the first ones too.
            let first = if ring {
                0
            } else {
                relaxation.cost_among_first(*code)
            };
            first + i64::from(*cost)
        })
        .min()?;
    Some(scaled.to_lower_bound(least + growth))
}

/// The relaxation of one problem.
struct Relaxation<'a> {
    torus: &'a TorusGroup,
    scaled: &'a IntegerWeights,
    tails: TailBounds,
    classes: Classes,
    /// Elements that a state remembers, M.
    memory: usize,
    stop: StopCheck<'a>,
}

impl Relaxation<'_> {
    /// Computes the layer that stands `count` layers before the end, all lags seen; and, if not all layers were made, a
    /// lower bound on the growth of the missing ones. `None` if there is no state.
    fn full_layers(&self, count: usize, window: usize) -> Option<(Vec<i32>, i64)> {
        // Growth is measured over the last two steps, so three layers are kept.
        let mut layers = vec![vec![0i32; self.classes.least.len()]];
        let mut done = 0;
        while done < count.min(LAYERS as usize - 16) {
            let Some(next) = self.layer_before(&layers[layers.len() - 1], window) else {
                break;
            };
            layers.push(next);
            done += 1;
            if layers.len() > 3 {
                layers.remove(0);
            }
        }
        let costs = layers.pop()?;
        let mut growth = 0;
        if let [two_before, one_before] = &layers[..]
            && done < count
        {
            let left = count - done;
            let by_two = least_growth(two_before, &costs)? * (left / 2) as i64;
            let by_one = least_growth(one_before, &costs)? * left as i64;
            growth = by_two.max(by_one);
        }
        Some((costs, growth))
    }

    /// Computes the layer before `after`, by class, where the next element sees `lags` lags. Far elements are left out
    /// once the first lag alone costs too much. `None` if stopped.
    fn layer_before(&self, after: &[i32], lags: usize) -> Option<Vec<i32>> {
        let torus = self.torus;
        let n = torus.n;
        let memory = self.memory;
        let tail = &self.tails.by_lags[lags.min(self.tails.by_lags.len() - 1)];
        // Price of each difference at each lag of the memory.
        let priced: Vec<Vec<i32>> = (1..=memory)
            .map(|lag| {
                let prices = torus.hops.iter().map(|hop| self.scaled.lag[lag] * hop);
                prices.map(|price| price as i32).collect()
            })
            .collect();
        let shell: Vec<usize> = torus
            .hops
            .iter()
            .map(|d| self.tails.code[*d as usize])
            .collect();
        let floor = tail.iter().min().unwrap_or(&0) + after.iter().min().unwrap_or(&0);
        let count = self.classes.least.len() as u32;
        map_unless_stopped(count, self.stop, |class| {
            let code = self.classes.least[class as usize] as usize;
            let differences = &decode_digits::<MAX_MEMORY>(code, n, memory - 1)[..memory - 1];
            if differences.contains(&0) || has_repeats(differences) {
                return NO_STATE;
            }
            // Of the state behind x, all digits but the oldest difference.
            let kept = &differences[..memory - 2];
            let oldest = differences[memory - 2];
            let mut least = NO_STATE;
            for x in torus.nearest.iter().map(|x| usize::from(*x)) {
                let mut cost = priced[0][x];
                if cost + floor >= least {
                    // Elements come nearest first: all later ones cost at least as much.
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
                let apart = usize::from(torus.minus[oldest * n + x]);
                cost += priced[memory - 1][apart];
                shells += shell[apart];
                let class = self.classes.class_of[next] as usize;
                least = least.min(cost + tail[shells] + after[class]);
            }
            least
        })
    }

    /// Computes the cost of the pairs among the first M elements, given the state that they make.
    fn cost_among_first(&self, code: u32) -> i64 {
        let n = self.torus.n;
        let hops = &self.torus.hops;
        let differences = decode_digits::<MAX_MEMORY>(code as usize, n, self.memory - 1);
        let mut sum = 0;
        for (j, b) in differences.iter().take(self.memory - 1).enumerate() {
            sum += self.scaled.lag[j + 1] * hops[*b];
            for (i, a) in differences.iter().take(j).enumerate() {
                let apart = usize::from(self.torus.minus[a * n + b]);
                sum += self.scaled.lag[j - i] * hops[apart];
            }
        }
        sum
    }
}

/// Finds the least growth of a state's cost from one layer to another, at least 0. `None` if there is no state.
fn least_growth(from: &[i32], to: &[i32]) -> Option<i64> {
    let states = to.iter().zip(from).filter(|(to, _)| **to < NO_STATE);
    let least = states.map(|(to, from)| to - from).min()?;
    Some(i64::from(least.max(0)))
}

/// Lower bounds on the cost of the lags beyond the memory, by how many of the remembered elements stand at each of the
/// shortest distances (shells): those are not there to be the nearest.
struct TailBounds {
    /// Bounds by number of lags present, then by code of shells.
    by_lags: Vec<Vec<i32>>,
    /// Summand of the code for an element at each distance.
    code: Vec<usize>,
}

impl TailBounds {
    /// Number of distances that are told apart.
    const SHELLS: usize = 4;

    /// Computes the bounds for a memory of a number of elements.
    fn new(torus: &TorusGroup, scaled: &IntegerWeights, memory: usize) -> Self {
        let window = scaled.lag.len() - 1;
        let farthest = torus.hops.iter().copied().max().unwrap_or(0) as usize;
        let mut shells = vec![0usize; farthest + 1];
        for hops in &torus.hops[1..] {
            shells[*hops as usize] += 1;
        }
        let mut code = vec![0; farthest + 1];
        for (shell, summand) in code.iter_mut().skip(1).take(Self::SHELLS).enumerate() {
            *summand = (memory + 1).pow(shell as u32);
        }
        let codes = (memory + 1).pow(Self::SHELLS as u32);
        let mut by_lags = vec![Vec::new(); window + 1];
        for code in 0..codes {
            // Elements at each distance that the memory does not hold.
            let mut left = shells.clone();
            let held = decode_digits::<{ Self::SHELLS }>(code, memory + 1, Self::SHELLS);
            for (count, held) in left[1..].iter_mut().zip(held) {
                *count = count.saturating_sub(held);
            }
            for (last, bounds) in by_lags.iter_mut().enumerate() {
                let distances = left.iter().enumerate();
                let near = distances.flat_map(|(d, c)| std::iter::repeat_n(d as i64, *c));
                let lags = scaled.lag[..=last].iter().skip(memory + 1);
                bounds.push(lags.zip(near).map(|(w, d)| w * d).sum::<i64>() as i32);
            }
        }
        TailBounds { by_lags, code }
    }
}
