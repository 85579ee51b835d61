//! Multi-rail networks: every node on several rails, each rail a fat tree of its own; domains of faster links inside.
//!
//! # Drawing
//! ```text
//! multi-rail:rails=2,domains=2,units=2,spines=1
//!
//! rail 0     spine                rail 1     spine
//!           /     \                         /     \
//!        leaf     leaf                   leaf     leaf
//!        /  \     /  \                   /  \     /  \
//!       0    1   2    3                 0    1   2    3      the same four nodes
//! ```

use super::distance::{Label, Labels};
use super::network::later;
use super::rails::Rails;
use super::{Build, Context, Level, LinkVisitor, Metric, Network, TopologyEntry};
use super::{check_nodes, nodes_option, require_graph};
use crate::error::{Error, Result};
use crate::params::{Opt, Params};

/// `multi-rail:rails=8,domains=32,units=4,spines=4`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "multi-rail",
    about: "nodes with an interface on each rail, a leaf switch a rail in each unit; domains of faster links",
    example: "multi-rail:rails=8,domains=32,units=4,spines=4",
    options: &[
        Opt::whole("rails", "interfaces of each node, one a rail"),
        Opt::whole("domain", "nodes that a switch of faster links joins, such as NVLink's").or("1"),
        Opt::whole("domains", "domains of each unit"),
        Opt::whole("units", "units, each with one leaf switch a rail").or("1"),
        Opt::whole("spines", "spine switches of each rail, linked to all its leaf switches")
            .or("0"),
        Opt::whole("cores", "core switches over the spines of each number, joining rails").or("0"),
        Opt::whole("cables", "cables from a leaf to a spine switch, one link").or("1"),
        Opt::whole("core_cables", "cables from a spine to a core switch, one link").or("1"),
        Opt::flag("gpus", "node ids are GPUs, one a rail of each node"),
        Opt::whole("nvlink", "what a hop inside a domain counts in distances, up to fabric")
            .or("0"),
        Opt::whole("fabric", "what a hop on a rail counts in distances").or("1"),
        Opt::number("nvlink_capacity", "capacity of a link inside a domain; a rail's is 1").or("1"),
        nodes_option(
            "in the place of domains, units: units of 32 nodes or, with larger domains, 8 domains, as few as needed",
        ),
    ],
    build: Build::Formula(MultiRail::from_params),
};

/// Nodes with one interface a rail. A unit has `domains` domains of `domain` nodes each and one leaf switch a rail, to
/// which each of its nodes is linked; the leaf switches of a rail are linked to its spine switches, so that each rail
/// is a network of its own, and `cores` join the spine switches of one number in all rails. The endpoints of a domain
/// (its nodes, or with `gpus` their GPUs) are linked to a switch of their own. [`Rails`] numbers them.
///
/// # Distances
/// A hop counts `nvlink` (v) inside a domain and `fabric` (f ≥ v) outside. Between nodes: 2v in a domain, 2f in a unit,
/// 4f between units. Between GPUs of domains of one node: 2v where the rail differs, and 2f where the node and 2f more
/// where the unit differs: to a GPU on another rail traffic goes to the node's own GPU on that rail first, which costs
/// no more than crossing the core. Both, and GPUs of larger domains with v = 0, are closed forms; GPUs of larger
/// domains with v > 0 are searched. With v = 0 nodes of a domain are at distance 0, and its links still carry loads.
///
/// # Limits
/// Every endpoint is a router of its own, so connected components of free nodes are single ones: what looks for them
/// (window policies but with `slots=runs`, the allocator `bfs`) sees no larger ones here. All endpoints of a rail have
/// one link of capacity 1; core switches carry nothing under `rail`.
///
/// # Complexity
/// O(links) to visit.
///
/// # References
/// NVIDIA, "DGX SuperPOD Reference Architecture Featuring NVIDIA DGX H100 Systems", RA-11333-001, 2023, section on the
/// compute fabric (rail-optimised, three levels); Wang et al., "Rail-only: A Low-Cost High-Performance Network for
/// Training LLMs with Trillion Parameters", 2023 (rails that nothing joins).
#[derive(Clone, Copy, Debug)]
struct MultiRail {
    rails: Rails,
    cables: u32,
    core_cables: u32,
    nvlink: u32,
    fabric: u32,
    nvlink_capacity: f64,
}

/// More of anything than any machine has; keeps products of three within 64 bits.
const HIGH: u32 = 1 << 20;
/// The largest weight: sums of six stay far from the limits of distances.
const WEIGHT: u32 = 1000;

impl MultiRail {
    fn from_params(params: &Params, context: &Context) -> Result<Network> {
        let positive = |key| params.whole(key, 1, HIGH);
        let fabric = params.whole("fabric", 1, WEIGHT)?;
        let nvlink_capacity = params.number("nvlink_capacity", 0.0, 1e9)?;
        if nvlink_capacity <= 0.0 {
            return Err(params.wrong("nvlink_capacity", "a number above 0"));
        }
        let rails = Rails {
            rails: positive("rails")?,
            domain: positive("domain")?,
            domains: positive("domains")?,
            units: positive("units")?,
            spines: params.whole("spines", 0, HIGH)?,
            cores: params.whole("cores", 0, HIGH)?,
            gpus: params.flag("gpus")?,
        };
        if rails.units > 1 && rails.spines == 0 {
            let found = format!("{} units and no spine switches", rails.units);
            let location = params.location_of("units");
            return Err(Error::input(location, found, "spines= of 1 or more, which join units"));
        }
        let network = MultiRail {
            rails,
            cables: positive("cables")?,
            core_cables: positive("core_cables")?,
            nvlink: params.whole("nvlink", 0, fabric)?,
            fabric,
            nvlink_capacity,
        };
        let [r, d, u, s, c] = [rails.rails, rails.domains, rails.units, rails.spines, rails.cores];
        let all = |factors: &[u32]| factors.iter().fold(1u64, |n, f| n.saturating_mul((*f).into()));
        let nodes = all(&[u, d, rails.domain]);
        let endpoints = if rails.gpus { nodes.saturating_mul(r.into()) } else { nodes };
        check_nodes(params.location(), endpoints)?;
        let switches = [all(&[u, d]), all(&[u, r]), all(&[r, s]), all(&[s, c])];
        let routers = switches.iter().fold(endpoints, |n, more| n.saturating_add(*more));
        check_nodes(params.location(), routers)?;
        let links = [nodes.saturating_mul(r.into()), endpoints, all(&[u, r, s]), all(&[r, s, c])];
        let links = links.iter().fold(0u64, |n, more| n.saturating_add(*more));
        require_graph(context, routers, links)?;
        Ok(network.network())
    }

    /// Visits every link with its capacity, and whether it is one inside a domain.
    fn for_each(&self, visit: &mut dyn FnMut(u32, u32, f64, bool)) {
        let r = self.rails;
        for endpoint in 0..r.endpoints() {
            if let Some(switch) = r.switch_of(endpoint) {
                visit(endpoint, switch, self.nvlink_capacity, true);
            }
            for rail in r.rails_of(endpoint) {
                visit(endpoint, r.leaf(r.unit_of(endpoint), rail), 1.0, false);
            }
        }
        for (unit, rail) in (0..r.units).flat_map(|u| (0..r.rails).map(move |rail| (u, rail))) {
            for spine in 0..r.spines {
                visit(r.leaf(unit, rail), r.spine(rail, spine), self.cables.into(), false);
            }
        }
        for (rail, spine) in (0..r.rails).flat_map(|rail| (0..r.spines).map(move |s| (rail, s))) {
            for core in 0..r.cores {
                visit(r.spine(rail, spine), r.core(spine, core), self.core_cables.into(), false);
            }
        }
    }

    /// Links inside domains, from endpoints to leaf switches, above leaf switches.
    fn links(&self) -> [u64; 3] {
        let r = self.rails;
        let [endpoints, rails, spines] = [r.endpoints(), r.rails, r.spines].map(u64::from);
        let inside = if r.switches() > 0 { endpoints } else { 0 };
        let above = rails * spines * (u64::from(r.units) + u64::from(r.cores));
        [inside, endpoints * u64::from(r.interfaces()), above]
    }

    fn network(self) -> Network {
        let r = self.rails;
        let mut levels = vec![Level::even("unit", r.per_unit())];
        if r.domain > 1 {
            levels.push(Level::even("domain", r.per_domain()));
        }
        levels.push(Level::even("node", r.per_node()));
        if r.gpus {
            levels.push(Level::even("gpu", 1));
        }
        let alike = self.fabric == 1 && (self.nvlink == 1 || r.switches() == 0);
        let weights = move || {
            let mut weights = Vec::new();
            let mut add = |inside| weights.push(if inside { self.nvlink } else { self.fabric });
            self.for_each(&mut |_, _, _, inside| add(inside));
            weights
        };
        let [inside, up, above] = self.links();
        let mut links_up = vec![0; levels.len()];
        (links_up[0], links_up[1]) = (above, up);
        if let Some(last) = links_up.last_mut() {
            *last += inside;
        }
        let links = move |visit: &mut LinkVisitor<'_>| {
            self.for_each(&mut |u, v, capacity, _| visit(u, v, capacity));
        };
        Network {
            hosts: r.endpoints(),
            link_weights: if alike { None } else { later(weights) },
            rails: Some(r),
            link_count: later(move || inside + up + above),
            metric: self.metric(),
            levels,
            links_up: later(move || links_up.clone()),
            ..Network::new(self.spec(), r.routers(), 1, links)
        }
    }

    fn spec(&self) -> String {
        let Rails { rails, domain, domains, units, spines, cores, gpus } = self.rails;
        let mut spec = format!("multi-rail:rails={rails},domain={domain},domains={domains}");
        spec += &format!(",units={units},spines={spines}");
        let mut add = |key: &str, value: String, default: &str| {
            if value != default {
                spec += &format!(",{key}={value}");
            }
        };
        add("cores", cores.to_string(), "0");
        add("cables", self.cables.to_string(), "1");
        add("core_cables", self.core_cables.to_string(), "1");
        add("gpus", gpus.to_string(), "false");
        add("nvlink", self.nvlink.to_string(), "0");
        add("fabric", self.fabric.to_string(), "1");
        add("nvlink_capacity", self.nvlink_capacity.to_string(), "1");
        spec
    }

    fn metric(&self) -> Metric {
        let r = self.rails;
        let (inside, hop) = (2 * self.nvlink, 2 * self.fabric);
        let label = |routers: u32, weight| Label {
            extent: r.endpoints() / routers,
            stride: routers,
            weight,
        };
        let unit = label(r.per_unit(), hop);
        let labels = match (r.gpus, r.domain) {
            (false, 1) => vec![label(1, hop), unit],
            (false, _) => vec![label(1, inside), label(r.per_domain(), hop - inside), unit],
            (true, 1) => {
                let rail = Label { extent: r.rails, stride: 1, weight: inside };
                vec![rail, label(r.per_domain(), hop), unit]
            }
            (true, _) if inside == 0 => vec![label(r.per_domain(), hop), unit],
            (true, _) => return Metric::Hops,
        };
        Metric::Labels(Labels { labels })
    }
}

#[cfg(test)]
mod tests {
    use crate::ids::NodeId;
    use crate::topology::testing::{build, check_links, check_metric, check_refused};
    use proptest::prelude::*;

    #[test]
    fn the_reference_architecture_has_its_switches_and_cables() {
        // 16 units: 512 nodes, 4,096 GPUs, 128 leaf, 128 spine, 64 core switches, 4,096 cables at each level.
        for (gpus, nodes) in [(false, 512), (true, 4096)] {
            let spec =
                "multi-rail:rails=8,domains=32,units=16,spines=16,cores=4,cables=2,core_cables=8";
            let machine = build(&format!("{spec},gpus={gpus}"));
            let s = machine.statistics().unwrap();
            let switches = if gpus { 512 } else { 0 };
            assert_eq!((s.nodes, s.routers), (nodes, nodes + switches + 128 + 128 + 64));
            let first_leaf = (nodes + switches) as u32;
            let mut cables = [0.0; 3];
            machine.network().for_each_link(&mut |u, v, capacity| {
                if v >= first_leaf {
                    let above = u32::from(u >= first_leaf) + u32::from(u >= first_leaf + 128);
                    cables[above as usize] += capacity;
                }
            });
            assert_eq!(cables, [4096.0; 3]);
            assert_eq!(s.diameter, 4);
        }
    }

    #[test]
    fn distances_count_what_each_class_of_links_counts() {
        let far = |spec: &str, pairs: [u32; 4]| {
            let machine = build(spec);
            pairs.map(|n| machine.distance(NodeId(0), NodeId(n)))
        };
        // Racks of three nodes, four a unit: in the rack, in the unit, in another unit.
        let racks = "multi-rail:rails=2,domain=3,domains=4,units=2,spines=1";
        assert_eq!(far(racks, [2, 3, 11, 12]), [0, 2, 2, 4]);
        assert_eq!(far(&format!("{racks},nvlink=1,fabric=3"), [2, 3, 11, 12]), [2, 6, 6, 12]);
        // GPUs: own node, same rail of the next, another rail of the next, another rail in another unit.
        let gpus = "multi-rail:rails=4,domains=2,units=2,spines=2,gpus=true";
        assert_eq!(far(gpus, [1, 4, 5, 9]), [0, 2, 2, 4]);
        assert_eq!(far(&format!("{gpus},nvlink=1,fabric=2"), [1, 4, 5, 9]), [2, 4, 6, 10]);
    }

    proptest! {
        #[test]
        fn counts_and_distances_equal_the_graph(
            [rails, domain, domains, units] in [1u32..4, 1u32..4, 1u32..4, 1u32..4],
            [spines, cores] in [1u32..3, 0u32..3],
            gpus in any::<bool>(),
            (nvlink, more) in (0u32..3, 0u32..3),
            keep in 0.2f64..1.0,
        ) {
            let fabric = (nvlink + more).max(1);
            let spec = format!(
                "multi-rail:rails={rails},domain={domain},domains={domains},units={units},spines={spines},\
                 cores={cores},gpus={gpus},nvlink={nvlink},fabric={fabric}"
            );
            let machine = build(&spec);
            check_links(&machine);
            check_metric(&machine);
            let per = if gpus { rails } else { 1 };
            let nodes = units * domains * domain * per;
            let switches = if domain * per > 1 { units * domains } else { 0 };
            let routers = nodes + switches + units * rails + rails * spines + spines * cores;
            prop_assert_eq!((machine.node_count() as u32, machine.network().routers()), (nodes, routers));
            let again = build(machine.spec());
            prop_assert_eq!(again.spec(), machine.spec());
            let limit = ((f64::from(nodes) * keep) as u32).max(1);
            check_metric(&build(&format!("{spec},limit={limit}")));
            let full = machine.statistics().unwrap();
            if units > 1 {
                let apart = if gpus && rails > 1 { 2 * nvlink } else { 0 };
                prop_assert_eq!(full.diameter, 4 * fabric + apart);
            }
        }
    }

    #[test]
    fn wrong_parameters_are_named() {
        check_refused(&[
            ("multi-rail:rails=2", "no `domains`"),
            ("multi-rail:rails=2,domains=2,units=2", "2 units and no spine switches"),
            ("multi-rail:rails=2,domains=2,nvlink=2", "from 0 to 1"),
            ("multi-rail:rails=2,domains=2,nvlink_capacity=0", "above 0"),
            (
                "multi-rail:rails=1048576,domains=1048576,gpus=true",
                "a machine of 1099511627776 nodes",
            ),
            ("multi-rail:rails=1048576,domains=1048576", "more than the 8.0 GB"),
        ]);
    }
}
