//! SimGrid platforms: hosts and routers, joined as routes say, and clusters by their `topology`.
//!
//! The links of a route stand in a row: each leads from where the one before ends, `direction="UP"` from its first end
//! to its second, DOWN back, and what is one place in any route is one router. A link that a route must pass between
//! the same place is a backbone, which a switch is, too. Clusters are wired as SimGrid wires them:
//! `src/kernel/routing/TorusZone.cpp` (`create_torus_links`), `FatTreeZone.cpp` (`generate_labels`, `are_related`),
//! `DragonflyZone.cpp` (`generate_links`); hosts are numbered by `explodesRadical` of
//! `src/kernel/xml/platf_sax_cb.cpp`. A host with one link stands on the router at its other end; one with several has
//! a switch of its own.

use std::collections::{BTreeSet, HashMap};

use petgraph::unionfind::UnionFind;
use roxmltree::Node;

use super::graphml::parse_xml;
use super::simgrid_cluster::{Cluster, find_cable_ends};
use super::wiring::Wiring;
use crate::topology::family::TopologyEntry;
use crate::topology::network::Network;
use crate::topology::source_file::{FileNetwork, SourceFile};
use nodeorder_base::{Error, Opt, Result};

/// `simgrid:FILE`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "simgrid",
    about: "a SimGrid platform (XML): hosts and routers joined as its routes say, and its clusters",
    example: "simgrid:platform.xml",
    options: &[Opt::file("file", "a platform of version 4 or 4.1").positional()],
    parse: |params, _| {
        let expected = "a SimGrid platform, as in simgrid:platform.xml";
        FileNetwork::parse(params, expected, build_network)
    },
};

/// Tags that say nothing about which points are joined, and tags that stand inside others.
const SILENT: [&str; 12] = [
    "platform", "zone", "AS", "host", "router", "link", "link_ctn", "prop", "config", "disk",
    "cluster", "route",
];

/// Hosts, routers and links of a platform.
#[derive(Default)]
struct Platform<'a> {
    /// Names of hosts and routers, and whether it is a host.
    points: Vec<(String, bool)>,
    /// Index of a host or router by its name.
    point_of: HashMap<String, usize>,
    /// Bandwidth of links in bytes a second.
    links: Vec<f64>,
    /// Index of a link by its name.
    link_of: HashMap<&'a str, usize>,
    /// Cables between two points, with their bandwidth.
    cables: Vec<(usize, usize, f64)>,
    /// Routes: their ends, and their links with the end that each begins at, where the route says so.
    routes: Vec<Route>,
    /// Number of links that no route names: they may be anywhere.
    unplaced: u64,
}

/// A row of links from one point to another.
struct Route {
    ends: [usize; 2],
    links: Vec<(usize, Option<usize>)>,
}

/// Makes errors at elements.
struct Places<'a> {
    file: &'a SourceFile<'a>,
    line_of: Box<dyn Fn(usize) -> usize>,
}

impl Places<'_> {
    fn line(&self, element: Node<'_, '_>) -> usize {
        (self.line_of)(element.range().start)
    }

    fn wrong(&self, element: Node<'_, '_>, found: String, expected: &str) -> Error {
        let line = self.line(element);
        self.file.text.error_at(line, found, expected)
    }

    /// Looks up an attribute. Fails if the element lacks it.
    fn attribute<'n>(&self, element: Node<'n, '_>, name: &str) -> Result<&'n str> {
        element.attribute(name).ok_or_else(|| {
            let tag = element.tag_name().name();
            self.wrong(element, format!("<{tag}> without {name}"), "it")
        })
    }

    /// Reads a bandwidth in bytes a second. Fails if it is none.
    fn bandwidth(&self, element: Node<'_, '_>, name: &str) -> Result<f64> {
        let text = self.attribute(element, name)?;
        parse_bandwidth(text).ok_or_else(|| {
            let expected = "a number above 0 with a unit, such as 125MBps or 10Gbps";
            self.wrong(element, format!("{name} `{text}`"), expected)
        })
    }
}

/// Parses a bandwidth into bytes a second: a number, then Bps (bytes) or bps (bits) with k, M, G, T or Ki, Mi, Gi, Ti.
/// `None` if it is none above 0.
fn parse_bandwidth(text: &str) -> Option<f64> {
    let (number, bytes) = match (text.strip_suffix("Bps"), text.strip_suffix("bps")) {
        (Some(number), _) => (number, 1.0),
        (None, Some(number)) => (number, 0.125),
        (None, None) => (text, 1.0),
    };
    let binary = number.strip_suffix('i');
    let base: f64 = if binary.is_some() { 1024.0 } else { 1000.0 };
    let number = binary.unwrap_or(number);
    let prefixes = [('k', 1), ('K', 1), ('M', 2), ('G', 3), ('T', 4)];
    let mut factor = bytes;
    let mut digits = number;
    for (prefix, power) in prefixes {
        if let Some(rest) = number.strip_suffix(prefix) {
            digits = rest;
            factor *= base.powi(power);
        }
    }
    let value = digits.trim().parse::<f64>().ok()? * factor;
    (value > 0.0 && value.is_finite()).then_some(value)
}

/// Builds the network. Fails, with the line, if the file is no platform, or something in it is unknown or missing.
fn build_network(file: &SourceFile<'_>) -> Result<Network> {
    let name = file.text.name();
    // The document's type is named in every platform.
    let document = parse_xml(file, true, "a SimGrid platform, which is XML")?;
    let places = Places {
        file,
        line_of: Box::new(file.text.line_finder()),
    };
    let root = document.root_element();
    if !root.has_tag_name("platform") {
        let found = format!("<{}>", root.tag_name().name());
        return Err(places.wrong(root, found, "<platform>"));
    }
    let mut platform = Platform::default();
    let mut passed_over: HashMap<&str, u64> = HashMap::new();
    // Routes name what may stand below them.
    for element in root.descendants().filter(Node::is_element) {
        match element.tag_name().name() {
            "host" => platform.add_point(&places, element, true)?,
            "router" => platform.add_point(&places, element, false)?,
            "link" => platform.add_link(&places, element)?,
            "cluster" => platform.add_cluster(&places, element)?,
            "route" | "zoneRoute" | "ASroute" => {}
            tag if SILENT.contains(&tag) => {}
            tag => *passed_over.entry(tag).or_insert(0) += 1,
        }
    }
    for element in root.descendants() {
        match element.tag_name().name() {
            "route" => platform.add_route(&places, element, ["src", "dst"])?,
            "zoneRoute" | "ASroute" => {
                platform.add_route(&places, element, ["gw_src", "gw_dst"])?;
            }
            _ => {}
        }
    }
    let mut wiring = platform.into_wiring(name)?;
    let mut passed_over: Vec<_> = passed_over.into_iter().collect();
    passed_over.sort_unstable();
    for (tag, count) in passed_over {
        wiring
            .remarks
            .push(format!("{name}: {count} <{tag}> are passed over"));
    }
    wiring.into_network(file, "")
}

impl<'a> Platform<'a> {
    /// Adds a host or router. Fails if its name is there already.
    fn add_named(&mut self, name: String, is_host: bool) -> Result<usize, String> {
        let point = self.points.len();
        if self.point_of.insert(name.clone(), point).is_some() {
            return Err(format!("`{name}` again"));
        }
        self.points.push((name, is_host));
        Ok(point)
    }

    fn add_point(
        &mut self,
        places: &Places<'_>,
        element: Node<'a, 'a>,
        is_host: bool,
    ) -> Result<()> {
        let name = places.attribute(element, "id")?.to_string();
        self.add_named(name, is_host)
            .map_err(|found| places.wrong(element, found, "each host and router once"))?;
        Ok(())
    }

    fn add_link(&mut self, places: &Places<'_>, element: Node<'a, 'a>) -> Result<()> {
        let bandwidth = places.bandwidth(element, "bandwidth")?;
        let name = places.attribute(element, "id")?;
        if self.link_of.insert(name, self.links.len()).is_some() {
            let found = format!("link `{name}` again");
            return Err(places.wrong(element, found, "each link once"));
        }
        self.links.push(bandwidth);
        Ok(())
    }

    /// Adds the hosts, routers and cables of a cluster.
    fn add_cluster(&mut self, places: &Places<'_>, element: Node<'a, 'a>) -> Result<()> {
        let bandwidth = places.bandwidth(element, "bw")?;
        let cluster = Cluster::read_cluster(|name| element.attribute(name))
            .map_err(|(found, expected)| places.wrong(element, found, expected))?;
        let hosts = cluster.hosts.len() as u64;
        let points = hosts.saturating_add(cluster.routers).saturating_mul(256);
        let bytes = cluster
            .count_cables()
            .saturating_mul(200)
            .saturating_add(points);
        let what = format!("{}: a cluster", places.file.text.name());
        places.file.context.require_memory(&what, bytes)?;
        let first = self.points.len();
        let again = |found: String| places.wrong(element, found, "each host and router once");
        for host in &cluster.hosts {
            self.add_named(host.clone(), true).map_err(again)?;
        }
        for router in 0..cluster.routers {
            let name = cluster.router_name(router);
            self.add_named(name, false).map_err(again)?;
        }
        find_cable_ends(&cluster, &mut |a, b| {
            self.cables.push((first + a, first + b, bandwidth));
        });
        Ok(())
    }

    /// Adds a route between the points that two attributes name.
    fn add_route(
        &mut self,
        places: &Places<'_>,
        element: Node<'a, 'a>,
        sides: [&str; 2],
    ) -> Result<()> {
        let mut ends = [0; 2];
        for (end, side) in ends.iter_mut().zip(sides) {
            let name = places.attribute(element, side)?;
            let point = self.point_of.get(name);
            *end = *point.ok_or_else(|| {
                places.wrong(
                    element,
                    format!("{side} `{name}`"),
                    "a host or router of the file",
                )
            })?;
        }
        let mut links = Vec::new();
        for part in element
            .children()
            .filter(|child| child.has_tag_name("link_ctn"))
        {
            let name = places.attribute(part, "id")?;
            let link = self.link_of.get(name).ok_or_else(|| {
                places.wrong(part, format!("link `{name}`"), "a link of the file")
            })?;
            let begin = match part.attribute("direction") {
                None | Some("NONE") => None,
                Some("UP") => Some(0),
                Some("DOWN") => Some(1),
                Some(other) => {
                    let found = format!("direction `{other}`");
                    return Err(places.wrong(part, found, "UP, DOWN or NONE"));
                }
            };
            links.push((*link, begin));
        }
        // A route from a host to itself is a loopback.
        if ends[0] != ends[1] && !links.is_empty() {
            self.routes.push(Route { ends, links });
        }
        Ok(())
    }

    /// Finds which ends of links and points are one place, and adds each link as a cable between two of them.
    fn join_places(&mut self) -> UnionFind<usize> {
        let points = self.points.len();
        // Behind the points stand the two ends of each link.
        let mut places = UnionFind::new(points + 2 * self.links.len());
        let mut used = vec![false; self.links.len()];
        for route in &self.routes {
            let [mut at, last] = route.ends;
            for (i, (link, begin)) in route.links.iter().enumerate() {
                let begin = begin.unwrap_or_else(|| {
                    // A link without directions begins wherever it is known to touch the route.
                    let touches =
                        |end: usize, place: usize| places.equiv(points + 2 * link + end, place);
                    let is_last = i + 1 == route.links.len();
                    let backwards = touches(1, at) || is_last && touches(0, last);
                    usize::from(backwards && !touches(0, at))
                });
                places.union(at, points + 2 * link + begin);
                at = points + 2 * link + 1 - begin;
                used[*link] = true;
            }
            places.union(at, last);
        }
        for (link, bandwidth) in self.links.iter().enumerate() {
            if used[link] {
                self.cables
                    .push((points + 2 * link, points + 2 * link + 1, *bandwidth));
            } else {
                self.unplaced += 1;
            }
        }
        places
    }

    /// Makes switches of the places, in the order of their first hosts.
    fn into_wiring(mut self, file: &str) -> Result<Wiring> {
        let places = self.join_places();
        let mut cables = Vec::new();
        let mut loops = 0;
        for (a, b, bandwidth) in &self.cables {
            let ends = [places.find(*a), places.find(*b)];
            if ends[0] == ends[1] {
                loops += 1;
            } else {
                cables.push((ends, *bandwidth));
            }
        }
        let mut touching: HashMap<usize, Vec<usize>> = HashMap::new();
        for (i, (ends, _)) in cables.iter().enumerate() {
            for end in ends {
                touching.entry(*end).or_default().push(i);
            }
        }
        let host_places: BTreeSet<usize> = (0..self.points.len())
            .filter(|point| self.points[*point].1)
            .map(|point| places.find(point))
            .collect();
        let mut wiring = Wiring {
            forest: true,
            ..Wiring::default()
        };
        let mut switch_of: HashMap<usize, usize> = HashMap::new();
        let mut node_links = BTreeSet::new();
        let mut node_speeds = Vec::new();
        let mut alone = 0;
        for (point, (name, is_host)) in self.points.iter().enumerate() {
            let place = places.find(point);
            if !is_host {
                continue;
            }
            let own = touching.get(&place).map_or(&[][..], Vec::as_slice);
            let mut at = place;
            // Such as the master host that Batsim wants.
            if own.is_empty() {
                alone += 1;
                continue;
            }
            if let [cable] = own {
                let [a, b] = cables[*cable].0;
                let other = if a == place { b } else { a };
                if !host_places.contains(&other) {
                    at = other;
                    node_links.insert(*cable);
                    node_speeds.push((name.clone(), cables[*cable].1));
                }
            }
            let switch = *switch_of
                .entry(at)
                .or_insert_with(|| wiring.add_switch("", Vec::new(), 0));
            wiring.switches[switch].nodes.push(name.clone());
        }
        let between: Vec<_> = (0..cables.len())
            .filter(|cable| !node_links.contains(cable))
            .map(|cable| cables[cable])
            .collect();
        let all = between.iter().map(|(_, bandwidth)| *bandwidth);
        let own = node_speeds.iter().map(|(_, bandwidth)| *bandwidth);
        let smallest = all.clone().chain(own.clone()).fold(f64::INFINITY, f64::min);
        // The unit is the slowest link between routers; of a single switch that of its hosts.
        let unit = all.fold(f64::INFINITY, f64::min);
        let unit = if unit.is_finite() { unit } else { smallest };
        for (ends, bandwidth) in between {
            let mut switches = [0; 2];
            for (switch, end) in switches.iter_mut().zip(ends) {
                *switch = *switch_of
                    .entry(end)
                    .or_insert_with(|| wiring.add_switch("", Vec::new(), 0));
            }
            wiring.has_speeds |= bandwidth != unit;
            wiring.add_cable(switches[0], switches[1], bandwidth / unit);
        }
        for (point, (name, is_host)) in self.points.iter().enumerate() {
            if let Some(switch) = switch_of.get(&places.find(point))
                && !is_host
            {
                wiring.switches[*switch].name.clone_from(name);
            }
        }
        let slowest = own.fold(f64::INFINITY, f64::min);
        if slowest.is_finite() && slowest != unit {
            wiring.node_capacity = Some(slowest / unit);
        }
        for (name, bandwidth) in node_speeds {
            if bandwidth != slowest {
                wiring.node_capacities.insert(name, bandwidth / unit);
            }
        }
        for (count, what) in [
            (alone, "hosts on no link are left out"),
            (self.unplaced, "links in no route are left out"),
            (
                loops,
                "links from a place to itself (backbones of switches) are left out",
            ),
        ] {
            if count > 0 {
                wiring.remarks.push(format!("{file}: {count} {what}"));
            }
        }
        Ok(wiring)
    }
}

#[cfg(test)]
mod tests;
