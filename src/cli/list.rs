//! `nodeorder list`: what there is, one line each.

use std::io::Write;

use clap::{Args, ValueEnum};
use serde_json::json;

use super::output::{self, Output};
use crate::topology::{Context, FAMILIES};
use crate::{allocator, catalog, export, mapping, ordering, schedule};

/// List topologies, orderings, allocators, policies, runtime models, guests, routings, mapping methods or export targets, one line each
#[derive(Debug, Args)]
#[command(after_help = "Example: nodeorder list orderings")]
pub struct Command {
    /// What to list
    what: What,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum What {
    /// Topology kinds and shipped machines
    Topologies,
    /// Ordering methods
    Orderings,
    /// Allocators of replays and schedules
    Allocators,
    /// Scheduling policies
    Policies,
    /// Runtime models of schedules
    Models,
    /// Traffic patterns and guest files
    Guests,
    /// Routings
    Routings,
    /// Mapping methods
    Methods,
    /// Export targets
    Targets,
}

impl Command {
    pub fn run(self, _: &Context) -> anyhow::Result<()> {
        let lines = match self.what {
            What::Topologies => topologies(),
            What::Orderings => ordering::METHODS
                .iter()
                .map(|m| [m.name.into(), m.about.into(), m.example.into()])
                .collect(),
            What::Allocators => allocator::RULES
                .iter()
                .map(|r| [r.name.into(), r.about.into(), r.usage.into()])
                .collect(),
            What::Policies => schedule::POLICIES
                .iter()
                .map(|p| [p.name.into(), p.about.into(), format!("--policy {}", p.example)])
                .collect(),
            What::Models => schedule::MODELS
                .iter()
                .map(|m| [m.name.into(), m.about.into(), format!("--model {}", m.example)])
                .collect(),
            What::Guests => guests(),
            What::Routings => mapping::ROUTINGS
                .iter()
                .map(|r| [r.name.into(), r.about.into(), format!("--routing {}", r.name)])
                .collect(),
            What::Methods => mapping::METHODS
                .iter()
                .map(|m| [m.name.into(), m.about.into(), format!("--map {}", m.example)])
                .collect(),
            What::Targets => export::TARGETS
                .iter()
                .map(|t| [t.name.into(), t.about.into(), format!("--to {}", t.name)])
                .collect(),
        };
        if self.json {
            let entry = |[name, about, example]: &[String; 3]| json!({"name": name, "about": about, "example": example});
            let document = json!(lines.iter().map(entry).collect::<Vec<_>>());
            return output::write(None, format!("{document:#}\n").as_bytes());
        }
        let width = |column: usize| lines.iter().map(|l| l[column].len()).max().unwrap_or(0);
        let (names, examples) = (width(0), width(2));
        let mut out = Output::open(None)?;
        for [name, about, example] in &lines {
            writeln!(out, "{name:<names$}  {example:<examples$}  {about}")?;
        }
        out.finish()
    }
}

/// Patterns, then files.
fn guests() -> Vec<[String; 3]> {
    let pattern = |g: &mapping::guest::Pattern| [g.name.into(), g.about.into(), g.example.into()];
    let mut lines: Vec<[String; 3]> = mapping::GUESTS.iter().map(pattern).collect();
    for (ending, about) in mapping::guest::FORMATS {
        lines.push([format!(".{ending}"), (*about).into(), format!("traffic.{ending}")]);
    }
    lines
}

/// Kinds, then machines.
fn topologies() -> Vec<[String; 3]> {
    let kind = |f: &crate::topology::Family| [f.name.into(), f.about.into(), f.example.into()];
    let mut lines: Vec<[String; 3]> = FAMILIES.iter().map(kind).collect();
    for name in catalog::machines() {
        let text = catalog::machine(name).unwrap_or_default();
        let about = text.lines().next().unwrap_or_default().trim_start_matches(['#', ' ']);
        lines.push([name.into(), about.into(), name.into()]);
    }
    lines
}
