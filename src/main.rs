//! The `nodeorder` command: see `nodeorder --help`.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    nodeorder::cli::run()
}
