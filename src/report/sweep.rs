//! A sweep as a page, `templates/sweep.html`: its table of results, section by section, and a figure where there is
//! one to draw.

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;

use super::html::{Best, Column, Fact, Figure, Section, Table, Words, bold, fixed, words};
use super::page;
use crate::error::{Error, Result, SourceLocation};
use crate::input::Text;
use crate::plot::replay::{Bars, Figure as Drawn, Means};
use crate::plot::{self, thousands};
use crate::replay::set::BASELINE;

/// Bars of a figure at most.
const MOST_BARS: usize = 24;
/// Notes listed at most.
const MOST_NOTES: usize = 40;

/// One row of the results by its columns.
type Row = BTreeMap<String, String>;

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
    notes: Vec<(&'p str, String)>,
    /// How many reasons more there are.
    more_notes: usize,
    /// The file of results.
    results: &'p str,
    /// Whether a manifest stands beside it.
    manifest: bool,
    facts: Vec<Fact>,
}

/// The files of a sweep's page: `index.html` first, then the figures it shows, as names and texts.
///
/// # Errors
/// Results that are no table of a sweep, with file and line; a figure that cannot be drawn.
pub fn files(results: &Text, manifest: Option<&str>) -> Result<Vec<(String, String)>> {
    let rows = read(results)?;
    let manifest: serde_json::Value =
        manifest.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    let mut facts = vec![Fact::new("Rows", thousands(rows.len() as u64))];
    for key in ["version", "seconds", "threads"].into_iter().filter(|k| !manifest[*k].is_null()) {
        facts.push(Fact::new(key, manifest[key].to_string().trim_matches('"')));
    }
    let (mut verdicts, mut parts) = (Vec::new(), Vec::new());
    for group in &GROUPS {
        for (titles, rows) in sections(&rows, group) {
            let (verdict, section) = section(group, &rows, parts.len() + 1, &titles)?;
            verdicts.extend(verdict);
            parts.push(section);
        }
    }
    let figures: Vec<(String, String)> = (parts.iter())
        .filter_map(|section| section.figure.as_ref())
        .map(|figure| (figure.file.clone(), figure.svg.clone()))
        .collect();
    let notes = notes(&rows);
    let page = Page {
        version: env!("CARGO_PKG_VERSION"),
        name: manifest["plan"]["name"].as_str().unwrap_or("without a name"),
        css: [page::CSS, plot::STYLE].concat(),
        js: page::TABLES,
        verdicts,
        sections: parts,
        more_notes: notes.len().saturating_sub(MOST_NOTES),
        notes: notes.into_iter().take(MOST_NOTES).map(|(n, c)| (n, thousands(c))).collect(),
        results: results.name().rsplit('/').next().unwrap_or_default(),
        manifest: !manifest.is_null(),
        facts,
    };
    let mut files = vec![("index.html".to_string(), page.to_string())];
    files.extend(figures);
    Ok(files)
}

/// A group of rows and how its sections are made.
struct Group {
    /// What the column `group` says.
    name: &'static str,
    /// The columns that part it into sections.
    keys: &'static [&'static str],
    /// The title of a section, from their values.
    title: fn(&[String]) -> String,
    /// The column whose values are choices beside the ordering.
    by: &'static str,
    /// Whether only the first choice ranks the orderings.
    first_ranks: bool,
    /// What the table is called.
    label: &'static str,
    /// The column of each figure, and what the table calls it (`{}` is the choice).
    columns: &'static [(&'static str, &'static str)],
    /// The best ordering in a sentence, under a title.
    verdict: fn(&str, Lowest<'_>) -> Words,
}

/// The lowest value of the first figure, its ordering and its choice.
type Lowest<'f> = (f64, &'f str, &'f str);

const GROUPS: [Group; 4] = [
    Group {
        name: "replay",
        keys: &["topology", "log", "trace", "procs_per_node"],
        title: |t| {
            let workload: Vec<&str> =
                t[1..3].iter().map(String::as_str).filter(|t| !t.is_empty()).collect();
            format!("{} under {}{}", t[0], workload.join(" "), processors(&t[3]))
        },
        by: "allocator",
        first_ranks: false,
        label: "Mean distance by ordering and allocator",
        columns: &[("mean_mind", "{}")],
        verdict: closest,
    },
    Group {
        name: "schedule",
        keys: &["topology", "trace", "procs_per_node", "policy", "model"],
        title: |t| {
            let model = if t[4].is_empty() { String::new() } else { format!(", {}", t[4]) };
            format!("{} on {}{}, {}{model}", t[1], t[0], processors(&t[2]), t[3])
        },
        by: "allocator",
        first_ranks: false,
        label: "Schedules by ordering and allocator",
        columns: &[
            ("schedule_mean_mind", "Mean distance, {} (hops)"),
            ("mean_wait", "Mean wait, {} (s)"),
        ],
        verdict: closest,
    },
    Group {
        name: "mapping",
        keys: &["topology", "guest"],
        title: |t| format!("{} on {}", t[1], t[0]),
        by: "routing",
        first_ranks: true,
        label: "Mappings by ordering and routing",
        columns: &[("contention_max", "Contention, {}"), ("dilation_mean", "Mean dilation, {}")],
        verdict: |title, (contention, ordering, routing)| {
            let contention = format!(", contention {} under {routing}.", fixed(contention, 3));
            words![format!("{title}: "), bold(ordering), contention]
        },
    },
    Group {
        name: "mpc",
        keys: &["topology"],
        title: |t| t[0].clone(),
        by: "topology",
        first_ranks: false,
        label: "MPC by ordering",
        columns: &[
            ("mpc_mean_log", "Log-uniform mean of MPC (hops)"),
            ("mpc_mean", "Plain mean (hops)"),
            ("mean_step", "Mean step (hops)"),
        ],
        verdict: |title, (mpc, ordering, _)| {
            words![format!("{title}: "), bold(ordering), format!(", MPC {} hops.", fixed(mpc, 3))]
        },
    },
];

fn read(results: &Text) -> Result<Vec<Row>> {
    let location = |line: u64| SourceLocation::line(results.name(), line as usize);
    let mut reader = csv::Reader::from_reader(results.as_str().as_bytes());
    let wrong = |e: csv::Error| {
        let line = e.position().map_or(1, csv::Position::line);
        Error::input(location(line), e.to_string(), "a table of a sweep's results")
    };
    let columns: Vec<String> =
        reader.headers().map_err(wrong)?.iter().map(str::to_string).collect();
    for column in ["topology", "ordering", "seed", "group", "note"] {
        if !columns.iter().any(|c| c == column) {
            let found = format!("no column `{column}`");
            return Err(Error::input(location(1), found, "a table of a sweep's results"));
        }
    }
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(wrong)?;
        rows.push(columns.iter().cloned().zip(record.iter().map(str::to_string)).collect());
    }
    if rows.is_empty() {
        return Err(Error::input(location(1), "no rows", "a row for each combination"));
    }
    Ok(rows)
}

fn get<'r>(row: &'r Row, column: &str) -> &'r str {
    row.get(column).map_or("", String::as_str)
}

fn value(row: &Row, column: &str) -> Option<f64> {
    get(row, column).parse().ok()
}

/// The rows of a group that have figures, by the values of its keys, in the order they come.
fn sections<'r>(rows: &'r [Row], group: &Group) -> Vec<(Vec<String>, Vec<&'r Row>)> {
    let mut sections: Vec<(Vec<String>, Vec<&Row>)> = Vec::new();
    let mut indices: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    let shown = |row: &&Row| get(row, "group") == group.name && get(row, "note").is_empty();
    for row in rows.iter().filter(shown) {
        let titles: Vec<String> = group.keys.iter().map(|key| get(row, key).to_string()).collect();
        let index = *indices.entry(titles.clone()).or_insert(sections.len());
        if index == sections.len() {
            sections.push((titles, Vec::new()));
        }
        sections[index].1.push(row);
    }
    sections
}

/// Different values of a column, in the order they come.
fn labels(rows: &[&Row], column: &str) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let all = rows.iter().map(|row| get(row, column));
    all.filter(|label| seen.insert(label.to_string())).map(str::to_string).collect()
}

/// The mean of `figure` over the rows (seeds) with these values; none where a row has no such figure.
fn mean(rows: &[&Row], fixed: &[(&str, &str)], figure: &str) -> Option<f64> {
    let here = |row: &&&Row| fixed.iter().all(|(column, label)| get(row, column) == *label);
    let values: Vec<f64> = rows.iter().filter(here).filter_map(|row| value(row, figure)).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// What a title says of the processors of a node.
fn processors(number: &str) -> String {
    match number {
        "" | "1" => String::new(),
        n => format!(", {n} processors per node"),
    }
}

/// The figures of the orderings in a section, under each of several choices.
struct Figures<'g> {
    group: &'g Group,
    rows: &'g [&'g Row],
    choices: Vec<String>,
    orderings: Vec<String>,
}

impl Figures<'_> {
    fn of(&self, ordering: &str, choice: &str, figure: &str) -> Option<f64> {
        mean(self.rows, &[("ordering", ordering), (self.group.by, choice)], figure)
    }

    /// The choices that rank the orderings.
    fn among(&self) -> &[String] {
        if self.group.first_ranks { &self.choices[..1] } else { &self.choices }
    }

    /// The ordering with the lowest value of the first column. Of equal ones the first.
    fn best(&self) -> Option<Lowest<'_>> {
        let all = self.orderings.iter().flat_map(|o| self.among().iter().map(move |c| (o, c)));
        let figure = self.group.columns[0].0;
        let known = all.filter_map(|(o, c)| Some((self.of(o, c, figure)?, &**o, &**c)));
        known.min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Orderings against columns, the lowest of each marked; those with the lowest first column come first.
    fn table(&self) -> Table {
        let Group { label, columns, .. } = self.group;
        let first = |ordering: &String| {
            let all = self.among().iter().filter_map(|c| self.of(ordering, c, columns[0].0));
            all.fold(f64::INFINITY, f64::min)
        };
        let mut names = self.orderings.clone();
        names.sort_by(|a, b| first(a).total_cmp(&first(b)));
        let columns = (self.choices.iter())
            .flat_map(|choice| columns.iter().map(move |column| (choice, column)))
            .map(|(choice, (figure, title))| {
                let values = names.iter().map(|ordering| self.of(ordering, choice, figure));
                Column::new(title.replace("{}", choice), 4, Best::Low, values)
            })
            .collect();
        Table { label, of: "Ordering", names, columns, ..Table::default() }
    }
}

/// Rows of a group as a section of that number; and its best ordering in a sentence.
fn section(
    group: &Group,
    rows: &[&Row],
    number: usize,
    titles: &[String],
) -> Result<(Option<Words>, Section)> {
    let (choices, orderings) = (labels(rows, group.by), labels(rows, "ordering"));
    let figures = Figures { group, rows, choices, orderings };
    let title = (group.title)(titles);
    let verdict = figures.best().map(|best| (group.verdict)(&title, best));
    let replayed = group.name == "replay";
    let about = match replayed {
        true => words![
            "Mean distance in hops between the nodes of a job, by ordering and allocator; the best ordering of \
             each allocator is bold."
        ],
        false => Words::default(),
    };
    let mut section = Section::new(format!("s{number}"), title, about, figures.table());
    if replayed {
        section.figure = improvement(&figures, number, &titles[0])?;
    }
    Ok((verdict, section))
}

/// With which ordering and allocator the nodes of jobs are closest together.
fn closest(title: &str, (mind, ordering, allocator): Lowest<'_>) -> Words {
    let distance = format!(", {} hops between the nodes of a job.", fixed(mind, 3));
    words![format!("{title}: "), bold(ordering), " with ", bold(allocator), distance]
}

/// The best combinations' improvement over `fifo:0`, where any has one.
fn improvement(figures: &Figures<'_>, number: usize, machine: &str) -> Result<Option<Figure>> {
    let pairs = (figures.orderings.iter())
        .flat_map(|ordering| figures.choices.iter().enumerate().map(move |c| (ordering, c)));
    let mut ranked: Vec<(f64, &str, usize)> = pairs
        .filter_map(|(o, (slot, c))| Some((figures.of(o, c, "mean_mind")?, o.as_str(), slot)))
        .collect();
    ranked.retain(|(_, _, slot)| figures.choices[*slot] != BASELINE);
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    ranked.truncate(MOST_BARS);
    let name = |ordering: &str, slot: usize| format!("{ordering} · {}", figures.choices[slot]);
    let labels: Vec<String> = ranked.iter().map(|(_, o, slot)| name(o, *slot)).collect();
    let bars: Vec<Bars<'_>> = (ranked.iter().zip(&labels))
        .map(|((_, ordering, slot), label)| {
            let of = |figure| figures.of(ordering, &figures.choices[*slot], figure);
            let data = Means {
                small: of("improvement_small"),
                large: of("improvement_large"),
                overall: of("improvement_overall"),
            };
            Bars { label, slot: *slot, data }
        })
        .collect();
    if bars.iter().all(|b| b.data.small.or(b.data.large).or(b.data.overall).is_none()) {
        return Ok(None);
    }
    let title = format!("Improvement over {BASELINE} on {machine}");
    let what = format!("improvement over {BASELINE} (%)");
    Ok(Some(Figure {
        file: format!("section-{number:02}.svg"),
        caption: "The best combinations by mean distance, best first.".into(),
        svg: Drawn::averages(&title, &what, &bars)?.svg()?,
    }))
}

/// Why combinations have no results, and how many each reason has, in the order they come.
fn notes(rows: &[Row]) -> Vec<(&str, u64)> {
    let mut reasons: Vec<(&str, u64)> = Vec::new();
    for note in rows.iter().map(|row| get(row, "note")).filter(|note| !note.is_empty()) {
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
        let files = files(&Text::new("results.csv", TABLE), None).unwrap();
        let page = &files[0].1;
        assert_eq!(
            files.iter().map(|f| f.0.as_str()).collect::<Vec<_>>(),
            ["index.html", "section-01.svg"]
        );
        assert!(
            page.contains(
                "torus:4x4 under a.log: <b>snake</b> with <b>first-fit:8</b>, 1.500 hops"
            )
        );
        // The mean over seeds.
        assert!(page.contains("<td data-value=\"3.5\">3.5000</td>"), "{page}");
        assert!(page.contains("<td data-value=\"1.5\" class=\"low\">1.5000</td>"));
        assert!(page.contains(
            "t.swf on torus:4x4, 2 processors per node, easy: <b>snake</b> with <b>span-best-fit</b>, 1.200 hops"
        ));
        assert!(page.contains("<td data-value=\"70\" class=\"low\">70.0000</td>"));
        assert!(page.contains("1 × fat-tree has no &#60;coordinates&#62;"));
        assert!(!page.contains("{{") && !page.contains("http"));
    }

    #[test]
    fn other_tables_are_refused_with_their_line() {
        let error = |text: &str| files(&Text::new("r.csv", text), None).unwrap_err().to_string();
        assert!(error("a,b\n1,2\n").starts_with("r.csv:1: found no column `topology`"));
        assert!(error(&TABLE.replace(",1.5,20,,20,,,", ",1.5")).starts_with("r.csv:3: "));
        assert!(error(TABLE.lines().next().unwrap()).contains("found no rows"));
    }
}
