//! The table of a sweep's results, read from its file.

use crate::columns::sweep::ResultRow;
use nodeorder_base::{Error, Result, SourceLocation, Text};

/// Expectation that errors about the table as a whole name.
const EXPECTED: &str = "a table of a sweep's results";

/// Reads the rows of a table of results. Fails if it is no table of a sweep, with file and line.
pub fn read_results(results: &Text) -> Result<Vec<ResultRow>> {
    let mut reader = csv::Reader::from_reader(results.as_str().as_bytes());
    let header = reader
        .headers()
        .map_err(|e| malformed_table_error(results, &e))?;
    let columns: Vec<String> = header.iter().map(str::to_string).collect();
    // Every kind of row has these; the others depend on the plan.
    for column in ["topology", "ordering", "seed", "group", "note"] {
        if !columns.iter().any(|c| c == column) {
            let found = format!("no column `{column}`");
            return Err(Error::input(line_location(results, 1), found, EXPECTED));
        }
    }
    let index = |name: &str| columns.iter().position(|column| column == name);
    // Figures stand between `group` and `note`.
    let figures = index("group").map_or(0, |i| i + 1)..index("note").unwrap_or(0);
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|e| malformed_table_error(results, &e))?;
        for (i, text) in record.iter().enumerate() {
            if figures.contains(&i) && !is_figure(text) {
                let line = record.position().map_or(1, csv::Position::line);
                let found = format!("`{text}` in column `{}`", columns[i]);
                let expected = "a number, or nothing";
                return Err(Error::input(line_location(results, line), found, expected));
            }
        }
        let values = record.iter().map(|text| text.to_string().into());
        rows.push(ResultRow::new(&columns, values));
    }
    if rows.is_empty() {
        let expected = "a row for each combination";
        return Err(Error::input(line_location(results, 1), "no rows", expected));
    }
    Ok(rows)
}

/// Checks whether a text may stand in a column of figures: nothing, a finite number, or a list, which is in JSON.
fn is_figure(text: &str) -> bool {
    text.is_empty() || text.starts_with('[') || text.parse().is_ok_and(f64::is_finite)
}

/// Names the place of an error in the table.
fn line_location(results: &Text, line: u64) -> SourceLocation {
    SourceLocation::line(results.name(), line as usize)
}

/// Makes the error of a table that is no CSV.
fn malformed_table_error(results: &Text, error: &csv::Error) -> Error {
    let line = error.position().map_or(1, csv::Position::line);
    Error::input(line_location(results, line), error.to_string(), EXPECTED)
}
