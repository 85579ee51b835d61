//! An audit as one page: the placements that the scheduler chose, beside those of other orderings and allocators.

use super::groups::{month_section, size_section, time_section};
use super::worst::worst_section;
use crate::plot::{format_briefly, format_fixed, format_thousands};
use crate::report::document::Document;
use crate::report::file::File;
use crate::report::html::{BestValue, Column, Fact, Figure, Section, Table};
use crate::report::sentences::{RichText, file_name, sentence};
use crate::report::snapshot_page::note_fact;
use crate::report::terms;
use nodeorder_base::Result;
use nodeorder_jobs::audit::Audit;
use nodeorder_jobs::audit::summary::{Summary, Sums};
use nodeorder_network::Topology;

/// Share of run times taken to grow with the units that a job spans, where nobody says.
const ASSUMED_SHARE: f64 = 0.2;

/// Makes the page as HTML text; returns its figures as well.
pub fn html(
    audit: &Audit,
    topology: &Topology,
    trace: &str,
    share: Option<f64>,
    command: &str,
    files: &[File<'_>],
) -> Result<(String, Vec<Figure>)> {
    let recorded = &audit.placements[0].all;
    let mut sections = vec![placement_section(audit, share), size_section(audit)?];
    sections.extend(time_section(audit)?);
    sections.extend(month_section(audit));
    sections.extend(worst_section(audit, topology)?);
    let mut facts = vec![
        Fact::code("Machine", topology.spec()),
        Fact::new("Rows read", format_thousands(audit.read)),
        Fact::new("Jobs scored", format_thousands(recorded.jobs)),
    ];
    // Only jobs whose records ask for segments have any.
    let [jobs, whole, broken] = recorded.segments;
    if jobs > 0 {
        let text = format!(
            "{} of {} that {} jobs were made of do not lie in one unit of the lowest level with \
             room for one",
            format_thousands(broken),
            format_thousands(whole + broken),
            format_thousands(jobs)
        );
        facts.push(Fact::on_own_line("Segments broken", text));
    }
    for reason in &audit.left_out {
        facts.push(note_fact("Left out", reason));
    }
    for reason in &audit.mended {
        let text = format!("{} {}", format_thousands(reason.count), reason.about);
        facts.push(Fact::on_own_line("Read with", text));
    }
    let page = Document {
        title: format!("What the scheduler did to the jobs of {}", file_name(trace)),
        verdict: recorded_sentence(audit, share),
        details: method_paragraph(audit).into(),
        about: ("read", "What was read"),
        facts,
        exact: "Every job is scored; nothing is sampled.",
        terms: [&terms::DISTANCES[..2], &terms::AUDIT, &[terms::ALLOCATOR]].concat(),
        sections,
        ..Document::new(files, command)
    };
    Ok(page.html())
}

/// Says how many of the recorded jobs were as compact as possible, and what the others cost. Empty where the machine
/// has no units, or no job was scored.
pub fn compact_sentence(audit: &Audit, share: Option<f64>) -> String {
    let recorded = &audit.placements[0].all;
    let Some(level) = audit.levels.first() else {
        return String::new();
    };
    let Some(compact) = recorded.share_at_fewest(0) else {
        return String::new();
    };
    let share = share.unwrap_or(ASSUMED_SHARE);
    format!(
        "{:.1} % of your jobs were as compact as possible, in the fewest {level} units; {:.1} % \
         were not: about {} node-hours, if {:.0} % of run time grows with the units spanned (an \
         assumption: --share). ",
        100.0 * compact,
        100.0 * (1.0 - compact),
        format_briefly(recorded.hours_beyond_fewest(share)),
        100.0 * share
    )
}

/// Says how compact jobs were, how far apart their nodes, and what the best alternative would have given.
fn recorded_sentence(audit: &Audit, share: Option<f64>) -> RichText {
    let recorded = &audit.placements[0];
    let hops = recorded.all.mean_hops();
    let said = sentence(compact_sentence(audit, share)).text("Recorded: ");
    let mut said = said.text(hops.map_or_else(
        || "no job of several nodes whose distances are known".to_string(),
        |hops| format!("{hops:.3} hops between two nodes of a job on average"),
    ));
    let best = audit.placements[1..]
        .iter()
        .filter_map(|tried| Some((tried, tried.all.mean_hops()?)))
        // Distances decide: they are what all placements have.
        .min_by(|a, b| a.1.total_cmp(&b.1));
    // Jobs within single routers are at distance 0, of which no change is a share.
    if let Some((best, value)) = best
        && let Some(hops) = hops.filter(|hops| *hops > 0.0)
    {
        let change = 100.0 * (value / hops - 1.0).abs();
        let [lead, how] = if value < hops {
            [". The best alternative tried, ", "less"]
        } else {
            [". No alternative tried is closer; the nearest, ", "more"]
        };
        said = said
            .text(lead)
            .bold(&best.name)
            .text(format!(", has {value:.3}: {change:.1} % {how}"));
        if let Some([_, low, high]) = best.hops_change(recorded) {
            said = said.text(format!(
                " (95 % interval of the change {} % to {} %)",
                format_fixed(100.0 * low, 1),
                format_fixed(100.0 * high, 1)
            ));
        }
    }
    said.text(".")
}

/// Says how alternatives were tried. Empty if none were.
fn method_paragraph(audit: &Audit) -> String {
    if audit.placements.len() == 1 {
        return String::new();
    }
    let skipped = audit.placements.iter().map(|tried| tried.skipped).max();
    let skipped = match skipped.unwrap_or(0) {
        0 => String::new(),
        n => format!(
            " Up to {} jobs found too few nodes free and were skipped, so means are not over \
             quite the same jobs.",
            format_thousands(n)
        ),
    };
    format!(
        "Orderings were tried by a replay of the same jobs, each from its recorded start to its \
         recorded end, on a machine that was empty at first: nobody waits \
         longer or shorter than recorded. \
         95 % intervals: jackknife over up to 30 equal time blocks (at least 10).{skipped}"
    )
}

/// Makes the section of all placements, a row each.
fn placement_section(audit: &Audit, share: Option<f64>) -> Section {
    let means = |title: String, decimals, best, value: &dyn Fn(&Sums) -> Option<f64>| {
        let values = audit.placements.iter().map(|tried| value(&tried.all));
        Column::new(title, decimals, best, values)
    };
    let mut columns = vec![
        means(
            "Mean distance (hops)".into(),
            3,
            BestValue::Low,
            &Sums::mean_hops,
        ),
        means(
            "Diameter (hops)".into(),
            3,
            BestValue::Low,
            &Sums::mean_diameter,
        ),
        means(
            "Ring step (hops)".into(),
            3,
            BestValue::Low,
            &Sums::mean_ring_step,
        ),
    ];
    for (i, level) in audit.levels.iter().enumerate() {
        columns.push(means(format!("Spans {level}"), 2, BestValue::Low, &|s| {
            s.mean_spanned(i)
        }));
        columns.push(means(format!("Fewest {level}"), 2, BestValue::None, &|s| {
            s.mean_fewest(i)
        }));
        let share = means(format!("At fewest {level} (%)"), 1, BestValue::High, &|s| {
            Some(100.0 * s.share_at_fewest(i)?)
        });
        columns.push(share.on_demand());
    }
    let recorded = &audit.placements[0];
    if audit.placements.len() > 1 {
        columns.push(against_recorded(
            audit,
            "Distance against recorded (%, 95 % interval)",
            |tried| Some(format_interval(tried.hops_change(recorded)?, 100.0)),
        ));
    }
    if let Some(share) = share {
        columns.push(against_recorded(
            audit,
            &format!("Node-hours spared at share {share} (95 % interval)"),
            |tried| match tried.compare_with(recorded, |ours, _| ours.share_spared(share)) {
                Some(found) => Some(format_interval(
                    found,
                    tried.all.node_seconds as f64 / 3600.0,
                )),
                // Too few periods for an interval: the value alone.
                None => Some(format_fixed(tried.node_hours_spared(share)?, 1)),
            },
        ));
    }
    columns.push(count_column(audit, "Jobs", |tried| tried.all.jobs));
    for (title, count) in [
        ("Skipped", (|tried| tried.skipped) as fn(&Summary) -> u64),
        ("Apart", |tried| tried.all.apart),
    ] {
        // Columns of zeros would ask for attention in vain.
        if audit.placements.iter().any(|tried| count(tried) > 0) {
            columns.push(count_column(audit, title, count));
        }
    }
    let names = audit
        .placements
        .iter()
        .map(|tried| tried.name.clone())
        .collect();
    let table = Table::new("Placements of the jobs", "Placement", names, columns);
    let about = "Means over all jobs: distances over jobs of two nodes and more. Beside the \
         units that jobs span stand the fewest that have as many nodes. Best values are bold.";
    Section::new("placements", "All jobs", about, table)
}

/// Makes a column of counts of all placements.
fn count_column(audit: &Audit, title: &str, count: fn(&Summary) -> u64) -> Column {
    Column::counts(title, audit.placements.iter().map(count))
}

/// Makes a column of texts about the placements tried; the recorded one has none.
fn against_recorded(
    audit: &Audit,
    title: &str,
    text: impl Fn(&Summary) -> Option<String>,
) -> Column {
    let mut texts = vec![None];
    texts.extend(audit.placements[1..].iter().map(text));
    let texts = texts.into_iter().map(|text| text.unwrap_or("–".into()));
    Column::names(title, texts)
}

/// Formats a value with its interval, times `scale`.
fn format_interval(found: [f64; 3], scale: f64) -> String {
    let [value, low, high] = found.map(|value| format_fixed(scale * value, 1));
    format!("{value} ({low} to {high})")
}
