//! The objective of given orderings, with a bound on what any ordering can reach.

use super::bounds::Bounds;
use super::elements::Arrangement;
use super::options::{QUICK_BOUND, SHARED, WeightOptions};
use super::problem::SearchProblem;
use crate::ordering::node_order::NodeOrder;
use crate::ordering::search_result::{meets_bound, relative_gap};
use nodeorder_base::{Observer, Opt, Params, Result};
use nodeorder_network::Topology;

/// Worth of an ordering under weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// Weighted sum of distances that `ilp` and `optimise` minimise.
    pub objective: f64,
    /// Proved lower bound of the objective of any ordering of the same nodes.
    pub lower_bound: f64,
    /// `(objective - lower_bound) / objective`; 0 for an objective of 0.
    pub gap: f64,
}

/// Options of weights, without those of a search.
const OPTIONS: [Opt; 6] = [
    SHARED[0].positional(),
    SHARED[1],
    SHARED[2],
    SHARED[3],
    SHARED[4],
    SHARED[5],
];

/// Computes the scores of orderings of all schedulable nodes under `weights`: a kind with options, such as
/// `geometric,window=16,ring=true` or `workload,sizes=log-uniform`. Nodes count one by one: unlike those of
/// searches, the bound also holds for orderings that part the nodes of a router.
///
/// # Errors
/// Unknown or bad options; an ordering that leaves nodes out; more memory than allowed.
///
/// # Complexity
/// O(nodes · window) each, for `workload` that of a curve; the bound as `optimise` has it before it searches.
///
/// # Examples
/// ```
/// use nodeorder_order::ordering::NodeOrder;
/// use nodeorder_network::topology::Topology;
/// use nodeorder_order::ordering::{NoObserver, optimise::scores};
/// let path = Topology::inline("mesh:5", &Default::default())?;
/// let order = NodeOrder::make(&path, "row-major")?;
/// assert_eq!(scores(&path, "path", &[order], &NoObserver)?[0].objective, 4.0);
/// # Ok::<(), nodeorder_base::error::Error>(())
/// ```
pub fn scores(
    topology: &Topology,
    weights: &str,
    orders: &[NodeOrder],
    observer: &dyn Observer,
) -> Result<Vec<Score>> {
    score_with_work(topology, weights, orders, observer, QUICK_BOUND)
}

/// Computes the scores, with a bound that takes `work` operations.
fn score_with_work(
    topology: &Topology,
    weights: &str,
    orders: &[NodeOrder],
    observer: &dyn Observer,
    work: u64,
) -> Result<Vec<Score>> {
    let text = format!("--weights:{weights}");
    let params = Params::parse_inline(&text, ',', &OPTIONS, topology.context().seed)?;
    let weights = WeightOptions::parse(topology, &params)?.build_weights(topology)?;
    let space = Arrangement::new(topology, true)?;
    let problem = SearchProblem::new(topology, &space, weights);
    let bound = Bounds::new(&problem).lower_bound(work, &|| observer.should_stop());
    let mut scores = Vec::with_capacity(orders.len());
    for order in orders {
        order.check_complete(topology)?;
        let objective = problem.objective(&space.to_elements(topology, order.nodes()));
        let lower_bound = if meets_bound(objective, bound) {
            objective
        } else {
            bound
        };
        scores.push(Score {
            objective,
            lower_bound,
            gap: relative_gap(objective, lower_bound),
        });
    }
    Ok(scores)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ordering::NoObserver;
    use crate::testing::build;

    fn of(spec: &str, by: &str, weights: &str) -> Score {
        let topology = build(spec);
        let order = NodeOrder::make(&topology, by).unwrap();
        score_with_work(&topology, weights, &[order], &NoObserver, 1_000_000).unwrap()[0]
    }

    #[test]
    fn scores_are_those_of_the_definition() {
        let topology = build("torus:4x3,per_router=2,exclude=5");
        let order = NodeOrder::make(&topology, "random:seed=4").unwrap();
        let nodes = order.nodes();
        for ring in [false, true] {
            let mut plain = 0.0;
            for a in 0..nodes.len() {
                for b in a + 1..nodes.len() {
                    let lag = if ring {
                        (b - a).min(nodes.len() - (b - a))
                    } else {
                        b - a
                    };
                    if lag <= 7 {
                        plain += f64::from(topology.distance(nodes[a], nodes[b])) / lag as f64;
                    }
                }
            }
            let weights = format!("harmonic,window=7,ring={ring}");
            let one = std::slice::from_ref(&order);
            let found = score_with_work(&topology, &weights, one, &NoObserver, 1_000_000);
            let found = found.unwrap()[0];
            assert!((found.objective - plain).abs() < 1e-9 * plain, "{ring}");
            assert!(found.lower_bound <= found.objective && found.lower_bound > 0.0);
        }
    }

    #[test]
    fn what_a_search_reports_scores_alike() {
        for weights in ["geometric,window=4", "path", "workload,sizes=log-uniform"] {
            let topology = build("torus:4x3");
            let text = format!("optimise:weights={weights},steps=2000");
            let (order, found) = NodeOrder::make_observed(&topology, &text, &NoObserver).unwrap();
            let score =
                score_with_work(&topology, weights, &[order], &NoObserver, 1_000_000).unwrap()[0];
            assert_eq!(score.objective, found.unwrap().objective, "{weights}");
        }
    }

    /// Values that another implementation gave.
    #[test]
    fn known_scores() {
        for (by, expected) in [("snake", 216.478), ("hilbert", 201.231)] {
            let found = of("torus:8x8", by, "geometric,window=16");
            assert!(
                (found.objective - expected).abs() < 5e-4,
                "{by}: {}",
                found.objective
            );
        }
        assert_eq!(of("torus:9", "row-major", "path,ring=true").gap, 0.0);
    }

    #[test]
    fn wrong_weights_and_short_orderings_are_refused() {
        let topology = build("mesh:4x2");
        let error = |weights: &str| {
            score_with_work(&topology, weights, &[], &NoObserver, 1)
                .unwrap_err()
                .to_string()
        };
        assert!(
            error("geo").contains("did you mean `geometric`?"),
            "{}",
            error("geo")
        );
        assert!(
            error("path,steps=4").contains("unknown key"),
            "{}",
            error("path,steps=4")
        );
        assert!(
            error("workload").contains("sizes="),
            "{}",
            error("workload")
        );
    }
}
