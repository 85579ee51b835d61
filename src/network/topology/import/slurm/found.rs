//! One topology as Slurm's files describe it, before its switches are made.

use std::collections::BTreeMap;
use std::path::Path;

use crate::topology::import::wiring::Wiring;
use crate::topology::site::{SiteKind, SiteTorus};
use nodeorder_base::input::Text;

/// One topology of a file.
pub(super) struct NamedTopology {
    pub kind: SiteKind,
    /// Name in a topology.yaml, else `default`.
    pub name: String,
    /// Switches, blocks or rings in the order of the file; empty for toruses.
    pub units: Vec<SiteUnit>,
    /// Block sizes in nodes, the base first, and their line.
    pub sizes: (Vec<u64>, usize),
    pub toruses: Vec<SiteTorus>,
    /// `TopologyParam` as given; empty if it is not.
    pub param: String,
    /// Weight of each node that is given one.
    pub weights: BTreeMap<String, u32>,
    /// Notes on the file: lines that Slurm does not accept, or takes otherwise.
    pub remarks: Vec<String>,
}

/// A switch, block or ring.
pub(super) struct SiteUnit {
    pub name: String,
    pub nodes: Vec<String>,
    /// Names of the switches right below it.
    pub children: Vec<String>,
    pub line: usize,
    /// `LinkSpeed` of the cables up, in any unit; `None` if it is not given or 0.
    pub speed: Option<u32>,
}

impl NamedTopology {
    /// Creates a topology without units.
    pub fn new(kind: SiteKind, name: &str) -> Self {
        NamedTopology {
            kind,
            name: name.into(),
            units: Vec::new(),
            sizes: (Vec::new(), 1),
            toruses: Vec::new(),
            param: String::new(),
            weights: BTreeMap::new(),
            remarks: Vec::new(),
        }
    }

    /// Makes a wiring with a switch for each unit, and no cables.
    pub fn wiring_of_switches(&self) -> Wiring {
        let mut wiring = Wiring::default();
        for unit in &self.units {
            wiring.add_switch(&unit.name, unit.nodes.clone(), unit.line);
        }
        wiring
    }
}

/// Writes path and line of a file, for a remark.
pub(super) fn file_and_line(text: &Text, line: usize) -> String {
    format!("{}:{line}", Path::new(text.name()).display())
}

/// Checks whether block sizes are ascending multiples of the first.
pub(super) fn check_sizes(sizes: &[u64]) -> bool {
    let mut multiples = sizes
        .iter()
        .map(|size| *size > 0 && size.is_multiple_of(sizes[0]));
    multiples.all(|is_multiple| is_multiple) && sizes.is_sorted_by(|a, b| a < b)
}

/// Writes a remark on the first block size that is not the base times a power of two, at which Slurm stops; `None` if
/// there is none.
pub(super) fn remark_on_sizes(text: &Text, line: usize, sizes: &[u64]) -> Option<String> {
    let base = sizes.first()?;
    let mut sizes = sizes.iter();
    let odd = sizes.find(|size| !(*size / base).is_power_of_two())?;
    let place = file_and_line(text, line);
    Some(format!(
        "{place}: block size {odd} is not {base} times a power of two: Slurm stops at it (`Invalid BlockSizes value`)"
    ))
}

/// Remark on `Nodes=ALL`, which reads like a wildcard.
pub(super) const ALL_IS_NO_WILDCARD: &str =
    "Nodes=ALL is no wildcard: Slurm looks for a node called ALL, and so has none here";
