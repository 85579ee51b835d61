//! A comparison in sentences of HTML: the verdict and what limits it.

use super::Workload;
use crate::metric::comparison::Comparison;
use crate::plot::{escape, thousands};
use crate::replay::prediction::{OrderingPrediction, Prediction};
use crate::schedule::orderings::Schedules;

/// The ordering that others are measured against where it takes part: node-id order.
pub(super) const REFERENCE: &str = "row-major";

/// `value` with `decimals` decimals.
pub(super) fn fixed(value: f64, decimals: usize) -> String {
    format!("{value:.decimals$}").replace('-', "−")
}

/// `4.12 hops`.
pub(super) fn hops_text(value: f64, decimals: usize) -> String {
    let text = fixed(value, decimals);
    let unit = if text.parse() == Ok(1.0) { "hop" } else { "hops" };
    format!("{text} {unit}")
}

/// By how many per cent `value` is above `best`.
pub(super) fn per_cent_above(value: f64, best: f64) -> f64 {
    if best > 0.0 { 100.0 * (value / best - 1.0) } else { 0.0 }
}

/// By how many per cent `best` is below `value`.
fn per_cent_below(best: f64, value: f64) -> f64 {
    if value > 0.0 { 100.0 * (1.0 - best / value) } else { 0.0 }
}

/// Which ordering is the best, and by how much.
pub(super) fn verdict(comparison: &Comparison) -> String {
    let Some(first) = comparison.entries.first() else {
        return "No orderings were compared.".into();
    };
    let (name, mean) = (escape(&first.label), hops_text(first.mean_log, 2));
    let random = random_part(first.mean_log, comparison.topology.mean_distance);
    let Some(second) = comparison.entries.get(1) else {
        return format!(
            "<strong>{name}</strong> has a log-uniform mean placement distance of {mean}{random}."
        );
    };
    let equals = comparison.entries[1..].iter().filter(|e| e.mean_log == first.mean_log).count();
    if equals > 0 {
        let all = equals + 1 == comparison.entries.len();
        let who = match (all, equals) {
            (true, 1) => "Both orderings".to_string(),
            (true, _) => format!("All {} orderings", equals + 1),
            (false, _) => {
                let names = comparison.entries[..=equals].iter().map(|e| escape(&e.label));
                format!("<strong>{}</strong>", names.collect::<Vec<_>>().join(" and "))
            }
        };
        return format!(
            "{who} place jobs equally compactly{}: averaged over job sizes on a log scale, the nodes of a \
             job are {mean} apart{random}.",
            if all { "" } else { ", and more so than the others" }
        );
    }
    let mut against = Vec::new();
    if let Some(reference) = comparison.entries[1..].iter().find(|e| e.label == REFERENCE) {
        against.push(lead(first.mean_log, reference.mean_log, REFERENCE));
    }
    if second.label != REFERENCE {
        let runner_up = format!("the runner-up, <b>{}</b>", escape(&second.label));
        against.push(lead(first.mean_log, second.mean_log, &runner_up));
    }
    format!(
        "<strong>{name}</strong> places jobs most compactly: averaged over job sizes on a log scale, the \
         nodes of a job are {mean} apart, {}.",
        against.join(" and ")
    )
}

/// Which ordering suits the job sizes of the workload, where there is one.
pub(super) fn suited(comparison: &Comparison, workload: Workload<'_>) -> String {
    let Some(prediction) = workload.prediction else { return String::new() };
    let mut ranked: Vec<&OrderingPrediction> = prediction.rows.iter().collect();
    ranked.sort_by(|a, b| a.weighted_mpc.total_cmp(&b.weighted_mpc));
    let [first, rest @ ..] = ranked.as_slice() else { return String::new() };
    let leader = comparison.entries.first().map(|e| e.label.as_str());
    let same = leader == Some(first.ordering.as_str());
    let by = match rest.first() {
        Some(second) if second.weighted_mpc > first.weighted_mpc => {
            let lead = lead(first.weighted_mpc, second.weighted_mpc, &escape(&second.ordering));
            format!(", {lead}")
        }
        Some(second) => format!(", as are those on {}", escape(&second.ordering)),
        None => String::new(),
    };
    format!(
        " With the job sizes of {} it is {}<strong>{}</strong>: jobs are {} apart{by}.",
        escape(&prediction.workload),
        if same { "again " } else { "" },
        escape(&first.ordering),
        hops_text(first.weighted_mpc, 2),
    )
}

fn lead(best: f64, other: f64, name: &str) -> String {
    let below = per_cent_below(best, other);
    if below == 0.0 {
        format!("the same as {name}")
    } else if below < 0.05 {
        format!("less than 0.05\u{a0}% below {name}")
    } else {
        format!("{}\u{a0}% below {name}", fixed(below, 1))
    }
}

fn random_part(mean: f64, random: f64) -> String {
    if random <= 0.0 {
        return String::new();
    }
    format!(", {}\u{a0}% below a random placement", fixed(per_cent_below(mean, random), 1))
}

/// Where the leader is the best and where others are, what chance would do, and how sure all that is.
pub(super) fn details(comparison: &Comparison, workload: Workload<'_>) -> String {
    let Some(first) = comparison.entries.first() else { return String::new() };
    let mut sentences = Vec::new();
    if comparison.entries.len() > 1 {
        let mut others: Vec<usize> = comparison.stretches.iter().map(|s| s.winner).collect();
        others.sort_unstable();
        others.dedup();
        others.retain(|winner| *winner != 0);
        if others.is_empty() {
            sentences.push("No other ordering is better at any job size.".to_string());
        } else {
            sentences.push(format!(
                "It is the best over {}\u{a0}% of the sizes on a log scale; elsewhere another is better:",
                fixed(100.0 * first.best_share, 1)
            ));
            let clauses: Vec<String> =
                others.iter().take(4).map(|winner| where_wins(comparison, *winner)).collect();
            let more = match others.len() - clauses.len() {
                0 => "",
                _ => "; others at a few sizes more",
            };
            sentences.push(format!("{}{more}.", clauses.join("; ")));
        }
    }
    let mean = comparison.topology.mean_distance;
    if mean > 0.0 && comparison.entries.len() > 1 {
        sentences.push(format!(
            "Nodes drawn at random would be {} apart; the leader's mean is {}\u{a0}% below that.",
            hops_text(mean, 2),
            fixed(per_cent_below(first.mean_log, mean), 1)
        ));
    }
    if comparison.entries.iter().any(|e| e.nodes != first.nodes) {
        sentences.push(
            "The orderings cover different numbers of nodes, so their curves end at different sizes and \
             the means are over different ranges."
                .into(),
        );
    }
    let mut out = paragraph(&sentences, "");
    out += &paragraph(&certainty(comparison, workload), "<b>How sure?</b> ");
    out
}

fn paragraph(sentences: &[String], before: &str) -> String {
    match sentences {
        [] => String::new(),
        sentences => format!("<p>{before}{}</p>\n", sentences.join(" ")),
    }
}

/// How far the leader is from what is possible, and whether jobs bear the ranking out.
fn certainty(comparison: &Comparison, workload: Workload<'_>) -> Vec<String> {
    let Some(first) = comparison.entries.first() else { return Vec::new() };
    let mut sentences = Vec::new();
    if let Some(floor) = comparison.floor_mean_log.filter(|floor| *floor > 0.0) {
        let room = per_cent_below(floor, first.mean_log);
        let lead = comparison.entries.get(1).map(|second| {
            match per_cent_below(first.mean_log, second.mean_log) {
                0.0 => String::new(),
                lead if lead < 0.05 => {
                    "; its lead over the runner-up is less than 0.05\u{a0}%".to_string()
                }
                lead => format!("; its lead over the runner-up is {}\u{a0}%", fixed(lead, 1)),
            }
        });
        sentences.push(if room < 0.05 {
            "No ordering whatsoever can do better: the leader reaches the proved floor.".to_string()
        } else {
            format!(
                "It is proved that no ordering whatsoever gets below {}: at most {}\u{a0}% is left to be \
                 gained on the leader{}.",
                hops_text(floor, 2),
                fixed(room, 1),
                lead.unwrap_or_default()
            )
        });
    }
    sentences.push(
        "MPC is exact: every place at which a job can start counts, nothing is sampled."
            .to_string(),
    );
    match workload.prediction {
        Some(prediction) => sentences.push(replayed(prediction)),
        None => sentences.push(
            "What it cannot tell is how jobs come to sit on a busy machine: <code>--trace</code> replays yours."
                .to_string(),
        ),
    }
    sentences.extend(workload.schedules.and_then(queued));
    sentences
}

/// Whether the replay bears out the ranking by weighted MPC.
fn replayed(prediction: &Prediction) -> String {
    let name = escape(&prediction.workload);
    let forecast = prediction.rows.iter().min_by(|a, b| a.weighted_mpc.total_cmp(&b.weighted_mpc));
    let Some(forecast) = forecast else { return String::new() };
    let best = escape(&forecast.ordering);
    let outcome = |column: usize| {
        let told = |row: &'_ OrderingPrediction| row.mean_mind[column];
        let known = prediction.rows.iter().filter(|row| told(row).is_some());
        known.min_by(|a, b| told(a).unwrap_or(f64::NAN).total_cmp(&told(b).unwrap_or(f64::NAN)))
    };
    let (mut agree, mut all) = (0, 0);
    let mut others: Vec<(&str, Vec<f64>)> = Vec::new();
    for column in 0..prediction.allocators.len() {
        let Some(lowest) = outcome(column) else { continue };
        all += 1;
        let (Some(low), Some(ours)) = (lowest.mean_mind[column], forecast.mean_mind[column]) else {
            continue;
        };
        if ours <= low {
            agree += 1;
        } else {
            let below = per_cent_below(low, ours);
            match others.iter_mut().find(|(name, _)| *name == lowest.ordering) {
                Some((_, gains)) => gains.push(below),
                None => others.push((&lowest.ordering, vec![below])),
            }
        }
    }
    let others: Vec<String> = (others.iter())
        .map(|(name, gains)| {
            let least = fixed(gains.iter().copied().fold(f64::INFINITY, f64::min), 1);
            let most = fixed(gains.iter().copied().fold(0.0, f64::max), 1);
            let by = if least == most { most } else { format!("{least} to {most}") };
            let under = match gains.len() {
                n if n == all => String::new(),
                n => format!(" under {n}"),
            };
            format!("<b>{}</b> brings jobs {by}\u{a0}% closer together{under}", escape(name))
        })
        .collect();
    match (all, agree) {
        (0, _) => "The replay had no job of two nodes to measure.".to_string(),
        (all, agree) if all == agree => match all {
            1 => format!(
                "The replay of {name} agrees: its jobs sit closest together on <b>{best}</b>."
            ),
            _ => format!(
                "The replay of {name} agrees under all {all} allocators: its jobs sit closest together on \
                 <b>{best}</b>."
            ),
        },
        (all, 0) => format!(
            "The replay of {name} does not bear <b>{best}</b> out under any of its {all} allocators: {}.",
            others.join("; ")
        ),
        (all, agree) => {
            format!(
                "The replay of {name} bears <b>{best}</b> out under {agree} of {all} allocators; {}.",
                others.join("; ")
            )
        }
    }
}

/// Which ordering the queue fares best with.
fn queued(schedules: &Schedules) -> Option<String> {
    let least = |a: &&crate::schedule::orderings::OrderingSchedule,
                 b: &&crate::schedule::orderings::OrderingSchedule| {
        a.mean_response.total_cmp(&b.mean_response)
    };
    let best = schedules.rows.iter().min_by(least)?;
    let worst = schedules.rows.iter().max_by(least)?;
    let gain = per_cent_below(best.mean_response, worst.mean_response);
    Some(if gain < 0.05 {
        "Scheduled with their times, jobs are answered equally fast on all orderings.".to_string()
    } else {
        format!(
            "Scheduled with their times ({}, {}), jobs are answered fastest on <b>{}</b>, in {}\u{a0}% less time \
             than on the last.",
            escape(&schedules.policy),
            escape(&schedules.model),
            escape(&best.ordering),
            fixed(gain, 1)
        )
    })
}

/// The sizes at which entry `winner` is the best: up to three stretches, else their range and number.
fn where_wins(comparison: &Comparison, winner: usize) -> String {
    let stretches: Vec<_> = comparison.stretches.iter().filter(|s| s.winner == winner).collect();
    let size = |s: usize| thousands(s as u64);
    let range = |from: usize, to: usize| match from == to {
        true => size(from),
        false => format!("{}–{}", size(from), size(to)),
    };
    let name = format!("<b>{}</b>", escape(&comparison.entries[winner].label));
    match stretches.as_slice() {
        [] => name,
        few if few.len() <= 3 => {
            let ranges: Vec<String> = few.iter().map(|s| range(s.from, s.to)).collect();
            format!("{name} at {} nodes", ranges.join(", "))
        }
        [first, .., last] => format!(
            "{name} at {} stretches between {} and {} nodes",
            thousands(stretches.len() as u64),
            size(first.from),
            size(last.to)
        ),
        [only] => format!("{name} at {} nodes", range(only.from, only.to)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leads_are_told_with_care() {
        assert_eq!(lead(1.0, 1.0, "x"), "the same as x");
        assert_eq!(lead(1.0, 1.0001, "x"), "less than 0.05\u{a0}% below x");
        assert_eq!(lead(3.0, 4.0, "x"), "25.0\u{a0}% below x");
        assert_eq!(lead(0.0, 0.0, "x"), "the same as x");
    }

    #[test]
    fn one_hop_is_singular() {
        assert_eq!([hops_text(1.0, 2), hops_text(1.5, 2)], ["1.00 hop", "1.50 hops"]);
    }

    fn prediction(rows: &[(&str, f64, &[f64])]) -> Prediction {
        let row = |(ordering, weighted_mpc, minds): &(&str, f64, &[f64])| OrderingPrediction {
            ordering: ordering.to_string(),
            weighted_mpc: *weighted_mpc,
            mean_mind: minds.iter().map(|m| Some(*m)).collect(),
            traffic: Vec::new(),
        };
        Prediction {
            workload: "log".into(),
            allocators: (0..rows[0].2.len()).map(|i| format!("a{i}")).collect(),
            placed: 9,
            skipped: 0,
            rows: rows.iter().map(row).collect(),
            guest: None,
            agreement: Vec::new(),
        }
    }

    #[test]
    fn a_replay_agrees_or_is_told_against() {
        let agrees = prediction(&[("x", 2.0, &[1.0, 1.5]), ("y", 3.0, &[1.5, 1.5])]);
        assert_eq!(
            replayed(&agrees),
            "The replay of log agrees under all 2 allocators: its jobs sit closest together on <b>x</b>."
        );
        let half = prediction(&[("x", 2.0, &[1.0, 2.0]), ("y", 3.0, &[1.5, 1.5])]);
        assert_eq!(
            replayed(&half),
            "The replay of log bears <b>x</b> out under 1 of 2 allocators; <b>y</b> brings jobs 25.0\u{a0}% closer \
             together under 1."
        );
        let not = prediction(&[("x", 2.0, &[2.0, 2.0]), ("<y>", 3.0, &[1.5, 1.0])]);
        assert_eq!(
            replayed(&not),
            "The replay of log does not bear <b>x</b> out under any of its 2 allocators: <b>&lt;y&gt;</b> brings \
             jobs 25.0 to 50.0\u{a0}% closer together."
        );
    }
}
