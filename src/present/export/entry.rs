//! An export target's entry, what it is given, and the files that it makes.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::placed::ExportJob;
use nodeorder_base::{Entry, Error, NodeId, Params, Result, SourceLocation};
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;

/// An export target: an entry of [`super::TARGETS`].
pub type ExportTarget = Entry<ParseTarget>;

/// Describes a target without options.
pub(super) const fn plain_target(
    name: &'static str,
    about: &'static str,
    write: fn(&ExportInput) -> Result<Export>,
) -> ExportTarget {
    ExportTarget::plain(name, about, ParseTarget::Plain(write))
}

/// Writer of a target whose options are read and checked. It fails on a machine, an ordering, names or jobs that the
/// format cannot say.
pub type WriteExport = Box<dyn Fn(&ExportInput) -> Result<Export>>;

/// Function of a target that reads its options, if it has any, and writes.
#[derive(Clone, Copy)]
pub enum ParseTarget {
    /// Without options.
    Plain(fn(&ExportInput) -> Result<Export>),
    /// With options, which the function reads.
    Options(fn(&Params) -> Result<WriteExport>),
}

impl ParseTarget {
    /// Reads and checks the options.
    ///
    /// # Errors
    /// An option without its value, or with one that the target does not have.
    pub fn read_options(self, params: &Params) -> Result<WriteExport> {
        match self {
            ParseTarget::Plain(write) => Ok(Box::new(write)),
            ParseTarget::Options(parse) => parse(params),
        }
    }
}

/// What is exported: the ordering of a machine or, for targets that take jobs, those on it if there are any.
#[derive(Clone, Copy)]
pub struct ExportInput<'a> {
    /// The machine.
    pub topology: &'a Topology,
    /// Its ordering.
    pub order: &'a NodeOrder,
    /// The jobs; empty for the whole ordering.
    pub jobs: &'a [ExportJob],
}

impl ExportInput<'_> {
    /// Returns the jobs, or the whole ordering as one job where there are none.
    pub(super) fn jobs_or_all(&self) -> Cow<'_, [ExportJob]> {
        if !self.jobs.is_empty() {
            return self.jobs.into();
        }
        let all = ExportJob {
            name: "all".into(),
            nodes: self.order.nodes().to_vec(),
            traffic: Vec::new(),
        };
        vec![all].into()
    }

    /// Refuses a node that holds two processes, which the target cannot say.
    ///
    /// # Errors
    /// With the node and both jobs.
    pub(super) fn refuse_shared_nodes(&self, target: &str) -> Result<()> {
        let mut held: BTreeMap<NodeId, &str> = BTreeMap::new();
        for ExportJob {
            name: job, nodes, ..
        } in self.jobs
        {
            for node in nodes {
                if let Some(other) = held.insert(*node, job) {
                    let name = self.topology.node_name(*node);
                    let problem =
                        format!("two processes on node {name} (jobs `{other}` and `{job}`)");
                    return Err(refuse_export(target, problem, "one process a node"));
                }
            }
        }
        Ok(())
    }
}

/// Builds the error of a `problem` that the target's format cannot express, and the remedy.
pub(super) fn refuse_export(target: &str, problem: impl Into<String>, remedy: &str) -> Error {
    Error::unsuited(
        SourceLocation::option(format!("--to {target}")),
        problem,
        remedy,
    )
}

/// The files that an export writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Export {
    /// Text of the file; of the first one if there are several.
    pub text: String,
    /// Name of the first file if the export is a folder; `None` if it is a single file.
    pub folder: Option<&'static str>,
    /// Further files, each with its text: what to append to the name of a single file; whole names in a folder.
    pub beside: Vec<(String, String)>,
    /// Files in the folder that are no texts.
    pub binary: Vec<(&'static str, Vec<u8>)>,
    /// Notes about parts of the input that are left out, a sentence each.
    pub notes: Vec<String>,
}

impl From<String> for Export {
    fn from(text: String) -> Self {
        Export {
            text,
            ..Export::default()
        }
    }
}

impl Export {
    /// Makes the export of a network's links, with a note on what is assumed of their capacities.
    pub(super) fn of_links(topology: &Topology, text: String) -> Export {
        Export {
            notes: topology.capacity_assumption().into_iter().collect(),
            ..Export::from(text)
        }
    }
}
