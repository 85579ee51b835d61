//! Machines shipped with the program, by name, and the way from a `SPEC`, such as `hopper` or `torus:4x4`, to a
//! topology.

use std::path::Path;

use crate::topology::{Context, SHIPPED, TOPOLOGIES, Topology, TopologyOptions};
use nodeorder_base::{Error, Result, SourceLocation, Text};

/// Lists the names of the shipped machines, sorted.
pub fn machine_names() -> Vec<&'static str> {
    let mut names: Vec<&str> = SHIPPED
        .files()
        .filter_map(|f| f.path().file_name()?.to_str()?.strip_suffix(".toml"))
        .collect();
    names.sort_unstable();
    names
}

/// Looks up the TOML text of a shipped machine; `None` if there is none of this name.
pub fn machine_toml(name: &str) -> Option<&'static str> {
    SHIPPED.get_file(format!("{name}.toml"))?.contents_utf8()
}

/// Builds the machine that `spec` names: `kind:…`, a shipped machine's name or the path to a file, TOML or one that a
/// reader recognises; after a name or path options of its family may follow, as in `hopper,limit=4`. A known name wins
/// over a path of that name; a shipped machine is found as `topologies/NAME.toml`, too, where no such file exists.
///
/// # Errors
/// Unknown names (with a suggestion), unreadable files, bad descriptions.
pub fn topology(spec: &str, context: &Context) -> Result<Topology> {
    parse_topology(spec, context)?.build(context)
}

/// Parses the options of the machine that `spec` names, as [`topology`] does, before anything is built or a file that
/// they name is read.
///
/// # Errors
/// As [`topology`], as far as the description shows them.
pub fn parse_topology(spec: &str, context: &Context) -> Result<TopologyOptions> {
    if TOPOLOGIES.get(spec).is_some() {
        return TopologyOptions::inline(spec, context);
    }
    let (head, options) = spec.split_once(',').unwrap_or((spec, ""));
    if let Some(text) = shipped_text(head) {
        // A name alone keeps its specification; with a comma, even if nothing follows, it is one of options.
        if head != spec {
            return TopologyOptions::toml_with(&text, None, options, spec, context);
        }
        return TopologyOptions::toml(&text, None, context);
    }
    let path = Path::new(spec);
    if spec == "-" || path.exists() {
        return TopologyOptions::file(path, None, spec, context);
    }
    if head != spec && Path::new(head).exists() {
        return TopologyOptions::file(Path::new(head), Some(options), spec, context);
    }
    let name = spec
        .strip_prefix("topologies/")
        .and_then(|s| s.strip_suffix(".toml"));
    if let Some(text) = name.and_then(shipped_text) {
        return TopologyOptions::toml(&text, None, context);
    }
    if spec.contains(':') {
        // Of no known kind: says so.
        return TopologyOptions::inline(spec, context);
    }
    if spec.ends_with(".toml") || spec.contains('/') {
        let missing = std::io::Error::new(std::io::ErrorKind::NotFound, "no such file");
        return Err(Error::io(path, "opening", missing));
    }
    let known = machine_names().into_iter().chain(TOPOLOGIES.names());
    Err(Error::unknown(
        SourceLocation::option(spec),
        "topology",
        head,
        known,
    ))
}

/// Looks up the description of a shipped machine; `None` if there is none of this name.
fn shipped_text(name: &str) -> Option<Text> {
    Some(Text::new(format!("{name}.toml"), machine_toml(name)?))
}
