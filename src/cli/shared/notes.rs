//! Notes on standard error: what is not an error. `--quiet` silences them.

use std::fmt::{Arguments, Display};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

static QUIET: AtomicBool = AtomicBool::new(false);

/// Prints a line on standard error that is no error.
macro_rules! note {
    ($($text:tt)*) => {
        if !$crate::shared::notes::is_silent() {
            $crate::shared::notes::print_note(format_args!($($text)*));
        }
    };
}

pub(crate) use note;

/// Silences standard error from here on: only errors are printed, and no progress.
pub fn silence_notes() {
    // Set once before other threads begin, so no order of memory matters.
    QUIET.store(true, Ordering::Relaxed);
}

/// Checks whether only errors are wanted.
pub fn is_silent() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Prints a line on standard error. Where it is closed (`2>&1 | head`) nobody reads it.
pub fn print_note(text: Arguments<'_>) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Prints lines on standard error that are no errors.
pub fn print_each(texts: impl IntoIterator<Item: Display>) {
    for text in texts {
        note!("{text}");
    }
}

/// Names the mapping methods that a search had no time for.
pub fn say_unfinished(methods: &[&str]) {
    if !methods.is_empty() {
        let methods = methods.join(", ");
        note!("not run to the end for want of time: {methods}");
    }
}
