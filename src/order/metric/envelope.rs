//! A proved floor under every MPC curve: how compact any S nodes can be; and the most compact sets that are found.
//!
//! The floor is the *ball bound*. In a set of S nodes every node is, on the mean over the others, at least as far
//! from them as from its S-1 nearest nodes; so the set's mean distance is at least the smallest of these means over
//! all nodes. On a ring of nodes, the nearest 1, 2, 3 others are 1, 1 and 2 hops away: no four nodes have a mean
//! below 4/3 (the best have 5/3). On products of paths, rings and cliques a bound by entropy is higher for large S.

use nodeorder_base::{NodeId, Result, RouterId};
use nodeorder_network::{Metric, Topology};
use rayon::prelude::*;

/// Number of distances up to which floors and compact sets are computed; machines that need more have none.
const MOST: u64 = 100_000_000;

/// Computes for S = 2, 3, …, N a lower bound of the mean pairwise distance of any S of these nodes, and so of MPC(S)
/// of every ordering of them: the larger of the ball bound and, on products of paths, rings and cliques, the bound
/// by entropy ([`nodeorder_network::topology::distance::Product::bound_mean_distances`]). `None` if neither can be
/// had, and on a machine in several components. Fails if distances need the router graph and that more memory than
/// allowed. O(routers²) distances and O(routers · N) sums; O(N) where all routers look alike.
pub fn lower_envelope(topology: &Topology, nodes: &[NodeId]) -> Result<Option<Vec<f64>>> {
    if topology.component_count() > 1 {
        return Ok(None);
    }
    topology.require_memory("a floor of MPC curves", 32 * nodes.len() as u64)?;
    let balls = ball_bound(topology, nodes)?;
    let Metric::Product(product) = topology.metric() else {
        return Ok(balls);
    };
    let mut floor = product.bound_mean_distances(topology.network().per_router(), nodes.len());
    for least in &mut floor {
        *least = least.max(0.0);
    }
    for (least, ball) in floor.iter_mut().zip(balls.into_iter().flatten()) {
        *least = least.max(ball);
    }
    Ok(Some(floor))
}

/// Computes the ball bound. Where all routers look alike and all nodes count, one router is enough; where some do not
/// count and they are too many to look at each, the floor is that of the whole machine. `None` if it would take more
/// than 10⁸ distances.
fn ball_bound(topology: &Topology, nodes: &[NodeId]) -> Result<Option<Vec<f64>>> {
    let (mut count, mut used) = count_by_router(topology, nodes);
    // On such networks every node sees the same distances to all others.
    let alike = topology.network().vertex_transitive;
    let many = used.len() as u64 * (count.len() + nodes.len()) as u64 > MOST;
    if alike && (many || nodes.len() == topology.nodes().slot_count() as usize) {
        count.fill(u64::from(topology.network().per_router()));
        used.truncate(1);
    } else if many {
        return Ok(None);
    }
    let sums = used
        .par_iter()
        .map(|router| Ok(sum_nearest(&topology.hops_from(*router)?, &count)));
    let mut least = elementwise_least(sums)?;
    least.truncate(nodes.len().saturating_sub(1));
    let means = least.into_iter().enumerate();
    Ok(Some(
        means.map(|(i, sum)| sum as f64 / (i + 1) as f64).collect(),
    ))
}

/// Counts the nodes of each router, and lists the routers that carry some.
fn count_by_router(topology: &Topology, nodes: &[NodeId]) -> (Vec<u64>, Vec<RouterId>) {
    let mut count = vec![0; topology.network().hosts() as usize];
    for node in nodes {
        count[topology.router_of(*node).index()] += 1;
    }
    let used = (0..count.len() as u32)
        .map(RouterId)
        .filter(|r| count[r.index()] > 0)
        .collect();
    (count, used)
}

/// Finds the least of all lists element by element; an empty list if there are none.
fn elementwise_least(lists: impl ParallelIterator<Item = Result<Vec<u64>>>) -> Result<Vec<u64>> {
    let least = lists.try_reduce_with(|mut a, b| {
        for (a, b) in a.iter_mut().zip(b) {
            *a = b.min(*a);
        }
        Ok(a)
    });
    least.unwrap_or_else(|| Ok(Vec::new()))
}

/// Number of routers up to which compact sets are grown from several nodes.
const FEW: usize = 2000;

/// Computes for S = 2, 3, …, N the mean pairwise distance of the most compact set of S of these nodes that was found:
/// sets grown node by node, each the one that adds the least, from up to three routers. A single job alone on
/// the machine could have it; an ordering has to do with all its windows. `None` if that would take more
/// than 10⁸ distances, a search counting four times, and on a machine in several components. Fails if distances need
/// the router graph and that more memory than allowed. O(routers²) for each of three starts.
pub fn compact_sets(topology: &Topology, nodes: &[NodeId]) -> Result<Option<Vec<f64>>> {
    if topology.component_count() > 1 {
        return Ok(None);
    }
    topology.require_memory("compact sets", 64 * nodes.len() as u64)?;
    let (count, used) = count_by_router(topology, nodes);
    let whole = nodes.len() == topology.nodes().slot_count() as usize;
    // From each of routers that look alike, the same sets grow.
    let one = whole && topology.network().vertex_transitive || used.len() > FEW;
    let starts = if one {
        vec![0]
    } else {
        vec![0, used.len() / 3, used.len() / 2]
    };
    // A search goes over links and takes longer than a formula.
    let price = if matches!(topology.metric(), Metric::Hops) {
        4
    } else {
        1
    };
    let distances = (used.len() as u64).saturating_mul(count.len() as u64);
    if distances.saturating_mul(price) > MOST || used.is_empty() {
        return Ok(None);
    }
    let grown = starts
        .par_iter()
        .map(|start| grow_set(topology, &used, &count, used[*start]));
    let least = elementwise_least(grown)?.into_iter().enumerate();
    let means = least.map(|(i, sum)| sum as f64 / ((i + 2) * (i + 1) / 2) as f64);
    Ok(Some(means.collect()))
}

/// Grows a set router by router, always by the one nearest to those taken. Returns the pair-distance sums of its first
/// 2, 3, … nodes.
fn grow_set(
    topology: &Topology,
    used: &[RouterId],
    count: &[u64],
    start: RouterId,
) -> Result<Vec<u64>> {
    let mut left: Vec<RouterId> = used.to_vec();
    // Sum of the distances to all nodes taken, for each router.
    let mut sums = vec![0u64; count.len()];
    let mut next = start;
    let mut total = 0;
    let mut totals = Vec::new();
    loop {
        for _ in 0..count[next.index()] {
            total += sums[next.index()];
            totals.push(total);
        }
        left.retain(|r| *r != next);
        let hops = topology.hops_from(next)?;
        let mut nearest: Option<(u64, RouterId)> = None;
        for router in &left {
            let sum = &mut sums[router.index()];
            *sum += u64::from(hops[router.index()]) * count[next.index()];
            // On ties the lowest id.
            if nearest.is_none_or(|(least, _)| *sum < least) {
                nearest = Some((*sum, *router));
            }
        }
        match nearest {
            Some((_, router)) => next = router,
            None => return Ok(totals.split_off(1.min(totals.len()))),
        }
    }
}

/// Sums the distances to the nearest 1, 2, … other nodes, for a node of the router these hops start from.
fn sum_nearest(hops: &[u32], count: &[u64]) -> Vec<u64> {
    let mut ring = vec![0u64];
    // Routers without nodes may be unreached, at a distance above all others.
    for (hop, count) in hops.iter().zip(count).filter(|(_, c)| **c > 0) {
        let hop = *hop as usize;
        ring.resize(ring.len().max(hop + 1), 0);
        ring[hop] += count;
    }
    // The node itself is at distance 0 and is none of the others.
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
    use nodeorder_network::Context;

    #[test]
    fn no_set_of_nodes_undercuts_the_floor() {
        for spec in [
            "mesh:3x3",
            "torus:4x2,exclude=3",
            "mesh:3x2,per_router=2,exclude=5",
        ] {
            let topology = Topology::inline(spec, &Context::default()).unwrap();
            let nodes: Vec<NodeId> = topology.nodes().iter().collect();
            let floor = lower_envelope(&topology, &nodes).unwrap().unwrap();
            assert_eq!(floor.len(), nodes.len() - 1);
            let mut touched = 0;
            let mut least = vec![f64::INFINITY; nodes.len() + 1];
            for set in 0u32..1 << nodes.len() {
                let members: Vec<NodeId> = (0..nodes.len())
                    .filter(|i| set >> i & 1 == 1)
                    .map(|i| nodes[i])
                    .collect();
                let size = members.len();
                if size < 2 {
                    continue;
                }
                let pairs = members
                    .iter()
                    .flat_map(|a| members.iter().map(move |b| (*a, *b)));
                let sum: u32 = pairs.map(|(a, b)| topology.distance(a, b)).sum();
                let mean = f64::from(sum) / (size * (size - 1)) as f64;
                least[size] = least[size].min(mean);
            }
            let compact = compact_sets(&topology, &nodes).unwrap().unwrap();
            assert_eq!(compact.len(), floor.len());
            assert_eq!(
                compact.last(),
                least.last(),
                "{spec}: all nodes are one set"
            );
            for (i, compact) in compact.iter().enumerate() {
                assert!(*compact >= least[i + 2] - 1e-12, "{spec} {}", i + 2);
            }
            assert!(
                (compact[0] - least[2]).abs() < 1e-12,
                "{spec}: the nearest two are found"
            );
            for (i, floor) in floor.iter().enumerate() {
                assert!(*floor <= least[i + 2] + 1e-12, "{spec} {}", i + 2);
                touched += usize::from((floor - least[i + 2]).abs() < 1e-12);
            }
            assert!(touched > 0, "{spec}: the floor is reached somewhere");
        }
    }

    #[test]
    fn curves_stay_above_the_floor() {
        for spec in [
            "torus:6x4x3,per_router=2",
            "slim-fly:q=5",
            "cascade:4x3x2,limit=20",
        ] {
            let topology = Topology::inline(spec, &Context::default()).unwrap();
            for by in ["row-major", "bfs", "random"] {
                let order = NodeOrder::make(&topology, by).unwrap();
                let curve = mpc::curve(&topology, &order).unwrap();
                let floor = lower_envelope(&topology, order.nodes()).unwrap().unwrap();
                for (i, floor) in floor.iter().enumerate() {
                    assert!(curve.mpc(i + 2) >= floor - 1e-12, "{spec} {by} {}", i + 2);
                }
            }
        }
    }
}
