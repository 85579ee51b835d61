//! Sums of distances over the pairs of a sequence of nodes: by lag, by row and by column, as integers.
//!
//! MPC needs, for every size S, the sum over all windows of S consecutive ranks of the distances inside the window,
//! `T(S)`. It is not summed window by window. A pair of ranks i<j lies in
//!
//! `c(i,j,S) = max(0, min(i,N-S) - max(0,j-S+1) + 1)`
//!
//! windows. As a function of S that is piecewise linear: slope +1 from S=j-i, -1 from S=j+1, -1 from S=N-i. So three
//! sums of the N²/2 distances are enough: by *lag* j-i, by *column* j and by *row* i. Two prefix sums then give
//! `T(S)` for every S ([`PairSums::window_totals`]).
//!
//! Four ranks on a path, in order: the distances are 1 2 3 from rank 0, 1 2 from rank 1, 1 from rank 2. lag = 0 3 4 3,
//! row = 6 3 1 0, col = 0 1 3 6; the slope of T at sizes 1, 2, 3 is 3, 3+4-(1+1) = 5, 5+3-(3+3) = 2, hence
//! T = 0 0 3 8 10.
//!
//! Where the distance is a sum of *terms* ([`terms`]), lag sums are found term by term, by pairs ([`lanes`],
//! [`pairs`]) or by cuts and a transform ([`transform`]); elsewhere by searches ([`hops`]).
//!
//! # References
//! Albing, "Evaluating Node Orderings for Improved Compactness", PMBS 2015.

use nodeorder_base::{NodeId, Result};
use nodeorder_network::Topology;
use nodeorder_network::topology::distance::Shape;

pub(crate) mod cuts;
mod fft;
mod first_stage;
mod hops;
mod lag_bits;
mod lanes;
mod layout;
mod pairs;
mod prefix;
mod spectrum;
mod sums;
mod terms;
mod transform;

pub use sums::PairSums;

use lanes::Tables;
use sums::add_sums;
use terms::Term;

/// How lag sums are found where distances are sums of terms. The result is the same to the last bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SumMethod {
    /// Whichever costs less, term by term.
    #[default]
    Auto,
    /// Every pair of ranks: O(N²).
    Pairs,
    /// Autocorrelation of cuts: O(cuts · N log N).
    Transform,
}

/// Computes the sums along `nodes`, lags up to `last` at least (rows and columns are whole in any case), by the method
/// asked for. Networks whose distances come from a search alone have one method, pairs. Fails if more memory is
/// needed than allowed.
///
/// # Complexity
/// The less of O(N·last) and O(cuts·N log N), term by term; O(N·last) byte additions after N/256 searches
/// where distances are no sum. Memory O(N), O(256·routers) a thread for searches.
pub fn sum_pairs(
    topology: &Topology,
    nodes: &[NodeId],
    last: usize,
    method: SumMethod,
) -> Result<PairSums> {
    // Fewer than two nodes have no pair, and no lag to plan for.
    if nodes.len() < 2 {
        return Ok(PairSums::zero(nodes.len()));
    }
    check_memory(topology, nodes.len())?;
    match terms::label_ranks(topology, nodes) {
        Some(terms) => SumPlanner::new(topology, nodes.len(), last, method).sum_terms(&terms),
        None => hops::search_sums(topology, nodes, last),
    }
}

/// Computes `T(S)` for the given sizes, in their order, by whichever costs least: a sliding window a size, the lags
/// up to the largest size, or everything.
///
/// # Errors
/// As [`sum_pairs`].
pub fn sum_windows(
    topology: &Topology,
    nodes: &[NodeId],
    sizes: &[usize],
    method: SumMethod,
) -> Result<Vec<u128>> {
    let n = nodes.len();
    let last = sizes.iter().max().map_or(1, |s| s - 1);
    check_memory(topology, n)?;
    let sums = match terms::label_ranks(topology, nodes) {
        None => hops::search_sums(topology, nodes, last)?,
        Some(terms) => {
            let planner = SumPlanner::new(topology, n, last, method);
            // Rows and columns take one slide.
            let slide = terms.iter().map(|t| slide_seconds(t, n)).sum::<f64>();
            let whole = planner.choose_methods(&terms).seconds + slide;
            if method == SumMethod::Auto && sizes.len() as f64 * slide < whole {
                let totals = sizes.iter().map(|s| terms::window_total(&terms, *s));
                return Ok(totals.collect());
            }
            planner.sum_terms(&terms)?
        }
    };
    let totals = sums.window_totals();
    Ok(sizes.iter().map(|s| totals[*s]).collect())
}

/// Computes the memory of the transforms along `n` nodes, in bytes.
fn transform_bytes(n: usize) -> u64 {
    160 * n as u64 + (1 << 26)
}

/// Checks whether all lags along `nodes` are summed by pairs only because transforms, which would be faster, need more
/// memory than allowed.
pub fn lacks_transform_memory(topology: &Topology, nodes: &[NodeId]) -> bool {
    let n = nodes.len();
    if n < 2 || transform_bytes(n) <= topology.context().memory {
        return false;
    }
    let planner = SumPlanner::new(topology, n, n - 1, SumMethod::Auto);
    terms::label_ranks(topology, nodes).is_some_and(|terms| {
        terms.iter().any(|term| {
            transform::estimate_seconds(term) < planner.choose_pair_pass(vec![term]).seconds
        })
    })
}

/// Checks that the sums along `n` nodes fit.
///
/// # Errors
/// More memory than allowed.
pub fn check_memory(topology: &Topology, n: usize) -> Result<()> {
    topology.require_memory("the sums of an MPC curve", 96 * n as u64)
}

/// Chooses how the sums along `n` nodes are found, for lags up to `last`, and finds them.
struct SumPlanner<'a> {
    topology: &'a Topology,
    n: usize,
    last: usize,
    method: SumMethod,
}

/// Terms by the method that sums their lags.
#[derive(Default)]
struct TermsByMethod<'t> {
    by_transform: Vec<&'t Term>,
    by_pairs: Vec<&'t Term>,
    /// Estimated seconds on one core for all.
    seconds: f64,
}

/// Terms whose pairs are summed together.
struct PairPass<'t> {
    terms: Vec<&'t Term>,
    /// Whether pairs are summed in byte lanes; else one by one.
    by_lanes: bool,
    /// Estimated seconds on one core.
    seconds: f64,
}

impl<'a> SumPlanner<'a> {
    fn new(topology: &'a Topology, n: usize, last: usize, method: SumMethod) -> Self {
        SumPlanner {
            topology,
            n,
            last,
            method,
        }
    }

    /// Computes row and column sums, and lag sums up to `last`, each term by its cheapest method or by the one
    /// asked for. (The transform gives all lags.)
    fn sum_terms(&self, terms: &[Term]) -> Result<PairSums> {
        let methods = self.choose_methods(terms);
        let mut lag = vec![0; self.n];
        if !methods.by_transform.is_empty() {
            let bytes = transform_bytes(self.n);
            self.topology
                .require_memory("the transforms of an MPC curve", bytes)?;
            let sums = transform::lag_sums(&methods.by_transform, self.n);
            add_sums(&mut lag, &sums);
        }
        for pass in self.plan_passes(methods.by_pairs) {
            let sums = if pass.by_lanes {
                Tables::new(&pass.terms, self.n).lag_sums(self.last)
            } else {
                pairs::lag_sums(&pass.terms, self.n, self.last)
            };
            add_sums(&mut lag, &sums);
        }
        let (row, col) = terms::row_and_column_sums(terms, self.n);
        Ok(PairSums { lag, row, col })
    }

    /// Plans the pair passes over `terms`. Terms share a pass where that costs no more than two passes: together their
    /// tables may be too large, or their distances too long for a byte.
    fn plan_passes<'t>(&self, terms: Vec<&'t Term>) -> Vec<PairPass<'t>> {
        let mut passes: Vec<PairPass<'_>> = Vec::new();
        for term in terms {
            let alone = self.choose_pair_pass(vec![term]);
            if let Some(last) = passes.last_mut() {
                let joined = self.choose_pair_pass([last.terms.as_slice(), &[term]].concat());
                // One pass reads and writes the sums of all lags once for both.
                if joined.seconds <= last.seconds + alone.seconds {
                    *last = joined;
                    continue;
                }
            }
            passes.push(alone);
        }
        passes
    }

    /// Chooses the cheaper pair pass for `terms`.
    fn choose_pair_pass<'t>(&self, terms: Vec<&'t Term>) -> PairPass<'t> {
        let last = self.last as f64;
        let pairs = last * (self.n as f64 - last / 2.0) * terms.len() as f64;
        let plain = PAIR_SECONDS * pairs;
        // Tables above a quarter of a gigabyte would be read from memory, not from the caches.
        let limit = self.topology.context().memory.min(1 << 28);
        let lanes = match Tables::bytes(&terms) {
            Some(bytes) if bytes <= limit => LANE_SECONDS * pairs + TABLE_SECONDS * bytes as f64,
            _ => f64::INFINITY,
        };
        PairPass {
            terms,
            by_lanes: lanes < plain,
            seconds: lanes.min(plain),
        }
    }

    /// Chooses the terms whose lags are summed by transform: under [`SumMethod::Auto`] where that fits and costs less.
    fn choose_methods<'t>(&self, terms: &'t [Term]) -> TermsByMethod<'t> {
        let fits = transform_bytes(self.n) <= self.topology.context().memory;
        let mut methods = TermsByMethod::default();
        for term in terms {
            let by_transform = transform::estimate_seconds(term);
            let by_pairs = self.choose_pair_pass(vec![term]).seconds;
            let transform = match self.method {
                SumMethod::Auto => fits && by_transform < by_pairs,
                SumMethod::Pairs => false,
                SumMethod::Transform => true,
            };
            if transform {
                methods.by_transform.push(term);
                methods.seconds += by_transform;
            } else {
                methods.by_pairs.push(term);
                methods.seconds += by_pairs;
            }
        }
        methods
    }
}

// Seconds on one core, measured (see the reports).

/// Seconds for a pair of one term in byte lanes.
const LANE_SECONDS: f64 = 0.016e-9;
/// Seconds for a byte of table.
const TABLE_SECONDS: f64 = 0.3e-9;
/// Seconds for a pair of one term in the plain pass.
const PAIR_SECONDS: f64 = 1.0e-9;
/// Seconds for a step of a sliding window over one label.
const SLIDE_SECONDS: f64 = 0.2e-9;

/// Estimates the seconds of a window that slides along `n` ranks.
fn slide_seconds(term: &Term, n: usize) -> f64 {
    let extent = f64::from(term.labelling.axis.extent);
    let labels = match term.labelling.axis.shape {
        // One count, and what every step costs besides.
        Shape::Clique => 20.0,
        Shape::Path | Shape::Ring if term.labelling.axis.extent <= terms::FEW => extent + 20.0,
        // Trees over labels: one access to memory for each level of the tree.
        Shape::Path | Shape::Ring => 40.0 * extent.log2(),
    };
    n as f64 * 2.0 * SLIDE_SECONDS * labels
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_network::Context;

    /// Whatever limits the tables, what is done costs no more than what the choice of method was made by.
    #[test]
    fn passes_cost_no_more_than_the_terms_by_themselves() {
        for spec in [
            "torus:20x20x20",
            "torus:300x300",
            "mesh:7x11x2x13",
            "hyperx:9x9x9",
        ] {
            for memory in [1 << 17, 400_000, 1 << 20, 1 << 30] {
                let context = Context {
                    memory,
                    ..Context::default()
                };
                let topology = Topology::inline(spec, &context).unwrap();
                let nodes: Vec<NodeId> = topology.nodes().iter().collect();
                let terms = terms::label_ranks(&topology, &nodes).unwrap();
                let terms: Vec<&Term> = terms.iter().collect();
                for last in [1, 63, 4095] {
                    let n = nodes.len();
                    let last = last.min(n - 1);
                    let planner = SumPlanner::new(&topology, n, last, SumMethod::Auto);
                    let seconds = |t: &&Term| planner.choose_pair_pass(vec![*t]).seconds;
                    let alone: f64 = terms.iter().map(seconds).sum();
                    let passes = planner.plan_passes(terms.clone());
                    let cost: f64 = passes.iter().map(|pass| pass.seconds).sum();
                    assert!(
                        cost <= 1.000_001 * alone,
                        "{spec} {memory} {last}: {cost} {alone}"
                    );
                    let done: Vec<&Term> =
                        passes.iter().flat_map(|pass| pass.terms.clone()).collect();
                    assert!(done.iter().zip(&terms).all(|(a, b)| std::ptr::eq(*a, *b)));
                    assert_eq!(done.len(), terms.len());
                }
            }
        }
    }

    /// Sums in several passes are those of one.
    #[test]
    fn sums_do_not_depend_on_how_terms_go_together() {
        let of = |memory: u64| {
            let topology = Topology::inline(
                "torus:12x11x10",
                &Context {
                    memory,
                    ..Context::default()
                },
            )
            .unwrap();
            let nodes: Vec<NodeId> = topology.nodes().iter().collect();
            let terms = terms::label_ranks(&topology, &nodes).unwrap();
            let planner = SumPlanner::new(&topology, nodes.len(), 500, SumMethod::Pairs);
            planner.sum_terms(&terms).unwrap()
        };
        // A table of one term, none, all.
        for memory in [20_000, 10_000] {
            assert_eq!(of(memory), of(1 << 30));
        }
    }
}
