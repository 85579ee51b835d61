//! Tables of named entries: one helper for all of them.
//!
//! A table ([`Registry`]) holds entries ([`Entry`]) that a text such as `first-fit:8` or `torus:8x8,per_router=2`
//! chooses from: topologies, orderings, allocators and so on. How its options are read differs from table to table
//! (`P`); its name, description, example and options do not, nor do the errors about names that no entry has.

use crate::error::{Error, Result, SourceLocation};
use crate::params::{Opt, Params, describe_usage, text_before_colon};

/// An entry of a table.
#[derive(Clone, Copy, Debug)]
pub struct Entry<P> {
    /// Name: the text before the colon.
    pub name: &'static str,
    /// One line for lists.
    pub about: &'static str,
    /// A use that works where the entry suits.
    pub example: &'static str,
    /// Options: the text after the colon.
    pub options: &'static [Opt],
    /// Reads and checks the options of the entry, and gives what they make. It takes no time and reads no file.
    pub parse: P,
}

impl<P> Entry<P> {
    /// Describes an entry without options, whose name alone is a use that works.
    pub const fn plain(name: &'static str, about: &'static str, parse: P) -> Self {
        Entry::new(name, about, &[], parse)
    }

    /// Describes an entry whose name alone is a use that works.
    pub const fn new(
        name: &'static str,
        about: &'static str,
        options: &'static [Opt],
        parse: P,
    ) -> Self {
        Entry {
            name,
            about,
            example: name,
            options,
            parse,
        }
    }

    /// Copies the entry without its parser, for lists and references.
    pub fn description(&self) -> Entry<()> {
        let Entry {
            name,
            about,
            example,
            options,
            ..
        } = *self;
        Entry {
            name,
            about,
            example,
            options,
            parse: (),
        }
    }

    /// Shows how the entry is written: `name:FIRST[,key=…]`, with `separator` for the comma.
    pub fn describe_usage(&self, separator: char) -> String {
        describe_usage(
            self.name,
            separator,
            &self.options.iter().collect::<Vec<_>>(),
        )
    }
}

/// A table of entries.
pub struct Registry<P: 'static> {
    /// Name of an entry in messages, such as `policy`.
    pub noun: &'static str,
    /// The option of the command that chooses an entry, as in `--policy`; empty where there are several.
    pub flag: &'static str,
    /// Separator of the options of an entry, besides the comma.
    pub separator: char,
    /// The entries, in the order of lists.
    pub entries: &'static [Entry<P>],
    /// Names of entries that are gone, each with the name of the entry to use in its place.
    pub replaced: &'static [(&'static str, &'static str)],
}

impl<P> Registry<P> {
    /// Makes a table whose options stand apart by commas.
    pub const fn new(noun: &'static str, flag: &'static str, entries: &'static [Entry<P>]) -> Self {
        Registry {
            noun,
            flag,
            separator: ',',
            entries,
            replaced: &[],
        }
    }

    /// Iterates over the entries, in the order of lists.
    pub fn iter(&self) -> std::slice::Iter<'static, Entry<P>> {
        self.entries.iter()
    }

    /// Lists the names, in the order of lists.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<P> {
        self.entries.iter().map(|entry| entry.name)
    }

    /// Looks up the entry whose name `text` begins with, options aside. `None` if there is none.
    pub fn get(&self, text: &str) -> Option<&'static Entry<P>> {
        self.entries
            .iter()
            .find(|entry| entry.name == text_before_colon(text))
    }

    /// Finds the entry whose name `text` begins with.
    ///
    /// # Errors
    /// There is none: with the nearest name suggested.
    pub fn find(&self, text: &str) -> Result<&'static Entry<P>> {
        self.find_at(text, || self.option_location(text))
    }

    /// Finds the entry as [`Registry::find`] does, for a text that stands at `location`. Errors: as
    /// [`Registry::find`], with that location.
    pub fn find_at(
        &self,
        text: &str,
        location: impl FnOnce() -> SourceLocation,
    ) -> Result<&'static Entry<P>> {
        if let Some(entry) = self.get(text) {
            return Ok(entry);
        }
        let name = text_before_colon(text);
        // Before the nearest spelling, which may be another thing altogether.
        if let Some((_, instead)) = self.replaced.iter().find(|(gone, _)| *gone == name) {
            let found = format!("the {} `{name}`, which is gone", self.noun);
            return Err(Error::input(location(), found, format!("`{instead}`")));
        }
        Err(Error::unknown(location(), self.noun, name, self.names()))
    }

    /// Finds the entry that `text` names, and reads the options that `text` gives it.
    ///
    /// # Errors
    /// No such entry; options that cannot be read.
    pub fn find_and_read(&self, text: &str, seed: u64) -> Result<(&'static Entry<P>, Params)> {
        let entry = self.find(text)?;
        Ok((entry, self.read_options(entry, text, seed)?))
    }

    /// Reads the options that `text` gives `entry`.
    ///
    /// # Errors
    /// Options that cannot be read.
    pub fn read_options(&self, entry: &Entry<P>, text: &str, seed: u64) -> Result<Params> {
        Params::parse_inline(text, self.separator, entry.options, seed)
    }

    /// Builds the error of a text that names no entry and no file either, where `or` would do.
    pub fn no_entry_error(&self, text: &str, or: &str) -> Error {
        let mut error = Error::unknown(
            self.option_location(text),
            self.noun,
            text_before_colon(text),
            self.names(),
        );
        if let Error::Input {
            found, expected, ..
        } = &mut error
        {
            found.push_str(" and no such file");
            if expected.starts_with("one of") {
                expected.push_str(&format!(", or {or}"));
            }
        }
        error
    }

    fn option_location(&self, text: &str) -> SourceLocation {
        match self.flag {
            // Where several options choose from the table, naming one of them could be wrong.
            "" => SourceLocation::option(text),
            flag => SourceLocation::option(format!("{flag} {text}")),
        }
    }
}

/// Rules for the entries of every table, as tests.
#[doc(hidden)]
#[path = "registry/tests/testing.rs"]
pub mod testing;

#[cfg(test)]
mod tests {
    use super::*;

    static TABLE: Registry<fn(u32) -> u32> = Registry {
        noun: "step",
        flag: "--step",
        separator: ',',
        entries: &[
            Entry::plain("double", "twice", |n| 2 * n),
            Entry {
                name: "add",
                about: "some more",
                example: "add:3",
                options: &[Opt::whole("by", "how many more").positional()],
                parse: |n| n,
            },
        ],
        replaced: &[("twice", "double")],
    };

    #[test]
    fn entries_are_found_by_the_head_of_a_text() {
        assert_eq!((TABLE.find("double").unwrap().parse)(4), 8);
        let (entry, params) = TABLE.find_and_read("add:7", 1).unwrap();
        assert_eq!(
            (entry.name, params.required_integer("by", 0, 9).unwrap()),
            ("add", 7)
        );
        assert_eq!(entry.describe_usage(','), "add:BY");
        assert!(TABLE.get("add7").is_none());
    }

    #[test]
    fn unknown_names_get_a_suggestion() {
        let error = |text: &str| TABLE.find(text).map(|_| ()).unwrap_err().to_string();
        let expected = "`--step dubble:3`: unknown step `dubble`; did you mean `double`?";
        assert_eq!(error("dubble:3"), expected);
        let expected = "`--step twice:3`: found the step `twice`, which is gone; expected `double`";
        assert_eq!(error("twice:3"), expected);
        let neither = TABLE.no_entry_error("x", "a file of steps").to_string();
        assert!(neither.contains("`x` and no such file; expected one of double, add, or a file"));
    }
}
