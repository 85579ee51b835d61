//! Topology files that ns-3's module topology-read reads: Orbis, Inet and Rocketfuel (weights and maps), told apart by
//! their first lines; every vertex is a switch with a node.
//!
//! Orbis: two names a line. Inet: numbers of vertices and links, a line for each vertex, then `from to weight`.
//! Rocketfuel weights: `from to weight`; maps: `uid @place … (neighbours) -> <uid> <uid> … =name rN`. (ns-3,
//! `src/topology-read/model`: `OrbisTopologyReader::Read`, `InetTopologyReader::Read`,
//! `RocketfuelTopologyReader::GenerateFromWeightsFile` and `GenerateFromMapsFile`, which passes over lines of a radius
//! above 0.) A link that both ends list is one cable, where ns-3 joins them twice in maps; a weight is no length here.

use std::collections::{BTreeMap, HashMap};

use super::wiring::Wiring;
use crate::topology::family::{PER_ROUTER, TopologyEntry, per_router, per_router_suffix};
use crate::topology::network::Network;
use crate::topology::source_file::{FileNetwork, SourceFile};
use nodeorder_base::{Error, Line, Opt, Result, Text};

/// `ns3:FILE[,per_router=K]`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "ns3",
    about: "a topology file of ns-3 (Orbis, Inet, Rocketfuel weights or maps): \
     every vertex is a switch with nodes",
    example: "ns3:Inet_small_toposample.txt",
    options: &[
        Opt::file("file", "a file that ns-3's topology-read takes").positional(),
        PER_ROUTER,
    ],
    parse: |params, _| {
        let per_router = per_router(params)?;
        let expected = "a topology file of ns-3, as in ns3:Inet_small_toposample.txt";
        FileNetwork::parse(params, expected, move |file| {
            build_network(file, per_router)
        })
    },
};

/// Vertices by name, and how often each links to another.
#[derive(Default)]
struct Graph<'a> {
    vertex_of: HashMap<&'a str, usize>,
    names: Vec<&'a str>,
    listed: BTreeMap<(usize, usize), u32>,
    /// Number of links from a vertex to itself.
    loops: u64,
    /// Number of links with a weight.
    weights: u64,
    /// Number of lines of routers that the map only saw from outside.
    outer: u64,
    /// Number of neighbours outside the map.
    external: u64,
}

impl<'a> Graph<'a> {
    fn find_vertex(&mut self, name: &'a str) -> usize {
        let next = self.names.len();
        let vertex = *self.vertex_of.entry(name).or_insert(next);
        if vertex == next {
            self.names.push(name);
        }
        vertex
    }

    fn add_link(&mut self, from: &'a str, to: &'a str) {
        let from = self.find_vertex(from);
        let to = self.find_vertex(to);
        if from == to {
            self.loops += 1;
        } else {
            *self.listed.entry((from, to)).or_insert(0) += 1;
        }
    }

    /// Adds the link of a line `from to weight`. Fails if it is none.
    fn add_weighted(&mut self, line: &Line<'a>) -> Result<()> {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        let [from, to, weight] = words.as_slice() else {
            return Err(wrong_line(line, "two names and a weight"));
        };
        if !weight.parse().is_ok_and(|weight: f64| weight >= 0.0) {
            return Err(wrong_line(line, "two names and a weight from 0"));
        }
        self.weights += 1;
        self.add_link(from, to);
        Ok(())
    }

    /// Adds a router of a map with its neighbours. Fails if the line is none of a map.
    fn add_mapped(&mut self, line: &Line<'a>) -> Result<()> {
        let expected = "uid @place … (neighbours) -> <uid> … =name rN";
        let Some((head, rest)) = line.text.split_once("->") else {
            return Err(wrong_line(line, expected));
        };
        let mut words = head.split_whitespace();
        let uid = words.next().unwrap_or("");
        let place = words.next().unwrap_or("");
        let radius = rest.split_whitespace().next_back().unwrap_or("");
        let radius = radius.strip_prefix('r').and_then(|r| r.parse::<u32>().ok());
        let Some(radius) = radius.filter(|_| uid.parse::<i64>().is_ok() && place.starts_with('@'))
        else {
            return Err(wrong_line(line, expected));
        };
        // Such routers were seen from others alone, and ns-3 leaves them out, too.
        if radius > 0 {
            self.outer += 1;
            return Ok(());
        }
        self.find_vertex(uid);
        for word in rest.split_whitespace() {
            if let Some(other) = word.strip_prefix('<').and_then(|w| w.strip_suffix('>')) {
                self.add_link(uid, other);
            }
            self.external += u64::from(word.starts_with('{'));
        }
        Ok(())
    }
}

/// Checks whether a text is a map, or begins with the numbers of an Inet file's vertices and links; other files are
/// lists of links, too.
pub(in crate::topology) fn recognises(text: &Text) -> bool {
    let lines: Vec<Line<'_>> = text.data_lines().collect();
    let [first, second, ..] = lines.as_slice() else {
        return false;
    };
    let counts = read_counts(first).map(|(vertices, links)| vertices.saturating_add(links));
    let is_inet = counts == Some(lines.len() as u64 - 1) && count_words(second) > 2;
    is_inet || (first.text.contains(" @") && first.text.contains(" -> "))
}

/// Makes the error about a line that is none of its kind.
fn wrong_line(line: &Line<'_>, expected: &str) -> Error {
    line.error_here(format!("`{}`", line.text), expected)
}

/// Counts the words of a line.
fn count_words(line: &Line<'_>) -> usize {
    line.text.split_whitespace().count()
}

/// Reads the first two numbers of a line. `None` if there are not exactly two.
fn read_counts(line: &Line<'_>) -> Option<(u64, u64)> {
    let mut words = line.text.split_whitespace();
    let vertices = words.next()?.parse().ok()?;
    let links = words.next()?.parse().ok()?;
    words.next().is_none().then_some((vertices, links))
}

/// Reads the links. Fails, with the line, if one is none of its kind, or lines of an Inet file are missing.
fn read_graph<'a>(lines: &[Line<'a>]) -> Result<Graph<'a>> {
    let mut graph = Graph::default();
    let Some(first) = lines.first() else {
        return Ok(graph);
    };
    if first.text.contains("->") {
        for line in lines {
            graph.add_mapped(line)?;
        }
        return Ok(graph);
    }
    let counts = read_counts(first);
    // Below the counts of Inet stand vertices with coordinates, never a pair alone, as everywhere in Orbis.
    let is_inet = lines.get(1).is_some_and(|line| count_words(line) > 2);
    if let Some((vertices, links)) = counts.filter(|_| is_inet) {
        let rest = lines.len() as u64 - 1;
        if vertices.checked_add(links) != Some(rest) {
            let found = format!("{rest} lines below {vertices} vertices and {links} links");
            return Err(first.error_here(found, "a line for each"));
        }
        for line in &lines[1..=vertices as usize] {
            let name = line.text.split_whitespace().next().unwrap_or("");
            graph.find_vertex(name);
        }
        for line in &lines[1 + vertices as usize..] {
            graph.add_weighted(line)?;
        }
        return Ok(graph);
    }
    for line in lines {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        // The first line says whether weights stand in all of them.
        match words.as_slice() {
            [from, to] if count_words(first) == 2 => graph.add_link(from, to),
            _ if count_words(first) == 2 => return Err(wrong_line(line, "two names")),
            _ => graph.add_weighted(line)?,
        }
    }
    Ok(graph)
}

/// Builds the network. Fails as [`read_graph`].
fn build_network(file: &SourceFile<'_>, per_router: u32) -> Result<Network> {
    let name = file.text.name();
    let bytes = 8 * file.text.as_str().len() as u64;
    file.context
        .require_memory(&format!("{name}: the links"), bytes)?;
    let lines: Vec<Line<'_>> = file.text.data_lines().collect();
    let graph = read_graph(&lines)?;
    let total = graph.names.len() as u64 * u64::from(per_router);
    file.context
        .require_memory(&format!("{name}: the names of the nodes"), 96 * total)?;
    let width = total.saturating_sub(1).to_string().len();
    let mut wiring = Wiring {
        forest: true,
        ..Wiring::default()
    };
    for (vertex, switch) in graph.names.iter().enumerate() {
        let first = vertex as u64 * u64::from(per_router);
        let nodes = first..first + u64::from(per_router);
        let nodes = nodes.map(|node| format!("n{node:0width$}")).collect();
        wiring.add_switch(switch, nodes, 0);
    }
    let mut both = 0;
    for ((from, to), count) in &graph.listed {
        let back = graph.listed.get(&(*to, *from)).copied().unwrap_or(0);
        if from > to && back > 0 {
            // Its cables are there from the other side.
            both += u64::from(back.min(*count));
            continue;
        }
        for _ in 0..back.max(*count) {
            wiring.add_cable(*from, *to, 1.0);
        }
    }
    for (count, what) in [
        (both, "links that both ends list are one cable each"),
        (graph.loops, "links from a vertex to itself are left out"),
        (
            graph.weights,
            "weights are passed over: every link is a hop",
        ),
        (
            graph.outer,
            "lines of routers beyond the map (radius above 0) are left out",
        ),
        (graph.external, "neighbours outside the map are left out"),
    ] {
        if count > 0 {
            wiring.remarks.push(format!("{name}: {count} {what}"));
        }
    }
    wiring.into_network(file, &per_router_suffix(per_router))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_refused, machine};
    use crate::topology::testing::from_file;

    /// Four vertices in a ring with one chord, in each notation.
    const ORBIS: &str = "0 1\n1 2\n2 3\n3 0\n0 2\n";
    const INET: &str = "4 5\n0\t10\t20\n1\t11\t21\n2\t12\t22\n3\t13\t23\n0\t1\t5\n1\t2\t5\n2\t3\t5\n3\t0\t5\n0\t2\t9\n";
    const WEIGHTS: &str = "a b 1.5\nb a 1.5\nb c 2\nc b 2\nc d 1\nd a 1\na c 3\nc a 3\n";
    const MAP: &str = "0 @New+York bb (3) &2 -> <1> <3> <2> {-9} {-8} =r0.net r0\n\
                       1 @Paris,+France + (2) -> <0> <2> =r1.net! r0\n\
                       2 @? (3) -> <1> <3> <0> =r2.net r0\n\
                       3 @? (2) -> <2> <0> =r3.net r0\n\
                       7 @? (1) -> <0> =far.net r1\n";

    #[test]
    fn the_same_graph_in_four_notations_is_the_same_machine() {
        for text in [ORBIS, INET, WEIGHTS, MAP] {
            let ring = machine("ns3", text).unwrap();
            let s = ring.statistics().unwrap();
            assert_eq!(
                (s.nodes, s.routers, s.links, s.cables),
                (4, 4, 5, 5),
                "{text}"
            );
            assert_eq!(
                (s.degree_min, s.degree_max, s.diameter),
                (2, 3, 2),
                "{text}"
            );
        }
        let two = from_file("ns3", ORBIS, ",per_router=2").unwrap();
        assert_eq!(two.node_count(), 8);
    }

    #[test]
    fn what_is_left_out_is_said_with_its_count() {
        let remarks = |text: &str| machine("ns3", text).unwrap().network().remarks().join("\n");
        assert!(remarks(MAP).contains("5 links that both ends list"));
        assert!(remarks(MAP).contains("1 lines of routers beyond"));
        assert!(remarks(MAP).contains("2 neighbours outside"));
        assert!(remarks(WEIGHTS).contains("8 weights are passed over"));
        assert!(remarks("0 0\n0 1\n").contains("1 links from a vertex to itself"));
    }

    #[test]
    fn parallel_links_are_cables() {
        let twice = machine("ns3", "0 1\n0 1\n1 2\n").unwrap();
        let s = twice.statistics().unwrap();
        assert_eq!((s.links, s.cables), (2, 3));
    }

    #[test]
    fn wrong_files_are_refused_with_their_line() {
        check_refused(
            "ns3",
            &[
                ("0 1\n1\n", ":2: found `1`; expected two names"),
                (
                    "4 9\n0 1 1\n",
                    ":1: found 1 lines below 4 vertices and 9 links",
                ),
                (
                    "a b x\n",
                    ":1: found `a b x`; expected two names and a weight",
                ),
                ("0 @? (1) -> <1> =x r0\nrubbish\n", ":2: found `rubbish`"),
            ],
        );
    }
}
