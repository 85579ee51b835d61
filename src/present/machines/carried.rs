//! Throughput of machines that route well: for each figure what was found, and a proved limit that no routing exceeds.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::confidence::Difference;
use nodeorder_base::{Observer, Result};
use nodeorder_network::Topology;
use nodeorder_traffic::mapping::Fabric;
use nodeorder_traffic::mapping::routing::{BestShares, PathSet};
use nodeorder_traffic::throughput::matching::find_longest_matching;
use nodeorder_traffic::throughput::traffic::traffic;
use nodeorder_traffic::throughput::{Throughput, best_shares, best_shares_of_rest};

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

/// Number of draws of the broken parts.
const DRAWS: u64 = 10;
/// Gap that is small enough for a draw: draws differ by more.
const DRAW_GAP: f64 = 0.05;
/// Routing of a search that only `--broken` asks for: the whole machine is searched as closely as what is left of it.
pub const BROKEN_ROUTING: &str = "ideal:gap=0.05";

/// Figures of a machine of which a part is broken: means over ten draws, with their intervals.
#[derive(Clone, Debug)]
pub struct BrokenFigures {
    /// All-to-all throughput that was found of what is left.
    pub throughput: Difference,
    /// Upper bound of the all-to-all throughput of what is left: no routing exceeds it.
    pub at_most: Difference,
    /// Number of nodes that are broken or cut off.
    pub unreachable: Difference,
}

impl BrokenFigures {
    /// Measures `topology`, which carries the all-to-all traffic `whole`, ten times without the parts that `broken`
    /// names (`links:0.02`, `switches:1`), drawn with the seeds 1 to 10. The search of each draw ends at a gap of 5 %,
    /// or that of `routing` where it is wider, or after a few rounds.
    ///
    /// # Errors
    /// A wrong `broken`; as [`best_shares_of_rest`].
    pub(super) fn measure_draws(
        topology: &Topology,
        broken: &str,
        routing: &BestShares,
        whole: &Throughput,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let routing = BestShares {
            gap: routing.gap.max(DRAW_GAP),
            ..routing.clone()
        };
        let fabric = Fabric::new(topology)?;
        // Both spellings are in use: that of options on a command line, and that within a specification.
        let broken = broken.replacen('=', ":", 1);
        let mut throughput = Vec::new();
        let mut at_most = Vec::new();
        let mut unreachable = Vec::new();
        for seed in 1..=DRAWS {
            let spec = format!("{},broken={broken},broken_seed={seed}", topology.spec());
            let left = Topology::inline(&spec, topology.context())?;
            let demand = traffic(&left, "all-to-all")?;
            let rest = Fabric::new(&left)?;
            let found = best_shares_of_rest(&rest, &demand, &routing, (&fabric, whole), observer)?;
            throughput.push(found.carried_multiple());
            at_most.push(found.carried_at_most());
            unreachable.push(left.unreachable_nodes() as f64);
        }
        Ok(BrokenFigures {
            throughput: Difference::over_seeds("all-to-all throughput", "", &throughput),
            at_most: Difference::over_seeds("all-to-all throughput at most", "", &at_most),
            unreachable: Difference::over_seeds("unreachable nodes", "nodes", &unreachable),
        })
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_base::observer::NoObserver;

    fn search(spec: &str, routing: &str) -> MachineThroughput {
        let machine = Topology::inline(spec, &Default::default()).unwrap();
        let routing = BestShares::parse_routing(routing).unwrap().unwrap();
        MachineThroughput::search_machine(&machine, &routing, &NoObserver).unwrap()
    }

    #[test]
    fn the_worst_traffic_is_never_above_a_proved_bound() {
        for spec in [
            "torus:4x4x3",
            "mesh:5x4,per_router=2",
            "dragonfly:p=2,a=4,h=2,g=5",
            "fat-tree:k=4",
            "fat-tree:nodes=60",
            "leaf-spine:leaves=4,down=4,up=2,spines=2",
            "random-regular:n=24,d=3,seed=4",
            "hyperx:4x4,broken=links:0.1",
            "torus:6,limit=5",
        ] {
            let found = search(spec, "ideal");
            let most = found.worst_at_most.unwrap();
            assert!(most <= found.all_to_all.carried_at_most(), "{spec}");
            assert!(most <= found.matching.carried_at_most(), "{spec}");
            assert!(
                found.worst_at_least.unwrap() <= most * (1.0 + 1e-9),
                "{spec}"
            );
        }
    }

    /// Fewer links never carry more: what is proved of the later against what is found of the earlier, on machines so
    /// small that both are the optimum.
    #[test]
    fn throughput_does_not_rise_as_more_links_break() {
        for spec in ["torus:4x4", "dragonfly:p=1,a=4,h=2,g=5", "hyperx:3x4"] {
            for seed in [3, 4, 5] {
                let mut before = search(spec, "ideal:gap=0.000001").all_to_all;
                for share in ["0.05", "0.1", "0.15"] {
                    let spec = format!("{spec},broken=links:{share},broken_seed={seed}");
                    let machine = Topology::inline(&spec, &Default::default()).unwrap();
                    if machine.unreachable_nodes() > 0 {
                        break;
                    }
                    let after = search(&spec, "ideal:gap=0.000001").all_to_all;
                    let most = before.carried_multiple() * (1.0 + 1e-6);
                    assert!(after.carried_at_most() <= most, "{spec}");
                    before = after;
                }
            }
        }
    }
}
