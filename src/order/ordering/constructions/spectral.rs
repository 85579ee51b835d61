//! Spectral order: routers sorted by the Fiedler vector of the router graph.
//!
//! The eigenvector is found by Lanczos iteration of our own, in f64 arithmetic of fixed order:
//! sums, products, quotients and square roots, each rounded once, give the same bytes on every machine.

use super::lanczos::fiedler;
use super::traversal::{START, list_nodes, parse_start};
use crate::ordering::entry::{Method, Needs, OrderNodes, OrderedNodes, OrderingEntry};
use nodeorder_base::error::Result;
use nodeorder_base::ids::RouterId;
use nodeorder_base::observer::Observer;
use nodeorder_network::topology::{RouterGraph, Topology};

/// `spectral[:start=NODE]`: routers by ascending component of the eigenvector of the second smallest
/// eigenvalue of the Laplacian L = D - A, every link counting 1.
///
/// The vector minimises `Σ_links (x_u - x_v)²` among unit vectors of sum 0: a relaxed linear arrangement.
/// Components closer than 10⁻⁹ of the largest are taken as equal and ordered by router id. The sign is
/// such that the router of NODE (default: the lowest schedulable node's) lies in the lower half; where its
/// component is zero the next routers by id decide. O((routers + links) · iterations), two passes; iterations grow with
/// √(λmax / gap), 20,000 at most, and end at a residual ‖Lx - λx‖ ≤ 10⁻¹²·λ + 10⁻¹⁴·(largest degree). Memory O(routers
/// + iterations): no basis is kept.
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
    Method::new(Needs::Nothing, |topology, params| {
        Ok(Box::new(Spectral {
            start: parse_start(topology, params)?,
        }))
    }),
);

struct Spectral {
    /// The router that lies in the lower half.
    start: u32,
}

/// Components closer than 10⁻⁹ of the largest are taken as equal and ordered by router id. The sign is
/// such that the router of NODE (default: the lowest schedulable node's) lies in the lower half; where its
/// component is zero the next routers by id decide. O((routers + links) · iterations), two passes; iterations grow with
/// √(λmax / gap), 20,000 at most, and end at a residual ‖Lx - λx‖ ≤ 10⁻¹²·λ + 10⁻¹⁴·(largest degree). Memory O(routers
/// + iterations): no basis is kept.
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
    Method::new(Needs::Nothing, |topology, params| {
        Ok(Box::new(Spectral {
            start: parse_start(topology, params)?,
        }))
    }),
);

struct Spectral {
    /// The router that lies in the lower half.
    start: u32,
}

/// Residual ‖Lx - λx‖ that ends the iteration, relative to λ.
const TOLERANCE: f64 = 1e-12;
/// Residual that rounding leaves, relative to the largest degree.
const ROUNDING: f64 = 1e-14;
/// Products with L in all, the second passes apart.
const ITERATIONS: usize = 20_000;
/// Partial sums of a sum. Always as many and in the same order, so that the bytes are the same with and
/// without vector instructions; one alone would wait for itself.
const LANES: usize = 8;
/// Components closer than this part of the largest are equal.
const EQUAL: f64 = 1e-9;

impl OrderNodes for Spectral {
    fn order(&self, topology: &Topology, _: &dyn Observer) -> Result<OrderedNodes> {
        let routers = order_routers(topology, self.start)?;
        Ok(OrderedNodes::Constructed(list_nodes(topology, routers)))
    }
}

fn order_routers(topology: &Topology, start: u32) -> Result<Vec<u32>> {
    // Rails that nodes alone join are copies of the first, which has the numbers of its switches to itself.
    let copies = topology
        .network()
        .rails()
        .is_some_and(|rails| rails.interfaces() > 1);
    let graph = if copies {
        topology.halves_graph()?
    } else {
        topology.joined_graph()?
    };
    let vector = fiedler(graph);
    let largest = vector.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let routers = 0..graph.router_count() as u32;
    let component = |r: u32| vector[r as usize];
    let decides = std::iter::once(start)
        .chain(routers.clone())
        .map(component)
        .find(|x| x.abs() > EQUAL * largest);
    let sign = if decides.is_some_and(|x| x > 0.0) {
        -1.0
    } else {
        1.0
    };
    let mut sorted: Vec<(f64, u32)> = routers.map(|r| (sign * component(r), r)).collect();
    sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    // Runs of equals, rather than rounded values: no rounding boundary parts two that should be one.
    let equal = |a: &(f64, u32), b: &(f64, u32)| b.0 - a.0 <= EQUAL * largest;
    let mut order = Vec::with_capacity(sorted.len());
    for run in sorted.chunk_by(equal) {
        let first = order.len();
        order.extend(run.iter().map(|(_, r)| *r));
        order[first..].sort_unstable();
    }
    Ok(order)
}

#[cfg(test)]
mod tests {
    use crate::ordering::testing::{ids, topology};

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

    /// Eigenvalues, ascending, and eigenvectors (columns) of a symmetric matrix by Jacobi rotations.
    fn jacobi(mut m: Vec<Vec<f64>>) -> Vec<(f64, Vec<f64>)> {
        let n = m.len();
        let mut vectors: Vec<Vec<f64>> = (0..n)
            .map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect())
            .collect();
        for _ in 0..60 {
            for p in 0..n {
                for q in p + 1..n {
                    if m[p][q] == 0.0 {
                        continue;
                    }
                    let theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
                    let sign = if theta < 0.0 { -1.0 } else { 1.0 };
                    let t = sign / (theta.abs() + (theta * theta + 1.0).sqrt());
                    let c = 1.0 / (t * t + 1.0).sqrt();
                    let s = t * c;
                    for row in m.iter_mut().chain(&mut vectors) {
                        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
                    }
                    let (above, below) = m.split_at_mut(q);
                    for (x, y) in above[p].iter_mut().zip(&mut below[0]) {
                        (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
                    }
                }
            }
        }
        let column = |j: usize| vectors.iter().map(|row| row[j]).collect();
        let mut pairs: Vec<(f64, Vec<f64>)> = (0..n).map(|j| (m[j][j], column(j))).collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        pairs
    }

    #[test]
    fn small_graphs_agree_with_a_dense_solver() {
        for (seed, n) in [(0u64, 9usize), (1, 16), (2, 25), (3, 30), (4, 40)] {
            // A ring with random chords.
            let mut pairs: Vec<(u32, u32)> = (1..n as u32)
                .map(|v| (v - 1, v))
                .chain([(0, n as u32 - 1)])
                .collect();
            for i in 0..n as u64 {
                let pick = |k: u64| ((noise(seed * 1000 + 2 * i + k) + 0.5) * n as f64) as u32;
                let (u, v) = (pick(0).min(pick(1)), pick(0).max(pick(1)));
                if u != v && !pairs.contains(&(u, v)) {
                    pairs.push((u, v));
                }
            }
            let arcs = pairs
                .iter()
                .flat_map(|(u, v)| [(*u, *v, 1.0), (*v, *u, 1.0)])
                .collect();
            let graph = RouterGraph::from_arcs(n as u32, arcs);
            let mut dense = vec![vec![0.0; n]; n];
            for (u, v) in pairs {
                let (u, v) = (u as usize, v as usize);
                dense[u][u] += 1.0;
                dense[v][v] += 1.0;
                dense[u][v] -= 1.0;
                dense[v][u] -= 1.0;
            }
            let exact = jacobi(dense);
            let vector = fiedler(&graph);
            let (value, residual) = judge(&graph, &vector);
            assert!(
                (value - exact[1].0).abs() < 1e-10,
                "{n}: {value} for {}",
                exact[1].0
            );
            assert!(residual < 1e-10);
            if exact[2].0 - exact[1].0 > 1e-3 {
                assert!((dot(&vector, &exact[1].1).abs() - 1.0).abs() < 1e-10, "{n}");
            }
        }
    }

    #[test]
    fn multiple_eigenvalues_still_converge() {
        for spec in ["torus:8x8x8", "torus:12x5", "cascade:4x3x2", "torus:25x32"] {
            let torus = topology(spec);
            let graph = torus.graph().unwrap();
            let (value, residual) = judge(graph, &fiedler(graph));
            assert!(
                value > 0.0 && residual <= 1e-11 * value + 1e-12,
                "{spec}: {residual}"
            );
        }
    }
}
