//! Named parameters: `kind:first,key=value,…` on the command line, `key = value` in TOML, one reader for both.
//!
//! A topology family, an ordering or any other method asks for what it knows by typed getters, each of which
//! checks its value and quotes the place on error. [`Params::finish`] then refuses what nobody asked for.

use std::cell::RefCell;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::error::{Error, Result, SourceLocation};
use crate::input::{Text, beside};

/// A value as written.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A word: all inline values, and TOML strings.
    Word(String),
    /// A TOML integer.
    Integer(i64),
    /// A TOML float.
    Float(f64),
    /// A TOML boolean.
    Boolean(bool),
    /// A TOML array; each element with the place it stands in.
    List(Vec<(Value, SourceLocation)>),
}

impl Value {
    fn describe(&self) -> String {
        match self {
            Value::Word(w) => format!("`{w}`"),
            Value::Integer(i) => i.to_string(),
            Value::Float(x) => x.to_string(),
            Value::Boolean(b) => b.to_string(),
            Value::List(items) => format!("a list of {}", items.len()),
        }
    }

    /// The value in the spelling of inline specifications, where it is a scalar.
    fn scalar(&self) -> Option<String> {
        match self {
            Value::Word(w) => Some(w.trim().to_string()),
            Value::Integer(i) => Some(i.to_string()),
            Value::Float(x) => Some(x.to_string()),
            Value::Boolean(b) => Some(b.to_string()),
            Value::List(_) => None,
        }
    }
}

#[derive(Clone, Debug)]
struct Entry {
    key: String,
    key_location: SourceLocation,
    value: Value,
    location: SourceLocation,
}

/// The parameters of one topology, ordering or method.
#[derive(Debug)]
pub struct Params {
    kind: String,
    location: SourceLocation,
    /// The file they were read from: paths in them are relative to it.
    base: Option<PathBuf>,
    entries: Vec<Entry>,
    asked: RefCell<Vec<&'static str>>,
    default_seed: u64,
}

/// The part of `kind:rest` before the first colon.
pub fn head(text: &str) -> &str {
    text.split(':').next().unwrap_or(text)
}

impl Params {
    /// Reads `kind` or `kind:first,key=value,…`. A part without `=` may stand only first and gets the key
    /// `positional`, where the kind has one.
    ///
    /// # Errors
    /// Empty parts, repeated keys, a bare word where none is expected.
    pub fn inline(text: &str, positional: Option<&'static str>, default_seed: u64) -> Result<Self> {
        let location = SourceLocation::option(text);
        let mut params = Params {
            kind: head(text).to_string(),
            location: location.clone(),
            base: None,
            entries: Vec::new(),
            asked: RefCell::default(),
            default_seed,
        };
        let Some((_, rest)) = text.split_once(':') else { return Ok(params) };
        for (i, part) in rest.split(',').enumerate() {
            let (key, value) = match (part.split_once('='), positional) {
                (Some((key, value)), _) => (key.trim(), value.trim()),
                (None, Some(key)) if i == 0 && !part.trim().is_empty() => (key, part.trim()),
                (None, _) => {
                    return Err(Error::input(location, format!("`{part}`"), "key=value"));
                }
            };
            if key.is_empty() || value.is_empty() {
                return Err(Error::input(location, format!("`{part}`"), "key=value"));
            }
            params.push(
                key.to_string(),
                location.clone(),
                Value::Word(value.to_string()),
                location.clone(),
            )?;
        }
        Ok(params)
    }

    /// Reads a TOML text of plain keys; `kind` names the family.
    ///
    /// # Errors
    /// Bad TOML, tables or dates as values, a missing or non-text `kind`: with file and line.
    pub fn toml(text: &Text, base: Option<&Path>, default_seed: u64) -> Result<Self> {
        let mut params = Params::table("", text, base, default_seed)?;
        params.kind = params.word("kind")?.ok_or_else(|| {
            Error::input(params.location.clone(), "no `kind`", "kind = \"torus\" or another family")
        })?;
        Ok(params)
    }

    /// Reads a TOML text of plain keys that is always of one kind, named here and nowhere in it.
    ///
    /// # Errors
    /// Bad TOML, tables or dates as values: with file and line.
    pub fn table(kind: &str, text: &Text, base: Option<&Path>, default_seed: u64) -> Result<Self> {
        let at = |offset: usize| SourceLocation::line(text.name(), text.line_of(offset));
        let table = toml::de::DeTable::parse(text.as_str()).map_err(|e| {
            let location =
                e.span().map_or_else(|| SourceLocation::File(text.name().into()), |s| at(s.start));
            Error::input(
                location,
                e.message().trim().replace('\n', ", "),
                "TOML of the form `key = value`",
            )
        })?;
        let mut params = Params {
            kind: kind.to_string(),
            location: SourceLocation::File(text.name().into()),
            base: base.map(Path::to_path_buf),
            entries: Vec::new(),
            asked: RefCell::default(),
            default_seed,
        };
        // The parser sorts by key: put the entries back into the order of the file, for messages.
        let mut items: Vec<_> = table.get_ref().iter().collect();
        items.sort_by_key(|(key, _)| key.span().start);
        for (key, value) in items {
            let location = at(value.span().start);
            let value = from_toml(value.get_ref(), &location, &|o| at(o))?;
            params.push(key.get_ref().to_string(), at(key.span().start), value, location)?;
        }
        Ok(params)
    }

    fn push(
        &mut self,
        key: String,
        key_location: SourceLocation,
        value: Value,
        location: SourceLocation,
    ) -> Result<()> {
        if self.entries.iter().any(|e| e.key == key) {
            return Err(Error::input(key_location, format!("`{key}` twice"), "each key once"));
        }
        self.entries.push(Entry { key, key_location, value, location });
        Ok(())
    }

    /// The same with `keys` in the place of `key`: what it stands for. Messages about them quote its place.
    pub fn with(&self, key: &str, keys: Vec<(&'static str, String)>) -> Params {
        let location = self.location_of(key);
        let stays = |e: &&Entry| e.key != key && keys.iter().all(|(k, _)| *k != e.key);
        let mut entries: Vec<Entry> = self.entries.iter().filter(stays).cloned().collect();
        entries.extend(keys.into_iter().map(|(key, value)| Entry {
            key: key.into(),
            key_location: location.clone(),
            value: Value::Word(value),
            location: location.clone(),
        }));
        Params {
            kind: self.kind.clone(),
            location: self.location.clone(),
            base: self.base.clone(),
            entries,
            // Read already.
            asked: RefCell::new(vec!["kind", "nodes"]),
            default_seed: self.default_seed,
        }
    }

    /// The kind: what stands before the colon, or the TOML key `kind`.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The place of the whole, for errors about combinations.
    pub fn location(&self) -> &SourceLocation {
        &self.location
    }

    /// The place of `key`'s value, or of the whole when it is absent.
    pub fn location_of(&self, key: &str) -> SourceLocation {
        self.entries
            .iter()
            .find(|e| e.key == key)
            .map_or_else(|| self.location.clone(), |e| e.location.clone())
    }

    /// Whether `key` was given.
    pub fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|e| e.key == key)
    }

    fn entry(&self, key: &'static str) -> Option<&Entry> {
        self.asked.borrow_mut().push(key);
        self.entries.iter().find(|e| e.key == key)
    }

    /// An error about `key`'s value: what was found is the value as written.
    pub fn wrong(&self, key: &str, expected: impl Into<String>) -> Error {
        match self.entries.iter().find(|e| e.key == key) {
            Some(e) => Error::input(
                e.location.clone(),
                format!("{key} = {}", e.value.describe()),
                expected,
            ),
            None => Error::input(self.location.clone(), format!("no `{key}`"), expected),
        }
    }

    /// The raw value of `key` with its place.
    pub fn value(&self, key: &'static str) -> Option<(&Value, &SourceLocation)> {
        self.entry(key).map(|e| (&e.value, &e.location))
    }

    fn parsed<T: FromStr>(&self, key: &'static str, expected: &str) -> Result<Option<T>> {
        let Some(entry) = self.entry(key) else { return Ok(None) };
        match entry.value.scalar().and_then(|s| s.parse().ok()) {
            Some(value) => Ok(Some(value)),
            None => Err(self.wrong(key, expected)),
        }
    }

    /// A word, if given.
    ///
    /// # Errors
    /// The value is not a word.
    pub fn word(&self, key: &'static str) -> Result<Option<String>> {
        match self.entry(key).map(|e| &e.value) {
            None => Ok(None),
            Some(Value::Word(w)) => Ok(Some(w.clone())),
            Some(_) => Err(self.wrong(key, "a text")),
        }
    }

    /// One of `choices`, the first by default.
    ///
    /// # Errors
    /// Another word, with the nearest choice suggested.
    pub fn choice(&self, key: &'static str, choices: &[&'static str]) -> Result<&'static str> {
        match self.word(key)? {
            None => Ok(choices[0]),
            Some(w) => choices.iter().copied().find(|c| *c == w).ok_or_else(|| {
                Error::unknown(self.location_of(key), key, &w, choices.iter().copied())
            }),
        }
    }

    /// A whole number within `low..=high`, if given.
    ///
    /// # Errors
    /// Not a number, or out of range.
    pub fn integer<T>(&self, key: &'static str, low: T, high: T) -> Result<Option<T>>
    where
        T: FromStr + PartialOrd + Display + Copy,
    {
        let expected = format!("a whole number from {low} to {high}");
        match self.parsed::<T>(key, &expected)? {
            Some(v) if v < low || v > high => Err(self.wrong(key, expected)),
            found => Ok(found),
        }
    }

    /// A whole number within `low..=high` that must be given.
    ///
    /// # Errors
    /// Missing, not a number, or out of range.
    pub fn required<T>(&self, key: &'static str, low: T, high: T) -> Result<T>
    where
        T: FromStr + PartialOrd + Display + Copy,
    {
        self.integer(key, low, high)?
            .ok_or_else(|| self.wrong(key, format!("{key} = a whole number from {low} to {high}")))
    }

    /// A real number within `low..=high`, if given.
    ///
    /// # Errors
    /// Not a number, not finite, or out of range.
    pub fn real(&self, key: &'static str, low: f64, high: f64) -> Result<Option<f64>> {
        let expected = format!("a number from {low} to {high}");
        match self.parsed::<f64>(key, &expected)? {
            Some(v) if !(low..=high).contains(&v) => Err(self.wrong(key, expected)),
            found => Ok(found),
        }
    }

    /// `true` or `false`; false when absent.
    ///
    /// # Errors
    /// Another value.
    pub fn flag(&self, key: &'static str) -> Result<bool> {
        Ok(self.parsed::<bool>(key, "true or false")?.unwrap_or(false))
    }

    /// The seed: `seed=` here wins over the run's `--seed`.
    ///
    /// # Errors
    /// Not a whole number.
    pub fn seed(&self) -> Result<u64> {
        Ok(self.integer("seed", 0, u64::MAX)?.unwrap_or(self.default_seed))
    }

    /// Positive whole numbers: `8x8x5` inline or as a TOML text, `[8, 8, 5]` in TOML.
    ///
    /// # Errors
    /// Not numbers, an element below 1 or above 2³¹; the message names the element.
    pub fn extents(&self, key: &'static str) -> Result<Option<Vec<u32>>> {
        const HIGH: i64 = 1 << 31;
        let expected = format!("extents from 1 to {HIGH}, as in 8x8x5 or [8, 8, 5]");
        let Some(entry) = self.entry(key) else { return Ok(None) };
        let mut extents = Vec::new();
        let mut add = |i: usize, text: &str, location: &SourceLocation| match text.parse::<i64>() {
            Ok(n) if (1..=HIGH).contains(&n) => {
                extents.push(n as u32);
                Ok(())
            }
            _ => Err(Error::input(
                location.clone(),
                format!("{key}[{i}] = {text}"),
                expected.clone(),
            )),
        };
        match &entry.value {
            Value::Word(w) => {
                for (i, part) in w.split(['x', 'X']).enumerate() {
                    add(i, part.trim(), &entry.location)?;
                }
            }
            Value::Integer(n) => add(0, &n.to_string(), &entry.location)?,
            Value::List(items) => {
                for (i, (item, location)) in items.iter().enumerate() {
                    add(i, &item.scalar().unwrap_or_else(|| item.describe()), location)?;
                }
            }
            _ => return Err(self.wrong(key, expected)),
        }
        if extents.is_empty() {
            return Err(self.wrong(key, expected));
        }
        Ok(Some(extents))
    }

    /// The elements of a list, a single scalar being a list of one; each as a word with its place.
    ///
    /// # Errors
    /// A list within the list.
    pub fn list(&self, key: &'static str) -> Result<Vec<(String, SourceLocation)>> {
        let Some(entry) = self.entry(key) else { return Ok(Vec::new()) };
        let word = |value: &Value, location: &SourceLocation| match value.scalar() {
            Some(word) => Ok((word, location.clone())),
            None => Err(Error::input(location.clone(), value.describe(), "a text or a number")),
        };
        match &entry.value {
            Value::List(items) => {
                items.iter().map(|(value, location)| word(value, location)).collect()
            }
            value => Ok(vec![word(value, &entry.location)?]),
        }
    }

    /// A path, relative to the file that names it.
    ///
    /// # Errors
    /// The value is not a text.
    pub fn path(&self, key: &'static str) -> Result<Option<PathBuf>> {
        Ok(self.word(key)?.map(|w| beside(self.base.as_deref(), &w)))
    }

    /// Refuses keys that nobody asked for, suggesting those that were.
    ///
    /// # Errors
    /// The first such key.
    pub fn finish(&self) -> Result<()> {
        let mut asked = self.asked.borrow().clone();
        asked.sort_unstable();
        asked.dedup();
        match self.entries.iter().find(|e| !asked.contains(&e.key.as_str())) {
            None => Ok(()),
            Some(e) => Err(Error::unknown(
                e.key_location.clone(),
                &format!("key for {}", self.kind),
                &e.key,
                asked,
            )),
        }
    }
}

fn from_toml(
    value: &toml::de::DeValue<'_>,
    location: &SourceLocation,
    at: &impl Fn(usize) -> SourceLocation,
) -> Result<Value> {
    use toml::de::DeValue;
    Ok(match value {
        DeValue::String(s) => Value::Word(s.to_string()),
        DeValue::Integer(i) => {
            Value::Integer(i64::from_str_radix(i.as_str(), i.radix()).map_err(|_| {
                Error::input(
                    location.clone(),
                    format!("the integer {}", i.as_str()),
                    "one that fits 64 bits",
                )
            })?)
        }
        DeValue::Float(x) => Value::Float(x.as_str().parse().map_err(|_| {
            Error::input(location.clone(), format!("the number {}", x.as_str()), "a finite number")
        })?),
        DeValue::Boolean(b) => Value::Boolean(*b),
        DeValue::Array(items) => {
            let mut list = Vec::new();
            for item in items.iter() {
                let location = at(item.span().start);
                list.push((from_toml(item.get_ref(), &location, at)?, location));
            }
            Value::List(list)
        }
        DeValue::Datetime(_) | DeValue::Table(_) => {
            return Err(Error::input(
                location.clone(),
                format!("a {}", value.type_str()),
                "a text, number, boolean or list",
            ));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_and_toml_say_the_same() {
        let inline = Params::inline("torus:8x8x5,per_router=2", Some("dims"), 1).unwrap();
        let text = Text::new("m.toml", "kind = 'torus'\ndims = [8, 8, 5]\nper_router = 2\n");
        let toml = Params::toml(&text, None, 1).unwrap();
        for params in [inline, toml] {
            assert_eq!(params.kind(), "torus");
            assert_eq!(params.extents("dims").unwrap().unwrap(), [8, 8, 5]);
            assert_eq!(params.integer("per_router", 1u32, 9).unwrap(), Some(2));
            params.finish().unwrap();
        }
    }

    #[test]
    fn errors_carry_the_line_of_the_element() {
        let text = Text::new("m.toml", "kind = 'torus'\ndims = [\n 8,\n 0,\n]\n");
        let error = Params::toml(&text, None, 1).unwrap().extents("dims").unwrap_err();
        assert!(error.to_string().starts_with("m.toml:4: found dims[1] = 0;"), "{error}");
        let error = Params::toml(&Text::new("m.toml", "a = 1\nb = = 2\n"), None, 1).unwrap_err();
        assert!(error.to_string().starts_with("m.toml:2: "), "{error}");
    }

    #[test]
    fn unknown_keys_get_a_suggestion() {
        let params = Params::inline("torus:4x4,per_ruoter=2", Some("dims"), 1).unwrap();
        params.extents("dims").unwrap();
        params.integer("per_router", 1u32, 9).unwrap();
        let error = params.finish().unwrap_err().to_string();
        assert!(error.contains("did you mean `per_router`"), "{error}");
    }

    #[test]
    fn repeated_and_empty_parts_are_refused() {
        for text in ["m:4,4", "m:4,a=1,a=2", "m:4,a=", "m:", "m:4,=3"] {
            assert!(Params::inline(text, Some("dims"), 1).is_err(), "{text}");
        }
    }
}
