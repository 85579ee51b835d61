//! Guests as MatrixMarket files.

use super::fields::{check_count, parse_amount, parse_process};
use crate::mapping::guest::{MAX_PROCESSES, Message};
use nodeorder_base::{Error, Line, Result, Text};

/// Reads a matrix whose row is the source (Boisvert, Pozo, Remington, "The Matrix Market exchange formats", NISTIR
/// 5935, 1996). Entries of a symmetric matrix stand for both directions; pattern matrices have volume 1.
pub fn read_matrix_market(text: &Text) -> Result<(u32, Vec<Message>)> {
    let header = "%%MatrixMarket matrix coordinate|array real|integer|pattern general|symmetric";
    let mut lines = text.lines();
    let first = lines
        .next()
        .ok_or_else(|| Error::input(text.location(), "nothing", header))?;
    let (coordinate, pattern, symmetric) = parse_header(&first, header)?;
    let mut lines = lines.filter(|l| !l.text.trim().is_empty() && !l.text.starts_with('%'));
    let sizes = lines
        .next()
        .ok_or_else(|| Error::input(text.location(), "no sizes", "rows columns"))?;
    let wanted = if coordinate {
        "rows columns entries"
    } else {
        "rows columns"
    };
    let words = sizes.text.split_whitespace();
    let numbers: Option<Vec<u64>> = words.map(|word| word.parse().ok()).collect();
    let (n, columns, entries) = match numbers.as_deref() {
        Some(&[rows, columns]) if !coordinate => (rows, columns, 0),
        Some(&[rows, columns, entries]) if coordinate => (rows, columns, entries),
        _ => return Err(sizes.whole_error(wanted)),
    };
    if columns != n || n > u64::from(MAX_PROCESSES) {
        let found = format!("{n} rows and {columns} columns");
        return Err(sizes.error_here(found, format!("a square matrix of at most {MAX_PROCESSES}")));
    }
    let n = n as u32;
    let mut messages = Vec::new();
    let mut send = |source: u32, target: u32, volume: f64| {
        messages.push(Message {
            source,
            target,
            volume,
        });
        if symmetric && source != target {
            messages.push(Message {
                source: target,
                target: source,
                volume,
            });
        }
    };
    let mut found = 0;
    if coordinate {
        for line in lines {
            let words: Vec<&str> = line.text.split_whitespace().collect();
            let (row, column, amount) = match (words.as_slice(), pattern) {
                (&[row, column], true) => (row, column, "1"),
                (&[row, column, amount], false) => (row, column, amount),
                _ => {
                    let expected = if pattern {
                        "row column"
                    } else {
                        "row column value"
                    };
                    return Err(line.whole_error(expected));
                }
            };
            let row = parse_process(&line, row, 1, Some(n))?;
            let column = parse_process(&line, column, 1, Some(n))?;
            send(row, column, parse_amount(&line, amount)?);
            found += 1;
        }
        check_count(&sizes, "entries", found, entries)?;
    } else {
        // Column by column; of a symmetric matrix the lower triangle.
        let all = u64::from(n) * u64::from(n);
        let stored = if symmetric {
            (all + u64::from(n)) / 2
        } else {
            all
        };
        let mut row = 0;
        let mut column = 0;
        for line in lines {
            for word in line.text.split_whitespace() {
                if column == n {
                    return Err(
                        line.error_here(format!("`{word}`"), format!("{stored} entries only"))
                    );
                }
                send(row, column, parse_amount(&line, word)?);
                found += 1;
                row += 1;
                if row == n {
                    column += 1;
                    row = if symmetric { column } else { 0 };
                }
            }
        }
        check_count(&sizes, "entries", found, stored)?;
    }
    Ok((n, messages))
}

/// Reads whether a header says coordinates, a pattern, and symmetry.
fn parse_header(first: &Line<'_>, header: &str) -> Result<(bool, bool, bool)> {
    let words = first.text.to_ascii_lowercase();
    let words: Vec<&str> = words.split_whitespace().collect();
    let &["%%matrixmarket", "matrix", layout, field, symmetry] = words.as_slice() else {
        return Err(first.whole_error(header));
    };
    let symmetric = match symmetry {
        "general" => false,
        "symmetric" => true,
        _ => return Err(first.error_here(format!("symmetry `{symmetry}`"), "general or symmetric")),
    };
    let pattern = match field {
        "real" | "integer" | "double" => false,
        // A full matrix has a value everywhere, so that a pattern of it says nothing.
        "pattern" if layout == "coordinate" => true,
        _ => return Err(first.error_here(format!("field `{field}`"), "real, integer or pattern")),
    };
    let coordinate = match layout {
        "coordinate" => true,
        "array" => false,
        _ => return Err(first.error_here(format!("layout `{layout}`"), "coordinate or array")),
    };
    Ok((coordinate, pattern, symmetric))
}
