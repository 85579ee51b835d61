//! Annealing a long sequence block by block: chains that stay in the cache, side by side.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use rayon::prelude::*;

use super::anneal::{Chain, Cooling};
use super::anneal_rng::AnnealRng;
use super::elements::Arrangement;
use super::{Budget, Observer};

/// Elements from which sequences are annealed by blocks.
pub(super) const LARGE: usize = 100_000;

/// Elements of a block, beside what is left as it is at its ends.
const BLOCK: usize = 4096;

/// One pass over a sequence: what is annealed, under which weights, and until when.
pub(super) struct Pass<'a> {
    pub space: &'a Arrangement,
    pub lag: &'a [f64],
    pub cooling: Cooling,
    pub budget: &'a Budget,
    pub observer: &'a dyn Observer,
    /// Which pass of the search it is: odd ones have their blocks half a block further on.
    pub number: usize,
    /// Its share of the steps, and the moment when it ends where there is a time limit.
    pub steps: Option<u64>,
    pub end: Option<f64>,
}

impl Pass<'_> {
    /// Anneals every block of `order`, and returns the steps that took. A block's ends, a window each, stay as they
    /// are, so no pair within the window has one element that moves in one block and one in another: what blocks
    /// gain adds up, and with a budget in steps the seed alone decides, however many threads there are.
    ///
    /// # Complexity
    /// O(elements) beside the steps.
    pub fn run(&self, order: &mut [u32]) -> u64 {
        let mut rank = vec![0u32; order.len()];
        for (r, e) in order.iter().enumerate() {
            rank[*e as usize] = r as u32;
        }
        let window = self.lag.len() - 1;
        let size = BLOCK + 2 * window;
        let (first, rest) = order.split_at_mut(if self.number % 2 == 1 { size / 2 } else { 0 });
        let mut blocks: Vec<(u32, &mut [u32])> = Vec::new();
        let mut begin = first.len() as u32;
        for block in std::iter::once(first).chain(rest.chunks_mut(size)) {
            let at = if blocks.is_empty() { 0 } else { begin };
            begin = at + block.len() as u32;
            blocks.push((at, block));
        }
        let left = AtomicUsize::new(blocks.len());
        let steps = Mutex::new(0);
        let (elements, threads) = (rank.len(), rayon::current_num_threads());
        blocks.into_par_iter().enumerate().for_each(|(b, (begin, block))| {
            let now = self.observer.seconds();
            let waiting = left.fetch_sub(1, Relaxed);
            if block.len() <= 2 * window + 1 || self.observer.should_stop() {
                return;
            }
            let part = self.space.part(block, &rank, begin);
            let ids: Vec<u32> = (0..block.len() as u32).collect();
            let stream = (self.number as u64) << 32 | b as u64;
            let rng = AnnealRng::new(self.budget.seed, stream);
            let mut chain = Chain::new(&part, &ids, self.lag, window, false, rng).between_windows();
            let by_steps = self.steps.map(|all| all as f64 * block.len() as f64 / elements as f64);
            // Blocks that wait share what is left of the time.
            let slice = now.zip(self.end).map(|(now, end)| {
                (now, (end - now).max(0.0) * threads as f64 / waiting.max(threads) as f64)
            });
            chain.run(self.cooling, 1.0, &|steps| {
                if self.observer.should_stop() {
                    return f64::INFINITY;
                }
                let by_steps = by_steps.map_or(0.0, |all| steps as f64 / all);
                let by_time = match (slice, self.observer.seconds()) {
                    (Some((_, slice)), _) if slice <= 0.0 => f64::INFINITY,
                    (Some((began, slice)), Some(now)) => (now - began) / slice,
                    _ => 0.0,
                };
                by_steps.max(by_time)
            });
            let before = block.to_vec();
            for (to, from) in block.iter_mut().zip(chain.best()) {
                *to = before[*from as usize];
            }
            if let Ok(mut steps) = steps.lock() {
                *steps += chain.steps;
            }
        });
        steps.into_inner().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::objective;
    use super::super::weights::{WeightKind, Weights};
    use super::*;
    use crate::ordering::NoObserver;
    use crate::topology::{Context, Topology};

    /// Every pass lowers the objective of the whole, keeps a permutation, and does the same on one thread as on three.
    #[test]
    fn what_blocks_gain_the_whole_gains() {
        for spec in ["torus:32x24x16", "cascade:16x8x80,global=single"] {
            let topology = Topology::inline(spec, &Context::default()).unwrap();
            let space = Arrangement::new(&topology, false).unwrap();
            let n = space.len();
            let weights = Weights::by_lag(WeightKind::Harmonic, n, 8, false);
            let lag: Vec<f64> =
                (0..=8).map(|k| if k == 0 { 0.0 } else { weights.lag(k) }).collect();
            let budget = Budget { steps: Some(200_000), time: None, seed: 3 };
            let run = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let mut order: Vec<u32> = (0..n as u32).collect();
                let mut values = vec![objective::by_lag(&weights, &space.distances, &order)];
                for number in 0..2 {
                    let pass = Pass {
                        space: &space,
                        lag: &lag,
                        cooling: Cooling { from: 0.2, to: 0.05 },
                        budget: &budget,
                        observer: &NoObserver,
                        number,
                        steps: Some(100_000),
                        end: None,
                    };
                    assert!(pool.install(|| pass.run(&mut order)) >= 100_000);
                    values.push(objective::by_lag(&weights, &space.distances, &order));
                }
                (order, values)
            };
            let (order, values) = run(1);
            assert_eq!((&order, &values), (&run(3).0, &run(3).1));
            assert!(values.is_sorted_by(|a, b| a > b), "{spec}: {values:?}");
            let mut sorted = order;
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..n as u32));
        }
    }
}
