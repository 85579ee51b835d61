//! The clock, cancellation and progress of a search, which its caller provides.

/// Services that a search asks of its caller: a clock, whether to stop, and where to report progress. The library has no
/// clock of its own.
pub trait Observer: Sync {
    /// Seconds since some moment before the search; `None` where there is no clock.
    fn seconds(&self) -> Option<f64> {
        None
    }

    /// Whether to stop now with the best so far.
    fn should_stop(&self) -> bool {
        false
    }

    /// The best objective and the proved bound so far.
    fn progress(&self, _objective: f64, _bound: f64) {}
}

/// An observer without a clock that never stops a search: searches go by steps.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {}
