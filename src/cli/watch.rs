//! Observer of a search: clock, cancellation by Ctrl-C, progress on standard error.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::Instant;

use super::interrupt;
use crate::ordering::Observer;

/// A search's clock, starting now.
pub struct Clock {
    began: Instant,
    /// Objective and bound as last printed, and when.
    printed: Mutex<Option<(f64, f64, f64)>>,
}

impl Clock {
    /// Starts the clock. With `stoppable` the first Ctrl-C stops the search, which keeps its best result so far,
    /// and the second ends the program.
    pub fn start(stoppable: bool) -> Self {
        if stoppable {
            interrupt::defer_first_interrupt(true);
        }
        Clock { began: Instant::now(), printed: Mutex::new(None) }
    }
}

impl Observer for Clock {
    fn seconds(&self) -> Option<f64> {
        Some(self.began.elapsed().as_secs_f64())
    }

    fn should_stop(&self) -> bool {
        interrupt::stopped()
    }

    fn progress(&self, objective: f64, bound: f64) {
        let now = self.began.elapsed().as_secs_f64();
        let Ok(mut printed) = self.printed.lock() else { return };
        // Only changes, at most twice a second.
        let changed =
            printed.is_none_or(|(o, b, at)| (o, b) != (objective, bound) && now - at > 0.5);
        if changed && std::io::stderr().is_terminal() {
            let gap = if objective > 0.0 { 100.0 * (objective - bound) / objective } else { 0.0 };
            let mut out = std::io::stderr().lock();
            let _ = writeln!(
                out,
                "{now:7.1} s  objective {objective:.4}  bound {bound:.4}  gap {gap:.2}%"
            );
            *printed = Some((objective, bound, now));
        }
    }
}
