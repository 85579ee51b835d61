//! `nodeorder export`: an ordering in the format of another program.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::shared::network_figures::NetworkFigures;
use crate::shared::notes::note;
use crate::shared::output;
use nodeorder::error::Error;
use nodeorder::export::{self, SimGridFigures};
use nodeorder::params::Unit;
use nodeorder::topology::Context;

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
    #[command(flatten, next_help_heading = "Figures of the target simgrid")]
    network: NetworkFigures,
    /// simgrid: latency of a hop, such as 1us [default: a placeholder]
    #[arg(long, value_name = "SECONDS")]
    latency: Option<String>,
    /// simgrid: operations a second of a node, such as 100Gf [default: a placeholder]
    #[arg(long, value_name = "F")]
    speed: Option<String>,
    /// Write to FILE instead of standard output (simgrid: also the hosts in rank order to FILE.hosts)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        let target = export::target(&self.to)?;
        let figures = self.figures(target.name, context)?;
        let topology = crate::shared::inputs::topology(&self.spec, context)?;
        let order = crate::shared::inputs::order(&topology, &self.order)?;
        let export = match figures {
            Some(figures) => export::simgrid(&topology, &order, &figures)?,
            None => export::write(&self.to, &topology, &order)?,
        };
        let file = output::file(self.output.as_deref());
        export.notes.iter().for_each(|line| note!("{line}"));
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

    /// The figures of a SimGrid platform, where any is given.
    fn figures(&self, target: &str, context: &Context) -> Result<Option<SimGridFigures>, Error> {
        let speed = self.speed.as_deref().map(|speed| ("--speed", speed));
        let latency = self.latency.as_deref().map(|latency| ("--latency", latency));
        if let Some((flag, text)) = self.network.given().next().or(latency).or(speed)
            && target != "simgrid"
        {
            let found = format!("`--to {target}`");
            let expected = "--to simgrid beside this option";
            return Err(Error::option(format!("{flag} {text}"), found, expected));
        }
        let speed = speed.map(|(flag, text)| match Unit::Speed.option(flag, text)? {
            0.0 => Err(Error::option(format!("{flag} {text}"), "0", "a value above 0")),
            value => Ok(value),
        });
        let network = self.network.read(self.latency.as_deref(), context)?;
        let figures = SimGridFigures { network, speed: speed.transpose()? };
        Ok((figures != SimGridFigures::default()).then_some(figures))
    }
}
