//! Run times as the trace has them.

use super::*;

/// `fixed`: every task runs as long as in the trace, wherever it is placed. Time is whole seconds.
pub(super) const FIXED: ModelEntry = ModelEntry::new(
    "fixed",
    "the trace's own run times, wherever a job is placed",
    &[],
    BuildModel {
        stretches: false,
        links: false,
        make: |_, _, _| Ok(Box::new(Fixed)),
    },
);

struct Fixed;

impl Model for Fixed {
    fn rule(&self) -> String {
        "fixed: run times of the trace".into()
    }

    fn start(&mut self, start: &Start<'_>) -> Result<i64> {
        Ok(start.task.run)
    }
}
