//! Machines and orderings for this crate's tests.

use crate::ordering::NodeOrder;
use nodeorder_network::Topology;

/// Builds the machine of a specification.
pub fn build(spec: &str) -> Topology {
    Topology::inline(spec, &Default::default()).unwrap()
}

/// Builds the machine of a file that holds `text`; `options` follow its path.
pub fn from_file(kind: &str, text: &str, options: &str) -> nodeorder_base::error::Result<Topology> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    std::fs::write(&path, text).unwrap();
    let spec = format!("{kind}:{}{options}", path.display());
    Topology::inline(&spec, &Default::default())
}

/// Returns the node ids of an ordering.
pub fn ids(spec: &str, by: &str) -> Vec<u32> {
    NodeOrder::make(&build(spec), by)
        .unwrap()
        .nodes()
        .iter()
        .map(|n| n.0)
        .collect()
}

/// Returns the error message of an ordering that cannot be made.
pub fn error(spec: &str, by: &str) -> String {
    NodeOrder::make(&build(spec), by).unwrap_err().to_string()
}

/// Returns the distances from each rank to the next.
pub fn steps(spec: &str, by: &str) -> Vec<u32> {
    let topology = build(spec);
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
