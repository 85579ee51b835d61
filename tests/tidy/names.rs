//! The public names of the library, read from its facade, which does nothing but hand on.

use std::collections::BTreeSet;

/// Returns the names that `text`, the source of the facade, hands on, by path: `pub use a::{b, c as d};` and
/// `pub mod e { … }`, as rustfmt writes them.
pub fn public(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut modules = vec!["nodeorder".to_string()];
    let mut lines = text.lines().map(str::trim);
    while let Some(line) = lines.next() {
        if let Some(module) = line.strip_prefix("pub mod ") {
            modules.push(module.trim_end_matches(" {").to_string());
        } else if line == "}" {
            modules.pop();
        } else if let Some(first) = line.strip_prefix("pub use ") {
            let mut statement = first.to_string();
            while !statement.ends_with(';') {
                statement += lines.next().expect("a statement ends");
            }
            let path = modules.join("::");
            for name in handed_on(&statement) {
                names.insert(format!("{path}::{name}"));
            }
        }
    }
    names
}

/// Returns the names that a `use` of one path, or of one list at its end, brings in.
fn handed_on(statement: &str) -> Vec<String> {
    let statement = statement.trim_end_matches(';').trim_end_matches('}');
    let (prefix, list) = match statement.split_once('{') {
        Some((prefix, list)) => (prefix.trim_end_matches("::"), list),
        None => statement.rsplit_once("::").expect("a path"),
    };
    let mut names = Vec::new();
    for item in list
        .split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty())
    {
        let name = match item.split_once(" as ") {
            Some((_, name)) => name,
            None if item == "self" => prefix.rsplit("::").next().unwrap(),
            None => item,
        };
        names.push(name.to_string());
    }
    names
}

#[test]
fn names_are_read_from_lists_and_modules() {
    let text = "pub use a::b::{C, d as e,\n    self};\npub use x::Y;\n\npub mod m {\n    pub use z::{W};\n}\n\
                pub use last::L;\n";
    let expected = ["C", "L", "Y", "b", "e", "m::W"].map(|name| format!("nodeorder::{name}"));
    let found: Vec<String> = public(text).into_iter().collect();
    assert_eq!(found, expected);
}
