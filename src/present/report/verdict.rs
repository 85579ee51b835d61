//! A comparison in sentences: the verdict and what limits it.

use std::collections::BTreeSet;

use super::confirmed::{replayed, scheduled};
use super::html::{Part, Words, bold, words};
use super::results::WorkloadResults;
use super::words::{file_name, hops_text, lead, per_cent, per_cent_below};
use crate::plot::thousands;
use nodeorder_jobs::replay::prediction::OrderingPrediction;
use nodeorder_jobs::schedule::saving::REFERENCE;
use nodeorder_order::metric::comparison::Comparison;

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
