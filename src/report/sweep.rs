//! A sweep as a page: its table of results, section by section, and a figure where there is one to draw.

use std::collections::{BTreeMap, BTreeSet};

use super::Figure;
use super::page::{figure, fill};
use super::words::fixed;
use crate::error::{Error, Result, SourceLocation};
use crate::input::Text;
use crate::plot::replay::{Bars, Figure as Drawn, Means};
use crate::plot::{self, escape, thousands};
use crate::replay::set::BASELINE;

/// Bars of a figure at most.
const MOST_BARS: usize = 24;
/// Notes listed at most.
const MOST_NOTES: usize = 40;

/// One row of the results by its columns.
type Row = BTreeMap<String, String>;

/// The files of a sweep's page: `index.html` first, then the figures it shows, as names and texts.
///
/// # Errors
/// Results that are no table of a sweep, with file and line; a figure that cannot be drawn.
pub fn files(results: &Text, manifest: Option<&str>) -> Result<Vec<(String, String)>> {
    let rows = read(results)?;
    let manifest: serde_json::Value =
        manifest.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    let name = manifest["plan"]["name"].as_str().unwrap_or("without a name").to_string();
    let mut page = Page::default();
    let groups: [(&str, &[&str], Draw); 4] = [
        ("replay", &["topology", "log", "trace", "procs_per_node"], Page::replays),
        ("schedule", &["topology", "trace", "procs_per_node", "policy"], Page::schedules),
        ("mapping", &["topology", "guest"], Page::mappings),
        ("mpc", &["topology"], Page::curves),
    ];
    for (group, keys, draw) in groups {
        for (titles, rows) in sections(&rows, group, keys) {
            draw(&mut page, &titles, &rows)?;
        }
    }
    let facts = format!(
        "<dl class=\"facts\">\n<div><dt>Rows</dt><dd>{}</dd></div>\n{}</dl>\n",
        thousands(rows.len() as u64),
        ["version", "seconds", "threads"]
            .iter()
            .filter(|key| !manifest[**key].is_null())
            .map(|key| {
                let value = manifest[*key].to_string();
                format!("<div><dt>{key}</dt><dd>{}</dd></div>\n", escape(value.trim_matches('"')))
            })
            .collect::<String>()
    );
    let file = results.name().rsplit('/').next().unwrap_or_default();
    let beside = match manifest.is_null() {
        true => "",
        false => {
            ", and <a href=\"manifest.json\" download>manifest.json</a>, what they were made of"
        }
    };
    let parts = [
        ("version", env!("CARGO_PKG_VERSION").to_string()),
        ("name", escape(&name)),
        ("css", include_str!("page.css").to_string()),
        ("figure_css", plot::STYLE.to_string()),
        ("js", include_str!("page/tables.js").to_string()),
        ("verdict", page.verdict()),
        ("sections", page.text),
        ("notes", notes(&rows)),
        ("results", escape(file)),
        ("manifest", beside.to_string()),
        ("facts", facts),
    ];
    let mut files = vec![("index.html".to_string(), fill(include_str!("sweep.html"), &parts))];
    files.extend(page.figures);
    Ok(files)
}

type Draw = fn(&mut Page, &[String], &[&Row]) -> Result<()>;

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

/// The rows of a group that have figures, by the values of `keys`, in the order they come.
fn sections<'r>(rows: &'r [Row], group: &str, keys: &[&str]) -> Vec<(Vec<String>, Vec<&'r Row>)> {
    let mut places: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    let mut sections: Vec<(Vec<String>, Vec<&Row>)> = Vec::new();
    for row in rows.iter().filter(|row| get(row, "group") == group && get(row, "note").is_empty()) {
        let titles: Vec<String> = keys.iter().map(|key| get(row, key).to_string()).collect();
        let location = *places.entry(titles.clone()).or_insert(sections.len());
        if location == sections.len() {
            sections.push((titles, Vec::new()));
        }
        sections[location].1.push(row);
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
        n => format!(", {n} processors a node"),
    }
}

#[derive(Default)]
struct Page {
    text: String,
    verdicts: Vec<String>,
    figures: Vec<(String, String)>,
    sections: usize,
}

impl Page {
    fn verdict(&self) -> String {
        self.verdicts.iter().map(|line| format!("<p>{line}</p>\n")).collect()
    }

    fn open(&mut self, title: &str) {
        self.sections += 1;
        let n = self.sections;
        self.text += &format!("<section aria-labelledby=\"s{n}\">\n<h2 id=\"s{n}\">{title}</h2>\n");
    }

    /// A table of orderings against columns, the lowest of each column bold; rows by `rank`, lowest first.
    fn table(
        &mut self,
        orderings: &[String],
        columns: &[String],
        rank: impl Fn(&str) -> Option<f64>,
        cell: impl Fn(&str, usize) -> Option<f64>,
    ) {
        let mut sorted: Vec<&String> = orderings.iter().collect();
        let key = |label: &&String| rank(label).unwrap_or(f64::INFINITY);
        sorted.sort_by(|a, b| key(a).total_cmp(&key(b)));
        let head: String = (columns.iter().enumerate())
            .map(|(i, c)| format!("<th scope=\"col\" data-column=\"{}\">{}</th>", i + 1, escape(c)))
            .collect();
        let lowest = |i: usize| {
            let values = orderings.iter().filter_map(|label| cell(label, i));
            values.fold(f64::INFINITY, f64::min)
        };
        let lows: Vec<f64> = (0..columns.len()).map(lowest).collect();
        let mut body = String::new();
        for label in sorted {
            let label_text = escape(label);
            body += &format!(
                "<tr><th scope=\"row\" class=\"text\" data-value=\"{label_text}\">{label_text}</th>"
            );
            for (i, low) in lows.iter().enumerate() {
                body += &match cell(label, i) {
                    None => "<td data-value=\"\">–</td>".to_string(),
                    Some(value) => {
                        let class = if value == *low { " class=\"low\"" } else { "" };
                        format!("<td data-value=\"{value}\"{class}>{}</td>", fixed(value, 4))
                    }
                };
            }
            body += "</tr>\n";
        }
        self.text += &format!(
            "<div class=\"scroll\" tabindex=\"0\"><table class=\"sortable\">\n<thead><tr><th scope=\"col\" \
             class=\"text\" data-column=\"0\">Ordering</th>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n\
             </table></div>\n"
        );
    }

    fn replays(&mut self, titles: &[String], rows: &[&Row]) -> Result<()> {
        let named: Vec<String> =
            titles[1..3].iter().filter(|t| !t.is_empty()).map(|t| escape(t)).collect();
        let procs = processors(&titles[3]);
        let machine = escape(&titles[0]);
        let title = format!("{machine} under {}{procs}", named.join(" "));
        let (orderings, allocators) = (labels(rows, "ordering"), labels(rows, "allocator"));
        let cell = |ordering: &str, allocator: &str, figure: &str| {
            mean(rows, &[("ordering", ordering), ("allocator", allocator)], figure)
        };
        let mut ranked: Vec<(f64, usize, usize)> = Vec::new();
        for (o, ordering) in orderings.iter().enumerate() {
            for (a, allocator) in allocators.iter().enumerate() {
                let mind = cell(ordering, allocator, "mean_mind");
                ranked.extend(mind.map(|mind| (mind, o, a)));
            }
        }
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        self.open(&title);
        if let Some((mind, o, a)) = ranked.first() {
            self.verdicts.push(format!(
                "{title}: <b>{}</b> with <b>{}</b>, {} hops between the nodes of a job.",
                escape(&orderings[*o]),
                escape(&allocators[*a]),
                fixed(*mind, 3)
            ));
        }
        self.text += "<p>Mean distance in hops between the nodes of a job, by ordering and allocator; the best \
                      ordering of each allocator is bold.</p>\n";
        self.table(
            &orderings,
            &allocators,
            |ordering| {
                let all = allocators.iter().filter_map(|a| cell(ordering, a, "mean_mind"));
                all.min_by(f64::total_cmp)
            },
            |ordering, i| cell(ordering, &allocators[i], "mean_mind"),
        );
        let bars: Vec<(String, usize, Means)> = (ranked.iter())
            .filter(|(_, _, a)| allocators[*a] != BASELINE)
            .take(MOST_BARS)
            .map(|(_, o, a)| {
                let of = |figure| cell(&orderings[*o], &allocators[*a], figure);
                let means = Means {
                    small: of("improvement_small"),
                    large: of("improvement_large"),
                    overall: of("improvement_overall"),
                };
                (format!("{} · {}", orderings[*o], allocators[*a]), *a, means)
            })
            .collect();
        let any = bars.iter().any(|(_, _, m)| m.small.or(m.large).or(m.overall).is_some());
        if any {
            let bars: Vec<Bars<'_>> = (bars.iter())
                .map(|(label, slot, means)| Bars { label, slot: *slot, means: *means })
                .collect();
            let title = format!("Improvement over {BASELINE} on {}", titles[0]);
            let what = format!("improvement over {BASELINE} (%)");
            let drawn = Drawn::averages(&title, &what, &bars)?;
            self.draw(drawn.svg()?, "The best combinations by mean distance, best first.");
        }
        self.text += "</section>\n";
        Ok(())
    }

    fn schedules(&mut self, titles: &[String], rows: &[&Row]) -> Result<()> {
        let [machine, trace, procs, policy] = titles else { return Ok(()) };
        let title = format!(
            "{} on {}{}, {}",
            escape(trace),
            escape(machine),
            processors(procs),
            escape(policy)
        );
        let (orderings, allocators) = (labels(rows, "ordering"), labels(rows, "allocator"));
        self.open(&title);
        let columns: Vec<String> = (allocators.iter())
            .flat_map(|a| [format!("Mean distance, {a} (hops)"), format!("Mean wait, {a} (s)")])
            .collect();
        let cell = |ordering: &str, i: usize| {
            let figure = if i.is_multiple_of(2) { "schedule_mean_mind" } else { "mean_wait" };
            mean(rows, &[("ordering", ordering), ("allocator", &allocators[i / 2])], figure)
        };
        let distances = || (0..columns.len()).step_by(2);
        let all = orderings.iter().flat_map(|o| distances().map(move |i| (o, i)));
        let known = all.filter_map(|(o, i)| Some((cell(o, i)?, o, i)));
        if let Some((mind, ordering, i)) = known.min_by(|a, b| a.0.total_cmp(&b.0)) {
            self.verdicts.push(format!(
                "{title}: <b>{}</b> with <b>{}</b>, {} hops between the nodes of a job.",
                escape(ordering),
                escape(&allocators[i / 2]),
                fixed(mind, 3)
            ));
        }
        let best =
            |ordering: &str| distances().filter_map(|i| cell(ordering, i)).min_by(f64::total_cmp);
        self.table(&orderings, &columns, best, cell);
        self.text += "</section>\n";
        Ok(())
    }

    fn mappings(&mut self, titles: &[String], rows: &[&Row]) -> Result<()> {
        let title = format!("{} on {}", escape(&titles[1]), escape(&titles[0]));
        let (orderings, routings) = (labels(rows, "ordering"), labels(rows, "routing"));
        self.open(&title);
        let of = |ordering: &str, routing: &str, figure: &str| {
            mean(rows, &[("ordering", ordering), ("routing", routing)], figure)
        };
        let columns: Vec<String> = (routings.iter())
            .flat_map(|r| [format!("Contention, {r}"), format!("Mean dilation, {r}")])
            .collect();
        let cell = |ordering: &str, i: usize| {
            let figure = if i.is_multiple_of(2) { "contention_max" } else { "dilation_mean" };
            of(ordering, &routings[i / 2], figure)
        };
        let best = |ordering: &str| cell(ordering, 0);
        let first = orderings.iter().filter_map(|o| Some((best(o)?, o)));
        if let Some((contention, ordering)) = first.min_by(|a, b| a.0.total_cmp(&b.0)) {
            self.verdicts.push(format!(
                "{title}: <b>{}</b>, contention {} under {}.",
                escape(ordering),
                fixed(contention, 3),
                escape(&routings[0])
            ));
        }
        self.table(&orderings, &columns, best, cell);
        self.text += "</section>\n";
        Ok(())
    }

    fn curves(&mut self, titles: &[String], rows: &[&Row]) -> Result<()> {
        let title = escape(&titles[0]);
        let orderings = labels(rows, "ordering");
        self.open(&title);
        let of = |ordering: &str, figure: &str| mean(rows, &[("ordering", ordering)], figure);
        let figures = ["mpc_mean_log", "mpc_mean", "mean_step"];
        let columns = ["Log-uniform mean of MPC (hops)", "Plain mean (hops)", "Mean step (hops)"];
        let best = |ordering: &str| of(ordering, figures[0]);
        let first = orderings.iter().filter_map(|o| Some((best(o)?, o)));
        if let Some((mpc, ordering)) = first.min_by(|a, b| a.0.total_cmp(&b.0)) {
            let ordering = escape(ordering);
            self.verdicts.push(format!("{title}: <b>{ordering}</b>, MPC {} hops.", fixed(mpc, 3)));
        }
        let cell = |ordering: &str, i: usize| of(ordering, figures[i]);
        self.table(&orderings, &columns.map(String::from), best, cell);
        self.text += "</section>\n";
        Ok(())
    }

    fn draw(&mut self, svg: String, caption: &str) {
        let file = format!("section-{:02}.svg", self.sections);
        let drawn = Figure { file: file.clone(), caption: caption.into(), svg };
        self.text += &figure(&drawn);
        self.figures.push((file, drawn.svg));
    }
}

/// Combinations without figures, and why.
fn notes(rows: &[Row]) -> String {
    let mut reasons: Vec<(&str, u64)> = Vec::new();
    for note in rows.iter().map(|row| get(row, "note")).filter(|note| !note.is_empty()) {
        match reasons.iter_mut().find(|(reason, _)| *reason == note) {
            Some((_, count)) => *count += 1,
            None => reasons.push((note, 1)),
        }
    }
    if reasons.is_empty() {
        return "<p>Nothing: every combination has its figures.</p>\n".into();
    }
    let items: String = (reasons.iter().take(MOST_NOTES))
        .map(|(reason, count)| format!("<li>{} × {}</li>\n", thousands(*count), escape(reason)))
        .collect();
    let more = match reasons.len().saturating_sub(MOST_NOTES) {
        0 => String::new(),
        n => format!("<p>and {n} other reasons; see the column note.</p>\n"),
    };
    format!("<ul>\n{items}</ul>\n{more}")
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
            "t.swf on torus:4x4, 2 processors a node, easy: <b>snake</b> with <b>span-best-fit</b>, 1.200 hops"
        ));
        assert!(page.contains("<td data-value=\"70\" class=\"low\">70.0000</td>"));
        assert!(page.contains("1 × fat-tree has no &lt;coordinates&gt;"));
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
