//! Ctrl-C: unfinished files are removed, searches stop with their best result so far.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use tempfile::NamedTempFile;

/// Temporary files that are still being written.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
/// Whether the first Ctrl-C only stops a search.
static DEFERRED: AtomicBool = AtomicBool::new(false);
/// Set by that Ctrl-C.
static STOP: AtomicBool = AtomicBool::new(false);

/// The exit code of a program that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

/// Handles Ctrl-C. Without the handler Ctrl-C works too, but leaves temporary files.
pub fn install() {
    let _ = ctrlc::set_handler(|| {
        if DEFERRED.load(Ordering::SeqCst) && !STOP.swap(true, Ordering::SeqCst) {
            return;
        }
        // Locked until the program ends, so that no new file is begun meanwhile.
        let files = UNFINISHED.lock().unwrap_or_else(|e| e.into_inner());
        for file in files.iter() {
            let _ = std::fs::remove_file(file);
        }
        std::process::exit(INTERRUPTED);
    });
}

/// With `yes` the first Ctrl-C sets [`stopped`] and the second ends the program; without, the first does.
pub fn defer_first_interrupt(yes: bool) {
    DEFERRED.store(yes, Ordering::SeqCst);
}

/// Whether a search should stop.
pub fn stopped() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// The temporary file that `make` makes; Ctrl-C removes it.
pub fn watched(make: impl FnOnce() -> io::Result<NamedTempFile>) -> io::Result<NamedTempFile> {
    let mut files = UNFINISHED.lock().unwrap_or_else(|e| e.into_inner());
    let file = make()?;
    files.push(file.path().to_path_buf());
    Ok(file)
}

/// Moves a watched file to its target.
pub fn persist(file: NamedTempFile, target: &Path) -> io::Result<()> {
    let mut files = UNFINISHED.lock().unwrap_or_else(|e| e.into_inner());
    files.retain(|path| path != file.path());
    file.persist(target).map(drop).map_err(|e| e.error)
}
