//! The watcher of searches: a clock, Ctrl-C, and progress on standard error.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::Instant;

use super::interrupt;
use crate::ordering::Observer;

/// A search's clock, starting now.
pub struct Clock {
    began: Instant,
    /// Objective and bound as last told, and when.
    told: Mutex<Option<(f64, f64, f64)>>,
}

impl Clock {
    /// Starts the clock; with `stoppable` the first Ctrl-C ends the search with the best so far and the
    /// second the program.
    pub fn start(stoppable: bool) -> Self {
        if stoppable {
            interrupt::defer_first_interrupt(true);
        }
        Clock { began: Instant::now(), told: Mutex::new(None) }
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
        let Ok(mut told) = self.told.lock() else { return };
        // Only news, at most twice a second.
        let news = told.is_none_or(|(o, b, at)| (o, b) != (objective, bound) && now - at > 0.5);
        if news && std::io::stderr().is_terminal() {
            let gap = if objective > 0.0 { 100.0 * (objective - bound) / objective } else { 0.0 };
            let mut out = std::io::stderr().lock();
            let _ = writeln!(
                out,
                "{now:7.1} s  objective {objective:.4}  bound {bound:.4}  gap {gap:.2}%"
            );
            *told = Some((objective, bound, now));
        }
    }
}
