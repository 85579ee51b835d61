//! Tables of named entries: one helper for all of them.
//!
//! A table ([`Registry`]) holds entries ([`Entry`]) that a text such as `first-fit:8` or `torus:8x8,per_router=2` chooses
//! from: topologies, orderings, allocators and so on. What an entry builds differs from table to table (`B`); its
//! name, description, example and options do not, nor do the errors about names that no entry has.

use crate::error::{Error, Result, SourceLocation};
use crate::params::{Opt, Params, head, usage};

/// An entry of a table.
#[derive(Clone, Copy, Debug)]
pub struct Entry<B> {
    /// Name: the text before the colon.
    pub name: &'static str,
    /// One line for lists.
    pub about: &'static str,
    /// A use that works where the entry suits.
    pub example: &'static str,
    /// Options: the text after the colon.
    pub options: &'static [Opt],
    /// Constructor.
    pub build: B,
}

impl<B> Entry<B> {
    /// An entry without options, whose name alone is a use that works.
    pub const fn plain(name: &'static str, about: &'static str, build: B) -> Self {
        Entry::new(name, about, &[], build)
    }

    /// An entry whose name alone is a use that works.
    pub const fn new(
        name: &'static str,
        about: &'static str,
        options: &'static [Opt],
        build: B,
    ) -> Self {
        Entry {
            name,
            about,
            example: name,
            options,
            build,
        }
    }

    /// The entry without its constructor, for lists and references.
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
            build: (),
        }
    }

    /// `name:FIRST[,key=…]`, with `separator` for the comma.
    pub fn usage(&self, separator: char) -> String {
        usage(
            self.name,
            separator,
            &self.options.iter().collect::<Vec<_>>(),
        )
    }
}

/// A table of entries.
pub struct Registry<B: 'static> {
    /// Name of an entry in messages, such as `policy`.
    pub noun: &'static str,
    /// The option of the command that chooses an entry, as in `--policy`; empty where there are several.
    pub flag: &'static str,
    /// Separator of the options of an entry, besides the comma.
    pub separator: char,
    /// The entries, in the order of lists.
    pub entries: &'static [Entry<B>],
    /// Names of entries that are gone, each with the name of the entry to use in its place.
    pub replaced: &'static [(&'static str, &'static str)],
}

impl<B> Registry<B> {
    /// A table whose options stand apart by commas.
    pub const fn new(noun: &'static str, flag: &'static str, entries: &'static [Entry<B>]) -> Self {
        Registry {
            noun,
            flag,
            separator: ',',
            entries,
            replaced: &[],
        }
    }

    /// Returns the table with names that are gone: the error about such a name gives the second one.
    pub const fn replacing(
        mut self,
        replaced: &'static [(&'static str, &'static str)],
    ) -> Self {
        self.replaced = replaced;
        self
    }

    /// The table with another separator.
    pub const fn separated_by(mut self, separator: char) -> Self {
        self.separator = separator;
        self
    }

    /// The entries, in the order of lists.
    pub fn iter(&self) -> std::slice::Iter<'static, Entry<B>> {
        self.entries.iter()
    }

    /// The names, in the order of lists.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<B> {
        self.entries.iter().map(|entry| entry.name)
    }

    /// The entry whose name `text` begins with, options aside.
    pub fn get(&self, text: &str) -> Option<&'static Entry<B>> {
        self.entries.iter().find(|entry| entry.name == head(text))
    }

    /// The entry whose name `text` begins with.
    ///
    /// # Errors
    /// There is none: with the nearest name suggested.
    pub fn find(&self, text: &str) -> Result<&'static Entry<B>> {
        self.find_at(text, || self.location(text))
    }

    /// As [`Registry::find`], for a text that stands at `location`. Errors: as [`Registry::find`], with that location.
    pub fn find_at(
        &self,
        text: &str,
        location: impl FnOnce() -> SourceLocation,
    ) -> Result<&'static Entry<B>> {
        if let Some(entry) = self.get(text) {
            return Ok(entry);
        }
        let name = head(text);
        if let Some((_, instead)) = self.replaced.iter().find(|(gone, _)| *gone == name) {
            let found = format!("the {} `{name}`, which is gone", self.noun);
            return Err(Error::input(location(), found, format!("`{instead}`")));
        }
        Err(Error::unknown(location(), self.noun, name, self.names()))
    }

    /// The entry that `text` names, and the options that `text` gives it.
    ///
    /// # Errors
    /// No such entry; options that cannot be read.
    pub fn read(&self, text: &str, seed: u64) -> Result<(&'static Entry<B>, Params)> {
        let entry = self.find(text)?;
        Ok((entry, self.params(entry, text, seed)?))
    }

    /// The options that `text` gives `entry`.
    ///
    /// # Errors
    /// Options that cannot be read.
    pub fn params(&self, entry: &Entry<B>, text: &str, seed: u64) -> Result<Params> {
        Params::inline(text, self.separator, entry.options, seed)
    }

    /// The error of a text that names no entry and no file either, where `or` would do.
    pub fn neither(&self, text: &str, or: &str) -> Error {
        let mut error = Error::unknown(self.location(text), self.noun, head(text), self.names());
        if let Error::Input {
            found, expected, ..
        } = &mut error
        {
            found.push_str(" and no such file");
            expected.push_str(&format!(", or {or}"));
        }
        error
    }

    fn location(&self, text: &str) -> SourceLocation {
        match self.flag {
            "" => SourceLocation::option(text),
            flag => SourceLocation::option(format!("{flag} {text}")),
        }
    }
}

impl<B> IntoIterator for &Registry<B> {
    type Item = &'static Entry<B>;
    type IntoIter = std::slice::Iter<'static, Entry<B>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Rules for the entries of every table, as tests.
#[doc(hidden)]
pub mod testing {
    use super::*;
    use std::collections::BTreeSet;

    /// Names are distinct; every example names its entry, builds, and asks for the options that are declared and no
    /// others (a getter itself refuses those that are not). Options read only beside another are asked for with it.
    pub fn check<B>(table: &Registry<B>, mut build: impl FnMut(&Entry<B>, &Params) -> Result<()>) {
        let names: BTreeSet<&str> = table.names().collect();
        assert_eq!(
            names.len(),
            table.entries.len(),
            "{} names are distinct",
            table.noun
        );
        for entry in table {
            let about = format!("{} {}", table.noun, entry.name);
            assert_eq!(head(entry.example), entry.name, "{about}");
            assert!(
                !entry.about.is_empty() && !entry.about.ends_with('.'),
                "{about}"
            );
            let mut examples = vec![entry.example.to_string()];
            for option in entry
                .options
                .iter()
                .filter(|option| !option.only_with.is_empty())
            {
                let mark = if entry.example.contains(':') {
                    table.separator
                } else {
                    ':'
                };
                examples.push(format!("{}{mark}{}", entry.example, option.only_with));
            }
            let mut asked = BTreeSet::new();
            for example in examples {
                let params = table.params(entry, &example, 1).unwrap();
                build(entry, &params).unwrap_or_else(|error| panic!("{example}: {error}"));
                params.finish().unwrap();
                asked.extend(params.asked());
            }
            let declared: BTreeSet<&str> = entry.options.iter().map(|option| option.key).collect();
            assert_eq!(
                declared.len(),
                entry.options.len(),
                "{about}: keys are distinct"
            );
            assert_eq!(asked, declared, "{about} asks for what it declares");
            for option in entry.options {
                assert!(!option.about.is_empty(), "{about}: {}", option.key);
                let params = table.params(entry, entry.name, 1).unwrap();
                // A stated choice is one of the choices.
                if !option.choices().is_empty() {
                    params.chosen(option.key).unwrap();
                }
            }
        }
    }
}

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
                build: |n| n,
            },
        ],
        replaced: &[("twice", "double")],
    };

    #[test]
    fn entries_are_found_by_the_head_of_a_text() {
        assert_eq!((TABLE.find("double").unwrap().build)(4), 8);
        let (entry, params) = TABLE.read("add:7", 1).unwrap();
        assert_eq!((entry.name, params.whole("by", 0, 9).unwrap()), ("add", 7));
        assert_eq!(entry.usage(','), "add:BY");
        assert!(TABLE.get("add7").is_none());
    }

    #[test]
    fn unknown_names_get_a_suggestion() {
        let error = |text: &str| TABLE.find(text).map(|_| ()).unwrap_err().to_string();
        let expected = "`--step dubble:3`: found unknown step `dubble`; expected one of double, add (did you mean \
             `double`?)";
        assert_eq!(error("dubble:3"), expected);
        let expected = "`--step twice:3`: found the step `twice`, which is gone; expected `double`";
        assert_eq!(error("twice:3"), expected);
        let neither = TABLE.neither("x", "a file of steps").to_string();
        assert!(neither.contains("`x` and no such file; expected one of double, add, or a file"));
    }
}
