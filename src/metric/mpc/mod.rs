//! Mean Placement Calculation, exactly, for every size.
//!
//! `MPC(S)` is the mean, over all windows of S consecutive ranks, of the mean distance between the
//! window's nodes. With `T(S)` the sum over windows of their pair-distance sums,
//! `MPC(S) = T(S) / ((N-S+1)·S(S-1)/2)`.
//!
//! A pair of ranks i<j lies in `c(i,j,S) = max(0, min(i,N-S) - max(0,j-S+1) + 1)` windows of size S. As a
//! function of S that is piecewise linear: slope +1 from S=j-i, -1 from S=j+1, -1 from S=N-i. So three
//! sums are all that is needed of the N²/2 distances: by lag, by row and by column (`Sums`); two prefix
//! sums turn them into every T(S). All of it in integers.
//!
//! # References
//! Albing, "Evaluating Node Orderings for Improved Compactness", PMBS 2015.

use crate::error::{Error, Place, Result};
use crate::ordering::NodeOrder;
use crate::ratio::ratio;
use crate::topology::distance::Shape;
use crate::topology::{Metric, Topology};

mod fft;
mod hops;
mod lanes;
mod pairs;
mod spectrum;
mod terms;
mod transform;

use lanes::Tables;
use terms::Term;

/// How lag sums are found where distances are sums. The result is the same to the last bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Whichever costs less, term by term.
    #[default]
    Auto,
    /// Every pair of ranks: O(N²).
    Pairs,
    /// Autocorrelation of cuts: O(cuts · N log N).
    Transform,
}

/// The exact curve of one ordering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Curve {
    /// `totals[S]` = T(S), for S = 0..=N; zero below 2.
    totals: Vec<u128>,
}

impl Curve {
    /// Number of nodes N.
    pub fn nodes(&self) -> usize {
        self.totals.len() - 1
    }

    /// T(S): the sum over all windows of S ranks of their pair-distance sums.
    ///
    /// # Panics
    /// For sizes above N.
    pub fn total(&self, size: usize) -> u128 {
        self.totals[size]
    }

    /// MPC(S), rounded once.
    ///
    /// # Panics
    /// For sizes below 2 or above N.
    pub fn mpc(&self, size: usize) -> f64 {
        mean(self.totals[size], self.nodes(), size)
    }

    /// MPC(2), MPC(3), …, MPC(N).
    pub fn values(&self) -> Vec<f64> {
        (2..=self.nodes()).map(|size| self.mpc(size)).collect()
    }
}

/// MPC from T: the mean over windows and pairs.
fn mean(total: u128, n: usize, size: usize) -> f64 {
    assert!((2..=n).contains(&size), "MPC runs from two nodes to all");
    let s = size as u128;
    ratio(total, (n - size + 1) as u128 * (s * (s - 1) / 2))
}

/// What the curve needs of the distances: three sums, as integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sums {
    /// `lag[k] = Σ_i d(i, i+k)`.
    pub lag: Vec<u64>,
    /// `row[i] = Σ_{j>i} d(i,j)`.
    pub row: Vec<u64>,
    /// `col[j] = Σ_{i<j} d(i,j)`.
    pub col: Vec<u64>,
}

impl Sums {
    /// Two prefix sums over the slopes. O(N). (`lag[0]` is zero: no node is apart from itself.)
    pub(crate) fn into_curve(self) -> Curve {
        let n = self.lag.len();
        let mut slope = vec![0i128; n + 2];
        for (slope, lag) in slope.iter_mut().zip(&self.lag) {
            *slope += i128::from(*lag);
        }
        for r in 0..n {
            slope[r + 1] -= i128::from(self.col[r]);
            slope[n - r] -= i128::from(self.row[r]);
        }
        // Slope `s` acts from size s on: T(S) grows by the running slope at each step to S+1.
        let (mut running, mut total) = (0i128, 0i128);
        let mut totals = vec![0u128; n + 1];
        for size in 0..=n {
            totals[size] = total as u128;
            running += slope[size];
            total += running;
        }
        Curve { totals }
    }
}

/// The exact curve of `order` on `topology`, all sizes from 2 to N.
///
/// # Errors
/// An ordering of fewer than two nodes; more memory than allowed.
pub fn curve(topology: &Topology, order: &NodeOrder) -> Result<Curve> {
    curve_by(topology, order, Method::Auto)
}

/// As [`curve`], by a method of the caller's choice. Networks whose distances only a search tells know
/// one method, pairs.
///
/// # Errors
/// As [`curve`]; also [`Method::Transform`] on a network whose distance is no sum of cuts.
pub fn curve_by(topology: &Topology, order: &NodeOrder, method: Method) -> Result<Curve> {
    let n = order.len();
    check(topology, order, method)?;
    let Some(terms) = terms::along(topology, order) else {
        return Ok(hops::sums(topology, order, n - 1)?.into_curve());
    };
    let lag = lag_sums(topology, &terms, n, n - 1, method)?;
    Ok(with_rows(&terms, lag).into_curve())
}

/// T(S) for some sizes only, at the cost of those: a sliding window a size, or the lags up to the largest
/// size, or the whole curve, whichever is least. `(size, MPC(size))` in the order asked for.
///
/// # Errors
/// As [`curve_by`].
///
/// # Panics
/// For sizes below 2 or above N.
pub fn at_sizes(
    topology: &Topology,
    order: &NodeOrder,
    sizes: &[usize],
    method: Method,
) -> Result<Vec<(usize, f64)>> {
    let n = order.len();
    check(topology, order, method)?;
    let last = sizes.iter().max().map_or(1, |s| s - 1);
    let read = |curve: Curve| sizes.iter().map(|s| (*s, curve.mpc(*s))).collect();
    let Some(terms) = terms::along(topology, order) else {
        return Ok(read(hops::sums(topology, order, last)?.into_curve()));
    };
    let slide = sizes.len() as f64 * terms.iter().map(|t| slide_cost(t, n)).sum::<f64>();
    let (_, rest) = plan(topology, &terms, n, last, method);
    if method == Method::Auto && slide < rest {
        let total = |s: &usize| (*s, mean(terms::total(&terms, *s), n, *s));
        return Ok(sizes.iter().map(total).collect());
    }
    let lag = lag_sums(topology, &terms, n, last, method)?;
    Ok(read(with_rows(&terms, lag).into_curve()))
}

/// Refuses what has no curve, or none by this method.
fn check(topology: &Topology, order: &NodeOrder, method: Method) -> Result<()> {
    let n = order.len();
    let place = Place::option(order.label());
    if n < 2 {
        return Err(Error::input(place, format!("an ordering of {n} nodes"), "at least 2 nodes"));
    }
    if method == Method::Transform && matches!(topology.metric(), Metric::Hops) {
        return Err(Error::unsuited(
            Place::option("--method transform"),
            format!("distances on {} are no sum of cuts", topology.name()),
            "use --method pairs",
        ));
    }
    topology.require("the sums of an MPC curve", 96 * n as u64)
}

fn with_rows(terms: &[Term], lag: Vec<u64>) -> Sums {
    let (row, col) = terms::row_and_column_sums(terms, lag.len());
    Sums { lag, row, col }
}

/// Lag sums up to `last`, each term by its cheapest method or by the one asked for. (The transform gives
/// all lags.)
fn lag_sums(
    topology: &Topology,
    terms: &[Term],
    n: usize,
    last: usize,
    method: Method,
) -> Result<Vec<u64>> {
    let (by_transform, _) = plan(topology, terms, n, last, method);
    let (spectral, paired): (Vec<_>, Vec<_>) =
        terms.iter().zip(by_transform).partition(|(_, transform)| *transform);
    let spectral: Vec<&Term> = spectral.into_iter().map(|(term, _)| term).collect();
    let paired: Vec<&Term> = paired.into_iter().map(|(term, _)| term).collect();
    let mut lag = vec![0; n];
    let mut add = |part: Vec<u64>| lag.iter_mut().zip(part).for_each(|(lag, p)| *lag += p);
    if !spectral.is_empty() {
        topology.require("the transforms of an MPC curve", 160 * n as u64 + (1 << 26))?;
        add(transform::lag_sums(&spectral));
    }
    if !paired.is_empty() {
        match pair_cost(topology, &paired, n, last) {
            (Pass::Lanes, _) => add(Tables::new(&paired).lag_sums(last)),
            (Pass::Plain, _) => add(pairs::lag_sums(&paired, n, last)),
        }
    }
    Ok(lag)
}

/// The two pair passes.
enum Pass {
    Lanes,
    Plain,
}

/// The cheaper pair pass for `terms` up to lag `last`, and its estimated seconds on one core. Distance
/// tables are kept below a quarter of a gigabyte.
fn pair_cost(topology: &Topology, terms: &[&Term], n: usize, last: usize) -> (Pass, f64) {
    let pairs = last as f64 * (n as f64 - last as f64 / 2.0) * terms.len() as f64;
    let plain = PAIR_SECONDS * pairs;
    let limit = topology.context().memory.min(1 << 28);
    let lanes = Tables::bytes(terms)
        .filter(|bytes| *bytes <= limit)
        .map_or(f64::INFINITY, |bytes| LANE_SECONDS * pairs + TABLE_SECONDS * bytes as f64);
    if lanes < plain { (Pass::Lanes, lanes) } else { (Pass::Plain, plain) }
}

/// Which terms go by transform, and the estimated seconds on one core for all.
fn plan(
    topology: &Topology,
    terms: &[Term],
    n: usize,
    last: usize,
    method: Method,
) -> (Vec<bool>, f64) {
    let mut seconds = 0.0;
    let choose = |term: &Term| {
        let by_transform = transform::cost(&[term]);
        let (_, by_pairs) = pair_cost(topology, &[term], n, last);
        let transform = match method {
            Method::Auto => by_transform < by_pairs,
            Method::Pairs => false,
            Method::Transform => true,
        };
        seconds += if transform { by_transform } else { by_pairs };
        transform
    };
    (terms.iter().map(choose).collect(), seconds)
}

/// Seconds on one core, measured (see the reports): a pair of one term in byte lanes, a byte of table, a
/// pair in the plain pass, a step of a sliding window over one label.
const LANE_SECONDS: f64 = 0.016e-9;
const TABLE_SECONDS: f64 = 0.3e-9;
const PAIR_SECONDS: f64 = 1.0e-9;
const SLIDE_SECONDS: f64 = 0.2e-9;

fn slide_cost(term: &Term, n: usize) -> f64 {
    let labels = match term.labelling.axis.shape {
        Shape::Clique => 20.0,
        Shape::Path | Shape::Ring => f64::from(term.labelling.axis.extent) + 20.0,
    };
    n as f64 * 2.0 * SLIDE_SECONDS * labels
}
