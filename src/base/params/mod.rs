//! Named parameters: `kind:first,key=value,…` on the command line, `key = value` in TOML, one reader for both.
//!
//! An entry of a table declares its options ([`Opt`]); a key that is not declared is refused as soon as the text is
//! read. The entry's parser then reads the values by typed getters, each of which checks the value, quotes its
//! location on error, and knows the declared default and choices.

use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;

use crate::error::{Error, Result, SourceLocation};
use crate::input::resolve_beside;

mod keys;
mod option;
mod read;
mod tables;
#[path = "tests/testing.rs"]
mod testing;
mod units;
mod value;
mod written;

pub use option::{Fallback, Opt, SEED, Values, describe_usage, join_options};
pub use tables::Tables;
pub use units::{Unit, parse_bytes};
pub use value::Value;
pub use written::Written;

/// A key with its value, and the locations of both.
#[derive(Clone, Debug)]
struct Given {
    key: String,
    key_location: SourceLocation,
    value: Value,
    location: SourceLocation,
}

impl Given {
    /// Creates a key with a word as its value, both of which stand at `location`.
    fn from_word(key: &str, word: &str, location: &SourceLocation) -> Given {
        Given {
            key: key.to_string(),
            key_location: location.clone(),
            value: Value::Word(word.to_string()),
            location: location.clone(),
        }
    }

    /// Iterates over the items of a list, each with its place; a value that is no list counts as a single item.
    fn list_items(&self) -> impl Iterator<Item = (&Value, &SourceLocation)> {
        let (items, single) = match &self.value {
            Value::List(items) => (&items[..], None),
            value => (&[][..], Some((value, &self.location))),
        };
        items.iter().map(|(value, at)| (value, at)).chain(single)
    }
}

/// The parameters of one topology, ordering or method.
#[derive(Debug)]
pub struct Params {
    kind: String,
    location: SourceLocation,
    /// The file they were read from, to which paths in them are relative; `None` if there is no file.
    base: Option<PathBuf>,
    given: Vec<Given>,
    /// Values of the declared defaults.
    defaults: Vec<Given>,
    /// The options of the entry; none where a file's keys are read without one.
    declared: Option<Vec<&'static Opt>>,
    default_seed: u64,
}

/// Numbers that options hold to a range.
pub trait RangedNumber: FromStr + PartialOrd + Display + Copy {}

impl<T: FromStr + PartialOrd + Display + Copy> RangedNumber for T {}

/// Takes the part of `kind:rest` before the first colon.
pub fn text_before_colon(text: &str) -> &str {
    text.split(':').next().unwrap_or(text)
}

impl Params {
    /// Expands the shorthand `key`: `keys` take its place and its location.
    pub fn expand_shorthand(mut self, key: &str, keys: Vec<(&'static str, String)>) -> Params {
        let location = self.location_of(key);
        self.given
            // A key that was given as well would stand twice, and the getters take the first.
            .retain(|e| e.key != key && keys.iter().all(|(k, _)| *k != e.key));
        self.given.extend(
            keys.iter()
                .map(|(key, value)| Given::from_word(key, value, &location)),
        );
        self
    }

    /// Removes `key`, as if it had not been given.
    pub fn remove_key(&mut self, key: &str) {
        self.given.retain(|e| e.key != key);
    }

    /// Returns the kind: the text before the colon, or the TOML key `kind`.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Returns the location of the whole text or table, for errors about several of its options.
    pub fn location(&self) -> &SourceLocation {
        &self.location
    }

    /// Finds the location of `key`'s value; if it is not given, that of the whole text or table.
    pub fn location_of(&self, key: &str) -> SourceLocation {
        let given = self.given.iter().find(|e| e.key == key);
        given.map_or(&self.location, |e| &e.location).clone()
    }

    /// Checks whether `key` was given.
    pub fn has_key(&self, key: &str) -> bool {
        self.given_value(key).is_some()
    }

    /// Looks up the value given for `key`; `None` if there is none.
    fn given_value(&self, key: &str) -> Option<&Value> {
        self.given.iter().find(|e| e.key == key).map(|e| &e.value)
    }

    /// Looks up the given value of `key`, else its declared default.
    fn given_or_default(&self, key: &'static str) -> Option<&Given> {
        // An option that is read but not declared would be refused wherever a user gives it.
        debug_assert!(
            self.declared.is_none() || self.declared_option(key).is_some(),
            "{} asks for `{key}`, which it does not declare",
            self.kind
        );
        self.given
            .iter()
            .chain(&self.defaults)
            .find(|e| e.key == key)
    }

    fn declared_option(&self, key: &str) -> Option<&'static Opt> {
        self.declared
            .iter()
            .flatten()
            .find(|option| option.key == key)
            .copied()
    }

    /// Builds an error about options that do not suit the topology.
    pub fn unsuited_error(&self, problem: impl Into<String>, remedy: impl Into<String>) -> Error {
        Error::unsuited(self.location.clone(), problem, remedy)
    }

    /// Looks up the raw value of `key` with its location.
    pub fn located_value(&self, key: &'static str) -> Option<(&Value, &SourceLocation)> {
        self.given_or_default(key).map(|e| (&e.value, &e.location))
    }

    fn parse_value<T: FromStr>(&self, key: &'static str, expected: &str) -> Result<Option<T>> {
        let Some(entry) = self.given_or_default(key) else {
            return Ok(None);
        };
        match entry.value.scalar_text().and_then(|s| s.parse().ok()) {
            Some(value) => Ok(Some(value)),
            None => Err(self.invalid_value(key, expected)),
        }
    }

    /// Reads a word, if given.
    ///
    /// # Errors
    /// The value is not a word.
    pub fn optional_word(&self, key: &'static str) -> Result<Option<String>> {
        match self.given_or_default(key).map(|e| &e.value) {
            None => Ok(None),
            Some(Value::Word(w)) => Ok(Some(w.clone())),
            Some(_) => Err(self.invalid_value(key, "a text")),
        }
    }

    /// Reads one of the declared choices, if given or by default.
    ///
    /// # Errors
    /// Another word, with the nearest choice suggested.
    pub fn optional_choice(&self, key: &'static str) -> Result<Option<&'static str>> {
        let choices = self
            .declared_option(key)
            .map(Opt::choices)
            .unwrap_or_default();
        self.optional_word(key)?
            .map(|word| self.find_choice(key, &word, &choices))
            .transpose()
    }

    /// Reads one of the declared choices.
    ///
    /// # Errors
    /// As [`Params::optional_choice`]; none given where the option declares no default.
    pub fn required_choice(&self, key: &'static str) -> Result<&'static str> {
        self.optional_choice(key)?
            .ok_or_else(|| self.invalid_value(key, format!("{key} = a name")))
    }

    /// Finds `word` among `choices`.
    ///
    /// # Errors
    /// It is none of them, with the nearest suggested.
    pub fn find_choice<'c>(&self, key: &str, word: &str, choices: &[&'c str]) -> Result<&'c str> {
        choices
            .iter()
            .copied()
            .find(|choice| *choice == word)
            .ok_or_else(|| {
                Error::unknown(self.location_of(key), key, word, choices.iter().copied())
            })
    }

    /// Reads a whole number within `low..=high`, if given.
    ///
    /// # Errors
    /// Not a number, or out of range.
    pub fn optional_integer<T: RangedNumber>(
        &self,
        key: &'static str,
        low: T,
        high: T,
    ) -> Result<Option<T>> {
        self.optional_within(key, low, high, "a whole number")
    }

    fn optional_within<T: RangedNumber>(
        &self,
        key: &'static str,
        low: T,
        high: T,
        what: &str,
    ) -> Result<Option<T>> {
        let expected = format!("{what} from {low} to {high}");
        match self.parse_value::<T>(key, &expected)? {
            // NaN is in no range: it is refused here with the others.
            Some(v) if !(low..=high).contains(&v) => Err(self.invalid_value(key, expected)),
            found => Ok(found),
        }
    }

    /// Reads a whole number within `low..=high`, given or by default.
    ///
    /// # Errors
    /// Missing without a declared default, not a number, or out of range.
    pub fn required_integer<T: RangedNumber>(
        &self,
        key: &'static str,
        low: T,
        high: T,
    ) -> Result<T> {
        self.required_within(key, low, high, "a whole number")
    }

    fn required_within<T: RangedNumber>(
        &self,
        key: &'static str,
        low: T,
        high: T,
        what: &str,
    ) -> Result<T> {
        self.optional_within(key, low, high, what)?
            .ok_or_else(|| self.invalid_value(key, format!("{key} = {what} from {low} to {high}")))
    }

    /// Reads a real number within `low..=high`, if given.
    ///
    /// # Errors
    /// Not a number, not finite, or out of range.
    pub fn optional_real(&self, key: &'static str, low: f64, high: f64) -> Result<Option<f64>> {
        self.optional_within(key, low, high, "a number")
    }

    /// Reads a real number within `low..=high`, given or by default.
    ///
    /// # Errors
    /// Missing without a declared default, not a number, not finite, or out of range.
    pub fn required_real(&self, key: &'static str, low: f64, high: f64) -> Result<f64> {
        self.required_within(key, low, high, "a number")
    }

    /// Reads `true` or `false`; false when absent.
    ///
    /// # Errors
    /// Another value.
    pub fn is_set(&self, key: &'static str) -> Result<bool> {
        Ok(self
            .parse_value::<bool>(key, "true or false")?
            .unwrap_or(false))
    }

    /// Returns the run's `--seed`; a `seed=` among these options does not count.
    pub fn default_seed(&self) -> u64 {
        self.default_seed
    }

    /// Reads the seed: `seed=` here wins over the run's `--seed`.
    ///
    /// # Errors
    /// Not a whole number.
    pub fn seed(&self) -> Result<u64> {
        Ok(self
            .optional_integer("seed", 0, u64::MAX)?
            .unwrap_or(self.default_seed))
    }

    /// Reads positive whole numbers that must be given, as [`Params::optional_extents`] reads them.
    ///
    /// # Errors
    /// As [`Params::optional_extents`]; not given, with what is `expected`.
    pub fn required_extents(&self, key: &'static str, expected: &str) -> Result<Vec<u32>> {
        self.optional_extents(key)?
            .ok_or_else(|| self.invalid_value(key, expected))
    }

    /// Reads positive whole numbers: `8x8x5` inline or as a TOML text, `[8, 8, 5]` in TOML.
    ///
    /// # Errors
    /// Not numbers, an element below 1 or above 2³¹; the message names the element.
    pub fn optional_extents(&self, key: &'static str) -> Result<Option<Vec<u32>>> {
        const HIGH: u32 = 1 << 31;
        let expected = format!("extents from 1 to {HIGH}, as in 8x8x5 or [8, 8, 5]");
        let Some(entry) = self.given_or_default(key) else {
            return Ok(None);
        };
        let texts: Vec<(String, &SourceLocation)> = match &entry.value {
            Value::Word(word) => word
                .split(['x', 'X'])
                .map(|part| (part.trim().to_string(), &entry.location))
                .collect(),
            // A single extent in TOML needs no list; a list within the list is no number either, and is described.
            Value::Integer(_) | Value::List(_) => entry
                .list_items()
                .map(|(item, at)| (item.scalar_text().unwrap_or_else(|| item.describe()), at))
                .collect(),
            _ => return Err(self.invalid_value(key, expected)),
        };
        let mut extents = Vec::new();
        for (i, (text, location)) in texts.into_iter().enumerate() {
            let Some(extent) = text.parse().ok().filter(|n| (1..=HIGH).contains(n)) else {
                let found = format!("{key}[{i}] = {text}");
                return Err(Error::input(location.clone(), found, expected));
            };
            extents.push(extent);
        }
        if extents.is_empty() {
            return Err(self.invalid_value(key, expected));
        }
        Ok(Some(extents))
    }

    /// Reads the elements of a list, a single scalar being a list of one; each as a word with its location.
    ///
    /// # Errors
    /// A list within the list.
    pub fn list_elements(&self, key: &'static str) -> Result<Vec<(String, SourceLocation)>> {
        let Some(entry) = self.given_or_default(key) else {
            return Ok(Vec::new());
        };
        let words = entry.list_items().map(|(value, location)| {
            let word = value.scalar_text().ok_or_else(|| {
                Error::input(location.clone(), value.describe(), "a text or a number")
            });
            Ok((word?, location.clone()))
        });
        words.collect()
    }

    /// Reads a path, relative to the file that names it.
    ///
    /// # Errors
    /// The value is not a text.
    pub fn optional_path(&self, key: &'static str) -> Result<Option<PathBuf>> {
        Ok(self
            .optional_word(key)?
            .map(|w| resolve_beside(self.base.as_deref(), &w)))
    }

    /// Resolves a path that is part of a value, relative to the file that names it.
    pub fn resolve_path(&self, path: &str) -> PathBuf {
        resolve_beside(self.base.as_deref(), path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Text;

    const OPTIONS: &[Opt] = &[
        Opt::extents("dims", "extents").positional(),
        Opt::whole("per_router", "nodes on each router").default_value("1"),
        Opt::one_of("unit", &["node", "router"], "what is shuffled"),
    ];

    fn inline(text: &str) -> Result<Params> {
        Params::parse_inline(text, ',', OPTIONS, 1)
    }

    #[test]
    fn inline_and_toml_say_the_same() {
        let inline = inline("torus:8x8x5,per_router=2").unwrap();
        let text = Text::new(
            "m.toml",
            "kind = 'torus'\ndims = [8, 8, 5]\nper_router = 2\n",
        );
        let toml = Params::parse_toml(&text, None, 1).unwrap();
        for params in [inline, toml] {
            assert_eq!(params.kind(), "torus");
            assert_eq!(params.optional_extents("dims").unwrap().unwrap(), [8, 8, 5]);
            assert_eq!(
                params.optional_integer("per_router", 1u32, 9).unwrap(),
                Some(2)
            );
        }
    }

    #[test]
    fn undeclared_keys_are_refused_when_the_text_is_read() {
        let error = inline("torus:8,per_ruoter=2").unwrap_err().to_string();
        let expected = "`torus:8,per_ruoter=2`: unknown key for torus `per_ruoter`; did you mean \
             `per_router`?";
        assert_eq!(error, expected);
        let text = Text::new("m.toml", "kind = 'torus'\ndims = 8\nroom = 2\n");
        let mut params = Params::parse_toml(&text, None, 1).unwrap();
        let error = params.declare_options(OPTIONS).unwrap_err().to_string();
        assert!(error.starts_with("m.toml:3: unknown key for torus `room`"));
    }

    #[test]
    fn errors_carry_the_line_of_the_element() {
        let text = Text::new("m.toml", "kind = 'torus'\ndims = [\n 8,\n 0,\n]\n");
        let error = Params::parse_toml(&text, None, 1)
            .unwrap()
            .optional_extents("dims")
            .unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("m.toml:4: found dims[1] = 0;"),
            "{error}"
        );
        let error =
            Params::parse_toml(&Text::new("m.toml", "a = 1\nb = = 2\n"), None, 1).unwrap_err();
        assert!(error.to_string().starts_with("m.toml:2: "), "{error}");
    }

    #[test]
    fn repeated_and_empty_parts_are_refused() {
        for text in ["m:4,4", "m:4,a=1,a=2", "m:4,a=", "m:", "m:4,=3"] {
            assert!(inline(text).is_err(), "{text}");
        }
    }

    #[test]
    fn declared_defaults_and_choices_hold() {
        let params = inline("torus:8").unwrap();
        assert_eq!(params.required_integer("per_router", 1u32, 9).unwrap(), 1);
        assert_eq!(params.required_choice("unit").unwrap(), "node");
        assert!(!params.has_key("per_router"));
        let error = inline("torus:8,unit=ruoter")
            .unwrap()
            .required_choice("unit")
            .unwrap_err();
        assert!(
            error.to_string().contains("did you mean `router`"),
            "{error}"
        );
    }

    #[test]
    fn positional_options_stand_in_their_order() {
        const TWO: &[Opt] = &[
            Opt::whole("below", "a size").positional(),
            Opt::whole("gap", "a gap").default_value("1").positional(),
        ];
        let params = Params::parse_inline("fifo-fit:16:8", ':', TWO, 1).unwrap();
        assert_eq!(params.required_integer("below", 0u32, 99).unwrap(), 16);
        assert_eq!(params.required_integer("gap", 0u32, 99).unwrap(), 8);
        let error = Params::parse_inline("fifo-fit:1:2:3", ':', TWO, 1)
            .unwrap_err()
            .to_string();
        assert!(
            error.ends_with("found `3`; expected fifo-fit:BELOW[:GAP]"),
            "{error}"
        );
    }
}
