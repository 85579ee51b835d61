//! A workload's part of the page and of the data: replays beside the curves' forecast.

use std::io::{self, Write};

use super::words::file_name;
use crate::columns;
use crate::columns::comparison::WorkloadRow;
use crate::plot::replay::{Forecast, Labelled};
use crate::plot::{self, thousands};
use crate::report::html::{Best, Column, Figure, Section, Table, Words, bold, fixed, words};
use nodeorder_base::error::Result;
use nodeorder_jobs::replay::prediction::{Agreement, OrderingPrediction, Prediction};

/// `workload.csv`: a row for each pair of ordering and allocator.
///
/// # Errors
/// Errors of `out`.
pub fn write_csv(out: impl Write, prediction: &Prediction) -> io::Result<()> {
    let mut columns = WorkloadRow::ALL.to_vec();
    columns.extend(prediction.guest.iter().flat_map(|_| WorkloadRow::TRAFFIC));
    let rows = prediction.rows.iter().flat_map(|row| {
        let allocators = prediction.allocators.iter().enumerate();
        allocators.map(move |(index, allocator)| WorkloadRow {
            prediction: row,
            allocator,
            index,
        })
    });
    columns::write(out, &columns, rows)
}

/// The figure of forecasts and outcomes. Errors: no job had two nodes: there is nothing to draw.
pub(super) fn figure<'p>(machine: &str, prediction: &'p Prediction) -> Result<Figure> {
    let said: Vec<String> = (prediction.agreement.iter())
        .map(|a| match a.spearman {
            Some(rho) => format!("Spearman {}", fixed(rho, 2)),
            None => "no ranking to compare".into(),
        })
        .collect();
    let names = prediction.allocators.iter().map(String::as_str);
    let panels: Vec<(&str, &str)> = names.zip(said.iter().map(String::as_str)).collect();
    let forecast = |(slot, row): (usize, &'p OrderingPrediction)| Labelled {
        label: &row.ordering,
        slot,
        data: Forecast {
            forecast: row.weighted_mpc,
            outcome: &row.mean_mind,
        },
    };
    let rows: Vec<Labelled<'_, _>> = prediction.rows.iter().enumerate().map(forecast).collect();
    let title = format!("Does MPC predict the distances of jobs on {machine}?");
    let caption = "Where the marks rise from left to right, weighted MPC ranks the orderings as the replay does.";
    let drawn = plot::replay::Figure::prediction(&title, &panels, &rows)?;
    Figure::of("workload.svg", caption, drawn)
}

/// The page's sections: what was replayed and how good a forecast MPC is, with the `figure`; and the contention of
/// the jobs' traffic, where they have any.
pub(super) fn sections(prediction: &Prediction, figure: Figure) -> Vec<Section> {
    let p = prediction;
    let mut ranked: Vec<&OrderingPrediction> = p.rows.iter().collect();
    ranked.sort_by(|a, b| a.weighted_mpc.total_cmp(&b.weighted_mpc));
    let names: Vec<String> = ranked.iter().map(|row| row.ordering.clone()).collect();
    let weighted = ranked.iter().map(|row| Some(row.weighted_mpc));
    let mut columns = vec![Column::new("Weighted MPC (hops)", 4, Best::Low, weighted)];
    columns.extend(p.allocators.iter().enumerate().map(|(i, allocator)| {
        let minds = ranked.iter().map(|row| row.mean_mind[i]);
        Column::new(format!("{allocator} (hops)"), 4, Best::Low, minds)
    }));
    let skipped = match p.skipped {
        0 => String::new(),
        n => format!(
            " {} jobs were skipped: too few nodes were free for them.",
            thousands(n)
        ),
    };
    let refused = p.refused.iter().map(|(allocator, most)| {
        format!(
            " {allocator} refused up to {} of them, for want of a place.",
            thousands(*most)
        )
    });
    let about = words![format!(
        "{} jobs were replayed with each allocator on each ordering, starting with an empty machine.{skipped}{} \
         Weighted MPC is the mean of MPC over the sizes of these jobs; the other columns are the mean distance \
         between the nodes of a job in the replay. Jobs of one node are left out. Best first by weighted MPC; \
         the lowest value of each column is bold.",
        thousands(p.placed),
        refused.collect::<String>()
    )];
    let table = Table::ranked("Replay by ordering", names.clone(), columns);
    let title = format!("Replay of the workload {}", file_name(&p.workload));
    let mut replay = Section::new("workload", title, about, table);
    replay.said = agreement(&p.agreement);
    replay.figures = vec![figure];
    let traffic = p
        .guest
        .as_ref()
        .map(|guest| contention(p, guest, &ranked, names));
    std::iter::once(replay).chain(traffic).collect()
}

/// Load of links and length of paths of the jobs' traffic.
fn contention(
    prediction: &Prediction,
    (pattern, routing): &(String, String),
    ranked: &[&OrderingPrediction],
    names: Vec<String>,
) -> Section {
    let columns = prediction
        .allocators
        .iter()
        .enumerate()
        .flat_map(|(i, allocator)| {
            let contention = ranked.iter().map(|row| row.traffic.get(i)?.mean_contention);
            let dilation = ranked.iter().map(|row| row.traffic.get(i)?.mean_dilation);
            [
                Column::new(format!("Contention, {allocator}"), 4, Best::Low, contention),
                Column::new(
                    format!("Dilation, {allocator} (hops)"),
                    4,
                    Best::Low,
                    dilation,
                ),
            ]
        });
    let columns = columns.collect();
    let about = words![
        "Every job sends ",
        bold(pattern),
        " traffic, one unit per process, over ",
        bold(routing),
        " routes. Contention is the load of the busiest link that a job uses, counting the traffic of all jobs \
         running when it starts. Dilation is the mean length of its paths. Both are averaged over jobs of two \
         nodes or more. The lowest value of each column is bold."
    ];
    let table = Table::new("Contention by ordering", "Ordering", names, columns);
    Section::new("contention", "Contention with traffic", about, table)
}

/// How well weighted MPC ranks the orderings, in words.
fn agreement(agreement: &[Agreement]) -> Words {
    let known: Vec<String> = (agreement.iter())
        .filter_map(|a| {
            let (spearman, kendall) = (fixed(a.spearman?, 2), fixed(a.kendall?, 2));
            Some(format!("{} {spearman} ({kendall})", a.allocator))
        })
        .collect();
    if known.is_empty() {
        return words![
            "There are too few different orderings to say how good a forecast weighted MPC is."
        ];
    }
    words![format!(
        "Does weighted MPC rank the orderings as the replay does? Spearman’s rank correlation (and Kendall’s τ) \
         over the orderings, 1 for the same ranking and 0 for no relation: {}.",
        known.join("; ")
    )]
}
