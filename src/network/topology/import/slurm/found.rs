//! One topology as Slurm's files describe it.

use std::collections::BTreeMap;
use std::path::Path;

use crate::topology::import::wiring::Wiring;
use crate::topology::site::{SiteKind, SiteTorus};
use nodeorder_base::input::Text;

/// One topology of a file.
pub(super) struct Found {
    pub kind: SiteKind,
    pub name: String,
    pub units: Vec<SiteUnit>,
    /// Block sizes, the base first, and their line.
    pub sizes: (Vec<u64>, usize),
    pub toruses: Vec<SiteTorus>,
    /// `TopologyParam`, and the weights of nodes.
    pub param: String,
    pub weights: BTreeMap<String, u32>,
    pub remarks: Vec<String>,
}

/// A switch, block, ring or torus.
pub(super) struct SiteUnit {
    pub name: String,
    pub nodes: Vec<String>,
    pub children: Vec<String>,
    pub line: usize,
    /// `LinkSpeed` of the cables up, where it is given and not 0.
    pub speed: Option<u32>,
}

impl Found {
    /// A switch for each unit.
    pub fn switches(&self) -> Wiring {
        let mut wiring = Wiring::default();
        self.units.iter().for_each(|unit| {
            wiring.add(&unit.name, unit.nodes.clone(), unit.line);
        });
        wiring
    }
}

/// The path of a file for a remark about one of its lines.
pub(super) fn at(text: &Text, line: usize) -> String {
    format!("{}:{line}", Path::new(text.name()).display())
}

/// Checks block sizes: ascending multiples of the first.
pub(super) fn check_sizes(sizes: &[u64]) -> bool {
    sizes
        .iter()
        .all(|size| *size > 0 && size.is_multiple_of(sizes[0]))
        && sizes.windows(2).all(|pair| pair[0] < pair[1])
}

/// Remark on block sizes that are not the first times a power of two: how Slurm takes them.
pub(super) fn remark_on_sizes(text: &Text, line: usize, sizes: &[u64]) -> Option<String> {
    let odd = sizes
        .iter()
        .find(|size| !(*size / sizes[0]).is_power_of_two())?;
    Some(format!(
        "{}: block size {odd} is not {} times a power of two: Slurm stops at it (`Invalid BlockSizes value`)",
        at(text, line),
        sizes[0]
    ))
}

/// Remark on a node called ALL: how Slurm takes it.
pub(super) const ALL: &str =
    "Nodes=ALL is no wildcard: Slurm looks for a node called ALL, and so has none here";
