//! Lag sums of distances that are sums of cuts, by autocorrelation: O(cuts · N log N) instead of O(N²).
//!
//! A *cut* splits the labels in two; it adds `w` to the distance of two ranks on different sides. With
//! z = ±1 for the sides, `d(i,j) = Σ_cuts w·(1 - z_i z_j)/2`, hence
//!
//! `lag[k] = Σ_cuts w·((N-k) - R[k])/2`, `R[k] = Σ_i z_i z_{i+k}`.
//!
//! R is an autocorrelation: the power spectra of all cuts are added up, and **one** inverse transform
//! gives Σ w·R. A path of n labels is n-1 cuts; an even ring n/2 half-ring cuts; an odd ring n cuts of
//! weight ½ (arcs of (n-1)/2); a clique n cuts of weight ½ (one label against the rest). Weights are
//! kept in halves, so that all is integer. A cut whose smaller side has m members costs m² directly, by
//! counting pairs of members: small cuts go that way.
//!
//! # Exactness
//!
//! The transform is in f64, the result is the nearest integer, and that is right as long as the absolute
//! error of Σ h·R (h the weights in halves) stays below ½. Let L be the transform's length, u = 2⁻⁵³ and
//! `‖·‖` the Euclidean norm.
//!
//! 1. Any FFT of length L that applies, to each value, at most log₂L stages of exact-arithmetic-unitary
//!    (up to scaling) butterflies with relative error at most η each, has
//!    `‖x̂_computed - x̂‖ ≤ ε·‖x̂‖`, `ε = (1+η)^{log₂L} - 1 ≤ 1.01·η·log₂L` (Higham, "Accuracy and
//!    Stability of Numerical Algorithms", 2002, theorem 24.2, for radix 2: η ≤ 2u + γ₄(√2+2u) < 9u).
//!    We take η = 64u for each factor of two, seven times that bound, to cover mixed-radix kernels and
//!    twiddles rounded twice. The first stage of [`spectrum`] sums up to 64 terms of modulus 1 in a row:
//!    each sum is off by at most γ₆₄·64 where its root mean square is at least 1, so by 64²u < 4100u of
//!    the norm, which is added to ε.
//! 2. For one cut, `‖x̂‖² = L·‖z‖² = L·N`. Its power spectrum P has
//!    `Σ|P_computed - P| ≤ (2ε + ε² + 4u)·L·N`. Adding C cuts with weights h, each sum rounded once, adds
//!    at most `C·u` relative. So the summed spectrum is off by at most
//!    `δ = (2ε + ε² + 4u + C·u)·L·N·H` in the 1-norm, H = Σ h.
//! 3. The inverse transform (divided by L) turns a 1-norm error δ of the spectrum into at most δ/L in every
//!    coefficient. Its own rounding is bounded coefficient by coefficient: in a Cooley-Tukey network every
//!    input reaches every output along one path of at most log₂L factors of modulus 1, so an output is off
//!    by at most `ε'·Σ|P|/L = ε'·N·H`, ε' as in 1. without the first stage of [`spectrum`]. A radix-3 stage
//!    (there is at most one) and the complex-to-real step have several paths, whose moduli add up to at most
//!    2 and √2: the sevenfold slack in η covers their product.
//!
//! Together: `error ≤ N·H·(3ε + ε² + 4u + C·u)`. At 100³ (N·H = 3·10⁸, L = 2²¹) that is 5.5·10⁻⁴; at
//! 215³ (N·H = 6.4·10⁹) 1.3·10⁻². [`error_bound`] is checked before anything is computed, and a sum
//! that fails it is split into groups of cuts that pass. Besides, every result must be divisible by the factors the algebra
//! gives it; that is asserted on every lag.

use rayon::prelude::*;
use realfft::RealFftPlanner;

use super::spectrum;
use super::terms::Term;
use crate::topology::distance::Shape;

/// One cut: the labels on one side, of a term, and its weight in halves.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    pub term: usize,
    pub inside: Side,
    pub halves: u32,
    /// Ranks on the smaller side.
    members: usize,
}

/// A set of labels: `from..from+count`, round the ring where it runs over the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    from: u32,
    count: u32,
    labels: u32,
}

impl Side {
    pub(super) fn contains(self, label: u32) -> bool {
        let above =
            if label >= self.from { label - self.from } else { label + self.labels - self.from };
        above < self.count
    }

    fn complement(self) -> Side {
        let from = (self.from + self.count) % self.labels;
        Side { from, count: self.labels - self.count, labels: self.labels }
    }
}

/// The cuts of all terms; each names the smaller side.
fn cuts(terms: &[&Term]) -> Vec<Cut> {
    let mut cuts = Vec::new();
    for (t, term) in terms.iter().enumerate() {
        let (axis, weight) = (term.labelling.axis, term.labelling.weight);
        let labels = axis.extent;
        let mut count = vec![0usize; labels as usize];
        term.labels.iter().for_each(|l| count[*l as usize] += 1);
        let all = term.labels.len();
        let mut add = |from: u32, width: u32, halves: u32| {
            let side = Side { from, count: width, labels };
            let inside: usize = (0..width).map(|i| count[((from + i) % labels) as usize]).sum();
            if inside > 0 && inside < all {
                let smaller = 2 * inside <= all;
                cuts.push(Cut {
                    term: t,
                    inside: if smaller { side } else { side.complement() },
                    halves: halves * weight,
                    members: inside.min(all - inside),
                });
            }
        };
        match axis.shape {
            Shape::Path => (1..labels).for_each(|width| add(0, width, 2)),
            Shape::Ring if labels % 2 == 0 => {
                (0..labels / 2).for_each(|from| add(from, labels / 2, 2))
            }
            Shape::Ring => (0..labels).for_each(|from| add(from, labels / 2, 1)),
            Shape::Clique if labels == 2 => add(0, 1, 2),
            Shape::Clique => (0..labels).for_each(|from| add(from, 1, 1)),
        }
    }
    cuts
}

/// Seconds on one core for a transform of length `length`, and for a direct cut of `members`: measured on
/// 2.x GHz server cores (see the reports); only their ratio matters, for the choice of method.
fn transform_cost(length: usize) -> f64 {
    1.1e-9 * length as f64 * (length as f64).log2() / 2.0
}

fn direct_cost(members: usize) -> f64 {
    0.45e-9 * (members as f64) * (members as f64)
}

/// The least length of the form 2^a or 3·2^a that holds all lags without wrap-around.
fn length_for(n: usize) -> usize {
    let least = 2 * n;
    let three = 3 * (least.div_ceil(3)).next_power_of_two();
    least.next_power_of_two().min(three).max(4)
}

/// What [`lag_sums`] would cost on one core, in seconds.
pub(super) fn cost(terms: &[&Term]) -> f64 {
    let n = terms.first().map_or(0, |t| t.labels.len());
    let transform = transform_cost(length_for(n));
    cuts(terms).iter().map(|c| direct_cost(c.members).min(transform)).sum()
}

/// The bound of the module's proof: how far from the truth a coefficient of Σ h·R may be.
fn error_bound(n: usize, halves: u64, cuts: usize, length: usize) -> f64 {
    let u = f64::EPSILON / 2.0;
    let epsilon = 1.01 * 64.0 * u * (length as f64).log2().ceil() + 4100.0 * u;
    n as f64 * halves as f64 * (3.0 * epsilon + epsilon * epsilon + (4.0 + cuts as f64) * u)
}

/// `lag[k] = Σ_i d(i, i+k)` for all k.
pub(super) fn lag_sums(terms: &[&Term]) -> Vec<u64> {
    let n = terms.first().map_or(0, |t| t.labels.len());
    let length = length_for(n);
    let threshold = transform_cost(length);
    let (direct, spectral): (Vec<Cut>, Vec<Cut>) =
        cuts(terms).into_iter().partition(|c| direct_cost(c.members) <= threshold);
    // In halves of a hop, so that all weights are whole.
    let mut halves = direct_lags(terms, &direct, n);
    // Groups of cuts whose sums are proved to round right; one group but on absurdly large machines.
    let mut rest = spectral.as_slice();
    while !rest.is_empty() {
        let mut weight = 0;
        let mut fits = |(i, cut): (usize, &Cut)| {
            weight += u64::from(cut.halves);
            i == 0 || error_bound(n, weight, i + 1, length) < 0.25
        };
        let group = rest.iter().enumerate().take_while(|c| fits(*c)).count();
        add_spectral_lags(terms, &rest[..group], n, length, &mut halves);
        rest = &rest[group..];
    }
    for lag in &mut halves {
        assert!(lag.is_multiple_of(2), "a sum of whole hops came out in halves");
        *lag /= 2;
    }
    halves
}

/// Twice the lag sums of cuts with few members: the pairs on different sides are the pairs with a member
/// at the lower end, plus those with one at the upper end, less twice those with both.
fn direct_lags(terms: &[&Term], cuts: &[Cut], n: usize) -> Vec<u64> {
    // members_below[r] = Σ over cuts of weight · members among the first r ranks.
    let mut weight_at = vec![0u64; n];
    // Clique cuts of one label are many: collect the members of all of a term's labels at once.
    let mut lists: Vec<(u32, Vec<u32>)> = Vec::new();
    for (t, term) in terms.iter().enumerate() {
        let labels = term.labelling.axis.extent as usize;
        let mut ranks: Vec<Vec<u32>> = Vec::new();
        for cut in cuts.iter().filter(|c| c.term == t) {
            if ranks.is_empty() {
                ranks = vec![Vec::new(); labels];
                term.labels.iter().enumerate().for_each(|(r, l)| ranks[*l as usize].push(r as u32));
            }
            let side = cut.inside;
            let mut members = Vec::with_capacity(cut.members);
            for i in 0..side.count {
                members.extend_from_slice(&ranks[((side.from + i) % side.labels) as usize]);
            }
            members.sort_unstable();
            members.iter().for_each(|r| weight_at[*r as usize] += u64::from(cut.halves));
            lists.push((cut.halves, members));
        }
    }
    let both = lists
        .par_chunks(lists.len().div_ceil(4 * rayon::current_num_threads()).max(1))
        .fold(
            || vec![0u64; n],
            |mut lag, chunk| {
                for (halves, members) in chunk {
                    for (i, a) in members.iter().enumerate() {
                        for b in &members[i + 1..] {
                            lag[(b - a) as usize] += u64::from(*halves);
                        }
                    }
                }
                lag
            },
        )
        .reduce_with(|mut a, b| {
            a.iter_mut().zip(&b).for_each(|(a, b)| *a += b);
            a
        })
        .unwrap_or_else(|| vec![0; n]);
    let mut below = vec![0u64; n + 1];
    for r in 0..n {
        below[r + 1] = below[r] + weight_at[r];
    }
    (0..n)
        .map(|k| match k {
            0 => 0,
            _ => below[n - k] + (below[n] - below[k]) - 2 * both[k],
        })
        .collect()
}

/// Adds twice the lag sums of `cuts` to `halves`: their power spectra, summed, and one transform back.
fn add_spectral_lags(terms: &[&Term], cuts: &[Cut], n: usize, length: usize, halves: &mut [u64]) {
    let power = spectrum::power(terms, cuts, n, length);
    let mut planner = RealFftPlanner::<f64>::new();
    let backward = planner.plan_fft_inverse(length);
    let mut spectrum = backward.make_input_vec();
    spectrum.iter_mut().zip(&power).for_each(|(x, p)| x.re = *p);
    drop(power);
    let mut correlation = backward.make_output_vec();
    backward
        .process(&mut spectrum, &mut correlation)
        .expect("a power spectrum has no imaginary part");
    let weight: i64 = cuts.iter().map(|c| i64::from(c.halves)).sum();
    for (k, lag) in halves.iter_mut().enumerate().skip(1) {
        let sum = (correlation[k] / length as f64).round() as i64;
        let double = weight * (n - k) as i64 - sum;
        let whole = double >= 0 && double % 2 == 0;
        assert!(whole, "an autocorrelation of signs has the parity of its length");
        *lag += (double / 2) as u64;
    }
}
