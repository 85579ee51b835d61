//! A workload by job size on the page and in the data: measured means beside MPC, and where MPC misleads.

use std::io::{self, Write};

use crate::columns;
use crate::columns::comparison::WorkloadSizeRow;
use crate::plot::replay::{Labelled, Overlay};
use crate::plot::{self, thousands};
use crate::report::html::{Best, Column, Figure, Section, Table, Words, bold, fixed, words};
use nodeorder_base::error::Result;
use nodeorder_jobs::replay::by_size::{CASES, Misled, Ranking, THRESHOLD};
use nodeorder_jobs::replay::prediction::{OrderingPrediction, Prediction};
use nodeorder_order::metric::comparison::Comparison;

/// Panels of the figure at most.
const PANELS: usize = 12;
/// Sizes that a sentence lists at most.
const LISTED: usize = 6;

/// `workload-sizes.csv`: a row for each ordering, allocator and size that has enough jobs.
///
/// # Errors
/// Errors of `out`.
pub fn write_csv(out: impl Write, prediction: &Prediction) -> io::Result<()> {
    let rows = prediction.rows.iter().flat_map(|row| {
        let allocators = prediction.allocators.iter().zip(&row.by_size);
        allocators.flat_map(move |(allocator, sizes)| {
            let row = |mean| WorkloadSizeRow {
                ordering: &row.ordering,
                allocator,
                mean,
            };
            sizes.iter().map(row)
        })
    });
    columns::write(out, WorkloadSizeRow::ALL, rows)
}

/// Section and figure; none where no size has enough jobs. `slots[i]` is the row of the comparison's entry i. Errors: a
/// figure that cannot be drawn.
pub(super) fn section(
    machine: &str,
    prediction: &Prediction,
    comparison: &Comparison,
    slots: &[usize],
) -> Result<Option<(Section, Figure)>> {
    if prediction
        .rows
        .iter()
        .all(|row| row.by_size.iter().all(Vec::is_empty))
    {
        return Ok(None);
    }
    let figure = figure(machine, prediction, comparison, slots)?;
    let allocators = &prediction.allocators;
    let ranking = |allocator: usize| {
        let by_size: Vec<_> = prediction
            .rows
            .iter()
            .map(|row| &*row.by_size[allocator])
            .collect();
        Ranking::new(&by_size)
    };
    let rankings: Vec<Ranking> = (0..allocators.len()).map(ranking).collect();
    let share = |r: &Ranking| (r.pairs > 0).then(|| 100.0 * r.differently as f64 / r.pairs as f64);
    let columns = vec![
        Column::counts("Means", rankings.iter().map(|r| r.means)),
        Column::new(
            "Above MPC (%)",
            1,
            Best::None,
            rankings.iter().map(|r| r.per_cent_above),
        ),
        Column::counts("Pairs", rankings.iter().map(|r| r.pairs)),
        Column::counts("Ranked differently", rankings.iter().map(|r| r.differently)),
        Column::new("Of the pairs (%)", 1, Best::Low, rankings.iter().map(share)),
    ];
    let label = "MPC against the replay by allocator";
    let table = Table::new(label, "Allocator", allocators.clone(), columns);
    let about = words![format!(
        "The mean distance within jobs of one size in the replay, beside MPC at that size, for each size of more than \
         {THRESHOLD} jobs. “Above MPC” is the mean over these sizes and all orderings. A pair is two orderings at one \
         size of which one has the lower MPC; it is ranked differently where the mean in the replay is lower on the \
         other one, however little; means of few jobs differ by chance as well."
    )];
    let mut section = Section::new("by-size", "MPC and the replay by job size", about, table);
    let cases = allocators.iter().zip(&rankings);
    if rankings.iter().any(|r| r.differently > 0) {
        section.said = words![format!(
            "Where MPC misleads: for each allocator, at most {CASES} pairs of orderings that differ the most, by jobs \
             times the difference of their means, summed over the sizes that are ranked differently."
        )];
    }
    section.list = cases
        .flat_map(|(a, r)| sentences(a, r, &prediction.rows))
        .collect();
    section.figures = vec![figure.clone()];
    Ok(Some((section, figure)))
}

/// The best orderings by weighted MPC, a panel each.
fn figure(
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
    ranked.truncate(PANELS);
    let means = |row: &OrderingPrediction| -> Vec<Vec<(u32, f64)>> {
        let points = row
            .by_size
            .iter()
            .map(|s| s.iter().map(|m| (m.size, m.mean_mind)).collect());
        points.collect()
    };
    let means: Vec<_> = ranked.iter().map(|(_, row)| means(row)).collect();
    let curve = |slot: usize| {
        let entry = slots
            .iter()
            .position(|s| *s == slot)
            .and_then(|i| comparison.entries.get(i));
        entry.map_or(&[][..], |entry| &entry.values)
    };
    let rows: Vec<Labelled<'_, Overlay<'_>>> = (ranked.iter().zip(&means))
        .map(|((slot, row), means)| Labelled {
            label: &row.ordering,
            slot: *slot,
            data: Overlay {
                curve: curve(*slot),
                means,
            },
        })
        .collect();
    let title = format!("MPC and the replay by job size on {machine}");
    let note = format!(
        "line: MPC; mark: mean over the jobs of a size in the replay (MIND), sizes of more than {THRESHOLD} jobs; lower \
         is better"
    );
    let allocators: Vec<&str> = prediction.allocators.iter().map(String::as_str).collect();
    let drawn = plot::replay::Figure::overlay(&title, &note, &allocators, &rows)?;
    let caption = format!(
        "Where marks lie on the line, jobs get the distance that MPC says; above it, they are farther apart.{left_out}"
    );
    Figure::of("workload-sizes.svg", caption, drawn)
}

/// Sentences about pairs of orderings that the replay ranks against MPC; none where MPC ranks no pair.
fn sentences(allocator: &str, ranking: &Ranking, rows: &[OrderingPrediction]) -> Vec<Words> {
    let with = || words!["With ", bold(allocator), ", "];
    if ranking.pairs > 0 && ranking.differently == 0 {
        return vec![words![
            with(),
            "no mean is lower on the ordering that has the higher MPC."
        ]];
    }
    ranking
        .misled
        .iter()
        .map(|case| words![with(), misled(case, rows)])
        .collect()
}

/// One case, in a sentence.
fn misled(case: &Misled, rows: &[OrderingPrediction]) -> Words {
    let Misled {
        sizes,
        ranked,
        widest: (ours, other),
        ..
    } = case;
    let (forecast, measured) = (&rows[case.forecast].ordering, &rows[case.measured].ordering);
    let listed: Vec<String> = sizes
        .iter()
        .take(LISTED)
        .map(|size| thousands(u64::from(*size)))
        .collect();
    let more = match sizes.len().saturating_sub(LISTED) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let distances = |a: f64, b: f64| format!("{} against {} hops", fixed(a, 4), fixed(b, 4));
    words![
        bold(forecast),
        " has a lower MPC than ",
        bold(measured),
        format!(
            " but a higher mean at {} of {ranked} sizes ({}{more} nodes); the widest at {} nodes: MPC {}, mean {}.",
            sizes.len(),
            listed.join(", "),
            thousands(u64::from(ours.size)),
            distances(ours.mpc, other.mpc),
            distances(ours.mean_mind, other.mean_mind)
        )
    ]
}
