//! Guests as matrices of TopoMatch.

use super::fields::parse_amount;
use crate::mapping::guest::{MAX_PROCESSES, Message};
use nodeorder_base::error::{Error, Result};
use nodeorder_base::input::Text;

/// Jeannot, Mercier, Tessier, "Process placement in multicore clusters", TPDS 25(4), 2014: the matrix row
/// by row, one a line.
pub(super) fn topomatch(text: &Text) -> Result<(u32, Vec<Message>)> {
    let (mut n, mut rows, mut messages) = (0, 0u32, Vec::new());
    for line in text.data_lines() {
        let count = line.text.split_whitespace().count();
        if rows == 0 {
            n = count;
            if n > MAX_PROCESSES as usize {
                let expected = format!("at most {MAX_PROCESSES}");
                return Err(line.wrong(format!("{n} columns"), expected));
            }
        }
        if count != n || rows as usize == n {
            let found = format!("{count} numbers in row {}", rows + 1);
            return Err(line.wrong(found, format!("a square matrix, {n} rows of {n}")));
        }
        for (target, word) in line.text.split_whitespace().enumerate() {
            let amount = parse_amount(&line, word)?;
            if amount > 0.0 {
                messages.push(Message {
                    source: rows,
                    target: target as u32,
                    volume: amount,
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
