//! GraphML: vertices are switches, as SST's topoAny and networkx write them.

use std::collections::{HashMap, HashSet};

use roxmltree::{Document, Node};

use super::wiring::Wiring;
use crate::topology::context::Context;
use crate::topology::family::{
    BuildNetwork, PER_ROUTER, TopologyEntry, per_router, per_router_suffix,
};
use crate::topology::network::Network;
use crate::topology::source_file::{FileOption, SourceFile};
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_base::params::{Opt, Params};

/// `graphml:FILE[,per_router=K]`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "graphml",
    about: "GraphML of SST, networkx and others: vertices are switches with `endpoints` nodes each (and their `names`)",
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
    ],
    parse: parse_options,
};

struct GraphmlOptions {
    file: FileOption,
    per_router: u32,
}

fn parse_options(params: &Params, _: &Context) -> Result<Box<dyn BuildNetwork>> {
    let per_router = per_router(params)?;
    let file = FileOption::parse(params, "a GraphML file, as in graphml:network.graphml")?;
    Ok(Box::new(GraphmlOptions { file, per_router }))
}

impl BuildNetwork for GraphmlOptions {
    fn build(&self, context: &Context) -> Result<Network> {
        let file = self.file.read(context)?;
        wiring(&file, self.per_router)?.network(&file, &per_router_suffix(self.per_router))
    }
}

/// The values of elements by the names of their keys.
struct Keys<'a>(HashMap<&'a str, (&'a str, Option<&'a str>)>);

impl<'a> Keys<'a> {
    /// The text of `name` at an element, or its default.
    fn value(&self, element: Node<'a, 'a>, name: &str) -> Option<&'a str> {
        let named = |key: &str| self.0.get(key).is_some_and(|(other, _)| *other == name);
        let mut data = element
            .children()
            .filter(|child| child.has_tag_name("data"));
        let own = data.find(|data| data.attribute("key").is_some_and(named));
        let default = || {
            self.0
                .values()
                .find(|(other, _)| *other == name)
                .and_then(|key| key.1)
        };
        own.map(|data| data.text().unwrap_or("").trim())
            .or_else(default)
    }
}

/// A switch a vertex, in the order of the file. Without `names` nodes are called n and their number, vertex by vertex.
///
/// # Errors
/// With the line: no XML, no undirected graph, a vertex without an id or again, endpoints that are no whole number,
/// another number of names, a name again; an edge to a vertex that is not there or to its own, a capacity that is not
/// above 0.
///
/// # References
/// Brandes et al., "GraphML Progress Report", 2002; topoAny of SST's merlin: vertex attribute `endpoints`.
fn wiring(file: &SourceFile<'_>, per_router: u32) -> Result<Wiring> {
    let (name, text) = (file.text.name(), file.text.as_str());
    file.context
        .require(&format!("{name}: the document"), 16 * text.len() as u64)?;
    let at = |line: u32| SourceLocation::line(name, line.max(1) as usize);
    let document = Document::parse(text)
        .map_err(|e| Error::input(at(e.pos().row), e.to_string(), "GraphML, which is XML"))?;
    let wrong = |element: Node<'_, '_>, found: String, expected: &str| {
        Error::input(
            at(document.text_pos_at(element.range().start).row),
            found,
            expected,
        )
    };
    let all = |tag: &'static str| document.descendants().filter(move |n| n.has_tag_name(tag));
    let graph = all("graph").next().ok_or_else(|| {
        Error::input(
            at(1),
            "no `graph`",
            "<graphml> with <graph edgedefault=\"undirected\">",
        )
    })?;
    let directed = |e: &Node<'_, '_>| e.attribute("directed") == Some("true");
    let arrow = all("edge").find(directed);
    if graph.attribute("edgedefault") != Some("undirected") || arrow.is_some() {
        let found = "directed edges".to_string();
        return Err(wrong(
            arrow.unwrap_or(graph),
            found,
            "edgedefault=\"undirected\"",
        ));
    }
    let mut keys = Keys(HashMap::new());
    for element in all("key") {
        if let (Some(id), Some(name)) = (element.attribute("id"), element.attribute("attr.name")) {
            let default = element
                .children()
                .find(|child| child.has_tag_name("default"));
            keys.0.insert(
                id,
                (
                    name,
                    default.and_then(|default| default.text()).map(str::trim),
                ),
            );
        }
    }
    let mut vertices: HashMap<&str, usize> = HashMap::new();
    let mut counts = Vec::new();
    for element in all("node") {
        let id = element
            .attribute("id")
            .ok_or_else(|| wrong(element, "a vertex without an id".into(), "<node id=\"…\">"))?;
        if vertices.insert(id, counts.len()).is_some() {
            return Err(wrong(
                element,
                format!("vertex `{id}` again"),
                "each vertex once",
            ));
        }
        let count = match keys.value(element, "endpoints") {
            None => per_router,
            Some(text) => text.parse().ok().filter(|n| *n <= 1 << 20).ok_or_else(|| {
                wrong(
                    element,
                    format!("endpoints `{text}`"),
                    "a whole number from 0 to 1048576",
                )
            })?,
        };
        counts.push((element, id, count));
    }
    let total: u64 = counts.iter().map(|(.., count)| u64::from(*count)).sum();
    file.context
        .require(&format!("{name}: the names of the nodes"), 96 * total)?;
    let width = total.saturating_sub(1).to_string().len();
    let (mut wiring, mut next, mut seen) = (Wiring::default(), 0u64, HashSet::new());
    let (mut known, mut line) = (0, 1);
    for (element, id, count) in counts {
        let names: Vec<String> = match keys.value(element, "names") {
            None => (next..next + u64::from(count))
                .map(|n| format!("n{n:0width$}"))
                .collect(),
            Some(names) => names.split_whitespace().map(String::from).collect(),
        };
        if names.len() != count as usize {
            let found = format!("{} names of {count} endpoints", names.len());
            return Err(wrong(element, found, "a name for each"));
        }
        if let Some(again) = names.iter().find(|name| !seen.insert(name.to_string())) {
            return Err(wrong(
                element,
                format!("node `{again}` again"),
                "each name once",
            ));
        }
        next += u64::from(count);
        let start = element.range().start;
        line += memchr::memchr_iter(b'\n', &text.as_bytes()[known..start]).count();
        known = start;
        wiring.add(id, names, line);
    }
    for edge in all("edge") {
        let end = |end: &str| {
            let id = edge.attribute(end).unwrap_or("");
            let found = || wrong(edge, format!("{end} `{id}`"), "the id of a vertex");
            vertices.get(id).copied().ok_or_else(found)
        };
        let (a, b) = (end("source")?, end("target")?);
        if a == b {
            return Err(wrong(
                edge,
                "an edge from a vertex to itself".into(),
                "two vertices",
            ));
        }
        let text = keys.value(edge, "capacity").unwrap_or("1");
        let capacity = text.parse::<f64>().ok().filter(|c| *c > 0.0 && *c <= 1e9);
        let capacity = capacity.ok_or_else(|| {
            wrong(
                edge,
                format!("capacity `{text}`"),
                "a number above 0, at most 1e9",
            )
        })?;
        wiring.join(a, b, capacity);
    }
    Ok(wiring)
}
