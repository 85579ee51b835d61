//! First stage of a transform: from the bits of a cut to the sequences that the short transforms take.
//!
//! For residue r of a frequency modulo R, the short transform of length Q takes
//!
//! `y_r[t] = ω_L^{r·t} · Σ_m b[t + m·Q] · ω_R^{r·m}`,  t < Q.
//!
//! Group s has the sixteen residues r = s + S·j (S = R/16, j < 16). With m = 16·m₁ + m₀,
//!
//! `ω_R^{(s+S·j)·m} = ω_S^{s·m₁} · ω_R^{s·m₀} · ω_16^{j·m₀}`.
//!
//! The sum over m₁ does not depend on j. It is looked up, eight bits of b at a time, in tables of 256 sums; the sum
//! over m₀ is then a product with a 16×16 matrix, split once into even and odd j: m₀ and m₀ + 8 differ by a sign.

use multiversion::multiversion;
use multiversion::target::target_cfg_f;

use super::cuts::Cut;
use super::fft::{Complex, ComplexVector, LANES, Sequences, mul_add, root};
use super::layout::{BLOCK, Layout, WAYS};

/// Gathers the bits of a cut in the order in which [`FirstStage::transform_bits`] reads them: by block of columns,
/// then m₀, then byte of m₁, one byte for each column.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl", "x86_64+avx2", "aarch64+neon"))]
pub fn gather_bits(labels: &[u32], cut: &Cut, layout: Layout) -> Vec<u8> {
    let bytes = layout.bit_bytes();
    let mut bits = vec![0u8; layout.piece * WAYS * bytes];
    for (row, out) in bits.chunks_exact_mut(BLOCK).enumerate() {
        let block = row / (WAYS * bytes);
        let m0 = row / bytes % WAYS;
        for bit in 0..8 {
            let m = WAYS * (8 * (row % bytes) + bit) + m0;
            let start = (m * layout.piece + block * BLOCK).min(labels.len());
            let end = (start + BLOCK).min(labels.len());
            cut.side
                .mark_members(&labels[start..end], 1 << bit, &mut out[..end - start]);
        }
    }
    bits
}

/// Sums of up to eight roots of unity, for every byte of bits that selects them.
type Lookup = [Complex; 256];

/// Sums over m₁: for even and odd j, for each column of a block, for m₀ below 8.
type RowSums = [[[Complex; LANES]; BLOCK]; 2];

/// Factors of the first stage of one group.
pub struct FirstStage {
    /// Bytes of bits for each column and m₀.
    bytes: usize,
    /// Sums of ω_S^{s·m₁} by the bits of m₁, one table for each byte of them: first for m₀ below 8; then for m₀
    /// from 8 on, all times ω_R^{8s}.
    lookups: [Vec<Lookup>; 2],
    /// Factors ω_R^{r·m₀} of the eight residues r, for even and for odd j, for each m₀ below 8.
    matrix: [[ComplexVector; LANES]; 2],
    /// Factors ω_L^{r·t} of the first column t of each block, for even and for odd j.
    blocks: [Vec<ComplexVector>; 2],
    /// Factors ω_L^{r·t} of the columns t inside a block, for even and for odd j.
    within: [Vec<ComplexVector>; 2],
}

impl FirstStage {
    /// Computes the factors of group s.
    pub fn new(group: usize, layout: Layout) -> Self {
        let s = group as u64;
        let residues = layout.residue_count() as u64;
        let length = layout.transform_length() as u64;
        let bytes = layout.bit_bytes();
        // exp(-2πi·r·exponent/denominator) for the eight residues r with even or odd j.
        let powers = |odd: u64, exponent: usize, denominator: u64| {
            ComplexVector::from_fn(|lane| {
                let residue = s + layout.groups as u64 * (2 * lane + odd);
                root(residue * exponent as u64, denominator)
            })
        };
        FirstStage {
            bytes,
            lookups: [0, 8 * s].map(|shift| {
                (0..8 * bytes as u64)
                    .step_by(8)
                    .map(|first| {
                        sum_selections(std::array::from_fn(|bit| {
                            root(s * (first + bit as u64) * WAYS as u64 + shift, residues)
                        }))
                    })
                    .collect()
            }),
            matrix: [0, 1].map(|odd| std::array::from_fn(|m0| powers(odd, m0, residues))),
            blocks: [0, 1].map(|odd| {
                (0..layout.piece)
                    .step_by(BLOCK)
                    .map(|t| powers(odd, t, length))
                    .collect()
            }),
            within: [0, 1].map(|odd| (0..BLOCK).map(|t| powers(odd, t, length)).collect()),
        }
    }

    /// Transforms the bits of one cut into `values`: even j, odd j.
    pub fn transform_bits(&self, bits: &[u8], values: &mut [Sequences; 2]) {
        let mut sums: Box<RowSums> = Box::new([[[Complex::default(); LANES]; BLOCK]; 2]);
        for (block, bits) in bits.chunks_exact(BLOCK * WAYS * self.bytes).enumerate() {
            match self.bytes {
                1 => look_up::<1>(&self.lookups, bits, &mut sums),
                _ => look_up::<2>(&self.lookups, bits, &mut sums),
            }
            for odd in 0..2 {
                multiply_block(self, odd, block, &sums[odd], &mut values[odd]);
            }
        }
    }
}

/// Adds up the factors that each byte selects.
fn sum_selections(factors: [Complex; 8]) -> Lookup {
    std::array::from_fn(|bits| {
        let mut sum = Complex::default();
        for (bit, factor) in factors.iter().enumerate() {
            if bits >> bit & 1 == 1 {
                sum = sum + *factor;
            }
        }
        sum
    })
}

/// Looks up the sums over m₁ of every column and stores, for each m₀ below 8, the sum with its partner m₀ + 8 for
/// even j and the difference for odd j.
fn look_up<const BYTES: usize>(lookups: &[Vec<Lookup>; 2], bits: &[u8], sums: &mut RowSums) {
    // Arrays of known length spare the checks of indices; `bit_bytes` made the tables that long.
    let (Some(lower), Some(upper)) = (
        lookups[0].first_chunk::<BYTES>(),
        lookups[1].first_chunk::<BYTES>(),
    ) else {
        return;
    };
    let [plus, minus] = sums;
    let rows = bits.as_chunks::<BLOCK>().0.as_chunks::<BYTES>().0;
    for ((m0, below), above) in (0..LANES).zip(rows).zip(&rows[LANES..]) {
        for t in 0..BLOCK {
            let a = look_up_column(lower, below, t);
            let b = look_up_column(upper, above, t);
            plus[t][m0] = a + b;
            minus[t][m0] = a - b;
        }
    }
}

#[inline(always)]
fn look_up_column<const BYTES: usize>(
    lookups: &[Lookup; BYTES],
    rows: &[[u8; BLOCK]; BYTES],
    t: usize,
) -> Complex {
    let mut sum = lookups[0][usize::from(rows[0][t])];
    for byte in 1..BYTES {
        sum = sum + lookups[byte][usize::from(rows[byte][t])];
    }
    sum
}

/// Computes `values[t] = within[t] · blocks[block] · Σ over m₀ of matrix[m₀]·sums[t][m₀]` for the columns t of a
/// block.
#[multiversion(targets("x86_64+avx512f+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
fn multiply_block(
    stage: &FirstStage,
    odd: usize,
    block: usize,
    sums: &[[Complex; LANES]; BLOCK],
    values: &mut Sequences,
) {
    if target_cfg_f!(any(target_feature = "fma", target_arch = "aarch64")) {
        multiply_by::<true>(stage, odd, block, sums, values);
    } else {
        multiply_by::<false>(stage, odd, block, sums, values);
    }
}

#[inline(always)]
fn multiply_by<const FUSED: bool>(
    stage: &FirstStage,
    odd: usize,
    block: usize,
    sums: &[[Complex; LANES]; BLOCK],
    values: &mut Sequences,
) {
    // The turn to the block's first column once a block instead of once a column.
    let turn = &stage.blocks[odd][block];
    // A loop, as what `map` calls is compiled without the target's instructions.
    let mut matrix = stage.matrix[odd];
    for factor in &mut matrix {
        *factor = factor.multiply::<FUSED>(turn);
    }
    let re = values.re[block * BLOCK..].iter_mut();
    let im = values.im[block * BLOCK..].iter_mut();
    for (((sums, within), re), im) in sums.iter().zip(&stage.within[odd]).zip(re).zip(im) {
        let mut y = ComplexVector::ZERO;
        for (m0, factor) in matrix.iter().enumerate() {
            let c = sums[m0];
            for l in 0..LANES {
                y.re[l] = mul_add::<FUSED>(c.re, factor.re[l], y.re[l]);
                y.im[l] = mul_add::<FUSED>(c.re, factor.im[l], y.im[l]);
            }
            // A loop of its own: a lane's two products wait for each other, those of eight lanes do not.
            for l in 0..LANES {
                y.re[l] = mul_add::<FUSED>(-c.im, factor.im[l], y.re[l]);
                y.im[l] = mul_add::<FUSED>(c.im, factor.re[l], y.im[l]);
            }
        }
        let y = y.multiply::<FUSED>(within);
        *re = y.re;
        *im = y.im;
    }
}
