//! A lower bound by the dynamic program's relaxation, on a torus: states keep only the last elements.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rayon::prelude::*;

use super::elements::Distances;
use super::problem::SearchProblem;
use super::scaled::{LAYERS, Scaled};
use super::starts::permutations;

/// A full torus (rings and cliques), where differences of elements make sense.
pub(super) struct Torus {
    n: usize,
    /// `minus[a·n + b]`: the element a - b.
    minus: Vec<u16>,
    /// Distances from element 0.
    hops: Vec<i64>,
    /// Automorphisms that leave element 0 where it is, a group.
    turns: Vec<Vec<u16>>,
    /// All elements but 0, nearest first.
    nearest: Vec<u16>,
}

impl Torus {
    /// Most elements: the table of differences has n² entries.
    const LARGEST: usize = 4096;

    /// Most automorphisms that are used.
    const TURNS: usize = 48;

    pub fn new(problem: &SearchProblem<'_>) -> Option<Self> {
        let space = problem.space;
        let n = space.len();
        let Distances::Lanes { axes, coordinates } = &space.distances else {
            return None;
        };
        if n > Torus::LARGEST {
            return None;
        }
        let extents: Vec<usize> = (0..axes.len())
            .map(|i| {
                coordinates
                    .iter()
                    .map(|x| usize::from(x[i]))
                    .max()
                    .unwrap_or(0)
                    + 1
            })
            .collect();
        // With nodes parted, elements are no group.
        if extents.iter().product::<usize>() != n {
            return None;
        }
        let mut minus = vec![0u16; n * n];
        for a in 0..n {
            for b in 0..n {
                let digit = |i: usize| {
                    let (x, y) = (
                        usize::from(coordinates[a][i]),
                        usize::from(coordinates[b][i]),
                    );
                    (x + extents[i] - y) % extents[i]
                };
                let index = (0..extents.len()).fold(0, |index, i| index * extents[i] + digit(i));
                minus[a * n + b] = index as u16;
            }
        }
        let hops: Vec<i64> = (0..n as u32)
            .map(|e| i64::from(space.distances.between(0, e)))
            .collect();
        let mut nearest: Vec<u16> = (1..n as u16).collect();
        nearest.sort_by_key(|e| hops[usize::from(*e)]);
        let turns = turns(&extents, &hops);
        Some(Torus {
            n,
            minus,
            hops,
            turns,
            nearest,
        })
    }

    /// How many elements a relaxation can remember for `work` operations.
    pub fn memory(&self, window: usize, work: u64) -> Option<usize> {
        let states = |m: usize| (self.n as u64).saturating_pow(m as u32 - 1);
        let cost =
            |m: usize| states(m).saturating_mul(self.n as u64 * LAYERS) / self.turns.len() as u64;
        (2..=window.min(6))
            .rev()
            .find(|m| cost(*m) <= work && states(*m) <= STATES)
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
        if from
            .iter()
            .zip(extents)
            .any(|(i, extent)| extents[*i] != *extent)
        {
            return None;
        }
        let image = |element: usize| {
            let digits = digits(element);
            let axis = |i: usize| {
                let digit = digits[from[i]];
                if flips >> i & 1 == 1 {
                    (extents[i] - digit) % extents[i]
                } else {
                    digit
                }
            };
            (0..axes).fold(0, |index, i| index * extents[i] + axis(i)) as u16
        };
        let images: Vec<u16> = (0..hops.len()).map(image).collect();
        let same = images
            .iter()
            .zip(hops)
            .all(|(image, hop)| hops[usize::from(*image)] == *hop);
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
    let identity: Vec<usize> = (0..axes).collect();
    all(&permutations(&identity))
        .or_else(|| all(&[identity]))
        .unwrap_or_else(|| vec![(0..hops.len() as u16).collect()])
}

/// Whether to stop, asked from any thread.
type Stop<'s> = &'s (dyn Fn() -> bool + Sync);

/// The results of `make` for every number below `count`, made in parallel; `None` where `stop` interrupted it.
fn unless_stopped<T: Send>(
    count: u32,
    stop: Stop<'_>,
    make: impl Fn(u32) -> T + Sync,
) -> Option<Vec<T>> {
    /// Numbers between two questions.
    const STRETCH: u32 = 256;
    let stopped = AtomicBool::new(false);
    let make = |i: u32| {
        if i.is_multiple_of(STRETCH) && !stopped.load(Relaxed) && stop() {
            stopped.store(true, Relaxed);
        }
        (!stopped.load(Relaxed)).then(|| make(i))
    };
    (0..count)
        .into_par_iter()
        .with_min_len(STRETCH as usize)
        .map(make)
        .collect()
}

/// Classes of states that automorphisms turn into each other; all states of a class cost the same.
struct Classes {
    /// The least code of each class, ascending.
    least: Vec<u32>,
    /// The class of every code.
    of: Vec<u32>,
}

impl Classes {
    /// The classes of states of `count` differences, unless stopped. O(n^count · automorphisms).
    fn new(torus: &Torus, count: usize, stop: Stop<'_>) -> Option<Self> {
        let n = torus.n;
        let size = n.pow(count as u32);
        let least = |code: u32| {
            let digits = digits(code as usize, n, count);
            let image = |turn: &Vec<u16>| {
                let digits = digits[..count].iter().rev();
                digits.fold(0, |code, d| code * n + usize::from(turn[*d]))
            };
            torus
                .turns
                .iter()
                .map(image)
                .min()
                .map_or(code, |code| code as u32)
        };
        let mut of = unless_stopped(size as u32, stop, least)?;
        let least: Vec<u32> = (0..size as u32)
            .filter(|code| of[*code as usize] == *code)
            .collect();
        let mut class = vec![0; size];
        least
            .iter()
            .zip(0..)
            .for_each(|(code, index)| class[*code as usize] = index);
        of.par_iter_mut()
            .for_each(|code| *code = class[*code as usize]);
        Some(Classes { least, of })
    }
}

/// The dynamic program of [`super::dp`] with everything forgotten but the last M elements, on a torus:
/// there only differences to the last element matter, n^(M-1) states. Lags beyond M cost at least what the
/// nearest elements not among the M remembered cost, heaviest lag first.
///
/// After some steps the cost to go grows by at least δ every two steps, for ever, where δ is the least
/// growth over all states of the last two steps: the operator is monotone. So not every rank needs a layer, and
/// what layers are done when it is stopped prove a bound, too: no layer costs less than nothing.
pub(super) fn relaxed(
    problem: &SearchProblem<'_>,
    scaled: &Scaled,
    torus: &Torus,
    work: u64,
    stop: Stop<'_>,
) -> Option<f64> {
    let n = torus.n;
    let window = scaled.lag.len() - 1;
    if problem.weights.ring && 2 * window >= n || window == 0 {
        return None;
    }
    let memory = torus.memory(window, work)?;
    let tails = Tails::new(torus, scaled, memory);
    let classes = Classes::new(torus, memory - 1, stop)?;
    // Layers from the back; the last ones see all lags, the first ones only those that exist.
    let mut value = vec![0i32; classes.least.len()];
    let mut history: Vec<Vec<i32>> = vec![value.clone()];
    // A ring has no ends: there every rank sees all lags.
    let free = if problem.weights.ring { 0 } else { window };
    let full = n.checked_sub(free.max(memory))?;
    let mut done = 0;
    while done < full {
        let Some(next) = step(
            torus,
            scaled,
            &tails,
            &classes,
            [memory, window],
            &value,
            stop,
        ) else {
            break;
        };
        value = next;
        done += 1;
        // Growth is measured over the last two steps.
        history.push(value.clone());
        if history.len() > 3 {
            history.remove(0);
        }
        if done >= LAYERS as usize - 16 {
            break;
        }
    }
    let mut extra = 0i64;
    if done < full && history.len() > 2 {
        let growth = |back: usize| {
            let before = &history[history.len() - 1 - back];
            value
                .iter()
                .zip(before)
                .filter(|(v, _)| **v < NO_STATE)
                .map(|(v, b)| v - b)
                .min()
        };
        let left = full - done;
        let by_two = i64::from(growth(2)?.max(0)) * (left / 2) as i64;
        let by_one = i64::from(growth(1)?.max(0)) * left as i64;
        extra = by_two.max(by_one);
    }
    if !problem.weights.ring {
        for placed in (memory..window.max(memory)).rev() {
            let next = step(
                torus,
                scaled,
                &tails,
                &classes,
                [memory, placed],
                &value,
                stop,
            );
            let Some(next) = next else { break };
            value = next;
        }
    }
    // The first M elements among themselves.
    let all = classes
        .least
        .par_iter()
        .zip(&value)
        .filter(|(_, value)| **value < NO_STATE);
    let least = all.map(|(code, value)| {
        let differences = digits(*code as usize, n, memory - 1);
        let mut inside = 0;
        if !problem.weights.ring {
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

/// Least cost of the lags beyond the memory, by how many of the remembered elements stand in each of the nearest
/// shells.
struct Tails {
    /// By number of lags present, then by code of shells.
    by_lags: Vec<Vec<i32>>,
    /// Summand of the code for an element at each distance.
    code: Vec<usize>,
}

impl Tails {
    const SHELLS: usize = 4;

    fn new(torus: &Torus, scaled: &Scaled, memory: usize) -> Self {
        let window = scaled.lag.len() - 1;
        let far = torus.hops.iter().copied().max().unwrap_or(0) as usize;
        let mut shells = vec![0usize; far + 1];
        torus
            .hops
            .iter()
            .skip(1)
            .for_each(|d| shells[*d as usize] += 1);
        let code = (0..=far)
            .map(|d| {
                let shell = d.wrapping_sub(1);
                if shell < Tails::SHELLS {
                    (memory + 1).pow(shell as u32)
                } else {
                    0
                }
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
        let by_lags = (0..=window)
            .map(|last| (0..codes).map(|code| tail(last, code)).collect())
            .collect();
        Tails { by_lags, code }
    }
}

/// One layer, class by class: the least over next elements x, as seen from the last one, of their cost and
/// what follows. Far elements are left out once the first lag alone costs too much. Nothing where it was stopped.
fn step(
    torus: &Torus,
    scaled: &Scaled,
    tails: &Tails,
    classes: &Classes,
    [memory, lags]: [usize; 2],
    after: &[i32],
    stop: Stop<'_>,
) -> Option<Vec<i32>> {
    let n = torus.n;
    let tail = &tails.by_lags[lags.min(tails.by_lags.len() - 1)];
    let hop = |d: usize, lag: usize| (scaled.lag[lag] * torus.hops[d]) as i32;
    let priced: Vec<Vec<i32>> = (1..=memory)
        .map(|k| (0..n).map(|d| hop(d, k)).collect())
        .collect();
    let shell: Vec<usize> = torus.hops.iter().map(|d| tails.code[*d as usize]).collect();
    let floor = tail.iter().min().unwrap_or(&0) + after.iter().min().unwrap_or(&0);
    let cheapest = |class: u32| {
        let differences = digits(classes.least[class as usize] as usize, n, memory - 1);
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
            let apart = usize::from(torus.minus[differences[memory - 2] * n + x]);
            cost += priced[memory - 1][apart];
            shells += shell[apart];
            least = least.min(cost + tail[shells] + after[classes.of[next] as usize]);
        }
        least
    };
    unless_stopped(classes.least.len() as u32, stop, cheapest)
}
