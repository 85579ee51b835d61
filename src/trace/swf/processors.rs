//! Traces count processors, machines count nodes: how many processors a node probably has.

use std::fmt;

use super::job::Options;
use crate::header::Header;
use crate::tally::{Reason, Tally};

/// Evidence that a trace counts processors of nodes with several, though each was taken for a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessorsHint {
    /// Processors that a node has, probably.
    pub per_node: u64,
    /// Whether the header says so; else only jobs beyond the machine suggest it.
    pub stated: bool,
    processors: u64,
    nodes: u64,
    too_large: u64,
}

impl ProcessorsHint {
    /// Looks for the hint in a trace that was read with one processor a node, where nobody said so.
    pub(super) fn new(
        name: &str,
        header: &Header,
        options: &Options,
        tally: &Tally,
    ) -> Option<ProcessorsHint> {
        // What is wrong with a number in the header is an error only where the number counts.
        let processors = header.max_procs(name).ok().flatten()?;
        let stated = header.max_nodes(name).ok().flatten();
        let too_large = tally.count_lines(Reason::LargerThanMachine);
        let (nodes, per_node) = match (stated, options.nodes.map(u64::from)) {
            (Some(nodes), _) => (nodes, processors / nodes),
            // A user may simulate a smaller machine on purpose: only jobs beyond it make the count suspicious.
            (None, Some(nodes)) if too_large > 0 => (nodes, processors.div_ceil(nodes.max(1))),
            _ => return None,
        };
        let assumed = options.procs_per_node == 1 && !options.processors_stated;
        (assumed && per_node > 1).then_some(ProcessorsHint {
            per_node,
            stated: stated.is_some(),
            processors,
            nodes,
            too_large,
        })
    }
}

impl fmt::Display for ProcessorsHint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ProcessorsHint {
            per_node,
            stated,
            processors,
            nodes,
            too_large,
        } = self;
        let machine = if *stated { " on" } else { ", the machine has" };
        write!(
            f,
            "the header says {processors} processors{machine} {nodes} nodes; each processor was taken for a node"
        )?;
        if *too_large > 0 {
            let jobs = if *too_large == 1 {
                "job was"
            } else {
                "jobs were"
            };
            write!(
                f,
                ", and {too_large} {jobs} left out as larger than the machine"
            )?;
        }
        write!(f, ": --procs-per-node {per_node} is likely")
    }
}
