//! `nodeorder completions`: completion scripts for shells.

use crate::shared::kit::*;
use clap::CommandFactory;
use clap_complete::Shell;

/// Print the completion script of a shell
///
/// bash: nodeorder completions bash > ~/.local/share/bash-completion/completions/nodeorder.
/// zsh: into a file _nodeorder in a folder of $fpath.
/// fish: into ~/.config/fish/completions/nodeorder.fish.
#[derive(Debug, Args)]
#[command(after_help = "Example: nodeorder completions bash > nodeorder.bash")]
pub struct Command {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

impl Command {
    pub fn run(self, _: &Context) -> anyhow::Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(
            self.shell,
            &mut super::Cli::command(),
            "nodeorder",
            &mut script,
        );
        output::write(None, &script)
    }
}
