//! `nodeorder demo`: the main job on a machine that comes with the program.

use super::compare;
use crate::shared::notes::note;
use clap::{Args, FromArgMatches};
use nodeorder_network::Context;
use std::path::PathBuf;

/// Compare the orderings of a machine that comes with the program: two seconds
#[derive(Debug, Args)]
#[command(after_help = "Example: nodeorder demo")]
pub struct Command {
    /// Write into the folder DIR: a page (index.html), its plots and data
    #[arg(long, value_name = "DIR", default_value = "nodeorder-demo")]
    out: PathBuf,
}

/// Machine of the demo: HECToR, 2816 nodes on a torus of 15x6x16.
const MACHINE: &str = "hector";

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        note!("nodeorder compare {MACHINE} --out {}", self.out.display());
        // Parsed like a user's words, so that the demo has the defaults of `compare`, whatever these become.
        let command = compare::Command::augment_args(clap::Command::new("compare"));
        let words = [
            "compare".as_ref(),
            MACHINE.as_ref(),
            "--out".as_ref(),
            self.out.as_os_str(),
        ];
        let matches = command.try_get_matches_from(words)?;
        compare::Command::from_arg_matches(&matches)?.run(context)
    }
}
