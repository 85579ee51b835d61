//! `nodeorder list`: what there is, one line each.

use std::io::Write;

use clap::{Args, ValueEnum};
use serde_json::json;

use super::layout;
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
            What::Allocators => allocator::ALLOCATORS
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
        let mut out = Output::open(None)?;
        out.write_all(text(&lines, layout::width()).as_bytes())?;
        out.finish()
    }
}

/// A line each, in columns; where those are too narrow, the description stands below.
fn text(lines: &[[String; 3]], width: Option<usize>) -> String {
    let longest =
        |column: usize| lines.iter().map(|l| l[column].chars().count()).max().unwrap_or(0);
    let (names, examples) = (longest(0), longest(2));
    let whole = names + 2 + examples + 2 + longest(1);
    let mut text = String::new();
    match width.filter(|width| whole > *width) {
        None => {
            for [name, about, example] in lines {
                text += &format!("{name:<names$}  {example:<examples$}  {about}\n");
            }
        }
        Some(width) => {
            for [name, about, example] in lines {
                let head =
                    if name == example { name.clone() } else { format!("{name}  {example}") };
                text += &(layout::wrapped(&head, width).join("\n    ") + "\n");
                for line in layout::wrapped(about, width.saturating_sub(4)) {
                    text += &format!("    {line}\n");
                }
            }
        }
    }
    text
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_fit_any_width() {
        let lines = topologies();
        assert!(text(&lines, None).lines().count() == lines.len());
        for width in 40..200 {
            let text = text(&lines, Some(width));
            for line in text.lines() {
                // A single word may be longer than a very narrow terminal.
                assert!(line.chars().count() <= width || !line.trim().contains(' '), "{line}");
            }
            assert!(lines.iter().all(|[name, ..]| text.contains(name.as_str())));
        }
    }
}
