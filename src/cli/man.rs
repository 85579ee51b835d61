//! `nodeorder man`: manual pages.

use crate::shared::{help, output};
use clap::{Args, CommandFactory};
use nodeorder_base::{Error, SourceLocation};
use nodeorder_network::Context;
use std::path::PathBuf;

/// Print a command's manual page, or write all of them to a folder
#[derive(Debug, Args)]
#[command(after_help = "Example: nodeorder man mpc > nodeorder-mpc.1")]
pub struct Command {
    /// The command; without one, the page of nodeorder itself
    #[arg(conflicts_with = "out")]
    verb: Vec<String>,
    /// Write into the folder DIR: every page; it is made if it does not exist
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Command {
    pub fn run(self, _: &Context) -> anyhow::Result<()> {
        let pages = render_pages()?;
        if let Some(folder) = &self.out {
            let files = pages.iter().map(|(name, page)| (format!("{name}.1"), page));
            output::write_folder(folder, files)?;
            let first = folder.join("nodeorder.1");
            let text = format!("{} pages: man -l {}\n", pages.len(), first.display());
            return output::write_text(None, text);
        }
        let wanted = ["nodeorder"]
            .into_iter()
            .chain(self.verb.iter().map(String::as_str));
        let wanted = wanted.collect::<Vec<_>>().join("-");
        let page = pages
            .iter()
            .find(|(name, _)| *name == wanted)
            .ok_or_else(|| {
                let names = pages
                    .iter()
                    .filter_map(|(name, _)| name.strip_prefix("nodeorder-"));
                Error::unknown(
                    SourceLocation::option("man"),
                    "command",
                    &self.verb.join("-"),
                    names,
                )
            })?;
        output::write_text(None, &page.1)
    }
}

/// Files and exit codes of every command, as sections of a page.
const SECTIONS: &str = r".SH FILES
A machine is a TOML file, or any file that a reader recognises: Slurm's topology.conf and topology.yaml, what scontrol,
kubectl get nodes \-o json and ibnetdiscover print, GraphML, a table of links. An ordering is a file of one node a line.
A file whose name ends in .gz is read compressed.
.SH EXIT STATUS
0: done. 1: bad input or failed work. 2: wrong usage. 130, 143, 129: stopped by Ctrl\-C, SIGTERM, SIGHUP.
";

/// Writes the sections that end the page of a command: examples, files, exit status, other pages.
fn write_sections(command: &clap::Command, name: &str) -> String {
    let mut text = String::from(".SH EXAMPLES\n.nf\n");
    for example in help::list_examples(command) {
        text += &format!("{}\n", example.replace('-', r"\-"));
    }
    text += &format!(".fi\n{SECTIONS}.SH SEE ALSO\n");
    let below = command.get_subcommands().filter(|c| !c.is_hide_set());
    let mut others: Vec<String> = below.map(|c| format!("{name}-{}", c.get_name())).collect();
    if let Some((above, _)) = name.rsplit_once('-') {
        others.push(above.into());
    }
    others.sort();
    let others: Vec<String> = others
        .iter()
        .map(|other| format!(".BR {} (1)", other.replace('-', r"\-")))
        .collect();
    text + &others.join("\n") + "\n"
}

/// Renders every page, that of the program first, with its file name.
fn render_pages() -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    // `nodeorder help` repeats every command below itself: twice as many pages with the same text.
    let mut command = super::Cli::command().disable_help_subcommand(true);
    // The pages give only the version, not the build.
    command = command.long_version(None);
    command.build();
    let mut pages = Vec::new();
    let mut left = vec![command];
    while let Some(command) = left.pop() {
        let name = command
            .get_display_name()
            .unwrap_or(command.get_name())
            .to_string();
        let mut page = Vec::new();
        // The examples have a section of their own.
        clap_mangen::Man::new(command.clone().after_help("").after_long_help(""))
            .title(name.to_uppercase())
            .render(&mut page)?;
        page.extend(write_sections(&command, &name).into_bytes());
        pages.push((name, page));
        left.extend(
            command
                .get_subcommands()
                .filter(|c| !c.is_hide_set())
                .cloned(),
        );
    }
    // `nodeorder` is a prefix of every other name, so it comes first.
    pages.sort();
    Ok(pages)
}
