//! A network given by the list of its links: files, fabrics and random graphs.

use std::path::Path;

use super::site::Site;
use super::{Lattice, Level, LinkVisitor, Network};

/// Routers and a list of links between them.
#[derive(Debug, Default)]
pub(super) struct LinkList {
    /// The canonical inline specification.
    pub spec: String,
    pub routers: u32,
    /// Routers that carry nodes.
    pub hosts: u32,
    pub per_router: u32,
    /// Two routers each.
    pub links: Vec<(u32, u32)>,
    /// The capacity of every link; empty where all are 1.
    pub capacities: Vec<f64>,
    /// What a hop over each link counts; empty where all count 1.
    pub weights: Vec<u32>,
    /// The name of every slot; empty where nodes have no names of their own.
    pub names: Vec<String>,
    /// The hierarchy, the outermost level first, each with its links.
    pub levels: Vec<(Level, u64)>,
    /// The component of every router; empty where all are joined.
    pub component_of: Vec<u32>,
    /// Coordinates of the routers.
    pub lattice: Option<Lattice>,
    /// What a file of Slurm's says.
    pub site: Option<Site>,
    /// What a reader of the file should be told.
    pub remarks: Vec<String>,
}

/// `kind:FILE`; with the key where the name itself holds an `=`.
pub(super) fn file_spec(kind: &str, path: &Path) -> String {
    let path = path.display().to_string();
    let key = if path.contains('=') { "file=" } else { "" };
    format!("{kind}:{key}{path}")
}

impl Network for LinkList {
    fn spec(&self) -> String {
        self.spec.clone()
    }

    fn routers(&self) -> u32 {
        self.routers
    }

    fn hosts(&self) -> u32 {
        self.hosts
    }

    fn per_router(&self) -> u32 {
        self.per_router
    }

    fn for_each_link(&self, visit: &mut LinkVisitor<'_>) {
        for (i, (u, v)) in self.links.iter().enumerate() {
            visit(*u, *v, self.capacities.get(i).copied().unwrap_or(1.0));
        }
    }

    fn link_weights(&self) -> Option<Vec<u32>> {
        (!self.weights.is_empty()).then(|| self.weights.clone())
    }

    fn link_count(&self) -> u64 {
        self.links.len() as u64
    }

    fn lattice(&self) -> Option<Lattice> {
        self.lattice.clone()
    }

    fn levels(&self) -> Vec<Level> {
        self.levels.iter().map(|(level, _)| level.clone()).collect()
    }

    fn links_up(&self) -> Option<Vec<u64>> {
        (!self.levels.is_empty()).then(|| self.levels.iter().map(|(_, links)| *links).collect())
    }

    fn component_of(&self) -> Option<&[u32]> {
        (!self.component_of.is_empty()).then_some(&self.component_of)
    }

    fn site(&self) -> Option<&Site> {
        self.site.as_ref()
    }

    fn remarks(&self) -> &[String] {
        &self.remarks
    }

    fn names(&self) -> Option<&[String]> {
        (!self.names.is_empty()).then_some(&self.names)
    }
}
