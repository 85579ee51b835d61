//! The model `fixed`: run times as the trace has them.

use super::entry::{BuildModel, Model, ModelEntry, StartedTask};
use crate::allocator::AllocatorContext;
use nodeorder_base::Result;

/// `fixed`: every task runs as long as in the trace, wherever it is placed. Time is whole seconds.
pub const FIXED: ModelEntry = ModelEntry::new(
    "fixed",
    "the trace's own run times, wherever a job is placed",
    &[],
    |_| Ok(Box::new(Fixed)),
);

/// The model and its options: it has none.
struct Fixed;

impl BuildModel for Fixed {
    fn build_model<'a>(
        self: Box<Self>,
        _: &AllocatorContext<'a>,
        _: usize,
    ) -> Result<Box<dyn Model + 'a>> {
        Ok(self)
    }

    fn stretches_times(&self) -> bool {
        false
    }
}

impl Model for Fixed {
    fn describe_rule(&self) -> String {
        "fixed: run times of the trace".into()
    }

    fn start_task(&mut self, start: &StartedTask<'_>) -> Result<i64> {
        Ok(start.task.run)
    }
}
