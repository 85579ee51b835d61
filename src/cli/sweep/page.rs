//! `nodeorder sweep page`: a sweep's results as a page.

use std::path::PathBuf;

use clap::Args;

use crate::shared::output;
use crate::shared::sweep_folder::SweepFolder;
use nodeorder_network::Context;
use nodeorder_present::report::sweep;

/// Write DIR/index.html: tables and figures of a sweep's results
#[derive(Debug, Args)]
#[command(after_help = "Example: nodeorder sweep page results")]
pub struct Command {
    /// The folder that holds results.csv or results.csv.gz
    folder: PathBuf,
}

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        let folder = SweepFolder(&self.folder);
        let (table, manifest) = folder.read_table(context.memory)?;
        let files = sweep::files(&table, &manifest)?;
        // The page comes last, so that it never refers to a missing file.
        let files = files.iter().rev().map(|(name, text)| (name, text));
        output::write_folder(&self.folder, files)?;
        let page = self.folder.join("index.html");
        output::write_text(None, format!("Page: {}\n", page.display()))
    }
}
