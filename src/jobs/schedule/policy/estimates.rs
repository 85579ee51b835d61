//! Options of EASY: the run times that it assumes of candidates, and when it has its passes.

use super::entry::{EVERY_EVENT, Passes};
use crate::schedule::task::Task;
use nodeorder_base::error::Result;
use nodeorder_base::params::{Opt, Params};

/// The options of EASY.
pub(super) const OPTIONS: &[Opt] = &[
    Opt::one_of(
        "estimates",
        &["requested", "runtime-estimates"],
        "run times that candidates count with: requested, or true as CQSim does",
    )
    .positional(),
    EVERY_EVENT,
];

/// Their values.
#[derive(Clone, Copy)]
pub(super) struct Estimates {
    /// Whether candidates count with their true run times.
    pub true_times: bool,
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

    /// The time that a candidate counts with.
    pub fn time(self, task: &Task) -> i64 {
        if self.true_times {
            task.run
        } else {
            task.requested
        }
    }

    /// The run time that is assumed of candidates, in words.
    pub fn candidates(self) -> &'static str {
        if self.true_times {
            "their true run time"
        } else {
            "the requested time"
        }
    }

    /// Whether there is a pass after every single event, as CQSim has.
    pub fn pass_per_event(self) -> bool {
        self.true_times && self.passes.interval() == 0
    }

    /// When there is a pass, in words.
    pub fn passes_in_words(self) -> String {
        match self.pass_per_event() {
            true => {
                "a pass after every event, ends of an instant first, in the order of starts".into()
            }
            false => self.passes.after_instants(),
        }
    }
}
