//! An export target's entry, and the files that it makes.

use super::placed::ExportJob;
use nodeorder_base::error::Result;
use nodeorder_base::params::Params;
use nodeorder_base::registry::Entry;
use nodeorder_network::topology::Topology;
use nodeorder_order::ordering::NodeOrder;

/// An export target: an entry of [`super::TARGETS`].
pub type ExportTarget = Entry<ParseTarget>;

/// How the options of a target are read.
#[derive(Clone, Copy)]
pub enum ParseTarget {
    /// Of one that writes an ordering.
    Order(fn(&Params) -> Result<Box<dyn WriteOrder>>),
    /// Of one that writes an ordering, or the jobs on it where there are some.
    Jobs(fn(&Params) -> Result<Box<dyn WriteJobs>>),
}

/// Options of a target for orderings, read and checked. A function writes without options.
pub trait WriteOrder {
    /// Makes the files.
    ///
    /// # Errors
    /// A machine, an ordering or names that the format cannot say.
    fn write(&self, topology: &Topology, order: &NodeOrder) -> Result<Export>;
}

impl<W: Fn(&Topology, &NodeOrder) -> Result<Export>> WriteOrder for W {
    fn write(&self, topology: &Topology, order: &NodeOrder) -> Result<Export> {
        self(topology, order)
    }
}

/// Options of a target that takes jobs, read and checked. A function writes without options.
pub trait WriteJobs {
    /// Makes the files; of the whole ordering where there are no `jobs`.
    ///
    /// # Errors
    /// As [`WriteOrder::write`]; jobs that the format cannot say.
    fn write(&self, topology: &Topology, order: &NodeOrder, jobs: &[ExportJob]) -> Result<Export>;
}

impl<W: Fn(&Topology, &NodeOrder, &[ExportJob]) -> Result<Export>> WriteJobs for W {
    fn write(&self, topology: &Topology, order: &NodeOrder, jobs: &[ExportJob]) -> Result<Export> {
        self(topology, order, jobs)
    }
}

/// The files that an export writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Export {
    /// The file.
    pub text: String,
    /// Where there are several files in a folder: the name of the first.
    pub folder: Option<&'static str>,
    /// Files beside it, with their text: what to append to its name, in a folder whole names.
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
