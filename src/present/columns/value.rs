//! The content of a cell: a whole number, a floating-point number, a text, or nothing.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value as Json;

/// The content of a cell in a row of output.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'r> {
    /// No figure for this row: an empty CSV cell, `null` in JSON.
    Empty,
    /// A whole number.
    Integer(i128),
    /// A floating-point number, written so that it reads back to the same value.
    Float(f64),
    /// A name, a list, or a number whose text is given.
    Text(Cow<'r, str>),
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl From<$type> for Value<'_> {
            fn from(value: $type) -> Self {
                Value::Integer(value as i128)
            }
        }
    )*};
}
// The whole numbers that figures have; i128 holds all of them, so that no column is cut.
integers!(u32, i64, u64, usize);

impl From<f64> for Value<'_> {
    fn from(value: f64) -> Self {
        // A figure of nothing (a mean of no jobs) is 0 over 0: there is none.
        if value.is_nan() {
            Value::Empty
        } else {
            Value::Float(value)
        }
    }
}

impl<'r> From<&'r str> for Value<'r> {
    fn from(text: &'r str) -> Self {
        Value::Text(text.into())
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Value::Text(text.into())
    }
}

impl<'r, T: Into<Value<'r>>> From<Option<T>> for Value<'r> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Empty, Into::into)
    }
}

// JSON keeps whole numbers whole: 3 where a float would be 3.0.
impl From<Value<'_>> for Json {
    fn from(value: Value<'_>) -> Json {
        match value {
            Value::Empty => Json::Null,
            // JSON numbers are u64 or i64 in serde_json; no column holds more.
            Value::Integer(n) => u64::try_from(n).map_or_else(|_| (n as i64).into(), Json::from),
            Value::Float(n) => n.into(),
            Value::Text(text) => text.into(),
        }
    }
}

/// Writes the text of a CSV cell, before quoting.
impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Empty => Ok(()),
            Value::Integer(n) => n.fmt(f),
            Value::Float(n) => n.fmt(f),
            Value::Text(text) => f.write_str(text),
        }
    }
}

impl Value<'_> {
    /// Copies a borrowed text, so that the value outlives its row.
    pub fn into_owned(self) -> Value<'static> {
        match self {
            Value::Empty => Value::Empty,
            Value::Integer(n) => Value::Integer(n),
            Value::Float(n) => Value::Float(n),
            Value::Text(text) => Value::Text(text.into_owned().into()),
        }
    }

    /// Converts the number to a float. `None` for texts and empty cells.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Value::Integer(n) => Some(*n as f64),
            Value::Float(n) => Some(*n),
            Value::Empty | Value::Text(_) => None,
        }
    }

    /// Formats the value for a terminal: four decimals (four digits below 0.001), none where they are all 0, `-`
    /// for nothing.
    pub fn terminal_text(&self) -> String {
        match self {
            Value::Empty => "-".into(),
            // From 1e15 on a float is no count any more: it is shown as any other.
            Value::Float(n) if n.fract() == 0.0 && n.abs() < 1e15 => format!("{n}"),
            Value::Float(n) if n.abs() < 0.001 => format!("{n:.3e}"),
            Value::Float(n) => format!("{n:.4}"),
            value => value.to_string(),
        }
    }
}
