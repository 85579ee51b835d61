//! Ctrl-C: unfinished files are removed and the program ends; a search first gets a moment to keep its best result.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tempfile::NamedTempFile;

/// Files that an interruption removes: temporary files and folders, then folders that were made for them, if they are
/// empty. Locked while finished files are moved to their targets, and from Ctrl-C until the program ends.
static UNFINISHED: Mutex<Unfinished> = Mutex::new(Unfinished {
    files: Vec::new(),
    made: Vec::new(),
    said: None,
});
/// Whether the first Ctrl-C only stops a search.
static DEFERRED: AtomicBool = AtomicBool::new(false);
/// Whether a Ctrl-C has asked the search to stop, while [`DEFERRED`] holds.
static STOP: AtomicBool = AtomicBool::new(false);

struct Unfinished {
    /// Temporary files and folders.
    files: Vec<PathBuf>,
    /// Folders that were made for results, innermost first.
    made: Vec<PathBuf>,
    /// What is printed when Ctrl-C ends the program; `None` for nothing.
    said: Option<String>,
}

/// The exit code of a program that Ctrl-C ended.
pub const INTERRUPTED: u8 = 130;
/// How long a search may take to stop.
const PATIENCE: Duration = Duration::from_millis(800);

/// Handles Ctrl-C. Without the handler Ctrl-C works too, but leaves temporary files.
pub fn install_handler() {
    let _ = ctrlc::set_handler(|| {
        if DEFERRED.load(Ordering::SeqCst) && !STOP.swap(true, Ordering::SeqCst) {
            // A solver that does not ask whether to stop is ended. The wait is on a thread of its own: in the handler
            // it would keep the second Ctrl-C waiting.
            std::thread::spawn(|| {
                std::thread::sleep(PATIENCE);
                if DEFERRED.load(Ordering::SeqCst) {
                    end_program();
                }
            });
            return;
        }
        end_program();
    });
}

fn lock_unfinished() -> std::sync::MutexGuard<'static, Unfinished> {
    UNFINISHED.lock().unwrap_or_else(|e| e.into_inner())
}

/// Removes what is unfinished and ends the program.
fn end_program() -> ! {
    // Locked until the program ends, so that no new file is begun meanwhile.
    let unfinished = lock_unfinished();
    for path in &unfinished.files {
        // The path is a file or a folder: one of the two fails, which is as it should be.
        let _ = std::fs::remove_file(path);
        let _ = std::fs::remove_dir_all(path);
    }
    for folder in &unfinished.made {
        let _ = std::fs::remove_dir(folder);
    }
    if let Some(said) = &unfinished.said {
        super::notes::note!("{said}");
    }
    std::process::exit(INTERRUPTED.into());
}

/// Sets what Ctrl-C does. With `yes` the first one sets [`is_stopped`], and ends the program only if the search goes
/// on for 800 ms; without, each ends the program.
pub fn defer_first_interrupt(yes: bool) {
    DEFERRED.store(yes, Ordering::SeqCst);
}

/// Checks whether a search should stop.
pub fn is_stopped() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// Sets the text that an interruption prints from now on, if any.
pub fn set_last_words(text: Option<String>) {
    lock_unfinished().said = text;
}

/// Registers the temporary file that `make` makes, so that Ctrl-C removes it.
pub fn watch_file(make: impl FnOnce() -> io::Result<NamedTempFile>) -> io::Result<NamedTempFile> {
    let mut unfinished = lock_unfinished();
    // Under the lock: between making and listing it an interruption would leave the file behind.
    let file = make()?;
    unfinished.files.push(file.path().to_path_buf());
    Ok(file)
}

/// Makes a folder where there is none, and a temporary folder in it by `make`; Ctrl-C removes what was made.
pub fn watch_folder(
    folder: &Path,
    make: impl FnOnce() -> io::Result<tempfile::TempDir>,
) -> io::Result<tempfile::TempDir> {
    let mut unfinished = lock_unfinished();
    // The outermost that is not there comes last.
    let new = folder
        .ancestors()
        .take_while(|path| *path != Path::new("") && !path.exists());
    let new: Vec<PathBuf> = new.map(Path::to_path_buf).collect();
    unfinished.made.extend(new);
    std::fs::create_dir_all(folder)?;
    let temporary = make()?;
    unfinished.files.push(temporary.path().to_path_buf());
    Ok(temporary)
}

/// Moves a watched file to its target.
pub fn move_to_target(file: NamedTempFile, target: &Path) -> io::Result<()> {
    let mut unfinished = lock_unfinished();
    unfinished.files.retain(|path| path != file.path());
    file.persist(target).map(drop).map_err(|e| e.error)
}

/// Runs `moves`, which ends with complete files in their places, without an interruption.
pub fn without_interruption<T>(moves: impl FnOnce() -> T) -> T {
    let mut unfinished = lock_unfinished();
    let outcome = moves();
    unfinished.made.clear();
    outcome
}
