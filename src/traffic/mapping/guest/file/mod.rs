//! Guests from files: CSV, MatrixMarket, Scotch graphs, TopoMatch matrices.

use super::{MAX_PROCESSES, Message};
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_base::input::{Line, Text};
use nodeorder_base::registry::{Entry, Registry};
use nodeorder_network::topology::Context;

mod csv;
mod matrix_market;
mod scotch;
mod topomatch;

use csv::csv;
use matrix_market::matrix_market;
use scotch::scotch;
use topomatch::topomatch;

/// A format of guest files: an entry of [`FORMATS`], named by the ending of its files. It reads the number of
/// processes and the messages as they stand in the file.
pub type FormatEntry = Entry<ReadFile>;

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

/// The format of a path, from its ending.
pub(super) fn format(path: &str) -> Result<&'static FormatEntry> {
    let plain = path.strip_suffix(".gz").unwrap_or(path);
    let ending = plain.rsplit_once('.').map_or("", |(_, ending)| ending);
    FORMATS
        .iter()
        .find(|format| format.name == ending)
        .ok_or_else(|| {
            let expected: Vec<String> = FORMATS.names().map(|name| format!(".{name}")).collect();
            let found = format!("a guest file ending in `{ending}`");
            Error::input(
                SourceLocation::option(path),
                found,
                format!("one of {}", expected.join(", ")),
            )
        })
}

/// Number of processes and messages, as they stand in the file.
pub(super) fn read(text: &Text, format: &str, context: &Context) -> Result<(u32, Vec<Message>)> {
    // No format writes a message in fewer than four characters.
    let bytes = (text.as_str().len() as u64 / 2).saturating_mul(size_of::<Message>() as u64);
    context.require(&format!("{}: the guest's messages", text.name()), bytes)?;
    let (processes, messages) = (FORMATS.find_at(format, || text.location())?.parse)(text)?;
    if processes == 0 {
        return Err(Error::input(
            text.location(),
            "no processes",
            "at least one message",
        ));
    }
    Ok((processes, messages))
}

/// A process id from `base` up, below [`MAX_PROCESSES`] after subtracting it.
fn process(line: &Line<'_>, text: &str, base: u32, count: Option<u32>) -> Result<u32> {
    let most = count.unwrap_or(MAX_PROCESSES);
    match text.parse::<u32>().ok().and_then(|p| p.checked_sub(base)) {
        Some(p) if p < most => Ok(p),
        _ => {
            let last = u64::from(base) + u64::from(most) - 1;
            let expected = format!("a process from {base} to {last}");
            Err(line.wrong(format!("process `{text}`"), expected))
        }
    }
}

fn volume(line: &Line<'_>, text: &str) -> Result<f64> {
    match text.parse::<f64>() {
        Ok(v) if v.is_finite() && v >= 0.0 => Ok(v),
        _ => Err(line.wrong(format!("volume `{text}`"), "a finite number of 0 or more")),
    }
}

/// Checks that as many were found as the file says.
fn check_count(location: &Line<'_>, what: &str, found: u64, stated: u64) -> Result<()> {
    if found == stated {
        return Ok(());
    }
    Err(location.wrong(
        format!("{found} {what}"),
        format!("{stated}, as the file says"),
    ))
}

#[cfg(test)]
mod tests;
