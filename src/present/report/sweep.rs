//! A sweep as a page, `templates/sweep.html`: its table of results, section by section, and a figure where there is
//! one to draw.

use std::borrow::Cow;

use askama::Template;
use serde_json::Value as Json;

use super::grouping::group_by_key;
pub use super::html::Figure;
use super::html::{Fact, Section};
use super::sentences::{RichText, file_name};
use super::terms::{self, Term};
use crate::columns::sweep::ResultRow;
use crate::plot::{self, format_briefly, format_thousands};
use figures::{
    BarFigure, IMPROVED, LOWER, draw_heat_maps, draw_improvement, figure_file, side_by_side,
};
use groups::{GROUPS, RowGroup};
use nodeorder_base::{Result, Text};
pub use ranking::{RankedSetting, rank_settings};
use section_figures::{SectionFigures, distinct_values, group_rows};
pub use settings::{cut_name, describe_lead};
use table::read_results;

mod figures;
mod groups;
mod ranking;
mod section_figures;
mod settings;
mod table;

/// Most notes listed.
const MOST_NOTES: usize = 40;

/// The page of a sweep.
#[derive(Template)]
#[template(path = "sweep.html")]
struct SweepPage<'p> {
    version: &'static str,
    title: String,
    css: String,
    js: &'static str,
    /// Best ordering of each section, in a sentence.
    verdicts: Vec<RichText>,
    sections: Vec<Section>,
    /// Reasons why combinations have no results, and how many have each.
    notes: Vec<(Cow<'p, str>, String)>,
    /// Number of further reasons.
    more_notes: usize,
    /// Name of the file of results.
    results: &'p str,
    /// Whether a manifest stands beside it.
    manifest: bool,
    facts: Vec<Fact>,
    terms: Vec<Term>,
}

/// Makes the files of a sweep's page: `index.html` first, then the figures it shows, as names and texts.
///
/// # Errors
/// Results that are no table of a sweep, with file and line; a figure that cannot be drawn.
pub fn files(results: &Text, manifest: &serde_json::Value) -> Result<Vec<(String, String)>> {
    page(results.name(), &read_results(results)?, manifest, None)
}

/// Makes the files as [`files`] does, of the rows of the table called `results`, with one figure more.
///
/// # Errors
/// A figure that cannot be drawn.
pub fn page(
    results: &str,
    rows: &[ResultRow],
    manifest: &serde_json::Value,
    extra: Option<Figure>,
) -> Result<Vec<(String, String)>> {
    let mut content = PageContent::default();
    let all = distinct_values(rows.iter(), "ordering");
    for group in &GROUPS {
        let found: Vec<SectionFigures<'_>> = group_rows(rows, group)
            .into_iter()
            .map(|(titles, rows)| SectionFigures::new(group, titles, rows, &all))
            .collect();
        // Groups in the order of the page, whatever the order of the rows.
        content.add_group(group, &found)?;
    }
    if let Some((figure, last)) = extra.zip(content.sections.last_mut()) {
        last.figures.push(figure);
    }
    let mut figures: Vec<&Figure> = Vec::new();
    for section in &content.sections {
        figures.extend(&section.figures);
    }
    if figures.iter().any(|figure| figure.caption == IMPROVED) {
        content.terms.push(terms::IMPROVEMENT);
    }
    let mut files = vec![("index.html".to_string(), String::new())];
    for figure in figures {
        files.push((figure.file.clone(), figure.svg.clone()));
    }
    let notes = count_notes(rows);
    let page = SweepPage {
        version: env!("CARGO_PKG_VERSION"),
        title: match (&manifest["title"], &manifest["plan"]["name"]) {
            (Json::String(title), _) => title.clone(),
            (_, Json::String(name)) => format!("Sweep {name}"),
            _ => "Sweep without a name".into(),
        },
        css: [super::page::CSS, plot::STYLE].concat(),
        js: super::page::TABLES,
        verdicts: content.verdicts,
        sections: content.sections,
        more_notes: notes.len().saturating_sub(MOST_NOTES),
        notes: notes
            .into_iter()
            .take(MOST_NOTES)
            .map(|(note, count)| (note, format_thousands(count)))
            .collect(),
        results: results.rsplit('/').next().unwrap_or_default(),
        manifest: !manifest.is_null(),
        facts: list_run_facts(rows, manifest),
        terms: content.terms,
    };
    files[0].1 = page.to_string();
    Ok(files)
}

/// Sections of the page, with their verdicts and the terms that they use.
#[derive(Default)]
struct PageContent {
    verdicts: Vec<RichText>,
    sections: Vec<Section>,
    terms: Vec<Term>,
}

impl PageContent {
    /// Adds the sections of a group of rows; `found` are its figures by section.
    fn add_group(&mut self, group: &RowGroup, found: &[SectionFigures<'_>]) -> Result<()> {
        for figures in found {
            let settings = settings::settings_section(figures, self.sections.len() + 1)?;
            // One ordering has nothing beside it but its settings.
            if settings.is_none() || figures.orderings.len() > 1 {
                if let Some(best) = figures.best_ordering() {
                    let said = (group.verdict)(&figures.title(), best);
                    self.verdicts.push(said.text(figures.describe_ties(best)));
                }
                self.sections
                    .push(make_group_section(figures, self.sections.len() + 1)?);
            }
            if let Some((mut settings, verdict)) = settings {
                settings.id = format!("s{}", self.sections.len() + 1);
                self.sections.push(settings);
                self.verdicts.push(verdict);
            }
        }
        let number = self.sections.len() + 1;
        self.sections.extend(side_by_side(found, number)?);
        if !found.is_empty() {
            for term in group.terms {
                // Groups have terms in common.
                if self.terms.iter().all(|used| used.name != term.name) {
                    self.terms.push(*term);
                }
            }
        }
        Ok(())
    }
}

/// Lists the rows of a sweep and what its manifest says about the run.
fn list_run_facts(rows: &[ResultRow], manifest: &serde_json::Value) -> Vec<Fact> {
    let mut facts = vec![Fact::new("Rows", format_thousands(rows.len() as u64))];
    for key in ["version", "seconds", "threads"] {
        let text = manifest[key].as_str().map(String::from);
        let value = text.or_else(|| manifest[key].as_f64().map(format_briefly));
        // A table without its manifest has a page, too.
        facts.extend(value.map(|value| Fact::new(key, value)));
    }
    for assumed in manifest["assumed"].as_array().into_iter().flatten() {
        facts.extend(
            assumed
                .as_str()
                .map(|text| Fact::on_own_line("Assumed", text)),
        );
    }
    facts
}

/// Makes the section of that number from the rows of a group.
fn make_group_section(figures: &SectionFigures<'_>, number: usize) -> Result<Section> {
    let group = figures.group;
    let replayed = group.name == "replay";
    let about = if replayed {
        "Mean distance in hops between the nodes of a job, by ordering and allocator. Best \
         values of a column are bold, ties too; where all are equal, none is."
    } else {
        ""
    };
    let title = figures.title();
    let mut section = Section::new(
        format!("s{number}"),
        title.clone(),
        about,
        figures.figure_table(),
    );
    // One choice: bars, a panel a column; several: a heat map a column.
    if let [choice] = figures.choices.as_slice() {
        let bars = BarFigure {
            title,
            note: LOWER,
            orderings: figures.rank_orderings(),
            all: figures.all,
            intervals: false,
        };
        // Rows without workloads have no choice beside the ordering, and their panels no name.
        let named = if group.by == "topology" { "" } else { choice };
        let panels: Vec<(&str, &str)> = group
            .columns
            .iter()
            .map(|(_, _, axis)| (named, *axis))
            .collect();
        let file = figure_file(number, group.name);
        section
            .figures
            .extend(bars.draw(file, &panels, |ordering, i| {
                figures.mean_figure(ordering, choice, group.columns[i].0)
            })?);
    } else {
        (section.figures, section.said) = draw_heat_maps(figures, number)?;
    }
    if replayed {
        section.figures.extend(draw_improvement(
            figures,
            number,
            file_name(&figures.titles[0]),
        )?);
    }
    Ok(section)
}

/// Lists why combinations have no results, and how many have each reason, in the order they come.
fn count_notes(rows: &[ResultRow]) -> Vec<(Cow<'_, str>, u64)> {
    let notes = rows
        .iter()
        .map(|row| row.text("note"))
        .filter(|note| !note.is_empty());
    group_by_key(notes, Clone::clone)
        .into_iter()
        .map(|(note, rows)| (note, rows.len() as u64))
        .collect()
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
