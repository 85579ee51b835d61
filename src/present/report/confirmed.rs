//! Whether replay and schedule of a workload confirm the ranking by MPC, in sentences.

use super::html::{Words, bold, fixed, words};
use super::words::{file_name, per_cent, per_cent_below};
use nodeorder_jobs::replay::prediction::Prediction;
use nodeorder_jobs::schedule::orderings::Schedules;

/// Whether the replay confirms the ranking by weighted MPC.
pub(super) fn replayed(prediction: &Prediction) -> Words {
    let forecast = prediction
        .rows
        .iter()
        .min_by(|a, b| a.weighted_mpc.total_cmp(&b.weighted_mpc));
    let Some(forecast) = forecast else {
        return Words::default();
    };
    let (mut agree, mut all) = (0, 0);
    let mut others: Vec<(&str, Vec<f64>)> = Vec::new();
    for column in 0..prediction.allocators.len() {
        let known = prediction
            .rows
            .iter()
            .filter_map(|row| Some((row.mean_mind[column]?, row)));
        let Some((low, lowest)) = known.min_by(|a, b| a.0.total_cmp(&b.0)) else {
            continue;
        };
        all += 1;
        let Some(ours) = forecast.mean_mind[column] else {
            continue;
        };
        if ours <= low {
            agree += 1;
            continue;
        }
        let below = per_cent_below(low, ours);
        match others.iter_mut().find(|(name, _)| *name == lowest.ordering) {
            Some((_, gains)) => gains.push(below),
            None => others.push((&lowest.ordering, vec![below])),
        }
    }
    let others = others.iter().map(|(name, gains)| {
        let least = fixed(gains.iter().copied().fold(f64::INFINITY, f64::min), 1);
        let most = fixed(gains.iter().copied().fold(0.0, f64::max), 1);
        let by = if least == most {
            most
        } else {
            format!("{least} to {most}")
        };
        let under = match gains.len() {
            n if n == all => String::new(),
            n => format!(" under {n}"),
        };
        words![
            bold(name),
            format!(" brings jobs {by}\u{a0}% closer together{under}")
        ]
    });
    let others = Words::join(others, "; ");
    let (name, best) = (file_name(&prediction.workload), bold(&forecast.ordering));
    match (all, agree) {
        (0, _) => words!["The replay had no job of two nodes or more to measure."],
        (all, agree) if all == agree => {
            let under = if all == 1 {
                String::new()
            } else {
                format!(" under all {all} allocators")
            };
            let start =
                format!("The replay of {name} agrees{under}: its jobs are closest together on ");
            words![start, best, "."]
        }
        (all, 0) => words![
            format!("The replay of {name} does not confirm "),
            best,
            format!(" under any of its {all} allocators: "),
            others,
            "."
        ],
        (all, agree) => words![
            format!("The replay of {name} confirms "),
            best,
            format!(" under {agree} of {all} allocators; "),
            others,
            "."
        ],
    }
}

/// The ordering with which jobs of the simulated queue are done soonest.
pub(super) fn scheduled(schedules: &Schedules) -> Option<Words> {
    let rows = schedules
        .rows
        .iter()
        .map(|row| (row.summary.mean_response, &row.ordering));
    let (least, best) = rows.clone().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let (most, _) = rows.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let gain = per_cent_below(least, most);
    let how = format!(
        "Scheduled with their times ({}, {})",
        schedules.policy, schedules.model
    );
    Some(if least == most {
        words![how, ", mean response time is equal on all orderings."]
    } else if gain < 0.05 {
        words![
            how,
            ", mean response time differs by less than 0.05\u{a0}% between the orderings."
        ]
    } else {
        words![
            how,
            ", mean response time is lowest on ",
            bold(best),
            format!(", {} below that on the worst ordering.", per_cent(gain))
        ]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_jobs::replay::prediction::OrderingPrediction;

    fn prediction(rows: &[(&str, f64, &[f64])]) -> Prediction {
        let row = |(ordering, weighted_mpc, minds): &(&str, f64, &[f64])| OrderingPrediction {
            ordering: ordering.to_string(),
            weighted_mpc: *weighted_mpc,
            mean_mind: minds.iter().map(|m| Some(*m)).collect(),
            by_size: Vec::new(),
            traffic: Vec::new(),
        };
        Prediction {
            workload: "log".into(),
            allocators: (0..rows[0].2.len()).map(|i| format!("a{i}")).collect(),
            placed: 9,
            skipped: 0,
            refused: Vec::new(),
            rows: rows.iter().map(row).collect(),
            guest: None,
            agreement: Vec::new(),
        }
    }

    #[test]
    fn a_replay_agrees_or_is_told_against() {
        let agrees = prediction(&[("x", 2.0, &[1.0, 1.5]), ("y", 3.0, &[1.5, 1.5])]);
        assert_eq!(
            replayed(&agrees).to_string(),
            "The replay of log agrees under all 2 allocators: its jobs are closest together on <b>x</b>."
        );
        let half = prediction(&[("x", 2.0, &[1.0, 2.0]), ("y", 3.0, &[1.5, 1.5])]);
        assert_eq!(
            replayed(&half).to_string(),
            "The replay of log confirms <b>x</b> under 1 of 2 allocators; <b>y</b> brings jobs 25.0\u{a0}% closer \
             together under 1."
        );
        let not = prediction(&[("x", 2.0, &[2.0, 2.0]), ("<y>", 3.0, &[1.5, 1.0])]);
        assert_eq!(
            replayed(&not).to_string(),
            "The replay of log does not confirm <b>x</b> under any of its 2 allocators: <b>&#60;y&#62;</b> brings \
             jobs 25.0 to 50.0\u{a0}% closer together."
        );
    }
}
