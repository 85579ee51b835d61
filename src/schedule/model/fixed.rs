//! Run times as the trace has them.

use super::super::Start;
use super::{Model, Rule};
use crate::error::Result;

/// `fixed`: every task runs as long as in the trace, wherever it is placed. Time is whole seconds.
pub(super) const FIXED: Rule = Rule {
    name: "fixed",
    about: "the trace's own run times, wherever a job is placed",
    example: "fixed",
    stretches: false,
    build: |_, _, _| Ok(Box::new(Fixed)),
};

struct Fixed;

impl Model for Fixed {
    fn rule(&self) -> String {
        "fixed: run times of the trace".into()
    }

    fn start(&mut self, start: &Start<'_>) -> Result<i64> {
        Ok(start.task.run)
    }
}
