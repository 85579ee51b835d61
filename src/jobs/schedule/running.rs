//! Running tasks in two orders: by the end that policies assume of them, and by the end that the model gives them.
//!
//! A policy knows only requested times: it assumes that a task ends at start + requested time. The event loop needs
//! the true end, which a model may move while the task runs.

use std::collections::BTreeSet;

/// A running task as policies see it: the end that they assume of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AssumedEnd {
    /// Start + requested time, in ticks.
    pub end: i64,
    /// Index of the task in queue order.
    pub task: u32,
    /// Number of nodes that the task holds.
    pub nodes: u32,
}

/// Running tasks by assumed and by true end.
#[derive(Debug, Default)]
pub struct RunningTasks {
    /// Running tasks by assumed end. A sorted list: policies walk it from its start, and moving some thousand entries
    /// costs less than a tree.
    pub assumed: Vec<AssumedEnd>,
    /// True end and index of the record of each running task; tasks that end together are in order of their starts.
    ends: BTreeSet<(i64, u32)>,
}

impl RunningTasks {
    /// Adds a task that has started, with the index of its record and its true end.
    pub fn add_task(&mut self, entry: AssumedEnd, record: u32, end: i64) {
        let at = self.assumed.partition_point(|other| *other < entry);
        self.assumed.insert(at, entry);
        self.ends.insert((end, record));
    }

    /// Finds the next true end; `None` if nothing runs.
    pub fn next_end(&self) -> Option<i64> {
        self.ends.first().map(|(end, _)| *end)
    }

    /// Takes out a task that ends at `now` and returns its record, the first to start first; `None` if no more end.
    pub fn pop_due(&mut self, now: i64) -> Option<u32> {
        let (end, record) = *self.ends.first()?;
        (end <= now).then(|| {
            self.ends.pop_first();
            record
        })
    }

    /// Removes the assumed end of a task that was taken out.
    pub fn remove_assumed(&mut self, entry: AssumedEnd) {
        if let Ok(at) = self.assumed.binary_search(&entry) {
            self.assumed.remove(at);
        }
    }

    /// Moves the true end of a task.
    pub fn move_end(&mut self, record: u32, from: i64, to: i64) {
        if self.ends.remove(&(from, record)) {
            self.ends.insert((to, record));
        }
    }
}
