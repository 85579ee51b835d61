//! One topology as Slurm's files describe it, before its switches are made.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Display;

use crate::topology::context::Context;
use crate::topology::import::host_list::expand_host_list;
use crate::topology::import::wiring::Wiring;
use crate::topology::site::{SiteKind, SiteTorus};
use nodeorder_base::{Error, Line, Result, SourceLocation};

/// One topology of a file.
pub(super) struct NamedTopology {
    pub kind: SiteKind,
    /// Name in a topology.yaml, else `default`.
    pub name: String,
    /// Switches, blocks or rings in the order of the file; empty for toruses.
    pub units: Vec<SiteUnit>,
    /// Block sizes in nodes, the base first.
    pub sizes: Vec<u64>,
    pub toruses: Vec<SiteTorus>,
    /// `TopologyParam` as given; empty if it is not.
    pub param: String,
    /// Weight of each node that is given one.
    pub weights: BTreeMap<String, u32>,
    /// All nodes of the cluster, placed or not; `None` if the file does not list them.
    pub cluster: Option<HashSet<String>>,
    /// Number of names read so far.
    pub nodes: usize,
    /// Notes on the file: lines that Slurm does not accept, or takes otherwise.
    pub remarks: Vec<String>,
}

/// A switch, block or ring.
pub(super) struct SiteUnit {
    pub name: String,
    pub nodes: Vec<String>,
    /// Names of the switches right below it.
    pub children: Vec<String>,
    /// Place of the unit's description, for messages.
    pub place: SourceLocation,
    /// Line number of the description.
    pub line: usize,
    /// `LinkSpeed` of the cables up, in any unit; `None` if it is not given or 0.
    pub speed: Option<u32>,
}

impl SiteUnit {
    /// Creates a unit that `line` describes, without nodes and without units below it.
    pub fn new(name: &str, place: SourceLocation, line: usize) -> Self {
        SiteUnit {
            name: name.into(),
            nodes: Vec::new(),
            children: Vec::new(),
            place,
            line,
            speed: None,
        }
    }

    /// Builds an error at the place where the unit is described.
    pub fn error_here(&self, found: String, expected: &str) -> Error {
        Error::input(self.place.clone(), found, expected)
    }
}

impl NamedTopology {
    /// Creates a topology without units.
    pub fn new(kind: SiteKind, name: &str) -> Self {
        NamedTopology {
            kind,
            name: name.into(),
            units: Vec::new(),
            sizes: Vec::new(),
            toruses: Vec::new(),
            param: String::new(),
            weights: BTreeMap::new(),
            cluster: None,
            nodes: 0,
            remarks: Vec::new(),
        }
    }

    /// Adds a note on a line of the file.
    pub fn add_remark(&mut self, line: &Line<'_>, what: impl Display) {
        self.remarks.push(format!("{}: {what}", line.location()));
    }

    /// Adds a note on the first block size that is not the base times a power of two, at which Slurm stops.
    pub fn check_powers(&mut self, line: &Line<'_>) {
        let sizes = &self.sizes;
        let mut odd = sizes.iter();
        if let Some(odd) = odd.find(|size| !(*size / sizes[0]).is_power_of_two()) {
            let what = format!(
                "block size {odd} is not {} times a power of two: Slurm stops at it (`Invalid BlockSizes value`)",
                sizes[0]
            );
            self.add_remark(line, what);
        }
    }

    /// Reads the host list of a unit's nodes.
    pub fn read_nodes(
        &mut self,
        list: &str,
        line: &Line<'_>,
        context: &Context,
    ) -> Result<Vec<String>> {
        if list.eq_ignore_ascii_case("ALL") {
            self.add_remark(line, ALL_IS_NO_WILDCARD);
            return Ok(Vec::new());
        }
        let names = expand_host_list(list, line, self.nodes, context)?;
        self.nodes += names.len();
        Ok(names)
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

/// Checks whether block sizes are ascending multiples of the first.
pub(super) fn check_sizes(sizes: &[u64]) -> bool {
    let mut multiples = sizes
        .iter()
        .map(|size| *size > 0 && size.is_multiple_of(sizes[0]));
    multiples.all(|is_multiple| is_multiple) && sizes.is_sorted_by(|a, b| a < b)
}

/// Remark on `Nodes=ALL`, which reads like a wildcard.
pub(super) const ALL_IS_NO_WILDCARD: &str =
    "Nodes=ALL is no wildcard: Slurm looks for a node called ALL, and so has none here";
