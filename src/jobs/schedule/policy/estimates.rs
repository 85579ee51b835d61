//! Options of EASY: the run times that it assumes of candidates for backfilling, and the times of its passes.

use super::entry::{EVERY_EVENT, Passes};
use crate::schedule::task::Task;
use nodeorder_base::error::Result;
use nodeorder_base::params::{Opt, Params};

/// Declared options of EASY.
pub(super) const OPTIONS: &[Opt] = &[
    Opt::one_of(
        "estimates",
        &["requested", "runtime-estimates"],
        "run times that candidates count with: requested, or true as CQSim does",
    )
    .positional(),
    EVERY_EVENT,
];

/// Values of the options of EASY.
#[derive(Clone, Copy)]
pub(super) struct Estimates {
    /// Whether candidates count with their true run times.
    pub true_times: bool,
    /// Times of the passes.
    pub passes: Passes,
}

impl Estimates {
    /// Reads [`OPTIONS`]. Fails if a value is out of range.
    pub fn parse(params: &Params) -> Result<Self> {
        let true_times = params.choice("estimates")? == "runtime-estimates";
        Ok(Estimates {
            true_times,
            passes: Passes::parse(params)?,
        })
    }

    /// Returns the run time that a candidate counts with.
    pub fn time(self, task: &Task) -> i64 {
        if self.true_times {
            task.run
        } else {
            task.requested
        }
    }

    /// Names the run time that candidates count with.
    pub fn candidates(self) -> &'static str {
        if self.true_times {
            "their true run time"
        } else {
            "the requested time"
        }
    }

    /// Returns whether there is a pass after every single event, as CQSim has.
    pub fn pass_per_event(self) -> bool {
        self.true_times && self.passes.interval() == 0
    }

    /// Describes the times of passes, as results quote them.
    pub fn passes_in_words(self) -> String {
        if self.pass_per_event() {
            return "a pass after every event, ends of an instant first, in the order of starts"
                .into();
        }
        self.passes.after_instants()
    }
}
