//! A comparison in sentences: the verdict and what limits it.

use std::collections::BTreeSet;

use super::WorkloadResults;
use super::html::{Part, Words, bold, fixed, words};
use crate::plot::thousands;
use nodeorder_jobs::replay::prediction::{OrderingPrediction, Prediction};
use nodeorder_jobs::schedule::ScheduleSummary;
use nodeorder_jobs::schedule::orderings::Schedules;
use nodeorder_jobs::schedule::saving::{ModelSaving, REFERENCE};
use nodeorder_order::metric::comparison::Comparison;

/// The name of a workload's file without its folders.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// `12.3 %`.
fn per_cent(value: f64) -> String {
    format!("{}\u{a0}%", fixed(value, 1))
}

/// `4.12 hops`.
pub(super) fn hops_text(value: f64, decimals: usize) -> String {
    let text = fixed(value, decimals);
    let unit = if text.parse() == Ok(1.0) {
        "hop"
    } else {
        "hops"
    };
    format!("{text} {unit}")
}

/// By how many per cent `value` is above `best`.
pub(super) fn per_cent_above(value: f64, best: f64) -> f64 {
    if best > 0.0 {
        100.0 * (value / best - 1.0)
    } else {
        0.0
    }
}

/// By how many per cent `best` is below `value`.
fn per_cent_below(best: f64, value: f64) -> f64 {
    if value > 0.0 {
        100.0 * (1.0 - best / value)
    } else {
        0.0
    }
}

/// Which ordering is the best, and by how much.
pub(super) fn verdict(comparison: &Comparison) -> Words {
    let [first, others @ ..] = comparison.entries.as_slice() else {
        return words!["No orderings were compared."];
    };
    let name = || Part::Strong(first.label.clone());
    let mean = hops_text(first.mean_log, 2);
    let random = match comparison.topology.mean_distance {
        random if random > 0.0 => {
            format!(
                ", {} below a random placement",
                per_cent(per_cent_below(first.mean_log, random))
            )
        }
        _ => String::new(),
    };
    if comparison.is_uneven() {
        let share = per_cent(100.0 * first.spanning.unwrap_or(0.0));
        return words![
            name(),
            format!(
                " leaves out the fewest windows that span components, {share}; in the others the nodes of a job are {mean} \
                 apart on average, each doubling of the job size with the same weight. The means of orderings that \
                 leave out another share are of other windows: they are not compared."
            ),
        ];
    }
    let Some(second) = others.first() else {
        return words![
            name(),
            " has a log-uniform mean of MPC of ",
            mean,
            random,
            "."
        ];
    };
    let equals = others
        .iter()
        .filter(|e| e.mean_log == first.mean_log)
        .count();
    if equals > 0 {
        let all = equals == others.len();
        let names = comparison.entries[..=equals]
            .iter()
            .map(|e| e.label.as_str());
        let orderings = match (all, equals) {
            (true, 1) => "Both orderings".into(),
            (true, _) => format!("All {} orderings", equals + 1).into(),
            (false, _) => Part::Strong(names.collect::<Vec<_>>().join(" and ")),
        };
        let rest = if all {
            ""
        } else {
            ", and closer than the other orderings"
        };
        return words![
            orderings,
            format!(
                " keep the nodes of a job equally close together{rest}: {mean} apart on average, each doubling \
                 of the job size with the same weight{random}."
            ),
        ];
    }
    // Row-major is what a site has before it orders anything, so this lead says what a change would bring.
    let mut against = Vec::new();
    if let Some(reference) = others.iter().find(|e| e.label == REFERENCE) {
        against.push(words![lead(first.mean_log, reference.mean_log), REFERENCE]);
    }
    if second.label != REFERENCE {
        let lead = lead(first.mean_log, second.mean_log);
        against.push(words![lead, "the second best, ", bold(&second.label)]);
    }
    words![
        name(),
        format!(
            " keeps the nodes of a job closest together: {mean} apart on average, each doubling of the job size \
             with the same weight. That is "
        ),
        Words::join(against, " and "),
        "."
    ]
}

/// Node-hours that the best ordering saves on the workload, where the trace shows a saving, and the waits that the trace
/// records; empty where it was not scheduled.
pub fn saved(schedules: &Schedules) -> Words {
    words![hours_saved(schedules), recorded(schedules)]
}

fn hours_saved(schedules: &Schedules) -> Words {
    let Some((saving, first)) = schedules
        .saving
        .as_ref()
        .and_then(|s| Some((s, s.models.first()?)))
    else {
        return Words::default();
    };
    let trace = file_name(&schedules.trace);
    let hours = |hours: f64| {
        let sign = if hours < 0.0 { "−" } else { "" };
        format!("{sign}{}", thousands(hours.abs().round() as u64))
    };
    let amount = |model: &ModelSaving| match (model.low, model.high) {
        (Some(low), Some(high)) => {
            format!(
                "{} (95\u{a0}%: {} to {})",
                hours(model.hours),
                hours(low),
                hours(high)
            )
        }
        _ => hours(model.hours),
    };
    let sure = match first.low {
        Some(_) => format!(
            " Intervals: {} weeks of the trace, drawn again.",
            saving.weeks
        ),
        None => String::new(),
    };
    let under = |model: &ModelSaving| format!("{} under {}", amount(model), model.model);
    let span = if saving.a_year { " a year" } else { "" };
    let assumed = words![
        " That rests on an assumption about run times, the model ",
        Part::Code(first.model.clone())
    ];
    if saving.best == saving.reference {
        let none = format!("On {trace} no ordering uses fewer node-hours than ");
        let default = bold(&saving.reference);
        return words![none, default, ", the default order.", assumed, ". "];
    }
    let soonest = schedules.soonest().unwrap_or(&saving.best);
    if !saving.is_shown() || soonest != saving.best {
        let why = match first.low {
            None => "the trace is too short for an interval, which takes eight weeks".into(),
            Some(_) if !saving.is_shown() => "not all intervals lie above zero".into(),
            Some(_) => format!("{soonest} has the shortest mean response time"),
        };
        let all = Words::join(
            saving.models.iter().map(|model| words![under(model)]),
            " and ",
        );
        return words![
            format!("{trace} shows no saving of node-hours against the default order, "),
            bold(&saving.reference),
            format!(
                ": {why}. On {} jobs use fewer{span}, by model of run times: ",
                saving.best
            ),
            all,
            ".",
            sure,
            " "
        ];
    }
    let others: Vec<String> = saving.models.iter().skip(1).map(under).collect();
    let others = match others.as_slice() {
        [] => ".".into(),
        all => format!("; it is {}.", all.join(" and ")),
    };
    let share = 100.0 * first.hours / saving.hours_used.max(f64::MIN_POSITIVE);
    let head = words![
        bold(&saving.best),
        format!(
            " saves {} node-hours{span} on {trace} against the default order, ",
            amount(first)
        ),
        bold(&saving.reference),
        format!(": {}\u{a0}% of those used.", fixed(share, 2))
    ];
    words![head, sure, assumed, others, " "]
}

/// How many times as long simulated waits must be as recorded ones, or these as those, beyond a minute, to be far from them.
const FAR: f64 = 2.0;

/// Waits that the trace records beside those of its schedule on the default order; empty where it records none.
fn recorded(schedules: &Schedules) -> Words {
    let reference = schedules
        .saving
        .as_ref()
        .map(|saving| saving.reference.as_str());
    let simulated = schedules
        .rows
        .iter()
        .find(|row| Some(row.ordering.as_str()) == reference);
    let (Some(recorded), Some(simulated)) = (&schedules.recorded, simulated) else {
        return Words::default();
    };
    let (there, here) = (&recorded.summary, &simulated.summary);
    let seconds = |value: f64| thousands(value.round() as u64);
    let waits = |s: &ScheduleSummary| {
        format!(
            "{} s (median {} s)",
            seconds(s.mean_wait),
            seconds(s.wait_percentiles[0])
        )
    };
    let (simulated_waits, recorded_waits) = (waits(here), waits(there));
    let jobs = match (there.jobs as u64, here.jobs as u64) {
        (known, all) if known == all => format!("the same {} jobs", thousands(all)),
        (known, all) => {
            format!(
                "those {} of {} jobs whose waits it has",
                thousands(known),
                thousands(all)
            )
        }
    };
    let (most, least) = (
        there.mean_wait.max(here.mean_wait),
        there.mean_wait.min(here.mean_wait),
    );
    let far = most > FAR * least + 60.0;
    let head = if far {
        "Simulated waits are far from recorded ones: on "
    } else {
        "On "
    };
    let longer = match here.mean_stretch {
        times if far && times >= 1.05 => {
            format!(
                "; under this model jobs run {} times as long as recorded, on average",
                fixed(times, 2)
            )
        }
        _ => String::new(),
    };
    words![
        head,
        bold(&simulated.ordering),
        format!(
            " the mean wait is {simulated_waits}, by the trace {recorded_waits}, over {jobs}{longer}. "
        )
    ]
}

/// Which ordering suits the job sizes of the workload, where there is one.
pub(super) fn suited(comparison: &Comparison, workload: &WorkloadResults<'_>) -> Words {
    let Some(prediction) = &workload.prediction else {
        return Words::default();
    };
    let mut ranked: Vec<&OrderingPrediction> = prediction.rows.iter().collect();
    ranked.sort_by(|a, b| a.weighted_mpc.total_cmp(&b.weighted_mpc));
    let [first, rest @ ..] = ranked.as_slice() else {
        return Words::default();
    };
    let leader = comparison.entries.first().map(|e| e.label.as_str());
    let again = if leader == Some(first.ordering.as_str()) {
        "also "
    } else {
        ""
    };
    let by = match rest.first() {
        Some(second) if second.weighted_mpc > first.weighted_mpc => {
            words![
                ", ",
                lead(first.weighted_mpc, second.weighted_mpc),
                second.ordering.clone()
            ]
        }
        Some(second) => words![", the same as with ", second.ordering.clone()],
        None => Words::default(),
    };
    words![
        format!(
            " For the job sizes of {} the best is {again}",
            file_name(&prediction.workload)
        ),
        Part::Strong(first.ordering.clone()),
        format!(": the weighted MPC is {}", hops_text(first.weighted_mpc, 2)),
        by,
        "."
    ]
}

/// How far `best` is below `other`, as the words before a name: `25.0 % below `.
fn lead(best: f64, other: f64) -> String {
    match per_cent_below(best, other) {
        0.0 => "the same as ".into(),
        below if below < 0.05 => "less than 0.05\u{a0}% below ".into(),
        below => format!("{} below ", per_cent(below)),
    }
}

/// Where the leader is the best and where others are, what random placement gives, and how certain all that is:
/// a paragraph each.
pub(super) fn details(comparison: &Comparison, workload: &WorkloadResults<'_>) -> Vec<Words> {
    let Some(first) = comparison.entries.first() else {
        return Vec::new();
    };
    let mut sentences = Vec::new();
    if comparison.entries.len() > 1 {
        let winners = comparison.stretches.iter().map(|s| s.winner);
        let others: BTreeSet<usize> = winners.filter(|winner| *winner != 0).collect();
        sentences.push(if others.is_empty() {
            words!["No other ordering is better at any job size."]
        } else {
            let more = if others.len() > 4 {
                "; other orderings at a few more sizes"
            } else {
                ""
            };
            words![
                format!(
                    "It is the best for {} of the sizes",
                    per_cent(100.0 * first.best_share)
                ),
                " on a log scale; at the others the best is ",
                Words::join(
                    others.iter().take(4).map(|w| where_wins(comparison, *w)),
                    "; "
                ),
                more,
                "."
            ]
        });
    }
    let mean = comparison.topology.mean_distance;
    if mean > 0.0 && comparison.entries.len() > 1 {
        sentences.push(words![format!(
            "Nodes chosen at random are {} apart on average; the leader's mean is {} below that.",
            hops_text(mean, 2),
            per_cent(per_cent_below(first.mean_log, mean))
        )]);
    }
    if comparison.entries.iter().any(|e| e.nodes != first.nodes) {
        sentences.push(words![
            "The orderings cover different numbers of nodes, so their curves end at different sizes and \
             the means are over different ranges."
        ]);
    }
    let certain = Words::join(certainty(comparison, workload), " ");
    let mut out = vec![
        Words::join(sentences, " "),
        words![bold("How certain is this?"), " ", certain],
    ];
    out.retain(|words| !words.parts.is_empty());
    out
}

/// How far the leader is from what is possible, and whether the workload confirms the ranking.
fn certainty(comparison: &Comparison, workload: &WorkloadResults<'_>) -> Vec<Words> {
    let [first, others @ ..] = comparison.entries.as_slice() else {
        return Vec::new();
    };
    let mut sentences = Vec::new();
    if let Some(floor) = comparison.floor_mean_log.filter(|floor| *floor > 0.0) {
        let room = per_cent_below(floor, first.mean_log);
        let lead = match others
            .first()
            .map(|e| per_cent_below(first.mean_log, e.mean_log))
        {
            None | Some(0.0) => String::new(),
            Some(lead) if lead < 0.05 => {
                "; its lead over the second best is less than 0.05\u{a0}%".to_string()
            }
            Some(lead) => format!("; its lead over the second best is {}", per_cent(lead)),
        };
        sentences.push(if room < 0.05 {
            words!["No ordering at all can do better: the leader reaches the proved floor."]
        } else {
            words![format!(
                "It is proved that no ordering at all gets below {}: the leader can be improved by at most \
                 {}{lead}.",
                hops_text(floor, 2),
                per_cent(room),
            )]
        });
    }
    sentences.push(words![
        "MPC is exact: it counts every position at which a job can start; nothing is sampled."
    ]);
    sentences.push(match &workload.prediction {
        Some(prediction) => replayed(prediction),
        None => words![
            "It does not show which nodes jobs get on a busy machine: ",
            Part::Code("--trace".into()),
            " replays your trace.",
        ],
    });
    sentences.extend(workload.schedules.as_ref().and_then(scheduled));
    sentences
}

/// Whether the replay confirms the ranking by weighted MPC.
fn replayed(prediction: &Prediction) -> Words {
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
fn scheduled(schedules: &Schedules) -> Option<Words> {
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

/// The sizes at which entry `winner` is the best: up to three ranges, else their number and limits.
fn where_wins(comparison: &Comparison, winner: usize) -> Words {
    let wins: Vec<_> = comparison
        .stretches
        .iter()
        .filter(|s| s.winner == winner)
        .collect();
    let size = |s: usize| thousands(s as u64);
    let range = |(from, to): (usize, usize)| match from == to {
        true => size(from),
        false => format!("{}–{}", size(from), size(to)),
    };
    let sizes = match wins.as_slice() {
        [first, _, _, .., last] if wins.len() > 3 => {
            let (from, to) = (size(first.from), size(last.to));
            format!(
                "{} ranges between {from} and {to}",
                thousands(wins.len() as u64)
            )
        }
        few => few
            .iter()
            .map(|s| range((s.from, s.to)))
            .collect::<Vec<_>>()
            .join(", "),
    };
    words![
        bold(&comparison.entries[winner].label),
        format!(" at {sizes} nodes")
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leads_are_told_with_care() {
        assert_eq!(lead(1.0, 1.0), "the same as ");
        assert_eq!(lead(1.0, 1.0001), "less than 0.05\u{a0}% below ");
        assert_eq!(lead(3.0, 4.0), "25.0\u{a0}% below ");
        assert_eq!(lead(0.0, 0.0), "the same as ");
    }

    #[test]
    fn one_hop_is_singular() {
        assert_eq!(
            [hops_text(1.0, 2), hops_text(1.5, 2)],
            ["1.00 hop", "1.50 hops"]
        );
    }

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
