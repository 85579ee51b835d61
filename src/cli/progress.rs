//! Progress on terminals, silence elsewhere.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar over `steps` steps of `what`, on standard error; hidden when that is no terminal.
pub fn bar(steps: u64, what: &str) -> ProgressBar {
    shown(Some(steps), what, "{prefix} [{bar:30}] {pos}/{len} {msg} (remaining {eta})")
}

/// A bar over the bytes of a file; where nobody knows how many there are, those read so far.
pub fn bytes(all: Option<u64>, what: &str) -> ProgressBar {
    let template = match all {
        Some(_) => "{prefix} [{bar:30}] {percent}% (remaining {eta})",
        None => "{prefix} {bytes} read ({elapsed})",
    };
    shown(all, what, template)
}

/// The time that something takes whose steps nobody counts; it goes when it is dropped.
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
