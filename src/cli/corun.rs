//! `nodeorder corun`: jobs that share links, in time.

use crate::shared::command_line::CommandLine;
use crate::shared::network_figures::NetworkFigureArgs;
use crate::shared::notes::note;
use crate::shared::picture::Picture;
use crate::shared::tables::write_rows;
use crate::shared::{inputs, output, own_files, progress};
use clap::Args;
use nodeorder_base::Text;
use nodeorder_network::{Context, Topology};
use nodeorder_present::columns;
use nodeorder_present::columns::corun::{FittedRow, JOB};
use nodeorder_present::{plot, report};
use nodeorder_traffic::corun::fit::{FIGURES, Measured, fit};
use nodeorder_traffic::corun::{Fair, Job, Settings, side_by_side};
use nodeorder_traffic::mapping::{Fabric, FixedRouting};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Simulate jobs that share links: seconds an iteration beside the others and alone
#[derive(Debug, Args)]
#[command(
    after_help = "Example: nodeorder corun torus:4x4x4 --jobs jobs.toml --bandwidth 10GB/s --latency 1us"
)]
pub struct Command {
    /// The machine: any file that describes it, the name of a shipped one, or kind:…
    spec: String,
    /// Jobs on the machine: a TOML file with a table `[[jobs]]` each: name, nodes, guest, bytes, compute, messages,
    /// spread, phases, or a benchmark
    #[arg(long, value_name = "FILE", required_unless_present = "fit")]
    jobs: Option<PathBuf>,
    /// Find the figures of the network from measured seconds in FILE: CSV pattern,nodes,bytes,seconds with the
    /// patterns ping-pong (a message there and one back), all-to-all and ring; -o writes what --links-file reads
    #[arg(long, value_name = "FILE.csv")]
    #[arg(conflicts_with_all = ["jobs", "bandwidth", "latency", "node_links", "node_bandwidth", "switch_bandwidth",
        "links_file", "detail", "iterations", "links_out"])]
    fit: Option<PathBuf>,
    /// Which links traffic takes (see `nodeorder list routings`)
    #[arg(long, value_name = "R", default_value = "one-path")]
    routing: String,
    #[command(flatten)]
    network: NetworkFigureArgs,
    /// Latency of a hop, such as 1us [default: 0s]
    #[arg(long, value_name = "SECONDS")]
    latency: Option<String>,
    /// How messages share a link: equally (flow), or by 1 over the latency of their routes (rtt)
    #[arg(long, value_parser = ["flow", "rtt"], default_value = "flow")]
    fair: String,
    /// Follow each message (flow), or the links that jobs share one by one, which is faster (job)
    #[arg(long, alias = "level", value_parser = ["flow", "job"], default_value = "flow")]
    detail: String,
    /// Go on until every job has done so many iterations
    #[arg(long, value_name = "N", default_value_t = 30)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    iterations: u64,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Write every directed link to FILE as CSV: u,v,utilisation (the mean)
    #[arg(long, alias = "links", value_name = "FILE")]
    links_out: Option<PathBuf>,
    /// Draw the result: what the jobs do at first, and the links by utilisation
    #[arg(long, value_name = "FILE.svg|.png|.pdf")]
    plot: Option<PathBuf>,
    /// Write into the folder DIR: a page (index.html) with slowdowns, what jobs do at first and links on the machine,
    /// and its data
    #[arg(long, value_name = "DIR", conflicts_with = "fit")]
    out: Option<PathBuf>,
    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Stages of jobs that a picture may show.
const SPANS: usize = 100_000;

/// Reads the jobs, and notes those that leave nodes idle.
fn read_jobs(topology: &Topology, path: &Path, context: &Context) -> anyhow::Result<Vec<Job>> {
    let text = Text::read(path, context.memory)?;
    let jobs = Job::read_all(topology, &text, Some(path))?;
    for job in &jobs {
        let nodes = job.mapping.nodes().len();
        let processes = job.processes();
        // No error, as a job may get more nodes than it uses, but idle nodes are often a mistake in the file.
        if nodes > processes as usize {
            note!(
                "job {}: {processes} processes on the first of its {nodes} nodes",
                job.name
            );
        }
    }
    Ok(jobs)
}

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        let picture = self.plot.as_deref().map(Picture::new).transpose()?;
        let routing = FixedRouting::find_by_name(&self.routing)?;
        let figures = self
            .network
            .parse_figures(self.latency.as_deref(), context)?;
        // Stages are only kept for the picture, and no more of them than it can show.
        let drawn = picture.is_some() || self.out.is_some();
        let spans = if drawn { SPANS } else { 0 };
        let topology = inputs::build_topology(&self.spec, context)?;
        let figures = figures.of_machine(&topology);
        let settings = Settings::new(&figures, &self.fair, &self.detail, self.iterations);
        let settings = Settings { spans, ..settings };
        routing.check_machine(&topology)?;
        let fabric = inputs::build_fabric(&topology)?;
        let Some(path) = &self.jobs else {
            return self.fit_network_figures(&fabric, routing, picture);
        };
        let jobs = read_jobs(&topology, path, context)?;
        let bar = progress::show_steps(settings.iterations * jobs.len() as u64, "iterations");
        let outcome = side_by_side(&fabric, routing, &jobs, &settings, &|iterations| {
            bar.inc(iterations)
        })?;
        drop(bar);
        if let Some(path) = &self.links_out {
            output::write_by(Some(path), |out| {
                report::corun::write_links(out, &fabric, &outcome)
            })?;
        }
        if let Some(picture) = picture {
            picture.draw_figure(&plot::plot_corun(topology.name(), &outcome))?;
        }
        // The page has it as a file, whether or not it is printed.
        let document = report::corun::document(&fabric, routing, &settings, &outcome);
        if let Some(folder) = &self.out {
            let command = self.command_line(path, context.seed);
            let files = report::corun::files(&fabric, &outcome, &document, &command)?;
            // An earlier page goes as a set, so that no figure of other jobs stays.
            own_files::write_report(folder, "corun", files)?;
        }
        let file = self.output.as_deref();
        if self.json {
            return output::write_json(file, &document);
        }
        write_rows(file, JOB, outcome.jobs)
    }

    /// Writes the command line that makes the page again.
    fn command_line(&self, jobs: &Path, seed: u64) -> String {
        let mut line = CommandLine::new("corun")
            .add_argument(&self.spec)
            .add_option("--jobs", [jobs.display()])
            .add_option("--routing", [&self.routing]);
        // Only what was given: defaults may change, and the line stays short.
        for (flag, text) in self.network.given_options() {
            line = line.add_option(flag, [text]);
        }
        line.add_option("--latency", &self.latency)
            .add_option("--fair", [&self.fair])
            .add_option("--detail", [&self.detail])
            .add_option("--iterations", [self.iterations])
            .add_option("--out", self.out.iter().map(|folder| folder.display()))
            .add_seed(seed)
            .to_string()
    }

    /// Finds the figures of the network from measured rows.
    fn fit_network_figures(
        &self,
        fabric: &Fabric<'_>,
        routing: FixedRouting,
        picture: Option<Picture>,
    ) -> anyhow::Result<()> {
        let Some(path) = &self.fit else { return Ok(()) };
        let topology = fabric.topology;
        let text = Text::read(path, topology.context().memory)?;
        let rows = Measured::read_all(topology, &text)?;
        let waiting = progress::show_spinner("fit");
        let fair = if self.fair == "rtt" {
            Fair::Rtt
        } else {
            Fair::Flow
        };
        let found = fit(fabric, routing, fair, &rows)?;
        drop(waiting);
        if let Some(picture) = picture {
            picture.draw_figure(&plot::plot_calibration(topology.name(), &rows, &found))?;
        }
        // Without an entry in the file the default holds, which is better than a number that the rows do not support.
        for name in found.unknown_figures() {
            note!("{name}: the rows cannot tell; it is left out");
        }
        // A comment in the file, since a fit holds for its machine and routing only.
        let about = format!(
            "# Fitted by nodeorder to {} rows of {}: machine {}, routing {}.\n",
            rows.len(),
            path.display(),
            topology.spec(),
            routing.name()
        );
        let figures = about + &found.to_toml();
        let file = self.output.as_deref();
        let fitted = rows.iter().zip(&found.fitted);
        let fitted = fitted.map(|(row, fitted)| FittedRow {
            row,
            fitted: *fitted,
        });
        if self.json {
            let mut document = json!({ "rows": columns::json_list(FittedRow::ALL, fitted) });
            for (name, figure) in FIGURES.iter().zip(&found.figures) {
                document[name] = figure.map_or(
                    Value::Null,
                    |(value, error)| json!({ "value": value, "standard_error": value * error }),
                );
            }
            if let Some(file) = file {
                output::write_text(Some(file), figures)?;
            }
            return output::write_json(None, &document);
        }
        let Some(file) = file else {
            return output::write_text(None, figures);
        };
        output::write_text(Some(file), figures)?;
        output::write_by(None, |out| {
            columns::write_table(out, FittedRow::ALL, fitted)
        })
    }
}
