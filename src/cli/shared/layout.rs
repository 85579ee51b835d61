//! Text that fits the terminal: wrapped lines, labelled fields, tables with as many columns as there is room for.

use std::io::{self, IsTerminal, Write};

use comfy_table::{ColumnConstraint, ContentArrangement, Table};

/// Counts the columns of the terminal `to`, or `COLUMNS` where that is set. `None` for files and pipes.
fn width_of(to: &impl IsTerminal) -> Option<usize> {
    let asked = std::env::var("COLUMNS")
        .ok()
        .and_then(|text| text.parse::<usize>().ok());
    // `COLUMNS` wins, as in most tools: it also asks for a width in files and pipes, where else lines are not cut.
    asked.filter(|n| *n > 0).or_else(|| {
        to.is_terminal()
            .then(terminal_size::terminal_size)
            .flatten()
            .map(|(width, _)| usize::from(width.0))
    })
}

/// Counts the columns of standard output. `None` if it is no terminal.
pub fn output_width() -> Option<usize> {
    width_of(&io::stdout())
}

/// Wraps `text` into lines of at most `width` characters where its words allow.
pub fn wrap_text(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    let mut used = 0;
    for word in text.split(' ') {
        // Characters, not bytes: names of machines may have accents.
        let length = word.chars().count();
        if used > 0 && used + 1 + length > width {
            lines.push(String::new());
            used = 0;
        }
        if let Some(line) = lines.last_mut() {
            if used > 0 {
                line.push(' ');
                used += 1;
            }
            line.push_str(word);
            used += length;
        }
    }
    lines
}

/// Prints a sentence, wrapped.
pub fn print_sentence(out: &mut impl Write, text: &str) -> io::Result<()> {
    match output_width() {
        None => writeln!(out, "{text}"),
        Some(width) => wrap_text(text, width)
            .iter()
            .try_for_each(|line| writeln!(out, "{line}")),
    }
}

/// Prints a name padded to `column`, then its text; further lines are indented to match.
pub fn print_field(out: &mut impl Write, column: usize, name: &str, text: &str) -> io::Result<()> {
    // At least 16 columns for the text: on a very narrow terminal long lines read better than a word a line.
    let room = output_width().map_or(usize::MAX, |width| width.saturating_sub(column + 1).max(16));
    for (i, line) in wrap_text(text, room).iter().enumerate() {
        writeln!(out, "{:<column$} {line}", if i == 0 { name } else { "" })?;
    }
    Ok(())
}

/// Renders a table so that it fits the terminal. Where it is too wide, columns from `first` on are left out at even
/// intervals, and a last line says how many; if that is not enough, cells are wrapped.
pub fn fit_to_terminal(table: Table, first: usize, to: &impl IsTerminal) -> String {
    fitted_to(table, first, width_of(to))
}

fn fitted_to(mut table: Table, first: usize, width: Option<usize>) -> String {
    let Some(width) = width else {
        // Whoever reads a file or a pipe gets all columns.
        return table.trim_fmt();
    };
    // A cell has a blank on either side.
    let widths: Vec<usize> = table
        .column_max_content_widths()
        .iter()
        .map(|w| usize::from(*w) + 2)
        .collect();
    let (fixed, rest) = widths.split_at(first.min(widths.len()));
    let room = width.saturating_sub(fixed.iter().sum());
    // Evenly spread, the last among them.
    let kept = |count: usize| -> Vec<usize> {
        (1..=count)
            .map(|i| (i * rest.len()).div_ceil(count) - 1)
            .collect()
    };
    // From all columns downwards, the first number that fits. Columns differ in width, so it cannot be divided out.
    let count = (0..=rest.len())
        .rev()
        .find(|count| kept(*count).iter().map(|i| rest[*i]).sum::<usize>() <= room)
        .unwrap_or(0);
    let shown = kept(count);
    for (i, column) in table.column_iter_mut().skip(first).enumerate() {
        if !shown.contains(&i) {
            column.set_constraint(ColumnConstraint::Hidden);
        }
    }
    // Wrapped cells are hard to compare by eye: only where even the fixed columns are too wide.
    if fixed.iter().sum::<usize>() > width {
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(width.max(20) as u16);
    }
    let mut text = table.trim_fmt();
    let hidden = rest.len() - count;
    if hidden > 0 {
        let columns = if hidden == 1 {
            "1 column more".into()
        } else {
            format!("{hidden} columns more")
        };
        for line in wrap_text(
            &format!("({columns} in a wider terminal, or with --json)"),
            width,
        ) {
            text += &format!("\n{line}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_as_wide_as_they_may_be() {
        assert_eq!(wrap_text("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap_text("one two three", 6), ["one", "two", "three"]);
        assert_eq!(wrap_text("extraordinary é x", 3), ["extraordinary", "é x"]);
        assert_eq!(wrap_text("", 3), [""]);
    }

    #[test]
    fn tables_fit_any_width() {
        let made = || {
            let header = ["#", "ordering", "mean", "S=2", "S=4", "S=8", "S=16"];
            let row = [
                "1",
                "hierarchical:scatter=true",
                "12.345",
                "1.00",
                "2.00",
                "3.00",
                "4.00",
            ];
            let text = |row: [&str; 7]| row.map(String::from).to_vec();
            let mut table = Table::new();
            table.load_style(comfy_table::presets::NOTHING);
            table.set_header(text(header));
            table.add_row(text(row));
            table
        };
        let whole = fitted_to(made(), 3, None);
        assert!(whole.contains("S=8") && whole.lines().count() == 2);
        for width in 24..120 {
            let text = fitted_to(made(), 3, Some(width));
            let longest = text.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(longest <= width, "{longest} of {width}\n{text}");
            let shown = ["S=2", "S=4", "S=8", "S=16"]
                .iter()
                .filter(|s| text.contains(**s))
                .count();
            assert_eq!(shown < 4, text.contains("more"), "{text}");
        }
        let narrow = fitted_to(made(), 3, Some(54));
        assert!(
            narrow.contains("S=16") && narrow.contains("12.345"),
            "{narrow}"
        );
    }
}
