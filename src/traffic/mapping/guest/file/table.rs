//! The table of formats of guest files.

use super::csv::read_csv;
use super::matrix_market::read_matrix_market;
use super::scotch::read_scotch;
use super::topomatch::read_topomatch;
use crate::mapping::guest::Message;
use nodeorder_base::{Entry, Registry, Result, Text};

/// A format of guest files: an entry of [`FORMATS`], named by the ending of its files.
pub type FormatEntry = Entry<ReadFile>;

/// Reads the number of processes and the messages as they stand in the file.
type ReadFile = fn(&Text) -> Result<(u32, Vec<Message>)>;

/// Every format; each ending may be followed by `.gz`.
pub static FORMATS: Registry<ReadFile> = Registry::new(
    "guest format",
    "",
    &[
        describe_format(
            "csv",
            "source,target,volume, header optional; processes from 0",
            "traffic.csv",
            read_csv,
        ),
        describe_format(
            "mtx",
            "MatrixMarket coordinate or array: row is source, column target",
            "traffic.mtx",
            read_matrix_market,
        ),
        describe_format(
            "grf",
            "Scotch graph: edges stand at both ends, edge loads are volumes",
            "traffic.grf",
            read_scotch,
        ),
        describe_format(
            "mat",
            "TopoMatch: a square matrix as text, row is source",
            "traffic.mat",
            read_topomatch,
        ),
    ],
);

/// Describes a format, whose files end in `name`.
const fn describe_format(
    name: &'static str,
    about: &'static str,
    example: &'static str,
    parse: ReadFile,
) -> FormatEntry {
    FormatEntry {
        example,
        ..FormatEntry::plain(name, about, parse)
    }
}
