//! How low any placement of S nodes can go: a proved floor under every MPC curve.

use rayon::prelude::*;

use crate::error::Result;
use crate::ids::{NodeId, RouterId};
use crate::topology::Topology;

/// For S = 2, 3, …, N a number that the mean pairwise distance of no S of these nodes undercuts, and so
/// MPC(S) of no ordering of them.
///
/// The ball bound: in a set of S nodes every node is, on the mean over the others, at least as far from
/// them as from its S-1 nearest nodes; the set's mean is the mean of that over its nodes, so at least the
/// smallest over all nodes. Where all routers look alike and all nodes count, one router tells.
///
/// # Errors
/// More memory than allowed, where distances need the router graph.
///
/// # Complexity
/// O(routers²) distances and O(routers · N) sums; O(N) where all routers look alike.
pub fn lower_envelope(topology: &Topology, nodes: &[NodeId]) -> Result<Vec<f64>> {
    topology.require("a floor of MPC curves", 32 * nodes.len() as u64)?;
    let mut count = vec![0usize; topology.network().hosts() as usize];
    nodes.iter().for_each(|n| count[topology.router_of(*n).index()] += 1);
    let used: Vec<RouterId> =
        (0..count.len() as u32).map(RouterId).filter(|r| count[r.index()] > 0).collect();
    let alike =
        topology.network().vertex_transitive() && nodes.len() == topology.nodes().places() as usize;
    let looks = if alike { &used[..used.len().min(1)] } else { &used[..] };
    let least = looks
        .par_iter()
        .map(|router| Ok(nearest_sums(&topology.hops_from(*router)?, &count)))
        .try_reduce_with(|mut a: Vec<u64>, b| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a = (*a).min(b));
            Ok::<_, crate::Error>(a)
        });
    let least = least.unwrap_or_else(|| Ok(Vec::new()))?;
    Ok(least.into_iter().enumerate().map(|(i, sum)| sum as f64 / (i + 1) as f64).collect())
}

/// The sum of the distances to the nearest 1, 2, … other nodes, for a node of the router these hops start
/// from.
fn nearest_sums(hops: &[u32], count: &[usize]) -> Vec<u64> {
    let far = hops.iter().zip(count).filter(|(_, c)| **c > 0).map(|(h, _)| *h).max().unwrap_or(0);
    let mut ring = vec![0usize; far as usize + 1];
    for (hop, count) in hops.iter().zip(count).filter(|(_, c)| **c > 0) {
        ring[*hop as usize] += count;
    }
    // The node itself.
    ring[0] -= 1;
    let mut sum = 0;
    let mut sums = Vec::new();
    for (hop, count) in ring.iter().enumerate() {
        for _ in 0..*count {
            sum += hop as u64;
            sums.push(sum);
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::mpc;
    use crate::ordering::NodeOrder;
    use crate::topology::Context;

    #[test]
    fn no_set_of_nodes_undercuts_the_floor() {
        for spec in ["mesh:3x3", "torus:4x2,exclude=3", "mesh:3x2,per_router=2,exclude=5"] {
            let topology = Topology::inline(spec, &Context::default()).unwrap();
            let nodes: Vec<NodeId> = topology.nodes().iter().collect();
            let floor = lower_envelope(&topology, &nodes).unwrap();
            assert_eq!(floor.len(), nodes.len() - 1);
            let mut touched = 0;
            let mut least = vec![f64::INFINITY; nodes.len() + 1];
            for set in 0u32..1 << nodes.len() {
                let members: Vec<NodeId> =
                    (0..nodes.len()).filter(|i| set >> i & 1 == 1).map(|i| nodes[i]).collect();
                let size = members.len();
                if size < 2 {
                    continue;
                }
                let pairs = members.iter().flat_map(|a| members.iter().map(move |b| (*a, *b)));
                let sum: u32 = pairs.map(|(a, b)| topology.distance(a, b)).sum();
                let mean = f64::from(sum) / (size * (size - 1)) as f64;
                least[size] = least[size].min(mean);
            }
            for (i, floor) in floor.iter().enumerate() {
                assert!(*floor <= least[i + 2] + 1e-12, "{spec} {}", i + 2);
                touched += usize::from((floor - least[i + 2]).abs() < 1e-12);
            }
            assert!(touched > 0, "{spec}: the floor is reached somewhere");
        }
    }

    #[test]
    fn curves_stay_above_the_floor() {
        for spec in ["torus:6x4x3,per_router=2", "slim-fly:q=5", "cascade:4x3x2,limit=20"] {
            let topology = Topology::inline(spec, &Context::default()).unwrap();
            for by in ["row-major", "bfs", "random"] {
                let order = NodeOrder::make(&topology, by).unwrap();
                let curve = mpc::curve(&topology, &order).unwrap();
                let floor = lower_envelope(&topology, order.nodes()).unwrap();
                for (i, floor) in floor.iter().enumerate() {
                    assert!(curve.mpc(i + 2) >= floor - 1e-12, "{spec} {by} {}", i + 2);
                }
            }
        }
    }
}
