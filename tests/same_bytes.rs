//! The bytes that commands write, by their checksums: `tests/same_bytes/run` says how, and records them anew, as
//! `UPDATE_DOCS=1` does here.

use std::path::Path;
use std::process::Command;

/// Fails where the script does, which is given `folder`, if any.
fn hold(folder: Option<&Path>) {
    let script = crate::root().join("tests/same_bytes/run");
    let output = Command::new("bash")
        .arg(script)
        .arg(env!("CARGO_BIN_EXE_nodeorder"))
        .args(std::env::var_os("UPDATE_DOCS").map(|_| "--record"))
        .args(folder)
        .output()
        .expect("bash is installed");
    assert!(
        output.status.success(),
        "{}{}\nMeant? Name it in CHANGELOG.md and record it: tests/same_bytes/run BINARY --record",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn commands_write_the_bytes_that_were_recorded() {
    hold(None);
}

/// What is there to compare two binaries by.
#[test]
#[ignore = "half a thousand files"]
fn every_command_of_the_long_list_works() {
    let folder = tempfile::tempdir().unwrap();
    hold(Some(folder.path()));
    let files = folder.path().join("more").read_dir().unwrap();
    assert!(files.count() > 10);
}
