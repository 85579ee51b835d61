//! One self-contained page: `page.html` with the comparison's figures filled in. It asks for nothing
//! beyond itself.

use super::{Figure, Figures, words};
use crate::error::Result;
use crate::metric::comparison::{Comparison, Entry};
use crate::plot::{self, escape, thousands};
use crate::topology::Topology;

/// Stretches listed in the page's table at most; the figure and the CSV file have all.
const MOST_STRETCHES: usize = 24;
/// Crossover sizes listed at most.
const MOST_CROSSOVERS: usize = 24;

/// The page as HTML text.
///
/// # Errors
/// A figure that cannot be drawn.
pub(crate) fn page(
    topology: &Topology,
    comparison: &Comparison,
    slots: &[usize],
    figures: &Figures,
    workload: String,
    files: &[String],
    command: &str,
) -> Result<String> {
    let parts = [
        ("version", env!("CARGO_PKG_VERSION").to_string()),
        ("name", escape(topology.name())),
        ("css", include_str!("page.css").to_string()),
        ("figure_css", plot::STYLE.to_string()),
        ("js", include_str!("page.js").to_string()),
        ("verdict", words::verdict(comparison)),
        ("details", words::details(comparison)),
        ("facts", facts(topology, comparison)),
        ("table", table(comparison, slots)?),
        ("workload", workload),
        ("winners", winners(comparison, &figures.winners)),
        ("curves", figures.curves.iter().map(figure).collect()),
        ("machines", machines(comparison, &figures.machines)),
        ("files", file_list(files)),
        ("command", escape(command)),
    ];
    Ok(fill(include_str!("page.html"), &parts))
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
        "<figure>\n<div class=\"scroll\" tabindex=\"0\">{}</div>\n<figcaption>{} <a class=\"screen\" \
         href=\"{file}\" download>{file}</a></figcaption>\n</figure>\n",
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

fn table(comparison: &Comparison, slots: &[usize]) -> Result<String> {
    let uneven = comparison.entries.iter().any(|e| e.nodes != comparison.entries[0].nodes);
    let mut columns = vec![
        ("Rank".to_string(), ""),
        ("Ordering".to_string(), " class=\"text\""),
        ("Log-uniform mean (hops)".to_string(), ""),
        ("Above the best (%)".to_string(), ""),
        ("Plain mean (hops)".to_string(), ""),
        ("Best over (% of sizes)".to_string(), ""),
        ("Mean step (hops)".to_string(), ""),
    ];
    if uneven {
        columns.push(("Nodes".to_string(), ""));
    }
    let fixed = columns.len();
    columns.extend(comparison.sizes.iter().map(|s| (thousands(*s as u64), "")));
    let heads: String = columns
        .iter()
        .enumerate()
        .map(|(i, (text, class))| {
            let sorted = if i == 0 { " aria-sort=\"ascending\"" } else { "" };
            format!("<th scope=\"col\" data-column=\"{i}\"{sorted}{class}>{text}</th>")
        })
        .collect();
    let mut rows = String::new();
    for (i, entry) in comparison.entries.iter().enumerate() {
        rows.push_str(&row(comparison, i, entry, plot::sample(slots[i])?, uneven));
    }
    Ok(format!(
        "<div class=\"scroll\" tabindex=\"0\"><table class=\"sortable\">\n<thead>\n<tr><td colspan=\
         \"{fixed}\"></td><th class=\"group\" scope=\"colgroup\" colspan=\"{}\">MPC (hops) of jobs of … \
         nodes</th></tr>\n<tr>{heads}</tr>\n</thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n",
        comparison.sizes.len()
    ))
}

fn row(
    comparison: &Comparison,
    rank: usize,
    entry: &Entry,
    sample: String,
    uneven: bool,
) -> String {
    let first = comparison.entries[0].mean_log;
    let cell = |value: f64, text: String| format!("<td data-value=\"{value}\">{text}</td>");
    let above = words::per_cent_above(entry.mean_log, first);
    let mut row = format!(
        "<tr{}><td>{}</td><th scope=\"row\" class=\"text\" data-value=\"{label}\">{sample}{label}</th>",
        if rank == 0 { " class=\"first\"" } else { "" },
        rank + 1,
        label = escape(&entry.label),
    );
    row += &cell(entry.mean_log, words::fixed(entry.mean_log, 3));
    row += &cell(above, words::fixed(above, 1));
    row += &cell(entry.mean_plain, words::fixed(entry.mean_plain, 3));
    row += &cell(entry.best_share, words::fixed(100.0 * entry.best_share, 1));
    row += &cell(entry.mean_step, words::fixed(entry.mean_step, 3));
    if uneven {
        row += &cell(entry.nodes as f64, thousands(entry.nodes as u64));
    }
    for (i, at) in entry.at.iter().enumerate() {
        row += &match at {
            None => "<td data-value=\"\">–</td>".to_string(),
            Some(value) => {
                let others = comparison.entries.iter().filter_map(|e| e.at[i]);
                let low = others.fold(f64::INFINITY, f64::min);
                let class = if *value == low { " class=\"low\"" } else { "" };
                format!("<td data-value=\"{value}\"{class}>{}</td>", words::fixed(*value, 3))
            }
        };
    }
    row + "</tr>\n"
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
            "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr><th scope=\"col\">From (nodes)</th>\
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

/// The pictures of the leader and of row-major (or the runner-up) open, the others folded.
fn machines(comparison: &Comparison, machines: &[Figure]) -> String {
    let labels: Vec<&str> = comparison.entries.iter().map(|e| e.label.as_str()).collect();
    let other = labels.iter().position(|l| *l == words::REFERENCE).filter(|i| *i > 0).unwrap_or(1);
    machines
        .iter()
        .zip(&labels)
        .enumerate()
        .map(|(i, (picture, label))| {
            let open = if i == 0 || i == other { " open" } else { "" };
            format!(
                "<details{open}><summary><b>{}</b> (rank {})</summary>\n{}</details>\n",
                escape(label),
                i + 1,
                figure(picture)
            )
        })
        .collect()
}

fn file_list(files: &[String]) -> String {
    let about = |name: &str| match name {
        "mpc.csv" => "every curve at every size: ordering, size, mpc",
        "table.csv" => "the ranked table",
        "stretches.csv" => "who wins at which sizes",
        "crossovers.csv" => "where the two leaders change places",
        "limits.csv" => "how low any ordering could go: size, floor (proved), compact (sets found)",
        "workload.csv" => {
            "the replay of the workload: ordering, weighted_mpc, allocator, mean_mind"
        }
        "summary.json" => "all but the curves, as one document",
        _ => "",
    };
    let items: String = files
        .iter()
        .filter(|name| !about(name).is_empty())
        .map(|name| format!("<li><a href=\"{name}\" download>{name}</a>: {}</li>\n", about(name)))
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
