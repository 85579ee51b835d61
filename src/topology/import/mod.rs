//! Real fabrics from the files that describe them: one file a format.
//!
//! Nodes keep their names. Node ids go switch by switch in the order of the file, within a switch in the order
//! in which its nodes stand there. Switches with nodes are the first routers; each has as many slots as the
//! fullest of them, and the slots left over are no nodes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use petgraph::unionfind::UnionFind;

use super::link_list::{LinkList, file_spec};
use super::{Network, check_nodes, require_graph};
use crate::error::{Error, Result, SourceLocation};
use crate::params::Params;
use crate::topology::Context;

pub(super) mod host_list;
mod infiniband;
mod slurm;
mod target;

pub use infiniband::FAMILY as IBNETDISCOVER;
pub use slurm::FAMILY as SLURM_TOPOLOGY;
pub use target::FAMILY as TGT;

/// What a file describes: switches with their nodes, and cables between switches.
#[derive(Debug, Default)]
struct Wiring {
    switches: Vec<Switch>,
    /// Capacity between two switches, the lower first.
    links: BTreeMap<(usize, usize), f64>,
}

/// A switch of a [`Wiring`].
#[derive(Debug)]
struct Switch {
    name: String,
    nodes: Vec<String>,
    line: usize,
}

impl Wiring {
    /// Adds a cable of a capacity; of parallel ones the capacities add up.
    fn join(&mut self, a: usize, b: usize, capacity: f64) {
        *self.links.entry((a.min(b), a.max(b))).or_insert(0.0) += capacity;
    }

    /// The network, called `kind:FILE`.
    ///
    /// # Errors
    /// No nodes at all; a switch that no path joins to the first; more nodes or memory than allowed.
    fn network(
        self,
        kind: &str,
        path: &Path,
        params: &Params,
        context: &Context,
    ) -> Result<Box<dyn Network>> {
        let file = path.display().to_string();
        let Some(per_router) = self.switches.iter().map(|s| s.nodes.len()).max().filter(|n| *n > 0)
        else {
            let location = SourceLocation::file(path);
            return Err(Error::input(location, "no nodes", "switches with nodes"));
        };
        let mut parts = UnionFind::<usize>::new(self.switches.len());
        self.links.keys().for_each(|(a, b)| {
            parts.union(*a, *b);
        });
        if let Some(apart) = (0..self.switches.len()).find(|i| !parts.equiv(0, *i)) {
            let (first, switch) = (&self.switches[0].name, &self.switches[apart]);
            let found = format!("switch `{}`, which no path joins to `{first}`", switch.name);
            let location = SourceLocation::line(&file, switch.line);
            return Err(Error::input(location, found, "a connected network"));
        }
        let (carrying, bare): (Vec<usize>, Vec<usize>) =
            (0..self.switches.len()).partition(|i| !self.switches[*i].nodes.is_empty());
        let mut router = vec![0u32; self.switches.len()];
        (0..).zip(carrying.iter().chain(&bare)).for_each(|(r, i)| router[*i] = r);
        let slots = carrying.len() as u64 * per_router as u64;
        check_nodes(params.location(), slots)?;
        require_graph(context, self.switches.len() as u64, self.links.len() as u64)?;
        context.require("the names of the nodes", 64 * slots)?;
        let mut names = vec![String::new(); slots as usize];
        for (i, switch) in carrying.iter().enumerate() {
            for (slot, name) in self.switches[*switch].nodes.iter().enumerate() {
                names[i * per_router + slot].clone_from(name);
            }
        }
        let ends = |(a, b): (usize, usize)| (router[a].min(router[b]), router[a].max(router[b]));
        let mut links: Vec<_> =
            self.links.iter().map(|(pair, capacity)| (ends(*pair), *capacity)).collect();
        links.sort_unstable_by_key(|(ends, _)| *ends);
        let (links, capacities) = links.into_iter().unzip();
        Ok(Box::new(LinkList {
            spec: file_spec(kind, path),
            routers: self.switches.len() as u32,
            hosts: carrying.len() as u32,
            per_router: per_router as u32,
            links,
            capacities,
            names,
        }))
    }
}

/// The path under `file`.
fn path(params: &Params, expected: &str) -> Result<PathBuf> {
    params.path("file")?.ok_or_else(|| params.wrong("file", expected))
}

#[cfg(test)]
mod tests {
    use crate::topology::{Context, Topology};

    /// The machine that `text` describes, read from a file.
    pub(super) fn machine(kind: &str, text: &str) -> crate::Result<Topology> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, text).unwrap();
        Topology::inline(&format!("{kind}:{}", path.display()), &Context::default())
    }

    /// The message about a bad file, from its line on.
    pub(super) fn error(kind: &str, text: &str) -> String {
        let error = machine(kind, text).unwrap_err().to_string();
        error.split_once("/f").map_or(error.clone(), |(_, rest)| rest.to_string())
    }

    /// The names of the nodes in id order.
    pub(super) fn names(machine: &Topology) -> String {
        let names: Vec<String> = machine.nodes().iter().map(|n| machine.node_name(n)).collect();
        names.join(" ")
    }
}
