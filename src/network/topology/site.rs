//! Contents of a site's own Slurm file about its fabric, in the file's order, so that it can be written back.

use std::collections::BTreeMap;

/// One of Slurm's topologies.
#[derive(Clone, Debug)]
pub struct Site {
    /// Which plugin it is for.
    pub kind: SiteKind,
    /// Its name in a topology.yaml, else `default`.
    pub name: String,
    /// Switches, blocks or rings in the order of the file, those without nodes included; none for toruses.
    pub lines: Vec<SiteLine>,
    /// Block sizes as given, the base first; empty where none are.
    pub sizes: Vec<u64>,
    /// Toruses.
    pub toruses: Vec<SiteTorus>,
    /// `TopologyParam` as given; empty where it is not.
    pub param: String,
    /// Weights of nodes that have one: the lighter, the sooner Slurm takes it. Others weigh 1.
    pub weights: BTreeMap<String, u32>,
}

impl Site {
    /// Whether `TopologyParam` has a word: Slurm looks for it anywhere in the text, in any case.
    pub fn has(&self, word: &str) -> bool {
        self.param
            .to_ascii_lowercase()
            .contains(&word.to_ascii_lowercase())
    }
}

/// A plugin of Slurm's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteKind {
    /// topology/tree.
    Tree,
    /// topology/block.
    Block,
    /// topology/ring.
    Ring,
    /// topology/torus3d.
    Torus,
    /// topology/flat.
    Flat,
}

/// A switch, block or ring.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteLine {
    /// Its name.
    pub name: String,
    /// The nodes right below it, in the file's order.
    pub nodes: Vec<String>,
    /// The index of the switch above it.
    pub parent: Option<usize>,
}

/// A torus of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteTorus {
    /// Its name.
    pub name: String,
    /// Extents along x, y and z.
    pub dims: [u32; 3],
    /// The node of each cell, x + y·X + z·X·Y; none in a hole.
    pub cells: Vec<Option<String>>,
    /// Boxes that jobs are placed in.
    pub placements: Vec<SitePlacement>,
}

/// A box that jobs are placed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SitePlacement {
    /// Extents along x, y and z.
    pub dims: [u32; 3],
    /// Steps from anchor to anchor along each axis; the extents where none are given.
    pub spacing: Option<[u32; 3]>,
    /// The first anchor; the origin where none is given.
    pub seed: Option<[u32; 3]>,
}

/// All cells of a box of these extents, x slowest.
pub fn cells([nx, ny, nz]: [u32; 3]) -> impl Iterator<Item = (u32, u32, u32)> {
    (0..nx).flat_map(move |x| (0..ny).flat_map(move |y| (0..nz).map(move |z| (x, y, z))))
}
