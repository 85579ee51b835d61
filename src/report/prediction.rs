//! A workload's part of the page and of the data: replays beside the curves' forecast.

use std::io::{self, Write};

use super::Figure;
use super::csv::field;
use super::words::fixed;
use crate::error::Result;
use crate::plot::replay::Forecast;
use crate::plot::{self, escape, thousands};
use crate::replay::prediction::{Agreement, Prediction, Row};

/// `ordering,weighted_mpc,allocator,mean_mind`, a row for each pair; empty where no job had two nodes.
///
/// # Errors
/// What `out` reports.
pub fn write_csv(mut out: impl Write, prediction: &Prediction) -> io::Result<()> {
    writeln!(out, "ordering,weighted_mpc,allocator,mean_mind")?;
    for row in &prediction.rows {
        let start = format!("{},{}", field(&row.ordering)?, row.weighted_mpc);
        for (allocator, mind) in prediction.allocators.iter().zip(&row.mean_mind) {
            let mind = mind.map_or(String::new(), |m| m.to_string());
            writeln!(out, "{start},{},{mind}", field(allocator)?)?;
        }
    }
    out.flush()
}

/// The figure of forecasts and outcomes.
///
/// # Errors
/// No job had two nodes: there is nothing to draw.
pub(super) fn figure<'p>(machine: &str, prediction: &'p Prediction) -> Result<Figure> {
    let said: Vec<String> = (prediction.agreement.iter())
        .map(|a| match a.spearman {
            Some(rho) => format!("Spearman {}", fixed(rho, 2)),
            None => "no ranking to compare".into(),
        })
        .collect();
    let panels: Vec<(&str, &str)> = prediction
        .allocators
        .iter()
        .map(String::as_str)
        .zip(said.iter().map(String::as_str))
        .collect();
    let forecast = |(slot, row): (usize, &'p Row)| Forecast {
        label: &row.ordering,
        slot,
        forecast: row.weighted_mpc,
        outcome: &row.mean_mind,
    };
    let rows: Vec<Forecast<'_>> = prediction.rows.iter().enumerate().map(forecast).collect();
    let title = format!("Does MPC tell what jobs get on {machine}?");
    Ok(Figure {
        file: "workload.svg".into(),
        caption:
            "Where the marks rise from left to right, the weighted MPC ranks the orderings as the \
                  replay does."
                .into(),
        svg: plot::replay::Figure::prediction(&title, &panels, &rows)?.svg()?,
    })
}

/// The page's section: what was replayed, a table, how good a forecast MPC is, and the `figure`.
pub(super) fn section(prediction: &Prediction, figure: &str) -> String {
    let p = prediction;
    let mut ranked: Vec<&Row> = p.rows.iter().collect();
    ranked.sort_by(|a, b| a.weighted_mpc.total_cmp(&b.weighted_mpc));
    let skipped = match p.skipped {
        0 => String::new(),
        n => format!(
            " {} others asked for more nodes than were free at that moment and were skipped.",
            thousands(n)
        ),
    };
    let heads: String = p
        .allocators
        .iter()
        .map(|a| format!("<th scope=\"col\">{} (hops)</th>", escape(a)))
        .collect();
    let lowest = |column: usize| {
        let values = p.rows.iter().filter_map(|r| r.mean_mind[column]);
        values.fold(f64::INFINITY, f64::min)
    };
    let best = p.rows.iter().map(|r| r.weighted_mpc).fold(f64::INFINITY, f64::min);
    let cell = |value: f64, low: f64| {
        let class = if value == low { " class=\"low\"" } else { "" };
        format!("<td data-value=\"{value}\"{class}>{}</td>", fixed(value, 4))
    };
    let mut rows = String::new();
    for (rank, row) in ranked.iter().enumerate() {
        let label = escape(&row.ordering);
        rows += &format!(
            "<tr><td>{}</td><th scope=\"row\" class=\"text\">{label}</th>{}",
            rank + 1,
            cell(row.weighted_mpc, best)
        );
        for (column, mind) in row.mean_mind.iter().enumerate() {
            rows += &mind.map_or("<td>–</td>".into(), |m| cell(m, lowest(column)));
        }
        rows += "</tr>\n";
    }
    format!(
        "<section aria-labelledby=\"workload\">\n<h2 id=\"workload\">Under the workload {name}</h2>\n\
         <p>{placed} jobs were replayed through each allocator on each ordering, from an empty \
         machine.{skipped} The weighted MPC is the mean of MPC over the sizes of these jobs; the other \
         columns are the mean distance between the nodes of a job in the replay. Single nodes have none. Best \
         first by weighted MPC; the lowest of each column is bold.</p>\n<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr><th \
         scope=\"col\">Rank</th><th scope=\"col\" class=\"text\">Ordering</th><th scope=\"col\">Weighted \
         MPC (hops)</th>{heads}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n<p>{agreement}</p>\n\
         {figure}</section>\n",
        name = escape(&p.workload),
        placed = thousands(p.placed),
        agreement = agreement(&p.agreement),
    )
}

/// How well weighted MPC ranks the orderings, in words.
fn agreement(agreement: &[Agreement]) -> String {
    let told: Vec<String> = agreement
        .iter()
        .filter_map(|a| {
            Some(format!(
                "{} {} ({})",
                escape(&a.allocator),
                fixed(a.spearman?, 2),
                fixed(a.kendall?, 2)
            ))
        })
        .collect();
    if told.is_empty() {
        return "There are too few different orderings to say how good a forecast the weighted MPC is."
            .into();
    }
    format!(
        "Does the weighted MPC rank the orderings as the replay does? Spearman’s rank correlation (and \
         Kendall’s τ) over the orderings, 1 for the same ranking and 0 for none in common: {}.",
        told.join("; ")
    )
}
