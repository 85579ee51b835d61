//! `nodeorder export`: an ordering in the form another program takes.

use std::path::PathBuf;

use clap::Args;

use super::output;
use crate::export;
use crate::ordering::NodeOrder;
use crate::topology::Context;

/// Write an ordering in the form another program takes
#[derive(Debug, Args)]
#[command(after_help = "Example: nodeorder export titan --order hilbert --to csv -o titan.csv")]
pub struct Command {
    /// The machine: a TOML file, the name of a shipped one, or kind:…
    spec: String,
    /// The ordering: a name with options, or an ordering file
    #[arg(long, value_name = "ORD")]
    order: String,
    /// The target; see `nodeorder list targets`
    #[arg(long, value_name = "TARGET")]
    to: String,
    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        let target = export::target(&self.to)?;
        let topology = super::load(&self.spec, context)?;
        let order = NodeOrder::make(&topology, &self.order)?;
        let text = (target.write)(&topology, &order)?;
        output::write(self.output.as_deref(), text.as_bytes())
    }
}
