//! Annealing a long sequence block by block: chains that stay in the cache, side by side.
//!
//! Inside a block the ends, a window each, stay as they are. So blocks do not see each other's moves, and can be
//! annealed in any order; the blocks of the next pass begin half a block further on, and reach what stayed:
//!
//! ```text
//! pass 0   |= moves =|= moves =|= moves =|
//! pass 1   |===|= moves =|= moves =|= m =|      = ends that stay
//! ```

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Mutex;

use rayon::prelude::*;

use super::anneal::{Chain, Cooling, Stretch, UNIT};
use super::anneal_rng::AnnealRng;
use super::elements::Arrangement;
use super::options::Budget;
use super::prices::LagPrices;
use nodeorder_base::Observer;

/// Least number of elements of a sequence that is annealed by blocks.
pub const LARGE: usize = 100_000;

/// Number of elements of a block: a power of two, as the parts of curves that fill boxes often are.
const BLOCK: usize = 4096;

/// Number of elements of a block where most blocks are alike: short ones take shape in fewer steps.
const ALIKE: usize = 512;

/// Least mean number of blocks in a group for which short blocks are used.
const MANY: usize = 8;

/// Least number of chains of a pass, the same for any number of threads.
const CHAINS: usize = 2;

/// One pass over a sequence.
pub struct BlockPass<'a> {
    pub space: &'a Arrangement,
    /// Weights by lag, from lag 0.
    pub lag: &'a [f64],
    /// Computes the cooling of a block from its share of the steps, as a multiple of a usual block's.
    pub cooling: &'a (dyn Fn(f64) -> Cooling + Sync),
    pub budget: &'a Budget,
    pub observer: &'a dyn Observer,
    /// Number of the pass in the search; the blocks of odd ones begin half a block further on.
    pub number: usize,
    /// Number of steps of the pass; `None` where only time is limited.
    pub steps: Option<u64>,
    /// Moment when the pass ends, where there is a time limit.
    pub end: Option<f64>,
}

/// Chain on the first block of a group; distances inside all blocks of a group agree rank by rank.
struct BlockJob {
    /// Number of the group of blocks.
    group: usize,
    /// Number of blocks that the group stands for: the multiple of a single block's share of the steps.
    weight: f64,
    rng: AnnealRng,
}

/// Outcome of one chain.
struct BlockResult {
    /// Ranks inside the block before, by rank after.
    order: Vec<u32>,
    /// Change in price, not above 0.
    gain: i64,
    steps: u64,
}

impl BlockPass<'_> {
    /// Anneals every block of `order`, and returns the steps that took. A block's ends, a window each, stay as they
    /// are, so no pair within the window has one element that moves in one block and one in another: what blocks
    /// gain adds up, and with a budget in steps the seed alone decides, however many threads there are.
    ///
    /// The blocks of a curve that fills a box are often congruent. Of such blocks one is annealed, with the steps of
    /// all, and the others are put into the order found where it gains there what it gained in the first. O(elements ·
    /// window) beside the steps.
    pub fn anneal_blocks(&self, order: &mut [u32]) -> u64 {
        let mut rank = vec![0u32; order.len()];
        for (r, e) in order.iter().enumerate() {
            rank[*e as usize] = r as u32;
        }
        // Short blocks pay only where many are alike: fewer pairs of ranks lie inside them.
        let mut groups = self.group_blocks(order, ALIKE);
        if groups.iter().map(Vec::len).sum::<usize>() < MANY * groups.len() {
            groups = self.group_blocks(order, BLOCK);
        }
        let chains = CHAINS.div_ceil(groups.len().max(1));
        let first_stream = (self.number as u64) << 32;
        let jobs: Vec<BlockJob> = (0..groups.len() * chains)
            .map(|number| BlockJob {
                group: number / chains,
                weight: groups[number / chains].len() as f64 / chains as f64,
                rng: AnnealRng::new(self.budget.seed, first_stream | number as u64),
            })
            .collect();
        let all: f64 = jobs.iter().map(|job| job.weight).sum();
        let left = Mutex::new(all);
        let results: Vec<BlockResult> = jobs
            .into_par_iter()
            .with_max_len(1)
            .map(|job| {
                let now = self.observer.elapsed_seconds();
                let waiting = left.lock().map_or(all, |mut left| {
                    *left -= job.weight;
                    *left + job.weight
                });
                // Blocks that wait share what is left of the time.
                let share = (job.weight * rayon::current_num_threads() as f64 / waiting).min(1.0);
                let stretch = Stretch {
                    steps: self.steps.map(|steps| steps as f64 * job.weight / all),
                    time: now
                        .zip(self.end)
                        .map(|(now, end)| (now, (end - now).max(0.0) * share)),
                };
                self.anneal_block(groups[job.group][0], &rank, job, stretch)
            })
            .collect();
        let prices = LagPrices::new(self.lag, UNIT, self.lag.len() - 1);
        groups
            .into_par_iter()
            .zip(results.par_chunks(chains))
            .for_each(|(group, results)| {
                if let Some(best) = results.iter().min_by_key(|result| result.gain) {
                    self.reorder_alike(group, best, &prices);
                }
            });
        results.iter().map(|result| result.steps).sum()
    }

    /// Puts the blocks of a group into the order found for the first; only blocks that gain as much by it.
    fn reorder_alike(&self, group: Vec<&mut [u32]>, found: &BlockResult, prices: &LagPrices) {
        let distances = &self.space.distances;
        for block in group {
            let after: Vec<u32> = found
                .order
                .iter()
                .map(|from| block[*from as usize])
                .collect();
            // Groups are formed by some of the distances, so a block may differ from the first in others.
            let gain =
                prices.price_stretch(distances, &after) - prices.price_stretch(distances, block);
            if gain == found.gain {
                block.copy_from_slice(&after);
            }
        }
    }

    /// Groups the blocks of `size` elements whose distances agree rank by rank, as far as
    /// [`BlockPass::block_signature`] tells, the largest group first. Leaves out blocks that have no element
    /// between the windows at their two ends.
    fn group_blocks<'o>(&self, order: &'o mut [u32], size: usize) -> Vec<Vec<&'o mut [u32]>> {
        let (first, rest) = order.split_at_mut(if self.number % 2 == 1 { size / 2 } else { 0 });
        let blocks = std::iter::once(first).chain(rest.chunks_mut(size));
        let blocks: Vec<&mut [u32]> = blocks.filter(|b| b.len() >= 2 * self.lag.len()).collect();
        let signs: Vec<(usize, u64)> = blocks
            .par_iter()
            .map(|block| self.block_signature(block))
            .collect();
        let mut groups: Vec<Vec<&mut [u32]>> = Vec::new();
        let mut group_of = HashMap::new();
        for (sign, block) in signs.into_iter().zip(blocks) {
            let group = *group_of.entry(sign).or_insert(groups.len());
            if group == groups.len() {
                groups.push(Vec::new());
            }
            groups[group].push(block);
        }
        groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
        groups
    }

    /// Computes the length of a block and a hash of its distances at lags 1, 2, 4, …: blocks that differ in
    /// neither are very likely congruent.
    fn block_signature(&self, block: &[u32]) -> (usize, u64) {
        let mut hasher = DefaultHasher::new();
        let mut lag = 1;
        while lag < block.len() {
            for (a, b) in block.iter().zip(&block[lag..]) {
                self.space.distances.between(*a, *b).hash(&mut hasher);
            }
            lag *= 2;
        }
        (block.len(), hasher.finish())
    }

    /// Anneals one block by `job` over a stretch.
    fn anneal_block(
        &self,
        block: &[u32],
        rank: &[u32],
        job: BlockJob,
        stretch: Stretch,
    ) -> BlockResult {
        let order: Vec<u32> = (0..block.len() as u32).collect();
        if self.observer.should_stop() {
            return BlockResult {
                order,
                gain: 0,
                steps: 0,
            };
        }
        let part = self
            .space
            .restricted_to(block, rank, rank[block[0] as usize]);
        let mut chain = Chain::new(&part, &order, self.lag, false, job.rng).fix_end_windows();
        chain.anneal_until((self.cooling)(job.weight), 1.0, &|made| {
            stretch.elapsed_share(made, self.observer)
        });
        BlockResult {
            gain: chain.gain,
            steps: chain.steps,
            order: chain.best,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::objective;
    use super::super::weights::{WeightKind, Weights};
    use super::*;
    use crate::ordering::{NoObserver, NodeOrder};
    use nodeorder_network::{Context, Topology};

    /// The blocks of a curve of cubes are alike: one search serves all.
    #[test]
    fn congruent_blocks_gain_alike() {
        let topology = Topology::inline("torus:32x32x16", &Context::default()).unwrap();
        let space = Arrangement::new(&topology, false).unwrap();
        let gilbert = NodeOrder::make(&topology, "gilbert").unwrap();
        let mut order = space.to_elements(&topology, gilbert.nodes());
        let lag: Vec<f64> = (0..=8)
            .map(|k| if k == 0 { 0.0 } else { 1.0 / f64::from(k) })
            .collect();
        let prices = LagPrices::new(&lag, UNIT, 8);
        let priced = |order: &[u32]| -> Vec<i64> {
            order
                .chunks(ALIKE)
                .map(|b| prices.price_stretch(&space.distances, b))
                .collect()
        };
        let before = prices.price_stretch(&space.distances, &order);
        let blocks = priced(&order);
        assert!(blocks.iter().all(|price| *price == blocks[0]));
        let pass = BlockPass {
            space: &space,
            lag: &lag,
            cooling: &|weight| {
                assert_eq!(weight, 16.0);
                Cooling {
                    from: 0.4,
                    to: 0.05,
                }
            },
            budget: &Budget {
                steps: Some(60_000),
                time: None,
                seed: 5,
            },
            observer: &NoObserver,
            number: 0,
            steps: Some(60_000),
            end: None,
        };
        pass.anneal_blocks(&mut order);
        let after = priced(&order);
        assert!(after.iter().all(|price| *price == after[0]));
        // What the blocks gain is what the whole gains.
        let gain = blocks[0] - after[0];
        assert!(gain > 0);
        assert_eq!(
            before - prices.price_stretch(&space.distances, &order),
            32 * gain
        );
    }

    /// Every pass lowers the objective of the whole, keeps a permutation, and does the same on one thread as on three.
    #[test]
    fn what_blocks_gain_the_whole_gains() {
        for spec in ["torus:32x24x16", "cascade:16x8x80,global=single"] {
            let topology = Topology::inline(spec, &Context::default()).unwrap();
            let space = Arrangement::new(&topology, false).unwrap();
            let n = space.len();
            let weights = Weights::from_lag_law(WeightKind::Harmonic, n, 8, false);
            let lag: Vec<f64> = (0..=8)
                .map(|k| if k == 0 { 0.0 } else { weights.lag_weight(k) })
                .collect();
            let budget = Budget {
                steps: Some(200_000),
                time: None,
                seed: 3,
            };
            let run = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new()
                    .num_threads(threads)
                    .build()
                    .unwrap();
                let mut order: Vec<u32> = (0..n as u32).collect();
                let mut values = vec![objective::objective_by_lag(
                    &weights,
                    &space.distances,
                    &order,
                )];
                for number in 0..2 {
                    let pass = BlockPass {
                        space: &space,
                        lag: &lag,
                        cooling: &|_| Cooling {
                            from: 0.2,
                            to: 0.05,
                        },
                        budget: &budget,
                        observer: &NoObserver,
                        number,
                        steps: Some(100_000),
                        end: None,
                    };
                    assert!(pool.install(|| pass.anneal_blocks(&mut order)) >= 100_000);
                    values.push(objective::objective_by_lag(
                        &weights,
                        &space.distances,
                        &order,
                    ));
                }
                (order, values)
            };
            let (order, values) = run(1);
            assert_eq!((&order, &values), (&run(3).0, &run(3).1));
            // Where all blocks are congruent the first pass may leave nothing for the second.
            assert!(
                values[0] > values[1] && values[1] >= values[2],
                "{spec}: {values:?}"
            );
            let mut sorted = order;
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..n as u32));
        }
    }
}
