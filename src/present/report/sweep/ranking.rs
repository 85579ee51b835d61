//! Settings of a scheduler ranked by what their schedules or replays give.

use crate::columns::sweep::ResultRow;
use crate::machines::Difference;
use crate::report::grouping::group_by_key;

/// Column that names the setting.
const SETTING: &str = "allocator";
/// Column that holds a JSON list by level, of which the mean number of leaf units that a job spans is taken.
const UNITS: &str = "units";

/// A setting of a scheduler, and those with the same figures in all rows.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedSetting {
    /// Names of the settings, in the order of the rows.
    pub names: Vec<String>,
    /// Figures of each row of the setting (seeds, orderings), in the order asked for; `None` where a row has no such
    /// figure.
    pub rows: Vec<Vec<Option<f64>>>,
    /// Key that settings are ranked by, the lower the better: for schedules the jobs never placed and the mean
    /// wait in seconds, for replays 0 and the mean number of free nodes beyond the largest job.
    key: (f64, f64),
    /// The second number of the key for each row (seed, ordering); `None` where a row has none.
    waits: Vec<Option<f64>>,
}

impl RankedSetting {
    /// Computes the mean of a figure over the rows and half its 95 % interval; `None` if a row has none.
    pub fn mean_and_interval(&self, at: usize) -> (Option<f64>, Option<f64>) {
        // A mean over the seeds that happen to have a value would be of other schedules than its neighbours.
        let values: Option<Vec<f64>> = self.rows.iter().map(|figures| figures[at]).collect();
        let mean = values.map(|values| Difference::over_seeds("", "", &values));
        let half = mean
            .as_ref()
            .and_then(|mean| Some(mean.high? - mean.difference));
        (mean.map(|mean| mean.difference), half)
    }

    /// Computes how far the setting lies behind `first` in the number that ranks it, row by row (the same seed, the
    /// same jobs), with the 95 % interval of the mean. `None` if the settings place different numbers of jobs, or a row
    /// of either has no number.
    pub fn compare_rows(&self, first: &RankedSetting) -> Option<Difference> {
        if self.key.0 != first.key.0 || self.waits.len() != first.waits.len() {
            return None;
        }
        let pairs = self.waits.iter().zip(&first.waits);
        let behind: Option<Vec<f64>> = pairs
            .map(|(own, other)| Some((*own)? - (*other)?))
            .collect();
        Some(Difference::over_seeds("", "", &behind?))
    }
}

/// Lists the settings behind the first that chance may have put there: their interval does not leave out zero.
pub fn list_ties(ranked: &[RankedSetting]) -> Vec<&RankedSetting> {
    let Some((first, others)) = ranked.split_first() else {
        return Vec::new();
    };
    let is_tied = |setting: &&RankedSetting| {
        let behind = setting.compare_rows(first);
        behind.is_some_and(|behind| !behind.is_significant())
    };
    others.iter().filter(is_tied).collect()
}

/// Ranks the settings of `rows`: those that place the most jobs first, of these the shortest mean wait, of replays the
/// fewest free nodes that the largest job would leave; then in the order of the rows. Settings with the same `figures`
/// (columns) in all rows become one.
pub fn rank_settings<'r>(
    rows: impl IntoIterator<Item = &'r ResultRow>,
    figures: &[&str],
) -> Vec<RankedSetting> {
    let mut ranked: Vec<RankedSetting> = Vec::new();
    for (name, rows) in group_by_key(rows, |row| row.text(SETTING)) {
        let (key, waits) = rank_key(&rows);
        let setting = RankedSetting {
            names: vec![name.into_owned()],
            rows: rows
                .iter()
                .map(|row| {
                    figures
                        .iter()
                        .map(|figure| row_figure(row, figure))
                        .collect()
                })
                .collect(),
            key,
            waits,
        };
        // Many options change nothing on a given machine: one row stands for all of these.
        match ranked.iter_mut().find(|other| other.rows == setting.rows) {
            Some(same) => same.names.extend(setting.names),
            None => ranked.push(setting),
        }
    }
    ranked.sort_by(|a, b| {
        let by_jobs = a.key.0.total_cmp(&b.key.0);
        by_jobs.then(a.key.1.total_cmp(&b.key.1))
    });
    ranked
}

/// Computes the key that settings are ranked by, and its second number for each row; settings without these figures
/// come last.
fn rank_key(rows: &[&ResultRow]) -> ((f64, f64), Vec<Option<f64>>) {
    // Replays have neither queue nor waits.
    let is_replay = rows.iter().all(|row| row.text("group") == "replay");
    let (first, column) = if is_replay {
        (Some(0.0), "mean_stranded")
    } else {
        (mean_value(rows, "never_placed"), "mean_wait")
    };
    let second = mean_value(rows, column);
    let values = rows.iter().map(|row| row.number(column)).collect();
    let key = (
        first.unwrap_or(f64::INFINITY),
        second.unwrap_or(f64::INFINITY),
    );
    (key, values)
}

/// Looks up a figure of a row. `None` if it has no such figure.
fn row_figure(row: &ResultRow, column: &str) -> Option<f64> {
    if column != UNITS {
        return row.number(column);
    }
    let levels: serde_json::Value = serde_json::from_str(&row.text(UNITS)).ok()?;
    // Leaf switches come first.
    levels[0]["spanned"].as_f64()
}

/// Computes the mean of a figure over the rows that have it. `None` if none has.
pub(super) fn mean_value(rows: &[&ResultRow], column: &str) -> Option<f64> {
    let values: Vec<f64> = rows.iter().filter_map(|row| row.number(column)).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(values: [&str; 5]) -> ResultRow {
        let names = [
            "allocator",
            "group",
            "never_placed",
            "mean_wait",
            "mean_stranded",
        ];
        ResultRow::new(
            &names.map(String::from),
            values.map(|text| text.to_string().into()),
        )
    }

    fn names(rows: &[ResultRow], figures: &[&str]) -> Vec<Vec<String>> {
        let ranked = rank_settings(rows, figures);
        ranked.into_iter().map(|setting| setting.names).collect()
    }

    #[test]
    fn schedules_rank_by_jobs_placed_then_by_waits() {
        let rows = [
            row(["none", "schedule", "", "", ""]),
            row(["few", "schedule", "2", "1", "9"]),
            row(["slow", "schedule", "0", "30", "9"]),
            row(["slow", "schedule", "0", "50", "9"]),
            row(["even", "schedule", "0", "35", "1"]),
            row(["even", "schedule", "0", "35", "1"]),
            row(["same", "schedule", "0", "35", "2"]),
            row(["same", "schedule", "0", "35", "2"]),
        ];
        let waits = ["never_placed", "mean_wait"];
        assert_eq!(
            names(&rows, &waits),
            [
                vec!["even", "same"],
                vec!["slow"],
                vec!["few"],
                vec!["none"]
            ]
        );
        // A figure in which they differ parts them.
        let all = ["never_placed", "mean_wait", "mean_stranded"];
        assert_eq!(names(&rows, &all)[..2], [["even"], ["same"]]);
    }

    /// Waits of three seeds, by hand: differences 2, 4, 3 have a mean of 3 and, with Student's 4.303 for two degrees of
    /// freedom, half an interval of 4.303 · 1 / √3 = 2.48; differences 2, 40, −30 have one of 87.
    #[test]
    fn a_setting_is_behind_where_the_paired_interval_leaves_out_zero() {
        let rows: Vec<ResultRow> = [
            ("first", ["10", "20", "60"]),
            ("behind", ["12", "24", "63"]),
            ("tied", ["12", "60", "30"]),
        ]
        .iter()
        .flat_map(|(name, waits)| waits.map(|wait| row([name, "schedule", "0", wait, ""])))
        .collect();
        let ranked = rank_settings(&rows, &["mean_wait"]);
        let behind = ranked
            .iter()
            .find(|setting| setting.names == ["behind"])
            .and_then(|setting| setting.compare_rows(&ranked[0]))
            .unwrap();
        assert!((behind.difference - 3.0).abs() < 1e-12);
        assert!((behind.high.unwrap() - 3.0 - 2.484).abs() < 1e-3);
        let ties = list_ties(&ranked);
        assert_eq!(ties.len(), 1);
        assert_eq!(ties[0].names, ["tied"]);
    }

    #[test]
    fn replays_rank_by_the_free_nodes_that_the_largest_job_leaves() {
        let rows = [
            row(["a", "replay", "", "", "3"]),
            row(["b", "replay", "", "", "2"]),
            row(["c", "replay", "", "", ""]),
        ];
        assert_eq!(names(&rows, &["mean_stranded"]), [["b"], ["a"], ["c"]]);
    }
}
