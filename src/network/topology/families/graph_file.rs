//! Networks from a file: a CSV edge list.
//!
//! ```text
//! 0,1          two routers with a link
//! 1,2,4        a link of capacity 4
//! 2,3,1,5      a link whose hop counts 5 in distances
//! ```

use crate::topology::context::Context;
use crate::topology::family::{
    BuildNetwork, PER_ROUTER, TopologyEntry, per_router, per_router_suffix,
};
use crate::topology::link_list::{MOST_CAPACITY, network_of_links};
use crate::topology::network::{Level, Network, on_request};
use crate::topology::sizes::require_graph;
use crate::topology::source_file::{FileNetwork, SourceFile};
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_base::input::{Line, Text};
use nodeorder_base::params::{Opt, Params};
use petgraph::unionfind::UnionFind;

/// Entry of `graph:FILE[,per_router=K]`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "graph",
    about: "any network, from a CSV file of links u,v[,capacity[,weight]]",
    example: "graph:links.csv",
    options: &[
        Opt::file("file", "CSV file of links u,v[,capacity[,weight]]").positional(),
        PER_ROUTER,
        Opt::text(
            "levels",
            "units of consecutive routers and the routers of one, outermost first, as in group:96/chassis:16",
        )
        .default_in_words("none"),
    ],
    parse: parse_options,
};

/// Reads the options of a network from an edge list, not the list.
fn parse_options(params: &Params, _: &Context) -> Result<Box<dyn BuildNetwork>> {
    let per_router = per_router(params)?;
    let levels = parse_levels(params, per_router)?;
    let expected = "a CSV file of links u,v[,capacity[,weight]], as in graph:links.csv";
    FileNetwork::parse(params, expected, move |file| {
        build_network(file, per_router, levels.clone())
    })
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

/// Largest weight of a link.
const MAX_WEIGHT: u32 = 1000;

/// Link as a file has it.
#[cfg_attr(test, derive(Debug))]
pub(super) struct FileLink {
    /// The two routers, ascending.
    pub ends: (u32, u32),
    /// Capacity; 1 is an ordinary link.
    pub capacity: f64,
    /// Distance that a hop over the link counts.
    pub weight: u32,
    /// Line number in the file.
    pub line: usize,
}

/// Reads routers 0..N-1 and undirected links, one a line as `u,v`, `u,v,capacity` or `u,v,capacity,weight`: the
/// weight, 0 or more, is what a hop over the link counts in distances (both 1 unless given). The first line may be a
/// header, that is, hold no number; `#` starts a comment; `.gz` is read compressed. O(links · log links); 24 bytes a
/// link.
///
/// # Errors
/// With the line: anything that is not a number, a capacity that is not above 0 or above 1e15, a weight above 1000, a
/// link from a router to itself, a link named before (in either direction), an id left out below the largest one, a
/// router that no path joins to router 0.
fn build_network(file: &SourceFile<'_>, per_router: u32, levels: Vec<Level>) -> Result<Network> {
    let (routers, edges) = read_edges(&file.text)?;
    require_graph(file.context, u64::from(routers), edges.len() as u64)?;
    let mut spec = format!("{}{}", file.spec(), per_router_suffix(per_router));
    for (i, level) in levels.iter().enumerate() {
        let before = if i == 0 { ",levels=" } else { "/" };
        spec += &format!("{before}{}:{}", level.name, level.slots / per_router);
    }
    let weights: Vec<u32> = edges.iter().map(|edge| edge.weight).collect();
    let (links, capacities) = edges.iter().map(|edge| (edge.ends, edge.capacity)).unzip();
    let mut network = network_of_links(spec, routers, per_router, links, capacities);
    network.levels = levels;
    // Without weights the graph is smaller and its searches are faster.
    if weights.iter().any(|weight| *weight != 1) {
        network.link_weights = on_request(move || weights.clone());
    }
    Ok(network)
}

/// Reads all lines. Returns the number of routers and the links, sorted.
fn read_edges(text: &Text) -> Result<(u32, Vec<FileLink>)> {
    let mut edges = Vec::new();
    for (i, line) in text.data_lines().enumerate() {
        let mut fields = line.text.split(',').map(str::trim);
        // A first line without numbers is a header; a word without commas is none.
        if i == 0 && fields.all(|f| f.parse::<f64>().is_err()) && line.text.contains(',') {
            continue;
        }
        edges.push(parse_edge(&line)?);
    }
    check_edges(text, edges)
}

/// Checks that links are a connected network. Returns the number of routers and the links, sorted.
///
/// # Errors
/// No links, a link again, a router left out, a network in pieces.
pub(super) fn check_edges(text: &Text, mut edges: Vec<FileLink>) -> Result<(u32, Vec<FileLink>)> {
    if edges.is_empty() {
        return Err(Error::input(
            text.location(),
            "no links",
            "lines of u,v[,capacity[,weight]]",
        ));
    }
    edges.sort_unstable_by_key(|e| (e.ends, e.line));
    // The fault that comes first in the file is named.
    let twice = edges.windows(2).filter(|pair| pair[0].ends == pair[1].ends);
    if let Some([first, again]) = twice.min_by_key(|pair| pair[1].line) {
        let (u, v) = again.ends;
        let found = format!("link {u},{v} again (line {} has it)", first.line);
        return Err(Error::input(
            SourceLocation::line(text.name(), again.line),
            found,
            "each link once, in one direction",
        ));
    }
    let routers = count_routers(text, &edges)?;
    let mut parts = UnionFind::<u32>::new(routers as usize);
    for edge in &edges {
        parts.union(edge.ends.0, edge.ends.1);
    }
    let apart = edges
        .iter()
        .filter(|e| !parts.equiv(0, e.ends.0))
        .min_by_key(|e| e.line);
    if let Some(edge) = apart {
        let found = format!("router {}, which no path joins to router 0", edge.ends.0);
        let location = SourceLocation::line(text.name(), edge.line);
        return Err(Error::input(location, found, "a connected network"));
    }
    Ok((routers, edges))
}

/// Parses a line of `u,v[,capacity[,weight]]`.
fn parse_edge(line: &Line<'_>) -> Result<FileLink> {
    let fields = line.split_csv()?;
    if !(2..=4).contains(&fields.len()) {
        let found = format!("`{}`", line.text);
        return Err(line.error_here(found, "u,v[,capacity[,weight]]"));
    }
    let u = parse_router(line, &fields[0])?;
    let v = parse_router(line, &fields[1])?;
    if u == v {
        let found = format!("a link from router {u} to itself");
        return Err(line.error_here(found, "two different routers"));
    }
    let mut edge = FileLink {
        ends: (u.min(v), u.max(v)),
        capacity: 1.0,
        weight: 1,
        line: line.number,
    };
    if let Some(text) = fields.get(2) {
        let capacity = text.parse().ok();
        edge.capacity = capacity
            .filter(|capacity| *capacity > 0.0 && *capacity <= MOST_CAPACITY)
            .ok_or_else(|| {
                line.error_here(format!("capacity `{text}`"), "a number above 0, up to 1e15")
            })?;
    }
    if let Some(text) = fields.get(3) {
        let weight = text.parse().ok();
        edge.weight = weight
            .filter(|weight| *weight <= MAX_WEIGHT)
            .ok_or_else(|| {
                line.error_here(format!("weight `{text}`"), "a whole number from 0 to 1000")
            })?;
    }
    Ok(edge)
}

/// Parses the id of a router, one below the largest number of routers at most.
fn parse_router(line: &Line<'_>, text: &str) -> Result<u32> {
    let id = text.parse().ok().filter(|id| *id < 1 << 31);
    id.ok_or_else(|| {
        line.error_here(
            format!("router `{text}`"),
            "a router id from 0 to 2147483647",
        )
    })
}

/// Counts the routers: one more than the largest id. Without a table of all ids, as a slip may make the largest one
/// huge.
///
/// # Errors
/// A router id that is on no link although a larger one is.
fn count_routers(text: &Text, edges: &[FileLink]) -> Result<u32> {
    let mut ids: Vec<u32> = edges.iter().flat_map(|e| [e.ends.0, e.ends.1]).collect();
    ids.sort_unstable();
    ids.dedup();
    let Some((missing, id)) = (0..).zip(&ids).find(|(i, id)| i != *id) else {
        return Ok(ids.len() as u32);
    };
    let line = edges
        .iter()
        .filter(|e| e.ends.0 == *id || e.ends.1 == *id)
        .map(|e| e.line)
        .min();
    let found = format!("router {id}, but no link of router {missing}");
    Err(Error::input(
        SourceLocation::line(text.name(), line.unwrap_or(1)),
        found,
        "ids from 0 without gaps",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{Topology, testing};
    use std::io::Write;

    /// Number of routers and links of a file as (u, v, capacity, weight).
    fn read_links(text: &str) -> (u32, Vec<(u32, u32, f64, u32)>) {
        let (routers, edges) = read_edges(&Text::new("g", text)).unwrap();
        let links = edges
            .iter()
            .map(|e| (e.ends.0, e.ends.1, e.capacity, e.weight));
        (routers, links.collect())
    }

    #[test]
    fn header_comments_and_capacities_are_optional() {
        for text in [
            "0,1\n1,2\n",
            "# ring\nu,v,capacity\n\n1 , 0\n2,1,1 # last\n",
            "source,target\n1,0\n1,2\n",
        ] {
            let (routers, links) = read_links(text);
            assert_eq!(
                (routers, links),
                (3, vec![(0, 1, 1.0, 1), (1, 2, 1.0, 1)]),
                "{text}"
            );
        }
        let (_, links) = read_links("1,0,2.5");
        assert_eq!(links, [(0, 1, 2.5, 1)]);
        let (_, links) = read_links("u,v,capacity,weight\n1,0,2,0\n1,2,1,7\n");
        assert_eq!(links, [(0, 1, 2.0, 0), (1, 2, 1.0, 7)]);
    }

    #[test]
    fn faults_are_named_with_their_line() {
        for (text, expected) in [
            ("0,1\n2,2\n", "g:2: found a link from router 2 to itself"),
            (
                "u,v\n0,1\n1,2\n1,0\n",
                "g:4: found link 0,1 again (line 2 has it)",
            ),
            ("0,1\n1,x\n", "g:2: found router `x`"),
            ("0,1\n1,-2\n", "g:2: found router `-2`"),
            ("-1,1\n", "g:1: found router `-1`"),
            ("0,4294967296\n", "g:1: found router `4294967296`"),
            ("0,1\n1,2,0\n", "g:2: found capacity `0`"),
            ("0,1,-1\n", "g:1: found capacity `-1`"),
            ("0,1,inf\n", "g:1: found capacity `inf`"),
            ("0,1,NaN\n", "g:1: found capacity `NaN`"),
            ("0,1,1e308\n", "g:1: found capacity `1e308`"),
            ("0,1,1,1,1\n", "g:1: found `0,1,1,1,1`"),
            ("0,1,1,-1\n", "g:1: found weight `-1`"),
            ("0,1,1,1001\n", "g:1: found weight `1001`"),
            ("0 1\n", "g:1: found `0 1`"),
            (
                "0,1\n1,2000000000\n",
                "g:2: found router 2000000000, but no link of router 2",
            ),
            ("1,2\n", "g:1: found router 1, but no link of router 0"),
            (
                "0,1\n1,2\n4,3\n",
                "g:3: found router 3, which no path joins to router 0",
            ),
            ("# nothing\n", "g: found no links"),
            ("u,v\nu,v\n", "g:2: found router `u`"),
        ] {
            let error = read_edges(&Text::new("g", text)).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{text:?}: {error}");
        }
    }

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
