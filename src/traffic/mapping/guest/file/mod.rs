//! Guests from files: CSV, MatrixMarket, Scotch graphs, TopoMatch matrices.

use super::Message;
use nodeorder_base::{Error, Result, SourceLocation, Text};
use nodeorder_network::Context;

mod csv;
mod fields;
mod matrix_market;
mod scotch;
mod table;
mod topomatch;

pub use table::{FORMATS, FormatEntry};

/// Finds the format of a path by its ending. Fails if no format has this ending.
pub fn format_by_ending(path: &str) -> Result<&'static FormatEntry> {
    let plain = path.strip_suffix(".gz").unwrap_or(path);
    let ending = plain.rsplit_once('.').map_or("", |(_, ending)| ending);
    let mut formats = FORMATS.iter();
    formats.find(|format| format.name == ending).ok_or_else(|| {
        let endings: Vec<String> = FORMATS.names().map(|name| format!(".{name}")).collect();
        Error::input(
            SourceLocation::option(path),
            format!("a guest file ending in `{ending}`"),
            format!("one of {}", endings.join(", ")),
        )
    })
}

/// Reads the number of processes and the messages, as they stand in the file.
pub fn read_messages(text: &Text, format: &str, context: &Context) -> Result<(u32, Vec<Message>)> {
    // No format writes a message in fewer than four characters.
    let bytes = (text.as_str().len() as u64 / 2).saturating_mul(size_of::<Message>() as u64);
    context.require_memory(&format!("{}: the guest's messages", text.name()), bytes)?;
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

#[cfg(test)]
mod tests;
