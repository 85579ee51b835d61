//! The table of formats of guest files.

use super::csv::csv;
use super::matrix_market::matrix_market;
use super::scotch::scotch;
use super::topomatch::topomatch;
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
            parse: csv,
        },
        FormatEntry {
            name: "mtx",
            about: "MatrixMarket coordinate or array: row is source, column target",
            example: "traffic.mtx",
            options: &[],
            parse: matrix_market,
        },
        FormatEntry {
            name: "grf",
            about: "Scotch graph: edges stand at both ends, edge loads are volumes",
            example: "traffic.grf",
            options: &[],
            parse: scotch,
        },
        FormatEntry {
            name: "mat",
            about: "TopoMatch: a square matrix as text, row is source",
            example: "traffic.mat",
            options: &[],
            parse: topomatch,
        },
    ],
);
