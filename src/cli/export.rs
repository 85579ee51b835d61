//! `nodeorder export`: an ordering in the format of another program.

use crate::shared::network_figures::NetworkFigureArgs;
use crate::shared::notes::{note, print_each};
use crate::shared::{inputs, output};
use clap::Args;
use nodeorder_base::{Error, Text};
use nodeorder_network::{Context, Topology};
use nodeorder_order::NodeOrder;
use std::path::PathBuf;

use nodeorder_base::params::Unit;
use nodeorder_present::export::{self, ExportJob, SimGridFigures};
use nodeorder_traffic::corun::Job;

/// Write an ordering in the format of another program
#[derive(Debug, Args)]
#[command(
    after_help = "Example: nodeorder export titan --order hilbert --to slurm-weights -o weights.conf"
)]
pub struct Command {
    /// The machine: any file that describes it, the name of a shipped one, or kind:options
    spec: String,
    /// An ordering: a name with options, or an ordering file
    #[arg(long, value_name = "ORD")]
    order: String,
    /// Form of the output; see `nodeorder list targets`
    #[arg(long, value_name = "FORMAT")]
    to: String,
    #[command(flatten, next_help_heading = "Figures of the target simgrid")]
    network: NetworkFigureArgs,
    /// Latency of a hop, such as 1us; simgrid [default: a placeholder]
    #[arg(long, value_name = "SECONDS")]
    latency: Option<String>,
    /// simgrid: operations a second of a node, such as 100Gf [default: a placeholder]
    #[arg(long, value_name = "F")]
    speed: Option<String>,
    /// Jobs on the machine, instead of the whole ordering (caminos, sst, codes, mpich-coords): TOML, as corun reads it
    #[arg(long, value_name = "FILE", conflicts_with = "log")]
    jobs: Option<PathBuf>,
    /// A record of jobs: a placement log or SWF trace; the jobs that run after event N, where --alloc places them
    #[arg(
        long = "trace",
        alias = "log",
        value_name = "FILE",
        requires = "alloc",
        requires = "at"
    )]
    log: Option<PathBuf>,
    /// An allocator (see `nodeorder list allocators`): that of --trace, such as first-fit:8
    #[arg(long, value_name = "A", requires = "log")]
    alloc: Option<String>,
    /// The event of --trace, counted from 1
    #[arg(
        long,
        value_name = "N",
        requires = "log",
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    at: Option<u64>,
    /// Write to FILE instead of standard output; simgrid: also the hosts in rank order to FILE.hosts; where there are
    /// several files, into the folder FILE
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        let target = export::find_target(&self.to)?;
        // Before the ordering, which may take minutes: a wrong option shows at once.
        let figures = self.parse_simgrid_figures(target.name, context)?;
        let topology = inputs::build_topology(&self.spec, context)?;
        let order = inputs::make_order(&topology, &self.order)?;
        let jobs = self.read_jobs(&topology, &order, context)?;
        let export = match figures {
            Some(figures) => export::write_simgrid(&topology, &order, &figures)?,
            None => export::write_jobs(&self.to, &topology, &order, &jobs)?,
        };
        let file = output::named_file(self.output.as_deref());
        print_each(&export.notes);
        if let Some(first) = export.folder {
            // Standard output takes one file: the first, with a word on what is left out.
            let Some(folder) = file else {
                let texts = export.beside.iter().map(|(name, _)| name.as_str());
                let all: Vec<&str> = texts
                    .chain(export.binary.iter().map(|(name, _)| *name))
                    .collect();
                note!(
                    "--to {}: this is {first}; -o FOLDER also writes {}",
                    target.name,
                    all.join(", ")
                );
                return output::write_text(None, export.text);
            };
            output::create_folder(folder)?;
            let binary = export
                .binary
                .into_iter()
                .map(|(name, bytes)| (folder.join(name), bytes));
            let beside = export
                .beside
                .into_iter()
                .map(|(name, text)| (folder.join(name), text.into_bytes()));
            let first = (folder.join(first), export.text.into_bytes());
            return output::write_set(binary.chain(beside).chain([first]));
        }
        // The files beside it come first, so that the file never lacks them.
        let Some(file) = file else {
            for (ending, _) in &export.beside {
                note!("--to {}: -o FILE also writes FILE{ending}", target.name);
            }
            return output::write_text(None, export.text);
        };
        let beside = export.beside.into_iter().map(|(ending, text)| {
            let mut name = file.as_os_str().to_os_string();
            name.push(ending);
            (PathBuf::from(name), text)
        });
        output::write_set(beside.chain([(file.to_path_buf(), export.text)]))
    }

    /// Reads the jobs of `--jobs` or `--trace`.
    fn read_jobs(
        &self,
        topology: &Topology,
        order: &NodeOrder,
        context: &Context,
    ) -> anyhow::Result<Vec<ExportJob>> {
        if let Some(path) = &self.jobs {
            let jobs = Job::read_all(topology, &Text::read(path, context.memory)?, Some(path))?;
            return Ok(jobs.iter().map(ExportJob::from).collect());
        }
        let (Some(path), Some(alloc), Some(event)) = (&self.log, &self.alloc, self.at) else {
            return Ok(Vec::new());
        };
        // Jobs of a trace must fit the ordering, which may hold fewer nodes than the machine.
        let mut opened = inputs::open_log(path, None, order.len() as u32, context)?;
        let (jobs, lost) =
            ExportJob::jobs_at_event(topology, order, &mut opened.log, alloc, event)?;
        print_each(lost);
        if jobs.is_empty() {
            let found = format!("no job that runs after event {event} of {}", path.display());
            return Err(Error::option(
                format!("--at {event}"),
                found,
                "an event at which jobs run",
            )
            .into());
        }
        Ok(jobs)
    }

    /// Reads the figures of a SimGrid platform. `None` if none is given.
    fn parse_simgrid_figures(
        &self,
        target: &str,
        context: &Context,
    ) -> Result<Option<SimGridFigures>, Error> {
        let latency = self.latency.as_deref();
        let flagged = latency.map(|latency| ("--latency", latency));
        let speed = self.speed.as_deref().map(|speed| ("--speed", speed));
        if let Some((flag, text)) = self.network.given_options().next().or(flagged).or(speed)
            // Other formats have no place for these figures: without an error they would be lost silently.
            && target != "simgrid"
        {
            let found = format!("`--to {target}`");
            let expected = "--to simgrid beside this option";
            return Err(Error::option(format!("{flag} {text}"), found, expected));
        }
        let speed = speed.map(|(flag, text)| match Unit::Speed.parse_option(flag, text)? {
            // A host of speed 0 would never end a computation.
            0.0 => Err(Error::option(
                format!("{flag} {text}"),
                "0",
                "a value above 0",
            )),
            value => Ok(value),
        });
        let figures = SimGridFigures {
            network: self.network.parse_figures(latency, context)?,
            speed: speed.transpose()?,
        };
        // Without any figure the path of all targets is taken, which writes placeholders.
        Ok((figures != SimGridFigures::default()).then_some(figures))
    }
}
