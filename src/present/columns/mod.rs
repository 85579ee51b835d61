//! Output columns: every figure that leaves the tool, with its name, unit, meaning and value, defined once.
//!
//! A [`Column`] reads its value from a row of the type `R`; a table is a list of columns. CSV ([`Table`]), JSON
//! ([`object`]), the rows of a sweep, the terminal ([`filled`]) and `docs/columns.md` all come from the same
//! definitions. To add a column, add its line to the list of its table.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};

use serde::{Serialize, Serializer};
use serde_json::Value as Json;

use nodeorder_base::blocks;

pub mod audit;
pub mod comparison;
pub mod corun;
pub mod jobs;
pub mod machines;
pub mod mapping;
pub mod replay;
pub mod schedule;
pub mod shape;
pub mod sweep;
pub mod throughput;

/// The content of a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'r> {
    /// Nothing: there is no such figure for this row.
    Empty,
    /// A whole number.
    Integer(i128),
    /// Any number, written so that it reads back to the same value.
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
integers!(u32, i64, u64, usize);

impl From<f64> for Value<'_> {
    fn from(value: f64) -> Self {
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

impl From<Value<'_>> for Json {
    fn from(value: Value<'_>) -> Json {
        match value {
            Value::Empty => Json::Null,
            Value::Integer(n) => u64::try_from(n).map_or_else(|_| (n as i64).into(), Json::from),
            Value::Float(n) => n.into(),
            Value::Text(text) => text.into(),
        }
    }
}

/// The text of a CSV cell, before quoting.
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
    /// The value with a text of its own.
    pub fn into_owned(self) -> Value<'static> {
        match self {
            Value::Empty => Value::Empty,
            Value::Integer(n) => Value::Integer(n),
            Value::Float(n) => Value::Float(n),
            Value::Text(text) => Value::Text(text.into_owned().into()),
        }
    }

    /// The number, where it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Integer(n) => Some(*n as f64),
            Value::Float(n) => Some(*n),
            Value::Empty | Value::Text(_) => None,
        }
    }

    /// The text on a terminal: four decimals (four digits below 0.001), none where they are all 0, `-` for nothing.
    pub fn shown(&self) -> String {
        match self {
            Value::Empty => "-".into(),
            Value::Float(n) if n.fract() == 0.0 && n.abs() < 1e15 => format!("{n}"),
            Value::Float(n) if n.abs() < 0.001 => format!("{n:.3e}"),
            Value::Float(n) => format!("{n:.4}"),
            value => value.to_string(),
        }
    }
}

/// One output column of rows of the type `R`.
pub struct Column<R> {
    /// Its name in CSV headers and JSON. A `.` stands between a JSON object's name and its key's, and is `_` in CSV.
    pub name: &'static str,
    /// The unit, empty for names and pure numbers.
    pub unit: &'static str,
    /// Meaning in one sentence.
    pub meaning: &'static str,
    /// Its value in a row.
    pub value: for<'r> fn(&'r R) -> Value<'r>,
}

impl<R> Clone for Column<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Column<R> {}

/// Columns, one a line: name, unit, meaning, value.
macro_rules! columns {
    ($($name:literal, $unit:literal, $meaning:literal, |$row:pat_param| $value:expr;)*) => {
        &[$($crate::columns::Column {
            name: $name,
            unit: $unit,
            meaning: $meaning,
            value: |$row| $crate::columns::Value::from($value),
        }),*]
    };
}
use columns;

/// A row and the lists of its columns: fields without a column, then for each list its doc, its name and a line for each
/// column. `name: type, unit, meaning;` is a field of the row as well; `["name"], unit, meaning, |row| value;` is worked
/// out from the others.
macro_rules! row {
    (
        $(#[$about:meta])* pub struct $row:ident<$life:lifetime> {
            $($(#[$doc:meta])* pub $plain:ident: $of:ty,)*
        }
        $(
            $(#[$list:meta])+ pub const $columns:ident:
            $($($field:ident: $type:ty,)? $([$name:literal],)? $unit:literal, $meaning:literal $(, |$r:pat_param| $value:expr)?;)*
        )*
    ) => {
        $(#[$about])*
        pub struct $row<$life> {
            $($(#[$doc])* pub $plain: $of,)*
            $($($(#[doc = $meaning] pub $field: $type,)?)*)*
        }

        impl<$life> $row<$life> {
            $($(#[$list])+
            pub const $columns: &$life [$crate::columns::Column<Self>] = &[$($crate::columns::Column {
                name: concat!($(stringify!($field))? $($name)?),
                unit: $unit,
                meaning: $meaning,
                value: $(|row| $crate::columns::Value::from(row.$field))? $(|$r| $crate::columns::Value::from($value))?,
            }),*];)*
        }
    };
}
use row;

/// A column without its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heading {
    /// See [`Column::name`].
    pub name: &'static str,
    /// See [`Column::unit`].
    pub unit: &'static str,
    /// See [`Column::meaning`].
    pub meaning: &'static str,
}

/// The headings of some columns.
pub fn headings<R>(columns: &[Column<R>]) -> Vec<Heading> {
    let heading = |c: &Column<R>| Heading {
        name: c.name,
        unit: c.unit,
        meaning: c.meaning,
    };
    columns.iter().map(heading).collect()
}

/// The columns of these names, in this order.
pub fn named<R>(columns: &[Column<R>], names: &[&str]) -> Vec<Column<R>> {
    let found = |name: &&str| columns.iter().find(|column| column.name == *name).copied();
    names.iter().filter_map(found).collect()
}

/// The values of a row, kept beyond it.
pub fn values<R>(columns: &[Column<R>], row: &R) -> Vec<Value<'static>> {
    columns
        .iter()
        .map(|column| (column.value)(row).into_owned())
        .collect()
}

/// A row as a JSON object.
pub fn object<R>(columns: &[Column<R>], row: &R) -> Json {
    let mut object = Json::Object(Default::default());
    for column in columns {
        let entry = column
            .name
            .split('.')
            .fold(&mut object, |inner, key| &mut inner[key]);
        *entry = (column.value)(row).into();
    }
    object
}

/// A row that is written as a JSON object whose keys stand in the order of the columns.
pub struct InOrder<'c, R>(pub &'c [Column<R>], pub R);

impl<R> Serialize for InOrder<'_, R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = |column: &Column<R>| (column.name, Json::from((column.value)(&self.1)));
        serializer.collect_map(self.0.iter().map(value))
    }
}

/// `template` with every `{name}` replaced by that column's value, and every `{name%}` by its value in per cent.
pub fn filled<R>(template: &str, columns: &[Column<R>], row: &R) -> String {
    columns.iter().fold(template.to_string(), |text, column| {
        let (name, value) = (column.name, (column.value)(row));
        let per_cent = format!("{:.1}%", 100.0 * value.number().unwrap_or(0.0));
        text.replace(&format!("{{{name}}}"), &value.shown())
            .replace(&format!("{{{name}%}}"), &per_cent)
    })
}

/// Bytes of a table that are kept before they go out.
const FLUSH: usize = 1 << 16;

/// A CSV table being written: a comma, quotes where a text needs them, numbers in full.
pub struct Table<W> {
    out: W,
    text: Vec<u8>,
    /// Whether the next cell is the first of its line.
    first: bool,
}

impl<W: Write> Table<W> {
    /// A table without its header.
    pub fn rows(out: W) -> Self {
        Table {
            out,
            text: Vec::with_capacity(256),
            first: true,
        }
    }

    /// A table of these columns, with its header.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn new<R>(out: W, columns: &[Column<R>]) -> io::Result<Self> {
        let mut table = Table::rows(out);
        table.header(columns)?;
        table.end()?;
        Ok(table)
    }

    /// The names of these columns; the line stays open.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn header<R>(&mut self, columns: &[Column<R>]) -> io::Result<()> {
        columns
            .iter()
            .try_for_each(|column| self.cell(column.name.replace('.', "_").into()))
    }

    /// A cell; the line stays open.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn cell(&mut self, value: Value<'_>) -> io::Result<()> {
        if !std::mem::take(&mut self.first) {
            self.text.push(b',');
        }
        push(&mut self.text, value)
    }

    /// The values of these columns; the line stays open.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn values<R>(&mut self, columns: &[Column<R>], row: &R) -> io::Result<()> {
        columns
            .iter()
            .try_for_each(|column| self.cell((column.value)(row)))
    }

    /// Ends a line.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn end(&mut self) -> io::Result<()> {
        self.text.push(b'\n');
        self.first = true;
        if self.text.len() >= FLUSH {
            self.out.write_all(&self.text)?;
            self.text.clear();
        }
        Ok(())
    }

    /// A whole row.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn row<R>(&mut self, columns: &[Column<R>], row: &R) -> io::Result<()> {
        self.values(columns, row)?;
        self.end()
    }

    /// Hands over what is left.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.write_all(&self.text)
    }
}

/// Adds a cell to a line: the same machine code for everything that lines are written to.
fn push(text: &mut Vec<u8>, value: Value<'_>) -> io::Result<()> {
    match value {
        Value::Empty => {}
        // There are millions: without the machinery of formatting.
        Value::Integer(n) => match u64::try_from(n) {
            Ok(n) => text.extend_from_slice(itoa::Buffer::new().format(n).as_bytes()),
            Err(_) => write!(text, "{n}")?,
        },
        Value::Float(n) => write!(text, "{n}")?,
        Value::Text(word) => match word
            .bytes()
            .any(|b| matches!(b, b',' | b'"' | b'\r' | b'\n'))
        {
            true => write!(text, "\"{}\"", word.replace('"', "\"\""))?,
            false => text.extend_from_slice(word.as_bytes()),
        },
    }
    Ok(())
}

/// A table of these rows, as CSV.
///
/// # Errors
/// Errors of `out`.
pub fn write<R>(
    out: impl Write,
    columns: &[Column<R>],
    rows: impl IntoIterator<Item = R>,
) -> io::Result<()> {
    let mut table = Table::new(out, columns)?;
    rows.into_iter()
        .try_for_each(|row| table.row(columns, &row))?;
    table.finish()
}

/// The rows of these numbers, without a header, made by several threads ([`blocks::write`]).
///
/// # Errors
/// Errors of `out`.
pub fn write_rows<R>(
    out: impl Write,
    columns: &[Column<R>],
    count: usize,
    row: impl Fn(usize) -> R + Sync,
) -> io::Result<()> {
    blocks::write(out, count, |mut numbers, text| {
        let mut table = Table::rows(text);
        numbers.try_for_each(|number| table.row(columns, &row(number)))?;
        table.finish()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct TestRow(u64, Option<f64>, &'static str);

    const COLUMNS: &[Column<TestRow>] = columns! {
        "whole", "nodes", "A count.", |r| r.0;
        "part.of", "", "A share.", |r| r.1;
        "text", "", "A name.", |r| r.2;
    };

    #[test]
    fn a_row_is_the_same_in_every_form() {
        let rows = || {
            [
                TestRow(3, Some(0.1 + 0.2), "a,\"b\""),
                TestRow(u64::MAX, None, "c"),
            ]
        };
        let mut out = Vec::new();
        write(&mut out, COLUMNS, rows()).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "whole,part_of,text\n3,0.30000000000000004,\"a,\"\"b\"\"\"\n18446744073709551615,,c\n"
        );
        let [first, second] = rows();
        let json = serde_json::json!({"whole": 3, "part": {"of": 0.1 + 0.2}, "text": "a,\"b\""});
        assert_eq!(object(COLUMNS, &first), json);
        assert_eq!(object(COLUMNS, &second)["part"]["of"], Json::Null);
        assert_eq!(
            values(COLUMNS, &second),
            [Value::Integer(u64::MAX as i128), Value::Empty, "c".into()]
        );
        assert_eq!(
            filled("{whole} at {part.of}", COLUMNS, &first),
            "3 at 0.3000"
        );
        assert_eq!(
            filled("{whole} at {part.of}", COLUMNS, &second),
            "18446744073709551615 at -"
        );
    }
}
