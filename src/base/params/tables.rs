//! TOML files of repeated tables, as in `[[jobs]]`: keys and lists of tables, to any depth.

use std::path::Path;
use std::sync::Arc;

use toml::de::{DeTable, DeValue};

use super::value::{Value, from_toml};
use super::{Given, Params};
use crate::error::{Error, Result, SourceLocation};
use crate::input::Text;

/// A TOML table: its plain keys, and its lists of tables.
#[derive(Debug)]
pub struct Tables {
    /// The plain keys.
    pub params: Params,
    /// The lists of tables: key, location of the first table, tables.
    pub(super) lists: Vec<(String, SourceLocation, Vec<Tables>)>,
}

impl Tables {
    /// Reads a TOML text that is always of one kind, named here and nowhere in it.
    ///
    /// # Errors
    /// Bad TOML, dates and single tables as values: with file and line.
    pub fn read(kind: &str, text: &Text, base: Option<&Path>, default_seed: u64) -> Result<Self> {
        let (file, line_of): (Arc<str>, _) = (text.name().into(), text.line_finder());
        let at = |offset| SourceLocation::Line {
            file: file.clone(),
            line: line_of(offset),
        };
        let parsed = Params::parse_toml_tree(text)?;
        let new = |location| Params::new(kind, location, base, default_seed);
        fill_tables(parsed.get_ref(), text.location(), &new, &at)
    }

    /// Takes the tables of the list `key` out, with the location of its first one; no tables where it is not
    /// given or empty.
    pub fn take_list(&mut self, key: &'static str) -> (SourceLocation, Vec<Tables>) {
        match self.lists.iter().position(|(name, ..)| name == key) {
            Some(i) => {
                let (_, location, tables) = self.lists.remove(i);
                (location, tables)
            }
            None => (self.params.location_of(key), Vec::new()),
        }
    }

    /// Refuses plain keys other than `keys` and lists other than `lists`, of which an empty one may be given.
    ///
    /// # Errors
    /// The first such key or list.
    pub fn check_keys(&self, keys: &[&str], lists: &[&str]) -> Result<()> {
        // `jobs = []` is a plain key to TOML, and a list without tables to us.
        let empty = |list: &&str| matches!(self.params.given_value(list), Some(Value::List(items)) if items.is_empty());
        let plain = keys.iter().chain(lists.iter().filter(|list| empty(list)));
        self.params.check_keys(plain.copied())?;
        let unknown = self
            .lists
            .iter()
            .find(|(key, ..)| !lists.contains(&key.as_str()));
        let Some((key, location, _)) = unknown else {
            return Ok(());
        };
        let known = keys.iter().chain(lists).copied();
        let what = format!("key for {}", self.params.kind());
        Err(Error::unknown(location.clone(), &what, key, known))
    }
}

fn fill_tables(
    table: &DeTable<'_>,
    location: SourceLocation,
    new: &impl Fn(SourceLocation) -> Params,
    at: &impl Fn(usize) -> SourceLocation,
) -> Result<Tables> {
    let mut filled = Tables {
        params: new(location),
        lists: Vec::new(),
    };
    // The parser sorts by key: put the entries back into the order of the file, for messages.
    let mut items: Vec<_> = table.iter().collect();
    items.sort_by_key(|(key, _)| key.span().start);
    for (key, value) in items {
        let name = key.get_ref().to_string();
        let here = at(value.span().start);
        match value.get_ref() {
            // The first element decides what a list is meant to be; one of tables and others is refused below.
            DeValue::Array(items)
                if matches!(items.first().map(|i| i.get_ref()), Some(DeValue::Table(_))) =>
            {
                let mut tables = Vec::new();
                for item in items.iter() {
                    let location = at(item.span().start);
                    let DeValue::Table(inner) = item.get_ref() else {
                        let found = format!("a {} among tables", item.get_ref().type_str());
                        return Err(Error::input(location, found, "tables only"));
                    };
                    tables.push(fill_tables(inner, location, new, at)?);
                }
                let first = tables.first().map_or(here, |t| t.params.location().clone());
                filled.lists.push((name, first, tables));
            }
            value => {
                filled.params.push_value(Given {
                    key: name,
                    key_location: at(key.span().start),
                    value: from_toml(value, &here, at)?,
                    location: here,
                })?;
            }
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Tables> {
        Tables::read("jobs", &Text::new("j.toml", text), None, 1)
    }

    #[test]
    fn lists_of_tables_keep_their_lines() {
        let mut all =
            read("a = 1\n[[jobs]]\nb = 2\n[[jobs]]\nc = 3\n[[jobs.phases]]\nd = 4\n").unwrap();
        let (location, mut jobs) = all.take_list("jobs");
        assert_eq!((location.to_string().as_str(), jobs.len()), ("j.toml:2", 2));
        assert_eq!(jobs[1].params.location().to_string(), "j.toml:4");
        let (_, phases) = jobs[1].take_list("phases");
        assert_eq!(phases[0].params.required_integer("d", 0, 9).unwrap(), 4);
        let error = jobs[0]
            .check_keys(&["c"], &["phases"])
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("j.toml:3: unknown key for jobs `b`"),
            "{error}"
        );
    }

    #[test]
    fn lists_that_nobody_takes_are_refused() {
        let error = read("[[jbs]]\na = 1\n")
            .unwrap()
            .check_keys(&[], &["jobs"])
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("j.toml:1: unknown key") && error.contains("`jobs`"),
            "{error}"
        );
        assert!(read("jobs = [{a = 1}, 2]\n").is_err());
        assert!(read("[jobs]\na = 1\n").is_err());
    }
}
