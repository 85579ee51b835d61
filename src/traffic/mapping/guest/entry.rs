//! Entries of the table of guests: how a pattern of traffic is made.

use super::traffic::Guest;
use nodeorder_base::{Entry, Params, Result};
use nodeorder_network::Context;

/// A pattern of traffic by name: an entry of [`super::GUESTS`].
pub type GuestEntry = Entry<Pattern>;

/// Options of a guest, read and checked.
pub trait BuildGuest {
    /// Makes the guest; `label` is how the user wrote it.
    ///
    /// # Errors
    /// More memory than `context` allows; a sum of volumes that is no number; a file that cannot be read.
    fn build(&self, label: &str, context: &Context) -> Result<Guest>;
}

/// Makes the stages of a benchmark from its options and the text that the user wrote.
type MakeBenchmark = fn(&Params, &str, &Context) -> Result<Benchmark>;

/// Pattern of traffic: reads its options, and says in which other forms it exists.
#[derive(Clone, Copy)]
pub struct Pattern {
    /// Reads the options.
    pub(super) traffic: fn(&Params) -> Result<Box<dyn BuildGuest>>,
    /// Makes the stages of a benchmark from its options; the text is how the user wrote it.
    pub(super) benchmark: Option<MakeBenchmark>,
    /// Forms for any number of processes, where there are some.
    pub(super) sized: &'static [SizedPattern],
}

impl Pattern {
    /// Makes a pattern whose options are read by `traffic`.
    pub(super) const fn new(traffic: fn(&Params) -> Result<Box<dyn BuildGuest>>) -> Self {
        Pattern {
            traffic,
            benchmark: None,
            sized: &[],
        }
    }

    /// Adds forms for any number of processes.
    pub(super) const fn sized(mut self, sized: &'static [SizedPattern]) -> Self {
        self.sized = sized;
        self
    }
}

/// A pattern that exists for any number of processes.
pub struct SizedPattern {
    /// Name of the pattern, as in `--guest stencil2d` of commands whose jobs have many sizes.
    pub name: &'static str,
    /// Writes the guest for a number of processes as a user would.
    pub(super) spec: fn(u32) -> String,
}

/// Part of an iteration whose messages all arrive before the next part begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// Number of messages that a process sends each partner, one after the other; at least 1.
    pub messages: u32,
    /// Bytes of all these messages, by pair.
    pub guest: Guest,
}

/// A benchmark on a number of processes.
#[derive(Clone, Debug, PartialEq)]
pub struct Benchmark {
    /// Number of iterations of a run.
    pub iterations: u32,
    /// Number of operations of a process in one iteration.
    pub operations: f64,
    /// Stages of an iteration that send something.
    pub stages: Vec<Stage>,
}
