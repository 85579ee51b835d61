//! Jobs side by side as one JSON document, the use of links as a table, and both as a page.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::bar_figure::{BarRow, draw_bars};
use super::document::Document;
use super::file::{File, add_page};
use super::html::{Column, Fact, Figure, Section, Table};
use super::sentences::{RichText, sentence};
use super::terms;
use crate::columns::corun::{CorunFigures, JOB, LinkUse};
use crate::columns::{json_object, write_table};
use crate::plot::replay::BarPanel;
use crate::plot::{self, format_briefly, format_thousands};
use nodeorder_base::{NodeId, Result};
use nodeorder_traffic::corun::{Detail, Fair, JobOutcome, Outcome, Settings};
use nodeorder_traffic::mapping::{Fabric, FixedRouting};

/// Most bars of jobs.
const MOST_BARS: usize = 24;

/// Describes settings, results and jobs of the simulation as a JSON object.
pub fn document(
    fabric: &Fabric<'_>,
    routing: FixedRouting,
    settings: &Settings,
    outcome: &Outcome,
) -> Value {
    let speeds = &settings.speeds;
    let figures = CorunFigures {
        topology: fabric.topology.spec(),
        routing: routing.name(),
        level: if settings.level == Detail::Job {
            "job"
        } else {
            "flow"
        },
        fair: if speeds.fair == Fair::Rtt {
            "rtt"
        } else {
            "flow"
        },
        bandwidth: speeds.bandwidth,
        latency: speeds.latency,
        node_links: if speeds.node_links_shared {
            "shared"
        } else {
            "free"
        },
        node_bandwidth: speeds.node_bandwidth,
        // JSON has no infinity; the field says whether there is a limit at all.
        switch_bandwidth: Some(speeds.switch_bandwidth).filter(|speed| speed.is_finite()),
        iterations: settings.iterations,
        outcome,
    };
    let mut document = json_object(CorunFigures::ALL, &figures);
    document["version"] = json!(env!("CARGO_PKG_VERSION"));
    // Capacities that a description does not give are assumed, and the document says which.
    if let Some(assumption) = fabric.topology.network().assumption() {
        document["assumed"] = json!(assumption);
    }
    document["jobs"] = outcome
        .jobs
        .iter()
        .map(|job| json_object(JOB, job))
        .collect();
    document
}

/// Writes the mean utilisation of every directed link, as CSV.
///
/// # Errors
/// Errors of `out`.
pub fn write_links(out: impl Write, fabric: &Fabric<'_>, outcome: &Outcome) -> io::Result<()> {
    let mut rows = Vec::new();
    for (link, utilisation) in outcome.utilisation.iter().enumerate() {
        // A joint is no link: nodes pass traffic on between its routers.
        if !fabric.links.is_joint(link) {
            rows.push(LinkUse {
                fabric,
                link,
                utilisation: *utilisation,
            });
        }
    }
    write_table(out, LinkUse::ALL, rows)
}

/// Makes every file of a simulation: `index.html`, its tables as CSV, `document` as JSON, and its figures as SVG.
/// `command` is what makes them again.
///
/// # Errors
/// A figure that cannot be drawn.
pub fn files<'a>(
    fabric: &'a Fabric<'_>,
    outcome: &'a Outcome,
    document: &Value,
    command: &str,
) -> Result<Vec<File<'a>>> {
    let mut files = vec![
        File::from_writer("jobs.csv", |out| {
            write_table(out, JOB, outcome.jobs.iter().cloned())
        }),
        File::from_writer("links.csv", |out| write_links(out, fabric, outcome)),
        File::text("corun.json", format!("{document:#}\n")),
    ];
    let machine = fabric.topology;
    let page = Document {
        title: format!("Jobs side by side on {}", machine.name()),
        verdict: slowest_sentence(outcome),
        sections: vec![jobs_section(fabric, outcome)?],
        about: ("machine", "The machine"),
        facts: vec![
            Fact::code("Machine", machine.spec()),
            Fact::new("Nodes", format_thousands(machine.node_count() as u64)),
            Fact::new("Directed links", format_thousands(outcome.links as u64)),
        ],
        exact: "Every message is followed, or every link that jobs share; nothing is sampled.",
        terms: terms::NETWORK.to_vec(),
        ..Document::new(&files, command)
    };
    let (page, figures) = page.html();
    add_page(&mut files, page, figures);
    Ok(files)
}

/// Says which job the others slow most.
fn slowest_sentence(outcome: &Outcome) -> RichText {
    let jobs = outcome.jobs.iter();
    let Some(slowest) = jobs.max_by(|a, b| a.slowdown().total_cmp(&b.slowdown())) else {
        return "No job.".into();
    };
    let jobs = outcome.jobs.len();
    let times = slowest.slowdown();
    // A thousandth is what the table shows.
    if times < 1.0005 {
        return sentence(format!("None of {jobs} jobs is slowed by the others."));
    }
    sentence(format!("Of {jobs} jobs "))
        .bold(&slowest.name)
        .text(format!(
            " is slowed most: an iteration takes {times:.3} times as long beside the others as \
             alone."
        ))
}

/// Makes the section of the jobs: how long each takes, and what they do at first.
fn jobs_section(fabric: &Fabric<'_>, outcome: &Outcome) -> Result<Section> {
    let machine = fabric.topology.name();
    let jobs = &outcome.jobs;
    let mut names = Vec::new();
    let mut bars: Vec<BarRow<'_>> = Vec::new();
    for (slot, job) in jobs.iter().enumerate() {
        names.push(job.name.clone());
        // The colours of the other figure.
        bars.push((&job.name, slot % 6, vec![Some(job.slowdown())]));
    }
    // The table has all; more bars would be too thin to be distinguished.
    bars.truncate(MOST_BARS);
    let seconds = |of: fn(&JobOutcome) -> f64| jobs.iter().map(move |job| format_briefly(of(job)));
    let slowdowns = jobs.iter().map(|job| Some(job.slowdown()));
    let columns = vec![
        Column::counts("Processes", jobs.iter().map(|job| job.processes.into())),
        Column::counts("Iterations", jobs.iter().map(|job| job.iterations)),
        Column::unordered_figures("Seconds beside the others", seconds(|job| job.seconds)),
        Column::unordered_figures("Seconds alone", seconds(|job| job.alone)),
        Column::unranked_figures("Slowdown (times)", 3, slowdowns),
    ];
    let about =
        "Mean time of an iteration beside the other jobs and alone; their ratio is the slowdown.";
    let table = Table::new("Jobs side by side", "Job", names, columns);
    let mut section = Section::new("jobs", "The jobs", about, table);
    let title = format!("Slowdowns on {machine}");
    let panel = BarPanel {
        name: "",
        axis: "seconds beside the others over seconds alone",
        decimals: 3,
    };
    let titles = (title.as_str(), "1: not slowed by the others");
    let caption = "The slowdowns of the table as bars.";
    section.figures.extend(draw_bars(
        "slowdowns.svg",
        caption,
        titles,
        &[panel],
        &bars,
    )?);
    let caption = "What each job does at first, and the links from the busiest down.";
    let drawn = plot::plot_corun(machine, outcome);
    section
        .figures
        .push(Figure::from_drawing("time.svg", caption, drawn)?);
    section.figures.push(draw_links(fabric, outcome)?);
    Ok(section)
}

/// Draws the nodes in the colour of the busiest link at their router, either way.
fn draw_links(fabric: &Fabric<'_>, outcome: &Outcome) -> Result<Figure> {
    let machine = fabric.topology;
    let mut busiest = vec![0f64; fabric.links.router_count()];
    for (link, used) in outcome.utilisation.iter().enumerate() {
        let (from, to) = fabric.links.link_ends(link);
        // A router is as busy as its busiest link, whichever way that goes.
        for end in [from, to] {
            let most = &mut busiest[end as usize];
            *most = most.max(*used);
        }
    }
    let nodes = machine.nodes().iter();
    let shares = nodes.map(|node| (node, busiest[machine.router_of(node).index()]));
    let shares: Vec<(NodeId, f64)> = shares.collect();
    let title = format!("The busiest link at each router of {}", machine.name());
    let drawn = plot::plot_shares(machine, &title, "busiest link", &shares);
    let caption = "Nodes in the colour of the busiest link at their router, either way: the \
                   share of what it could have carried until every job was done. links.csv has \
                   all links.";
    Figure::from_drawing("links.svg", caption, drawn)
}
