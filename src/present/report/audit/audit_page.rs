//! An audit as one page: what the scheduler did to the jobs, beside what others would have done.

use super::groups::{months, sizes, time};
use super::worst::worst;
use crate::plot::{fixed, thousands};
use crate::report::document::Document;
use crate::report::file::File;
use crate::report::html::{Best, Column, Fact, Figure, Part, Section, Table, Words, bold, words};
use crate::report::terms;
use crate::report::words::file_name;
use nodeorder_base::error::Result;
use nodeorder_jobs::audit::Audit;
use nodeorder_jobs::audit::summary::{Summary, Sums};
use nodeorder_network::topology::Topology;

/// The page as HTML text, and its figures.
pub(super) fn html(
    audit: &Audit,
    topology: &Topology,
    trace: &str,
    share: Option<f64>,
    command: &str,
    files: &[File<'_>],
) -> Result<(String, Vec<Figure>)> {
    let name = file_name(trace);
    let recorded = &audit.placements[0];
    let mut sections = vec![placements(audit, share), sizes(audit)?];
    sections.extend(time(audit)?);
    sections.extend(months(audit));
    sections.extend(worst(audit, topology)?);
    let mut facts = vec![
        Fact::wide("Machine", Part::Code(topology.spec().into())),
        Fact::new("Rows read", thousands(audit.read)),
        Fact::new("Jobs scored", thousands(recorded.all.jobs)),
    ];
    let [jobs, whole, broken] = recorded.all.segments;
    if jobs > 0 {
        let all = thousands(whole + broken);
        let text = format!(
            "{} of {all} that {} jobs were made of do not lie in one unit of the lowest level with room for one",
            thousands(broken),
            thousands(jobs)
        );
        facts.push(Fact::wide("Segments broken", text));
    }
    for reason in &audit.left_out {
        let first = match reason.first.is_empty() {
            true => String::new(),
            false => format!(" (the first: {})", reason.first),
        };
        facts.push(Fact::wide(
            "Left out",
            format!("{} {}{first}", thousands(reason.count), reason.about),
        ));
    }
    for reason in &audit.mended {
        facts.push(Fact::wide(
            "Read with",
            format!("{} {}", thousands(reason.count), reason.about),
        ));
    }
    let (verdict, details) = verdict(audit);
    let page = Document {
        title: format!("What the scheduler did to the jobs of {name}"),
        verdict,
        details,
        about: ("read", "What was read"),
        facts,
        exact: "Every job is scored; nothing is sampled.",
        terms: [&terms::DISTANCES[..2], &terms::AUDIT, &[terms::ALLOCATOR]].concat(),
        sections,
        ..Document::new(files, command)
    };
    Ok(page.html())
}

/// The first sentence of the page (recorded distance and the best alternative) and how it was computed.
fn verdict(audit: &Audit) -> (Words, Words) {
    let recorded = &audit.placements[0].all;
    let hops = recorded.mean_hops().map_or_else(
        || "no job of several nodes whose distances are known".to_string(),
        |hops| format!("{hops:.3} hops between two nodes of a job on average"),
    );
    let mut said = vec![Part::Text(format!("Recorded: {hops}"))];
    if let Some(level) = audit.levels.first()
        && let Some(share) = recorded.at_fewest(0)
    {
        said.push(
            format!(
                "; {:.1}% of the jobs span the fewest {level} units possible",
                100.0 * share
            )
            .into(),
        );
    }
    let tried = audit.placements[1..]
        .iter()
        .filter_map(|s| Some((s, s.all.mean_hops()?)));
    let best = tried.min_by(|a, b| a.1.total_cmp(&b.1));
    if let (Some((best, value)), Some(hops)) =
        (best, recorded.mean_hops().filter(|hops| *hops > 0.0))
    {
        let (less, change) = (value < hops, 100.0 * (value / hops - 1.0).abs());
        said.push(". The closest tried, ".into());
        said.push(bold(&best.name));
        let how = if less { "less" } else { "more" };
        said.push(format!(", would have given {value:.3}: {change:.1}% {how}").into());
        if let Some(change) = best.change(&audit.placements[0]) {
            let [low, high] = [change[1], change[2]].map(|end| fixed(100.0 * end, 1));
            said.push(format!(" (95% interval of the change {low}% to {high}%)").into());
        }
    }
    said.push(".".into());
    let skipped = audit
        .placements
        .iter()
        .map(|s| s.skipped)
        .max()
        .unwrap_or(0);
    let mut details = Words::default();
    if audit.placements.len() > 1 {
        details = words![
            "Orderings were tried by a replay of the same jobs, each from its recorded start to its recorded end, on a \
                   machine that was empty at first: nobody waits longer or shorter than recorded."
        ];
        details.parts.push(
            " Intervals are by the jackknife over up to 30 stretches of time of equal length, none where jobs started in \
             fewer than ten: they say how sure the difference is for other times like these."
                .into(),
        );
        if skipped > 0 {
            details.parts.push(format!(
                " Up to {} jobs found too few nodes free and were skipped, so means are not over quite the same jobs.",
                thousands(skipped)
            ).into());
        }
    }
    (Words { parts: said }, details)
}

/// All placements, a row each.
fn placements(audit: &Audit, share: Option<f64>) -> Section {
    let all = || audit.placements.iter();
    let of =
        |value: &dyn Fn(&Sums) -> Option<f64>| all().map(|s| value(&s.all)).collect::<Vec<_>>();
    let mut columns = vec![
        Column::new("Mean distance (hops)", 3, Best::Low, of(&Sums::mean_hops)),
        Column::new("Diameter (hops)", 3, Best::Low, of(&Sums::diameter)),
        Column::new("Ring step (hops)", 3, Best::Low, of(&Sums::ring_step)),
    ];
    for (i, level) in audit.levels.iter().enumerate() {
        columns.push(Column::new(
            format!("Spans {level}"),
            2,
            Best::Low,
            of(&|s| s.spanned(i)),
        ));
        columns.push(Column::new(
            format!("Fewest {level}"),
            2,
            Best::None,
            of(&|s| s.fewest(i)),
        ));
        let share = of(&|s| Some(100.0 * s.at_fewest(i)?));
        columns
            .push(Column::new(format!("At fewest {level} (%)"), 1, Best::High, share).on_demand());
    }
    let recorded = &audit.placements[0];
    let ends = |found: [f64; 3], scale: f64, decimals| {
        let [value, low, high] = found.map(|value| fixed(scale * value, decimals));
        format!("{value} ({low} to {high})")
    };
    let tried = || all().skip(1);
    let none = || std::iter::once("–".to_string());
    if audit.placements.len() > 1 {
        let change = |s: &Summary| match s.change(recorded) {
            Some(found) => ends(found, 100.0, 1),
            None => "–".into(),
        };
        let texts = none().chain(tried().map(change));
        columns.push(Column::names(
            "Distance against recorded (%, 95% interval)",
            texts,
        ));
    }
    if let Some(share) = share {
        let spared = |s: &Summary| match s.against(recorded, |ours, _| ours.spared(share)) {
            Some(found) => ends(found, s.all.node_seconds as f64 / 3600.0, 1),
            None => s
                .node_hours_spared(share)
                .map_or("–".into(), |hours| fixed(hours, 1)),
        };
        let texts = none().chain(tried().map(spared));
        columns.push(Column::names(
            format!("Node-hours spared at share {share} (95% interval)"),
            texts,
        ));
    }
    columns.push(Column::counts("Jobs", all().map(|s| s.all.jobs)));
    if all().any(|s| s.skipped > 0) {
        columns.push(Column::counts("Skipped", all().map(|s| s.skipped)));
    }
    if all().any(|s| s.all.apart > 0) {
        columns.push(Column::counts("Apart", all().map(|s| s.all.apart)));
    }
    let names = all().map(|s| s.name.clone()).collect();
    let table = Table::new("Placements of the jobs", "Placement", names, columns);
    let about = words![
        "Means over all jobs: distances over jobs of two nodes and more. Beside the units that jobs span stand the fewest \
         that have as many nodes. The best value of a column is bold."
    ];
    Section::new("placements", "All jobs", about, table)
}
