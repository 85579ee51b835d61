//! A workload by job size on the page and in the data: measured means beside MPC, and where MPC misleads.

use std::io::{self, Write};

use super::html::{BestValue, Column, Figure, Section, Table};
use super::sentences::{RichText, sentence};
use crate::columns;
use crate::columns::comparison::WorkloadSizeRow;
use crate::plot::replay::{Labelled, Overlay};
use crate::plot::{self, format_fixed, format_thousands};
use nodeorder_base::Result;
use nodeorder_jobs::replay::by_size::{
    MAX_INVERSIONS, MIN_JOBS_ABOVE, RankInversion, Ranking, SizeMean,
};
use nodeorder_jobs::replay::prediction::{OrderingPrediction, Prediction};
use nodeorder_order::metric::comparison::Comparison;

/// Most panels of the figure.
const PANELS: usize = 12;
/// Most sizes that a sentence lists.
const LISTED: usize = 6;

/// Writes `workload-sizes.csv`: a row for each ordering, allocator and size that has enough jobs.
///
/// # Errors
/// Errors of `out`.
pub fn write_csv(out: impl Write, prediction: &Prediction) -> io::Result<()> {
    let rows = prediction.rows.iter().flat_map(|row| {
        let allocators = prediction.allocators.iter().zip(&row.by_size);
        allocators.flat_map(move |(allocator, sizes)| {
            sizes.iter().map(move |mean| WorkloadSizeRow {
                ordering: &row.ordering,
                allocator,
                mean,
            })
        })
    });
    columns::write_table(out, WorkloadSizeRow::ALL, rows)
}

/// Makes the section, with its figure. `None` if no size has enough jobs. `slots[i]` is the row of the comparison's
/// entry i. Fails if the figure cannot be drawn.
pub(super) fn by_size_section(
    machine: &str,
    prediction: &Prediction,
    comparison: &Comparison,
    slots: &[usize],
) -> Result<Option<Section>> {
    if prediction
        .rows
        .iter()
        // Short traces have no size often enough.
        .all(|row| row.by_size.iter().all(Vec::is_empty))
    {
        return Ok(None);
    }
    let allocators = &prediction.allocators;
    let rankings: Vec<Ranking> = (0..allocators.len())
        .map(|allocator| {
            let by_size: Vec<&[SizeMean]> = prediction
                .rows
                .iter()
                .map(|row| &*row.by_size[allocator])
                .collect();
            Ranking::new(&by_size)
        })
        .collect();
    let columns = vec![
        Column::counts("Means", rankings.iter().map(|r| r.means)),
        Column::unranked_figures(
            "Above MPC (%)",
            1,
            rankings.iter().map(|r| r.per_cent_above),
        ),
        Column::counts("Pairs", rankings.iter().map(|r| r.pairs)),
        Column::counts("Ranked differently", rankings.iter().map(|r| r.differently)),
        Column::new(
            "Share of the pairs (%)",
            1,
            BestValue::Low,
            rankings
                .iter()
                .map(|r| (r.pairs > 0).then(|| 100.0 * r.differently as f64 / r.pairs as f64)),
        ),
    ];
    let label = "MPC against the replay by allocator";
    let table = Table::new(label, "Allocator", allocators.clone(), columns);
    let about = format!(
        "The mean distance within jobs of one size in the replay, compared with MPC at that \
         size, for each size of more than {MIN_JOBS_ABOVE} jobs. “Above MPC” is the mean over \
         these sizes and all orderings. Pairs: how often MPC and the replay disagree about which \
         of two orderings is better at a size; means of few jobs differ by chance as well."
    );
    let mut section = Section::new("by-size", "MPC and the replay by job size", about, table);
    if rankings.iter().any(|r| r.differently > 0) {
        section.said = sentence(format!(
            "Where MPC misleads: for each allocator, at most {MAX_INVERSIONS} pairs of orderings \
             that differ the most, by jobs times the difference of their means, summed over the \
             sizes that are ranked differently."
        ));
    }
    for (allocator, ranking) in allocators.iter().zip(&rankings) {
        section
            .list
            .extend(misled_sentences(allocator, ranking, &prediction.rows));
    }
    section.figures = vec![draw_overlay(machine, prediction, comparison, slots)?];
    Ok(Some(section))
}

/// Draws the best orderings by weighted MPC, a panel each.
fn draw_overlay(
    machine: &str,
    prediction: &Prediction,
    comparison: &Comparison,
    slots: &[usize],
) -> Result<Figure> {
    let mut ranked: Vec<(usize, &OrderingPrediction)> =
        prediction.rows.iter().enumerate().collect();
    ranked.sort_by(|a, b| a.1.weighted_mpc.total_cmp(&b.1.weighted_mpc));
    let left_out = match ranked.len().saturating_sub(PANELS) {
        0 => String::new(),
        n => {
            format!(" The {PANELS} orderings of the lowest weighted MPC; {n} more are in the data.")
        }
    };
    // The best ones: who compares fifty orderings cares for the first.
    ranked.truncate(PANELS);
    let means: Vec<Vec<Vec<(u32, f64)>>> = ranked
        .iter()
        .map(|(_, row)| {
            let sizes = row.by_size.iter().map(|means| means.iter());
            let points = sizes.map(|means| means.map(|mean| (mean.size, mean.mean_mind)));
            points.map(Iterator::collect).collect()
        })
        .collect();
    let mut rows: Vec<Labelled<'_, Overlay<'_>>> = Vec::new();
    for ((slot, row), means) in ranked.iter().zip(&means) {
        // Entries are ranked, rows stand as the user named them.
        let entry = slots
            .iter()
            .position(|s| s == slot)
            .and_then(|i| comparison.entries.get(i));
        rows.push(Labelled {
            label: &row.ordering,
            slot: *slot,
            data: Overlay {
                curve: entry.map_or(&[], |entry| &entry.values),
                means,
            },
        });
    }
    let title = format!("MPC and the replay by job size on {machine}");
    let note = format!(
        "line: MPC; mark: mean over the jobs of a size in the replay (MIND), sizes of more than \
         {MIN_JOBS_ABOVE} jobs; lower is better"
    );
    let allocators: Vec<&str> = prediction.allocators.iter().map(String::as_str).collect();
    let drawn = plot::replay::Figure::plot_overlay(&title, &note, &allocators, &rows)?;
    let caption = format!(
        "Where marks lie on the line, jobs get the distance that MPC says; above it, they are \
         farther apart.{left_out}"
    );
    Figure::from_drawing("workload-sizes.svg", caption, drawn)
}

/// Says which pairs of orderings the replay ranks against MPC. Empty if MPC ranks no pair.
fn misled_sentences(
    allocator: &str,
    ranking: &Ranking,
    rows: &[OrderingPrediction],
) -> Vec<RichText> {
    let with = sentence("With ").bold(allocator).text(", ");
    // Worth a sentence: it is what MPC promises.
    if ranking.pairs > 0 && ranking.differently == 0 {
        return vec![with.text("no mean is lower on the ordering that has the higher MPC.")];
    }
    ranking
        .worst_inversions
        .iter()
        .map(|case| misled_sentence(with.clone(), case, rows))
        .collect()
}

/// Adds one pair of orderings to the beginning of a sentence.
fn misled_sentence(with: RichText, case: &RankInversion, rows: &[OrderingPrediction]) -> RichText {
    let listed: Vec<String> = case
        .sizes
        .iter()
        .take(LISTED)
        .map(|size| format_thousands(u64::from(*size)))
        .collect();
    let more = match case.sizes.len().saturating_sub(LISTED) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let (ours, other) = &case.widest;
    with.bold(&rows[case.forecast].ordering)
        .text(" has a lower MPC than ")
        .bold(&rows[case.measured].ordering)
        .text(format!(
            " but a higher mean at {} of {} sizes ({}{more} nodes); the widest at {} nodes: MPC \
             {} against {} hops, mean {} against {} hops.",
            case.sizes.len(),
            case.ranked,
            listed.join(", "),
            format_thousands(u64::from(ours.size)),
            format_fixed(ours.mpc, 4),
            format_fixed(other.mpc, 4),
            format_fixed(ours.mean_mind, 4),
            format_fixed(other.mean_mind, 4)
        ))
}
