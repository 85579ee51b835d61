//! GraphML: an XML file of a graph whose vertices are switches, as SST's topoAny and networkx write it.

use std::collections::{HashMap, HashSet};

use roxmltree::{Document, Node};

use super::wiring::Wiring;
use crate::topology::context::Context;
use crate::topology::family::{
    BuildNetwork, NODE_CAPACITY, PER_ROUTER, TopologyEntry, find_smallest_capacity, node_capacity,
    node_capacity_suffix, per_router, per_router_suffix,
};
use crate::topology::source_file::{FileNetwork, SourceFile};
use nodeorder_base::{Opt, Params, Result, Text};

/// `graphml:FILE[,per_router=K]`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "graphml",
    about: "GraphML of SST, networkx and others: vertices are switches with \
     `endpoints` nodes each (and their `names`)",
    example: "graphml:network.graphml",
    options: &[
        Opt::file(
            "file",
            "an undirected graph; edges may have a `capacity`, parallel ones add up",
        )
        .positional(),
        Opt {
            about: "nodes of a vertex that says no `endpoints`",
            ..PER_ROUTER
        },
        NODE_CAPACITY,
    ],
    parse: parse_options,
};

/// Reads the options.
fn parse_options(params: &Params, _: &Context) -> Result<Box<dyn BuildNetwork>> {
    let per_router = per_router(params)?;
    let own = node_capacity(params)?;
    let suffix = per_router_suffix(per_router) + &node_capacity_suffix(own);
    let expected = "a GraphML file, as in graphml:network.graphml";
    FileNetwork::parse(params, expected, move |file| {
        let mut wiring = read_graph(file, per_router)?;
        wiring.node_capacity = own;
        if wiring.has_speeds && own.is_none() {
            let capacities = wiring.links.values().copied();
            let (smallest, note) = find_smallest_capacity(file.text.name(), capacities);
            wiring.node_capacity = Some(smallest);
            wiring.remarks.extend(note);
        }
        wiring.into_network(file, &suffix)
    })
}

/// Attributes that the file declares.
#[derive(Default)]
struct Attributes<'a> {
    /// Name by the id of the key.
    names: HashMap<&'a str, &'a str>,
    /// Default value by name, of the first key of that name; `None` if it has none.
    defaults: HashMap<&'a str, Option<&'a str>>,
}

impl<'a> Attributes<'a> {
    /// Reads the `key` elements, each an attribute.
    fn read_attributes(document: &'a Document<'a>) -> Self {
        let mut attributes = Attributes::default();
        for key in elements_with_tag(document, "key") {
            if let (Some(id), Some(name)) = (key.attribute("id"), key.attribute("attr.name")) {
                let default = key.children().find(|child| child.has_tag_name("default"));
                let default = default.and_then(|default| default.text());
                attributes.names.insert(id, name);
                let default = default.map(str::trim);
                attributes.defaults.entry(name).or_insert(default);
            }
        }
        attributes
    }

    /// Finds the text of the attribute `name` at an element, or its default.
    fn attribute_value(&self, element: Node<'a, 'a>, name: &str) -> Option<&'a str> {
        for data in element
            .children()
            .filter(|child| child.has_tag_name("data"))
        {
            let key = data.attribute("key").and_then(|key| self.names.get(key));
            if key == Some(&name) {
                return Some(data.text().unwrap_or("").trim());
            }
        }
        self.defaults.get(name).copied().flatten()
    }
}

/// Lists the elements of a document with this tag.
fn elements_with_tag<'a>(
    document: &'a Document<'a>,
    tag: &'a str,
) -> impl Iterator<Item = Node<'a, 'a>> {
    document
        .descendants()
        .filter(move |node| node.has_tag_name(tag))
}

/// Most attributes of one element: those of GraphML have four.
const MOST_ATTRIBUTES: usize = 1000;

/// Finds the beginning of an element with more attributes than [`MOST_ATTRIBUTES`]; `None` if there is none. O(length).
fn find_long_tag(text: &str) -> Option<usize> {
    let mut at = 0;
    while let Some(start) = text[at..].find('<').map(|offset| at + offset) {
        let tag = &text[start..];
        // Comments and texts taken literally may hold any signs.
        let literal = [("<!--", "-->"), ("<![CDATA[", "]]>")];
        if let Some((_, end)) = literal.iter().find(|(begin, _)| tag.starts_with(begin)) {
            at = start + tag.find(end)?;
            continue;
        }
        let mut quote = None;
        let mut signs = 0;
        let end = tag.bytes().position(|byte| {
            match (byte, quote) {
                (b'"' | b'\'', None) => quote = Some(byte),
                (_, Some(open)) if open == byte => quote = None,
                (b'=', None) => signs += 1,
                _ => {}
            }
            byte == b'>' && quote.is_none()
        });
        if signs > MOST_ATTRIBUTES {
            return Some(start);
        }
        at = start + end?;
    }
    None
}

/// Checks that no element has so many attributes that the parser, which compares each of them with all others, takes
/// long. Fails, with the line, if one has.
fn check_tags(text: &Text) -> Result<()> {
    let Some(offset) = find_long_tag(text.as_str()) else {
        return Ok(());
    };
    let found = format!("an element of more than {MOST_ATTRIBUTES} attributes");
    Err(text.error_at(text.line_number_at(offset), found, "fewer"))
}

/// Parses a file of XML; with `allow_dtd` it may name the type of its document, and have no entities of its own.
///
/// # Errors
/// With the line: no XML, an entity, an element of too many attributes; a document too large for the memory allowed.
pub(super) fn parse_xml<'t>(
    file: &'t SourceFile<'_>,
    allow_dtd: bool,
    expected: &str,
) -> Result<Document<'t>> {
    let text = &file.text;
    check_tags(text)?;
    // An entity may stand for any length of text.
    if let Some(offset) = text.as_str().find("<!ENTITY").filter(|_| allow_dtd) {
        let expected = "a platform without entities of its own";
        return Err(text.error_at(text.line_number_at(offset), "an entity", expected));
    }
    let bytes = 16 * text.as_str().len() as u64;
    file.context
        .require_memory(&format!("{}: the document", text.name()), bytes)?;
    let options = roxmltree::ParsingOptions {
        allow_dtd,
        ..Default::default()
    };
    Document::parse_with_options(text.as_str(), options)
        .map_err(|e| text.error_at(e.pos().row.max(1) as usize, e.to_string(), expected))
}

/// Reads a switch for each vertex, in the order of the file. Without `names` nodes are called n and their number,
/// vertex by vertex.
///
/// # Errors
/// With the line: no XML, no undirected graph, a vertex without an id or again, endpoints that are no whole number,
/// another number of names, a name again; an edge to a vertex that is not there or to its own, a capacity that is not
/// above 0.
///
/// # References
/// Brandes et al., "GraphML Progress Report", 2002; topoAny of SST's merlin: vertex attribute `endpoints`.
fn read_graph(file: &SourceFile<'_>, per_router: u32) -> Result<Wiring> {
    let name = file.text.name();
    let document = parse_xml(file, false, "GraphML, which is XML")?;
    let line_of = file.text.line_finder();
    let wrong = |element: Node<'_, '_>, found: String, expected: &str| {
        let line = line_of(element.range().start);
        file.text.error_at(line, found, expected)
    };
    let Some(graph) = elements_with_tag(&document, "graph").next() else {
        let expected = "<graphml> with <graph edgedefault=\"undirected\">";
        return Err(file.text.error_at(1, "no `graph`", expected));
    };
    let mut edges = elements_with_tag(&document, "edge");
    let directed = edges.find(|edge| edge.attribute("directed") == Some("true"));
    if graph.attribute("edgedefault") != Some("undirected") || directed.is_some() {
        let element = directed.unwrap_or(graph);
        let expected = "edgedefault=\"undirected\"";
        return Err(wrong(element, "directed edges".into(), expected));
    }
    let attributes = Attributes::read_attributes(&document);
    let mut switch_of: HashMap<&str, usize> = HashMap::new();
    let mut vertices = Vec::new();
    for element in elements_with_tag(&document, "node") {
        let Some(id) = element.attribute("id") else {
            return Err(wrong(
                element,
                "a vertex without an id".into(),
                "<node id=\"…\">",
            ));
        };
        if switch_of.insert(id, vertices.len()).is_some() {
            let found = format!("vertex `{id}` again");
            return Err(wrong(element, found, "each vertex once"));
        }
        let mut count = per_router;
        if let Some(text) = attributes.attribute_value(element, "endpoints") {
            let endpoints = text.parse().ok().filter(|n| *n <= 1 << 20);
            count = endpoints.ok_or_else(|| {
                let expected = "a whole number from 0 to 1048576";
                wrong(element, format!("endpoints `{text}`"), expected)
            })?;
        }
        vertices.push((element, id, count));
    }
    let total: u64 = vertices.iter().map(|(.., count)| u64::from(*count)).sum();
    file.context
        .require_memory(&format!("{name}: the names of the nodes"), 96 * total)?;
    let width = total.saturating_sub(1).to_string().len();
    let mut wiring = Wiring::default();
    let mut next = 0u64;
    let mut seen = HashSet::new();
    for (element, id, count) in vertices {
        let numbers = next..next + u64::from(count);
        next = numbers.end;
        let names: Vec<String> = match attributes.attribute_value(element, "names") {
            None => numbers.map(|n| format!("n{n:0width$}")).collect(),
            Some(names) => names.split_whitespace().map(String::from).collect(),
        };
        if names.len() != count as usize {
            let found = format!("{} names of {count} endpoints", names.len());
            return Err(wrong(element, found, "a name for each"));
        }
        if let Some(again) = names.iter().find(|name| !seen.insert(name.to_string())) {
            let found = format!("node `{again}` again");
            return Err(wrong(element, found, "each name once"));
        }
        wiring.add_switch(id, names, line_of(element.range().start));
    }
    for edge in elements_with_tag(&document, "edge") {
        let mut ends = [0; 2];
        for (end, side) in ends.iter_mut().zip(["source", "target"]) {
            let id = edge.attribute(side).unwrap_or("");
            let Some(switch) = switch_of.get(id) else {
                let found = format!("{side} `{id}`");
                return Err(wrong(edge, found, "the id of a vertex"));
            };
            *end = *switch;
        }
        let [a, b] = ends;
        if a == b {
            let found = "an edge from a vertex to itself".into();
            return Err(wrong(edge, found, "two vertices"));
        }
        let text = attributes.attribute_value(edge, "capacity").unwrap_or("1");
        wiring.has_speeds |= text != "1";
        let capacity = text.parse::<f64>().ok().filter(|c| *c > 0.0 && *c <= 1e9);
        let Some(capacity) = capacity else {
            let found = format!("capacity `{text}`");
            return Err(wrong(edge, found, "a number above 0, at most 1e9"));
        };
        // Parallel edges are cables, whose capacities add up.
        wiring.add_cable(a, b, capacity);
    }
    Ok(wiring)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{error, machine};
    use crate::topology::testing::from_file;

    #[test]
    fn many_attributes_and_keys_take_no_time() {
        let many: String = (0..200_000).map(|n| format!(" a{n}='{n}'")).collect();
        let text = format!("<graphml>\n<graph{many}/></graphml>");
        let error = error("graphml", &text);
        assert!(
            error.starts_with(":2: found an element of more than 1000 attributes"),
            "{error}"
        );
        // As many signs elsewhere are no attributes.
        let signs = "a='".repeat(2000);
        let keys: String = (0..20_000)
            .map(|n| format!("<key id='k{n}' attr.name='x{n}'/>"))
            .collect();
        let vertices: String = (0..20_000).map(|n| format!("<node id='{n}'/>")).collect();
        let edges: String = (1..20_000)
            .map(|n| format!("<edge source='{}' target='{n}'/>", n / 2))
            .collect();
        let text = format!(
            "<graphml><!-- {signs} -->{keys}<graph edgedefault='undirected'>{vertices}{edges}</graph></graphml>"
        );
        assert_eq!(machine("graphml", &text).unwrap().node_count(), 20_000);
    }

    /// A ring of three switches with a node each, whose cables carry 300 Gbit/s, of which one pair has two.
    const RING: &str = "<graphml><key id=\"c\" attr.name=\"capacity\"/><graph edgedefault=\"undirected\">\n\
        <node id=\"a\"/><node id=\"b\"/><node id=\"d\"/>\n\
        <edge source=\"a\" target=\"b\"><data key=\"c\">300</data></edge>\n\
        <edge source=\"b\" target=\"d\"><data key=\"c\">300</data></edge>\n\
        <edge source=\"d\" target=\"a\"><data key=\"c\">300</data></edge>\n\
        <edge source=\"d\" target=\"a\"><data key=\"c\">300</data></edge>\n</graph></graphml>\n";

    #[test]
    fn capacities_are_no_numbers_of_cables() {
        let ring = from_file("graphml", RING, "").unwrap();
        let s = ring.statistics().unwrap();
        assert_eq!((s.cables, s.capacity, s.ports), (4, 1200.0, 4));
        assert_eq!(
            (s.oversubscription, s.oversubscription_by),
            (Some(0.5), "capacity")
        );
        assert_eq!(ring.network().node_capacity(), 300.0);
        assert!(ring.network().remarks()[0].contains("capacity 300, the smallest of a link"));
        let own = from_file("graphml", RING, ",node_capacity=600").unwrap();
        assert_eq!(own.statistics().unwrap().oversubscription, Some(1.0));
        assert!(own.network().remarks().is_empty());
    }
}
