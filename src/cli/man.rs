//! `nodeorder man`: manual pages.

use crate::shared::output;
use clap::{Args, CommandFactory};
use nodeorder_base::error::{Error, SourceLocation};
use nodeorder_network::topology::Context;
use std::path::PathBuf;

/// Print a command's manual page, or write all of them to a folder
#[derive(Debug, Args)]
#[command(after_help = "Example: nodeorder man mpc > nodeorder-mpc.1")]
pub struct Command {
    /// The command; without one, the page of nodeorder itself
    #[arg(conflicts_with = "out")]
    verb: Vec<String>,
    /// Write every page to DIR, which is made if it does not exist
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
        clap_mangen::Man::new(command.clone())
            .title(name.to_uppercase())
            .render(&mut page)?;
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
