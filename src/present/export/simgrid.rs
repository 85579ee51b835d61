//! SimGrid: a platform with our routes, and the hosts in rank order.

use std::collections::HashMap;
use std::fmt::Write;

use super::{Export, ExportTarget, ParseTarget, header_comments};
use nodeorder_base::error::{Error, Result};
use nodeorder_base::ids::NodeId;
use nodeorder_network::topology::Topology;
use nodeorder_order::ordering::NodeOrder;
use nodeorder_traffic::corun::NetworkFigures;
use nodeorder_traffic::mapping::routing::Routes;

/// `--to simgrid`.
pub(super) const TARGET: ExportTarget = ExportTarget::plain(
    "simgrid",
    "a SimGrid platform (XML) with our routes, and FILE.hosts with the hosts in rank order",
    ParseTarget::Order(|_| Ok(Box::new(write))),
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

    fn latency(&self) -> String {
        self.network
            .latency
            .map_or("1us".into(), |seconds| format!("{seconds}s"))
    }

    /// Formats the latency of a link of this weight.
    fn link_latency(&self, weight: u32) -> String {
        match weight {
            1 => self.latency(),
            _ => format!(
                "{}s",
                self.network.latency.unwrap_or(1e-6) * f64::from(weight)
            ),
        }
    }

    fn speed(&self) -> String {
        self.speed.map_or("1Gf".into(), |speed| format!("{speed}f"))
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
                self.latency()
            ),
        };
        let given = [bandwidth, latency, self.speed].map(|figure| figure.is_some());
        let names = ["bandwidth", "latency", "speed"].into_iter().zip(given);
        let missing: Vec<&str> = names
            .filter(|(_, given)| !given)
            .map(|(name, _)| name)
            .collect();
        let note = match missing.as_slice() {
            [] => String::new(),
            [_, _, _] => " Bandwidth, latency and speed are placeholders: put yours.".to_string(),
            some => format!(" A placeholder, put yours: {}.", some.join(", ")),
        };
        [link, note]
    }
}

const ABOUT: &str = include_str!("texts/simgrid.txt");

const RAILS: &str = include_str!("texts/simgrid-rails.txt");

const WITH_ROUTES: &str = include_str!("texts/simgrid-with-routes.txt");

const WITHOUT_ROUTES: &str = include_str!("texts/simgrid-without-routes.txt");

fn write(topology: &Topology, order: &NodeOrder) -> Result<Export> {
    write_simgrid(topology, order, &SimGridFigures::default())
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
    let names = xml_names(topology, order)?;
    let explicit = order.len() <= EXPLICIT;
    let [link, note] = figures.describe_figures();
    let speeds = figures.network;
    let nodes = if speeds.node_links_free {
        "A node link bounds each message by itself (FATPIPE)."
    } else {
        "All that a node sends shares its node link, all that it receives the other way."
    };
    let about = ABOUT
        .replace("LINK", &link)
        .replace("NODES", nodes)
        .replace("NOTE", &note);
    let rails = if topology.network().rails().is_some() {
        RAILS
    } else {
        ""
    };
    let about = format!(
        "{about}{rails}{}",
        if explicit {
            WITH_ROUTES
        } else {
            WITHOUT_ROUTES
        }
    );
    // A switch's bandwidth is a link that routes name. SimGrid's own routes are made of the links between routers
    // alone.
    if speeds.switch_bandwidth.is_some() && !explicit {
        let found = format!(
            "a bandwidth of switches on a machine of {} nodes",
            order.len()
        );
        let expected = format!("at most {EXPLICIT} nodes, whose routes are written out");
        return Err(Error::option("--switch-bandwidth", found, expected));
    }
    let (routers, _) = routers_and_rails(topology);
    let speed = figures.speed();
    // Two hyphens may not stand in a comment.
    let comment = header_comments(" ", topology, order, &about).replace("--", "- -");
    let mut text = format!(
        "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<!--\n{comment}-->\n\
         <platform version=\"4.1\">\n  <zone id=\"machine\" routing=\"{}\">\n",
        if explicit { "Full" } else { "Dijkstra" }
    );
    for name in &names {
        write_line(
            &mut text,
            format_args!("<host id=\"{name}\" speed=\"{speed}\"/>"),
        );
    }
    if !explicit {
        for router in 0..routers {
            write_line(&mut text, format_args!("<router id=\"router-{router}\"/>"));
        }
    }
    write_links(topology, &names, figures, explicit, &mut text);
    if explicit {
        all_routes(topology, order.nodes(), &names, &speeds, &mut text)?;
    } else {
        routes_of_links(topology, order.nodes(), &names, &speeds, &mut text);
    }
    text += "  </zone>\n</platform>\n";
    // A plain text, where names stand without the escapes of XML.
    let hosts = order
        .nodes()
        .iter()
        .map(|node| topology.node_name(*node) + "\n")
        .collect();
    let notes = topology.capacity_assumption().into_iter().collect();
    Ok(Export {
        text,
        beside: vec![(".hosts".into(), hosts)],
        notes,
        ..Export::default()
    })
}

/// Writes node links, switches and links.
fn write_links(
    topology: &Topology,
    names: &[String],
    figures: &SimGridFigures,
    explicit: bool,
    text: &mut String,
) {
    let network = topology.network();
    let speeds = figures.network;
    // Rails that share alike are written as one of their bandwidth together.
    let (routers, rails) = routers_and_rails(topology);
    let each = figures.bandwidth() * f64::from(rails);
    let node_bandwidth = speeds
        .node_bandwidth
        .map_or(each, |own| own * f64::from(rails));
    let node_latency = speeds.node_latency.unwrap_or(0.0);
    let policy = if speeds.node_links_free {
        "FATPIPE"
    } else {
        "SPLITDUPLEX"
    };
    let weights = network.link_weights().unwrap_or_default();
    let mut weights = weights.iter().copied().chain(std::iter::repeat(1));
    for name in names {
        let link = format_args!(
            "<link id=\"node-{name}\" bandwidth=\"{node_bandwidth}Bps\" latency=\"{node_latency}s\" sharing_policy=\"{policy}\"/>"
        );
        write_line(text, link);
    }
    if let Some(through) = speeds.switch_bandwidth {
        for router in 0..network.routers() {
            let switch = format_args!(
                "<link id=\"switch-{router}\" bandwidth=\"{through}Bps\" latency=\"0s\" sharing_policy=\"SHARED\"/>"
            );
            write_line(text, switch);
        }
    }
    network.for_each_link(&mut |u, v, capacity| {
        let (u, v) = (u.min(v), u.max(v));
        let bandwidth = each * capacity;
        let latency = figures.link_latency(weights.next().unwrap_or(1));
        // The other rails are within this one. Their weights are taken before, so that those of later links stay in
        // step.
        if v >= routers {
            return;
        }
        let link = format_args!(
            "<link id=\"link-{u}-{v}\" bandwidth=\"{bandwidth}Bps\" latency=\"{latency}\" sharing_policy=\"SPLITDUPLEX\"/>"
        );
        write_line(text, link);
    });
    let inside = each * network.rails().map_or(1.0, |rails| rails.nvlink_capacity);
    // Only a route that is written out can name a link that leads to no router.
    if network
        .rails()
        .is_some_and(|rails| rails.nodes_per_domain() > 1)
        && explicit
    {
        let link = format_args!(
            "<link id=\"inside-domains\" bandwidth=\"{inside}Bps\" latency=\"0s\" sharing_policy=\"FATPIPE\"/>"
        );
        write_line(text, link);
    }
    network.for_each_joint(&mut |u, v, weight| {
        let (u, v, latency) = (u.min(v), u.max(v), figures.link_latency(weight));
        let link = format_args!(
            "<link id=\"link-{u}-{v}\" bandwidth=\"{inside}Bps\" latency=\"{latency}\" sharing_policy=\"FATPIPE\"/>"
        );
        write_line(text, link);
    });
}

/// Writes the route of every node link and link, from which SimGrid finds all others.
fn routes_of_links(
    topology: &Topology,
    nodes: &[NodeId],
    names: &[String],
    speeds: &NetworkFigures,
    text: &mut String,
) {
    let (network, (routers, _)) = (topology.network(), routers_and_rails(topology));
    for (node, name) in nodes.iter().zip(names) {
        let router = topology.router_of(*node);
        let up = link_direction(speeds, "UP");
        let route = format_args!(
            "<route src=\"{name}\" dst=\"router-{router}\"><link_ctn id=\"node-{name}\"{up}/></route>"
        );
        write_line(text, route);
    }
    network.for_each_joint(&mut |u, v, _| {
        let (u, v) = (u.min(v), u.max(v));
        let route = format_args!(
            "<route src=\"router-{u}\" dst=\"router-{v}\"><link_ctn id=\"link-{u}-{v}\"/></route>"
        );
        write_line(text, route);
    });
    network.for_each_link(&mut |u, v, _| {
        let (u, v) = (u.min(v), u.max(v));
        // The other rails are within this one.
        if v >= routers {
            return;
        }
        let route = format_args!(
            // The other way is the same route backwards, as SimGrid takes routes to be unless told otherwise.
            "<route src=\"router-{u}\" dst=\"router-{v}\"><link_ctn id=\"link-{u}-{v}\" direction=\"UP\"/></route>"
        );
        write_line(text, route);
    });
}

fn write_line(text: &mut String, what: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "    {what}");
}

/// Writes the attribute `direction` of a node link; nothing where messages do not share node links.
fn link_direction(figures: &NetworkFigures, way: &str) -> String {
    if figures.node_links_free {
        String::new()
    } else {
        format!(" direction=\"{way}\"")
    }
}

/// Counts the routers written, and the rails that these stand for: all, and one, but where nodes are on several
/// rails.
fn routers_and_rails(topology: &Topology) -> (u32, u32) {
    match topology
        .network()
        .rails()
        .filter(|rails| rails.interfaces_per_node() > 1)
    {
        Some(rails) => (rails.switches_per_rail(), rails.interfaces_per_node()),
        None => (topology.network().routers(), 1),
    }
}

/// Lists the names as XML writes them.
fn xml_names(topology: &Topology, order: &NodeOrder) -> Result<Vec<String>> {
    let mut names = Vec::with_capacity(order.len());
    for node in order.nodes() {
        let name = topology.node_name(*node);
        if name.contains(char::is_whitespace) {
            let found = format!("node {node} called `{name}`");
            let expected = "a name without blanks, which a host file needs";
            return Err(Error::option(topology.name(), found, expected));
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

/// Writes a route for every pair of different nodes; those on one router meet there.
fn all_routes(
    topology: &Topology,
    nodes: &[NodeId],
    names: &[String],
    figures: &NetworkFigures,
    text: &mut String,
) -> Result<()> {
    let mut routes = Routes::new(topology)?;
    let graph = topology.graph()?;
    let mut path = Vec::new();
    // What a GPU sends to another rail takes the node link of its neighbour on that rail, where that is in the
    // ordering.
    let ranks: HashMap<NodeId, usize> = nodes.iter().copied().zip(0..).collect();
    for (to, target) in nodes.iter().enumerate() {
        for (from, source) in nodes.iter().enumerate().filter(|(from, _)| *from != to) {
            routes.fill_path(
                topology.router_of(*source).0,
                topology.router_of(*target).0,
                &mut path,
            );
            let a = &names[from];
            let b = &names[to];
            let _ = write!(
                text,
                // Our route back may take other links, so that each direction has a route of its own.
                "    <route src=\"{a}\" dst=\"{b}\" symmetrical=\"NO\">"
            );
            let Some([leaves, _]) = topology.node_links([*source, *target]) else {
                text.push_str("<link_ctn id=\"inside-domains\"/></route>\n");
                continue;
            };
            let a = ranks.get(&leaves).map_or(a, |rank| &names[*rank]);
            let up = link_direction(figures, "UP");
            let _ = write!(text, "<link_ctn id=\"node-{a}\"{up}/>");
            if figures.switch_bandwidth.is_some() {
                path.iter().for_each(|switch| {
                    let _ = write!(text, "<link_ctn id=\"switch-{switch}\"/>");
                });
            }
            for hop in path.windows(2) {
                let u = hop[0].min(hop[1]);
                let v = hop[0].max(hop[1]);
                // A link is named with the lower router first, and UP leads to the higher one.
                let way = if hop[0] < hop[1] { "UP" } else { "DOWN" };
                let joint = graph
                    .find_link(u, v)
                    .is_some_and(|link| graph.is_joint(link));
                // Joints are FATPIPE links, which have no directions.
                let way = if joint {
                    String::new()
                } else {
                    format!(" direction=\"{way}\"")
                };
                let _ = write!(text, "<link_ctn id=\"link-{u}-{v}\"{way}/>");
            }
            let down = link_direction(figures, "DOWN");
            let _ = writeln!(text, "<link_ctn id=\"node-{b}\"{down}/></route>");
        }
    }
    Ok(())
}
