//! How a test says that it cannot run here: by name, in a list that the last test prints (`skip/count.rs`), and that
//! `.ci/run` judges.

mod list;

use std::io::Write;
use std::path::PathBuf;

/// Records that `test` is skipped, and why.
pub fn skipped(test: &str, reason: &str) {
    let line = format!("skipped: {test}: {reason}\n");
    eprint!("{line}");
    // One write to the end of the file: lines of tests stay whole, whether these run as threads or as processes.
    let mut list = std::fs::File::options()
        .create(true)
        .append(true)
        .open(list::path())
        .unwrap();
    list.write_all(line.as_bytes()).unwrap();
}

/// Another program that tests compare with, by the name that `.ci/run` knows it by.
#[derive(Clone, Copy, Debug)]
pub enum Peer {
    Caminos,
    Chromium,
    Scotch,
    SimGrid,
    Slurm,
    Slurm26,
}

/// Records that `test` is skipped because `missing`, a part of `peer`, is not here. Under `.ci/run` with `CI=true` that
/// is a failure where the peer could be installed.
pub fn without(peer: Peer, test: &str, missing: &str) {
    skipped(test, &format!("needs {peer:?}: {missing}"));
}

/// A trace that is not part of the project, where it lies beside it; else `test` says that it skips it.
pub fn trace(test: &str, name: &str) -> Option<PathBuf> {
    shared(test, &format!("traces/{name}"))
}

/// A file that is not part of the project, where it lies beside it; else `test` says that it skips it.
pub fn shared(test: &str, name: &str) -> Option<PathBuf> {
    let path = crate::root().join("../shared").join(name);
    let there = path.exists();
    if !there {
        skipped(test, &format!("no {}", path.display()));
    }
    there.then_some(path)
}

#[test]
fn skipped_tests_are_listed_and_ci_knows_the_peers() {
    let root = crate::root();
    let run = std::fs::read_to_string(root.join(".ci/run")).unwrap();
    for peer in [
        Peer::Caminos,
        Peer::Chromium,
        Peer::Scotch,
        Peer::SimGrid,
        Peer::Slurm,
        Peer::Slurm26,
    ] {
        assert!(
            run.contains(&format!("[{peer:?}]=")),
            ".ci/run does not know {peer:?}"
        );
    }
    // No test skips itself on its own account.
    for entry in std::fs::read_dir(root.join("tests")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "rs") || path.ends_with("skip.rs") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for (i, line) in text.lines().enumerate() {
            let own = line.contains("print!(\"skipp") || line.contains("println!(\"skipp");
            assert!(
                !own,
                "{}:{}: skips without crate::skip",
                path.display(),
                i + 1
            );
        }
    }
}
