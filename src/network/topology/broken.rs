//! Failures: cables and switches of a machine that are broken.
//!
//! A broken switch takes its cables and its nodes with it. What no path joins to the largest piece that is left, by
//! nodes, is out of service as well, so that figures are those of this piece:
//!
//! ```text
//! 0 - 1 - 2 - 3    broken=1,2: nodes on 0 and 1 are kept (of pieces alike the first), those on 2 and 3 cut off
//! ```

use std::collections::HashMap;
use std::path::PathBuf;

use petgraph::unionfind::UnionFind;

use super::context::Context;
use super::link_list::{network_of_links, number_sets};
use super::network::{Network, on_request};
use super::source_file::read;
use nodeorder_base::params::Written;
use nodeorder_base::random::{random_below, seed_generator};
use nodeorder_base::{Params, Result, RouterId};

/// The forms of `broken`, for messages.
const FORMS: &str =
    "links:SHARE (0 to 1, or as in links:2%), switches:K, or a CSV file of u,v or switches";

/// The option `broken`, read.
pub struct BrokenOption {
    parts: BrokenParts,
    seed: u64,
    /// Text of the option and its seed in a specification.
    suffix: String,
    written: Written,
}

/// The option's broken parts, as given.
enum BrokenParts {
    /// Share of the cables.
    Links(f64),
    /// Number of switches.
    Switches(u64),
    /// A file of pairs of switches, all of whose cables are broken, and of switches.
    File(PathBuf),
}

/// Link of a network, with the number of its cables that are broken.
struct CabledLink {
    ends: (u32, u32),
    capacity: f64,
    cables: u32,
    broken: u32,
}

impl BrokenOption {
    /// Parses the options `broken` and `broken_seed`; `None` if they are not given.
    pub fn parse(params: &Params) -> Result<Option<Self>> {
        let Some(text) = params.optional_word("broken")? else {
            params.refuse_unread(&["broken_seed"])?;
            return Ok(None);
        };
        let seed = params.required_integer("broken_seed", 0, u64::MAX)?;
        let parts = match text.split_once(':') {
            Some(("links", share)) => parse_share(share).map(BrokenParts::Links),
            Some(("switches", count)) => count.parse().ok().map(BrokenParts::Switches),
            _ => params.optional_path("broken")?.map(BrokenParts::File),
        };
        let written = params.written_value("broken");
        let Some(parts) = parts else {
            return Err(written.invalid_value(FORMS));
        };
        let mut suffix = format!(",broken={text}");
        if seed != 1 {
            suffix += &format!(",broken_seed={seed}");
        }
        Ok(Some(BrokenOption {
            parts,
            seed,
            suffix,
            written,
        }))
    }

    /// Removes broken cables and switches from `network`, and takes nodes that are cut off from the piece of most nodes
    /// out of service; `nodes_at` are the nodes of every router.
    ///
    /// With one seed the cables of a smaller share are among those of a larger one, and so are switches.
    ///
    /// # Errors
    /// A network of several rails; a file's line of no switch or link; more memory than allowed; no node left.
    ///
    /// # Complexity
    /// O(cables + routers).
    pub fn break_network(
        &self,
        network: Network,
        nodes_at: &[u64],
        context: &Context,
    ) -> Result<Network> {
        if network.rails().is_some() {
            let expected = "a network of one rail: rails are counted as copies of each other";
            return Err(self.written.invalid_value(expected));
        }
        let routers = network.routers() as usize;
        let bytes = 40 * network.link_count() + 8 * routers as u64;
        context.require_memory("the links and which are broken", bytes)?;
        let mut links = Vec::new();
        network.for_each_cabled_link(&mut |u, v, capacity, cables| {
            links.push(CabledLink {
                ends: (u.min(v), u.max(v)),
                capacity,
                cables,
                broken: 0,
            });
        });
        let mut is_dead = vec![false; routers];
        match &self.parts {
            BrokenParts::Links(share) => self.draw_cables(*share, &mut links, context)?,
            BrokenParts::Switches(count) => {
                if *count >= routers as u64 {
                    let expected = format!("fewer switches than the {routers} that there are");
                    return Err(self.written.invalid_value(expected));
                }
                for router in self.draw(*count, (0..routers).collect()) {
                    is_dead[router] = true;
                }
            }
            BrokenParts::File(path) => {
                read_broken(path, &network, &mut links, &mut is_dead, context)?;
            }
        }
        for link in &mut links {
            if is_dead[link.ends.0 as usize] || is_dead[link.ends.1 as usize] {
                link.broken = link.cables;
            }
        }
        self.rebuild(network, nodes_at, links, &is_dead)
    }

    /// Draws `count` of `all` without replacement.
    fn draw<T: Copy>(&self, count: u64, mut all: Vec<T>) -> Vec<T> {
        let mut random = seed_generator(self.seed);
        for i in 0..count as usize {
            let from = i + random_below((all.len() - i) as u64, &mut random) as usize;
            all.swap(i, from);
        }
        all.truncate(count as usize);
        all
    }

    /// Breaks a share of the cables, rounded to a whole number of them.
    fn draw_cables(&self, share: f64, links: &mut [CabledLink], context: &Context) -> Result<()> {
        let all: u64 = links.iter().map(|link| u64::from(link.cables)).sum();
        context.require_memory("all cables, to draw from", 8 * all)?;
        let mut cables = Vec::with_capacity(all as usize);
        for (i, link) in links.iter().enumerate() {
            cables.extend((0..link.cables).map(|_| i));
        }
        for link in self.draw((share * all as f64).round() as u64, cables) {
            links[link].broken += 1;
        }
        Ok(())
    }

    /// Builds the network that is left of `network`. Fails if it has no node.
    fn rebuild(
        &self,
        network: Network,
        nodes_at: &[u64],
        links: Vec<CabledLink>,
        is_dead: &[bool],
    ) -> Result<Network> {
        let tiers = find_tiers(&network, &links);
        let mut links_up = network
            .links_up()
            .filter(|_| network.hosts < network.routers);
        let weights = network.link_weights();
        let mut kept_weights = Vec::new();
        let mut ends = Vec::new();
        let mut capacities = Vec::new();
        let mut counts = Vec::new();
        let mut pieces = UnionFind::<u32>::new(is_dead.len());
        for (i, link) in links.iter().enumerate() {
            let (u, v) = link.ends;
            let left = link.cables - link.broken;
            if left == 0 {
                // The innermost level is the last.
                if let Some(up) = links_up.as_mut().filter(|up| !up.is_empty()) {
                    let tier = tiers[u as usize].min(tiers[v as usize]);
                    let level = (up.len() - 1).saturating_sub(tier as usize);
                    up[level] -= 1;
                }
                continue;
            }
            pieces.union(u, v);
            ends.push(link.ends);
            capacities.push(link.capacity * f64::from(left) / f64::from(link.cables));
            counts.push(left);
            kept_weights.extend(weights.as_ref().map(|weights| weights[i]));
        }
        let component_of = number_sets(pieces);
        let mut sizes = vec![0u64; is_dead.len()];
        for (router, nodes) in nodes_at.iter().enumerate() {
            if !is_dead[router] {
                sizes[component_of[router] as usize] += nodes;
            }
        }
        // Of pieces alike the first.
        let largest = (0..sizes.len()).rev().max_by_key(|piece| sizes[*piece]);
        let largest = largest.filter(|piece| sizes[*piece] > 0);
        let largest = largest.ok_or_else(|| self.written.invalid_value("one node left"))?;
        let mut down = network.down.clone();
        for router in 0..network.hosts {
            let at = router as usize;
            if is_dead[at] || component_of[at] as usize != largest {
                down.extend(network.slots_of(RouterId(router)).map(|node| node.0));
            }
        }
        down.sort_unstable();
        down.dedup();
        let spec = format!("{}{}", network.spec(), self.suffix);
        let list = network_of_links(spec, network.routers, network.per_router, ends, capacities);
        let is_joined = component_of.iter().all(|component| *component == 0);
        Ok(Network {
            spec: list.spec,
            links: list.links,
            link_count: list.link_count,
            link_weights: if weights.is_some() {
                on_request(move || kept_weights.clone())
            } else {
                None
            },
            links_up: links_up.and_then(|up| on_request(move || up.clone())),
            cable_counts: network.cable_counts.as_ref().map(|_| counts),
            component_of: if is_joined { Vec::new() } else { component_of },
            down,
            is_broken: true,
            // What formulas say holds for the whole network alone.
            degrees: list.degrees,
            cables: list.cables,
            metric: list.metric,
            cut_bounds: list.cut_bounds,
            vertex_transitive: false,
            ..network
        })
    }
}

/// Parses a share from 0 to 1, or from 0 to 100 with a per cent sign.
fn parse_share(text: &str) -> Option<f64> {
    let share = match text.strip_suffix('%') {
        Some(number) => number.parse::<f64>().ok()? / 100.0,
        None => text.parse().ok()?,
    };
    (0.0..=1.0).contains(&share).then_some(share)
}

/// Counts the links from every router down to the nearest one with nodes.
fn find_tiers(network: &Network, links: &[CabledLink]) -> Vec<u32> {
    let mut tiers: Vec<u32> = (0..network.routers)
        .map(|router| {
            if router < network.hosts {
                0
            } else {
                u32::MAX - 1
            }
        })
        .collect();
    // Trees have few tiers: each round finds one.
    let mut changed = true;
    while changed {
        changed = false;
        for link in links {
            let [u, v] = [link.ends.0 as usize, link.ends.1 as usize];
            for (low, high) in [(u, v), (v, u)] {
                if tiers[high] > tiers[low] + 1 {
                    tiers[high] = tiers[low] + 1;
                    changed = true;
                }
            }
        }
    }
    tiers
}

/// Reads which links and switches of `network` are broken: lines of two switches or of one, by name or id, after a
/// header or not. Fails at a line that names neither a link nor a switch.
fn read_broken(
    path: &std::path::Path,
    network: &Network,
    links: &mut [CabledLink],
    is_dead: &mut [bool],
    context: &Context,
) -> Result<()> {
    let mut ids = HashMap::new();
    for (name, id) in network.switch_names.iter().zip(0u32..) {
        ids.insert(name.as_str(), id);
    }
    let at: HashMap<(u32, u32), usize> = links.iter().zip(0..).map(|(l, i)| (l.ends, i)).collect();
    let text = read(path, context)?;
    for (number, line) in text.data_lines().enumerate() {
        let fields = line.split_csv()?;
        if number == 0 && ["u", "source", "switch", "from"].contains(&&*fields[0]) {
            continue;
        }
        let mut found = Vec::new();
        for field in &fields {
            let id = ids.get(&**field).copied().or_else(|| field.parse().ok());
            found.push(id.filter(|id| *id < network.routers()));
        }
        let link = match found[..] {
            [Some(router)] => {
                is_dead[router as usize] = true;
                continue;
            }
            [Some(u), Some(v)] => at.get(&(u.min(v), u.max(v))),
            _ => None,
        };
        let Some(link) = link else {
            let expected = "a switch, or two that a link joins, by name or id";
            return Err(line.whole_error(expected));
        };
        links[*link].broken = links[*link].cables;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::topology::testing::{build, check_links, check_refused, from_file};
    use crate::topology::{Context, Topology};

    /// Writes the links of a machine as a file of `graph:`.
    fn as_graph(machine: &Topology, options: &str) -> Topology {
        let mut text = "u,v,capacity,cables\n".to_string();
        machine
            .network()
            .for_each_cabled_link(&mut |u, v, capacity, cables| {
                text += &format!("{u},{v},{},{cables}\n", capacity / f64::from(cables));
            });
        from_file("graph", &text, options).unwrap()
    }

    #[test]
    fn figures_are_those_of_the_graph_that_is_left() {
        for (spec, options) in [
            ("torus:6x5x4", ""),
            ("torus:2x6x5,double=true,per_router=3", ",per_router=3"),
            ("dragonfly:p=2,a=6,h=3,g=7", ",per_router=2"),
            ("hyperx:4x5,per_router=2,limit=33", ",per_router=2,limit=33"),
            ("random-regular:n=50,d=5,seed=3", ""),
        ] {
            for seed in [1, 2, 7] {
                let machine = build(&format!("{spec},broken=links:5%,broken_seed={seed}"));
                check_links(&machine);
                let whole = build(spec).statistics().unwrap();
                let graph = as_graph(&machine, options).statistics().unwrap();
                let s = machine.statistics().unwrap();
                let broken = (0.05 * whole.cables as f64).round() as u64;
                assert_eq!(s.cables, whole.cables - broken, "{spec}");
                assert_eq!(machine.unreachable_nodes(), 0);
                assert_eq!(
                    (
                        s.nodes,
                        s.routers,
                        s.links,
                        s.cables,
                        s.ports,
                        s.total_distance
                    ),
                    (
                        graph.nodes,
                        graph.routers,
                        graph.links,
                        graph.cables,
                        graph.ports,
                        graph.total_distance
                    ),
                );
                assert_eq!(
                    (s.degree_min, s.degree_max, s.diameter, s.components),
                    (
                        graph.degree_min,
                        graph.degree_max,
                        graph.diameter,
                        graph.components
                    )
                );
                let again = Topology::inline(machine.spec(), &Context::default()).unwrap();
                assert_eq!(again.statistics().unwrap().total_distance, s.total_distance);
                assert_eq!(again.spec(), machine.spec());
            }
        }
    }

    /// The links of a smaller share are broken in a larger one, too.
    #[test]
    fn shares_of_one_seed_are_nested() {
        let links = |share: &str| {
            let machine = build(&format!("torus:5x5x5,broken=links:{share},broken_seed=4"));
            let mut links = std::collections::BTreeSet::new();
            machine.network().for_each_link(&mut |u, v, _| {
                links.insert((u, v));
            });
            links
        };
        let [few, more] = [links("0.1"), links("0.2")];
        assert_eq!((few.len(), more.len()), (375 - 38, 300));
        assert!(more.is_subset(&few));
    }

    #[test]
    fn a_broken_switch_takes_its_nodes_and_what_it_cuts_off() {
        // A path of eight routers, two nodes each; router 2 parts 0 and 1 from 3 to 7.
        let path = build("mesh:8,per_router=2");
        assert_eq!(path.node_count(), 16);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("broken.csv");
        let spec = format!("mesh:8,per_router=2,broken={}", file.display());
        for (text, nodes) in [
            ("2\n", 10),
            ("u,v\n1,2\n", 12),
            ("2\n5,6\n", 6),
            ("0\n", 14),
        ] {
            std::fs::write(&file, text).unwrap();
            let machine = build(&spec);
            assert_eq!(machine.node_count(), nodes, "{text}");
            assert_eq!(machine.unreachable_nodes(), 16 - nodes as u64);
            assert_eq!(machine.component_count(), 1);
        }
        for (text, part) in [("9\n", "`9`"), ("u,v\n1,3\n", ":2: "), ("a\n", "a switch")] {
            std::fs::write(&file, text).unwrap();
            let error = Topology::inline(&spec, &Context::default()).unwrap_err();
            assert!(error.to_string().contains(part), "{error}");
        }
        // A leaf switch of a tree and its four nodes.
        std::fs::write(&file, "0\n").unwrap();
        let tree = build(&format!("xgft:m=4x3x2,w=1x2x2,broken={}", file.display()));
        let whole = build("xgft:m=4x3x2,w=1x2x2");
        assert_eq!((tree.node_count(), tree.unreachable_nodes()), (20, 4));
        let links = |machine: &Topology| {
            let levels = machine.level_table();
            levels.iter().map(|level| level.links).collect::<Vec<_>>()
        };
        assert_eq!((links(&whole), links(&tree)), (vec![8, 12], vec![8, 10]));
    }

    #[test]
    fn switches_are_drawn_and_wrong_texts_named() {
        let machine = build("torus:6x6,broken=switches:3,broken_seed=9");
        assert_eq!((machine.node_count(), machine.unreachable_nodes()), (33, 3));
        check_refused(&[
            ("torus:4x4,broken_seed=3", "broken_seed"),
            ("torus:4x4,broken=links:2", "links:SHARE"),
            ("torus:4x4,broken=links:101%", "links:SHARE"),
            ("torus:4x4,broken=switches:16", "fewer switches than the 16"),
            (
                "multi-rail:rails=2,domains=2,units=2,spines=2,broken=links:0.1",
                "one rail",
            ),
        ]);
    }
}
