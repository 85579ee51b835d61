//! Guests as matrices of TopoMatch.

use super::fields::parse_amount;
use crate::mapping::guest::{MAX_PROCESSES, Message};
use nodeorder_base::{Error, Result, Text};

/// Reads a matrix row by row, one a line, whose row is the source (Jeannot, Mercier, Tessier, "Process placement in
/// multicore clusters", TPDS 25(4), 2014).
pub fn read_topomatch(text: &Text) -> Result<(u32, Vec<Message>)> {
    let mut n = 0;
    let mut rows = 0u32;
    let mut messages = Vec::new();
    for line in text.data_lines() {
        let count = line.text.split_whitespace().count();
        if rows == 0 {
            n = count;
            if n > MAX_PROCESSES as usize {
                let expected = format!("at most {MAX_PROCESSES}");
                return Err(line.error_here(format!("{n} columns"), expected));
            }
        }
        if count != n || rows as usize == n {
            let found = format!("{count} numbers in row {}", rows + 1);
            return Err(line.error_here(found, format!("a square matrix, {n} rows of {n}")));
        }
        for (target, word) in line.text.split_whitespace().enumerate() {
            let volume = parse_amount(&line, word)?;
            // Most of a matrix is zeros: none is kept.
            if volume > 0.0 {
                messages.push(Message {
                    source: rows,
                    target: target as u32,
                    volume,
                });
            }
        }
        rows += 1;
    }
    if (rows as usize) < n {
        let found = format!("{rows} rows of {n}");
        return Err(Error::input(text.location(), found, "a square matrix"));
    }
    Ok((rows, messages))
}
