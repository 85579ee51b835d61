//! Running tasks by the time at which policies assume that they end, and events by the time they do.

use std::collections::BTreeSet;

/// A running task as policies see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Assumed {
    /// Start + requested time.
    pub end: i64,
    /// The task.
    pub task: u32,
    /// Its nodes.
    pub nodes: u32,
}

/// Running tasks, in two orders.
#[derive(Debug, Default)]
pub(super) struct Running {
    /// By assumed end. A sorted list: policies walk it from its start, and moving some thousand entries
    /// costs less than a tree.
    pub assumed: Vec<Assumed>,
    /// Records by true end, which may move; those of one instant in the order of starts.
    ends: BTreeSet<(i64, u32)>,
}

impl Running {
    pub fn add(&mut self, entry: Assumed, record: u32, end: i64) {
        let at = self.assumed.partition_point(|other| *other < entry);
        self.assumed.insert(at, entry);
        self.ends.insert((end, record));
    }

    /// The next end.
    pub fn next(&self) -> Option<i64> {
        self.ends.first().map(|(end, _)| *end)
    }

    /// Takes out the record of a task that ends at `now`, the first to start first.
    pub fn pop(&mut self, now: i64) -> Option<u32> {
        let (end, record) = *self.ends.first()?;
        (end <= now).then(|| {
            self.ends.pop_first();
            record
        })
    }

    /// Forgets the assumed end of a task that was taken out.
    pub fn forget(&mut self, entry: Assumed) {
        if let Ok(at) = self.assumed.binary_search(&entry) {
            self.assumed.remove(at);
        }
    }

    /// Moves a true end.
    pub fn move_end(&mut self, record: u32, from: i64, to: i64) {
        if self.ends.remove(&(from, record)) {
            self.ends.insert((to, record));
        }
    }
}
