//! Tables in Apache Parquet, read as CSV: a header line with the names of the columns, then a line a row.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::mpsc;

use parquet::basic::{LogicalType, TimeUnit};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;

use crate::error::{Error, Result, SourceLocation};

/// Rows that the decoder may be ahead of the reader.
const AHEAD: usize = 1024;

/// Opens the table of `path` as CSV: times in seconds since 1970, lists as `[a, b]`, nothing for a null. Fails if the
/// file cannot be opened or is no Parquet table; a fault in a page of it is found when it is read. O(1) memory beside
/// one page of each column; the decoder has a thread of its own.
pub fn open(path: &Path) -> Result<Box<dyn Read + Send>> {
    let file = File::open(path).map_err(|e| Error::io(path, "opening", e))?;
    let reader = SerializedFileReader::new(file).map_err(|e| {
        let found = format!("no Parquet table ({e})");
        Error::input(SourceLocation::file(path), found, "a Parquet table")
    })?;
    // Bounded: a decoder that is faster than its reader would fill the memory with the table.
    let (sender, rows) = mpsc::sync_channel(AHEAD);
    std::thread::spawn(move || {
        let schema = reader.metadata().file_metadata().schema().clone();
        let fields = schema.get_fields();
        let header = csv_line(fields.iter().map(|field| field.name().to_string()));
        // Numbers of nanoseconds come as they are stored.
        let nanoseconds: Vec<bool> = fields
            .iter()
            .map(|field| {
                matches!(field.get_basic_info().logical_type_ref(),
                    Some(LogicalType::Timestamp(time)) if time.unit == TimeUnit::NANOS)
            })
            .collect();
        if sender.send(Ok(header)).is_err() {
            return;
        }
        for row in reader.into_iter() {
            let row = row.map_err(std::io::Error::other).map(|row| {
                let columns = row.get_column_iter().zip(&nanoseconds);
                csv_line(columns.map(|((_, field), nanoseconds)| format_field(field, *nanoseconds)))
            });
            // Behind a broken page nothing tells which row is next.
            let last = row.is_err();
            // Nobody reads on where the other end is gone.
            if sender.send(row).is_err() || last {
                return;
            }
        }
    });
    Ok(Box::new(Rows {
        rows,
        left: VecDeque::new(),
    }))
}

/// The lines that the decoder sends.
struct Rows {
    rows: mpsc::Receiver<std::io::Result<Vec<u8>>>,
    left: VecDeque<u8>,
}

impl Read for Rows {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        // A decoder that is gone has sent its last row: an empty read is then the end of the table.
        if self.left.is_empty()
            && let Ok(line) = self.rows.recv()
        {
            self.left.extend(line?);
        }
        self.left.read(buffer)
    }
}

/// Formats a line of CSV.
fn csv_line(fields: impl Iterator<Item = String>) -> Vec<u8> {
    // A line end inside a field would be taken for the end of the row.
    let fields = fields.map(|field| field.replace(['\n', '\r'], " "));
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Memory takes whatever is written.
    let _ = writer.write_record(fields);
    writer.into_inner().unwrap_or_default()
}

/// Formats a value as tables in CSV have it.
fn format_field(field: &Field, nanoseconds: bool) -> String {
    match field {
        Field::Null => String::new(),
        Field::Str(text) => text.clone(),
        // Rounded down, also before 1970, where a plain division would round up.
        Field::TimestampMillis(time) => time.div_euclid(1_000).to_string(),
        Field::TimestampMicros(time) => time.div_euclid(1_000_000).to_string(),
        Field::Long(time) if nanoseconds => time.div_euclid(1_000_000_000).to_string(),
        Field::ListInternal(list) => {
            let values: Vec<String> = list
                .elements()
                .iter()
                .map(|e| format_field(e, false))
                .collect();
            format!("[{}]", values.join(", "))
        }
        other => other.to_string(),
    }
}
