//! `nodeorder completions`: completion scripts for shells.

use crate::shared::output;
use clap::Args;
use clap::CommandFactory;
use clap_complete::Shell;
use nodeorder_network::topology::Context;

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
        // A command built anew has lost this setting: without it subcommands would not offer `--version`.
        let mut command = drop_hidden(&super::Cli::command()).propagate_version(true);
        clap_complete::generate(self.shell, &mut command, "nodeorder", &mut script);
        output::write_text(None, &script)
    }
}

/// Copies a command without what no help shows: older spellings, which no shell is to offer.
fn drop_hidden(command: &clap::Command) -> clap::Command {
    let arguments = command.get_arguments().filter(|a| !a.is_hide_set());
    let commands = command.get_subcommands().filter(|c| !c.is_hide_set());
    let mut shown = clap::Command::new(command.get_name().to_string())
        .args(arguments)
        .subcommands(commands.map(drop_hidden));
    if let Some(about) = command.get_about() {
        shown = shown.about(about.clone());
    }
    if let Some(version) = command.get_version() {
        shown = shown.version(version.to_string());
    }
    shown
}
