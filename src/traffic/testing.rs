//! Machines for this crate's tests.

use nodeorder_network::Topology;

/// Builds the machine of a specification.
pub fn build(spec: &str) -> Topology {
    Topology::inline(spec, &Default::default()).unwrap()
}
