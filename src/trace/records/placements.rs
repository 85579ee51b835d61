//! Recorded placements: which nodes each job had, as a plain table.
//!
//! ```text
//! job,submit,start,end,limit,nodes,node_list
//! 1,1795350019,1795350022,1795350023,300,3,n[000-002]
//! ```
//! Times are seconds, those of a calendar since 1970; what is unknown is empty. `end` is empty while a job runs,
//! `limit` where it has none. `node_list` is a host list, in quotes where it has commas, in the order of the ranks
//! where that is known.

use std::io::Write;

use super::rows::count_names;
use super::{Record, Records};
use crate::tally::Reason;
use nodeorder_base::Result;

/// The header line.
pub const HEADER: &str = "job,submit,start,end,limit,nodes,node_list";

/// Writes the records that list their nodes; the others are counted by reason. Returns how many were written.
///
/// # Errors
/// A record that is wrong, with file and line; what `out` reports.
///
/// # Complexity
/// O(length of the file) time; one record of memory.
pub fn write_placements<E: From<nodeorder_base::error::Error> + From<std::io::Error>>(
    records: &mut Records,
    out: &mut impl Write,
) -> Result<u64, E> {
    writeln!(out, "{HEADER}")?;
    let mut record = Record::default();
    let mut written = 0;
    while records.read_next(&mut record)? {
        if let Some(reason) = reason_to_skip(&record) {
            records.count_record(reason, &record);
            continue;
        }
        let times = [record.submit, record.start, record.end_time(), record.limit]
            .map(|value: Option<i64>| value.map_or(String::new(), |value| value.to_string()))
            .join(",");
        let job = quote_field(&record.job);
        let hosts = quote_field(&record.hosts);
        writeln!(out, "{job},{times},{},{hosts}", record.nodes)?;
        written += 1;
    }
    Ok(written)
}

/// Finds the reason why a record is no recorded placement, if it is none.
pub fn reason_to_skip(record: &Record) -> Option<Reason> {
    let listed = count_names(&record.hosts);
    match (record.hosts.is_empty(), record.start, record.run) {
        // A list that is none is for its reader to judge.
        (false, ..) if ![0, record.nodes].contains(&listed) => Some(Reason::CountNotList),
        (false, ..) => None,
        (true, None, None) => Some(Reason::NotStarted),
        (true, ..) if record.nodes == 0 => Some(Reason::NoProcessors),
        (true, ..) => Some(Reason::NoNodeList),
    }
}

fn quote_field(text: &str) -> std::borrow::Cow<'_, str> {
    if text.contains([',', '"']) {
        format!("\"{}\"", text.replace('"', "\"\"")).into()
    } else {
        text.into()
    }
}
