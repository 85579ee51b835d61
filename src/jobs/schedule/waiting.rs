//! Waiting tasks in queue order, with a search for the next that may be started out of turn.

use super::task::Task;

/// Entry of a task that does not wait: nothing fits it.
const NOBODY: (u32, i64) = (u32::MAX, i64::MAX);

/// A tree over all tasks in queue order; each node knows the least size and the least time of the tasks
/// waiting below it, so that stretches of the queue without a candidate are passed over at once.
pub(super) struct Waiting {
    /// Size and time of each task.
    tasks: Vec<(u32, i64)>,
    /// The root is 1, the children of i are 2i and 2i+1, task t is `leaves` + t.
    least: Vec<(u32, i64)>,
    leaves: usize,
    count: usize,
}

/// Room for a task to start out of turn: tasks of at most `free` nodes that take at most `time`, or that have at most
/// `extra` nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hole {
    pub free: u32,
    pub time: i64,
    pub extra: u32,
}

impl Hole {
    pub fn fits(&self, (nodes, time): (u32, i64)) -> bool {
        nodes <= self.free && (time <= self.time || nodes <= self.extra)
    }
}

impl Waiting {
    /// Nobody waits; `time` is what counts as a task's time. 24 to 48 bytes a task.
    pub fn new(tasks: &[Task], time: impl Fn(&Task) -> i64) -> Self {
        let leaves = tasks.len().next_power_of_two();
        let tasks = tasks.iter().map(|task| (task.nodes, time(task))).collect();
        Waiting {
            tasks,
            least: vec![NOBODY; 2 * leaves],
            leaves,
            count: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.count
    }

    /// Size and time of a task.
    pub fn of(&self, task: u32) -> (u32, i64) {
        self.tasks[task as usize]
    }

    pub fn add(&mut self, task: u32) {
        self.count += 1;
        self.set(task, self.of(task));
    }

    pub fn remove(&mut self, task: u32) {
        self.count -= 1;
        self.set(task, NOBODY);
    }

    fn set(&mut self, task: u32, value: (u32, i64)) {
        let mut at = self.leaves + task as usize;
        self.least[at] = value;
        while at > 1 {
            at /= 2;
            let (a, b) = (self.least[2 * at], self.least[2 * at + 1]);
            let least = (a.0.min(b.0), a.1.min(b.1));
            if self.least[at] == least {
                break;
            }
            self.least[at] = least;
        }
    }

    /// The head of the queue.
    pub fn first(&self) -> Option<u32> {
        self.next(
            0,
            Hole {
                free: u32::MAX - 1,
                time: i64::MAX,
                extra: 0,
            },
        )
    }

    /// The first task from `from` on in queue order that fits into `hole`.
    pub fn next(&self, from: u32, hole: Hole) -> Option<u32> {
        let mut at = self.leaves + from as usize;
        if from as usize >= self.leaves {
            return None;
        }
        loop {
            if hole.fits(self.least[at]) {
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
