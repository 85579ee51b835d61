//! Whether replay and schedule of a workload confirm the ranking by MPC, in sentences.

use super::sentences::{RichText, file_name, per_cent, per_cent_below, sentence};
use crate::plot::format_fixed;
use nodeorder_jobs::replay::prediction::{OrderingPrediction, Prediction};
use nodeorder_jobs::schedule::orderings::Schedules;

/// Says whether the replay confirms the ranking by weighted MPC.
pub fn replay_sentence(prediction: &Prediction) -> RichText {
    let Some(forecast) = prediction
        .rows
        .iter()
        .min_by(|a, b| a.weighted_mpc.total_cmp(&b.weighted_mpc))
    else {
        return RichText::default();
    };
    let mut agree = 0;
    let mut all = 0;
    // Orderings that beat the forecast, with by how much under each allocator.
    let mut others: Vec<(&str, Vec<f64>)> = Vec::new();
    for allocator in 0..prediction.allocators.len() {
        let Some((low, lowest)) = lowest_mind(prediction, allocator) else {
            continue;
        };
        all += 1;
        let Some(ours) = forecast.mean_mind[allocator] else {
            continue;
        };
        // Equal means confirm: the forecast may have ranked equals either way.
        if ours <= low {
            agree += 1;
            continue;
        }
        // How much is lost by trusting the forecast under this allocator.
        let below = per_cent_below(low, ours);
        match others.iter_mut().find(|(name, _)| *name == lowest.ordering) {
            Some((_, gains)) => gains.push(below),
            None => others.push((&lowest.ordering, vec![below])),
        }
    }
    let name = file_name(&prediction.workload);
    let best = &forecast.ordering;
    if all == 0 {
        return "The replay had no job of two nodes or more to measure.".into();
    }
    if agree == all {
        let under = if all == 1 {
            String::new()
        } else {
            format!(" under all {all} allocators")
        };
        return sentence(format!(
            "The replay of {name} agrees{under}: its jobs are closest together on "
        ))
        .bold(best)
        .text(".");
    }
    let others = others
        .iter()
        .map(|(name, gains)| gain_phrase(name, gains, all));
    let others = RichText::join(others, "; ");
    if agree == 0 {
        sentence(format!("The replay of {name} does not confirm "))
            .bold(best)
            .text(format!(" under any of its {all} allocators: "))
    } else {
        sentence(format!("The replay of {name} confirms "))
            .bold(best)
            .text(format!(" under {agree} of {all} allocators; "))
    }
    .rich(&others)
    .text(".")
}

/// Finds the lowest mean distance of a replay with one allocator, and its ordering. `None` if no job had two nodes.
fn lowest_mind(prediction: &Prediction, allocator: usize) -> Option<(f64, &OrderingPrediction)> {
    prediction
        .rows
        .iter()
        .filter_map(|row| Some((row.mean_mind[allocator]?, row)))
        .min_by(|a, b| a.0.total_cmp(&b.0))
}

/// Says by how many per cent an ordering brings jobs closer together, and under how many of `all` allocators.
fn gain_phrase(name: &str, gains: &[f64], all: usize) -> RichText {
    let least = format_fixed(gains.iter().copied().fold(f64::INFINITY, f64::min), 1);
    let most = format_fixed(gains.iter().copied().fold(0.0, f64::max), 1);
    let range = if least == most {
        most
    } else {
        format!("{least} to {most}")
    };
    let under = match gains.len() {
        n if n == all => String::new(),
        n => format!(" under {n}"),
    };
    RichText::default()
        .bold(name)
        .text(format!(" brings jobs {range} % closer together{under}"))
}

/// Says with which ordering jobs of the simulated queue are done soonest. `None` without schedules.
pub fn schedule_sentence(schedules: &Schedules) -> Option<RichText> {
    let rows = schedules
        .rows
        .iter()
        .map(|row| (row.summary.mean_response, &row.ordering));
    let (least, best) = rows.clone().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let (most, _) = rows.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let gain = per_cent_below(least, most);
    let sentence = sentence(format!(
        "Scheduled with their times ({}, {}), mean response time ",
        schedules.policy, schedules.model
    ));
    Some(if least == most {
        sentence.text("is equal on all orderings.")
    // Less than the decimal shown: naming a best ordering would be noise.
    } else if gain < 0.05 {
        sentence.text("differs by less than 0.05 % between the orderings.")
    } else {
        sentence.text("is lowest on ").bold(best).text(format!(
            ", {} below that on the worst ordering.",
            per_cent(gain)
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
            replay_sentence(&agrees).to_string(),
            "The replay of log agrees under all 2 allocators: its jobs are closest together on <b>x</b>."
        );
        let half = prediction(&[("x", 2.0, &[1.0, 2.0]), ("y", 3.0, &[1.5, 1.5])]);
        assert_eq!(
            replay_sentence(&half).to_string(),
            "The replay of log confirms <b>x</b> under 1 of 2 allocators; <b>y</b> brings jobs \
             25.0\u{a0}% closer together under 1."
        );
        let not = prediction(&[("x", 2.0, &[2.0, 2.0]), ("<y>", 3.0, &[1.5, 1.0])]);
        assert_eq!(
            replay_sentence(&not).to_string(),
            "The replay of log does not confirm <b>x</b> under any of its 2 allocators: \
             <b>&#60;y&#62;</b> brings jobs 25.0 to 50.0\u{a0}% closer together."
        );
    }
}
