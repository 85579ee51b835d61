//! Differences between two descriptions of a fabric.

use serde::Serialize;

use crate::topology::machine::Topology;
use nodeorder_base::ids::RouterId;

/// A difference, by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// `missing`, `added`, `renamed` or `moved` node, `switch`, `link`, `unit`, `components`, `width`, `shape` or
    /// `unproved`.
    pub what: &'static str,
    /// Name of the node, switch, link or unit.
    pub name: String,
    /// Its value in the first description.
    pub here: String,
    /// Its value in the second.
    pub there: String,
}

/// Outcome of a comparison of two descriptions.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Findings {
    /// Differences: more than are listed, where there are many.
    pub count: u64,
    /// The first differences.
    pub differences: Vec<Difference>,
    /// Notes on parts that were not compared.
    pub remarks: Vec<String>,
}

impl Findings {
    /// Most differences that are listed.
    pub(super) const LISTED: usize = 1000;

    /// Counts a difference; `texts` are name, here and there.
    pub(super) fn add<S: Into<String>>(
        &mut self,
        what: &'static str,
        texts: impl FnOnce() -> [S; 3],
    ) {
        self.count += 1;
        if self.differences.len() < Findings::LISTED {
            let [name, here, there] = texts().map(S::into);
            self.differences.push(Difference {
                what,
                name,
                here,
                there,
            });
        }
    }
}

/// The name of a switch: its own where the description has one, else the nodes on it, else its number.
pub(super) fn switch_name(machine: &Topology, router: u32) -> String {
    if let Some(name) = machine.network().switch_names.get(router as usize) {
        return name.clone();
    }
    match machine.host_list(machine.nodes_of(RouterId(router))) {
        list if list.is_empty() => format!("router {router}"),
        list => list,
    }
}
