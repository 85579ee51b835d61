//! Progress bars on standard error, where that is a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar for `steps` steps of `what`; hidden where standard error is not a terminal.
pub fn bar(steps: u64, what: &str) -> ProgressBar {
    shown(Some(steps), what, "{prefix} [{bar:30}] {pos}/{len} {msg} (remaining {eta})")
}

/// A bar for the bytes of a file; only a count where the total is unknown.
pub fn bytes(all: Option<u64>, what: &str) -> ProgressBar {
    let template = match all {
        Some(_) => "{prefix} [{bar:30}] {percent}% (remaining {eta})",
        None => "{prefix} {bytes} read ({elapsed})",
    };
    shown(all, what, template)
}

/// A spinner with the elapsed time, for work whose steps are not counted; removed when dropped.
pub fn waiting(what: &str) -> Waiting {
    Waiting(shown(None, what, "{spinner} {prefix} ({elapsed})"))
}

/// See [`waiting`].
pub struct Waiting(ProgressBar);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn shown(steps: Option<u64>, what: &str, template: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(steps, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_prefix(what.to_string());
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
