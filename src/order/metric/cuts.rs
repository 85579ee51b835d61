//! Windows over distances that are sums of few cuts.
//!
//! A cut parts the ranks in two sides; two ranks on different sides are a hop apart by it. A path of n labels
//! is its n-1 cuts, a ring the cuts between half-turns (all n of them, each half, where n is odd), a clique the
//! cuts between one label and the rest, each half. Of a set of m ranks with c on one side, c·(m - c) pairs are
//! parted: `2·Σ d = Σ w·c·(m - c)` with w = 2 for whole cuts, 1 for half ones.
//!
//! # References
//! Deza & Laurent, "Geometry of Cuts and Metrics", 1997.

use multiversion::multiversion;

use nodeorder_network::topology::distance::Shape;

/// Cuts of one vector block: 16 lanes of 16 bits.
const BLOCK: usize = 16;
/// More blocks than this, and other counters are faster.
const MOST_BLOCKS: usize = 8;
const MOST_CUTS: u64 = (BLOCK * MOST_BLOCKS) as u64;
/// The most bytes the sides may take.
const MOST_BYTES: usize = 64 << 20;

type Sides = [u8; BLOCK];
type Counts = [i16; BLOCK];

/// Which side of every cut each rank is on.
#[derive(Debug)]
pub(super) struct Cuts {
    blocks: usize,
    /// `blocks` blocks a rank: 1 on the far side, 0 on the near one. Cuts beyond the last have weight 0.
    sides: Vec<Sides>,
    weights: Vec<Counts>,
}

/// A term of a distance: labels along a path or ring, or in a clique of that weight.
#[derive(Clone, Copy, Debug)]
pub(super) struct CutTerm {
    pub shape: Shape,
    pub extent: u32,
    pub weight: u32,
}

/// A cut: the labels of one term from `from` on, `length` of them, around the end, against the others.
struct Cut {
    /// Index of the term among a rank's labels.
    term: usize,
    extent: u32,
    from: u32,
    length: u32,
    weight: i16,
}

impl Cuts {
    /// The cuts of `terms`, where they are few; `labels` are those of all ranks, one for each term.
    pub fn new(terms: &[CutTerm], labels: &[u32]) -> Option<Self> {
        let mut cuts: Vec<Cut> = Vec::new();
        // Before any is made: extents may be in the millions, and a ring has half as many cuts as labels at least.
        if terms.iter().map(|term| u64::from(term.extent)).sum::<u64>() > 2 * MOST_CUTS {
            return None;
        }
        for (
            term,
            CutTerm {
                shape,
                extent,
                weight,
            },
        ) in terms.iter().copied().enumerate()
        {
            match shape {
                Shape::Ring => {
                    let (turns, weight) = if extent.is_multiple_of(2) {
                        (extent / 2, 2)
                    } else {
                        (extent, 1)
                    };
                    let turn = |from| Cut {
                        term,
                        extent,
                        from,
                        length: extent / 2,
                        weight,
                    };
                    cuts.extend((0..turns).map(turn));
                }
                Shape::Path => {
                    let cut = |from| Cut {
                        term,
                        extent,
                        from,
                        length: extent - from,
                        weight: 2,
                    };
                    cuts.extend((1..extent).map(cut));
                }
                Shape::Clique => {
                    let weight = i16::try_from(weight).ok()?;
                    let one = |from| Cut {
                        term,
                        extent,
                        from,
                        length: 1,
                        weight,
                    };
                    cuts.extend((0..extent).map(one));
                }
            }
        }
        let blocks = cuts.len().div_ceil(BLOCK);
        let width = terms.len();
        if width == 0 || blocks > MOST_BLOCKS {
            return None;
        }
        let ranks = labels.len() / width;
        if ranks * blocks * BLOCK > MOST_BYTES {
            return None;
        }
        let mut weights = vec![[0; BLOCK]; blocks];
        cuts.iter()
            .enumerate()
            .for_each(|(c, cut)| weights[c / BLOCK][c % BLOCK] = cut.weight);
        let mut sides = vec![[0; BLOCK]; ranks * blocks];
        for (rank, labels) in labels.chunks(width).enumerate() {
            for (c, cut) in cuts.iter().enumerate() {
                let past = (labels[cut.term] + cut.extent - cut.from) % cut.extent;
                sides[rank * blocks + c / BLOCK][c % BLOCK] = u8::from(past < cut.length);
            }
        }
        Some(Cuts {
            blocks,
            sides,
            weights,
        })
    }

    /// Whether the sums of `count` members fit the counters: w·(m - c) in 16 bits, all of `Σ w·c·(m - c)` in
    /// 31.
    pub fn hold(&self, count: u32) -> bool {
        let n = u64::from(count);
        let weights = self.weights.iter().flatten();
        let (largest, all) = weights.fold((0, 0), |(largest, all): (u64, u64), w| {
            (
                largest.max(u64::from(w.unsigned_abs())),
                all + u64::from(w.unsigned_abs()),
            )
        });
        n * largest <= i16::MAX as u64 && all * n * n / 4 <= i32::MAX as u64
    }

    /// The first window of `n` entries with the smallest pair-distance sum: its start and sum. Stops at a window
    /// whose sum is `floor` or less.
    pub fn best(&self, entries: &[u32], n: usize, floor: u64) -> (usize, u64) {
        let doubled = i32::try_from(2 * floor).unwrap_or(i32::MAX);
        let (at, sum) = slide(self, entries, n as i16, doubled);
        (at, sum as u64 / 2)
    }
}

#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl", "x86_64+avx2", "aarch64+neon"))]
fn slide(cuts: &Cuts, entries: &[u32], n: i16, floor: i32) -> (usize, i32) {
    // The counters of so many blocks stay in registers.
    match cuts.blocks {
        1 => slide_on::<1>(cuts, entries, n, floor),
        2 => slide_on::<2>(cuts, entries, n, floor),
        3 => slide_on::<3>(cuts, entries, n, floor),
        4 => slide_on::<4>(cuts, entries, n, floor),
        5 => slide_on::<5>(cuts, entries, n, floor),
        6 => slide_on::<6>(cuts, entries, n, floor),
        7 => slide_on::<7>(cuts, entries, n, floor),
        _ => slide_on::<MOST_BLOCKS>(cuts, entries, n, floor),
    }
}

#[inline(always)]
fn slide_on<const BLOCKS: usize>(cuts: &Cuts, entries: &[u32], n: i16, floor: i32) -> (usize, i32) {
    let (sides, _) = cuts.sides.as_chunks::<BLOCKS>();
    let mut far = [[0i16; BLOCK]; BLOCKS];
    let mut weight = [[0i16; BLOCK]; BLOCKS];
    weight.copy_from_slice(&cuts.weights);
    let none = [[0; BLOCK]; BLOCKS];
    let mut sum = 0;
    for rank in &entries[..n as usize] {
        (far, sum) = shift(far, &none, &sides[*rank as usize], &weight, n);
    }
    let (mut at, mut least) = (0, sum);
    for (i, (gone, come)) in entries.iter().zip(&entries[n as usize..]).enumerate() {
        if least <= floor {
            break;
        }
        (far, sum) = shift(
            far,
            &sides[*gone as usize],
            &sides[*come as usize],
            &weight,
            n,
        );
        if sum < least {
            (at, least) = (i + 1, sum);
        }
    }
    (at, least)
}

/// Replaces `gone` by `come`: the new counts, and `Σ w·c·(n - c)`.
#[inline(always)]
fn shift<const BLOCKS: usize>(
    mut far: [Counts; BLOCKS],
    gone: &[Sides; BLOCKS],
    come: &[Sides; BLOCKS],
    weights: &[Counts; BLOCKS],
    n: i16,
) -> ([Counts; BLOCKS], i32) {
    let mut sum = 0;
    for b in 0..BLOCKS {
        for l in 0..BLOCK {
            far[b][l] += i16::from(come[b][l].wrapping_sub(gone[b][l]) as i8);
            let near = n.wrapping_sub(far[b][l]);
            sum += i32::from(far[b][l]) * i32::from(weights[b][l].wrapping_mul(near));
        }
    }
    (far, sum)
}
