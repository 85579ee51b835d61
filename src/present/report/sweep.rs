//! A sweep as a page, `templates/sweep.html`: its table of results, section by section, and a figure where there is
//! one to draw.

use std::borrow::Cow;

use askama::Template;

pub use super::html::Figure;
use super::html::{Fact, Section, Words, words};
use super::terms::{self, Term};
use super::words::file_name;
use crate::columns::sweep::ResultRow;
use crate::plot::{self, thousands};
use figures::{IMPROVED, LOWER, drawn, improvement, side_by_side};
use groups::GROUPS;
use nodeorder_base::error::Result;
use nodeorder_base::input::Text;
pub use ranking::{RankedSetting, rank_settings};
use section_figures::{Figures, labels, sections};
use table::read;

mod figures;
mod groups;
mod ranking;
mod section_figures;
mod settings;
mod table;

/// Notes listed at most.
const MOST_NOTES: usize = 40;

#[derive(Template)]
#[template(path = "sweep.html")]
struct Page<'p> {
    version: &'static str,
    name: &'p str,
    css: String,
    js: &'static str,
    /// The best of each section, in a sentence.
    verdicts: Vec<Words>,
    sections: Vec<Section>,
    /// Why combinations have no results, and how many.
    notes: Vec<(Cow<'p, str>, String)>,
    /// How many reasons more there are.
    more_notes: usize,
    /// The file of results.
    results: &'p str,
    /// Whether a manifest stands beside it.
    manifest: bool,
    facts: Vec<Fact>,
    terms: Vec<Term>,
}

/// The files of a sweep's page: `index.html` first, then the figures it shows, as names and texts.
///
/// # Errors
/// Results that are no table of a sweep, with file and line; a figure that cannot be drawn.
pub fn files(results: &Text, manifest: &serde_json::Value) -> Result<Vec<(String, String)>> {
    page(results.name(), &read(results)?, manifest, None)
}

/// As [`files`], of the rows of the table called `results`, with one figure more.
///
/// # Errors
/// A figure that cannot be drawn.
pub fn page(
    results: &str,
    rows: &[ResultRow],
    manifest: &serde_json::Value,
    extra: Option<Figure>,
) -> Result<Vec<(String, String)>> {
    let mut facts = vec![Fact::new("Rows", thousands(rows.len() as u64))];
    for key in ["version", "seconds", "threads"]
        .into_iter()
        .filter(|k| !manifest[*k].is_null())
    {
        facts.push(Fact::new(key, manifest[key].to_string().trim_matches('"')));
    }
    let assumed = manifest["assumed"].as_array().into_iter().flatten();
    facts.extend(
        assumed
            .filter_map(|text| text.as_str())
            .map(|text| Fact::wide("Capacities", text)),
    );
    let (mut verdicts, mut parts, mut used) = (Vec::new(), Vec::new(), Vec::<Term>::new());
    let all = labels(rows.iter(), "ordering");
    for group in &GROUPS {
        let found: Vec<Figures<'_>> = sections(rows, group)
            .into_iter()
            .map(|(t, rows)| Figures::new(group, t, rows, &all))
            .collect();
        for figures in &found {
            let settings = settings::section(figures, parts.len() + 1)?;
            // One ordering has nothing beside it but its settings.
            if settings.is_none() || figures.orderings.len() > 1 {
                verdicts.extend(
                    figures
                        .best()
                        .map(|best| (group.verdict)(&figures.title(), best)),
                );
                parts.push(section(figures, parts.len() + 1)?);
            }
            if let Some((mut settings, verdict)) = settings {
                settings.id = format!("s{}", parts.len() + 1);
                parts.push(settings);
                verdicts.push(verdict);
            }
        }
        parts.extend(side_by_side(&found, parts.len() + 1)?);
        if !found.is_empty() {
            let new = |term: &&Term| used.iter().all(|u| u.name != term.name);
            let new: Vec<Term> = group.terms.iter().filter(new).copied().collect();
            used.extend(new);
        }
    }
    if let Some((figure, last)) = extra.zip(parts.last_mut()) {
        last.figures.push(figure);
    }
    let improved = |section: &Section| section.figures.iter().any(|f| f.caption == IMPROVED);
    if parts.iter().any(improved) {
        used.push(terms::IMPROVEMENT);
    }
    let figures: Vec<(String, String)> = (parts.iter())
        .flat_map(|section| &section.figures)
        .map(|figure| (figure.file.clone(), figure.svg.clone()))
        .collect();
    let notes = notes(rows);
    let page = Page {
        version: env!("CARGO_PKG_VERSION"),
        name: manifest["plan"]["name"]
            .as_str()
            .unwrap_or("without a name"),
        css: [super::page::CSS, plot::STYLE].concat(),
        js: super::page::TABLES,
        verdicts,
        sections: parts,
        more_notes: notes.len().saturating_sub(MOST_NOTES),
        notes: notes
            .into_iter()
            .take(MOST_NOTES)
            .map(|(n, c)| (n, thousands(c)))
            .collect(),
        results: results.rsplit('/').next().unwrap_or_default(),
        manifest: !manifest.is_null(),
        facts,
        terms: used,
    };
    let mut files = vec![("index.html".to_string(), page.to_string())];
    files.extend(figures);
    Ok(files)
}

/// Rows of a group as the section of that number.
fn section(figures: &Figures<'_>, number: usize) -> Result<Section> {
    let replayed = figures.group.name == "replay";
    let about = match replayed {
        true => words![
            "Mean distance in hops between the nodes of a job, by ordering and allocator; the best ordering of \
             each allocator is bold."
        ],
        false => Words::default(),
    };
    let title = figures.title();
    let mut section = Section::new(format!("s{number}"), title.clone(), about, figures.table());
    let orderings = figures.ranked();
    // One choice: a panel a column; several: a figure a column with a panel a choice.
    let columns = figures.group.columns;
    let file = |name: &str| format!("section-{number:02}-{}.svg", name.replace('_', "-"));
    if let [choice] = figures.choices.as_slice() {
        let named = if figures.group.by == "topology" {
            ""
        } else {
            choice
        };
        let panels: Vec<(&str, &str)> = columns.iter().map(|(_, _, axis)| (named, *axis)).collect();
        let of = |o: &str, i: usize| figures.of(o, choice, columns[i].0);
        section.figures.extend(drawn(
            file(figures.group.name),
            (&title, LOWER),
            &panels,
            (&orderings, figures.all),
            &of,
        )?);
    } else {
        for (column, _, axis) in columns {
            let panels: Vec<(&str, &str)> = figures.choices.iter().map(|c| (&**c, *axis)).collect();
            let of = |o: &str, i: usize| figures.of(o, &figures.choices[i], column);
            section.figures.extend(drawn(
                file(column),
                (&format!("{title}: {axis}"), LOWER),
                &panels,
                (&orderings, figures.all),
                &of,
            )?);
        }
    }
    if replayed {
        section
            .figures
            .extend(improvement(figures, number, file_name(&figures.titles[0]))?);
    }
    Ok(section)
}

/// Why combinations have no results, and how many each reason has, in the order they come.
fn notes(rows: &[ResultRow]) -> Vec<(Cow<'_, str>, u64)> {
    let mut reasons: Vec<(Cow<'_, str>, u64)> = Vec::new();
    for note in rows
        .iter()
        .map(|row| row.text("note"))
        .filter(|note| !note.is_empty())
    {
        match reasons.iter_mut().find(|(reason, _)| *reason == note) {
            Some((_, count)) => *count += 1,
            None => reasons.push((note, 1)),
        }
    }
    reasons
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    const TABLE: &str = "topology,ordering,allocator,log,trace,procs_per_node,policy,seed,group,placed,mean_mind,improvement_small,improvement_large,improvement_overall,mean_wait,schedule_mean_mind,note\n\
        torus:4x4,snake,fifo:0,a.log,,,,1,replay,9,2,0,,0,,,\n\
        torus:4x4,snake,first-fit:8,a.log,,,,1,replay,9,1.5,20,,20,,,\n\
        torus:4x4,random,fifo:0,a.log,,,,1,replay,9,3,0,,0,,,\n\
        torus:4x4,random,fifo:0,a.log,,,,2,replay,9,4,0,,0,,,\n\
        torus:4x4,random,first-fit:8,a.log,,,,1,replay,9,2.5,10,,10,,,\n\
        torus:4x4,snake,span-best-fit,,t.swf,2,easy,1,schedule,,,,,,80,1.2,\n\
        torus:4x4,random,span-best-fit,,t.swf,2,easy,1,schedule,,,,,,70,2.2,\n\
        fat-tree:k=4,snake,fifo:0,a.log,,,,1,replay,,,,,,,,fat-tree has no <coordinates>\n";

    #[test]
    fn a_page_has_a_section_a_machine_and_workload() {
        let files = files(&Text::new("results.csv", TABLE), &Value::Null).unwrap();
        let page = &files[0].1;
        assert_eq!(
            files.iter().map(|f| f.0.as_str()).collect::<Vec<_>>(),
            [
                "index.html",
                "section-01-mean-mind.svg",
                "section-01.svg",
                "section-02-schedule.svg"
            ]
        );
        assert!(
            page.contains(
                "torus:4x4 under a.log: <b>snake</b> with <b>first-fit:8</b>, 1.500 hops"
            )
        );
        // The mean over seeds.
        assert!(
            page.contains("<td data-value=\"3.5\">3.5000</td>"),
            "{page}"
        );
        assert!(page.contains("<td data-value=\"1.5\" class=\"low\">1.5000</td>"));
        assert!(page.contains(
            "t.swf on torus:4x4, 2 processors per node, easy: <b>snake</b> with <b>span-best-fit</b>, 1.200 hops"
        ));
        assert!(page.contains("<td data-value=\"70\" class=\"low\">70.0</td>"));
        assert!(page.contains("1 × fat-tree has no &#60;coordinates&#62;"));
        assert!(!page.contains("{{") && !page.contains("http"));
        // Words are explained where they are used, and only there.
        for (word, used) in [
            ("MIND", true),
            ("Wait, response", true),
            ("Dilation", false),
        ] {
            assert_eq!(page.contains(&format!("<dt>{word}")), used, "{word}");
        }
        assert!(page.contains("<dt>Improvement over fifo:0") && !page.contains("<dt>Log-uniform"));
    }

    /// A workload on two machines: a section and a figure with a panel for each.
    #[test]
    fn machines_stand_side_by_side() {
        let table = TABLE.replace(
            "fat-tree:k=4,snake,fifo:0,a.log,,,,1,replay,,,,,,,,fat-tree has no <coordinates>",
            "runs/fat-tree:k=4,row-major,fifo:0,a.log,,,,1,replay,9,1.25,,,,,,",
        );
        let files = files(&Text::new("results.csv", &table), &Value::Null).unwrap();
        let page = &files[0].1;
        assert!(
            page.contains("<h2 id=\"s3\">all machines under a.log</h2>"),
            "{page}"
        );
        let row = "<td data-value=\"1.5\" class=\"low\">1.5000</td><td data-value=\"\">–</td>";
        assert!(page.contains(row), "{page}");
        assert!(
            page.contains("<td data-value=\"1.25\">1.2500</td>"),
            "{page}"
        );
        let figure = files
            .iter()
            .find(|f| f.0 == "section-03-mean-mind.svg")
            .unwrap();
        assert!(figure.1.contains(">fat-tree:k=4<") && figure.1.contains(">torus:4x4<"));
    }

    #[test]
    fn other_tables_are_refused_with_their_line() {
        let error = |text: &str| {
            files(&Text::new("r.csv", text), &Value::Null)
                .unwrap_err()
                .to_string()
        };
        assert!(error("a,b\n1,2\n").starts_with("r.csv:1: found no column `topology`"));
        assert!(error(&TABLE.replace(",1.5,20,,20,,,", ",1.5")).starts_with("r.csv:3: "));
        assert!(error(TABLE.lines().next().unwrap()).contains("found no rows"));
        for wrong in ["abc", "inf", "NaN"] {
            let error = error(&TABLE.replace(",9,2,0,,0,,,", &format!(",9,{wrong},0,,0,,,")));
            assert!(error.starts_with(&format!("r.csv:2: found `{wrong}` in column `mean_mind`")));
        }
    }
}
