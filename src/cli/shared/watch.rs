//! Observer of a search: clock, cancellation by Ctrl-C, progress on standard error.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::Instant;

use indicatif::ProgressBar;

use super::progress::Bar;
use super::{interrupt, notes};
use nodeorder_order::ordering::Observer;

/// A search's clock, starting now.
pub struct Clock {
    began: Instant,
    /// Objective and bound as last printed, and when.
    printed: Mutex<Option<(f64, f64, f64)>>,
    /// The progress bar that shows objective and bound.
    bar: ProgressBar,
    /// Whether better results are printed as lines on a terminal.
    lines: bool,
}

impl Clock {
    /// Starts the clock of work that `bar` shows. With `stoppable` the first Ctrl-C stops the search, which keeps its
    /// best result so far and, on a terminal, prints a line for each better one.
    pub fn start_clock(stoppable: bool, bar: &Bar) -> Self {
        if stoppable {
            interrupt::defer_first_interrupt(true);
        }
        let lines = stoppable && std::io::stderr().is_terminal() && !notes::is_silent();
        let bar = ProgressBar::clone(bar);
        Clock {
            began: Instant::now(),
            printed: Mutex::new(None),
            bar,
            lines,
        }
    }
}

impl Observer for Clock {
    fn elapsed_seconds(&self) -> Option<f64> {
        Some(self.began.elapsed().as_secs_f64())
    }

    fn should_stop(&self) -> bool {
        interrupt::is_stopped()
    }

    fn report_progress(&self, objective: f64, bound: f64) {
        // With objective 0 the ordering is optimal, and the ratio would be none.
        let gap = if objective > 0.0 {
            100.0 * (objective - bound) / objective
        } else {
            0.0
        };
        let text = format!("objective {objective:.4}  bound {bound:.4}  gap {gap:.2} %");
        if !self.lines {
            self.bar.set_message(text);
            return;
        }
        let now = self.began.elapsed().as_secs_f64();
        // Progress is worth no panic: a search goes on unseen.
        let Ok(mut printed) = self.printed.lock() else {
            return;
        };
        // Only changes, at most twice a second.
        let changed =
            printed.is_none_or(|(o, b, at)| (o, b) != (objective, bound) && now - at > 0.5);
        if changed {
            let _ = writeln!(std::io::stderr().lock(), "{now:7.1} s  {text}");
            *printed = Some((objective, bound, now));
        }
    }
}
