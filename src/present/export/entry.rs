//! An export target's entry, and the files that it makes.

use super::placed::ExportJob;
use nodeorder_base::error::Result;
use nodeorder_base::params::Params;
use nodeorder_base::registry::Entry;
use nodeorder_network::topology::Topology;
use nodeorder_order::ordering::NodeOrder;

/// An export target: an entry of [`TARGETS`]. It makes the text.
pub type ExportTarget = Entry<Build>;

/// Files of a target.
#[derive(Clone, Copy)]
pub enum Build {
    /// An ordering.
    Order(fn(&Topology, &NodeOrder, &Params) -> Result<Export>),
    /// An ordering, or the jobs on it where there are some.
    Jobs(fn(&Topology, &NodeOrder, &[ExportJob], &Params) -> Result<Export>),
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
