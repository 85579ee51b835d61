//! Spectral order: routers sorted by the Fiedler vector of the router graph.

use super::lanczos::find_fiedler_vector;
use super::traversal::{START, list_nodes, parse_start};
use crate::ordering::entry::{Method, Needs, OrderNodes, OrderedNodes, OrderingEntry};
use nodeorder_base::{Observer, Result};
use nodeorder_network::Topology;

/// `spectral[:start=NODE]`: routers by ascending component of the eigenvector of the second smallest
/// eigenvalue of the Laplacian L = D - A, every link counting 1.
///
/// The vector minimises `Σ_links (x_u - x_v)²` among unit vectors of sum 0: a relaxed linear arrangement.
/// Components closer than 10⁻⁹ of the largest are taken as equal and ordered by router id. The sign is
/// such that the router of NODE (default: the lowest schedulable node's) lies in the lower half; where its
/// component is zero the next routers by id decide. O((routers + links) · iterations), two passes; iterations grow
/// with √(λmax / gap), 20,000 at most, and end at a residual ‖Lx - λx‖ ≤ 10⁻¹²·λ + 10⁻¹⁴·(largest degree). Memory
/// O(routers + iterations): no basis is kept.
///
/// # References
/// Barnard, Pothen, Simon, "A spectral algorithm for envelope reduction", 1995,
/// <https://doi.org/10.1002/nla.1680020402>; Juvan, Mohar, "Optimal linear labelings and eigenvalues of
/// graphs", 1992, <https://doi.org/10.1016/0166-218X(92)90229-4>; Paige, "Computational variants of the
/// Lanczos method", 1972, <https://doi.org/10.1093/imamat/10.3.373>.
///
/// # Limits
/// Where the eigenvalue is multiple, as on every torus and on meshes with equal longest sides, the vector
/// is one of many and the order poor: a torus is cut into slabs of routers far apart. When the iterations
/// run out, the best vector so far is used.
pub const SPECTRAL: OrderingEntry = OrderingEntry::new(
    "spectral",
    "by the Fiedler vector of the router graph; poor on tori, where it is not unique",
    &[START],
    Method::new(Needs::Links, |topology, params| {
        Ok(Box::new(Spectral {
            start: parse_start(topology, params)?,
        }))
    }),
);

/// Options of a spectral order.
struct Spectral {
    /// Router that lies in the lower half.
    start: u32,
}

/// Largest difference of equal components, as a part of the largest component.
const EQUAL: f64 = 1e-9;

impl OrderNodes for Spectral {
    fn order_nodes(&self, topology: &Topology, _: &dyn Observer) -> Result<OrderedNodes> {
        let routers = order_routers(topology, self.start)?;
        Ok(OrderedNodes::Constructed(list_nodes(topology, routers)))
    }
}

/// Sorts the routers by ascending component. Fails if the graph cannot be made in the memory allowed.
fn order_routers(topology: &Topology, start: u32) -> Result<Vec<u32>> {
    // Rails that nodes alone join are copies of the first, which has the numbers of its switches to itself.
    let copies = topology
        .network()
        .rails()
        .is_some_and(|rails| rails.interfaces_per_node() > 1);
    let graph = if copies {
        topology.bisection_graph()?
    } else {
        topology.joined_graph()?
    };
    let vector = find_fiedler_vector(graph);
    let largest = vector.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    // Of a vector and its negative, both eigenvectors, the one with the start in the lower half.
    let decides = std::iter::once(&vector[start as usize])
        .chain(&vector)
        .find(|x| x.abs() > EQUAL * largest);
    let sign = if decides.is_some_and(|x| *x > 0.0) {
        -1.0
    } else {
        1.0
    };
    let mut sorted: Vec<(f64, u32)> = vector.iter().map(|x| sign * x).zip(0..).collect();
    sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut order = Vec::with_capacity(sorted.len());
    // Runs of equals, rather than rounded values: no rounding boundary parts two that should be one.
    for run in sorted.chunk_by(|a, b| b.0 - a.0 <= EQUAL * largest) {
        let first = order.len();
        order.extend(run.iter().map(|(_, r)| *r));
        order[first..].sort_unstable();
    }
    Ok(order)
}

#[cfg(test)]
mod tests {
    use crate::testing::ids;

    #[test]
    fn the_start_lies_in_the_lower_half() {
        assert_eq!(ids("mesh:6", "spectral:start=5"), [5, 4, 3, 2, 1, 0]);
        // Node 2 of a path of 5 stands at zero: router 0 decides.
        assert_eq!(ids("mesh:5", "spectral:start=2"), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn equal_components_go_by_id() {
        // The vector varies along the long side only.
        assert_eq!(ids("mesh:7x3", "spectral"), (0..21).collect::<Vec<_>>());
        let by_column: Vec<u32> = (0..7).flat_map(|y| [y, y + 7, y + 14]).collect();
        assert_eq!(ids("mesh:3x7", "spectral"), by_column);
        assert_eq!(ids("mesh:1", "spectral"), [0]);
    }
}
