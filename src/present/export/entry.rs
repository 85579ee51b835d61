//! An export target's entry, and the files that it makes.

use super::placed::ExportJob;
use nodeorder_base::error::Result;
use nodeorder_base::params::Params;
use nodeorder_base::registry::Entry;
use nodeorder_network::topology::Topology;
use nodeorder_order::ordering::NodeOrder;

/// An export target: an entry of [`super::TARGETS`].
pub type ExportTarget = Entry<ParseTarget>;

/// Function that reads the options of a target.
#[derive(Clone, Copy)]
pub enum ParseTarget {
    /// For a target that writes an ordering.
    Order(fn(&Params) -> Result<Box<dyn WriteOrder>>),
    /// For a target that writes an ordering or, if there are any, the jobs on it.
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
