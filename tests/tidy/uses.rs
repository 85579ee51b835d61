//! Which file uses which: paths as they stand in the source, through re-exports, to the files that define the items.

use std::collections::{BTreeMap, BTreeSet};

/// A module's path: its crate's folder of `src`, then the modules.
type Path = Vec<String>;

/// A source file: its path below `src`, and its text without comments and unit tests.
pub struct Source {
    pub name: String,
    pub text: String,
}

/// The files and what each brings in.
pub struct Uses {
    /// File of every module.
    files: BTreeMap<Path, String>,
    /// Re-exports of each module: name to the path it stands for.
    exports: BTreeMap<Path, BTreeMap<String, Path>>,
    /// Absolute paths that a module names.
    named: BTreeMap<Path, BTreeSet<Path>>,
}

/// The module that the file `name`, below `src`, is.
pub fn module(name: &str) -> Path {
    let name = name
        .trim_end_matches(".rs")
        .trim_end_matches("/mod")
        .trim_end_matches("/lib")
        .trim_end_matches("/main");
    if name == "lib" {
        Vec::new()
    } else {
        name.split('/').map(str::to_string).collect()
    }
}

fn is_ident(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The paths of a use tree, such as `a::{b, c::d as e, self}`: segments, and the name each brings in.
fn tree(text: &str) -> Vec<(Path, String)> {
    let mut out = Vec::new();
    let _ = branch(text, &Vec::new(), &mut out);
    out
}

/// Reads one branch of a use tree; what follows it.
fn branch<'a>(mut text: &'a str, prefix: &Path, out: &mut Vec<(Path, String)>) -> &'a str {
    let mut path = prefix.clone();
    loop {
        text = text.trim_start();
        if let Some(mut rest) = text.strip_prefix('{') {
            loop {
                rest = rest.trim_start();
                if let Some(end) = rest.strip_prefix('}') {
                    return end;
                }
                let next = branch(rest, &path, out).trim_start();
                let next = next.strip_prefix(',').unwrap_or(next);
                if next.len() == rest.len() {
                    // Not a use tree after all.
                    return next;
                }
                rest = next;
            }
        }
        let end = text.find(|c| !is_ident(c)).unwrap_or(text.len());
        if end == 0 {
            break;
        }
        path.push(text[..end].to_string());
        text = &text[end..];
        let Some(rest) = text.strip_prefix("::") else {
            break;
        };
        text = rest;
    }
    if path.last().is_some_and(|last| last == "self") {
        path.pop();
    }
    let mut name = path.last().cloned().unwrap_or_default();
    if let Some(rest) = text.trim_start().strip_prefix("as ") {
        let rest = rest.trim_start();
        let end = rest.find(|c| !is_ident(c)).unwrap_or(rest.len());
        (name, text) = (rest[..end].to_string(), &rest[end..]);
    }
    if path.len() > prefix.len() || prefix.len() > 1 {
        out.push((path, name));
    }
    text
}

/// A path as it stands in `module`, from the crate's root.
fn absolute(module: &Path, path: &[String], children: &BTreeSet<String>) -> Option<Path> {
    let (mut base, mut rest) = match path.first()?.as_str() {
        "crate" => (Vec::new(), &path[1..]),
        "self" => (module.clone(), &path[1..]),
        "super" => (module.clone(), path),
        child if children.contains(child) => (module.clone(), path),
        _ => return None,
    };
    while rest.first().is_some_and(|segment| segment == "super") {
        base.pop();
        rest = &rest[1..];
    }
    base.extend(rest.iter().cloned());
    Some(base)
}

impl Uses {
    /// Reads all files.
    pub fn new(sources: &[Source]) -> Uses {
        let files: BTreeMap<Path, String> = sources
            .iter()
            .map(|s| (module(&s.name), s.name.clone()))
            .collect();
        let mut uses = Uses {
            files,
            exports: BTreeMap::new(),
            named: BTreeMap::new(),
        };
        for source in sources {
            uses.read(&module(&source.name), &source.text);
        }
        uses
    }

    fn children(&self, module: &Path) -> BTreeSet<String> {
        let deeper = self.files.keys().filter(|m| m.len() == module.len() + 1);
        let below = deeper.filter(|m| m.starts_with(module));
        below.filter_map(|m| m.last().cloned()).collect()
    }

    fn read(&mut self, module: &Path, text: &str) {
        let children = self.children(module);
        let (mut named, mut exports) = (BTreeSet::new(), BTreeMap::new());
        let mut at = 0;
        while let Some(found) = text[at..].find(is_ident).map(|i| at + i) {
            let end = text[found..]
                .find(|c| !is_ident(c))
                .map_or(text.len(), |i| found + i);
            at = end;
            let (before, word) = (&text[..found], &text[found..end]);
            let starts = ["crate", "self", "super"].contains(&word) || children.contains(word);
            // A later segment of a path, a field, a macro's own root.
            let inside = before.ends_with("::") || before.ends_with('.') || before.ends_with('$');
            if inside || !starts || !text[end..].starts_with("::") {
                continue;
            }
            // The statement that this stands in.
            let statement = before
                .rfind([';', '}'])
                .map_or(before, |i| &before[i + 1..]);
            let is_use = statement.trim_end().ends_with("use");
            let is_export = is_use && statement.trim_start().starts_with("pub");
            let rest = &text[found..];
            let rest = if is_use {
                &rest[..rest.find(';').unwrap_or(rest.len())]
            } else {
                rest
            };
            for (path, name) in tree(rest) {
                let Some(path) = absolute(module, &path, &children) else {
                    continue;
                };
                // A room that hands on what its files define does not need these files.
                if is_export {
                    exports.insert(name, path);
                } else {
                    named.insert(path);
                }
            }
            if is_use {
                at = found + rest.len();
            }
        }
        self.named.insert(module.clone(), named);
        self.exports.insert(module.clone(), exports);
    }

    /// The module whose file defines what `path` leads to.
    fn target(&self, path: &Path) -> Path {
        let (mut at, mut path) = (Path::new(), path.clone());
        // No chain of re-exports is that long.
        for _ in 0..64 {
            let Some(next) = path.get(at.len()).cloned() else {
                break;
            };
            let deeper: Path = at.iter().cloned().chain([next.clone()]).collect();
            if self.files.contains_key(&deeper) {
                at = deeper;
                continue;
            }
            let Some(export) = self.exports.get(&at).and_then(|e| e.get(&next)) else {
                break;
            };
            let rest = path.split_off(at.len() + 1);
            path = export.iter().cloned().chain(rest).collect();
            at = Path::new();
        }
        at
    }

    /// Returns `(from, to)` for every file that uses an item of another, those of the rooms that it lies in included.
    pub fn edges(&self) -> BTreeSet<(&str, &str)> {
        let mut edges = BTreeSet::new();
        for (module, named) in &self.named {
            for path in named {
                let target = self.target(path);
                if *module != target && !target.is_empty() {
                    edges.insert((self.files[module].as_str(), self.files[&target].as_str()));
                }
            }
        }
        edges
    }

    /// Sets of files each of which leads to all others.
    pub fn circles(&self) -> Vec<Vec<&str>> {
        let names: Vec<&str> = self.files.values().map(String::as_str).collect();
        let index = |name: &str| names.iter().position(|n| *n == name).unwrap() as u32;
        let edges = self
            .edges()
            .into_iter()
            .map(|(from, to)| (index(from), index(to)));
        let graph = petgraph::graph::DiGraph::<(), ()>::from_edges(edges);
        let circles = petgraph::algo::tarjan_scc(&graph).into_iter();
        let named = circles.map(|files| files.into_iter().map(|i| names[i.index()]).collect());
        let mut circles: Vec<Vec<&str>> = named.collect();
        circles.retain(|files| files.len() > 1);
        circles.iter_mut().for_each(|files| files.sort_unstable());
        circles.sort();
        circles
    }
}

#[test]
fn circles_are_found_through_parents_and_re_exports() {
    let sources = |files: &[(&str, &str)]| -> Vec<Source> {
        let of = |(name, text): &(&str, &str)| Source {
            name: (*name).into(),
            text: (*text).into(),
        };
        files.iter().map(of).collect()
    };
    let room = [
        ("lib.rs", "pub mod a;\npub mod b;"),
        (
            "a/mod.rs",
            "mod one;\nmod two;\npub use one::{First, Second as Third};\npub struct Table;",
        ),
        ("b.rs", "pub struct X;"),
        ("a/table.rs", "use super::one::ENTRY; use super::Table;"),
    ];
    let circles = |one: &str, two: &str| -> Vec<Vec<String>> {
        let files = [&room[..], &[("a/one.rs", one), ("a/two.rs", two)]].concat();
        let uses = Uses::new(&sources(&files));
        let owned = |files: Vec<&str>| files.into_iter().map(str::to_string).collect();
        uses.circles().into_iter().map(owned).collect()
    };
    let siblings = [["a/one.rs".to_string(), "a/two.rs".to_string()].to_vec()];
    // A table on top of the room, its entries below, and the types of both in `mod.rs` are no circle.
    assert!(circles("use super::Table;", "use crate::a::{self, Table};").is_empty());
    let in_table = [["a/one.rs".to_string(), "a/table.rs".to_string()].to_vec()];
    assert_eq!(circles("use super::table::ENTRIES;", ""), in_table);
    assert!(circles("use super::two::x;", "use super::Table;").is_empty());
    assert_eq!(
        circles("use super::two::x;", "use super::one::y;"),
        siblings
    );
    assert_eq!(
        circles("use super::{Table, two};", "use crate::{a::Third, b};"),
        siblings
    );
    assert_eq!(
        circles(
            "fn f() { super::two::g() }",
            "fn g() { crate::a::First::new() }"
        ),
        siblings
    );
    // Through the parent's use of a child, and through another room.
    let through = circles("use crate::b::X;", "");
    assert!(through.is_empty(), "{through:?}");
    let files = [
        ("lib.rs", ""),
        ("a/mod.rs", "fn f() { one::g() }"),
        ("a/one.rs", "use crate::b::x;"),
    ];
    let back = sources(&[&files[..], &[("b.rs", "use crate::a::f;")]].concat());
    assert_eq!(
        Uses::new(&back).circles(),
        [["a/mod.rs", "a/one.rs", "b.rs"]]
    );
    // A table in `mod.rs` of entries that are made of its types.
    let table = [
        ("lib.rs", ""),
        (
            "a/mod.rs",
            "pub struct Entry; static ALL: [Entry; 1] = [one::ENTRY];",
        ),
        ("a/one.rs", "use super::Entry;"),
    ];
    assert_eq!(
        Uses::new(&sources(&table)).circles(),
        [["a/mod.rs", "a/one.rs"]]
    );
}
