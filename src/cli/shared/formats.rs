//! Options that say how a file of jobs is to be read.

use clap::Args;
use clap::builder::PossibleValuesParser;

use nodeorder_base::{Error, Lines};
use nodeorder_trace::records::{CSV, Columns, PHILLY, RecordFormat};
use nodeorder_trace::{TRACE_FORMATS, WorkloadKind, open};

/// How a file of jobs is read.
#[derive(Debug, Args)]
pub struct FormatArgs {
    /// The format of the file [default: by its content]
    #[arg(long, value_name = "FORMAT", value_parser = format_value_parser())]
    pub from: Option<String>,
    /// The columns of a CSV table: the name of a known set (alcf, pm100, adastra, lassen, kestrel, oar, lingjun,
    /// helios, philly), or KEY=NAME with commas between: job, submit, start, end, run, limit, limit-minutes,
    /// nodes, list, user, partition, state; unit=s or unit=ms for times that are numbers
    #[arg(long, value_name = "COLUMNS")]
    pub columns: Option<String>,
}

/// Lists the formats of job records.
fn record_formats() -> impl Iterator<Item = &'static RecordFormat> {
    TRACE_FORMATS
        .iter()
        .filter_map(|format| match format.parse.kind {
            WorkloadKind::Records(format) => Some(format),
            _ => None,
        })
}

/// Formats the values that `--from` takes.
fn format_value_parser() -> PossibleValuesParser {
    PossibleValuesParser::new(
        ["swf"]
            .into_iter()
            .chain(record_formats().map(|format| format.name)),
    )
}

/// A format of records, and the columns of its table where these were named.
type RecordForm = (&'static RecordFormat, Option<Columns>);

impl FormatArgs {
    /// Finds the format of job records from the options or the content. `None` for other files.
    pub fn find_record_format(&self, lines: &mut Lines) -> anyhow::Result<Option<RecordForm>> {
        // Named columns settle the format without a look at the content: they are those of a CSV table.
        let Some(columns) = self.columns.as_deref() else {
            let form = match self.from.as_deref() {
                Some(from) => record_formats().find(|format| format.name == from),
                None => open::detect_record_format(lines)?,
            };
            return Ok(form.map(|form| (form, None)));
        };
        match (self.from.as_deref(), columns) {
            // This set is no table but a format of its own.
            (None | Some("philly"), "philly") => Ok(Some((&PHILLY, None))),
            (None | Some("csv"), _) => Ok(Some((&CSV, Some(Columns::parse(columns)?)))),
            _ => {
                let found = "a file that is no CSV table";
                Err(Error::option("--columns", found, "--from csv").into())
            }
        }
    }
}
