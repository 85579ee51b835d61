//! Output columns: every figure that leaves the tool, with its name, unit, meaning and value, defined once.
//!
//! A [`Column`] reads its value from a row of the type `R`; a table is a list of columns. CSV ([`Table`]), JSON
//! ([`json_object`]), the rows of a sweep, the terminal ([`fill_template`]) and `docs/columns.md` all come from the
//! same definitions. To add a column, add its line to the list of its table.
//!
//! ```text
//! definition    mean_mind, "hops", "Mean of `mind` …";
//! CSV           mean_mind          JSON    "mean_mind": 2.5        terminal   2.5000
//!               2.5
//! ```

use std::io::{self, Write};

use serde::{Serialize, Serializer};
use serde_json::Value as Json;

use nodeorder_base::blocks;

pub mod audit;
pub mod bounds;
pub mod comparison;
pub mod corun;
pub mod jobs;
pub mod machines;
pub mod mapping;
pub mod replay;
pub mod schedule;
pub mod shape;
pub mod slowdown;
pub mod sweep;
pub mod throughput;
mod value;

pub use value::Value;

/// One output column of rows of the type `R`.
pub struct Column<R> {
    /// Name in CSV headers and JSON. `a.b` is key `b` of the inner object `a` in JSON, and `a_b` in CSV.
    pub name: &'static str,
    /// Unit, empty for names and pure numbers.
    pub unit: &'static str,
    /// Meaning in one sentence.
    pub meaning: &'static str,
    /// Function that reads the value from a row.
    pub value: for<'r> fn(&'r R) -> Value<'r>,
}

// By hand: derived, columns of rows that are not `Clone` would be none either.
impl<R> Clone for Column<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Column<R> {}

/// Makes a list of columns, one a line. `"name", unit, meaning, |row| value;` is any column; `field, unit, meaning;` is
/// that of a field of the row, `field of path, unit, meaning;` that of a field of what is at this path in the row, and
/// `[field in method], unit, meaning;` that of a field of what this method of the row returns, if anything.
macro_rules! columns {
    ($(
        $($field:ident $(of $($path:ident).+)?)? $([$part:ident in $method:ident])? $($name:literal)?,
        $unit:literal, $meaning:literal $(, |$row:pat_param| $value:expr)?;
    )*) => {
        &[$($crate::columns::Column {
            name: concat!($(stringify!($field))? $(stringify!($part))? $($name)?),
            unit: $unit,
            meaning: $meaning,
            value: $(|row| $crate::columns::Value::from(row$($(.$path)+)?.$field))?
                $(|row| $crate::columns::Value::from(row.$method().map(|of| of.$part)))?
                $(|$row| $crate::columns::Value::from($value))?,
        }),*]
    };
}
use columns;

/// Defines a row and the lists of its columns: fields without a column, then for each list its doc, its name and a
/// line for each column. `name: type, unit, meaning;` is a field of the row as well; `["name"], unit, meaning, |row|
/// value;` is worked out from the others, and `[field of path], unit, meaning;` is a field of what is at this path.
macro_rules! row {
    (
        $(#[$about:meta])* pub struct $row:ident<$life:lifetime> {
            $($(#[$doc:meta])* pub $plain:ident: $of:ty,)*
        }
        $(
            $(#[$list:meta])+ pub const $columns:ident:
            $($($field:ident: $type:ty,)? $([$($name:literal)? $($part:ident of $($path:ident).+)?],)? $unit:literal, $meaning:literal $(, |$r:pat_param| $value:expr)?;)*
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
                name: concat!($(stringify!($field))? $($($name)? $(stringify!($part))?)?),
                unit: $unit,
                meaning: $meaning,
                value: $(|row| $crate::columns::Value::from(row.$field))? $($(|row| $crate::columns::Value::from(row$(.$path)+.$part))?)? $(|$r| $crate::columns::Value::from($value))?,
            }),*];)*
        }
    };
}
use row;

/// A column's name, unit and meaning, for lists of columns of several row types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heading {
    /// See [`Column::name`].
    pub name: &'static str,
    /// See [`Column::unit`].
    pub unit: &'static str,
    /// See [`Column::meaning`].
    pub meaning: &'static str,
}

/// Lists the headings of some columns.
pub fn headings<R>(columns: &[Column<R>]) -> Vec<Heading> {
    columns
        .iter()
        .map(|column| Heading {
            name: column.name,
            unit: column.unit,
            meaning: column.meaning,
        })
        .collect()
}

/// Selects the columns of these names, in this order.
pub fn select_columns<R>(columns: &[Column<R>], names: &[&str]) -> Vec<Column<R>> {
    names
        .iter()
        .filter_map(|name| columns.iter().find(|column| column.name == *name))
        .copied()
        .collect()
}

/// Reads the values of a row, as copies that outlive the row.
pub fn row_values<R>(columns: &[Column<R>], row: &R) -> Vec<Value<'static>> {
    columns
        .iter()
        .map(|column| (column.value)(row).into_owned())
        .collect()
}

/// Turns a row into a JSON object.
pub fn json_object<R>(columns: &[Column<R>], row: &R) -> Json {
    let mut object = Json::Object(Default::default());
    extend_object(&mut object, columns, row);
    object
}

/// Turns rows into a JSON list of objects.
pub fn json_list<R>(columns: &[Column<R>], rows: impl IntoIterator<Item = R>) -> Json {
    rows.into_iter()
        .map(|row| json_object(columns, &row))
        .collect()
}

/// Adds the columns of a row to a JSON object.
pub fn extend_object<R>(object: &mut Json, columns: &[Column<R>], row: &R) {
    for column in columns {
        let mut entry = &mut *object;
        for key in column.name.split('.') {
            // Indexing makes the inner object where there is none yet.
            entry = &mut entry[key];
        }
        *entry = (column.value)(row).into();
    }
}

/// A row that is written as a JSON object whose keys stand in the order of the columns.
pub struct OrderedObject<'c, R>(pub &'c [Column<R>], pub R);

impl<R> Serialize for OrderedObject<'_, R> {
    // A `Json` object sorts its keys; this one is written entry by entry.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(
            self.0
                .iter()
                .map(|column| (column.name, Json::from((column.value)(&self.1)))),
        )
    }
}

/// Replaces every `{name}` of `template` by that column's value, and every `{name%}` by its value in per cent.
pub fn fill_template<R>(template: &str, columns: &[Column<R>], row: &R) -> String {
    let mut text = template.to_string();
    for column in columns {
        let name = column.name;
        let value = (column.value)(row);
        let per_cent = format!("{:.1} %", 100.0 * value.as_number().unwrap_or(0.0));
        text = text
            .replace(&format!("{{{name}}}"), &value.terminal_text())
            .replace(&format!("{{{name}%}}"), &per_cent);
    }
    text
}

/// Bytes of a table that are gathered before they are written.
const FLUSH: usize = 1 << 16;

/// A writer of a CSV table: commas, quotes where a text needs them, numbers in full.
pub struct Table<W> {
    out: W,
    text: Vec<u8>,
    /// Whether the next cell is the first of its line.
    first: bool,
}

impl<W: Write> Table<W> {
    /// Starts a table without a header.
    pub fn without_header(out: W) -> Self {
        Table {
            out,
            // Room for a usual line; long tables grow it, up to `FLUSH`.
            text: Vec::with_capacity(256),
            first: true,
        }
    }

    /// Starts a table of these columns and writes its header.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn new<R>(out: W, columns: &[Column<R>]) -> io::Result<Self> {
        let mut table = Table::without_header(out);
        table.write_header(columns)?;
        table.end_line()?;
        Ok(table)
    }

    /// Writes the names of these columns; the line stays open.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write_header<R>(&mut self, columns: &[Column<R>]) -> io::Result<()> {
        columns
            .iter()
            // Readers such as pandas offer columns as attributes, whose names have no dots.
            .try_for_each(|column| self.write_cell(column.name.replace('.', "_").into()))
    }

    /// Writes a cell; the line stays open.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write_cell(&mut self, value: Value<'_>) -> io::Result<()> {
        // No comma before the first cell, and none after the last.
        if !std::mem::take(&mut self.first) {
            self.text.push(b',');
        }
        push_cell(&mut self.text, value)
    }

    /// Writes the values of these columns; the line stays open.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write_values<R>(&mut self, columns: &[Column<R>], row: &R) -> io::Result<()> {
        columns
            .iter()
            .try_for_each(|column| self.write_cell((column.value)(row)))
    }

    /// Ends a line.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn end_line(&mut self) -> io::Result<()> {
        self.text.push(b'\n');
        self.first = true;
        // A write for each line would cost more than making the line.
        if self.text.len() >= FLUSH {
            self.out.write_all(&self.text)?;
            self.text.clear();
        }
        Ok(())
    }

    /// Writes a whole row.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write_row<R>(&mut self, columns: &[Column<R>], row: &R) -> io::Result<()> {
        self.write_values(columns, row)?;
        self.end_line()
    }

    /// Writes the bytes that are still gathered.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.write_all(&self.text)
    }
}

/// Adds a cell to a line. Not generic, so that it is compiled once for everything that tables are written to.
fn push_cell(text: &mut Vec<u8>, value: Value<'_>) -> io::Result<()> {
    match value {
        Value::Empty => {}
        // Curves have millions of sizes: integers do without the machinery of formatting.
        Value::Integer(n) => match u64::try_from(n) {
            Ok(n) => text.extend_from_slice(itoa::Buffer::new().format(n).as_bytes()),
            Err(_) => write!(text, "{n}")?,
        },
        Value::Float(n) => write!(text, "{n}")?,
        // RFC 4180: quotes around what could be taken for a separator, and two for one inside.
        Value::Text(word) => {
            if word.bytes().any(|b| b",\"\r\n".contains(&b)) {
                write!(text, "\"{}\"", word.replace('"', "\"\""))?
            } else {
                text.extend_from_slice(word.as_bytes())
            }
        }
    }
    Ok(())
}

/// Writes these rows as a CSV table.
///
/// # Errors
/// Errors of `out`.
pub fn write_table<R>(
    out: impl Write,
    columns: &[Column<R>],
    rows: impl IntoIterator<Item = R>,
) -> io::Result<()> {
    let mut table = Table::new(out, columns)?;
    rows.into_iter()
        .try_for_each(|row| table.write_row(columns, &row))?;
    table.finish()
}

/// Writes rows 0 to `count` without a header; several threads make them ([`blocks::write_blocks`]).
///
/// # Errors
/// Errors of `out`.
pub fn write_rows<R>(
    out: impl Write,
    columns: &[Column<R>],
    count: usize,
    row: impl Fn(usize) -> R + Sync,
) -> io::Result<()> {
    blocks::write_blocks(out, count, |mut numbers, text| {
        let mut table = Table::without_header(text);
        numbers.try_for_each(|number| table.write_row(columns, &row(number)))?;
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
        write_table(&mut out, COLUMNS, rows()).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "whole,part_of,text\n3,0.30000000000000004,\"a,\"\"b\"\"\"\n18446744073709551615,,c\n"
        );
        let [first, second] = rows();
        let json = serde_json::json!({"whole": 3, "part": {"of": 0.1 + 0.2}, "text": "a,\"b\""});
        assert_eq!(json_object(COLUMNS, &first), json);
        assert_eq!(json_object(COLUMNS, &second)["part"]["of"], Json::Null);
        assert_eq!(
            row_values(COLUMNS, &second),
            [Value::Integer(u64::MAX as i128), Value::Empty, "c".into()]
        );
        assert_eq!(
            fill_template("{whole} at {part.of}", COLUMNS, &first),
            "3 at 0.3000"
        );
        assert_eq!(
            fill_template("{whole} at {part.of}", COLUMNS, &second),
            "18446744073709551615 at -"
        );
    }
}
