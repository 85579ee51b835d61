//! How the cells of a sweep are dealt to shards: in blocks that follow one another and cost about the same, the costliest
//! first, each to the shard that has the least.
//!
//! # References
//! Graham, "Bounds on multiprocessing timing anomalies", SIAM J. Appl. Math. 17 (1969): no shard gets more than 4/3 of
//! what the best deal gives its busiest.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::inputs::PlanWorkload;
use super::lists::{PlanLists, Work, pick};
use super::plan::Plan;
use nodeorder_base::error::Result;
use nodeorder_base::input::is_packed;
use nodeorder_network::topology::Context;
use nodeorder_trace::GeneratedWorkload;

/// Cells that one shard computes together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The cells.
    pub cells: Range<usize>,
    /// What they are estimated to cost, in microseconds or so.
    pub cost: u64,
    /// The shard that they are dealt to.
    pub shard: u32,
}

/// Blocks for each shard, where cells are small enough: what the last block adds is little.
const BLOCKS: u64 = 16;
/// Cost of making a machine and its distances, for each node; of placing a job; and most that a cell counts, so that no
/// plan's sum overflows.
const NODE: u64 = 3;
const JOB: u64 = 10;
const MOST: u64 = 1 << 36;
/// Factors of a job's cost by what places it, queues it and says how long it runs; 1 for all others. Measured:
/// `reports/2026-11-24-install`.
const FACTORS: [(&str, u64); 9] = [
    ("dilation", 250),
    ("gen-alg", 30),
    ("kueue-tas", 3),
    ("mc1x1", 3),
    ("mbs", 2),
    ("conservative", 2),
    ("window-", 3),
    ("network", 20),
    ("level=flow", 60),
];

impl Plan {
    /// Deals the cells to `of` shards, costliest block first. The same plan is dealt the same way everywhere.
    /// O(cells + blocks log blocks).
    ///
    /// # Errors
    /// Workloads that cannot be read or made.
    pub fn deal(&self, of: u32, context: &Context) -> Result<Vec<Block>> {
        let (cells, nodes) = (self.cells(), &self.remarks.nodes);
        let jobs = self.lists.jobs(context)?;
        let cost = |cell: usize| {
            let cell = cells.get(cell);
            self.lists.cost(&cell.work, nodes[cell.topology], &jobs)
        };
        let total: u64 = (0..cells.len()).map(cost).sum();
        let most = total / (BLOCKS * u64::from(of));
        let mut blocks: Vec<Block> = Vec::new();
        for cell in 0..cells.len() {
            let cost = cost(cell);
            match blocks.last_mut().filter(|block| block.cost + cost <= most) {
                Some(block) => (block.cells.end, block.cost) = (cell + 1, block.cost + cost),
                None => blocks.push(Block {
                    cells: cell..cell + 1,
                    cost,
                    shard: 0,
                }),
            }
        }
        blocks.sort_by_key(|block| Reverse(block.cost));
        let shards = 0..of.min(blocks.len() as u32);
        let mut least: BinaryHeap<_> = shards.map(|shard| Reverse((0, shard))).collect();
        for block in &mut blocks {
            if let Some(mut shard) = least.peek_mut() {
                block.shard = shard.0.1;
                shard.0.0 += block.cost;
            }
        }
        Ok(blocks)
    }
}

impl PlanLists {
    /// About how many jobs each workload has: its bytes over those of a usual line.
    fn jobs(&self, context: &Context) -> Result<Vec<u64>> {
        let bytes = |workload: &PlanWorkload| -> Result<u64> {
            let Some(spec) = &workload.generator else {
                let packed = if is_packed(&workload.path) { 8 } else { 1 };
                return Ok(packed * std::fs::metadata(&workload.path).map_or(0, |file| file.len()));
            };
            let mut sum = 0;
            for piece in GeneratedWorkload::make(&spec.located, context.seed)? {
                sum += piece.len() as u64;
                // A workload beyond the memory is refused where it is run.
                if sum > context.memory {
                    break;
                }
            }
            Ok(sum)
        };
        self.workloads
            .iter()
            .map(|workload| Ok(bytes(workload)? / 50))
            .collect()
    }

    fn cost(&self, work: &Work, nodes: u64, jobs: &[u64]) -> u64 {
        let model = pick(&self.models, work.model).map(|model| &model.text);
        let allocator = pick(&self.allocators, work.allocator).map(|allocator| &allocator.text);
        let named = [allocator, pick(&self.policies, work.policy), model];
        let slow = |(name, _): &&(&str, u64)| named.iter().flatten().any(|t| t.contains(name));
        let factor: u64 = FACTORS
            .iter()
            .filter(slow)
            .map(|(_, factor)| factor)
            .product();
        let jobs = pick(jobs, work.workload)
            .unwrap_or(&0)
            .saturating_mul(JOB * factor);
        (1 + NODE * nodes).saturating_add(jobs).min(MOST)
    }
}
