//! Helpers for the tests of orderings.

use super::NodeOrder;
use nodeorder_network::topology::{Context, Topology};

/// Returns the machine of a spec.
pub fn topology(spec: &str) -> Topology {
    Topology::inline(spec, &Context::default()).unwrap()
}

/// Returns the node ids of an ordering.
pub fn ids(spec: &str, by: &str) -> Vec<u32> {
    NodeOrder::make(&topology(spec), by)
        .unwrap()
        .nodes()
        .iter()
        .map(|n| n.0)
        .collect()
}

/// Returns the error message of an ordering that cannot be made.
pub fn error(spec: &str, by: &str) -> String {
    NodeOrder::make(&topology(spec), by)
        .unwrap_err()
        .to_string()
}

/// Returns the distances from each rank to the next.
pub fn steps(spec: &str, by: &str) -> Vec<u32> {
    let topology = topology(spec);
    let order = NodeOrder::make(&topology, by).unwrap();
    order
        .nodes()
        .windows(2)
        .map(|pair| topology.distance(pair[0], pair[1]))
        .collect()
}

/// Returns the longest step, 0 for a single node.
pub fn max_step(spec: &str, by: &str) -> u32 {
    steps(spec, by).into_iter().max().unwrap_or(0)
}

/// Returns the sum of the steps.
pub fn step_sum(spec: &str, by: &str) -> u32 {
    steps(spec, by).into_iter().sum()
}
