//! Hostile input: the seeds of every parser, mutated; what fuzzing found before; numbers beyond every range.

use std::path::PathBuf;

#[allow(dead_code)]
mod drivers;

fn data(folder: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(folder)
}
