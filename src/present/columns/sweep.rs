//! First and last columns of the rows of a sweep; the figures of each kind of row stand between them.
//!
//! ```text
//! topology,ordering | allocator,log,… | seed,group | figures of all kinds of rows | note
//! ```

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::{Value, row};

row! {
    /// The combination that a row is of; what its kind of row does not use is none.
    #[derive(Clone, Copy, Default)]
    pub struct CellRow<'a> {}
    /// First columns of every row.
    pub const FIRST:
    topology: &'a str, "", "The machine, as the plan writes it.";
    ordering: &'a str, "", "The ordering.";
    /// Columns of the plan's lists; a row has those of the lists that the plan uses.
    pub const LISTS:
    allocator: Option<&'a str>, "", "The allocator.";
    log: Option<&'a str>, "", "The placement log.";
    trace: Option<&'a str>, "", "The trace.";
    procs_per_node: Option<u32>, "", "Processors of a node, in traces.";
    transform: Option<&'a str>, "",
        "How the trace was changed, as options of `nodeorder trace transform`.";
    policy: Option<&'a str>, "", "The policy.";
    model: Option<&'a str>, "", "The runtime model.";
    guest: Option<&'a str>, "", "The guest.";
    routing: Option<&'a str>, "",
        "The routing of the guest, or of the runtime model: the same on all machines.";
    duty: Option<&'a str>, "", "Share of the time in which other jobs send, in slowdowns.";
    tilings: Option<&'a str>, "", "Ways to cut the ranks into jobs of one size, in slowdowns.";
    /// Columns after the lists, in every row.
    pub const GROUP:
    seed: u64, "", "The seed.";
    group: &'a str, "",
        "Which figures the row has: mpc, replay, schedule, mapping or slowdown.";
    /// Last column of every row.
    pub const NOTE:
    note: &'a str, "", "Why the row has no figures, where it has none.";
}

/// A row of a sweep's table of results: its values by the names of their columns. Values are typed where the sweep has
/// just made them, and texts where the table is read from a file.
#[derive(Clone, Debug)]
pub struct ResultRow(BTreeMap<String, Value<'static>>);

impl ResultRow {
    /// Pairs the names of columns with the values of a row.
    pub fn new(names: &[String], values: impl IntoIterator<Item = Value<'static>>) -> Self {
        ResultRow(names.iter().cloned().zip(values).collect())
    }

    /// Looks up the text in a column, empty if there is none.
    pub fn text(&self, column: &str) -> Cow<'_, str> {
        match self.0.get(column) {
            Some(Value::Text(text)) => Cow::Borrowed(text),
            Some(value) => Cow::Owned(value.to_string()),
            None => Cow::Borrowed(""),
        }
    }

    /// Looks up the number in a column. `None` if the cell holds none.
    pub fn number(&self, column: &str) -> Option<f64> {
        match self.0.get(column)? {
            // Rows read from a file hold texts only.
            Value::Text(text) => text.parse().ok(),
            value => value.as_number(),
        }
    }
}
