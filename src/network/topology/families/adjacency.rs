//! Networks from the adjacency files of caminos.

use std::collections::HashMap;

use super::graph_file::{Edge, checked};
use crate::topology::context::Context;
use crate::topology::family::{
    BuildNetwork, PER_ROUTER, TopologyEntry, per_router, per_router_suffix,
};
use crate::topology::link_list::listed;
use crate::topology::network::Network;
use crate::topology::sizes::require_graph;
use crate::topology::source_file::{FileOption, SourceFile};
use nodeorder_base::error::{Error, Result};
use nodeorder_base::input::Line;
use nodeorder_base::params::{Opt, Params};

/// `caminos:FILE[,per_router=K]`.
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

struct CaminosOptions {
    file: FileOption,
    per_router: u32,
}

fn parse_options(params: &Params, _: &Context) -> Result<Box<dyn BuildNetwork>> {
    let per_router = per_router(params)?;
    let expected = "an adjacency file, as in caminos:network.adj";
    let file = FileOption::parse(params, expected)?;
    Ok(Box::new(CaminosOptions { file, per_router }))
}

impl BuildNetwork for CaminosOptions {
    fn build(&self, context: &Context) -> Result<Network> {
        network(&self.file.read(context)?, self.per_router)
    }
}

/// `NODOS routers`, `GRADO degree`, then for each router `N router` and a line of its neighbours; a link stands at both
/// ends.
///
/// # Errors
/// With the line: another word, a router that is not there or again, more neighbours than GRADO says, a link from a
/// router to itself, twice, or at one end alone; a network in pieces.
fn network(file: &SourceFile<'_>, per_router: u32) -> Result<Network> {
    let text = &file.text;
    let mut lines = text.lines().filter(|line| !line.text.trim().is_empty());
    let mut header = |word: &str, most: u32| {
        let expected = format!("{word} and a whole number from 1 to {most}");
        let ended = || Error::input(text.location(), "the end", &expected);
        let line = lines.next().ok_or_else(ended)?;
        let number = line
            .text
            .trim()
            .strip_prefix(word)
            .and_then(|rest| rest.trim().parse().ok());
        let number = number.filter(|number| (1..=most).contains(number));
        number.ok_or_else(|| line.wrong(format!("`{}`", line.text.trim()), &expected))
    };
    let routers: u32 = header("NODOS", 1 << 31)?;
    let degree: u32 = header("GRADO", routers)?;
    let router = |line: &Line<'_>, word: &str| {
        let number = word.parse::<u32>().ok().filter(|number| *number < routers);
        let expected = format!("a router from 0 to {}", routers - 1);
        number.ok_or_else(|| line.wrong(format!("router `{word}`"), expected))
    };
    let (mut seen, mut links) = (HashMap::new(), HashMap::new());
    while let Some(line) = lines.next() {
        let word = line.text.trim().strip_prefix("N ").map(str::trim);
        let word =
            word.ok_or_else(|| line.wrong(format!("`{}`", line.text.trim()), "N and a router"))?;
        let from = router(&line, word)?;
        if let Some(other) = seen.insert(from, line.number) {
            let found = format!("router {from} again (line {other} has it)");
            return Err(line.wrong(found, "each router once"));
        }
        let ended = || {
            line.wrong(
                format!("router {from} at the end"),
                "a line of its neighbours",
            )
        };
        let list = lines.next().ok_or_else(ended)?;
        for (i, word) in list.text.split_whitespace().enumerate() {
            let to = router(&list, word)?;
            if i as u32 >= degree {
                return Err(list.wrong("more neighbours", format!("{degree}, as GRADO says")));
            }
            if from == to || links.insert((from, to), list.number).is_some() {
                let found = format!("neighbour {to} of router {from}, itself or again");
                return Err(list.wrong(found, "other routers, each once"));
            }
        }
    }
    let mut ends: Vec<_> = links.iter().map(|(ends, line)| (*ends, *line)).collect();
    ends.sort_unstable_by_key(|(_, line)| *line);
    if let Some(((u, v), line)) = ends
        .iter()
        .find(|((u, v), _)| !links.contains_key(&(*v, *u)))
    {
        let found = format!("neighbour {v} of router {u}, but not {u} of {v}");
        return Err(Line::new(text.name(), *line, "").wrong(found, "a link at both of its ends"));
    }
    let edge = |((u, v), line)| Edge {
        ends: (u, v),
        capacity: 1.0,
        weight: 1,
        line,
    };
    let found = checked(
        text,
        ends.into_iter()
            .filter(|((u, v), _)| u < v)
            .map(edge)
            .collect(),
    )?;
    if found.0 != routers {
        let missing = format!("routers 0 to {} alone", found.0 - 1);
        return Err(Error::input(
            text.location(),
            missing,
            format!("{routers}, as NODOS says"),
        ));
    }
    require_graph(file.context, routers.into(), found.1.len() as u64)?;
    let spec = format!("{}{}", file.spec(), per_router_suffix(per_router));
    let links = found.1.into_iter().map(|(u, v, ..)| (u, v)).collect();
    Ok(listed(spec, routers, per_router, links, Vec::new()))
}
