//! One self-contained page, `templates/page.html`: a comparison's words, tables and figures. It asks for nothing
//! beyond itself. The scripts in this folder make it interactive on the data of [`data`]; without them it still has
//! every figure as a picture.

use askama::Template;

use crate::plot::{self, format_thousands};
use crate::report::advice::Install;
use crate::report::file::File;
use crate::report::html::{Fact, Figure, Section, Table};
use crate::report::results::{ComparedOrders, ComparisonFigures, WorkloadResults};
use crate::report::sentences::{RichText, hops_text};
use crate::report::terms::{self, Term};
use crate::report::verdict;
use nodeorder_base::Result;
use nodeorder_jobs::schedule::saving::REFERENCE;
use nodeorder_network::Topology;
use nodeorder_order::metric::comparison::Comparison;

mod data;
mod packed;
mod ranking;

/// Most bytes of pictures of the machine in the page, about.
const PICTURES: usize = 100_000;

/// The style of all pages.
pub const CSS: &str = include_str!("page.css");
/// The script that sorts tables.
pub const TABLES: &str = include_str!("tables.js");
/// The scripts, in the order in which they build on each other.
const SCRIPTS: [&str; 10] = [
    TABLES,
    include_str!("common.js"),
    include_str!("chart.js"),
    include_str!("slowdown.js"),
    include_str!("distance.js"),
    include_str!("layout.js"),
    include_str!("drawing.js"),
    include_str!("machine.js"),
    include_str!("footprint.js"),
    include_str!("download.js"),
];

/// The page of a comparison.
#[derive(Template)]
#[template(path = "page.html")]
struct Page<'p> {
    version: &'static str,
    name: &'p str,
    css: String,
    js: String,
    data: String,
    verdict: RichText,
    installs: &'p [Install],
    details: Vec<RichText>,
    facts: Vec<Fact>,
    table: Table,
    uneven: bool,
    sections: Vec<Section>,
    figures: &'p ComparisonFigures,
    pictures: Vec<Picture<'p>>,
    /// Links to pictures that the page has no room for.
    beside: RichText,
    files: Vec<(&'p str, &'static str)>,
    command: &'p str,
    terms: Vec<Term>,
}

/// An ordering's picture of the machine, folded or `open`.
struct Picture<'p> {
    open: bool,
    label: &'p str,
    rank: usize,
    figure: &'p Figure,
}

/// Makes the page as HTML text, with the `sections` of the workload and links to the `files` beside it. `command` is
/// what makes it again.
///
/// # Errors
/// A figure that cannot be drawn.
pub fn html(
    compared: &ComparedOrders<'_>,
    figures: &ComparisonFigures,
    workload: &WorkloadResults<'_>,
    sections: Vec<Section>,
    files: &[File<'_>],
    command: &str,
) -> Result<String> {
    let comparison = compared.comparison;
    // The lowest of all curves: small curves are drawn against it, and scripts tell who is best.
    let best = plot::lowest_curve(comparison.entries.iter().map(|e| e.values.as_slice()));
    let advice = workload.advice.as_ref();
    let slowdowns = advice.and_then(|advice| advice.slowdowns.as_ref());
    let (pictures, beside) = choose_pictures(comparison, &figures.machines);
    let page = Page {
        version: env!("CARGO_PKG_VERSION"),
        name: compared.topology.name(),
        css: [CSS, plot::STYLE].concat(),
        js: SCRIPTS.concat(),
        data: data::document(compared, files, &best, slowdowns),
        verdict: verdict::opening_sentences(comparison, workload),
        installs: advice.map_or(&[], |advice| &advice.installs),
        details: verdict::detail_paragraphs(comparison, workload),
        facts: machine_facts(compared.topology, comparison, workload),
        table: ranking::ranking_table(comparison, &compared.slots, &best)?,
        uneven: comparison.is_uneven(),
        figures,
        pictures,
        beside,
        files: files.iter().filter_map(File::list_entry).collect(),
        command,
        sections,
        terms: page_terms(comparison, workload),
    };
    Ok(page.to_string())
}

impl Page<'_> {
    /// Lists the sections by id, with the texts of links to them.
    fn contents(&self) -> Vec<(&str, &str)> {
        let mut contents = vec![("ranking", "Ranking"), ("winners", "Best by size")];
        for section in &self.sections {
            let id = section.id.as_str();
            let text = match id {
                "workload" => "Replay",
                "contention" => "Contention",
                "by-size" => "Replay by size",
                "throughput" => "Throughput",
                "slowdown" => "Slowdown",
                _ => "Queue",
            };
            contents.push((id, text));
        }
        contents.extend([
            ("curves", "Curves"),
            ("paths", "Orderings"),
            ("footprints", "Footprints"),
            ("trusted", "Trust"),
            ("machine", "Machine"),
            ("data", "Data"),
            ("reproduce", "Reproduce"),
            ("terms", "Terms"),
        ]);
        contents
    }
}

/// Collects the terms that the page uses.
fn page_terms(comparison: &Comparison, workload: &WorkloadResults<'_>) -> Vec<Term> {
    let mut all = terms::NETWORK.to_vec();
    // Only machines with empty positions speak of slots.
    if comparison.topology.nodes != comparison.topology.places {
        all.push(terms::SLOT);
    }
    all.extend(terms::DISTANCES);
    all.extend([
        terms::LOG_UNIFORM,
        terms::BEST_AT,
        terms::STEP,
        terms::RANDOM,
    ]);
    if !comparison.floor.is_empty() {
        all.push(terms::FLOOR);
    }
    if comparison.entries.iter().any(|e| e.spanning.is_some()) {
        all.push(terms::SPANNING);
    }
    if !comparison.compact.is_empty() {
        all.push(terms::COMPACT);
    }
    if let Some(prediction) = &workload.prediction {
        all.extend([terms::ALLOCATOR, terms::MIND]);
        all.extend(terms::FORECAST);
        if prediction.guest.is_some() {
            all.extend([terms::DILATION, terms::CONTENTION]);
        }
    }
    if !workload.windows.is_empty() {
        all.push(terms::THROUGHPUT);
    }
    let advice = workload.advice.as_ref();
    if advice.is_some_and(|advice| advice.slowdowns.is_some()) {
        all.push(terms::SLOWDOWN);
    }
    if workload.schedules.is_some() {
        all.extend(terms::QUEUE);
        all.extend(terms::RUNTIMES);
    }
    all
}

/// Lists the facts about the machine.
fn machine_facts(
    topology: &Topology,
    comparison: &Comparison,
    workload: &WorkloadResults<'_>,
) -> Vec<Fact> {
    let s = &comparison.topology;
    let mut nodes = format_thousands(s.nodes);
    // Some slots hold no node that the scheduler may use.
    if s.nodes != s.places {
        nodes += &format!(" of {} slots", format_thousands(s.places));
    }
    let mut degree = s.degree_min.to_string();
    if s.degree_min != s.degree_max {
        degree += &format!(" to {}", s.degree_max);
    }
    let mut facts = vec![
        Fact::new("Nodes", nodes),
        Fact::new("Routers", format_thousands(s.routers)),
        Fact::new("Links between routers", format_thousands(s.links)),
        Fact::new("Links per router", degree),
        Fact::new("Cables between routers", format_thousands(s.cables)),
        Fact::new("Node links", format_thousands(s.node_links)),
        Fact::new("Ports of the busiest router", format_thousands(s.ports)),
        Fact::new("Diameter", hops_text(f64::from(s.diameter), 0)),
        Fact::new("Mean distance", hops_text(s.mean_distance, 4)),
        Fact::code("Specification", &s.spec),
    ];
    if let Some(text) = topology.network().assumption() {
        facts.push(Fact::on_own_line("Assumed", text));
    }
    if let Some(ratio) = s.oversubscription {
        let by = s.oversubscription_by;
        facts.push(Fact::new(
            "Oversubscription",
            format!("{ratio:.2} : 1, by {by}"),
        ));
    }
    if let Some(source) = topology.source() {
        facts.push(Fact::on_own_line("Source", source));
    }
    if let Some(hint) = &workload.processors {
        facts.push(Fact::on_own_line("Processors of the trace", hint.as_str()));
    }
    facts
}

/// Chooses the pictures in the page: those of the leader and of row-major (or the second best) open, others folded
/// while there is room. Links to the rest, which stands beside the page.
fn choose_pictures<'p>(
    comparison: &'p Comparison,
    machines: &'p [Figure],
) -> (Vec<Picture<'p>>, RichText) {
    let entries = &comparison.entries;
    let other = entries
        .iter()
        .position(|entry| entry.label == REFERENCE)
        .filter(|i| *i > 0)
        .unwrap_or(1);
    let mut room = PICTURES;
    let mut pictures = Vec::new();
    let mut beside = Vec::new();
    for (i, (figure, entry)) in machines.iter().zip(entries).enumerate() {
        // The leader and what a site has today: the comparison that readers look for.
        let open = i == 0 || i == other;
        let left = room.checked_sub(figure.svg.len());
        if open || left.is_some() {
            // The two open pictures are shown whatever their size.
            room = left.unwrap_or(0);
            pictures.push(Picture {
                open,
                label: &entry.label,
                rank: i + 1,
                figure,
            });
        } else {
            beside.push(RichText::default().link(&figure.file, &entry.label));
        }
    }
    (pictures, RichText::join(beside, "; "))
}
