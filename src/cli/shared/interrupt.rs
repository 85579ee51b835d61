//! Ctrl-C, and the signals TERM and HUP that Slurm, Kubernetes and terminals send: unfinished files are removed and
//! the program ends; a search first gets a moment to keep its best result.
//!
//! No program can clean up after a kill or a power cut. So an unfinished file is locked while it is written
//! (`flock(2)`, which ends with its process), and the next command that writes into its folder removes those that
//! nobody has locked.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::Duration;

use tempfile::NamedTempFile;

/// Files that an interruption removes: temporary files and folders, then folders that were made for them, if they are
/// empty. Locked while finished files are moved to their targets, and from Ctrl-C until the program ends.
static UNFINISHED: Mutex<UnfinishedPaths> = Mutex::new(UnfinishedPaths {
    files: Vec::new(),
    made: Vec::new(),
    locks: Vec::new(),
    said: None,
});
/// Whether the first Ctrl-C only stops a search.
static DEFERRED: AtomicBool = AtomicBool::new(false);
/// Whether a Ctrl-C has asked the search to stop, while [`DEFERRED`] holds.
static STOP: AtomicBool = AtomicBool::new(false);

struct UnfinishedPaths {
    /// Temporary files and folders.
    files: Vec<PathBuf>,
    /// Folders that were made for results, innermost first.
    made: Vec<PathBuf>,
    /// Locks of temporary folders, held until the program ends.
    locks: Vec<File>,
    /// Text that is printed when Ctrl-C ends the program; `None` for no text.
    said: Option<String>,
}

/// The last signal that came: that of Ctrl-C (INT), TERM or HUP.
static SIGNAL: AtomicU8 = AtomicU8::new(2);

/// Computes the exit code of a program that a signal ended: 130 after Ctrl-C, 143 after TERM, 129 after HUP.
pub fn exit_code() -> u8 {
    128 + SIGNAL.load(Ordering::SeqCst)
}

/// How long a search may take to stop.
const PATIENCE: Duration = Duration::from_millis(800);

/// Handles Ctrl-C, TERM and HUP. Without the handler they end the program, too, but leave temporary files. Other
/// threads must start later.
#[cfg(unix)]
pub fn install_handler() {
    use nix::sys::signal::{SigSet, Signal};
    let mut signals = SigSet::empty();
    signals.add(Signal::SIGINT);
    signals.add(Signal::SIGTERM);
    // `nohup` has it ignored, and means it.
    if !is_ignored(Signal::SIGHUP as u8) {
        signals.add(Signal::SIGHUP);
    }
    // Blocked in this thread and in those it starts: the signals go to the one that waits for them.
    if signals.thread_block().is_err() {
        return;
    }
    let waiting = std::thread::Builder::new().spawn(move || {
        while let Ok(signal) = signals.wait() {
            handle_signal(signal as u8);
        }
    });
    if waiting.is_err() {
        // Nobody waits for them: they end the program as they would without a handler.
        let _ = signals.thread_unblock();
    }
}

/// Handles Ctrl-C.
#[cfg(not(unix))]
pub fn install_handler() {
    let _ = ctrlc::set_handler(|| handle_signal(2));
}

/// Checks whether the program was started with a signal ignored; true where the system does not say.
#[cfg(unix)]
fn is_ignored(signal: u8) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_none_or(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Ends the program, or stops a search that may keep its best result.
fn handle_signal(signal: u8) {
    SIGNAL.store(signal, Ordering::SeqCst);
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
}

fn lock_unfinished() -> std::sync::MutexGuard<'static, UnfinishedPaths> {
    UNFINISHED.lock().unwrap_or_else(|e| e.into_inner())
}

/// Removes what is unfinished and ends the program.
fn end_program() -> ! {
    // Locked until the program ends, so that no new file is begun meanwhile.
    let unfinished = lock_unfinished();
    for path in &unfinished.files {
        remove_path(path);
    }
    for folder in &unfinished.made {
        let _ = std::fs::remove_dir(folder);
    }
    if let Some(said) = &unfinished.said {
        super::notes::note!("{said}");
    }
    std::process::exit(exit_code().into());
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

/// How the names of temporary files and folders begin and end.
pub const TEMPORARY: (&str, &str) = (".nodeorder-", ".tmp");

/// Tries to lock a temporary file or folder; false where another command has it, which is about to remove it. Where
/// the file system has no locks nobody removes it, either.
#[cfg(unix)]
fn try_lock(file: &File) -> bool {
    !matches!(file.try_lock(), Err(std::fs::TryLockError::WouldBlock))
}

/// Takes no lock: on this system a lock would keep the file from being moved.
#[cfg(not(unix))]
fn try_lock(_: &File) -> bool {
    true
}

/// Removes the temporary files and folders that commands which were killed left in `folder`.
pub fn remove_abandoned(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let ours = name.starts_with(TEMPORARY.0) && name.ends_with(TEMPORARY.1);
        // A pipe of such a name would keep us waiting.
        let plain = entry
            .file_type()
            .is_ok_and(|kind| kind.is_file() || kind.is_dir());
        if !cfg!(unix) || !ours || !plain {
            continue;
        }
        let path = entry.path();
        let Ok(file) = File::open(&path) else {
            continue;
        };
        // A lock that can be had has no owner.
        if file.try_lock().is_ok() {
            remove_path(&path);
        }
    }
}

/// Removes a file, or a folder with what is in it.
fn remove_path(path: &Path) {
    // One of the two fails, which is as it should be.
    let _ = std::fs::remove_file(path);
    let _ = std::fs::remove_dir_all(path);
}

/// Registers the temporary file that `make` makes, so that Ctrl-C removes it.
pub fn watch_file(make: impl Fn() -> io::Result<NamedTempFile>) -> io::Result<NamedTempFile> {
    let mut unfinished = lock_unfinished();
    // Under the lock: between making and listing it an interruption would leave the file behind.
    let mut file = make()?;
    // Another command may have found it before it was locked.
    while !try_lock(file.as_file()) || !file.path().exists() {
        file = make()?;
    }
    unfinished.files.push(file.path().to_path_buf());
    Ok(file)
}

/// Makes a folder where there is none, and a temporary folder in it by `make`; Ctrl-C removes what was made.
pub fn watch_folder(
    folder: &Path,
    make: impl Fn() -> io::Result<tempfile::TempDir>,
) -> io::Result<tempfile::TempDir> {
    let mut unfinished = lock_unfinished();
    // The outermost that is not there comes last.
    let new = folder
        .ancestors()
        .take_while(|path| *path != Path::new("") && !path.exists());
    let new: Vec<PathBuf> = new.map(Path::to_path_buf).collect();
    unfinished.made.extend(new);
    std::fs::create_dir_all(folder)?;
    remove_abandoned(folder);
    let mut temporary = make()?;
    let mut lock = File::open(temporary.path()).ok();
    while lock.as_ref().is_some_and(|lock| !try_lock(lock)) || !temporary.path().exists() {
        temporary = make()?;
        lock = File::open(temporary.path()).ok();
    }
    unfinished.locks.extend(lock);
    unfinished.files.push(temporary.path().to_path_buf());
    Ok(temporary)
}

/// Moves watched files to their targets, all without an interruption; fails with the number of the one that could not
/// be moved.
pub fn move_to_targets(files: Vec<(NamedTempFile, PathBuf)>) -> Result<(), (usize, io::Error)> {
    let mut unfinished = lock_unfinished();
    for (i, (file, target)) in files.into_iter().enumerate() {
        unfinished.files.retain(|path| path != file.path());
        file.persist(target).map_err(|e| (i, e.error))?;
    }
    Ok(())
}

/// Runs `moves`, which ends with complete files in their places, without an interruption.
pub fn without_interruption<T>(moves: impl FnOnce() -> T) -> T {
    let mut unfinished = lock_unfinished();
    let outcome = moves();
    unfinished.made.clear();
    outcome
}
