//! Networks from a file: a CSV edge list.
//!
//! ```text
//! 0,1          two routers with a link
//! 1,2,4        a link of capacity 4
//! 2,3,1,5      a link whose hop counts 5 in distances
//! ```
//!
//! A header places the columns ([`super::edge_list`]).

use super::edge_list::read_edges;
use crate::topology::context::Context;
use crate::topology::family::{
    BuildNetwork, NODE_CAPACITY, PER_ROUTER, TopologyEntry, find_smallest_capacity, node_capacity,
    node_capacity_suffix, per_router, per_router_suffix,
};
use crate::topology::link_list::network_of_links;
use crate::topology::network::{Level, Network, on_request};
use crate::topology::sizes::require_graph;
use crate::topology::source_file::{FileNetwork, SourceFile};
use nodeorder_base::{Opt, Params, Result};

/// Entry of `graph:FILE[,per_router=K]`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "graph",
    about: "any network, from a CSV file of links u,v[,capacity[,weight]] or with a header",
    example: "graph:links.csv",
    options: &[
        Opt::file(
            "file",
            "links u,v[,capacity[,weight]], or a header of u,v,capacity,weight,cables in any order",
        )
        .positional(),
        PER_ROUTER,
        Opt::text(
            "levels",
            "units of consecutive routers and the routers of one, outermost first, as in group:96/chassis:16",
        )
        .default_in_words("none"),
        NODE_CAPACITY,
    ],
    parse: parse_options,
};

/// Options of a network from an edge list, besides its file.
struct GraphOptions {
    per_router: u32,
    /// Units of consecutive routers, outermost first.
    levels: Vec<Level>,
    /// Capacity of a node link; `None` if it is the smallest of the file.
    node_capacity: Option<f64>,
}

/// Reads the options of a network from an edge list, not the list.
fn parse_options(params: &Params, _: &Context) -> Result<Box<dyn BuildNetwork>> {
    let per_router = per_router(params)?;
    let options = GraphOptions {
        per_router,
        levels: parse_levels(params, per_router)?,
        node_capacity: node_capacity(params)?,
    };
    let expected = "a CSV file of links u,v[,capacity[,weight]], as in graph:links.csv";
    FileNetwork::parse(params, expected, move |file| build_network(file, &options))
}

/// Reads the levels that `levels` names, outermost first.
fn parse_levels(params: &Params, per_router: u32) -> Result<Vec<Level>> {
    let Some(text) = params.optional_word("levels")? else {
        return Ok(Vec::new());
    };
    let levels: Option<Vec<Level>> = text
        .split('/')
        .map(|part| parse_level(part, per_router))
        .collect();
    levels
        .filter(|all| all.windows(2).all(|pair| is_nested(&pair[0], &pair[1])))
        .ok_or_else(|| {
            let form =
                "NAME:ROUTERS of each level with / between, the routers a multiple of the next";
            params.invalid_value("levels", format!("{form}, as in group:96/chassis:16"))
        })
}

/// Parses `NAME:ROUTERS`; `None` if it is no word and a number above 0.
fn parse_level(part: &str, per_router: u32) -> Option<Level> {
    let (name, routers) = part.split_once(':')?;
    let routers = routers.parse::<u32>().ok().filter(|routers| *routers > 0)?;
    let word = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric());
    word.then(|| Level::with_router_units("", routers, per_router).renamed(name))
}

/// Checks whether whole units of the inner level make up each unit of the outer one.
fn is_nested(outer: &Level, inner: &Level) -> bool {
    outer.slots > inner.slots && outer.slots.is_multiple_of(inner.slots)
}

/// Reads routers 0..N-1, or routers by their names, and undirected links, one a line as `u,v`, `u,v,capacity` or
/// `u,v,capacity,weight`, or as a header places the columns: the weight, 0 or more, is what a hop over the link counts
/// in distances, and `cables` are its cables, each of that capacity (all 1 unless given). `#` starts a comment; `.gz`
/// is read compressed. A node link has the smallest capacity of a link unless `node_capacity` says otherwise.
/// O(links · log links); 32 bytes a link.
///
/// # Errors
/// With the line: a column of another name; anything that is not a number, a capacity that is not above 0 or above
/// 1e15, a weight above 1000, a link from a router to itself, a link named before (in either direction), an id left out
/// below the largest one, a name among ids, a router that no path joins to router 0.
fn build_network(file: &SourceFile<'_>, options: &GraphOptions) -> Result<Network> {
    let list = read_edges(&file.text)?;
    let links = &list.links;
    require_graph(file.context, u64::from(list.routers), links.len() as u64)?;
    let per_router = options.per_router;
    let mut spec = format!("{}{}", file.spec(), per_router_suffix(per_router));
    for (i, level) in options.levels.iter().enumerate() {
        let before = if i == 0 { ",levels=" } else { "/" };
        spec += &format!("{before}{}:{}", level.name, level.slots / per_router);
    }
    spec += &node_capacity_suffix(options.node_capacity);
    let mut node_capacity = options.node_capacity.unwrap_or(1.0);
    let mut note = None;
    if list.has_capacities && options.node_capacity.is_none() {
        let capacities = links.iter().map(|link| link.capacity);
        (node_capacity, note) = find_smallest_capacity(file.text.name(), capacities);
    }
    let weights: Vec<u32> = links.iter().map(|link| link.weight).collect();
    let has_weights = weights.iter().any(|weight| *weight != 1);
    // Cables of capacity 1 are what capacities say.
    let has_speeds = links
        .iter()
        .any(|link| f64::from(link.cables) != link.capacity);
    let cables = links.iter().map(|link| link.cables).collect();
    let (ends, capacities) = links.iter().map(|link| (link.ends, link.capacity)).unzip();
    Ok(Network {
        levels: options.levels.clone(),
        switch_names: list.names,
        cable_counts: has_speeds.then_some(cables),
        node_capacity,
        remarks: note.into_iter().collect(),
        // Without weights the graph is smaller and its searches are faster.
        link_weights: if has_weights {
            on_request(move || weights.clone())
        } else {
            None
        },
        ..network_of_links(spec, list.routers, per_router, ends, capacities)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{Topology, testing};
    use nodeorder_base::Text;
    use std::io::Write;

    #[test]
    fn weights_count_in_distances() {
        // Two pairs at no distance, three hops of the direct link of 9 apart over the lower way.
        let links = "0,1,1,0\n2,3,1,0\n0,2,1,9\n1,4,1,2\n4,3,1,1\n";
        let machine = testing::from_file("graph", links, "").unwrap();
        testing::check_metric(&machine);
        let far = |a, b| {
            machine.distance(
                nodeorder_base::ids::NodeId(a),
                nodeorder_base::ids::NodeId(b),
            )
        };
        assert_eq!([far(0, 1), far(0, 2), far(0, 4), far(2, 3)], [0, 3, 2, 0]);
        let s = machine.statistics().unwrap();
        assert_eq!((s.diameter, s.total_distance), (3, 4 * 3 + 2 * 2 + 2));
        assert_eq!(machine.distance_histogram().unwrap(), [2, 2, 2, 4]);
    }

    #[test]
    fn plain_and_compressed_files_are_machines() {
        let folder = tempfile::tempdir().unwrap();
        let links = b"0,1\n1,2\n2,3\n3,0,4\n";
        let plain = folder.path().join("a=b.csv");
        std::fs::write(&plain, links).unwrap();
        let packed = folder.path().join("links.csv.gz");
        let file = std::fs::File::create(&packed).unwrap();
        let mut encoder = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
        encoder.write_all(links).unwrap();
        encoder.finish().unwrap();
        let context = Context::default();
        for spec in [
            format!("graph:file={},per_router=2", plain.display()),
            format!("graph:{},per_router=2", packed.display()),
        ] {
            let machine = Topology::inline(&spec, &context).unwrap();
            assert_eq!(machine.spec(), spec);
            testing::check_links(&machine);
            let s = machine.statistics().unwrap();
            assert_eq!((s.nodes, s.routers, s.links, s.diameter), (8, 4, 4, 2));
        }
        let text = Text::new("m.toml", "kind = 'graph'\nfile = 'links.csv.gz'\n");
        let base = folder.path().join("m.toml");
        assert_eq!(
            Topology::toml(&text, Some(&base), &context)
                .unwrap()
                .node_count(),
            4
        );
        let missing = Topology::inline("graph:no-such.csv", &context)
            .unwrap_err()
            .to_string();
        assert!(missing.starts_with("no-such.csv: opening"), "{missing}");
        let error = Topology::inline("graph", &context).unwrap_err().to_string();
        assert!(error.contains("no `file`"), "{error}");
    }
}
