//! Options of EASY: the run times that it assumes of candidates for backfilling, and the times of its passes.

use super::entry::{EVERY_EVENT, Passes};
use crate::schedule::task::Task;
use nodeorder_base::{Opt, Params, Result};

/// Declared options of EASY.
pub const OPTIONS: &[Opt] = &[
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
pub struct Estimates {
    /// Whether candidates count with their true run times.
    pub true_times: bool,
    /// Times of the passes.
    pub passes: Passes,
}

impl Estimates {
    /// Reads [`OPTIONS`]. Fails if a value is out of range.
    pub fn parse(params: &Params) -> Result<Self> {
        let true_times = params.required_choice("estimates")? == "runtime-estimates";
        let mut passes = Passes::parse(params)?;
        // CQSim, whose results this option repeats, looks at the queue after each event.
        passes.per_event = true_times && passes.seconds == 0;
        Ok(Estimates { true_times, passes })
    }

    /// Chooses the run time that a candidate counts with.
    pub fn candidate_time(self, task: &Task) -> i64 {
        if self.true_times {
            task.run
        } else {
            task.requested
        }
    }

    /// Names the run time that candidates count with.
    pub fn candidate_time_name(self) -> &'static str {
        if self.true_times {
            "their true run time"
        } else {
            "their requested time"
        }
    }
}
