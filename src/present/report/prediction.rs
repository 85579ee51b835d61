//! A workload's part of the page and of the data: replays beside the curves' forecast.

use std::io::{self, Write};

use super::html::{BestValue, Column, Figure, Section, Table, rank_figures};
use super::sentences::{RichText, file_name, sentence};
use crate::columns;
use crate::columns::comparison::WorkloadRow;
use crate::plot::replay::{Forecast, Labelled};
use crate::plot::{self, format_fixed, format_thousands};
use nodeorder_base::Result;
use nodeorder_jobs::replay::prediction::{Agreement, OrderingPrediction, Prediction};

/// Writes `workload.csv`: a row for each pair of ordering and allocator.
///
/// # Errors
/// Errors of `out`.
pub fn write_csv(out: impl Write, prediction: &Prediction) -> io::Result<()> {
    let mut columns = WorkloadRow::ALL.to_vec();
    // Columns of traffic would be empty without any.
    if prediction.guest.is_some() {
        columns.extend(WorkloadRow::TRAFFIC);
    }
    let rows = prediction.rows.iter().flat_map(|row| {
        let allocators = prediction.allocators.iter().enumerate();
        allocators.map(move |(index, allocator)| WorkloadRow {
            prediction: row,
            allocator,
            index,
        })
    });
    columns::write_table(out, &columns, rows)
}

/// Draws forecasts against outcomes. `None` if no job had two nodes: there is nothing to draw.
pub(super) fn draw_forecast(machine: &str, prediction: &Prediction) -> Result<Option<Figure>> {
    let mut outcomes = prediction.rows.iter().flat_map(|row| &row.mean_mind);
    if outcomes.all(Option::is_none) {
        return Ok(None);
    }
    let notes: Vec<String> = prediction
        .agreement
        .iter()
        .map(|agreement| match agreement.spearman {
            // Two figures: a correlation of few orderings is not known better.
            Some(rho) => format!("Spearman {}", format_fixed(rho, 2)),
            None => "no ranking to compare".into(),
        })
        .collect();
    let panels: Vec<(&str, &str)> = prediction
        .allocators
        .iter()
        .zip(&notes)
        .map(|(name, note)| (name.as_str(), note.as_str()))
        .collect();
    let rows: Vec<Labelled<'_, _>> = prediction
        .rows
        .iter()
        .enumerate()
        .map(|(slot, row)| Labelled {
            label: &row.ordering,
            slot,
            data: Forecast {
                forecast: row.weighted_mpc,
                outcome: &row.mean_mind,
            },
        })
        .collect();
    let title = format!("Does MPC predict the distances of jobs on {machine}?");
    let caption = "Where the marks rise from left to right, weighted MPC ranks the orderings as \
        the replay does.";
    let drawn = plot::replay::Figure::plot_prediction(&title, &panels, &rows)?;
    Ok(Some(Figure::from_drawing("workload.svg", caption, drawn)?))
}

/// Ranks the orderings by weighted MPC, the lowest first.
pub(super) fn rank_by_forecast(prediction: &Prediction) -> Vec<&OrderingPrediction> {
    let mut ranked: Vec<&OrderingPrediction> = prediction.rows.iter().collect();
    ranked.sort_by(|a, b| a.weighted_mpc.total_cmp(&b.weighted_mpc));
    ranked
}

/// Makes the page's sections: what was replayed and how good a forecast MPC is, with the `figure`; and the contention
/// of the jobs' traffic, if they have any.
pub(super) fn prediction_sections(prediction: &Prediction, figure: Option<Figure>) -> Vec<Section> {
    let ranked = rank_by_forecast(prediction);
    let names: Vec<String> = ranked.iter().map(|row| row.ordering.clone()).collect();
    let weighted: Vec<f64> = ranked.iter().map(|row| row.weighted_mpc).collect();
    let ranks = rank_figures(&weighted);
    let mut columns = vec![Column::new(
        "Weighted MPC (hops)",
        4,
        BestValue::Low,
        weighted.into_iter().map(Some),
    )];
    for (i, allocator) in prediction.allocators.iter().enumerate() {
        let minds = ranked.iter().map(|row| row.mean_mind[i]);
        columns.push(Column::new(
            format!("{allocator} (hops)"),
            4,
            BestValue::Low,
            minds,
        ));
    }
    let skipped = match prediction.skipped {
        0 => String::new(),
        n => format!(
            " {} jobs were skipped: too few nodes were free for them.",
            format_thousands(n)
        ),
    };
    let mut refused = String::new();
    for (allocator, most) in &prediction.refused {
        refused += &format!(
            " {allocator} refused up to {} of them, for want of a place.",
            format_thousands(*most)
        );
    }
    let about = format!(
        "{} jobs were replayed with each allocator on each ordering, starting with an empty \
         machine.{skipped}{refused} Weighted MPC is the mean of MPC over the sizes of these \
         jobs; the other columns are the mean distance \
         between the nodes of a job in the replay. Jobs of one \
         node are left out. Best first by weighted MPC; \
         the lowest value of each column is bold.",
        format_thousands(prediction.placed),
    );
    let table = Table::ranked("Replay by ordering", names.clone(), ranks, columns);
    let title = format!("Replay of the workload {}", file_name(&prediction.workload));
    let mut replay = Section::new("workload", title, about, table);
    replay.said = agreement_sentence(&prediction.agreement);
    replay.figures.extend(figure);
    let mut sections = vec![replay];
    if let Some(guest) = &prediction.guest {
        sections.push(contention_section(prediction, guest, &ranked, names));
    }
    sections
}

/// Makes the section of the load of links and the length of paths of the jobs' traffic.
fn contention_section(
    prediction: &Prediction,
    (pattern, routing): &(String, String),
    ranked: &[&OrderingPrediction],
    names: Vec<String>,
) -> Section {
    let mut columns = Vec::new();
    for (i, allocator) in prediction.allocators.iter().enumerate() {
        let traffic = ranked.iter().map(|row| row.traffic.get(i));
        let contention = traffic.clone().map(|jobs| jobs?.mean_contention);
        let dilation = traffic.map(|jobs| jobs?.mean_dilation);
        let title = format!("Contention, {allocator}");
        columns.push(Column::new(title, 4, BestValue::Low, contention));
        let title = format!("Dilation, {allocator} (hops)");
        columns.push(Column::new(title, 4, BestValue::Low, dilation));
    }
    let about = sentence("Every job sends ")
        .bold(pattern)
        .text(" traffic, one unit per process, over ")
        .bold(routing)
        .text(
            " routes. Contention is the load of the busiest link that a job uses, counting the \
             traffic of all jobs running when it starts. Dilation is the mean length of \
             its paths. Both are averaged over jobs of two \
             nodes or more. The lowest value of each column is bold.",
        );
    let table = Table::new("Contention by ordering", "Ordering", names, columns);
    Section::new("contention", "Contention with traffic", about, table)
}

/// Says how well weighted MPC ranks the orderings.
fn agreement_sentence(agreement: &[Agreement]) -> RichText {
    let mut known = Vec::new();
    for Agreement {
        allocator,
        spearman,
        kendall,
        ..
    } in agreement
    {
        // Rankings of one ordering, or of equal ones, have no correlation.
        if let (Some(spearman), Some(kendall)) = (spearman, kendall) {
            known.push(format!(
                "{allocator} {} ({})",
                format_fixed(*spearman, 2),
                format_fixed(*kendall, 2)
            ));
        }
    }
    if known.is_empty() {
        return "There are too few different orderings to say how good a forecast weighted MPC is."
            .into();
    }
    sentence(format!(
        "Does weighted MPC rank the orderings as the replay does? Spearman’s rank correlation \
         (and Kendall’s τ) over the orderings, 1 for the same ranking and 0 for no relation: {}.",
        known.join("; ")
    ))
}
