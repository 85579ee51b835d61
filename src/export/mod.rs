//! Orderings in the form other programs take: one file a target, [`TARGETS`] the table.

use crate::error::{Error, Place, Result};
use crate::ordering::NodeOrder;
use crate::topology::Topology;

mod csv;

/// An export target: a line of [`TARGETS`].
pub struct Target {
    /// The name, as in `--to csv`.
    pub name: &'static str,
    /// One line for lists.
    pub about: &'static str,
    /// Makes the text.
    pub write: fn(&Topology, &NodeOrder) -> Result<String>,
}

/// Every target, in the order of lists.
pub const TARGETS: &[Target] = &[csv::TARGET];

/// The target called `name`.
///
/// # Errors
/// There is none, with the nearest suggested.
pub fn target(name: &str) -> Result<&'static Target> {
    TARGETS.iter().find(|t| t.name == name).ok_or_else(|| {
        let place = Place::option(format!("--to {name}"));
        Error::unknown(place, "target", name, TARGETS.iter().map(|t| t.name))
    })
}
