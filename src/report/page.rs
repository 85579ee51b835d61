//! The page.

use super::Figures;
use crate::metric::comparison::Comparison;
use crate::topology::Topology;

/// The page.
pub(crate) fn page(
    topology: &Topology,
    comparison: &Comparison,
    slots: &[usize],
    figures: &Figures,
    command: &str,
) -> String {
    let _ = (topology, comparison, slots, figures, command);
    String::new()
}
