//! `docs/reference.md` and `docs/columns.md` are what the tables of the program say.

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
    check("reference.md", &nodeorder::reference::markdown());
}

#[test]
fn the_columns_are_up_to_date() {
    check("columns.md", &nodeorder::columns::reference::markdown());
}

#[test]
fn every_table_is_in_the_reference() {
    let text = nodeorder::reference::markdown();
    for table in nodeorder::reference::tables() {
        assert!(!table.entries.is_empty() && text.contains(&format!("\n## {}\n", table.name)));
        for entry in &table.entries {
            let heading = format!("\n### `{}`\n", entry.usage(table.separator));
            assert!(text.contains(&heading), "{heading}");
            assert!(table.example(entry).ends_with(entry.example), "{}", entry.name);
        }
    }
}
