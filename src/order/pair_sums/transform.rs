//! Lag sums of distances that are sums of cuts, by autocorrelation: O(cuts · N log N) instead of O(N²).
//!
//! A *cut* splits the labels in two; it adds `w` to the distance of two ranks on different sides. With
//! b = 1 for the ranks on its smaller side and 0 for the others, `d(i,j) = Σ_cuts w·(b_i + b_j - 2·b_i·b_j)`,
//! hence
//!
//! `lag[k] = Σ_cuts w·(Σ_{i<N-k} b_i + Σ_{i≥k} b_i - 2·R[k])`, `R[k] = Σ_i b_i·b_{i+k}`.
//!
//! R is an autocorrelation: the power spectra of all cuts are added up, and **one** transform back gives
//! Σ w·R. A path of n labels is n-1 cuts; an even ring n/2 half-ring cuts; an odd ring n cuts of weight ½
//! (arcs of (n-1)/2); a clique n cuts of weight ½ (one label against the rest). Weights are kept in halves, so
//! that all is integer. A cut whose smaller side has m members costs m² directly, by counting pairs of
//! members: small cuts go that way.
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
//! 2. First stage ([`spectrum`]): a value sums c factors of modulus 1, c being the members at its position.
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

use nodeorder_base::observer::pause;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::cuts::{Cut, cuts};
use super::spectrum::{self, Layout};
use super::terms::Term;

/// Seconds on one core for a transform of length `length`, and for a direct cut of `members`: measured on
/// 2.x GHz server cores (see the reports); only their ratio matters, for the choice of method.
fn transform_cost(length: usize) -> f64 {
    TRANSFORM_SECONDS * length as f64 * (10.0 + (length as f64).log2())
}

const TRANSFORM_SECONDS: f64 = 0.1e-9;

fn direct_cost(members: usize) -> f64 {
    0.45e-9 * (members as f64) * (members as f64)
}

/// Estimated time of [`lag_sums`] on one core, in seconds.
pub(super) fn cost(terms: &[&Term]) -> f64 {
    let n = terms.first().map_or(0, |t| t.labels.len());
    let transform = transform_cost(Layout::new(n).length());
    cuts(terms)
        .iter()
        .map(|c| direct_cost(c.members).min(transform))
        .sum()
}

/// Largest error of a coefficient of Σ h·R by the module's proof, for `cuts` cuts whose weights times members add up to
/// `mass`.
fn error_bound(mass: f64, cuts: usize, layout: Layout) -> f64 {
    let u = f64::EPSILON / 2.0;
    let stages = f64::from(layout.piece.trailing_zeros());
    let epsilon = (1.01 * 64.0 * stages + 128.0 * (layout.turns() as f64).sqrt() + 512.0) * u;
    mass * (3.0 * epsilon + epsilon * epsilon + (4.0 + cuts as f64) * u)
}

/// Largest [`error_bound`]: half of the error that rounding to the nearest integer still corrects.
const TOLERANCE: f64 = 0.25;

/// Length of the longest prefix of `cuts` whose sum stays within the tolerance; at least one.
fn together(cuts: &[Cut], layout: Layout, tolerance: f64) -> usize {
    let mut mass = 0.0;
    let fits = |(i, cut): &(usize, &Cut)| {
        mass += f64::from(cut.halves) * cut.members as f64;
        error_bound(mass, i + 1, layout) < tolerance
    };
    cuts.iter().enumerate().take_while(fits).count().max(1)
}

/// `lag[k] = Σ_i d(i, i+k)` for all k.
pub(super) fn lag_sums(terms: &[&Term]) -> Vec<u64> {
    let n = terms.first().map_or(0, |t| t.labels.len());
    let threshold = transform_cost(Layout::new(n).length());
    lag_sums_by(
        terms,
        |cut| direct_cost(cut.members) <= threshold,
        TOLERANCE,
    )
}

/// As [`lag_sums`]; `directly` chooses the cuts that are counted pair by pair, `tolerance` is the largest error bound.
fn lag_sums_by(terms: &[&Term], directly: impl Fn(&Cut) -> bool, tolerance: f64) -> Vec<u64> {
    let n = terms.first().map_or(0, |t| t.labels.len());
    let all = cuts(terms);
    // For each label of a term, the summed weights of the cuts that have it inside.
    let weights: Vec<Vec<u64>> = (terms.iter().enumerate())
        .map(|(t, term)| {
            let mut weight = vec![0u64; term.labelling.axis.extent as usize];
            for cut in all.iter().filter(|c| c.term == t) {
                cut.inside
                    .labels()
                    .for_each(|l| weight[l] += u64::from(cut.halves));
            }
            weight
        })
        .collect();
    let (direct, spectral): (Vec<Cut>, Vec<Cut>) = all.into_iter().partition(directly);
    // Pairs of members of a cut, by lag.
    let mut both = direct_pairs(terms, &direct, n);
    let layout = Layout::new(n);
    let mut rest = spectral.as_slice();
    while !rest.is_empty() {
        let (group, later) = rest.split_at(together(rest, layout, tolerance));
        spectrum::add_autocorrelation(terms, group, layout, &mut both);
        rest = later;
    }
    // below[r] = Σ over cuts of weight · members among the first r ranks.
    let mut below = vec![0u64; n + 1];
    below[1..]
        .par_iter_mut()
        .enumerate()
        .for_each(|(rank, below)| {
            let own = terms
                .iter()
                .zip(&weights)
                .map(|(term, w)| w[term.labels[rank] as usize]);
            *below = own.sum();
        });
    for r in 0..n {
        below[r + 1] += below[r];
    }
    // Ranks pair up across a cut where exactly one is a member: those with a member at the lower end, plus
    // those with one at the upper end, less twice those with both. In halves of a hop until here.
    let lag = |(k, both): (usize, &mut u64)| {
        let one = below[n - k] + (below[n] - below[k]);
        let halves = one
            .checked_sub(2 * *both)
            .filter(|h| k == 0 || h.is_multiple_of(2));
        assert!(
            k == 0 || halves.is_some(),
            "a sum of hops at lag {k} came out negative or in halves"
        );
        *both = if k == 0 { 0 } else { halves.unwrap_or(0) / 2 };
    };
    both.par_iter_mut().enumerate().for_each(lag);
    both
}

/// `Σ over cuts of halves · Σ_i b_i·b_{i+k}` for cuts with few members, pair by pair; lag 0 is left out.
fn direct_pairs(terms: &[&Term], cuts: &[Cut], n: usize) -> Vec<u64> {
    // Clique cuts of one label are many: collect the members of all of a term's labels at once.
    let mut lists: Vec<(u32, Vec<u32>)> = Vec::new();
    for (t, term) in terms.iter().enumerate() {
        let labels = term.labelling.axis.extent as usize;
        let mut ranks: Vec<Vec<u32>> = Vec::new();
        for cut in cuts.iter().filter(|c| c.term == t) {
            if ranks.is_empty() {
                ranks = vec![Vec::new(); labels];
                term.labels
                    .iter()
                    .enumerate()
                    .for_each(|(r, l)| ranks[*l as usize].push(r as u32));
            }
            let mut members = Vec::with_capacity(cut.members);
            cut.inside
                .labels()
                .for_each(|l| members.extend_from_slice(&ranks[l]));
            members.sort_unstable();
            lists.push((cut.halves, members));
        }
    }
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
            pause();
            for (i, a) in members.iter().enumerate() {
                for b in &members[i + 1..] {
                    lag[(b - a) as usize] += u64::from(*halves);
                }
            }
        }
        lock().push(lag);
    });
    let add = |mut a: Vec<u64>, b: Vec<u64>| {
        a.iter_mut().zip(&b).for_each(|(a, b)| *a += b);
        a
    };
    idle.into_inner()
        .unwrap_or_else(PoisonError::into_inner)
        .into_iter()
        .reduce(add)
        .unwrap_or_else(|| vec![0; n])
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_base::ids::NodeId;
    use nodeorder_network::topology::{Context, Topology};

    use super::super::{pairs, terms};

    fn terms_of(spec: &str) -> Vec<Term> {
        let topology = Topology::inline(spec, &Context::default()).unwrap();
        let mut nodes: Vec<NodeId> = topology.nodes().iter().collect();
        nodes.sort_by_key(|n| n.0.wrapping_mul(0x9e37_79b9));
        terms::along(&topology, &nodes).unwrap()
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
            assert_eq!(lag_sums_by(&terms, |_| false, TOLERANCE), plain, "{spec}");
            assert_eq!(lag_sums_by(&terms, |_| true, TOLERANCE), plain, "{spec}");
            assert_eq!(
                lag_sums_by(&terms, |c| c.members % 2 == 0, TOLERANCE),
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
        let all = cuts(&terms);
        assert_eq!(together(&all, layout, TOLERANCE), all.len());
        let whole = lag_sums_by(&terms, |_| false, TOLERANCE);
        let mass: f64 = all
            .iter()
            .map(|c| f64::from(c.halves) * c.members as f64)
            .sum();
        for parts in [2.0, 5.5, 1e9] {
            let tolerance = error_bound(mass, all.len(), layout) / parts;
            let first = together(&all, layout, tolerance);
            assert!(first < all.len() && (parts < 1e9 || first == 1), "{first}");
            assert_eq!(lag_sums_by(&terms, |_| false, tolerance), whole);
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
