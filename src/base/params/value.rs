//! A value as written: a word of an inline specification, or a value of TOML.

use crate::error::{Error, Result, SourceLocation};

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
    /// A TOML array; each element with its location.
    List(Vec<(Value, SourceLocation)>),
}

impl Value {
    /// Describes the value for a message: a word in quotes, a list by its length.
    pub(super) fn describe(&self) -> String {
        match self {
            Value::Word(w) => format!("`{w}`"),
            Value::List(items) => format!("a list of {}", items.len()),
            scalar => scalar.scalar_text().unwrap_or_default(),
        }
    }

    /// Formats the value in the spelling of inline specifications. `None` if it is no scalar.
    pub(super) fn scalar_text(&self) -> Option<String> {
        match self {
            Value::Word(w) => Some(w.trim().to_string()),
            Value::Integer(i) => Some(i.to_string()),
            Value::Float(x) => Some(x.to_string()),
            Value::Boolean(b) => Some(b.to_string()),
            Value::List(_) => None,
        }
    }
}

/// Converts a TOML value; `at` finds the line of an offset.
pub fn from_toml(
    value: &toml::de::DeValue<'_>,
    location: &SourceLocation,
    at: &impl Fn(usize) -> SourceLocation,
) -> Result<Value> {
    use toml::de::DeValue;
    Ok(match value {
        DeValue::String(s) => Value::Word(s.to_string()),
        // TOML writes integers in other bases, too, as in 0x10.
        DeValue::Integer(i) => {
            Value::Integer(i64::from_str_radix(i.as_str(), i.radix()).map_err(|_| {
                let found = format!("the integer {}", i.as_str());
                Error::input(
                    location.clone(),
                    found,
                    format!("one from {} to {}", i64::MIN, i64::MAX),
                )
            })?)
        }
        DeValue::Float(x) => Value::Float(x.as_str().parse().map_err(|_| {
            Error::input(
                location.clone(),
                format!("the number {}", x.as_str()),
                "a finite number",
            )
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
            let found = format!("a {}", value.type_str());
            return Err(Error::input(
                location.clone(),
                found,
                "a text, number, boolean or list",
            ));
        }
    })
}
