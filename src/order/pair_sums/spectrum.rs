//! The summed autocorrelation of many sets of ranks, in pieces that stay in cache.
//!
//! A zero-padded 0/1 sequence b of length L = R·Q is transformed residue by residue: the frequencies
//! r, r+R, r+2R, … are a transform of length Q of
//!
//! `y_r[t] = ω_L^{r·t} · Σ_m b[t + m·Q] · ω_R^{r·m}`,  t < Q.
//!
//! Sixteen residues s + S·j (S = R/16, j < 16) make a *group*. With m = 16·m₁ + m₀, ω_R^{(s+S·j)·m} is
//! `ω_S^{s·m₁} · ω_R^{s·m₀} · ω_16^{j·m₀}`: the sum over m₁ is the same for all sixteen and is looked up, eight
//! bits of b at a time; the sum over m₀ is a product with a 16×16 matrix, split once into even and odd j.
//! The results are sixteen sequences side by side, as [`Fft`] takes them.
//!
//! R is at most 512 and Q as short as that allows, so that a group stays in the second-level cache. All
//! sets go through one group before the next, so that the group's factors and its part of the spectrum stay
//! where they are; groups are independent and run in parallel. A real sequence has `P[L-f] = P[f]`: groups
//! up to S/2 are enough.

use multiversion::multiversion;
use multiversion::target::target_cfg_f;
use nodeorder_base::observer::pause;
use rayon::prelude::*;

use super::cuts::Cut;
use super::fft::{Complex, Fft, LANES, Vector, mul_add, root};
use super::terms::Term;

/// Residues a group.
const WAYS: usize = 2 * LANES;

/// Positions treated at once by the first stage.
const BLOCK: usize = 64;

/// Bytes of the cuts' bits that are kept at once; cuts beyond are taken in further batches.
const PATTERNS: usize = 1 << 25;

/// How a transform is cut into pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// Ranks.
    n: usize,
    /// Q: positions of a piece, a power of two.
    pub piece: usize,
    /// S: groups, mirror images included.
    pub groups: usize,
}

impl Layout {
    /// Most residues: with more, m₁ would have more bits than the two bytes that are looked up.
    const RESIDUES: usize = 512;

    /// The least length that holds all lags of `n` ranks without wrap-around, in pieces as above.
    pub(super) fn new(n: usize) -> Self {
        let piece = (2 * n)
            .div_ceil(Self::RESIDUES)
            .next_power_of_two()
            .max(BLOCK);
        Layout {
            n,
            piece,
            groups: (2 * n).div_ceil(WAYS * piece).max(1),
        }
    }

    /// L.
    pub(super) fn length(self) -> usize {
        WAYS * self.groups * self.piece
    }

    /// Number of m with m·Q below n.
    pub(super) fn turns(self) -> usize {
        self.n.div_ceil(self.piece)
    }

    /// Number of values of m₁.
    fn steps(self) -> usize {
        self.turns().div_ceil(WAYS)
    }

    /// Bytes that hold the bits of one m₀.
    fn bytes(self) -> usize {
        self.steps().div_ceil(8)
    }

    /// Groups that are not the mirror image of a lower one.
    pub(super) fn half(self) -> usize {
        self.groups / 2 + 1
    }
}

/// Adds `Σ over cuts of halves · Σ_i b_i·b_{i+k}`, rounded to the nearest integer, to `sums[k]` for lags k = 0..n, where
/// b is 1 for the ranks inside the cut. Exact where the bound proved in [`super::transform`] is below ½. O(cuts · L ·
/// log L) time; 4 bytes a frequency, as much again for the lags, the bits of at most [`PATTERNS`] bytes of cuts, and
/// 16·Q·16 bytes a thread.
pub(super) fn add_autocorrelation(terms: &[&Term], cuts: &[Cut], layout: Layout, sums: &mut [u64]) {
    let fft = Fft::new(layout.piece);
    let mut powers: Vec<[Vec<Vector>; 2]> = (0..layout.half())
        .map(|_| [(); 2].map(|()| vec![[0.0; LANES]; layout.piece]))
        .collect();
    let batch = (PATTERNS / (layout.piece * WAYS * layout.bytes())).max(1);
    for cuts in cuts.chunks(batch) {
        let patterns: Vec<Vec<u8>> = cuts
            .par_iter()
            .map(|cut| pattern(&terms[cut.term].labels, cut, layout))
            .collect();
        powers
            .par_iter_mut()
            .with_max_len(1)
            .enumerate()
            .for_each(|(group, powers)| {
                let stage = Stage::new(group, layout);
                let mut values = [Spectrum::new(layout.piece), Spectrum::new(layout.piece)];
                for (cut, pattern) in cuts.iter().zip(&patterns) {
                    pause();
                    stage.apply(pattern, &mut values);
                    for (values, power) in values.iter_mut().zip(powers.iter_mut()) {
                        fft.run(&mut values.re, &mut values.im);
                        add_power(power, &values.re, &values.im, f64::from(cut.halves));
                    }
                }
            });
    }
    // Back to positions: a power spectrum is real, so that its transform forward is the one back,
    // conjugated. As many groups at a time as there are threads.
    let back = |power: Vec<Vector>| {
        let re = (0..layout.piece).map(|f| power[fft.position(f)]).collect();
        let mut values = Spectrum {
            re,
            im: vec![[0.0; LANES]; layout.piece],
        };
        fft.run(&mut values.re, &mut values.im);
        values
    };
    let width = WAYS * layout.steps();
    let mut lags = vec![0.0; layout.piece * width];
    let last = Last::new(layout);
    let mut groups = powers.into_iter().enumerate();
    loop {
        let some: Vec<_> = groups.by_ref().take(rayon::current_num_threads()).collect();
        if some.is_empty() {
            break;
        }
        let spectra: Vec<(usize, [Spectrum; 2])> = some
            .into_par_iter()
            .map(|(s, powers)| (s, powers.map(back)))
            .collect();
        lags.par_chunks_mut(width).enumerate().for_each(|(t, out)| {
            let at = fft.position(t);
            spectra
                .iter()
                .for_each(|(s, values)| last.add(*s, values, t, at, out));
        });
    }
    let scale = layout.length() as f64;
    let lag = |k: usize| (lags[(k % layout.piece) * width + k / layout.piece] / scale).round();
    sums.par_iter_mut()
        .enumerate()
        .for_each(|(k, sum)| *sum += lag(k) as u64);
}

/// Eight sequences of complex numbers.
struct Spectrum {
    re: Vec<Vector>,
    im: Vec<Vector>,
}

impl Spectrum {
    fn new(length: usize) -> Self {
        Spectrum {
            re: vec![[0.0; LANES]; length],
            im: vec![[0.0; LANES]; length],
        }
    }
}

/// The bits of a cut in the order in which the first stage reads them: by block of positions, then m₀, then byte of m₁,
/// one byte for each position.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl", "x86_64+avx2", "aarch64+neon"))]
fn pattern(labels: &[u32], cut: &Cut, layout: Layout) -> Vec<u8> {
    let bytes = layout.bytes();
    let mut pattern = vec![0u8; layout.piece * WAYS * bytes];
    for (row, out) in pattern.chunks_exact_mut(BLOCK).enumerate() {
        let (block, m0, byte) = (row / (WAYS * bytes), row / bytes % WAYS, row % bytes);
        for bit in 0..8 {
            let m = WAYS * (8 * byte + bit) + m0;
            let start = (m * layout.piece + block * BLOCK).min(labels.len());
            let end = (start + BLOCK).min(labels.len());
            cut.inside
                .mark(&labels[start..end], 1 << bit, &mut out[..end - start]);
        }
    }
    pattern
}

/// Sums of up to eight factors, for every value of the byte that selects them.
type Lookup = [Complex; 256];

/// A factor for each of eight sequences.
#[derive(Clone, Copy)]
struct Factor {
    re: Vector,
    im: Vector,
}

impl Factor {
    fn new(factor: impl Fn(u64) -> Complex) -> Self {
        let all: [Complex; LANES] = std::array::from_fn(|lane| factor(lane as u64));
        Factor {
            re: all.map(|c| c.re),
            im: all.map(|c| c.im),
        }
    }

    #[inline(always)]
    fn times<const FUSED: bool>(&self, other: &Factor) -> Factor {
        let mut product = Factor {
            re: [0.0; LANES],
            im: [0.0; LANES],
        };
        for l in 0..LANES {
            let (x, y) = (self.re[l], self.im[l]);
            product.re[l] = mul_add::<FUSED>(x, other.re[l], -(y * other.im[l]));
            product.im[l] = mul_add::<FUSED>(x, other.im[l], y * other.re[l]);
        }
        product
    }
}

/// The first stage of one group: from bits to the sixteen y_r.
struct Stage {
    bytes: usize,
    /// For the lower and the upper eight of m₀: lookups of Σ over m₁ of ω_S^{s·m₁}, the upper times
    /// ω_R^{8s}.
    lookups: [Vec<Lookup>; 2],
    /// For even and odd j, for each m₀ below 8: ω_R^{r·m₀} of the eight residues r. The upper eight of m₀ differ by a sign
    /// and by the factor that is in the upper lookups.
    matrix: [[Factor; LANES]; 2],
    /// ω_L^{r·t} for the first position of each block.
    blocks: [Vec<Factor>; 2],
    /// ω_L^{r·t} for t within a block.
    within: [Vec<Factor>; 2],
}

impl Stage {
    fn new(group: usize, layout: Layout) -> Self {
        let (s, groups, length) = (group as u64, layout.groups as u64, layout.length() as u64);
        let residues = groups * WAYS as u64;
        let lookups = [0, 8 * s].map(|shift| {
            let of_byte = |byte: usize| -> Lookup {
                let factor = |bit: usize| {
                    let m1 = (8 * byte + bit) as u64;
                    root(s * m1 * WAYS as u64 + shift, residues)
                };
                let factors: [Complex; 8] = std::array::from_fn(factor);
                std::array::from_fn(|bits| {
                    let mut sum = Complex::default();
                    for (bit, factor) in factors.iter().enumerate() {
                        if bits >> bit & 1 == 1 {
                            sum = Complex {
                                re: sum.re + factor.re,
                                im: sum.im + factor.im,
                            };
                        }
                    }
                    sum
                })
            };
            (0..layout.bytes()).map(of_byte).collect()
        });
        let residue = |odd: u64, lane: u64| s + groups * (2 * lane + odd);
        let twiddles = |step: usize, count: usize| {
            [0, 1].map(|odd| {
                let at =
                    |t: usize| Factor::new(|l| root(residue(odd, l) * (step * t) as u64, length));
                (0..count).map(at).collect::<Vec<_>>()
            })
        };
        Stage {
            bytes: layout.bytes(),
            lookups,
            matrix: [0, 1].map(|odd| {
                std::array::from_fn(|m0| {
                    Factor::new(|lane| root(residue(odd, lane) * m0 as u64, residues))
                })
            }),
            blocks: twiddles(BLOCK, layout.piece / BLOCK),
            within: twiddles(1, BLOCK),
        }
    }

    /// Transforms the bits of `pattern` into `values`, even j first.
    fn apply(&self, pattern: &[u8], values: &mut [Spectrum; 2]) {
        let mut sums = Box::new([[[Complex::default(); LANES]; BLOCK]; 2]);
        for (b, pattern) in pattern.chunks_exact(BLOCK * WAYS * self.bytes).enumerate() {
            match self.bytes {
                1 => look_up::<1>(&self.lookups, pattern, &mut sums),
                _ => look_up::<2>(&self.lookups, pattern, &mut sums),
            }
            for (odd, values) in values.iter_mut().enumerate() {
                let (at, end) = (b * BLOCK, (b + 1) * BLOCK);
                let (re, im) = (&mut values.re[at..end], &mut values.im[at..end]);
                let (matrix, within) = (&self.matrix[odd], &self.within[odd]);
                multiply(matrix, &self.blocks[odd][b], within, &sums[odd], re, im);
            }
        }
    }
}

/// For each position: eight sums over m₁ plus their partners eight above, and minus them.
fn look_up<const BYTES: usize>(
    lookups: &[Vec<Lookup>; 2],
    pattern: &[u8],
    sums: &mut [[[Complex; LANES]; BLOCK]; 2],
) {
    let [lower, upper] = lookups;
    let (Some(lower), Some(upper)) = (lower.first_chunk::<BYTES>(), upper.first_chunk::<BYTES>())
    else {
        return;
    };
    let [plus, minus] = sums;
    let (rows, _) = pattern.as_chunks::<BLOCK>();
    let (below, above) = rows.split_at(LANES * BYTES);
    for m0 in 0..LANES {
        let (Some(a), Some(b)) = (
            below[m0 * BYTES..].first_chunk::<BYTES>(),
            above[m0 * BYTES..].first_chunk::<BYTES>(),
        ) else {
            return;
        };
        for t in 0..BLOCK {
            let sum = |lookups: &[Lookup; BYTES], rows: &[[u8; BLOCK]; BYTES]| {
                let mut sum = lookups[0][usize::from(rows[0][t])];
                for byte in 1..BYTES {
                    let more = lookups[byte][usize::from(rows[byte][t])];
                    sum = Complex {
                        re: sum.re + more.re,
                        im: sum.im + more.im,
                    };
                }
                sum
            };
            let (a, b) = (sum(lower, a), sum(upper, b));
            plus[t][m0] = Complex {
                re: a.re + b.re,
                im: a.im + b.im,
            };
            minus[t][m0] = Complex {
                re: a.re - b.re,
                im: a.im - b.im,
            };
        }
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
fn multiply(
    matrix: &[Factor; LANES],
    turn: &Factor,
    within: &[Factor],
    sums: &[[Complex; LANES]; BLOCK],
    re: &mut [Vector],
    im: &mut [Vector],
) {
    if target_cfg_f!(any(target_feature = "fma", target_arch = "aarch64")) {
        multiply_by::<true>(matrix, turn, within, sums, re, im);
    } else {
        multiply_by::<false>(matrix, turn, within, sums, re, im);
    }
}

/// `(re, im)[t] = within[t] · turn · Σ over m₀ of matrix[m₀]·sums[t][m₀]`.
#[inline(always)]
fn multiply_by<const FUSED: bool>(
    matrix: &[Factor; LANES],
    turn: &Factor,
    within: &[Factor],
    sums: &[[Complex; LANES]; BLOCK],
    re: &mut [Vector],
    im: &mut [Vector],
) {
    let mut matrix = *matrix;
    for factor in &mut matrix {
        *factor = factor.times::<FUSED>(turn);
    }
    for (((sums, within), re), im) in sums.iter().zip(within).zip(re).zip(im) {
        let mut y = Factor {
            re: [0.0; LANES],
            im: [0.0; LANES],
        };
        for (c, factor) in sums.iter().zip(&matrix) {
            for l in 0..LANES {
                y.re[l] = mul_add::<FUSED>(c.re, factor.re[l], y.re[l]);
                y.im[l] = mul_add::<FUSED>(c.re, factor.im[l], y.im[l]);
            }
            for l in 0..LANES {
                y.re[l] = mul_add::<FUSED>(-c.im, factor.im[l], y.re[l]);
                y.im[l] = mul_add::<FUSED>(c.im, factor.re[l], y.im[l]);
            }
        }
        let y = y.times::<FUSED>(within);
        (*re, *im) = (y.re, y.im);
    }
}

/// `power[f] += weight · |values[f]|²`.
#[multiversion(targets("x86_64+avx512f+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
fn add_power(power: &mut [Vector], re: &[Vector], im: &[Vector], weight: f64) {
    for ((p, re), im) in power.iter_mut().zip(re).zip(im) {
        for l in 0..LANES {
            p[l] += weight * (re[l] * re[l] + im[l] * im[l]);
        }
    }
}

/// The last stage of the way back: from the transforms of all groups' powers, conjugated, to the real parts
/// of `Σ_r ω_L^{r·t} · ω_R^{r·m} · p_r[t]` for all m at one position t.
struct Last {
    layout: Layout,
    /// ω_16^{j·m₀}: for each j, all m₀.
    matrix: [[Factor; 2]; WAYS],
    /// ω_R^{s·m} times 2 for groups that stand for their mirror image, too: for each s, all m.
    ends: Vec<[Factor; 2]>,
}

impl Last {
    fn new(layout: Layout) -> Self {
        let factor = |j: usize, half: u64| {
            let m0 = |lane: u64| half * LANES as u64 + lane;
            Factor::new(|lane| root(j as u64 * m0(lane), WAYS as u64))
        };
        let (groups, steps) = (layout.groups as u64, layout.steps() as u64);
        let end = |s: u64, m: u64| {
            let weight = if s == 0 || 2 * s == groups { 1.0 } else { 2.0 };
            let factor = root(s * m, groups * WAYS as u64);
            Complex {
                re: weight * factor.re,
                im: weight * factor.im,
            }
        };
        let ends = |i: u64| {
            let (s, m) = (i / steps, i % steps * WAYS as u64);
            [m, m + LANES as u64].map(|m| Factor::new(|lane| end(s, m + lane)))
        };
        Last {
            layout,
            matrix: std::array::from_fn(|j| [factor(j, 0), factor(j, 1)]),
            ends: (0..layout.half() as u64 * steps).map(ends).collect(),
        }
    }

    /// Adds the part of group s, whose spectra hold position t at index `at`; `out[m]` is lag t + m·Q, times L.
    fn add(&self, s: usize, values: &[Spectrum; 2], t: usize, at: usize, out: &mut [f64]) {
        let (groups, length) = (self.layout.groups as u64, self.layout.length() as u64);
        let steps = self.layout.steps();
        let ends = &self.ends[s * steps..(s + 1) * steps];
        let mut sums = [Factor {
            re: [0.0; LANES],
            im: [0.0; LANES],
        }; 2];
        let (mut turn, step) = (
            root(s as u64 * t as u64, length),
            root(groups * t as u64, length),
        );
        for (j, matrix) in self.matrix.iter().enumerate() {
            let (re, im) = (&values[j % 2].re[at], &values[j % 2].im[at]);
            let c = Complex {
                re: re[j / 2],
                im: im[j / 2],
            }
            .times(turn);
            turn = turn.times(step);
            for (sum, factor) in sums.iter_mut().zip(matrix) {
                for l in 0..LANES {
                    sum.re[l] += c.re * factor.re[l] - c.im * factor.im[l];
                    sum.im[l] += c.re * factor.im[l] + c.im * factor.re[l];
                }
            }
        }
        let (out, _) = out.as_chunks_mut::<LANES>();
        for ((out, end), sum) in out
            .iter_mut()
            .zip(ends.as_flattened())
            .zip(sums.iter().cycle())
        {
            for (l, out) in out.iter_mut().enumerate() {
                *out += sum.re[l] * end.re[l] - sum.im[l] * end.im[l];
            }
        }
    }
}
