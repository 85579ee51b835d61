//! Windows over distances that are sums of few cuts.
//!
//! A cut parts the ranks in two sides; two ranks on different sides are its weight apart by it
//! ([`crate::pair_sums::cuts`]). Of a set of m ranks with c on one side, c·(m - c) pairs are parted: `2·Σ d = Σ
//! w·c·(m - c)`, weights w in halves. So a window needs only the count c of each cut, which changes by at most 1 as it
//! slides. Ranks 0, 1, 3 of a path of four have c = 1, 2, 2 for its three cuts of weight 2: 2·(1·2 + 2·1 + 2·1) / 2 =
//! 6 hops.
//!
//! # References
//! Deza & Laurent, "Geometry of Cuts and Metrics", 1997.

use multiversion::multiversion;

use crate::pair_sums::cuts::{CutSide, list_axis_cuts};
use nodeorder_network::topology::distance::Axis;

/// Number of cuts in a vector block: 16 lanes of 16 bits.
const BLOCK: usize = 16;
/// Largest number of blocks of cuts: with more, sums over labels are faster.
const MOST_BLOCKS: usize = 8;
/// Largest number of cuts.
const MOST_CUTS: u64 = (BLOCK * MOST_BLOCKS) as u64;
/// Largest number of bytes that the sides may take.
const MOST_BYTES: usize = 64 << 20;

/// Sides of a rank: 1 inside the cut, 0 outside.
type Sides = [u8; BLOCK];
/// Members inside each cut, or weights of cuts.
type Counts = [i16; BLOCK];

/// Side of every cut that each rank is on.
#[derive(Debug)]
pub struct Cuts {
    /// Number of blocks of cuts.
    blocks: usize,
    /// `blocks` blocks a rank. Cuts beyond the last have weight 0.
    sides: Vec<Sides>,
    /// Weights of the cuts in halves of a hop, block by block.
    weights: Vec<Counts>,
}

/// A cut of the labels of one term.
struct TermCut {
    /// Index of the term among a rank's labels.
    term: usize,
    side: CutSide,
    weight: i16,
}

impl Cuts {
    /// Lists the cuts of terms, each an axis and the weight of its hops; `labels` are those of all ranks, one for each
    /// term. `None` if cuts are not few.
    pub fn new(terms: &[(Axis, u32)], labels: &[u32]) -> Option<Self> {
        // Before any is made: extents may be in the millions, and a ring has half as many cuts as labels at least.
        let extents = terms.iter().map(|(axis, _)| u64::from(axis.extent));
        if extents.sum::<u64>() > 2 * MOST_CUTS {
            return None;
        }
        let mut cuts: Vec<TermCut> = Vec::new();
        for (term, (axis, weight)) in terms.iter().enumerate() {
            for (side, halves) in list_axis_cuts(*axis) {
                let weight = i16::try_from(halves * weight).ok()?;
                cuts.push(TermCut { term, side, weight });
            }
        }
        let blocks = cuts.len().div_ceil(BLOCK);
        let width = terms.len();
        if width == 0 || blocks > MOST_BLOCKS {
            return None;
        }
        let ranks = labels.len() / width;
        // Above, the sides of a window no longer stay in the caches.
        if ranks * blocks * BLOCK > MOST_BYTES {
            return None;
        }
        let mut weights = vec![[0; BLOCK]; blocks];
        let mut sides = vec![[0; BLOCK]; ranks * blocks];
        for (c, cut) in cuts.iter().enumerate() {
            weights[c / BLOCK][c % BLOCK] = cut.weight;
            for (rank, labels) in labels.chunks(width).enumerate() {
                let inside = cut.side.contains(labels[cut.term]);
                sides[rank * blocks + c / BLOCK][c % BLOCK] = u8::from(inside);
            }
        }
        Some(Cuts {
            blocks,
            sides,
            weights,
        })
    }

    /// Checks whether the sums of `count` members fit the counters: w·(m - c) in 16 bits, all of `Σ w·c·(m - c)`
    /// in 31.
    pub fn fits_members(&self, count: u32) -> bool {
        let n = u64::from(count);
        let mut largest = 0;
        let mut all = 0;
        for weight in self.weights.iter().flatten() {
            largest = largest.max(*weight as u64);
            all += *weight as u64;
        }
        n * largest <= i16::MAX as u64 && all * n * n / 4 <= i32::MAX as u64
    }

    /// Finds the first window of `n` entries with the smallest pair-distance sum: its start and sum. Stops at a window
    /// whose sum is `floor` or less.
    pub fn best_window(&self, entries: &[u32], n: usize, floor: u64) -> (usize, u64) {
        let doubled = i32::try_from(2 * floor).unwrap_or(i32::MAX);
        let (start, sum) = slide_window(self, entries, n as i16, doubled);
        (start, sum as u64 / 2)
    }
}

/// Slides a window of `n` entries over all. Returns the start and doubled sum of the best.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl", "x86_64+avx2", "aarch64+neon"))]
fn slide_window(cuts: &Cuts, entries: &[u32], n: i16, floor: i32) -> (usize, i32) {
    // The counters of so many blocks stay in registers.
    match cuts.blocks {
        1 => slide_blocks::<1>(cuts, entries, n, floor),
        2 => slide_blocks::<2>(cuts, entries, n, floor),
        3 => slide_blocks::<3>(cuts, entries, n, floor),
        4 => slide_blocks::<4>(cuts, entries, n, floor),
        5 => slide_blocks::<5>(cuts, entries, n, floor),
        6 => slide_blocks::<6>(cuts, entries, n, floor),
        7 => slide_blocks::<7>(cuts, entries, n, floor),
        _ => slide_blocks::<MOST_BLOCKS>(cuts, entries, n, floor),
    }
}

#[inline(always)]
fn slide_blocks<const BLOCKS: usize>(
    cuts: &Cuts,
    entries: &[u32],
    n: i16,
    floor: i32,
) -> (usize, i32) {
    let (sides, _) = cuts.sides.as_chunks::<BLOCKS>();
    let mut inside = [[0i16; BLOCK]; BLOCKS];
    let mut weight = [[0i16; BLOCK]; BLOCKS];
    weight.copy_from_slice(&cuts.weights);
    let none = [[0; BLOCK]; BLOCKS];
    let mut sum = 0;
    for rank in &entries[..n as usize] {
        (inside, sum) = replace_member(inside, &none, &sides[*rank as usize], &weight, n);
    }
    let mut start = 0;
    let mut least = sum;
    for (i, (gone, come)) in entries.iter().zip(&entries[n as usize..]).enumerate() {
        // No later window can be better than what is proved.
        if least <= floor {
            break;
        }
        let gone = &sides[*gone as usize];
        (inside, sum) = replace_member(inside, gone, &sides[*come as usize], &weight, n);
        if sum < least {
            start = i + 1;
            least = sum;
        }
    }
    (start, least)
}

/// Replaces `gone` by `come`. Returns the new counts, and `Σ w·c·(n - c)`.
#[inline(always)]
fn replace_member<const BLOCKS: usize>(
    mut inside: [Counts; BLOCKS],
    gone: &[Sides; BLOCKS],
    come: &[Sides; BLOCKS],
    weights: &[Counts; BLOCKS],
    n: i16,
) -> ([Counts; BLOCKS], i32) {
    let mut sum = 0;
    for b in 0..BLOCKS {
        for l in 0..BLOCK {
            inside[b][l] += i16::from(come[b][l].wrapping_sub(gone[b][l]) as i8);
            // `fit_members` was checked: nothing wraps, and these operations need no test for it.
            let outside = n.wrapping_sub(inside[b][l]);
            sum += i32::from(inside[b][l]) * i32::from(weights[b][l].wrapping_mul(outside));
        }
    }
    (inside, sum)
}
