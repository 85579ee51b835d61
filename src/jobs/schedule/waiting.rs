//! The queue of waiting tasks, with a fast search for the next task that may be backfilled.
//!
//! Backfilling asks again and again: which is the next task in queue order that is small or short enough? The queue is
//! the row of leaves of a binary tree; each inner node has the smallest size and the shortest time below it. A subtree
//! whose two minima do not fit is passed over as a whole. With tasks of (nodes, seconds)
//!
//! ```text
//!               (2, 10)
//!         (4, 30)      (2, 10)
//!     (4, 30) (8, 60) (6, 10) (2, 90)
//! ```
//! the search for at most 3 nodes and any time skips the left half at once and then the task of 6 nodes.

use super::task::Task;

/// Size and time of a task that does not wait: larger than any window, so no search finds it.
const NOT_WAITING: (u32, i64) = (u32::MAX, i64::MAX);

/// Waiting tasks in queue order, as a tree of minima over all tasks of the trace.
pub struct WaitQueue {
    /// Number of nodes of each task, and its time in ticks.
    tasks: Vec<(u32, i64)>,
    /// Minimum of nodes and of time below each tree node. The root is 1, the children of i are 2i and 2i+1, task
    /// t is `leaves` + t.
    minima: Vec<(u32, i64)>,
    leaves: usize,
}

/// Limits for backfilling: a task fits with at most `free` nodes if it takes at most `time`, or has at most `extra`
/// nodes.
#[derive(Clone, Copy, Debug)]
pub struct BackfillWindow {
    pub free: u32,
    pub time: i64,
    pub extra: u32,
}

impl BackfillWindow {
    /// Checks whether a task of `nodes` that takes `time` fits.
    pub fn fits(&self, (nodes, time): (u32, i64)) -> bool {
        nodes <= self.free && (time <= self.time || nodes <= self.extra)
    }
}

impl WaitQueue {
    /// Creates the empty queue for `tasks`; `time` gives the time that a task counts with. 24 to 48 bytes a task.
    pub fn new(tasks: &[Task], time: impl Fn(&Task) -> i64) -> Self {
        let leaves = tasks.len().next_power_of_two();
        let tasks = tasks.iter().map(|task| (task.nodes, time(task))).collect();
        WaitQueue {
            tasks,
            minima: vec![NOT_WAITING; 2 * leaves],
            leaves,
        }
    }

    /// Looks up the number of nodes of a task and its time, in ticks, whether it waits or not.
    pub fn size_and_time(&self, task: u32) -> (u32, i64) {
        self.tasks[task as usize]
    }

    /// Adds a task that joins the queue.
    pub fn add_task(&mut self, task: u32) {
        self.set_leaf(task, self.size_and_time(task));
    }

    /// Removes a task that has started or was left out.
    pub fn remove_task(&mut self, task: u32) {
        self.set_leaf(task, NOT_WAITING);
    }

    /// Sets a leaf and updates the minima above it.
    fn set_leaf(&mut self, task: u32, value: (u32, i64)) {
        let mut at = self.leaves + task as usize;
        self.minima[at] = value;
        while at > 1 {
            at /= 2;
            let a = self.minima[2 * at];
            let b = self.minima[2 * at + 1];
            let least = (a.0.min(b.0), a.1.min(b.1));
            // An unchanged minimum leaves all those above it unchanged.
            if self.minima[at] == least {
                break;
            }
            self.minima[at] = least;
        }
    }

    /// Finds the head of the queue; `None` if nobody waits.
    pub fn queue_head(&self) -> Option<u32> {
        // One less than NOBODY's size: every waiting task fits, and none that does not wait.
        self.next_small(0, u32::MAX - 1)
    }

    /// Finds the first task from `from` on of at most `free` nodes, however long it takes.
    pub fn next_small(&self, from: u32, free: u32) -> Option<u32> {
        let hole = BackfillWindow {
            free,
            time: i64::MAX,
            extra: 0,
        };
        self.next_fitting(from, hole)
    }

    /// Finds the first task from `from` on, in queue order, that fits `hole`.
    pub fn next_fitting(&self, from: u32, hole: BackfillWindow) -> Option<u32> {
        let mut at = self.leaves + from as usize;
        if from as usize >= self.leaves {
            return None;
        }
        loop {
            if hole.fits(self.minima[at]) {
                if at >= self.leaves {
                    return Some((at - self.leaves) as u32);
                }
                // Some may fit below; the least size and the least time may be those of different tasks.
                at *= 2;
                continue;
            }
            // On to the next subtree: up while this is a right child.
            while at & 1 == 1 {
                at /= 2;
            }
            if at == 0 {
                return None;
            }
            at += 1;
        }
    }
}
