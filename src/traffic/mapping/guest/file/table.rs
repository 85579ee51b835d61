//! The table of formats of guest files.

use super::csv::read_csv;
use super::matrix_market::read_matrix_market;
use super::scotch::read_scotch;
use super::topomatch::read_topomatch;
use crate::mapping::guest::Message;
use nodeorder_base::error::Result;
use nodeorder_base::input::Text;
use nodeorder_base::registry::{Entry, Registry};

/// A format of guest files: an entry of [`FORMATS`], named by the ending of its files.
pub type FormatEntry = Entry<ReadFile>;

/// Reads the number of processes and the messages as they stand in the file.
type ReadFile = fn(&Text) -> Result<(u32, Vec<Message>)>;

/// Every format; each ending may be followed by `.gz`.
pub static FORMATS: Registry<ReadFile> = Registry::new(
    "guest format",
    "",
    &[
        FormatEntry {
            name: "csv",
            about: "source,target,volume, header optional; processes from 0",
            example: "traffic.csv",
            options: &[],
            parse: read_csv,
        },
        FormatEntry {
            name: "mtx",
            about: "MatrixMarket coordinate or array: row is source, column target",
            example: "traffic.mtx",
            options: &[],
            parse: read_matrix_market,
        },
        FormatEntry {
            name: "grf",
            about: "Scotch graph: edges stand at both ends, edge loads are volumes",
            example: "traffic.grf",
            options: &[],
            parse: read_scotch,
        },
        FormatEntry {
            name: "mat",
            about: "TopoMatch: a square matrix as text, row is source",
            example: "traffic.mat",
            options: &[],
            parse: read_topomatch,
        },
    ],
);
