//! The `nodeorder` command: see `nodeorder --help`.

use std::process::ExitCode;

fn main() -> ExitCode {
    nodeorder::cli::run()
}
