//! Machines shipped with the program, by name, and the way from a `SPEC` to a topology.

use std::path::Path;

use crate::topology::{Context, SHIPPED, TOPOLOGIES, Topology, TopologyOptions};
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_base::input::Text;

/// The names of the shipped machines, sorted.
pub fn machines() -> Vec<&'static str> {
    let mut names: Vec<&str> = SHIPPED
        .files()
        .filter_map(|f| f.path().file_name()?.to_str()?.strip_suffix(".toml"))
        .collect();
    names.sort_unstable();
    names
}

/// The TOML text of a shipped machine.
pub fn machine(name: &str) -> Option<&'static str> {
    SHIPPED.get_file(format!("{name}.toml"))?.contents_utf8()
}

/// The topology that `spec` names: `kind:…`, a shipped machine's name, after which options of its family may follow as
/// in `hopper,limit=4`, or a path to a TOML file. A known name wins over a path of that name; a shipped machine is found
/// as `topologies/NAME.toml`, too, where no such file exists.
///
/// # Errors
/// Unknown names (with a suggestion), unreadable files, bad descriptions.
pub fn topology(spec: &str, context: &Context) -> Result<Topology> {
    parse_topology(spec, context)?.build(context)
}

/// Parses the options of the machine that `spec` names, as [`topology`] does, before anything is built or a file that they name is
/// read.
///
/// # Errors
/// As [`topology`], as far as the description shows them.
pub fn parse_topology(spec: &str, context: &Context) -> Result<TopologyOptions> {
    if TOPOLOGIES.get(spec).is_some() {
        return TopologyOptions::inline(spec, context);
    }
    let shipped = |name: &str| Some(Text::new(format!("{name}.toml"), machine(name)?));
    let (head, options) = spec.split_once(',').unwrap_or((spec, ""));
    if let Some(text) = shipped(head).filter(|_| head != spec) {
        return TopologyOptions::toml_with(&text, options, spec, context);
    }
    let shipped = |name: &str| Some(TopologyOptions::toml(&shipped(name)?, None, context));
    if let Some(found) = shipped(spec) {
        return found;
    }
    let path = Path::new(spec);
    if path.exists() || spec == "-" {
        return TopologyOptions::toml(&Text::read(path, context.memory)?, Some(path), context);
    }
    let name = spec
        .strip_prefix("topologies/")
        .and_then(|s| s.strip_suffix(".toml"));
    if let Some(found) = name.and_then(shipped) {
        return found;
    }
    if spec.contains(':') {
        // Of no known kind: says so.
        return TopologyOptions::inline(spec, context);
    }
    if spec.ends_with(".toml") || spec.contains('/') {
        let missing = std::io::Error::new(std::io::ErrorKind::NotFound, "no such file");
        return Err(Error::io(path, "opening", missing));
    }
    let known = machines().into_iter().chain(TOPOLOGIES.names());
    Err(Error::unknown(
        SourceLocation::option(spec),
        "topology",
        head,
        known,
    ))
}
