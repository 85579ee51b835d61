//! The summed power spectra of many cuts, in pieces that stay in cache.
//!
//! A zero-padded sequence z of length L = R·Q is transformed residue by residue: the frequencies r, r+R,
//! r+2R, … are a transform of length Q of
//!
//! `y_r[t] = ω_L^{r·t} · Σ_m z[t + m·Q] · ω_R^{r·m}`,  t < Q.
//!
//! Q is chosen so that one y_r and its spectrum fit the second-level cache. The sum over m (at most R/2
//! terms, the rest is padding) is looked up, not computed: the signs z[t + m·Q] of one t are the bits of a
//! word, eight at a time. All cuts go through one residue before the next, so that its twiddles and its
//! part of the spectrum stay where they are; residues are independent and run in parallel.
//! A real sequence has `P[L-f] = P[f]`: residues up to R/2 tell all.

use multiversion::multiversion;
use rayon::prelude::*;
use rustfft::FftPlanner;
use rustfft::num_complex::Complex64;

use super::terms::Term;
use super::transform::Cut;

/// Residue count for a transform of `length`, `length / residues` being small enough for the cache, and
/// the signs of one position few enough for a word.
fn residues(length: usize) -> usize {
    let mut residues = 2;
    // 64 residues: 32 signs a position. Pieces of up to 2^15 (half a megabyte) where that allows.
    while residues < 64
        && (length / residues > 1 << 15 || residues < 16)
        && length.is_multiple_of(2 * residues)
    {
        residues *= 2;
    }
    residues
}

/// `Σ over cuts of halves · |ẑ(f)|²` for the frequencies f = 0..=length/2, where z is the cut's sides as
/// ±1, padded with zeros from `n` to `length` ≥ 2n.
pub(super) fn power(terms: &[&Term], cuts: &[Cut], n: usize, length: usize) -> Vec<f64> {
    let residues = residues(length);
    let piece = length / residues;
    let patterns: Vec<Vec<u32>> =
        cuts.par_iter().map(|cut| pattern(terms[cut.term], cut, n, piece)).collect();
    let fft = FftPlanner::<f64>::new().plan_fft_forward(piece);
    let parts: Vec<Vec<f64>> = (0..=residues / 2)
        .into_par_iter()
        .map(|r| {
            let stage = Stage::new(r, residues, length, n);
            let mut values = vec![Complex64::ZERO; piece];
            let mut scratch = vec![Complex64::ZERO; fft.get_inplace_scratch_len()];
            let mut power = vec![0.0; piece];
            for (cut, pattern) in cuts.iter().zip(&patterns) {
                stage.apply(pattern, &mut values);
                fft.process_with_scratch(&mut values, &mut scratch);
                add_power(&mut power, &values, f64::from(cut.halves));
            }
            power
        })
        .collect();
    // Frequency f = r + R·k; the residues above R/2 are mirror images.
    (0..=length / 2)
        .map(|f| match f % residues {
            r if r <= residues / 2 => parts[r][f / residues],
            r => parts[residues - r][(length - f) / residues],
        })
        .collect()
}

/// For every position t below `piece`, bit m tells the side of rank t + m·piece.
fn pattern(term: &Term, cut: &Cut, n: usize, piece: usize) -> Vec<u32> {
    let inside: Vec<u32> =
        (0..term.labelling.axis.extent).map(|l| u32::from(cut.inside.contains(l))).collect();
    let mut pattern = vec![0u32; piece];
    for (m, labels) in term.labels[..n].chunks(piece).enumerate() {
        for (bits, label) in pattern.iter_mut().zip(labels) {
            *bits |= inside[*label as usize] << m;
        }
    }
    pattern
}

/// A sum of up to eight signs times their factors, for every value of the byte that holds the signs.
type Lookup = [Complex64; 256];

/// The first stage of one residue: from patterns to y_r.
struct Stage {
    /// `ω_L^{r·t}` for all t.
    twiddles: Vec<Complex64>,
    /// Lookups where all terms count, and where the last has run out of ranks.
    full: Box<[Lookup; 4]>,
    short: Box<[Lookup; 4]>,
    /// Positions below this have all terms.
    full_until: usize,
}

impl Stage {
    fn new(r: usize, residues: usize, length: usize, n: usize) -> Self {
        let piece = length / residues;
        let turns = n.div_ceil(piece);
        // Angles are reduced in integers: every factor is a sine and cosine rounded once.
        let root = |numerator: usize, denominator: usize| {
            let angle = (numerator % denominator) as f64 / denominator as f64;
            Complex64::cis(-std::f64::consts::TAU * angle)
        };
        let lookups = |terms: usize| {
            Box::new(std::array::from_fn(|byte| {
                std::array::from_fn(|bits| {
                    let signed = |m: usize| {
                        let factor = root(r * m, residues);
                        if bits >> (m - 8 * byte) & 1 == 1 { factor } else { -factor }
                    };
                    (8 * byte..terms.min(8 * byte + 8)).map(signed).sum()
                })
            }))
        };
        Stage {
            twiddles: (0..piece).map(|t| root(r * t, length)).collect(),
            full: lookups(turns),
            short: lookups(turns - 1),
            full_until: n - (turns - 1) * piece,
        }
    }

    fn apply(&self, pattern: &[u32], values: &mut [Complex64]) {
        let (low, high) = values.split_at_mut(self.full_until);
        let (low_bits, high_bits) = pattern.split_at(self.full_until);
        let (low_twiddles, high_twiddles) = self.twiddles.split_at(self.full_until);
        look_up(&self.full, low, low_bits, low_twiddles);
        look_up(&self.short, high, high_bits, high_twiddles);
    }
}

/// `values[t] = twiddles[t] · Σ over bytes of the byte's lookup`.
#[multiversion(targets("x86_64+avx2+fma", "x86_64+avx+fma"))]
fn look_up(
    lookups: &[Lookup; 4],
    values: &mut [Complex64],
    patterns: &[u32],
    twiddles: &[Complex64],
) {
    let [a, b, c, d] = lookups;
    for ((value, bits), twiddle) in values.iter_mut().zip(patterns).zip(twiddles) {
        let [w, x, y, z] = bits.to_le_bytes().map(usize::from);
        *value = ((a[w] + b[x]) + (c[y] + d[z])) * twiddle;
    }
}

/// `power[f] += weight · |values[f]|²`.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2+fma", "aarch64+neon"))]
fn add_power(power: &mut [f64], values: &[Complex64], weight: f64) {
    for (p, x) in power.iter_mut().zip(values) {
        *p += weight * (x.re * x.re + x.im * x.im);
    }
}
