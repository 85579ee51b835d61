//! The verdicts of `reports/papers` follow from the rows beside them.

use std::path::Path;
use std::process::Command;

use crate::skip::skipped;

/// Python 3.11, which the reports' script needs, where it is there.
fn python(test: &str) -> Option<Command> {
    let enough = "import sys; sys.exit(sys.version_info < (3, 11))";
    let there = Command::new("python3").args(["-c", enough]).status();
    if !there.is_ok_and(|status| status.success()) {
        skipped(test, "needs Python 3.11");
        return None;
    }
    let mut command = Command::new("python3");
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("reports/papers"));
    Some(command)
}

#[test]
fn every_verdict_follows_from_its_rows() {
    let Some(mut command) = python("papers::every_verdict_follows_from_its_rows") else { return };
    let output = command.args(["run", "--check"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn statistics_and_relations_are_those_of_the_books() {
    let Some(mut command) = python("papers::statistics_and_relations_are_those_of_the_books")
    else {
        return;
    };
    let output = command.args(["-B", "test.py"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
