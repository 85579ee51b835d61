//! A workload's part of the page and of the data: replays beside the curves' forecast.

use std::io::{self, Write};

use super::Figure;
use super::words::fixed;
use crate::columns::{self, comparison::WorkloadRow};
use crate::error::Result;
use crate::plot::replay::Forecast;
use crate::plot::{self, escape, thousands};
use crate::replay::prediction::{Agreement, OrderingPrediction, Prediction};

/// `workload.csv`: a row for each pair of ordering and allocator.
///
/// # Errors
/// What `out` reports.
pub fn write_csv(out: impl Write, prediction: &Prediction) -> io::Result<()> {
    let mut columns = WorkloadRow::ALL.to_vec();
    columns.extend(prediction.guest.iter().flat_map(|_| WorkloadRow::TRAFFIC));
    let rows = prediction.rows.iter().flat_map(|row| {
        let allocators = prediction.allocators.iter().enumerate();
        allocators.map(move |(index, allocator)| WorkloadRow { prediction: row, allocator, index })
    });
    columns::write(out, &columns, rows)
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
    let forecast = |(slot, row): (usize, &'p OrderingPrediction)| Forecast {
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
    let mut ranked: Vec<&OrderingPrediction> = p.rows.iter().collect();
    ranked.sort_by(|a, b| a.weighted_mpc.total_cmp(&b.weighted_mpc));
    let skipped = match p.skipped {
        0 => String::new(),
        n => format!(
            " {} others asked for more nodes than were free at that moment and were skipped.",
            thousands(n)
        ),
    };
    let heads: String = (p.allocators.iter().enumerate())
        .map(|(i, a)| {
            format!("<th scope=\"col\" data-column=\"{}\">{} (hops)</th>", i + 3, escape(a))
        })
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
            "<tr><td>{}</td><th scope=\"row\" class=\"text\" data-value=\"{label}\">{label}</th>{}",
            rank + 1,
            cell(row.weighted_mpc, best)
        );
        for (column, mind) in row.mean_mind.iter().enumerate() {
            rows +=
                &mind.map_or("<td data-value=\"\">–</td>".into(), |m| cell(m, lowest(column)));
        }
        rows += "</tr>\n";
    }
    format!(
        "<section aria-labelledby=\"workload\">\n<h2 id=\"workload\">Replay of the workload {name}</h2>\n\
         <p>{placed} jobs were replayed through each allocator on each ordering, from an empty \
         machine.{skipped} The weighted MPC is the mean of MPC over the sizes of these jobs; the other \
         columns are the mean distance between the nodes of a job in the replay. Single nodes have none. Best \
         first by weighted MPC; the lowest of each column is bold.</p>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" \
         aria-label=\"Replay by ordering\"><table class=\"sortable\">\n<thead><tr><th scope=\"col\" data-column=\"0\" \
         aria-sort=\"ascending\">Rank</th><th scope=\"col\" data-column=\"1\" class=\"text\">Ordering</th><th \
         scope=\"col\" data-column=\"2\">Weighted MPC (hops)</th>{heads}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n<p>{agreement}</p>\n\
         {figure}</section>\n{traffic}",
        traffic = traffic(p, &ranked),
        name = escape(&p.workload),
        placed = thousands(p.placed),
        agreement = agreement(&p.agreement),
    )
}

/// What the jobs' traffic met, as a paragraph and a table; nothing where they do not talk.
fn traffic(prediction: &Prediction, ranked: &[&OrderingPrediction]) -> String {
    let Some((pattern, routing)) = &prediction.guest else { return String::new() };
    let figure = |row: &OrderingPrediction, column: usize| {
        let met = row.traffic.get(column / 2)?;
        if column.is_multiple_of(2) { met.mean_contention } else { met.mean_dilation }
    };
    let columns = 0..2 * prediction.allocators.len();
    let heads: String = (prediction.allocators.iter().map(|a| escape(a)).enumerate())
        .map(|(i, a)| {
            let at = 2 * i + 1;
            format!(
                "<th scope=\"col\" data-column=\"{at}\">Contention, {a}</th><th scope=\"col\" \
                 data-column=\"{}\">Dilation, {a} (hops)</th>",
                at + 1
            )
        })
        .collect();
    let lowest: Vec<f64> = (columns.clone())
        .map(|c| ranked.iter().filter_map(|row| figure(row, c)).fold(f64::INFINITY, f64::min))
        .collect();
    let body: String = (ranked.iter())
        .map(|row| {
            let cells: String = (columns.clone())
                .map(|c| match figure(row, c) {
                    Some(value) => {
                        let class = if value == lowest[c] { " class=\"low\"" } else { "" };
                        format!("<td data-value=\"{value}\"{class}>{}</td>", fixed(value, 4))
                    }
                    None => "<td data-value=\"\">–</td>".into(),
                })
                .collect();
            let label = escape(&row.ordering);
            format!(
                "<tr><th scope=\"row\" class=\"text\" data-value=\"{label}\">{label}</th>{cells}</tr>\n"
            )
        })
        .collect();
    format!(
        "<section aria-labelledby=\"contention\">\n<h2 id=\"contention\">When these jobs talk</h2>\n<p>Every job sends \
         <b>{}</b> traffic, each process one unit, over <b>{}</b> routes. Contention is the load of the busiest link \
         that a job uses, with the traffic of all jobs running when it starts, and dilation the mean length of its \
         paths; means over jobs of two nodes and more. The lowest of each column is bold.</p>\n<div class=\"scroll\" \
         tabindex=\"0\" role=\"region\" aria-label=\"Contention by ordering\"><table class=\"sortable\">\n<thead><tr><th \
         scope=\"col\" data-column=\"0\" class=\"text\">Ordering</th>{heads}</tr></thead>\n<tbody>\n{body}</tbody>\n\
         </table></div>\n</section>\n",
        escape(pattern),
        escape(routing),
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
