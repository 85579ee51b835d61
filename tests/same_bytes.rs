//! The bytes that commands write, by their checksums: `tests/same_bytes/run` says how, and records them anew, as
//! `UPDATE_DOCS=1` does here.

use std::process::Command;

#[test]
fn commands_write_the_bytes_that_were_recorded() {
    let script = crate::root().join("tests/same_bytes/run");
    let output = Command::new("bash")
        .arg(script)
        .arg(env!("CARGO_BIN_EXE_nodeorder"))
        .args(std::env::var_os("UPDATE_DOCS").map(|_| "--record"))
        .output()
        .expect("bash is installed");
    assert!(
        output.status.success(),
        "{}{}\nMeant? Name it in CHANGELOG.md and record it: tests/same_bytes/run BINARY --record",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}
