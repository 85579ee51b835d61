//! The pair pass for any metric: every pair of ranks once, O(N²), rows in parallel.

use super::Sums;
use crate::error::Result;
use crate::ordering::NodeOrder;
use crate::topology::Topology;

pub(super) fn sums(topology: &Topology, order: &NodeOrder) -> Result<Sums> {
    let nodes = order.nodes();
    let n = nodes.len();
    let mut sums = Sums { lag: vec![0; n], row: vec![0; n], col: vec![0; n] };
    for i in 0..n {
        let hops = topology.hops_from(topology.router_of(nodes[i]))?;
        for j in i + 1..n {
            let d = u64::from(hops[topology.router_of(nodes[j]).index()]);
            sums.lag[j - i] += d;
            sums.row[i] += d;
            sums.col[j] += d;
        }
    }
    Ok(sums)
}
