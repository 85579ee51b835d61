//! SimGrid: a platform with our routes, and the hosts in rank order.
//!
//! A host beside them, on no link and in no list, is for Batsim, which needs exactly one with the role of the master
//! and calls it `master_host` unless told otherwise (Batsim, `src/cli.cpp`: `--master-host`; `src/machines.cpp`:
//! `create_machines`, which numbers the other hosts by name).

use std::collections::HashMap;

use super::cables::has_several_node_links;
use super::entry::{Export, ExportInput, ExportTarget, plain_target};
use super::node_names::free_name;
use nodeorder_base::{Error, NodeId, Result};
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_traffic::corun::NetworkFigures;
use nodeorder_traffic::mapping::routing::Routes;

/// `--to simgrid`.
pub(super) const TARGET: ExportTarget = plain_target(
    "simgrid",
    "a SimGrid platform (XML) with our routes, and FILE.hosts with the hosts in rank order",
    |input| write_simgrid(input.topology, input.order, &SimGridFigures::default()),
);

/// Most nodes for which the route of every pair is written out; on larger machines SimGrid searches routes itself.
pub const EXPLICIT: usize = 256;

/// Figures of the platform; placeholders stand where bandwidth, latency and speed are not given.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SimGridFigures {
    /// Bandwidths and latencies.
    pub network: NetworkFigures,
    /// Operations a second of a node.
    pub speed: Option<f64>,
}

impl SimGridFigures {
    fn bandwidth(&self) -> f64 {
        self.network.bandwidth.unwrap_or(1.25e9)
    }

    /// Formats the latency of a link of this weight.
    fn link_latency(&self, weight: u32) -> String {
        match (self.network.latency, weight) {
            (None, 1) => "1us".into(),
            (latency, _) => format!("{}s", latency.unwrap_or(1e-6) * f64::from(weight)),
        }
    }

    /// Describes the figures: those of a link, and which are placeholders.
    fn describe_figures(&self) -> [String; 2] {
        let NetworkFigures {
            bandwidth, latency, ..
        } = self.network;
        let link = match (bandwidth, latency) {
            (None, None) => "1.25 GB/s each way; 1 us a hop".to_string(),
            _ => format!(
                "{} B/s each way; {} a hop",
                self.bandwidth(),
                self.link_latency(1)
            ),
        };
        let missing: Vec<&str> = [
            ("bandwidth", bandwidth),
            ("latency", latency),
            ("speed", self.speed),
        ]
        .into_iter()
        .filter_map(|(name, figure)| figure.is_none().then_some(name))
        .collect();
        let note = match missing.len() {
            0 => String::new(),
            3 => " Bandwidth, latency and speed are placeholders: put yours.".to_string(),
            _ => format!(" A placeholder, put yours: {}.", missing.join(", ")),
        };
        [link, note]
    }
}

/// Writes the target `simgrid` with the platform's figures.
///
/// # Errors
/// A node whose name has blanks; more memory than allowed.
pub fn write_simgrid(
    topology: &Topology,
    order: &NodeOrder,
    figures: &SimGridFigures,
) -> Result<Export> {
    let input = ExportInput {
        topology,
        order,
        jobs: &[],
    };
    let network = topology.network();
    let explicit = order.len() <= EXPLICIT;
    let platform = Platform {
        input,
        figures,
        names: xml_names(input)?,
        rails: match network.rails() {
            Some(rails) if has_several_node_links(topology) => rails.interfaces_per_node(),
            _ => 1,
        },
        explicit,
    };
    let [link, note] = figures.describe_figures();
    let nodes = if figures.network.node_links_free {
        "A node link bounds each message by itself (FATPIPE)."
    } else {
        "All that a node sends shares its node link, all that it receives the other way."
    };
    // A node may be called so; Batsim takes another name by -m.
    let mut taken = platform.names.iter().cloned().collect();
    let master = free_name("master_host".into(), &mut taken);
    let mut about = include_str!("texts/simgrid.txt")
        .replace("LINK", &link)
        .replace("MASTER", &master)
        .replace("NODES", nodes)
        .replace("NOTE", &note);
    if network.rails().is_some() {
        about += include_str!("texts/simgrid-rails.txt");
    }
    let routing = if explicit {
        about += include_str!("texts/simgrid-with-routes.txt");
        "Full"
    } else {
        about += include_str!("texts/simgrid-without-routes.txt");
        "Dijkstra"
    };
    // A switch's bandwidth is a link that routes name. SimGrid's own routes are made of the links between routers
    // alone.
    if figures.network.switch_bandwidth.is_some() && !explicit {
        let found = format!(
            "a bandwidth of switches on a machine of {} nodes",
            order.len()
        );
        let expected = format!("at most {EXPLICIT} nodes, whose routes are written out");
        return Err(Error::option("--switch-bandwidth", found, expected));
    }
    let speed = figures
        .speed
        .map_or("1Gf".into(), |speed| format!("{speed}f"));
    // Two hyphens may not stand in a comment.
    let comment = input.header_comments(" ", &about).replace("--", "- -");
    let mut text = format!(
        "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<!--\n{comment}-->\n\
         <platform version=\"4.1\">\n  <zone id=\"machine\" routing=\"{routing}\">\n"
    );
    for name in &platform.names {
        text += &format!("    <host id=\"{name}\" speed=\"{speed}\"/>\n");
    }
    text += &format!("    <host id=\"{master}\" speed=\"{speed}\"/>\n");
    if !explicit {
        for router in 0..platform.count_routers() {
            text += &format!("    <router id=\"router-{router}\"/>\n");
        }
    }
    text += &platform.format_links();
    text += &if explicit {
        platform.format_all_routes()?
    } else {
        platform.format_link_routes()
    };
    text += "  </zone>\n</platform>\n";
    // A plain text, where names stand without the escapes of XML.
    let hosts = order
        .nodes()
        .iter()
        .map(|node| topology.node_name(*node) + "\n")
        .collect();
    Ok(Export {
        beside: vec![(".hosts".into(), hosts)],
        ..Export::of_links(topology, text)
    })
}

/// Data of a platform from which its XML is written.
struct Platform<'a> {
    input: ExportInput<'a>,
    figures: &'a SimGridFigures,
    /// The names of the nodes as XML writes them.
    names: Vec<String>,
    /// How many rails that share alike a router stands for.
    rails: u32,
    /// Whether the routes of all pairs are written out.
    explicit: bool,
}

impl Platform<'_> {
    /// Counts the routers written: those of one rail where one stands for several.
    fn count_routers(&self) -> u32 {
        let network = self.input.topology.network();
        match network.rails() {
            Some(rails) if self.rails > 1 => rails.switches_per_rail(),
            _ => network.routers(),
        }
    }

    /// Lists links as two routers, the lower first, capacity and weight; the other rails are within the first one.
    fn list_links(&self) -> Vec<(u32, u32, f64, u32)> {
        let network = self.input.topology.network();
        let weights = network.link_weights().unwrap_or_default();
        let mut weights = weights.into_iter().chain(std::iter::repeat(1));
        let mut links = Vec::new();
        network.for_each_link(&mut |u, v, capacity| {
            links.push((u.min(v), u.max(v), capacity, weights.next().unwrap_or(1)));
        });
        links.retain(|(_, v, ..)| *v < self.count_routers());
        links
    }

    /// Formats node links, switches and links.
    fn format_links(&self) -> String {
        let network = self.input.topology.network();
        let speeds = self.figures.network;
        // Rails that share alike are written as one of their bandwidth together.
        let rails = f64::from(self.rails);
        // Bandwidth of a link of capacity 1.
        let unit = self.figures.bandwidth() * rails;
        let node_bandwidth = speeds
            .node_bandwidth
            .map_or(unit * network.node_capacity(), |own| own * rails);
        let node_latency = speeds.node_latency.unwrap_or(0.0);
        let policy = if speeds.node_links_free {
            "FATPIPE"
        } else {
            "SPLITDUPLEX"
        };
        let mut text = String::new();
        for name in &self.names {
            text += &format!(
                "    <link id=\"node-{name}\" bandwidth=\"{node_bandwidth}Bps\" latency=\"{node_latency}s\" sharing_policy=\"{policy}\"/>\n"
            );
        }
        if let Some(through) = speeds.switch_bandwidth {
            for router in 0..network.routers() {
                text += &format!(
                    "    <link id=\"switch-{router}\" bandwidth=\"{through}Bps\" latency=\"0s\" sharing_policy=\"SHARED\"/>\n"
                );
            }
        }
        for (u, v, capacity, weight) in self.list_links() {
            let bandwidth = unit * capacity;
            let latency = self.figures.link_latency(weight);
            text += &format!(
                "    <link id=\"link-{u}-{v}\" bandwidth=\"{bandwidth}Bps\" latency=\"{latency}\" sharing_policy=\"SPLITDUPLEX\"/>\n"
            );
        }
        let rails = network.rails();
        let inside = unit * rails.map_or(1.0, |rails| rails.nvlink_capacity);
        // Only a route that is written out can name a link that leads to no router.
        if rails.is_some_and(|rails| rails.nodes_per_domain() > 1) && self.explicit {
            text += &format!(
                "    <link id=\"inside-domains\" bandwidth=\"{inside}Bps\" latency=\"0s\" sharing_policy=\"FATPIPE\"/>\n"
            );
        }
        network.for_each_joint(&mut |u, v, weight| {
            let [u, v] = [u.min(v), u.max(v)];
            let latency = self.figures.link_latency(weight);
            text += &format!(
                "    <link id=\"link-{u}-{v}\" bandwidth=\"{inside}Bps\" latency=\"{latency}\" sharing_policy=\"FATPIPE\"/>\n"
            );
        });
        text
    }

    /// Formats the route of every node link and link, from which SimGrid finds all others.
    fn format_link_routes(&self) -> String {
        let ExportInput {
            topology, order, ..
        } = self.input;
        let mut text = String::new();
        let up = self.node_direction("UP");
        for (node, name) in order.nodes().iter().zip(&self.names) {
            let router = topology.router_of(*node);
            text += &format!(
                "    <route src=\"{name}\" dst=\"router-{router}\"><link_ctn id=\"node-{name}\"{up}/></route>\n"
            );
        }
        topology.network().for_each_joint(&mut |u, v, _| {
            let [u, v] = [u.min(v), u.max(v)];
            text += &format!(
                "    <route src=\"router-{u}\" dst=\"router-{v}\"><link_ctn id=\"link-{u}-{v}\"/></route>\n"
            );
        });
        for (u, v, ..) in self.list_links() {
            text += &format!(
                // The other way is the same route backwards, as SimGrid takes routes to be unless told otherwise.
                "    <route src=\"router-{u}\" dst=\"router-{v}\"><link_ctn id=\"link-{u}-{v}\" direction=\"UP\"/></route>\n"
            );
        }
        text
    }

    /// Formats the direction of a node link; empty for node links that are not shared, which have none.
    fn node_direction(&self, way: &str) -> String {
        if self.figures.network.node_links_free {
            String::new()
        } else {
            format!(" direction=\"{way}\"")
        }
    }

    /// Formats a route for every pair of different nodes; those on one router meet there.
    fn format_all_routes(&self) -> Result<String> {
        let ExportInput {
            topology, order, ..
        } = self.input;
        let mut routes = Routes::new(topology)?;
        let graph = topology.graph()?;
        let up = self.node_direction("UP");
        let down = self.node_direction("DOWN");
        let mut path = Vec::new();
        let mut text = String::new();
        let hosts: HashMap<NodeId, &String> =
            order.nodes().iter().copied().zip(&self.names).collect();
        for (target, b) in order.nodes().iter().zip(&self.names) {
            for (source, a) in order.nodes().iter().zip(&self.names) {
                if source == target {
                    continue;
                }
                routes.fill_path(
                    topology.router_of(*source).0,
                    topology.router_of(*target).0,
                    &mut path,
                );
                // Our route back may take other links, so that each direction has a route of its own.
                text += &format!("    <route src=\"{a}\" dst=\"{b}\" symmetrical=\"NO\">");
                let Some([leaves, _]) = topology.node_links([*source, *target]) else {
                    text += "<link_ctn id=\"inside-domains\"/></route>\n";
                    continue;
                };
                // What a GPU sends to another rail takes the node link of its neighbour on that rail, where that is
                // in the ordering.
                let a = hosts.get(&leaves).unwrap_or(&a);
                text += &format!("<link_ctn id=\"node-{a}\"{up}/>");
                if self.figures.network.switch_bandwidth.is_some() {
                    for switch in &path {
                        text += &format!("<link_ctn id=\"switch-{switch}\"/>");
                    }
                }
                for hop in path.windows(2) {
                    let [u, v] = [hop[0].min(hop[1]), hop[0].max(hop[1])];
                    let joint = graph
                        .find_link(u, v)
                        .is_some_and(|link| graph.is_joint(link));
                    // A link is named with the lower router first, and UP leads to the higher one. Joints are FATPIPE
                    // links, which have no directions.
                    let way = match (joint, u == hop[0]) {
                        (true, _) => "",
                        (false, true) => " direction=\"UP\"",
                        (false, false) => " direction=\"DOWN\"",
                    };
                    text += &format!("<link_ctn id=\"link-{u}-{v}\"{way}/>");
                }
                text += &format!("<link_ctn id=\"node-{b}\"{down}/></route>\n");
            }
        }
        Ok(text)
    }
}

/// Lists the names as XML writes them.
///
/// # Errors
/// A name with blanks.
fn xml_names(input: ExportInput<'_>) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for node in input.order.nodes() {
        let name = input.topology.node_name(*node);
        if name.contains(|c: char| c.is_whitespace() || c.is_control()) {
            let found = format!("node {node} called `{name}`");
            let expected = "a name without blanks and control characters, which a host file needs";
            return Err(Error::option(input.topology.name(), found, expected));
        }
        let marks = [
            // First, since the others write this mark themselves.
            ("&", "&amp;"),
            ("<", "&lt;"),
            (">", "&gt;"),
            ("\"", "&quot;"),
        ];
        names.push(
            marks
                .iter()
                .fold(name, |name, (mark, word)| name.replace(mark, word)),
        );
    }
    Ok(names)
}
