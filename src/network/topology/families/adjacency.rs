//! Networks from the adjacency files of caminos.
//!
//! ```text
//! NODOS 3      routers
//! GRADO 2      neighbours of a router at most
//! N 0          a router
//! 1 2          its neighbours
//! N 1
//! 0 2
//! N 2
//! 0 1
//! ```

use std::collections::HashMap;

use super::edge_list::{FileLink, count_routers, sort_checked_links};
use crate::topology::context::Context;
use crate::topology::family::{
    BuildNetwork, PER_ROUTER, TopologyEntry, per_router, per_router_suffix,
};
use crate::topology::link_list::network_of_links;
use crate::topology::network::Network;
use crate::topology::sizes::require_graph;
use crate::topology::source_file::{FileNetwork, SourceFile};
use nodeorder_base::{Error, Line, Opt, Params, Result, Text};

/// Entry of `caminos:FILE[,per_router=K]`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "caminos",
    about: "caminos' adjacency file: NODOS, GRADO, and the neighbours of every router",
    example: "caminos:network.adj,per_router=2",
    options: &[
        Opt::file(
            "file",
            "an adjacency file, as its topology `File` of format 0 reads it",
        )
        .positional(),
        Opt {
            about: "its servers_per_router",
            ..PER_ROUTER
        },
    ],
    parse: parse_options,
};

/// Reads the options of a network from an adjacency file, not the file.
fn parse_options(params: &Params, _: &Context) -> Result<Box<dyn BuildNetwork>> {
    let per_router = per_router(params)?;
    let expected = "an adjacency file, as in caminos:network.adj";
    FileNetwork::parse(params, expected, move |file| {
        build_network(file, per_router)
    })
}

/// Reads `NODOS routers`, `GRADO degree`, then for each router `N router` and a line of its neighbours; a link stands
/// at both ends.
///
/// # Errors
/// With the line: another word, a router that is not there or again, more neighbours than GRADO says, a link from a
/// router to itself, twice, or at one end alone; a network in pieces.
fn build_network(file: &SourceFile<'_>, per_router: u32) -> Result<Network> {
    let text = &file.text;
    let mut lines = text.lines().filter(|line| !line.text.trim().is_empty());
    let routers = read_header(text, lines.next(), "NODOS", 1 << 31)?;
    let degree = read_header(text, lines.next(), "GRADO", routers)?;
    // The line of each router, and of each link by its two ends.
    let mut seen = HashMap::new();
    let mut links = HashMap::new();
    while let Some(line) = lines.next() {
        let trimmed = line.text.trim();
        let word = trimmed
            .strip_prefix("N ")
            .ok_or_else(|| line.error_here(format!("`{trimmed}`"), "N and a router"))?;
        let from = parse_router(&line, word.trim(), routers)?;
        if let Some(other) = seen.insert(from, line.number) {
            let found = format!("router {from} again (line {other} has it)");
            return Err(line.error_here(found, "each router once"));
        }
        let Some(list) = lines.next() else {
            let found = format!("router {from} at the end");
            return Err(line.error_here(found, "a line of its neighbours"));
        };
        for (i, word) in (0..).zip(list.text.split_whitespace()) {
            let to = parse_router(&list, word, routers)?;
            if i >= degree {
                return Err(list.error_here("more neighbours", format!("{degree}, as GRADO says")));
            }
            if from == to || links.insert((from, to), list.number).is_some() {
                let found = format!("neighbour {to} of router {from}, itself or again");
                return Err(list.error_here(found, "other routers, each once"));
            }
        }
    }
    let mut ends: Vec<_> = links.iter().map(|(ends, line)| (*ends, *line)).collect();
    // The fault that comes first in the file is named.
    ends.sort_unstable_by_key(|(ends, line)| (*line, *ends));
    let mut edges = Vec::with_capacity(ends.len() / 2);
    for ((u, v), line) in ends {
        if !links.contains_key(&(v, u)) {
            let found = format!("neighbour {v} of router {u}, but not {u} of {v}");
            let line = Line::new(text.name(), line, "");
            return Err(line.error_here(found, "a link at both of its ends"));
        }
        if u < v {
            edges.push(FileLink {
                ends: (u, v),
                capacity: 1.0,
                cables: 1,
                weight: 1,
                line,
            });
        }
    }
    let found = count_routers(text, &edges)?;
    sort_checked_links(text, found, &mut edges)?;
    // The last routers may have no links.
    if found != routers {
        let missing = format!("routers 0 to {} alone", found - 1);
        let expected = format!("{routers}, as NODOS says");
        return Err(Error::input(text.location(), missing, expected));
    }
    require_graph(file.context, routers.into(), edges.len() as u64)?;
    let spec = format!("{}{}", file.spec(), per_router_suffix(per_router));
    let links = edges.into_iter().map(|edge| edge.ends).collect();
    Ok(network_of_links(
        spec,
        routers,
        per_router,
        links,
        Vec::new(),
    ))
}

/// Reads a line of `word` and a number from 1 to `most`.
fn read_header(text: &Text, line: Option<Line<'_>>, word: &str, most: u32) -> Result<u32> {
    let expected = format!("{word} and a whole number from 1 to {most}");
    let Some(line) = line else {
        return Err(Error::input(text.location(), "the end", expected));
    };
    let trimmed = line.text.trim();
    let number = trimmed
        .strip_prefix(word)
        .and_then(|rest| rest.trim().parse().ok());
    number
        .filter(|number| (1..=most).contains(number))
        .ok_or_else(|| line.error_here(format!("`{trimmed}`"), expected))
}

/// Parses a router, one of `routers`.
fn parse_router(line: &Line<'_>, word: &str, routers: u32) -> Result<u32> {
    let number = word.parse().ok().filter(|number| *number < routers);
    number.ok_or_else(|| {
        let expected = format!("a router from 0 to {}", routers - 1);
        line.error_here(format!("router `{word}`"), expected)
    })
}
