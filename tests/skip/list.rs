//! Where the tests of one run list those that skipped themselves.

use std::path::{Path, PathBuf};

/// Returns the list that `NODEORDER_SKIPPED` names, else one for each process that starts tests (cargo, cargo-nextest),
/// so that two runs never share one.
pub fn path() -> PathBuf {
    if let Some(path) = std::env::var_os("NODEORDER_SKIPPED") {
        return path.into();
    }
    #[cfg(unix)]
    let run = std::os::unix::process::parent_id();
    #[cfg(not(unix))]
    let run = "here";
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("skipped-{run}.txt"))
}
