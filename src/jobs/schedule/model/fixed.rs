//! The model `fixed`: run times as the trace has them.

use super::entry::{Model, ModelEntry, StartedTask};
use nodeorder_base::error::Result;

/// `fixed`: every task runs as long as in the trace, wherever it is placed. Time is whole seconds.
pub(super) const FIXED: ModelEntry = ModelEntry::new(
    "fixed",
    "the trace's own run times, wherever a job is placed",
    &[],
    |_, _, _| Ok(Box::new(Fixed)),
);

/// The model, which has no options.
struct Fixed;

impl Model for Fixed {
    fn describe_rule(&self) -> String {
        "fixed: run times of the trace".into()
    }

    fn stretches_times(&self) -> bool {
        false
    }

    fn start_task(&mut self, start: &StartedTask<'_>) -> Result<i64> {
        Ok(start.task.run)
    }
}
