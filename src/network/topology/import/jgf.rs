//! Flux's resource graph in JSON Graph Format.
//!
//! Every vertex has a type and a path of what contains it: the node `/cluster0/rack1/n3` is in rack1 of cluster0.
//! Edges repeat what the paths say.

use std::borrow::Cow;
use std::collections::HashMap;

use super::document::{self, Node};
use super::outline::{OutlineNetwork, UPLINKS};
use super::paths::HostPaths;
use super::wiring::Wiring;
use crate::topology::family::TopologyEntry;
use crate::topology::source_file::SourceFile;
use nodeorder_base::{Opt, Result};

/// `jgf:FILE.json`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "jgf",
    about: "Flux's resource graph (JGF): the vertices of type node, by their containment paths",
    example: "jgf:resources.json",
    options: &[
        Opt::file(
            "file",
            "a resource graph in JGF, or R with one under `scheduling`",
        )
        .positional(),
        UPLINKS,
    ],
    parse: |params, _| {
        OutlineNetwork::parse(params, "a JSON file, as in jgf:resources.json", |file| {
            Ok((read_containment(file)?, String::new()))
        })
    },
};

/// Reads a switch for each vertex above nodes on their `containment` paths; levels are called by the type of their
/// vertices. All that is below nodes is passed over. A node without `name` is called by its `basename` and `id`. Fails,
/// with the line, if there is no JSON or graph, a vertex has no metadata, or a node no name or containment path, or a
/// node comes again.
///
/// # References
/// Flux RFC 4, "Flux Resource Model"; JSON Graph Format of flux-sched's `resource/readers` (`resource_reader_jgf.cpp`
/// fills in a name that is left out: the basename, else the type, and the id unless it is -1).
fn read_containment(file: &SourceFile<'_>) -> Result<Wiring> {
    let document = document::read_document(&file.text)?;
    let top = document.find_key("scheduling").unwrap_or(&document);
    let graph = top.require_key("graph", "a resource graph")?;
    let mut types: HashMap<&str, &str> = HashMap::new();
    let mut hosts = Vec::new();
    for vertex in graph.require_list("nodes")? {
        let Some(metadata) = vertex.find_key("metadata") else {
            let found = format!("{} without `metadata`", vertex.describe());
            return Err(vertex.error_here(found, "a vertex with metadata"));
        };
        let kind = metadata.require_text("type")?;
        let path = metadata.text_at(&["paths", "containment"]);
        types.extend(path.map(|path| (path, kind)));
        if kind == "node" {
            let name = name_of_node(metadata)?;
            let Some(path) = path.filter(|path| path.starts_with('/')) else {
                let found = format!("node `{name}` without a containment path");
                return Err(metadata.error_here(found, "paths: {containment: /cluster0/…}"));
            };
            hosts.push((metadata.line, name, path));
        }
    }
    let mut paths = HostPaths::default();
    let mut levels: Vec<String> = Vec::new();
    for (line, name, path) in &hosts {
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        let above = &parts[..parts.len().saturating_sub(1)];
        paths.add_host(file.text.name(), *line, name, above)?;
        let mut so_far = *path;
        for height in 0..above.len() {
            so_far = so_far.rsplit_once('/').map_or("", |(above, _)| above);
            // The first node that is so deep names the level.
            if height < levels.len() {
                continue;
            }
            let mut name = match types.get(so_far) {
                Some(kind) => kind.to_string(),
                None => format!("level{height}"),
            };
            // Racks within racks.
            if levels.contains(&name) {
                name += &height.to_string();
            }
            levels.push(name);
        }
    }
    Ok(paths.into_wiring(&|height| levels.get(height).cloned().unwrap_or("all".into())))
}

/// Composes the name of a node: its `name`, else its `basename` (or `node`, its type) and its `id`. Fails if it has
/// none of these.
fn name_of_node(metadata: &Node) -> Result<Cow<'_, str>> {
    let basename = metadata.text_at(&["basename"]);
    let basename = basename.filter(|basename| !basename.is_empty());
    let id = metadata.text_at(&["id"]).filter(|id| *id != "-1");
    if metadata.find_key("name").is_some() || basename.or(id).is_none() {
        return metadata.require_text("name").map(Cow::from);
    }
    Ok(format!("{}{}", basename.unwrap_or("node"), id.unwrap_or_default()).into())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_refused, levels, machine, names};
    use crate::topology::testing::{check_links, check_metric};

    fn vertex(kind: &str, name: &str, path: &str) -> String {
        let paths = format!("{{\"containment\": \"{path}\"}}");
        format!(
            "{{\"id\": \"1\", \"metadata\": {{\"type\": \"{kind}\", \"name\": \"{name}\", \"paths\": {paths}}}}}"
        )
    }

    fn graph(vertices: &[String]) -> String {
        format!(
            "{{\"graph\": {{\"nodes\": [\n{}\n], \"edges\": []}}}}",
            vertices.join(",\n")
        )
    }

    #[test]
    fn containment_paths_are_the_tree() {
        let text = graph(&[
            vertex("cluster", "c0", "/c0"),
            vertex("rack", "rack0", "/c0/rack0"),
            vertex("rack", "rack1", "/c0/rack1"),
            vertex("node", "n3", "/c0/rack1/n3"),
            vertex("node", "n1", "/c0/rack0/n1"),
            vertex("core", "core0", "/c0/rack0/n1/core0"),
            vertex("node", "n2", "/c0/rack0/n2"),
        ]);
        let cluster = machine("jgf", &text).unwrap();
        check_links(&cluster);
        check_metric(&cluster);
        assert_eq!(names(&cluster), "n3 n1 n2");
        assert_eq!(levels(&cluster), [("rack".into(), 2)]);
        assert_eq!(cluster.network().levels()[0].unit_name(0), "rack1");
        let r = format!("{{\"version\": 1, \"scheduling\": {text}}}");
        assert_eq!(names(&machine("jgf", &r).unwrap()), "n3 n1 n2");
    }

    #[test]
    fn a_node_without_a_name_is_its_basename_and_id() {
        for (fields, name) in [
            ("\"basename\": \"cab\", \"id\": 7", "cab7"),
            ("\"id\": 7", "node7"),
            ("\"basename\": \"login\", \"id\": -1", "login"),
            ("\"name\": \"x\", \"basename\": \"cab\", \"id\": 7", "x"),
        ] {
            let vertex = format!(
                "{{\"metadata\": {{\"type\": \"node\", {fields}, \"paths\": {{\"containment\": \"/c0/n\"}}}}}}"
            );
            assert_eq!(names(&machine("jgf", &graph(&[vertex])).unwrap()), name);
        }
        let bare = "{\"metadata\": {\"type\": \"node\", \"paths\": {\"containment\": \"/c0/n\"}}}";
        check_refused(
            "jgf",
            &[(
                &graph(&[bare.into()]),
                ":2: found a map of 2 keys without `name`",
            )],
        );
    }

    #[test]
    fn faults_are_named_with_their_line() {
        let node = vertex("node", "n", "/c/n");
        check_refused(
            "jgf",
            &[
                ("", ":1: found an empty file"),
                ("{\n\"graph\" 3}", ":2: found invalid trailing content"),
                ("{}", ":1: found a map of 0 keys without `graph`"),
                (
                    "{\"graph\": {}}",
                    ":1: found a map of 0 keys without `nodes`",
                ),
                (
                    "{\"graph\": {\"nodes\": 1}}",
                    ":1: found nodes: `1`; expected a list",
                ),
                ("{\"graph\": {\"nodes\": []}}", ": found no nodes"),
                (
                    "{\"graph\": {\"nodes\": [\n{}]}}",
                    ":2: found a map of 0 keys without `metadata`",
                ),
                (
                    "{\"graph\": {\"nodes\": [{\"metadata\":\n{}}]}}",
                    ":2: found a map of 0 keys without `type`",
                ),
                (&graph(&[vertex("node", "", "/c/n")]), ":2: found name: ``"),
                (
                    &graph(&[vertex("node", "n", "")]),
                    ":2: found node `n` without a containment path",
                ),
                (
                    &graph(&[node.clone(), node.clone()]),
                    ":3: found host `n` again (line 2 has it)",
                ),
            ],
        );
    }
}
