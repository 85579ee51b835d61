//! `nodeorder list`: what there is, one line each, or one entry with its options.

use clap::builder::{PossibleValue, PossibleValuesParser};

use crate::shared::{layout, output};
use clap::Args;
use nodeorder_base::params::{Fallback, text_before_colon};
use nodeorder_base::{Entry, Error, Opt, SourceLocation};
use nodeorder_network::Context;
use nodeorder_sweep::reference::{self, Table};
use serde_json::{Value, json};

/// List the entries of a table, one line each, or show one entry with its options
#[derive(Debug, Args)]
#[command(after_help = "Example: nodeorder list allocators first-fit")]
pub struct Command {
    /// What to list
    #[arg(value_name = "TABLE", value_parser = table_value_parser())]
    what: String,
    /// Show this entry: its options, their defaults and an example
    name: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Names that tables had in earlier versions, and those that they have now.
const FORMER: [(&str, &str); 1] = [("formats", "traces")];

fn table_value_parser() -> PossibleValuesParser {
    PossibleValuesParser::new(reference::list_tables().iter().map(|table| {
        let former = FORMER
            .iter()
            .filter(|(_, name)| *name == table.name)
            .map(|(former, _)| *former);
        PossibleValue::new(table.name)
            .help(table.about)
            .aliases(former)
    }))
}

impl Command {
    pub fn run(self, _: &Context) -> anyhow::Result<()> {
        let mut tables = reference::list_tables().into_iter();
        let now = FORMER
            .iter()
            .find(|(former, _)| *former == self.what)
            .map(|(_, now)| *now);
        // clap accepts the former name as an alias, but hands on what was typed.
        let what = now.unwrap_or(&self.what);
        let table = tables.find(|table| table.name == what).ok_or_else(|| {
            let location = SourceLocation::option(&self.what);
            Error::unknown(location, "table", &self.what, [])
        })?;
        let width = layout::output_width();
        let Some(name) = self.name else {
            if self.json {
                let entries = table.entries.iter().map(|entry| entry_json(&table, entry));
                return output::write_json(None, &entries.collect());
            }
            return output::write_text(None, list_entries(&table, width));
        };
        let found = table
            .entries
            .iter()
            // A whole text such as `first-fit:8`, as it stands in a script, finds its entry too.
            .find(|entry| entry.name == text_before_colon(&name));
        let entry = found.ok_or_else(|| {
            let known = table.entries.iter().map(|entry| entry.name);
            Error::unknown(
                SourceLocation::option(&name),
                table.noun,
                text_before_colon(&name),
                known,
            )
        })?;
        if self.json {
            return output::write_json(None, &entry_json(&table, entry));
        }
        output::write_text(None, describe_entry(&table, entry, width))
    }
}

/// Lists the entries of a table, those from the papers last; below a heading where people read them.
fn list_entries(table: &Table, width: Option<usize>) -> String {
    let [chosen, papers] = table.split_by_origin().map(|group| {
        group
            .iter()
            .map(|e| [e.name.into(), e.about.into(), table.example_usage(e)])
            .collect::<Vec<_>>()
    });
    // Programs that read a pipe get a line for each entry and nothing else.
    if papers.is_empty() || width.is_none() {
        return lay_out_columns(&[chosen, papers].concat(), width);
    }
    format!(
        "{}\nFrom the papers:\n{}",
        lay_out_columns(&chosen, width),
        lay_out_columns(&papers, width)
    )
}

fn entry_json(table: &Table, entry: &Entry<()>) -> Value {
    let option = |option: &Opt| {
        let default = match option.default {
            Fallback::Required => Value::Null,
            Fallback::Value(text) | Fallback::Computed(text) => text.into(),
        };
        json!({
            "key": option.key,
            "values": option.values.to_string(),
            "default": default,
            "about": option.about,
            "positional": option.positional,
            "required": option.default == Fallback::Required,
            "only_with": Some(option.only_with).filter(|text| !text.is_empty()),
        })
    };
    json!({
        "name": entry.name,
        "about": entry.about,
        "example": table.example_usage(entry),
        "from_papers": table.is_from_papers(entry),
        "usage": entry.describe_usage(table.separator),
        "options": entry.options.iter().map(option).collect::<Vec<_>>(),
    })
}

/// Describes one entry: how it is written, what it is, its options, an example.
fn describe_entry(table: &Table, entry: &Entry<()>, width: Option<usize>) -> String {
    let wrap = |text: &str, indent: usize| {
        let lines = match width {
            Some(width) => layout::wrap_text(text, width.saturating_sub(indent)),
            None => vec![text.to_string()],
        };
        let pad = " ".repeat(indent);
        lines
            .iter()
            .map(|line| format!("{pad}{line}\n"))
            .collect::<String>()
    };
    let mut text = wrap(&entry.describe_usage(table.separator), 0) + &wrap(entry.about, 4);
    for (title, options) in [("Options", entry.options), ("Options of all", table.common)] {
        if options.is_empty() {
            continue;
        }
        text += &format!("\n{title}:\n");
        for [key, values, default, about] in reference::list_option_rows(options) {
            let default = match default.as_str() {
                "required" => default,
                _ => format!("default: {default}"),
            };
            text += &format!("  {key}\n{}", wrap(&about, 6));
            text += &wrap(&format!("{values} [{default}]"), 6);
        }
    }
    text + "\n" + &wrap(&format!("Example: {}", table.example_usage(entry)), 0)
}

/// Lays out a line for each entry, in columns; where these are too narrow, the description stands below.
fn lay_out_columns(lines: &[[String; 3]], width: Option<usize>) -> String {
    let longest = |column: usize| {
        lines
            .iter()
            .map(|l| l[column].chars().count())
            .max()
            .unwrap_or(0)
    };
    let names = longest(0);
    let examples = longest(2);
    let whole = names + 2 + examples + 2 + longest(1);
    let mut text = String::new();
    for [name, about, example] in lines {
        // All lines in one form: whether columns fit is decided for the widest of them.
        let Some(width) = width.filter(|width| whole > *width) else {
            text += &format!("{name:<names$}  {example:<examples$}  {about}\n");
            continue;
        };
        let head = if name == example {
            name.clone()
        } else {
            format!("{name}  {example}")
        };
        text += &(layout::wrap_text(&head, width).join("\n    ") + "\n");
        for line in layout::wrap_text(about, width.saturating_sub(4)) {
            text += &format!("    {line}\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_fit_any_width() {
        let table = reference::list_tables().swap_remove(0);
        assert_eq!(
            list_entries(&table, None).lines().count(),
            table.entries.len()
        );
        for width in 40..200 {
            let fits = |text: &str| {
                for line in text.lines() {
                    // A single word may be longer than a very narrow terminal.
                    let word = !line.trim().contains(' ');
                    assert!(line.chars().count() <= width || word, "{line}");
                }
            };
            let text = list_entries(&table, Some(width));
            fits(&text);
            assert!(table.entries.iter().all(|entry| text.contains(entry.name)));
            table
                .entries
                .iter()
                .for_each(|entry| fits(&describe_entry(&table, entry, Some(width))));
        }
    }
}
