//! `nodeorder corun`: jobs that share links, in time.

use std::path::PathBuf;

use clap::Args;

use crate::shared::picture::Picture;
use crate::shared::{output, progress};
use nodeorder::columns::{self, corun::JOB};
use nodeorder::corun::{Job, Settings, side_by_side};
use nodeorder::input::Text;
use nodeorder::mapping::RoutingEntry;
use nodeorder::topology::Context;
use nodeorder::{plot, report};

/// Simulate jobs that share links: seconds an iteration beside the others and alone
#[derive(Debug, Args)]
#[command(
    after_help = "Example: nodeorder corun torus:4x4x4 --jobs jobs.toml --bandwidth 10GB/s --latency 1us"
)]
pub struct Command {
    /// The machine: a TOML file, the name of a shipped one, or kind:…
    spec: String,
    /// The jobs: a TOML file with a table `[[jobs]]` each: name, nodes, guest, bytes, compute, messages, spread,
    /// phases, or a benchmark
    #[arg(long, value_name = "FILE")]
    jobs: PathBuf,
    /// Which links messages take; `nodeorder list routings` names them
    #[arg(long, value_name = "R", default_value = "one-path")]
    routing: String,
    /// What a link of capacity 1 carries each way, and the most that a message gets; 10GB/s, or 80Gb/s in bits
    #[arg(long, value_name = "B/s", default_value = "1.25GB/s")]
    bandwidth: String,
    /// Latency of a hop, such as 1us
    #[arg(long, value_name = "SECONDS", default_value = "0s")]
    latency: String,
    /// How messages share a link: equally (flow), or by 1 over the latency of their routes (rtt)
    #[arg(long, value_parser = ["flow", "rtt"], default_value = "flow")]
    fair: String,
    /// Follow each message (flow), or the links that jobs share one by one, which is faster (job)
    #[arg(long, value_parser = ["flow", "job"], default_value = "flow")]
    level: String,
    /// Go on until every job has done so many iterations
    #[arg(long, value_name = "N", default_value_t = 30)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    iterations: u64,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Write the mean utilisation of every directed link to FILE as CSV, u,v,utilisation
    #[arg(long, value_name = "FILE")]
    links: Option<PathBuf>,
    /// Draw what the jobs do at first, and the links by utilisation
    #[arg(long, value_name = "FILE.svg|.png")]
    plot: Option<PathBuf>,
    /// Write the table to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Stages of jobs that a picture may show.
const SPANS: usize = 100_000;

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        let picture = self.plot.as_deref().map(Picture::new).transpose()?;
        let routing = RoutingEntry::named(&self.routing)?;
        let texts = [&self.bandwidth, &self.latency, &self.fair, &self.level];
        let spans = if picture.is_some() { SPANS } else { 0 };
        let settings = Settings { spans, ..Settings::read(texts.map(|t| &**t), self.iterations)? };
        let topology = crate::shared::inputs::topology(&self.spec, context)?;
        routing.check(&topology)?;
        let text = Text::read(&self.jobs, context.memory)?;
        let jobs = Job::read_all(&topology, &text, Some(&self.jobs))?;
        let fabric = crate::shared::inputs::fabric(&topology)?;
        let bar = progress::bar(settings.iterations * jobs.len() as u64, "iterations");
        let outcome =
            side_by_side(&fabric, routing, &jobs, &settings, &|iterations| bar.inc(iterations))?;
        drop(bar);
        if let Some(path) = &self.links {
            output::write_by(Some(path), |out| report::corun::write_links(out, &fabric, &outcome))?;
        }
        if let Some(picture) = picture {
            picture.draw(&plot::corun(topology.name(), &outcome))?;
        }
        let file = self.output.as_deref();
        if self.json {
            let document = report::corun::document(&fabric, routing, &settings, &outcome);
            return output::write(file, format!("{document:#}\n"));
        }
        output::write_by(file, |out| columns::write(out, JOB, outcome.jobs))
    }
}
