//! Reads parameters: inline or TOML, into the same entries.

use std::path::Path;

use super::{Fallback, Given, Opt, Params, Tables, Values, describe_usage, text_before_colon};
use crate::error::{Error, Result, SourceLocation};
use crate::input::Text;

/// Splits a text at separators and commas outside brackets and braces.
fn split_outside_brackets(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut end = None;
    text.split(move |c| {
        end = match (c, end) {
            ('[', None) => Some(']'),
            ('{', None) => Some('}'),
            (c, Some(end)) if c == end => None,
            (_, end) => end,
        };
        end.is_none() && (c == separator || c == ',')
    })
}

impl Params {
    pub(super) fn new(
        kind: &str,
        location: SourceLocation,
        base: Option<&Path>,
        default_seed: u64,
    ) -> Self {
        Params {
            kind: kind.to_string(),
            location,
            base: base.map(Path::to_path_buf),
            given: Vec::new(),
            defaults: Vec::new(),
            declared: None,
            default_seed,
        }
    }

    /// Makes the parameters of a `kind` that is read from the file at `path`, as `spec` names it.
    pub fn of_file(kind: &str, path: &Path, spec: &str, default_seed: u64) -> Self {
        let location = SourceLocation::option(spec);
        let mut params = Params::new(kind, location.clone(), None, default_seed);
        let path = path.display().to_string();
        params
            .given
            .push(Given::from_word("file", &path, &location));
        params
    }

    /// Reads `kind` or `kind:first,key=value,…`, with `separator` as well as the comma, outside brackets and
    /// braces that host lists and names have. Parts without `=` stand first and are the values of the positional
    /// options, in their order.
    ///
    /// # Errors
    /// Empty parts, repeated keys, a key that is not declared, a bare word where none is expected.
    pub fn parse_inline(
        text: &str,
        separator: char,
        options: impl IntoIterator<Item = &'static Opt>,
        default_seed: u64,
    ) -> Result<Self> {
        let location = SourceLocation::option(text);
        let mut params = Params::new(
            text_before_colon(text),
            location.clone(),
            None,
            default_seed,
        );
        params.set_declared(options);
        let declared = params.declared.clone().unwrap_or_default();
        let Some((_, rest)) = text.split_once(':') else {
            return Ok(params);
        };
        let mut bare = declared.iter().filter(|option| option.positional);
        for part in split_outside_brackets(rest, separator) {
            let wrong = || {
                let first = declared.first().map(|option| option.values);
                let expected = match separator {
                    ',' if matches!(first, Some(Values::Extents)) => {
                        "key=value, or the extents joined by x, as in 8x8x5".into()
                    }
                    // A form with another separator than the comma would not be guessed: it is shown in full.
                    ',' => "key=value".into(),
                    _ => describe_usage(text_before_colon(text), separator, &declared),
                };
                Error::input(location.clone(), format!("`{part}`"), expected)
            };
            let (key, value) = match part.split_once('=') {
                Some((key, value)) => {
                    // Behind a key no bare word may follow: nothing would say which option it is.
                    bare.by_ref().for_each(drop);
                    let key = key.trim();
                    let renamed = declared.iter().find(|option| option.former == key);
                    (renamed.map_or(key, |option| option.key), value.trim())
                }
                None => (bare.next().ok_or_else(wrong)?.key, part.trim()),
            };
            if key.is_empty() || value.is_empty() {
                return Err(wrong());
            }
            params.push_value(Given::from_word(key, value, &location))?;
        }
        params.refuse_unread(&[])?;
        Ok(params)
    }

    /// Adds the options of a text such as `limit=4,seed=2`, part of `whole`; they win over those given before. Errors:
    /// parts of another form, repeated keys, another kind.
    pub fn override_by(&mut self, options: &str, whole: &str) -> Result<()> {
        let location = SourceLocation::option(whole);
        // Held apart: these may repeat keys given before, but not one another.
        let mut added = Params::new(&self.kind, location.clone(), None, self.default_seed);
        for part in split_outside_brackets(options, ',') {
            let pair = part
                .split_once('=')
                .map(|(key, value)| (key.trim(), value.trim()));
            // Another `kind` would have other options, and the entry is chosen by now.
            let pair = pair.filter(|(key, value)| !value.is_empty() && !["", "kind"].contains(key));
            let Some((key, value)) = pair else {
                let expected = format!("key=value, an option of {}", self.kind);
                return Err(Error::input(location, format!("`{part}`"), expected));
            };
            added.push_value(Given::from_word(key, value, &location))?;
        }
        self.given.retain(|old| !added.has_key(&old.key));
        self.given.append(&mut added.given);
        Ok(())
    }

    /// Reads `key=value` words with blanks between, of a line at `location`.
    ///
    /// # Errors
    /// A word of another form, repeated keys, a key that is not declared.
    pub fn parse_words(
        text: &str,
        location: &SourceLocation,
        options: &'static [Opt],
    ) -> Result<Self> {
        let mut params = Params::new("job", location.clone(), None, 0);
        params.set_declared(options);
        for word in text.split_ascii_whitespace() {
            let pair = word
                .split_once('=')
                .filter(|(key, value)| !key.is_empty() && !value.is_empty());
            let Some((key, value)) = pair else {
                return Err(Error::input(
                    location.clone(),
                    format!("`{word}`"),
                    "key=value",
                ));
            };
            params.push_value(Given::from_word(key, value, location))?;
        }
        params.refuse_unread(&[])?;
        Ok(params)
    }

    /// Declares the options that may be given, and refuses others; their choices and defaults hold from now on.
    ///
    /// # Errors
    /// A key that is none of them, with the nearest suggested.
    pub fn declare_options(
        &mut self,
        options: impl IntoIterator<Item = &'static Opt>,
    ) -> Result<()> {
        self.set_declared(options);
        self.refuse_unread(&[])
    }

    fn set_declared(&mut self, options: impl IntoIterator<Item = &'static Opt>) {
        let declared: Vec<&Opt> = options.into_iter().collect();
        let defaults = declared.iter().filter_map(|option| match option.default {
            Fallback::Value(value) => Some(Given::from_word(option.key, value, &self.location)),
            _ => None,
        });
        self.defaults = defaults.collect();
        self.declared = Some(declared);
    }

    /// Reads a TOML text of plain keys; `kind` names the family, whose options are declared afterwards.
    ///
    /// # Errors
    /// Bad TOML, tables or dates as values, a missing or non-text `kind`: with file and line.
    pub fn parse_toml(text: &Text, base: Option<&Path>, default_seed: u64) -> Result<Self> {
        let mut params = Params::parse_toml_of_kind("", text, base, default_seed)?;
        params.kind = params.optional_word("kind")?.ok_or_else(|| {
            Error::input(
                params.location.clone(),
                "no `kind`",
                "kind = \"torus\" or another family",
            )
        })?;
        Ok(params)
    }

    /// Reads a TOML text of plain keys that is always of one kind, named here and nowhere in it. Its keys are
    /// checked afterwards, by [`Params::declare_options`] or [`Params::check_keys`].
    ///
    /// # Errors
    /// Bad TOML, tables or dates as values: with file and line.
    pub fn parse_toml_of_kind(
        kind: &str,
        text: &Text,
        base: Option<&Path>,
        default_seed: u64,
    ) -> Result<Self> {
        let Tables { params, lists } = Tables::read(kind, text, base, default_seed)?;
        match lists.into_iter().next() {
            Some((_, location, _)) => Err(Error::input(
                location,
                "a table",
                "a text, number, boolean or list",
            )),
            None => Ok(params),
        }
    }

    pub(super) fn parse_toml_tree(text: &Text) -> Result<toml::Spanned<toml::de::DeTable<'_>>> {
        toml::de::DeTable::parse(text.as_str()).map_err(|e| {
            let line = |start| SourceLocation::line(text.name(), text.line_number_at(start));
            let location = e
                .span()
                .map_or_else(|| text.location(), |span| line(span.start));
            // The message of the parser may have several lines, one of ours has one.
            let found = e.message().trim().replace('\n', ", ");
            Error::input(location, found, "TOML of the form `key = value`")
        })
    }

    pub(super) fn push_value(&mut self, given: Given) -> Result<()> {
        if self.given.iter().any(|e| e.key == given.key) {
            let found = format!("`{}` twice", given.key);
            return Err(Error::input(given.key_location, found, "each key once"));
        }
        self.given.push(given);
        Ok(())
    }
}
