//! The ranked table of a page: a row an ordering, with its curve in small.

use crate::error::Result;
use crate::metric::comparison::{Comparison, Entry};
use crate::plot::{self, escape, thousands};
use crate::report::words;

/// The table, best ordering first.
///
/// # Errors
/// A curve that cannot be drawn.
pub(super) fn table(comparison: &Comparison, slots: &[usize]) -> Result<String> {
    let uneven = comparison.entries.iter().any(|e| e.nodes != comparison.entries[0].nodes);
    let mut columns = vec![
        ("Rank".to_string(), ""),
        ("Ordering".to_string(), " class=\"text\""),
        (String::new(), ""),
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
            if text.is_empty() {
                return "<th scope=\"col\" class=\"text\">Curve</th>".to_string();
            }
            let sorted = if i == 0 { " aria-sort=\"ascending\"" } else { "" };
            format!("<th scope=\"col\" data-column=\"{i}\"{sorted}{class}>{text}</th>")
        })
        .collect();
    let best = best(comparison);
    let mut rows = String::new();
    for (i, series) in plot::series(comparison, slots).into_iter().enumerate() {
        let mean = comparison.topology.mean_distance;
        let curve = plot::spark(series, &best, mean)?;
        let said = spark_words(&comparison.entries[i], mean);
        let spark = format!(
            "<td class=\"text spark\"><span role=\"img\" aria-label=\"{said}\">{curve}</span></td>"
        );
        rows.push_str(&row(comparison, i, plot::sample(series.slot)?, &spark, uneven));
    }
    Ok(format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Ranking of the orderings\">\
         <table class=\"sortable\" id=\"ranked\">\n<thead>\n<tr><td colspan=\
         \"{fixed}\"></td><th class=\"group\" scope=\"colgroup\" colspan=\"{}\">MPC (hops) of jobs of … \
         nodes</th></tr>\n<tr>{heads}</tr>\n</thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n",
        comparison.sizes.len()
    ))
}

fn row(comparison: &Comparison, rank: usize, sample: String, spark: &str, uneven: bool) -> String {
    let entry = &comparison.entries[rank];
    let first = comparison.entries[0].mean_log;
    let cell = |value: f64, text: String| format!("<td data-value=\"{value}\">{text}</td>");
    let above = words::per_cent_above(entry.mean_log, first);
    let mut row = format!(
        "<tr{}><td>{}</td><th scope=\"row\" class=\"text\" data-value=\"{label}\">{sample}{label}</th>",
        if rank == 0 { " class=\"first\"" } else { "" },
        rank + 1,
        label = escape(&entry.label),
    );
    row += spark;
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

/// The lowest MPC of each size.
fn best(comparison: &Comparison) -> Vec<f64> {
    let mut best = Vec::new();
    for entry in &comparison.entries {
        best.resize(best.len().max(entry.values.len()), f64::INFINITY);
        best.iter_mut().zip(&entry.values).for_each(|(best, v)| *best = v.min(*best));
    }
    best
}

/// What the small curve shows, for those who cannot see it.
fn spark_words(entry: &Entry, mean: f64) -> String {
    let count = entry.values.len();
    let share = |i: usize| match entry.values.get(i) {
        Some(value) if mean > 0.0 => format!("{} %", words::fixed(100.0 * value / mean, 0)),
        _ => "–".to_string(),
    };
    let middle = ((count as f64).sqrt() as usize).min(count.saturating_sub(1));
    format!(
        "MPC over that of random placement: {} at 2 nodes, {} at {}, {} at {}",
        share(0),
        share(middle),
        thousands(middle as u64 + 2),
        share(count.saturating_sub(1)),
        thousands(count as u64 + 1),
    )
}
