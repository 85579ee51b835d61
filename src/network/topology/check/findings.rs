//! Differences between two descriptions of a fabric.

use serde::Serialize;

use crate::topology::machine::Topology;
use nodeorder_base::RouterId;

/// A difference between two descriptions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Kind of difference: `missing`, `added`, `renamed` or `moved` node, `switch`, `link`, `unit`, `components`,
    /// `width`, `shape` or `unproved`.
    pub what: &'static str,
    /// Name of the node, switch, link or unit that differs.
    pub name: String,
    /// Value in the first description; empty where it has none.
    pub here: String,
    /// Value in the second description; empty where it has none.
    pub there: String,
}

/// Outcome of a comparison of two descriptions.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Findings {
    /// Number of all differences, which may be more than are listed.
    pub count: u64,
    /// The first differences, up to 1000.
    pub differences: Vec<Difference>,
    /// Notes on parts that were not compared.
    pub remarks: Vec<String>,
}

impl Findings {
    /// Most differences that are listed.
    pub(super) const MOST_LISTED: usize = 1000;

    /// Counts a difference, and lists it if there is room; `texts` makes its name and its values in both descriptions.
    pub(super) fn add_difference<S: Into<String>>(
        &mut self,
        what: &'static str,
        texts: impl FnOnce() -> [S; 3],
    ) {
        self.count += 1;
        if self.differences.len() < Findings::MOST_LISTED {
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

/// Finds the name of a switch: its own where the description gives it one, else its nodes, else its number.
pub fn switch_name(machine: &Topology, router: RouterId) -> String {
    if let Some(name) = machine.network().switch_names.get(router.index()) {
        return name.clone();
    }
    let nodes = machine.host_list(machine.nodes_of(router));
    if nodes.is_empty() {
        return format!("router {router}");
    }
    nodes
}

/// Checks whether both descriptions name their switches, and give these two, one of each, the same name.
pub fn have_same_name(machines: [&Topology; 2], [here, there]: [u32; 2]) -> bool {
    let name = machines[0].network().switch_names.get(here as usize);
    name.is_some() && name == machines[1].network().switch_names.get(there as usize)
}
