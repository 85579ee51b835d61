//! Lag sums of distances that are sums of cuts, by autocorrelation: O(cuts · N log N) instead of O(N²).
//!
//! A *cut* ([`super::cuts`]) adds its weight `w` to the distance of two ranks on different sides. With b = 1 for the
//! ranks on its smaller side and 0 for the others, `d(i,j) = Σ_cuts w·(b_i + b_j - 2·b_i·b_j)`, hence
//!
//! `lag[k] = Σ_cuts w·(Σ_{i<N-k} b_i + Σ_{i≥k} b_i - 2·R[k])`, `R[k] = Σ_i b_i·b_{i+k}`.
//!
//! The first two sums are prefix sums. R is an autocorrelation: [`super::spectrum`] finds Σ w·R of all cuts
//! with **one** transform back.
//!
//! Ranks 0, 1, 2, 3 on a path of four labels: its cuts `0|123`, `01|23`, `012|3` have b = 1000, 1100, 0001. At lag k
//! = 1 the members at lower ends number 1 + 2 + 0, those at upper ends 0 + 1 + 1, pairs of members 0 + 1 + 0: `lag[1]
//! = 3 + 2 - 2·1 = 3`, the three steps of one hop.
//!
//! A cut whose smaller side has m members costs m² directly, by counting pairs of members: small cuts go that way.
//!
//! # Exactness
//!
//! The transform is in f64, the result is the nearest integer, and that is right as long as the absolute
//! error of Σ h·R (h the weights in halves) stays below ½. Let L = R·Q be the transform's length, in R residues
//! of Q positions, u = 2⁻⁵³, `‖·‖` the Euclidean norm, and m the members of a cut, so that `‖b‖² = m` and
//! `‖b̂‖² = L·m`.
//!
//! 1. A root of unity is off by less than 21u: its angle, up to 2π, is rounded three times, its cosine and
//!    sine once each.
//! 2. First stage ([`super::first_stage`]): a value sums c factors of modulus 1, c being the members at its position.
//!    Each passes fewer than 128 roundings' worth of error: four roots (84u), 7 + 1 + 1 additions of looked-up
//!    sums, 16 in the product with the matrix, two complex products (3u each). So a value is off by at most
//!    128u·c. There are R values a position; their squared error adds up to
//!    `(128u)²·R·Σ c² ≤ (128u)²·R·T·m`, where T, the positions' largest c possible, is ⌈N/Q⌉. Their squared norm
//!    is R·m: the relative error is at most 128u·√T.
//! 3. A transform of length Q in log₂Q stages of butterflies that are unitary up to scaling, each with
//!    relative error at most η, multiplies `1 + η` into the error log₂Q times (Higham, "Accuracy and
//!    Stability of Numerical Algorithms", 2002, theorem 24.2: η ≤ μ + γ₄(√2 + μ) with roots off by μ, here
//!    less than 28u). We take η = 64u. Together: `‖b̂_computed - b̂‖ ≤ ε·‖b̂‖`,
//!    `ε = 1.01·64u·log₂Q + 128u·√T + 512u` (the last for step 5).
//! 4. A cut's power spectrum P has `Σ|P_computed - P| ≤ (2ε + ε² + 4u)·L·m`. Adding C cuts with weights h,
//!    each sum rounded once, adds at most C·u relative. So the summed spectrum is off by at most
//!    `(2ε + ε² + 4u + C·u)·L·M` in the 1-norm, M = Σ h·m.
//! 5. The way back (divided by L) turns a 1-norm error of the spectrum into at most its L-th part in every
//!    coefficient. Its own rounding is bounded coefficient by coefficient: in a Cooley-Tukey network every
//!    input reaches every output along one path of factors of modulus 1, so that an output is off by at most
//!    `ε'·Σ|P|/L = ε'·M`, ε' being the error of a path. The transform of length Q has at most 64u for each
//!    factor of two, as in 3.; what follows it has less than 512u: fifteen steps of a recurrence for
//!    ω_L^{r·t} (24u each), four roots, and sums of 16 and of at most 17 terms. Hence ε' ≤ ε.
//!
//! Together: `error ≤ M·(3ε + ε² + 4u + C·u)`. At 100³ (M = 1.5·10⁸, Q = 2¹²) that is 1.7·10⁻⁴; at 215³
//! (M = 3.2·10⁹, Q = 2¹⁶) 3.4·10⁻³. [`error_bound`] is checked before anything is computed, and a sum that
//! fails it is split into groups of cuts that pass. Besides, every lag must be a whole number of hops;
//! that is asserted.

use nodeorder_base::observer::unwind_if_stopped;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::cuts::{Cut, list_cuts};
use super::layout::Layout;
use super::spectrum::add_autocorrelation;
use super::sums::add_sums;
use super::terms::{Term, group_by_label};

/// Seconds on one core for a value of a transform, measured on 2.x GHz server cores (see the reports). Only the ratio
/// to [`DIRECT_SECONDS`] matters, for the choice of method.
const TRANSFORM_SECONDS: f64 = 0.1e-9;

/// Seconds on one core for each squared member of a cut whose pairs are counted one by one.
const DIRECT_SECONDS: f64 = 0.45e-9;

/// Largest [`error_bound`]: half of the error that rounding to the nearest integer still corrects.
const TOLERANCE: f64 = 0.25;

/// Estimates the seconds on one core of one cut's transform along `n` ranks.
fn transform_seconds(n: usize) -> f64 {
    let length = Layout::new(n).transform_length() as f64;
    TRANSFORM_SECONDS * length * (10.0 + length.log2())
}

/// Estimates the seconds on one core of counting the pairs of members of a cut.
fn direct_seconds(cut: &Cut) -> f64 {
    DIRECT_SECONDS * cut.members as f64 * cut.members as f64
}

/// Estimates the seconds of [`lag_sums`] on one core.
pub fn estimate_seconds(term: &Term) -> f64 {
    let transform = transform_seconds(term.labels.len());
    list_cuts(&[term])
        .iter()
        .map(|cut| direct_seconds(cut).min(transform))
        .sum()
}

/// Computes the largest error of a coefficient of Σ h·R by the module's proof, for `cuts` cuts whose weights times
/// members add up to `mass`.
fn error_bound(mass: f64, cuts: usize, layout: Layout) -> f64 {
    let u = f64::EPSILON / 2.0;
    let stages = f64::from(layout.piece.trailing_zeros());
    let epsilon = (1.01 * 64.0 * stages + 128.0 * (layout.row_count() as f64).sqrt() + 512.0) * u;
    mass * (3.0 * epsilon + epsilon * epsilon + (4.0 + cuts as f64) * u)
}

/// Counts the first cuts whose common sum stays within the tolerance; at least one.
fn count_within_tolerance(cuts: &[Cut], layout: Layout, tolerance: f64) -> usize {
    let mut mass = 0.0;
    for (i, cut) in cuts.iter().enumerate() {
        mass += f64::from(cut.halves) * cut.members as f64;
        if error_bound(mass, i + 1, layout) >= tolerance {
            return i.max(1);
        }
    }
    cuts.len()
}

/// Computes `lag[k] = Σ_i d(i, i+k)` for all k along `n` ranks.
pub fn lag_sums(terms: &[&Term], n: usize) -> Vec<u64> {
    let threshold = transform_seconds(n);
    lag_sums_by(terms, n, |cut| direct_seconds(cut) <= threshold, TOLERANCE)
}

/// Computes [`lag_sums`]; `directly` chooses the cuts that are counted pair by pair, `tolerance` is the largest error
/// bound of a transform.
fn lag_sums_by(
    terms: &[&Term],
    n: usize,
    directly: impl Fn(&Cut) -> bool,
    tolerance: f64,
) -> Vec<u64> {
    let cuts = list_cuts(terms);
    let members = prefix_members(terms, &cuts, n);
    let (direct, spectral): (Vec<Cut>, Vec<Cut>) = cuts.into_iter().partition(directly);
    // Pairs with both ranks among a cut's members, by lag, times halves.
    let mut both = count_member_pairs(terms, &direct, n);
    let layout = Layout::new(n);
    let mut rest = spectral.as_slice();
    while !rest.is_empty() {
        let (group, later) = rest.split_at(count_within_tolerance(rest, layout, tolerance));
        add_autocorrelation(terms, group, layout, &mut both);
        rest = later;
    }
    // A cut parts the pairs with exactly one member: those with a member at the lower end, plus those with one at the
    // upper end, less twice those with both.
    both.par_iter_mut().enumerate().for_each(|(k, both)| {
        if k == 0 {
            *both = 0;
            return;
        }
        let one = members[n - k] + (members[n] - members[k]);
        let halves = one.checked_sub(2 * *both).filter(|h| h.is_multiple_of(2));
        assert!(
            halves.is_some(),
            "a sum of hops at lag {k} came out negative or in halves"
        );
        *both = halves.unwrap_or(0) / 2;
    });
    both
}

/// Computes, for r = 0..=n, Σ over cuts of halves · members among the first r ranks.
fn prefix_members(terms: &[&Term], cuts: &[Cut], n: usize) -> Vec<u64> {
    // By term and label: the halves of the cuts that have the label inside.
    let mut weights: Vec<Vec<u64>> = terms
        .iter()
        .map(|term| vec![0; term.labelling.axis.extent as usize])
        .collect();
    for cut in cuts {
        for label in cut.side.labels() {
            weights[cut.term][label] += u64::from(cut.halves);
        }
    }
    let mut members = vec![0u64; n + 1];
    members[1..]
        .par_iter_mut()
        .enumerate()
        .for_each(|(rank, own)| {
            for (term, weights) in terms.iter().zip(&weights) {
                *own += weights[term.labels[rank] as usize];
            }
        });
    for r in 0..n {
        members[r + 1] += members[r];
    }
    members
}

/// Computes `Σ over cuts of halves · Σ_i b_i·b_{i+k}` for cuts with few members, pair by pair; lag 0 is left out.
fn count_member_pairs(terms: &[&Term], cuts: &[Cut], n: usize) -> Vec<u64> {
    // Clique cuts of one label are many: the ranks of all of a term's labels are collected at once.
    let mut by_label: Vec<Option<Vec<Vec<u32>>>> = vec![None; terms.len()];
    let mut lists: Vec<(u32, Vec<u32>)> = Vec::new();
    for cut in cuts {
        let ranks = by_label[cut.term].get_or_insert_with(|| group_by_label(terms[cut.term]));
        let mut members = Vec::with_capacity(cut.members);
        for label in cut.side.labels() {
            members.extend_from_slice(&ranks[label]);
        }
        // Ascending, so that each pair has its lag from one subtraction.
        members.sort_unstable();
        lists.push((cut.halves, members));
    }
    // As large as the ordering for each term, and no longer needed.
    drop(by_label);
    // One array of sums a thread, not one a chunk: an array is as long as the ordering. Chunks take one that is idle.
    let idle = Mutex::new(Vec::new());
    let lock = || idle.lock().unwrap_or_else(PoisonError::into_inner);
    let share = lists
        .len()
        .div_ceil(4 * rayon::current_num_threads())
        .max(1);
    lists.par_chunks(share).for_each(|chunk| {
        let taken = lock().pop();
        let mut lag = taken.unwrap_or_else(|| vec![0u64; n]);
        for (halves, members) in chunk {
            unwind_if_stopped();
            for (i, a) in members.iter().enumerate() {
                for b in &members[i + 1..] {
                    lag[(b - a) as usize] += u64::from(*halves);
                }
            }
        }
        lock().push(lag);
    });
    let mut sums = vec![0; n];
    for lag in idle.into_inner().unwrap_or_else(PoisonError::into_inner) {
        add_sums(&mut sums, &lag);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_base::NodeId;
    use nodeorder_network::{Context, Topology};

    use super::super::{pairs, terms};

    fn terms_of(spec: &str) -> Vec<Term> {
        let topology = Topology::inline(spec, &Context::default()).unwrap();
        let mut nodes: Vec<NodeId> = topology.nodes().iter().collect();
        nodes.sort_by_key(|n| n.0.wrapping_mul(0x9e37_79b9));
        terms::label_ranks(&topology, &nodes).unwrap()
    }

    const MACHINES: [&str; 5] = [
        "torus:9x8x7",
        "mesh:33x21,per_router=3",
        "hyperx:12x5x11",
        "torus:1201",
        "torus:24x30x19",
    ];

    #[test]
    fn spectral_direct_and_pairs_agree() {
        for spec in MACHINES {
            let terms = terms_of(spec);
            let terms: Vec<&Term> = terms.iter().collect();
            let n = terms[0].labels.len();
            let plain = pairs::lag_sums(&terms, n, n - 1);
            assert_eq!(
                lag_sums_by(&terms, n, |_| false, TOLERANCE),
                plain,
                "{spec}"
            );
            assert_eq!(lag_sums_by(&terms, n, |_| true, TOLERANCE), plain, "{spec}");
            assert_eq!(
                lag_sums_by(&terms, n, |c| c.members % 2 == 0, TOLERANCE),
                plain,
                "{spec}"
            );
        }
    }

    /// A machine too large for one sum is split: seen here by a bound set lower than need be.
    #[test]
    fn sums_beyond_the_bound_are_split() {
        let terms = terms_of("torus:24x30x19");
        let terms: Vec<&Term> = terms.iter().collect();
        let n = terms[0].labels.len();
        let layout = Layout::new(n);
        let all = list_cuts(&terms);
        assert_eq!(count_within_tolerance(&all, layout, TOLERANCE), all.len());
        let whole = lag_sums_by(&terms, n, |_| false, TOLERANCE);
        let mass: f64 = all
            .iter()
            .map(|c| f64::from(c.halves) * c.members as f64)
            .sum();
        for parts in [2.0, 5.5, 1e9] {
            let tolerance = error_bound(mass, all.len(), layout) / parts;
            let first = count_within_tolerance(&all, layout, tolerance);
            assert!(first < all.len() && (parts < 1e9 || first == 1), "{first}");
            assert_eq!(lag_sums_by(&terms, n, |_| false, tolerance), whole);
        }
    }

    #[test]
    fn the_bound_holds_where_it_is_claimed() {
        // Half-ring cuts of 100³, arcs of 215³: weights in halves times members.
        let bound = |n: usize, cuts: usize, mass: f64| error_bound(mass, cuts, Layout::new(n));
        let million = bound(1_000_000, 150, 150.0 * 2.0 * 5e5);
        let ten = bound(9_938_375, 645, 645.0 * 107.0 * 46_225.0);
        assert!((1.6e-4..1.8e-4).contains(&million), "{million}");
        assert!((2e-3..4e-3).contains(&ten), "{ten}");
        // The largest machine there may be does not pass as one sum.
        assert!(bound(1 << 31, 4000, 4000.0 * f64::from(1u32 << 31)) > TOLERANCE);
    }
}
