//! `nodeorder completions`: completion scripts for shells.

use crate::shared::output;
use clap::Args;
use clap::CommandFactory;
use clap::builder::PossibleValuesParser;
use clap_complete::Shell;
use nodeorder_network::Context;
use nodeorder_sweep::reference::list_tables;

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

/// Arguments whose values a table names, and the table.
const NAMED: [(&str, &str); 9] = [
    ("spec", "topologies"),
    ("specs", "topologies"),
    ("order", "orderings"),
    ("by", "orderings"),
    ("orders", "orderings"),
    ("alloc", "allocators"),
    ("allocators", "allocators"),
    ("allocator", "allocators"),
    ("policy", "policies"),
];

/// Offers the names of a table as values of an argument; files and options of entries are typed.
fn offer_names(argument: clap::Arg) -> clap::Arg {
    let mut named = NAMED.iter().filter(|(id, _)| argument.get_id() == id);
    let table = named.next().map(|(_, table)| table);
    let mut tables = list_tables().into_iter();
    match tables.find(|listed| Some(&listed.name) == table) {
        Some(table) => {
            let names = table.entries.iter().map(|entry| entry.name);
            argument.value_parser(PossibleValuesParser::new(names.collect::<Vec<_>>()))
        }
        None => argument,
    }
}

/// Copies a command without what no help shows: older spellings, which no shell is to offer.
fn drop_hidden(command: &clap::Command) -> clap::Command {
    let arguments = command.get_arguments().filter(|a| !a.is_hide_set());
    let arguments = arguments.map(|argument| offer_names(argument.clone()));
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
