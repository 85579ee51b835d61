//! A flow in a simulation: how far the messages of a job on one route are.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::messages::FlowGroup;

/// Slots by the second (as bits, which order numbers above 0) at which their smallest messages end, with the version
/// of the slot that this holds for.
pub type EndQueue = BinaryHeap<Reverse<(u64, u32, u32)>>;

/// The messages of a job on one route: how far they are, and at which rate.
#[derive(Clone, Debug)]
pub struct Flow {
    /// Index of the job that sends the messages.
    pub job: usize,
    /// Seconds before the first byte arrives.
    pub latency: f64,
    /// Sizes in bytes, ascending, with the number of messages of each.
    pub sizes: Vec<(f64, f64)>,
    /// Index of the smallest size that is not done; beyond the last if all are.
    pub next: usize,
    /// Bytes of each message that were sent by the second `since`.
    pub sent: f64,
    pub since: f64,
    /// Bytes a second of each message since then.
    pub rate: f64,
    /// Raised whenever the end changes: entries of the queue with an older version are stale.
    pub version: u32,
}

impl Flow {
    /// Creates the flow of a group of messages, none of which is sent yet.
    pub fn new(job: usize, group: &FlowGroup) -> Self {
        Flow {
            job,
            latency: group.latency,
            sizes: group.sizes.clone(),
            next: group.sizes.len(),
            sent: 0.0,
            since: 0.0,
            rate: 0.0,
            version: 0,
        }
    }

    /// Begins all messages, without a rate yet.
    pub fn begin_messages(&mut self, now: f64) {
        self.next = 0;
        self.sent = 0.0;
        self.since = now;
        self.rate = 0.0;
    }

    /// Gives the messages another rate from now on.
    pub fn change_rate(&mut self, now: f64, rate: f64) {
        self.sent = self.sent_at(now);
        self.since = now;
        self.rate = rate;
    }

    /// Computes the bytes of each message that are sent by `now`.
    pub fn sent_at(&self, now: f64) -> f64 {
        self.sent + self.rate * (now - self.since)
    }

    /// Adds up the bytes of all messages together that are sent by `now`.
    pub fn carried_by(&self, now: f64) -> f64 {
        let at = self.sent_at(now);
        let mut sum = 0.0;
        for (k, (size, count)) in self.sizes.iter().enumerate() {
            sum += count * if k < self.next { *size } else { at.min(*size) };
        }
        sum
    }

    /// Queues the end of the slot's smallest messages; entries queued for the slot before become stale.
    pub fn queue_end(&mut self, ends: &mut EndQueue, slot: u32) {
        self.version += 1;
        let left = (self.sizes[self.next].0 - self.sent).max(0.0);
        let end = self.since + left / self.rate;
        ends.push(Reverse((end.to_bits(), slot, self.version)));
    }
}
