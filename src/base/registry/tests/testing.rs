//! Rules for the entries of every table, as tests.

use std::collections::BTreeSet;

use super::{Entry, Registry};
use crate::error::Result;
use crate::params::{Params, text_before_colon};

/// Checks a table: names and keys are distinct; every example names its entry and parses; every declared
/// option is read, since a value of it that no getter takes is refused. Options read only beside another are
/// tried with the entry's example.
///
/// # Panics
/// An entry that breaks a rule.
pub fn check_table<P>(
    table: &Registry<P>,
    mut parse: impl FnMut(&Entry<P>, &Params) -> Result<()>,
) {
    check_names(table);
    for entry in table.iter() {
        for example in example_texts(table, entry) {
            let params = table.read_options(entry, &example, 1).unwrap();
            parse(entry, &params).unwrap_or_else(|error| panic!("{example}: {error}"));
        }
        for option in entry.options {
            let example = example_with(table, entry, option.only_with);
            let mut params = table.read_options(entry, &example, 1).unwrap();
            params.spoil_value(option.key);
            let key = option.key;
            assert!(parse(entry, &params).is_err(), "{example} reads {key}");
        }
    }
}

/// Names and keys are distinct, examples name their entry, stated defaults are among the choices.
fn check_names<P>(table: &Registry<P>) {
    let names: BTreeSet<&str> = table.names().collect();
    assert_eq!(
        names.len(),
        table.entries.len(),
        "{} names are distinct",
        table.noun
    );
    for entry in table.iter() {
        let about = format!("{} {}", table.noun, entry.name);
        assert_eq!(text_before_colon(entry.example), entry.name, "{about}");
        assert!(
            !entry.about.is_empty() && !entry.about.ends_with('.'),
            "{about}"
        );
        let keys: BTreeSet<&str> = entry.options.iter().map(|option| option.key).collect();
        assert_eq!(
            keys.len(),
            entry.options.len(),
            "{about}: keys are distinct"
        );
        for option in entry.options {
            assert!(!option.about.is_empty(), "{about}: {}", option.key);
            let params = table.read_options(entry, entry.name, 1).unwrap();
            if !option.choices().is_empty() {
                params.optional_choice(option.key).unwrap();
            }
        }
    }
}

/// Returns the entry's example, and the example with each setting beside which some option is read.
fn example_texts<P>(table: &Registry<P>, entry: &Entry<P>) -> Vec<String> {
    let settings = entry.options.iter().map(|option| option.only_with);
    let with = settings
        .filter(|setting| !setting.is_empty())
        .map(|setting| example_with(table, entry, setting));
    std::iter::once(entry.example.to_string())
        .chain(with)
        .collect()
}

fn example_with<P>(table: &Registry<P>, entry: &Entry<P>, setting: &str) -> String {
    if setting.is_empty() {
        return entry.example.to_string();
    }
    let mark = if entry.example.contains(':') {
        table.separator
    } else {
        ':'
    };
    format!("{}{mark}{setting}", entry.example)
}
