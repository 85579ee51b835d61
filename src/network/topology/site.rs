//! Contents of a site's own Slurm file about its fabric, in the file's order, so that it can be written back as it
//! was.

use std::collections::BTreeMap;

/// One topology of a Slurm file.
#[derive(Clone, Debug, Default)]
pub struct Site {
    /// Plugin that the topology is for.
    pub kind: SiteKind,
    /// Name in a topology.yaml, else `default`.
    pub name: String,
    /// Switches, blocks or rings in the order of the file, those without nodes included; empty for toruses.
    pub lines: Vec<SiteLine>,
    /// Block sizes in nodes as given, the base first; empty if none are.
    pub sizes: Vec<u64>,
    /// Toruses in the order of the file; empty for other plugins.
    pub toruses: Vec<SiteTorus>,
    /// `TopologyParam` as given; empty if it is not.
    pub param: String,
    /// Weight of each node that is given one: Slurm takes lighter nodes first. Others weigh 1.
    pub weights: BTreeMap<String, u32>,
}

impl Site {
    /// Checks whether `TopologyParam` has a word, in upper or lower case.
    pub fn has_param(&self, word: &str) -> bool {
        // Slurm looks for it anywhere in the text, within longer words too.
        let param = self.param.to_ascii_lowercase();
        param.contains(&word.to_ascii_lowercase())
    }
}

/// A topology plugin of Slurm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SiteKind {
    /// Plugin `topology/tree`: switches in a tree.
    #[default]
    Tree,
    /// Plugin `topology/block`: blocks of nodes.
    Block,
    /// Plugin `topology/ring`: rings of nodes.
    Ring,
    /// Plugin `topology/torus3d`: nodes in toruses of three dimensions.
    Torus,
    /// Plugin `topology/flat`: nodes without a structure.
    Flat,
}

/// A switch, block or ring.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteLine {
    /// Name in the file.
    pub name: String,
    /// Nodes right below the unit, in the file's order.
    pub nodes: Vec<String>,
    /// Index of the switch above it; `None` if there is none.
    pub parent: Option<usize>,
}

/// A torus of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteTorus {
    /// Name in the file.
    pub name: String,
    /// Extents along x, y and z.
    pub dims: [u32; 3],
    /// Node of each cell, cell x + y·X + z·X·Y; `None` in a hole.
    pub cells: Vec<Option<String>>,
    /// Kinds of boxes that jobs are placed in.
    pub placements: Vec<SitePlacement>,
}

/// A kind of box that jobs are placed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SitePlacement {
    /// Extents along x, y and z.
    pub dims: [u32; 3],
    /// Steps from anchor to anchor along each axis; `None` stands for the extents.
    pub spacing: Option<[u32; 3]>,
    /// First anchor; `None` stands for the origin.
    pub seed: Option<[u32; 3]>,
}

/// Lists all cells of a box of these extents, x slowest.
pub fn list_cells([nx, ny, nz]: [u32; 3]) -> impl Iterator<Item = (u32, u32, u32)> {
    (0..nx).flat_map(move |x| (0..ny).flat_map(move |y| (0..nz).map(move |z| (x, y, z))))
}
