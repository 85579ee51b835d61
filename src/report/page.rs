//! One self-contained page: `page.html` with the comparison's figures filled in. It asks for nothing
//! beyond itself. What moves is done by the scripts in `page/` on the data of [`data`]; without them
//! the page still has every figure as a picture.

use super::{Figure, Figures, File, Workload, words};
use crate::error::Result;
use crate::metric::comparison::Comparison;
use crate::ordering::NodeOrder;
use crate::plot::{self, escape, thousands};
use crate::topology::Topology;

mod data;
mod ranking;

/// Stretches listed in the page's table at most; the figure and the CSV file have all.
const MOST_STRETCHES: usize = 24;
/// Bytes of pictures of the machine in the page, about.
const PICTURES: usize = 500_000;
/// Crossover sizes listed at most.
const MOST_CROSSOVERS: usize = 24;

/// The scripts, in the order in which they build on each other.
const SCRIPTS: [&str; 9] = [
    include_str!("page/tables.js"),
    include_str!("page/common.js"),
    include_str!("page/chart.js"),
    include_str!("page/distance.js"),
    include_str!("page/layout.js"),
    include_str!("page/drawing.js"),
    include_str!("page/machine.js"),
    include_str!("page/footprint.js"),
    include_str!("page/download.js"),
];

/// All that a page tells.
pub(super) struct Page<'p> {
    pub topology: &'p Topology,
    /// Those compared, as the user named them.
    pub orders: &'p [NodeOrder],
    pub comparison: &'p Comparison,
    /// Which of `orders` each entry is.
    pub slots: &'p [usize],
    pub figures: &'p Figures,
    pub workload: Workload<'p>,
    /// The workload's sections.
    pub sections: String,
    /// The files beside the page.
    pub files: &'p [File<'p>],
    pub command: &'p str,
}

impl Page<'_> {
    /// The page as HTML text.
    ///
    /// # Errors
    /// A figure that cannot be drawn.
    pub fn html(&self) -> Result<String> {
        let (topology, comparison) = (self.topology, self.comparison);
        let data = data::document(topology, self.orders, comparison, self.slots, self.files);
        let names: Vec<&str> = self.files.iter().map(|f| f.name.as_str()).collect();
        let parts = [
            ("version", env!("CARGO_PKG_VERSION").to_string()),
            ("name", escape(topology.name())),
            ("css", include_str!("page.css").to_string()),
            ("figure_css", plot::STYLE.to_string()),
            ("js", SCRIPTS.concat()),
            ("data", data),
            ("verdict", words::verdict(comparison) + &words::suited(comparison, self.workload)),
            ("details", words::details(comparison, self.workload)),
            ("contents", contents(&self.sections)),
            ("facts", facts(topology, comparison)),
            ("table", ranking::table(comparison, self.slots)?),
            ("workload", self.sections.clone()),
            ("winners", winners(comparison, &self.figures.winners)),
            ("curves", self.figures.curves.iter().map(figure).collect()),
            ("machines", machines(comparison, &self.figures.machines)),
            ("files", file_list(&names)),
            ("command", escape(self.command)),
        ];
        Ok(fill(include_str!("page.html"), &parts))
    }
}

/// Links to the sections.
fn contents(workload: &str) -> String {
    let all = [
        ("ranking", "Ranking"),
        ("workload", "Replay"),
        ("contention", "Contention"),
        ("scheduling", "Queue"),
        ("curves", "Curves"),
        ("winners", "Winners by size"),
        ("paths", "Machine"),
        ("footprints", "Footprints"),
        ("data", "Data"),
        ("reproduce", "Reproduce"),
        ("terms", "Terms"),
    ];
    let there = |id: &str| {
        let optional = ["workload", "contention", "scheduling"].contains(&id);
        !optional || workload.contains(&format!(" id=\"{id}\""))
    };
    let items = all.iter().filter(|(id, _)| there(id));
    let item = |(id, title): &(&str, &str)| {
        // Only the script has footprints, and shows their link.
        let hidden = if *id == "footprints" { " hidden" } else { "" };
        format!("<li{hidden}><a href=\"#{id}\">{title}</a></li>\n")
    };
    items.map(item).collect()
}

/// Replaces each `{{key}}` once through; what is filled in is not looked at again.
pub(super) fn fill(template: &str, parts: &[(&str, String)]) -> String {
    let mut out = String::new();
    let mut pieces = template.split("{{");
    out.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let (key, rest) = piece.split_once("}}").unwrap_or((piece, ""));
        out.extend(parts.iter().filter(|(k, _)| *k == key).map(|(_, value)| value.as_str()));
        out.push_str(rest);
    }
    out
}

pub(super) fn figure(figure: &Figure) -> String {
    format!(
        "<figure>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" \
         aria-label=\"Picture {file}\">{}</div>\n<figcaption>{} <a class=\"screen\" href=\"{file}\" download>{file}</a></figcaption>\n</figure>\n",
        plot::inline(&figure.svg),
        escape(&figure.caption),
        file = figure.file,
    )
}

fn facts(topology: &Topology, comparison: &Comparison) -> String {
    let s = &comparison.topology;
    let nodes = if s.nodes == s.places {
        thousands(s.nodes)
    } else {
        format!("{} of {} places", thousands(s.nodes), thousands(s.places))
    };
    let degree = if s.degree_min == s.degree_max {
        s.degree_min.to_string()
    } else {
        format!("{} to {}", s.degree_min, s.degree_max)
    };
    let mut rows = vec![
        ("Nodes", nodes, ""),
        ("Routers", thousands(s.routers), ""),
        ("Links between routers", thousands(s.links), ""),
        ("Links a router", degree, ""),
        ("Diameter", words::hops_text(f64::from(s.diameter), 0), ""),
        ("Mean distance", words::hops_text(s.mean_distance, 4), ""),
        ("Specification", format!("<code>{}</code>", escape(&s.spec)), " class=\"wide\""),
    ];
    if let Some(source) = topology.source() {
        rows.push(("Source", escape(source), " class=\"wide\""));
    }
    let rows: String = rows
        .iter()
        .map(|(term, value, class)| format!("<div{class}><dt>{term}</dt><dd>{value}</dd></div>\n"))
        .collect();
    format!("<dl class=\"facts\">\n{rows}</dl>\n")
}

fn winners(comparison: &Comparison, winners: &Figure) -> String {
    let mut out = figure(winners);
    let stretches = &comparison.stretches;
    // A stretch weighs by the doublings it spans.
    let weight =
        |i: usize| (stretches[i].to as f64 + 0.5).ln() - (stretches[i].from as f64 - 0.5).ln();
    let mut listed: Vec<usize> = (0..stretches.len()).collect();
    listed.sort_by(|a, b| weight(*b).total_cmp(&weight(*a)));
    listed.truncate(MOST_STRETCHES);
    listed.sort_unstable();
    if stretches.len() > 1 {
        let rows: String = listed
            .iter()
            .map(|i| {
                let s = &stretches[*i];
                format!(
                    "<tr><td>{}</td><td>{}</td><th scope=\"row\" class=\"text\">{}</th></tr>\n",
                    thousands(s.from as u64),
                    thousands(s.to as u64),
                    escape(&comparison.entries[s.winner].label)
                )
            })
            .collect();
        out += &format!(
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Best ordering by size\">\
             <table>\n<thead><tr><th scope=\"col\">From (nodes)</th>\
             <th scope=\"col\">To (nodes)</th><th scope=\"col\" class=\"text\">Best \
             ordering</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
        );
    }
    if stretches.len() > listed.len() {
        let all: f64 = (0..stretches.len()).map(weight).sum();
        let shown: f64 = listed.iter().map(|i| weight(*i)).sum();
        out += &format!(
            "<p class=\"note\">The {} widest of {} stretches, {} % of the log axis; all are in <a \
             href=\"stretches.csv\">stretches.csv</a>.</p>\n",
            listed.len(),
            thousands(stretches.len() as u64),
            words::fixed(100.0 * shown / all, 1)
        );
    }
    out + &crossovers(comparison)
}

fn crossovers(comparison: &Comparison) -> String {
    let [first, second, ..] = comparison.entries.as_slice() else { return String::new() };
    let (a, b) = (escape(&first.label), escape(&second.label));
    let sizes = &comparison.crossovers;
    if sizes.is_empty() {
        return format!(
            "<p>The two leaders, <b>{a}</b> and <b>{b}</b>, never change places.</p>\n"
        );
    }
    let listed: Vec<String> =
        sizes.iter().take(MOST_CROSSOVERS).map(|s| thousands(*s as u64)).collect();
    let more = match sizes.len() - listed.len() {
        0 => String::new(),
        n => format!(
            " … and {} more in <a href=\"crossovers.csv\">crossovers.csv</a>",
            thousands(n as u64)
        ),
    };
    format!(
        "<p>The two leaders, <b>{a}</b> and <b>{b}</b>, change places at {} nodes{more}.</p>\n",
        listed.join("; ")
    )
}

/// The pictures of the leader and of row-major (or the runner-up) open, others folded while there is room; the rest
/// stands beside the page.
fn machines(comparison: &Comparison, machines: &[Figure]) -> String {
    let labels: Vec<&str> = comparison.entries.iter().map(|e| e.label.as_str()).collect();
    let other = labels.iter().position(|l| *l == words::REFERENCE).filter(|i| *i > 0).unwrap_or(1);
    let mut room = PICTURES;
    let (mut out, mut beside) = (String::new(), Vec::new());
    for (i, (picture, label)) in machines.iter().zip(&labels).enumerate() {
        let open = i == 0 || i == other;
        let left = room.checked_sub(picture.svg.len());
        if let (false, None) = (open, left) {
            let link = format!("<a href=\"{0}\">{1}</a>", picture.file, escape(label));
            beside.push(link);
            continue;
        }
        room = left.unwrap_or(0);
        out += &format!(
            "<details{}><summary><b>{}</b> (rank {})</summary>\n{}</details>\n",
            if open { " open" } else { "" },
            escape(label),
            i + 1,
            figure(picture)
        );
    }
    if !beside.is_empty() {
        out += &format!("<p>Beside this page: {}.</p>\n", beside.join("; "));
    }
    out
}

fn file_list(files: &[&str]) -> String {
    let about = |name: &str| match name {
        "mpc.csv" => "every curve at every size: ordering, size, mpc",
        "table.csv" => "the ranked table",
        "stretches.csv" => "who wins at which sizes",
        "crossovers.csv" => "where the two leaders change places",
        "limits.csv" => "how low any ordering could go: size, floor (proved), compact (sets found)",
        "workload.csv" => {
            "the replay of the workload: ordering, weighted_mpc, allocator, mean_mind"
        }
        "schedule.csv" => "the schedules of the workload, a row an ordering; times in seconds",
        "summary.json" => "all but the curves, as one document",
        _ => "",
    };
    let items: String = files
        .iter()
        .filter(|name| !about(name).is_empty())
        .map(|name| {
            format!(
                "<li data-file=\"{name}\"><a href=\"{name}\" download>{name}</a>: {}</li>\n",
                about(name)
            )
        })
        .collect();
    format!("<ul class=\"files\">\n{items}</ul>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_filled_in_is_not_a_template() {
        let parts = [("a", "{{b}}".to_string()), ("b", "x".to_string())];
        assert_eq!(fill("1{{a}}2{{b}}3{{c}}4", &parts), "1{{b}}2x34");
    }
}
