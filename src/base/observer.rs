//! The clock, cancellation and progress of a search, which its caller provides; and how other long work is stopped.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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

thread_local! {
    /// The flag that stops the work on this thread.
    static STOP: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// The payload of the panic that ends work whose flag was set.
#[derive(Clone, Copy, Debug)]
pub struct Stopped;

/// Lets work on this thread be stopped: once the flag is set it unwinds with [`Stopped`], at the next of its many steps. For
/// programs that go on afterwards, and set it on each thread of a pool.
pub fn stop_by(flag: Option<Arc<AtomicBool>>) {
    STOP.set(flag);
}

/// A step of long work.
pub fn pause() {
    let set = |flag: &Arc<AtomicBool>| flag.load(Ordering::Relaxed);
    if STOP.with_borrow(|flag| flag.as_ref().is_some_and(set)) {
        std::panic::resume_unwind(Box::new(Stopped));
    }
}
