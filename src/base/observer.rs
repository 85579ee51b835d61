//! The clock and progress of a search, which its caller provides; and the flag that stops long work.
//!
//! There is one flag, that of the thread ([`stop_on_flag`]). A search asks its observer, which asks the flag, and
//! ends with the best so far; other work has nothing to keep and unwinds at its next [`unwind_if_stopped`].

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Services that a search asks of its caller: a clock, whether to stop, and where to report progress. The library has
/// no clock of its own.
pub trait Observer: Sync {
    /// Reads the clock, in seconds from some moment before the search. `None` if there is no clock.
    fn elapsed_seconds(&self) -> Option<f64> {
        None
    }

    /// Checks whether to stop now with the best so far: whether the flag of this thread is set, unless the observer
    /// stops by something else.
    fn should_stop(&self) -> bool {
        is_stopped()
    }

    /// Reports the best objective found and the best proved bound so far.
    fn report_progress(&self, _objective: f64, _bound: f64) {}
}

/// An observer without a clock: searches go by steps.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {}

thread_local! {
    /// The flag that stops the work on this thread.
    static STOP: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// The payload of the panic that ends work whose flag was set.
#[derive(Clone, Copy, Debug)]
pub struct Stopped;

/// Lets work on this thread be stopped: once the flag is set, searches end with their best and other work unwinds with
/// [`Stopped`], soon after. For programs that go on afterwards, and call this on each thread of a pool.
pub fn stop_on_flag(flag: Option<Arc<AtomicBool>>) {
    STOP.set(flag);
}

/// Checks whether the flag of this thread is set.
fn is_stopped() -> bool {
    STOP.with_borrow(|flag| {
        flag.as_ref()
            // The flag guards no data: it does not matter if it is seen a step later.
            .is_some_and(|flag| flag.load(Ordering::Relaxed))
    })
}

/// Marks a step of long work: unwinds with [`Stopped`] if the flag of this thread is set.
pub fn unwind_if_stopped() {
    if is_stopped() {
        // Unlike `panic!` this runs no panic hook: to be stopped is no fault, and prints nothing.
        std::panic::resume_unwind(Box::new(Stopped));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_flag_stops_searches_and_other_work() {
        let flag = Arc::new(AtomicBool::new(false));
        stop_on_flag(Some(flag.clone()));
        unwind_if_stopped();
        assert!(!NoObserver.should_stop());
        flag.store(true, Ordering::Relaxed);
        assert!(NoObserver.should_stop());
        let payload = std::panic::catch_unwind(unwind_if_stopped).unwrap_err();
        assert!(payload.is::<Stopped>());
        stop_on_flag(None);
        unwind_if_stopped();
    }
}
