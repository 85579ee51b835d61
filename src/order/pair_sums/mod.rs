//! Sums of distances over the pairs of a sequence of nodes: by lag, by row and by column, as integers.
//!
//! A pair of ranks i<j lies in `c(i,j,S) = max(0, min(i,N-S) - max(0,j-S+1) + 1)` windows of S consecutive
//! ranks. As a function of S that is piecewise linear: slope +1 from S=j-i, -1 from S=j+1, -1 from S=N-i. So
//! three sums are all that is needed of the N²/2 distances to compute `T(S)`, the sum over all windows of S
//! ranks of their pair-distance sums, for every S: two prefix sums ([`PairSums::window_totals`]).
//!
//! # References
//! Albing, "Evaluating Node Orderings for Improved Compactness", PMBS 2015.

use nodeorder_base::error::Result;
use nodeorder_base::ids::NodeId;
use nodeorder_network::topology::Topology;
use nodeorder_network::topology::distance::Shape;

mod cuts;
mod fft;
mod hops;
mod lag_bits;
mod lanes;
mod pairs;
mod prefix;
mod spectrum;
mod sums;
mod terms;
mod transform;

pub use sums::PairSums;

use lanes::Tables;
use terms::Term;

/// How lag sums are found where distances are sums. The result is the same to the last bit.
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

/// The sums along `nodes`, lags up to `last` at least (rows and columns are whole in any case), by the
/// method asked for. Networks whose distances come from a search alone have one method, pairs. Errors: more memory than
/// allowed.
///
/// # Complexity
/// The less of O(N·last) and O(cuts·N log N), term by term; O(N·last) byte additions after N/256 searches
/// where distances are no sum. Memory O(N), O(256·routers) a thread for searches.
pub fn along(
    topology: &Topology,
    nodes: &[NodeId],
    last: usize,
    method: SumMethod,
) -> Result<PairSums> {
    if nodes.len() < 2 {
        return Ok(PairSums::zero(nodes.len()));
    }
    check_memory(topology, nodes.len())?;
    match terms::along(topology, nodes) {
        Some(terms) => SumPlanner {
            topology,
            n: nodes.len(),
            last,
            method,
        }
        .sums(&terms),
        None => hops::sums(topology, nodes, last),
    }
}

/// `T(S)` for the given sizes, in their order, by whichever costs least: a sliding window a size, the lags up to the
/// largest size, or everything.
///
/// # Errors
/// As [`along`].
pub fn windows(
    topology: &Topology,
    nodes: &[NodeId],
    sizes: &[usize],
    method: SumMethod,
) -> Result<Vec<u128>> {
    let n = nodes.len();
    let last = sizes.iter().max().map_or(1, |s| s - 1);
    let at_sizes = |sums: PairSums| {
        let totals = sums.window_totals();
        sizes.iter().map(|s| totals[*s]).collect()
    };
    check_memory(topology, n)?;
    let Some(terms) = terms::along(topology, nodes) else {
        return Ok(at_sizes(hops::sums(topology, nodes, last)?));
    };
    // Rows and columns take one slide.
    let slide = terms.iter().map(|t| slide_cost(t, n)).sum::<f64>();
    let asked = SumPlanner {
        topology,
        n,
        last,
        method,
    };
    let (_, lags) = asked.plan(&terms);
    if method == SumMethod::Auto && sizes.len() as f64 * slide < lags + slide {
        return Ok(sizes.iter().map(|s| terms::total(&terms, *s)).collect());
    }
    let sums = asked.sums(&terms)?;
    drop(terms);
    Ok(at_sizes(sums))
}

/// Memory of the transforms along `n` nodes, in bytes.
fn transform_bytes(n: usize) -> u64 {
    160 * n as u64 + (1 << 26)
}

/// Whether all lags along `nodes` are summed by pairs only because transforms, which would be faster, do not fit.
pub fn lacks_room(topology: &Topology, nodes: &[NodeId]) -> bool {
    let n = nodes.len();
    let asked = SumPlanner {
        topology,
        n,
        last: n.saturating_sub(1),
        method: SumMethod::Auto,
    };
    let faster = |term: &Term| transform::cost(&[term]) < asked.pair_cost(&[term]).1;
    n > 1
        && transform_bytes(n) > topology.context().memory
        && terms::along(topology, nodes).is_some_and(|terms| terms.iter().any(faster))
}

/// Checks that the sums along `n` nodes fit.
///
/// # Errors
/// More memory than allowed.
pub fn check_memory(topology: &Topology, n: usize) -> Result<()> {
    topology.require("the sums of an MPC curve", 96 * n as u64)
}

/// Sums to be made along `n` nodes, for lags up to `last`.
struct SumPlanner<'a> {
    topology: &'a Topology,
    n: usize,
    last: usize,
    method: SumMethod,
}

impl SumPlanner<'_> {
    /// Row and column sums, and lag sums up to `last`, each term by its cheapest method or by the one asked for. (The
    /// transform gives all lags.)
    fn sums(&self, terms: &[Term]) -> Result<PairSums> {
        let (by_transform, _) = self.plan(terms);
        let (spectral, paired): (Vec<_>, Vec<_>) = terms
            .iter()
            .zip(by_transform)
            .partition(|(_, transform)| *transform);
        let spectral: Vec<&Term> = spectral.into_iter().map(|(term, _)| term).collect();
        let paired: Vec<&Term> = paired.into_iter().map(|(term, _)| term).collect();
        // Sums by lag; empty until the first part is added.
        let mut lag = Vec::new();
        let mut add = |part: Vec<u64>| match lag.is_empty() {
            true => lag = part,
            false => lag.iter_mut().zip(part).for_each(|(lag, p)| *lag += p),
        };
        if !spectral.is_empty() {
            let bytes = transform_bytes(self.n);
            self.topology
                .require("the transforms of an MPC curve", bytes)?;
            add(transform::lag_sums(&spectral));
        }
        for (terms, by_lanes, _) in self.passes(&paired) {
            add(match by_lanes {
                true => Tables::new(&terms).lag_sums(self.last),
                false => pairs::lag_sums(&terms, self.n, self.last),
            });
        }
        lag.resize(self.n, 0);
        let (row, col) = terms::row_and_column_sums(terms, self.n);
        Ok(PairSums { lag, row, col })
    }

    /// The pair passes over `terms`, each with its terms, whether it goes by lanes, and estimated seconds. Terms share a
    /// pass where that costs no more than two passes: together their tables may be too large, or their distances too
    /// long for a byte.
    fn passes<'t>(&self, terms: &[&'t Term]) -> Vec<(Vec<&'t Term>, bool, f64)> {
        let mut passes: Vec<(Vec<&Term>, bool, f64)> = Vec::new();
        for term in terms {
            let (by_lanes, apart) = self.pair_cost(&[*term]);
            if let Some((group, with, cost)) = passes.last_mut() {
                let joined = [group.as_slice(), &[*term]].concat();
                let (by_lanes, together) = self.pair_cost(&joined);
                if together <= *cost + apart {
                    (*group, *with, *cost) = (joined, by_lanes, together);
                    continue;
                }
            }
            passes.push((vec![*term], by_lanes, apart));
        }
        passes
    }

    /// Whether lanes are the cheaper pair pass for `terms`, and its estimated seconds on one core. Distance tables are
    /// kept below a quarter of a gigabyte.
    fn pair_cost(&self, terms: &[&Term]) -> (bool, f64) {
        let (n, last) = (self.n as f64, self.last as f64);
        let pairs = last * (n - last / 2.0) * terms.len() as f64;
        let plain = PAIR_SECONDS * pairs;
        let limit = self.topology.context().memory.min(1 << 28);
        let lanes = Tables::bytes(terms)
            .filter(|bytes| *bytes <= limit)
            .map_or(f64::INFINITY, |bytes| {
                LANE_SECONDS * pairs + TABLE_SECONDS * bytes as f64
            });
        (lanes < plain, lanes.min(plain))
    }

    /// Which terms go by transform, where it fits, and the estimated seconds on one core for all.
    fn plan(&self, terms: &[Term]) -> (Vec<bool>, f64) {
        let mut seconds = 0.0;
        let fits = transform_bytes(self.n) <= self.topology.context().memory;
        let choose = |term: &Term| {
            let by_transform = transform::cost(&[term]);
            let (_, by_pairs) = self.pair_cost(&[term]);
            let transform = match self.method {
                SumMethod::Auto => fits && by_transform < by_pairs,
                SumMethod::Pairs => false,
                SumMethod::Transform => true,
            };
            seconds += if transform { by_transform } else { by_pairs };
            transform
        };
        (terms.iter().map(choose).collect(), seconds)
    }
}

/// Seconds on one core, measured (see the reports): a pair of one term in byte lanes, a byte of table, a
/// pair in the plain pass, a step of a sliding window over one label.
const LANE_SECONDS: f64 = 0.016e-9;
const TABLE_SECONDS: f64 = 0.3e-9;
const PAIR_SECONDS: f64 = 1.0e-9;
const SLIDE_SECONDS: f64 = 0.2e-9;

fn slide_cost(term: &Term, n: usize) -> f64 {
    let extent = f64::from(term.labelling.axis.extent);
    let labels = match term.labelling.axis.shape {
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
    use nodeorder_network::topology::Context;

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
                let terms = terms::along(&topology, &nodes).unwrap();
                let terms: Vec<&Term> = terms.iter().collect();
                for last in [1, 63, 4095] {
                    let n = nodes.len();
                    let last = last.min(n - 1);
                    let asked = SumPlanner {
                        topology: &topology,
                        n,
                        last,
                        method: SumMethod::Auto,
                    };
                    let alone: f64 = terms.iter().map(|t| asked.pair_cost(&[*t]).1).sum();
                    let passes = asked.passes(&terms);
                    let cost: f64 = passes.iter().map(|(.., cost)| cost).sum();
                    assert!(
                        cost <= 1.000_001 * alone,
                        "{spec} {memory} {last}: {cost} {alone}"
                    );
                    let done: Vec<&Term> = passes.iter().flat_map(|(t, ..)| t.clone()).collect();
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
            let terms = terms::along(&topology, &nodes).unwrap();
            let (n, last, method) = (nodes.len(), 500, SumMethod::Pairs);
            SumPlanner {
                topology: &topology,
                n,
                last,
                method,
            }
            .sums(&terms)
            .unwrap()
        };
        // A table of one term, none, all.
        for memory in [20_000, 10_000] {
            assert_eq!(of(memory), of(1 << 30));
        }
    }
}
