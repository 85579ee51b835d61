//! What machines carry when they route well: proved brackets.

use nodeorder_base::error::Result;
use nodeorder_base::observer::Observer;
use nodeorder_network::topology::Topology;
use nodeorder_traffic::mapping::Fabric;
use nodeorder_traffic::mapping::routing::{BestShares, PathSet};
use nodeorder_traffic::throughput::matching::longest;
use nodeorder_traffic::throughput::traffic::traffic;
use nodeorder_traffic::throughput::{Throughput, best_shares};

/// Throughput of a machine: multiples of traffic in which every node sends 1.
#[derive(Clone, Debug)]
pub struct Carried {
    /// All-to-all traffic.
    pub all_to_all: Throughput,
    /// The traffic of a longest matching.
    pub matching: Throughput,
    /// Multiple of any traffic in which no node sends or receives more than 1 that fits at least: by Valiant, who
    /// makes two all-to-alls of it. Only where any path may be taken.
    pub worst_at_least: Option<f64>,
    /// A multiple that the same does not exceed for some such traffic, however it is routed.
    pub worst_at_most: Option<f64>,
}

impl Carried {
    /// Searches for what `topology` carries under `routing`.
    ///
    /// # Errors
    /// As [`best_shares`] and [`longest`].
    pub fn of(topology: &Topology, routing: &BestShares, observer: &dyn Observer) -> Result<Self> {
        let fabric = Fabric::new(topology)?;
        let find = |name| best_shares(&fabric, &traffic(topology, name)?, routing, observer);
        let all_to_all = find("all-to-all")?;
        let matching = find("matching")?;
        let nodes = topology.node_count() as f64;
        let any = routing.path_set == PathSet::Any;
        let at_least = all_to_all.found() * nodes / (2.0 * (nodes - 1.0));
        Ok(Carried {
            worst_at_least: any.then_some(at_least),
            worst_at_most: longest(topology)?.worst_at_most(topology)?,
            all_to_all,
            matching,
        })
    }

    /// Throughput of all machines. The largest comes first: where it takes more memory than allowed, no time is lost.
    /// Errors: as [`Carried::of`].
    pub(super) fn of_all(
        topologies: &[&Topology],
        routing: &BestShares,
        observer: &dyn Observer,
        progress: &dyn Fn(&str),
    ) -> Result<Vec<Self>> {
        let mut largest: Vec<usize> = (0..topologies.len()).collect();
        largest.sort_by_key(|i| std::cmp::Reverse(topologies[*i].node_count()));
        let mut found = Vec::new();
        for i in largest {
            progress(topologies[i].name());
            found.push((i, Carried::of(topologies[i], routing, observer)?));
        }
        found.sort_by_key(|(i, _)| *i);
        Ok(found.into_iter().map(|(_, carried)| carried).collect())
    }
}
