//! One self-contained page, `templates/page.html`: a comparison's words, tables and figures. It asks for nothing
//! beyond itself. The scripts in this folder make it interactive on the data of [`data`]; without them it still has
//! every figure as a picture.

use askama::Template;

use crate::plot::{self, thousands};
use crate::report::file::File;
use crate::report::html::{Column, Fact, Figure, Part, Section, Table, Words, bold, fixed, words};
use crate::report::results::{ComparedOrders, Figures, WorkloadResults};
use crate::report::terms::{self, Term};
use crate::report::{saved, verdict, words};
use nodeorder_base::error::Result;
use nodeorder_jobs::schedule::saving::REFERENCE;
use nodeorder_network::topology::Topology;
use nodeorder_order::metric::comparison::Comparison;

mod data;
mod packed;
mod ranking;

/// Stretches listed in the page's table at most; the figure and the CSV file have all.
const MOST_STRETCHES: usize = 24;
/// Bytes of pictures of the machine in the page, about.
const PICTURES: usize = 500_000;
/// Crossover sizes listed at most.
const MOST_CROSSOVERS: usize = 24;

pub(super) const CSS: &str = include_str!("page.css");
/// The script that sorts tables.
pub(super) const TABLES: &str = include_str!("tables.js");
/// The scripts, in the order in which they build on each other.
const SCRIPTS: [&str; 9] = [
    TABLES,
    include_str!("common.js"),
    include_str!("chart.js"),
    include_str!("distance.js"),
    include_str!("layout.js"),
    include_str!("drawing.js"),
    include_str!("machine.js"),
    include_str!("footprint.js"),
    include_str!("download.js"),
];

#[derive(Template)]
#[template(path = "page.html")]
struct Page<'p> {
    version: &'static str,
    name: &'p str,
    css: String,
    js: String,
    data: String,
    verdict: Words,
    details: Vec<Words>,
    facts: Vec<Fact>,
    table: Table,
    uneven: bool,
    sections: Vec<Section>,
    figures: &'p Figures,
    stretches: Option<Table>,
    listed: Words,
    crossovers: Words,
    pictures: Vec<Picture<'p>>,
    /// Links to pictures that the page has no room for.
    beside: Words,
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

/// Returns the page as HTML text, with the `sections` of the workload and links to the `files` beside it. `command` is
/// what makes it again.
///
/// # Errors
/// A figure that cannot be drawn.
pub(super) fn html(
    compared: &ComparedOrders<'_>,
    figures: &Figures,
    workload: &WorkloadResults<'_>,
    sections: Vec<Section>,
    files: &[File<'_>],
    command: &str,
) -> Result<String> {
    let comparison = compared.comparison;
    let best = plot::best(comparison.entries.iter().map(|e| e.values.as_slice()));
    let (stretches, listed) = stretches(comparison);
    let (pictures, beside) = pictures(comparison, &figures.machines);
    let page = Page {
        version: env!("CARGO_PKG_VERSION"),
        name: compared.topology.name(),
        css: [CSS, plot::STYLE].concat(),
        js: SCRIPTS.concat(),
        data: data::document(compared, files, &best),
        verdict: words![
            workload
                .schedules
                .as_ref()
                .map(saved::saved)
                .unwrap_or_default(),
            verdict::verdict(comparison),
            verdict::suited(comparison, workload)
        ],
        details: verdict::details(comparison, workload),
        facts: facts(compared.topology, comparison, workload),
        table: ranking::table(comparison, &compared.slots, &best)?,
        uneven: comparison.is_uneven(),
        figures,
        stretches,
        listed,
        crossovers: crossovers(comparison),
        pictures,
        beside,
        files: files.iter().filter_map(File::listed).collect(),
        command,
        sections,
        terms: terms(comparison, workload),
    };
    Ok(page.to_string())
}

impl Page<'_> {
    /// The sections by id, with what links to them say.
    fn contents(&self) -> Vec<(&str, &str)> {
        let workload = self
            .sections
            .iter()
            .map(|section| match section.id.as_str() {
                "workload" => ("workload", "Replay"),
                "contention" => ("contention", "Contention"),
                "by-size" => ("by-size", "Replay by size"),
                "throughput" => ("throughput", "Throughput"),
                id => (id, "Queue"),
            });
        let others = [
            ("curves", "Curves"),
            ("winners", "Best by size"),
            ("paths", "Machine"),
            ("footprints", "Footprints"),
            ("data", "Data"),
            ("reproduce", "Reproduce"),
            ("terms", "Terms"),
        ];
        std::iter::once(("ranking", "Ranking"))
            .chain(workload)
            .chain(others)
            .collect()
    }
}

/// The words of the page to explain.
fn terms(comparison: &Comparison, workload: &WorkloadResults<'_>) -> Vec<Term> {
    let mut all = terms::NETWORK.to_vec();
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
        all.extend(
            [terms::ALLOCATOR, terms::MIND]
                .into_iter()
                .chain(terms::FORECAST),
        );
        if prediction.guest.is_some() {
            all.extend([terms::DILATION, terms::CONTENTION]);
        }
    }
    if !workload.windows.is_empty() {
        all.push(terms::THROUGHPUT);
    }
    if workload.schedules.is_some() {
        all.extend(terms::QUEUE.into_iter().chain(terms::RUNTIMES));
    }
    all
}

fn facts(
    topology: &Topology,
    comparison: &Comparison,
    workload: &WorkloadResults<'_>,
) -> Vec<Fact> {
    let s = &comparison.topology;
    let nodes = match s.nodes == s.places {
        true => thousands(s.nodes),
        false => format!("{} of {} slots", thousands(s.nodes), thousands(s.places)),
    };
    let degree = match s.degree_min == s.degree_max {
        true => s.degree_min.to_string(),
        false => format!("{} to {}", s.degree_min, s.degree_max),
    };
    let mut facts = vec![
        Fact::new("Nodes", nodes),
        Fact::new("Routers", thousands(s.routers)),
        Fact::new("Links between routers", thousands(s.links)),
        Fact::new("Links per router", degree),
        Fact::new("Cables between routers", thousands(s.cables)),
        Fact::new("Node links", thousands(s.node_links)),
        Fact::new("Ports of the busiest router", thousands(s.ports)),
        Fact::new("Diameter", words::hops_text(f64::from(s.diameter), 0)),
        Fact::new("Mean distance", words::hops_text(s.mean_distance, 4)),
        Fact::wide("Specification", Part::Code(s.spec.clone())),
    ];
    facts.extend(
        topology
            .network()
            .assumption()
            .map(|text| Fact::wide("Assumed", text)),
    );
    let oversubscribed = |ratio| Fact::new("Oversubscription", format!("{ratio:.2} : 1"));
    facts.extend(s.oversubscription.map(oversubscribed));
    facts.extend(topology.source().map(|source| Fact::wide("Source", source)));
    facts.extend(
        workload
            .processors
            .as_deref()
            .map(|hint| Fact::wide("Processors of the trace", hint)),
    );
    facts
}

/// The widest stretches of sizes with their best ordering, and how many are left out; none where one ordering is
/// the best throughout.
fn stretches(comparison: &Comparison) -> (Option<Table>, Words) {
    let stretches = &comparison.stretches;
    // A stretch weighs by the doublings it spans.
    let weight =
        |i: usize| (stretches[i].to as f64 + 0.5).ln() - (stretches[i].from as f64 - 0.5).ln();
    let mut listed: Vec<usize> = (0..stretches.len()).collect();
    listed.sort_by(|a, b| weight(*b).total_cmp(&weight(*a)));
    listed.truncate(MOST_STRETCHES);
    listed.sort_unstable();
    let of = || listed.iter().map(|i| &stretches[*i]);
    let table = Table {
        label: "Best ordering by size",
        of: "Best ordering",
        names: of()
            .map(|s| comparison.entries[s.winner].label.clone())
            .collect(),
        before: vec![
            Column::counts("From (nodes)", of().map(|s| s.from as u64)),
            Column::counts("To (nodes)", of().map(|s| s.to as u64)),
        ],
        ..Table::default()
    };
    let mut said = Words::default();
    if stretches.len() > listed.len() {
        let all: f64 = (0..stretches.len()).map(weight).sum();
        let shown: f64 = listed.iter().map(|i| weight(*i)).sum();
        said = words![
            format!(
                "The {} widest of {} ranges, {} % of the log axis; all are in ",
                listed.len(),
                thousands(stretches.len() as u64),
                fixed(100.0 * shown / all, 1)
            ),
            link("stretches.csv"),
            "."
        ];
    }
    ((stretches.len() > 1).then_some(table), said)
}

/// Where the two leaders change places.
fn crossovers(comparison: &Comparison) -> Words {
    let [first, second, ..] = comparison.entries.as_slice() else {
        return Words::default();
    };
    let leaders = words![
        "The first two, ",
        bold(&first.label),
        " and ",
        bold(&second.label)
    ];
    let sizes = &comparison.crossovers;
    if sizes.is_empty() {
        return words![leaders, ", never change places."];
    }
    let listed = sizes
        .iter()
        .take(MOST_CROSSOVERS)
        .map(|s| thousands(*s as u64));
    let listed = listed.collect::<Vec<_>>().join("; ");
    let more = match sizes.len().saturating_sub(MOST_CROSSOVERS) {
        0 => Words::default(),
        n => words![
            format!(" … and {} more in ", thousands(n as u64)),
            link("crossovers.csv")
        ],
    };
    words![
        leaders,
        format!(", change places at {listed} nodes"),
        more,
        "."
    ]
}

fn link(file: &str) -> Part {
    Part::Link(file.into(), file.into())
}

/// The pictures of the leader and of row-major (or the second best) open, others folded while there is room; links
/// to the rest, which stands beside the page.
fn pictures<'p>(comparison: &'p Comparison, machines: &'p [Figure]) -> (Vec<Picture<'p>>, Words) {
    let labels = || comparison.entries.iter().map(|e| e.label.as_str());
    let other = labels()
        .position(|l| l == REFERENCE)
        .filter(|i| *i > 0)
        .unwrap_or(1);
    let mut room = PICTURES;
    let (mut pictures, mut beside) = (Vec::new(), Vec::new());
    for (i, (figure, label)) in machines.iter().zip(labels()).enumerate() {
        let open = i == 0 || i == other;
        let left = room.checked_sub(figure.svg.len());
        if open || left.is_some() {
            room = left.unwrap_or(0);
            pictures.push(Picture {
                open,
                label,
                rank: i + 1,
                figure,
            });
        } else {
            beside.push(words![Part::Link(figure.file.clone(), label.into())]);
        }
    }
    (pictures, Words::join(beside, "; "))
}
