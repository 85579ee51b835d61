//! `nodeorder report`: a sweep's results as a page.

use std::path::PathBuf;

use clap::Args;

use super::output;
use super::sweep::{MANIFEST, results};
use crate::input::Text;
use crate::report::sweep;
use crate::topology::Context;

/// Draw a sweep's results: DIR/index.html with a table and a figure for each machine and workload
#[derive(Debug, Args)]
#[command(after_help = "Example: nodeorder report results")]
pub struct Command {
    /// The folder that holds results.csv or results.csv.gz
    folder: PathBuf,
}

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        let table = Text::read(&results(&self.folder), context.memory)?;
        let manifest = self.folder.join(MANIFEST);
        let manifest =
            if manifest.exists() { Some(Text::read(&manifest, context.memory)?) } else { None };
        let files = sweep::files(&table, manifest.as_ref().map(Text::as_str))?;
        // The page comes last: it never refers to what is not there.
        for (name, text) in files.iter().rev() {
            output::write(Some(&self.folder.join(name)), text.as_bytes())?;
        }
        let page = self.folder.join("index.html");
        output::write(None, format!("Page: {}\n", page.display()).as_bytes())
    }
}
