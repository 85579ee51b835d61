//! `nodeorder export`: an ordering in the format of another program.

use std::path::{Path, PathBuf};

use clap::Args;

use super::notes::note;
use super::output;
use crate::export;
use crate::topology::Context;

/// Write an ordering in the format of another program
#[derive(Debug, Args)]
#[command(
    after_help = "Example: nodeorder export titan --order hilbert --to slurm-weights -o weights.conf"
)]
pub struct Command {
    /// The machine: a TOML file, the name of a shipped machine, or kind:options
    spec: String,
    /// The ordering: a name with options, or an ordering file
    #[arg(long, value_name = "ORD")]
    order: String,
    /// The target; see `nodeorder list targets`
    #[arg(long, value_name = "TARGET")]
    to: String,
    /// Write to FILE instead of standard output (simgrid: also the hosts in rank order to FILE.hosts)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        let target = export::target(&self.to)?;
        let topology = super::inputs::topology(&self.spec, context)?;
        let order = super::inputs::order(&topology, &self.order)?;
        let export = (target.build)(&topology, &order)?;
        let file = self.output.as_deref().filter(|path| *path != Path::new("-"));
        // The files beside it come first, so that the file never lacks them.
        for (ending, text) in &export.beside {
            match file {
                Some(file) => {
                    let mut name = file.as_os_str().to_os_string();
                    name.push(ending);
                    output::write(Some(Path::new(&name)), text)?;
                }
                None => note!("--to {}: -o FILE also writes FILE{ending}", target.name),
            }
        }
        output::write(file, export.text)
    }
}
