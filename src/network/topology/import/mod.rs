//! Real fabrics from the files that describe them: one source file for each format.
//!
//! Nodes keep their names. Node ids go switch by switch in the order of the file, the switches of a unit (a pod, a
//! group, a tree of a forest) together, within a switch in the order in which its nodes stand there. Switches with
//! nodes are the first routers; each has as many slots as the fullest of them, and the slots left over are no nodes.

mod adapters;
mod document;
mod fabric_ports;
pub(super) mod graphml;
pub(super) mod host_list;
pub(super) mod iblinkinfo;
pub(super) mod infiniband;
pub(super) mod infragraph;
pub(super) mod jgf;
pub(super) mod k8s;
mod labelled;
pub(super) mod ns3;
mod outline;
mod paths;
pub(super) mod simgrid;
mod simgrid_cluster;
pub(super) mod slurm;
pub(super) mod target;
pub(super) mod tiers;
pub(super) mod topograph;
mod wiring;
pub(super) mod xtdb;

#[cfg(test)]
mod tests {
    use crate::topology::Topology;
    use crate::topology::testing::from_file;

    /// Builds the machine that `text` describes, read from a file.
    pub(super) fn machine(kind: &str, text: &str) -> nodeorder_base::error::Result<Topology> {
        from_file(kind, text, "")
    }

    /// Returns the message about a bad file, from its line on.
    pub(super) fn error(kind: &str, text: &str) -> String {
        let error = machine(kind, text).unwrap_err().to_string();
        error
            .split_once("/f")
            .map_or(error.clone(), |(_, rest)| rest.to_string())
    }

    /// Checks that each text is refused, with a message that begins with the text beside it.
    pub(super) fn check_refused(kind: &str, cases: &[(&str, &str)]) {
        for (text, message) in cases {
            let error = error(kind, text);
            assert!(error.starts_with(message), "{text}: {error}");
        }
    }

    /// Lists the levels with their numbers of units.
    pub(super) fn levels(machine: &Topology) -> Vec<(String, u64)> {
        machine
            .level_table()
            .into_iter()
            .map(|l| (l.name.into_owned(), l.units))
            .collect()
    }

    /// Lists the names of the nodes in id order.
    pub(super) fn names(machine: &Topology) -> String {
        let names: Vec<String> = machine
            .nodes()
            .iter()
            .map(|n| machine.node_name(n))
            .collect();
        names.join(" ")
    }
}
