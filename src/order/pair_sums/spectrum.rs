//! Autocorrelation of many sets of ranks, summed up, in pieces that stay in cache.
//!
//! A set is a sequence b of zeros and ones, one for each rank. Its autocorrelation `R[k] = Σ_i b_i·b_{i+k}` counts
//! pairs of members k ranks apart: the set {0, 1, 3} has R = 3, 1, 1, 1. The transform of R is the power spectrum
//! |b̂|², so that the power spectra of all sets can be added up and transformed back together.
//!
//! One transform of length L = R·Q becomes R short ones of length Q ([`super::layout`]): the frequencies r, r+R,
//! r+2R, … are the transform of the sequence y_r that the first stage ([`super::first_stage`]) makes of b. In order:
//!
//! 1. For each group of sixteen residues, in parallel, and each set: bits → y_r → [`Fft`] → |·|², added up. All sets
//!    go through a group before the next, so that its factors and its part of the spectrum stay in the second-level
//!    cache.
//! 2. For each group, the short transforms back, then the last stage ([`LastStage`]), which sums over residues.
//! 3. Division by L and rounding to whole numbers.

use multiversion::multiversion;
use nodeorder_base::observer::unwind_if_stopped;
use rayon::prelude::*;

use super::cuts::Cut;
use super::fft::{Complex, ComplexVector, Fft, LANES, Sequences, Vector, root};
use super::first_stage::{FirstStage, gather_bits};
use super::layout::{Layout, WAYS};
use super::terms::Term;

/// Bytes of the cuts' bits that are kept at once; cuts beyond are taken in further batches.
const BIT_MEMORY: usize = 1 << 25;

/// Adds `Σ over cuts of halves · Σ_i b_i·b_{i+k}`, rounded to the nearest integer, to `sums[k]` for lags k = 0..n,
/// where b is 1 for the ranks inside the cut. Exact where the bound proved in [`super::transform`] is below ½. O(cuts
/// · L · log L) time; 4 bytes a frequency, as much again for the lags, the bits of at most [`BIT_MEMORY`] bytes of
/// cuts, and 16·Q·16 bytes a thread.
pub fn add_autocorrelation(terms: &[&Term], cuts: &[Cut], layout: Layout, sums: &mut [u64]) {
    let fft = Fft::new(layout.piece);
    let powers = sum_powers(terms, cuts, layout, &fft);
    let width = WAYS * layout.row_group_count();
    let mut lags = vec![0.0; layout.piece * width];
    let last = LastStage::new(layout);
    let mut groups = powers.into_iter().enumerate();
    loop {
        // As many groups at a time as there are threads: spectra of all would take twice the memory.
        let some: Vec<_> = groups.by_ref().take(rayon::current_num_threads()).collect();
        if some.is_empty() {
            break;
        }
        let spectra: Vec<(usize, [Sequences; 2])> = some
            .into_par_iter()
            .map(|(s, powers)| (s, powers.map(|power| transform_back(&fft, &power))))
            .collect();
        lags.par_chunks_mut(width).enumerate().for_each(|(t, out)| {
            let at = fft.position(t);
            for (s, values) in &spectra {
                last.add_group(*s, values, t, at, out);
            }
        });
    }
    let scale = layout.transform_length() as f64;
    sums.par_iter_mut().enumerate().for_each(|(k, sum)| {
        let lag = lags[(k % layout.piece) * width + k / layout.piece] / scale;
        *sum += lag.round() as u64;
    });
}

/// Adds up the power spectra of all cuts, times their weights: for each distinct group, those of even and odd j.
fn sum_powers(terms: &[&Term], cuts: &[Cut], layout: Layout, fft: &Fft) -> Vec<[Vec<Vector>; 2]> {
    let mut powers: Vec<[Vec<Vector>; 2]> = (0..layout.distinct_groups())
        .map(|_| [(); 2].map(|()| vec![[0.0; LANES]; layout.piece]))
        .collect();
    let batch = (BIT_MEMORY / (layout.piece * WAYS * layout.bit_bytes())).max(1);
    for cuts in cuts.chunks(batch) {
        let bits: Vec<Vec<u8>> = cuts
            .par_iter()
            .map(|cut| gather_bits(&terms[cut.term].labels, cut, layout))
            .collect();
        powers
            .par_iter_mut()
            .with_max_len(1)
            .enumerate()
            .for_each(|(group, powers)| {
                let stage = FirstStage::new(group, layout);
                let mut values = [(); 2].map(|()| Sequences::new(layout.piece));
                for (cut, bits) in cuts.iter().zip(&bits) {
                    unwind_if_stopped();
                    stage.transform_bits(bits, &mut values);
                    for (values, power) in values.iter_mut().zip(powers.iter_mut()) {
                        fft.run(values);
                        add_power(power, &values.re, &values.im, f64::from(cut.halves));
                    }
                }
            });
    }
    powers
}

/// Transforms the powers of one group back to columns, conjugated: a power spectrum is real, so that its transform
/// forward is the conjugate of the one back.
fn transform_back(fft: &Fft, power: &[Vector]) -> Sequences {
    let mut values = Sequences::new(power.len());
    for (f, re) in values.re.iter_mut().enumerate() {
        *re = power[fft.position(f)];
    }
    fft.run(&mut values);
    values
}

/// Adds `weight · |values[f]|²` to `power[f]`.
#[multiversion(targets("x86_64+avx512f+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
fn add_power(power: &mut [Vector], re: &[Vector], im: &[Vector], weight: f64) {
    for ((p, re), im) in power.iter_mut().zip(re).zip(im) {
        for l in 0..LANES {
            p[l] += weight * (re[l] * re[l] + im[l] * im[l]);
        }
    }
}

/// Factors of the last stage of the way back: from p_r, the conjugated short transforms of all groups' powers, to the
/// real parts of `Σ_r ω_L^{r·t} · ω_R^{r·m} · p_r[t]` for all rows m of one column t.
struct LastStage {
    layout: Layout,
    /// ω_16^{j·m₀}: for each j, all m₀.
    matrix: [[ComplexVector; 2]; WAYS],
    /// ω_R^{s·m} times 2 for groups that stand for their mirror image, too: for each s, all m.
    ends: Vec<[ComplexVector; 2]>,
}

impl LastStage {
    /// Computes the factors of the last stage for transforms of this layout.
    fn new(layout: Layout) -> Self {
        let groups = layout.groups as u64;
        let mut ends = Vec::new();
        for s in 0..layout.distinct_groups() as u64 {
            // Group 0 and, where their number is even, the middle one are their own mirror images.
            let weight = if s == 0 || 2 * s == groups { 1.0 } else { 2.0 };
            for m1 in 0..layout.row_group_count() {
                ends.push(lane_roots(|lane| {
                    let factor = root(s * (m1 * WAYS + lane) as u64, groups * WAYS as u64);
                    Complex {
                        re: weight * factor.re,
                        im: weight * factor.im,
                    }
                }));
            }
        }
        LastStage {
            layout,
            matrix: std::array::from_fn(|j| lane_roots(|m0| root((j * m0) as u64, WAYS as u64))),
            ends,
        }
    }

    /// Adds the part of group s to column t, which `values` hold at index `at`; `out[m]` is lag t + m·Q, times L.
    fn add_group(&self, s: usize, values: &[Sequences; 2], t: usize, at: usize, out: &mut [f64]) {
        let length = self.layout.transform_length() as u64;
        let mut sums = [ComplexVector::ZERO; 2];
        // ω_L^{r·t} of residue r = s + S·j, from one j to the next by a factor: the proof counts these roundings.
        let mut turn = root(s as u64 * t as u64, length);
        let step = root((self.layout.groups * t) as u64, length);
        for (j, matrix) in self.matrix.iter().enumerate() {
            let value = Complex {
                re: values[j % 2].re[at][j / 2],
                im: values[j % 2].im[at][j / 2],
            };
            let c = value.multiply(turn);
            turn = turn.multiply(step);
            for (sum, factor) in sums.iter_mut().zip(matrix) {
                for l in 0..LANES {
                    sum.re[l] += c.re * factor.re[l] - c.im * factor.im[l];
                    sum.im[l] += c.re * factor.im[l] + c.im * factor.re[l];
                }
            }
        }
        let steps = self.layout.row_group_count();
        let ends = self.ends[s * steps..][..steps].as_flattened();
        let out = out.as_chunks_mut::<LANES>().0.iter_mut();
        for ((out, end), sum) in out.zip(ends).zip(sums.iter().cycle()) {
            for (l, out) in out.iter_mut().enumerate() {
                *out += sum.re[l] * end.re[l] - sum.im[l] * end.im[l];
            }
        }
    }
}

/// Computes sixteen factors, eight a vector.
fn lane_roots(factor: impl Fn(usize) -> Complex) -> [ComplexVector; 2] {
    [0, LANES].map(|first| ComplexVector::from_fn(|lane| factor(first + lane as usize)))
}
