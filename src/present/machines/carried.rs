//! Throughput of machines that route well: for each figure what was found, and a proved limit that no routing exceeds.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use nodeorder_base::error::Result;
use nodeorder_base::observer::Observer;
use nodeorder_network::topology::Topology;
use nodeorder_traffic::mapping::Fabric;
use nodeorder_traffic::mapping::routing::{BestShares, PathSet};
use nodeorder_traffic::throughput::matching::find_longest_matching;
use nodeorder_traffic::throughput::traffic::traffic;
use nodeorder_traffic::throughput::{Throughput, best_shares};

/// Throughput of a machine: multiples of traffic in which every node sends 1.
#[derive(Clone, Debug)]
pub struct MachineThroughput {
    /// All-to-all traffic.
    pub all_to_all: Throughput,
    /// The traffic of a longest matching.
    pub matching: Throughput,
    /// Proved lower bound: any traffic in which no node sends or receives more than 1 fits this many times, as
    /// Valiant routing makes two all-to-alls of it. `None` if paths are restricted.
    pub worst_at_least: Option<f64>,
    /// Proved upper bound: some such traffic fits no more than this many times, whichever of the paths that the
    /// routing allows it takes. `None` if nothing is proved.
    pub worst_at_most: Option<f64>,
}

impl MachineThroughput {
    /// Searches for what `topology` carries under `routing`.
    ///
    /// # Errors
    /// As [`best_shares`] and [`find_longest_matching`].
    pub fn search_machine(
        topology: &Topology,
        routing: &BestShares,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let fabric = Fabric::new(topology)?;
        let all_to_all = traffic(topology, "all-to-all")?;
        let all_to_all = best_shares(&fabric, &all_to_all, routing, observer)?;
        let matching = traffic(topology, "matching")?;
        let matching = best_shares(&fabric, &matching, routing, observer)?;
        let nodes = topology.node_count() as f64;
        // Each of the two phases sends 1 spread over all N nodes; all-to-all traffic spreads it over N - 1.
        let at_least = all_to_all.carried_multiple() * nodes / (2.0 * (nodes - 1.0));
        Ok(MachineThroughput {
            worst_at_least: (routing.path_set == PathSet::Any).then_some(at_least),
            worst_at_most: find_longest_matching(topology)?.least_at_most(
                topology,
                [all_to_all.carried_at_most(), matching.carried_at_most()],
            )?,
            all_to_all,
            matching,
        })
    }

    /// Searches for the throughput of all machines, in their order. Fails as [`MachineThroughput::search_machine`].
    pub(super) fn search_machines(
        topologies: &[&Topology],
        routing: &BestShares,
        observer: &dyn Observer,
        progress: &dyn Fn(&str),
    ) -> Result<Vec<Self>> {
        // The largest first: if it needs more memory than allowed, no time is lost on the others.
        let mut largest: Vec<usize> = (0..topologies.len()).collect();
        largest.sort_by_key(|i| Reverse(topologies[*i].node_count()));
        let mut found = BTreeMap::new();
        for i in largest {
            progress(topologies[i].name());
            found.insert(
                i,
                MachineThroughput::search_machine(topologies[i], routing, observer)?,
            );
        }
        Ok(found.into_values().collect())
    }
}
