//! The table of a sweep's results, read from its file.

use crate::columns::sweep::ResultRow;
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_base::input::Text;

/// The rows of a table of results. Errors: no table of a sweep, with file and line.
pub(super) fn read(results: &Text) -> Result<Vec<ResultRow>> {
    let location = |line: u64| SourceLocation::line(results.name(), line as usize);
    let mut reader = csv::Reader::from_reader(results.as_str().as_bytes());
    let wrong = |e: csv::Error| {
        let line = e.position().map_or(1, csv::Position::line);
        Error::input(
            location(line),
            e.to_string(),
            "a table of a sweep's results",
        )
    };
    let columns: Vec<String> = reader
        .headers()
        .map_err(wrong)?
        .iter()
        .map(str::to_string)
        .collect();
    for column in ["topology", "ordering", "seed", "group", "note"] {
        if !columns.iter().any(|c| c == column) {
            let found = format!("no column `{column}`");
            return Err(Error::input(
                location(1),
                found,
                "a table of a sweep's results",
            ));
        }
    }
    // Figures stand between `group` and `note`; a list of figures is in JSON.
    let end = |name: &str| {
        columns
            .iter()
            .position(|column| column == name)
            .unwrap_or(0)
    };
    let figures = end("group") + 1..end("note");
    let is_figure = |text: &str| {
        text.is_empty() || text.starts_with('[') || text.parse().is_ok_and(f64::is_finite)
    };
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(wrong)?;
        let cells = record.iter().zip(&columns).enumerate();
        let mut cells = cells
            .filter(|(i, _)| figures.contains(i))
            .map(|(_, cell)| cell);
        if let Some((text, column)) = cells.find(|(text, _)| !is_figure(text)) {
            let line = record.position().map_or(1, csv::Position::line);
            let found = format!("`{text}` in column `{column}`");
            return Err(Error::input(location(line), found, "a number, or nothing"));
        }
        rows.push(ResultRow::new(
            &columns,
            record.iter().map(|text| text.to_string().into()),
        ));
    }
    if rows.is_empty() {
        return Err(Error::input(
            location(1),
            "no rows",
            "a row for each combination",
        ));
    }
    Ok(rows)
}
