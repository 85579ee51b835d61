//! `docs/reference.md` and `docs/columns.md` are what the tables of the program say.

use nodeorder_base::Opt;
use nodeorder_sweep::reference::{list_option_rows, list_tables};

mod columns;
pub mod options;

/// Holds a file of `docs/` to the text that the program makes.
fn check(file: &str, text: &str) {
    let path = crate::root().join("docs").join(file);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let (mut old, mut new) = (kept.lines(), text.lines());
    for line in 1.. {
        let pair = (old.next(), new.next());
        assert_eq!(
            pair.0, pair.1,
            "docs/{file}:{line} (left) is not what the tables say (right): UPDATE_DOCS=1 cargo test --test all \
             reference:: writes it anew; read the difference before you commit it"
        );
        if pair == (None, None) {
            break;
        }
    }
    assert_eq!(kept, text);
}

#[test]
fn the_reference_is_up_to_date() {
    check("reference.md", &(markdown() + &options::markdown()));
}

#[test]
fn the_columns_are_up_to_date() {
    check("columns.md", &columns::markdown());
}

#[test]
fn every_table_is_in_the_reference() {
    let text = markdown();
    for table in list_tables() {
        assert!(!table.entries.is_empty() && text.contains(&format!("\n## {}\n", table.name)));
        for entry in &table.entries {
            let heading = format!("\n### `{}`\n", entry.describe_usage(table.separator));
            assert!(text.contains(&heading), "{heading}");
            assert!(
                table.example_usage(entry).ends_with(entry.example),
                "{}",
                entry.name
            );
        }
    }
}

/// Entries from the papers come last in their tables, and are accepted by name as all others.
#[test]
fn entries_from_papers_come_last() {
    let mut found = 0;
    for table in list_tables() {
        let [chosen, papers] = table.split_by_origin();
        assert!(!chosen.is_empty() && chosen.iter().all(|entry| !table.is_from_papers(entry)));
        assert!(papers.iter().all(|entry| table.is_from_papers(entry)));
        found += papers.len();
    }
    // As many as src/sweep/reference.rs lists: each names an entry.
    assert_eq!(found, 21);
}

/// Every table as Markdown: the text of `docs/reference.md`.
fn markdown() -> String {
    let mut text = String::from(
        "# Reference\n\nEvery name that the command takes, with its options. `nodeorder list TABLE` prints a table, \
         `nodeorder list TABLE NAME` one entry. This file is generated; a test compares it with the program.\n",
    );
    for table in list_tables() {
        text += &format!("\n## {}\n\n{}.\n", table.name, table.about);
        if !table.common.is_empty() {
            text += &format!("\nEvery {} also takes:\n\n", table.noun);
            text += &option_rows(table.common);
        }
        let [_, papers] = table.split_by_origin();
        for entry in &table.entries {
            if papers.first().is_some_and(|first| first.name == entry.name) {
                text += "\nThe rest is from the papers: it repeats what they report.\n";
            }
            text += &format!("\n### `{}`\n\n", entry.describe_usage(table.separator));
            text += &format!(
                "{}. Example: `{}`\n",
                cell(entry.about.strip_suffix('.').unwrap_or(entry.about)),
                table.example_usage(entry)
            );
            if !entry.options.is_empty() {
                text += &format!("\n{}", option_rows(entry.options));
            }
        }
    }
    text
}

fn option_rows(options: &[Opt]) -> String {
    let mut text = "| Option | Values | Default | Meaning |\n|---|---|---|---|\n".to_string();
    for [key, values, default, about] in list_option_rows(options) {
        let row = [
            format!("`{key}`"),
            cell(&values),
            cell(&default),
            cell(&about),
        ];
        text += &format!("| {} |\n", row.join(" | "));
    }
    text
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
