//! Ctrl-C: files that are being written go, searches end with the best so far.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use tempfile::NamedTempFile;

/// Files that stand beside their targets and are not yet whole.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
/// Whether the first Ctrl-C only asks a search to end.
static PATIENT: AtomicBool = AtomicBool::new(false);
/// Set by that Ctrl-C.
static STOP: AtomicBool = AtomicBool::new(false);

/// What a shell is told of a program that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

/// Takes over Ctrl-C. Without a handler it still works, as it always does, but leaves temporary files.
pub fn install() {
    let _ = ctrlc::set_handler(|| {
        if PATIENT.load(Ordering::SeqCst) && !STOP.swap(true, Ordering::SeqCst) {
            return;
        }
        // Held to the end: whoever would begin a file now waits for an end that does not come.
        let files = UNFINISHED.lock().unwrap_or_else(|e| e.into_inner());
        for file in files.iter() {
            let _ = std::fs::remove_file(file);
        }
        std::process::exit(INTERRUPTED);
    });
}

/// With `yes` the first Ctrl-C sets [`stopped`] and the second ends the program; without, the first does.
pub fn defer_first_interrupt(yes: bool) {
    PATIENT.store(yes, Ordering::SeqCst);
}

/// Whether someone asked a search to end.
pub fn stopped() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// The temporary file that `make` makes, to be removed when Ctrl-C comes.
pub fn watched(make: impl FnOnce() -> io::Result<NamedTempFile>) -> io::Result<NamedTempFile> {
    let mut files = UNFINISHED.lock().unwrap_or_else(|e| e.into_inner());
    let file = make()?;
    files.push(file.path().to_path_buf());
    Ok(file)
}

/// Puts a watched file at its place.
pub fn persist(file: NamedTempFile, target: &Path) -> io::Result<()> {
    let mut files = UNFINISHED.lock().unwrap_or_else(|e| e.into_inner());
    files.retain(|path| path != file.path());
    file.persist(target).map(drop).map_err(|e| e.error)
}
