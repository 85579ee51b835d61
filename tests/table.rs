//! Tables in CSV by the names of their columns, so that a new column moves nothing.

/// The fields `names` of each row, between commas. Fields must not hold commas.
pub fn fields(csv: &str, names: &[&str]) -> Vec<String> {
    let mut lines = csv.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let at = names.iter().map(|name| {
        let found = header.iter().position(|column| column == name);
        found.unwrap_or_else(|| panic!("no column `{name}` among {header:?}"))
    });
    let at: Vec<usize> = at.collect();
    let row = |line: &str| {
        let row: Vec<&str> = line.split(',').collect();
        at.iter().map(|at| row[*at]).collect::<Vec<_>>().join(",")
    };
    lines.map(row).collect()
}
