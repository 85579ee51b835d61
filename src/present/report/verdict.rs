//! A comparison in sentences: the verdict and what limits it.

use std::collections::BTreeSet;

use super::confirmed::{replay_sentence, schedule_sentence};
use super::prediction::rank_by_forecast;
use super::results::WorkloadResults;
use super::saved::saving_sentences;
use super::sentences::{
    RichText, file_name, hops_text, lead_phrase, per_cent, per_cent_below, range_text, sentence,
};
use crate::machines::join_names;
use crate::plot::format_thousands;
use nodeorder_jobs::schedule::saving::REFERENCE;
use nodeorder_order::metric::comparison::{Comparison, OrderingFigures};

/// Lead, in per cent, below which a sentence says "less than" this: rounded to a decimal it would read 0.0.
const SMALL_LEAD: f64 = 0.05;
/// Most other orderings whose sizes are listed.
const MOST_OTHERS: usize = 4;

/// Says what a comparison comes to: where compact placement hurts, savings on the workload, the best ordering, and the
/// one that suits the workload.
pub fn opening_sentences(comparison: &Comparison, workload: &WorkloadResults<'_>) -> RichText {
    let saved = workload.schedules.as_ref().map(saving_sentences);
    let lost = workload
        .advice
        .as_ref()
        .map(|advice| advice.loss_sentence(comparison));
    lost.unwrap_or_default()
        .rich(&saved.unwrap_or_default())
        .rich(&ranking_sentence(comparison))
        .rich(&workload_sentence(comparison, workload))
}

/// Says which ordering is the best, and by how much.
fn ranking_sentence(comparison: &Comparison) -> RichText {
    let [first, others @ ..] = comparison.entries.as_slice() else {
        return "No orderings were compared.".into();
    };
    let name = RichText::default().strong(&first.label);
    let mean = hops_text(first.mean_log, 2);
    // All nodes on one router are at distance 0, and no placement is below another.
    let random = match comparison.topology.mean_distance {
        random if random > 0.0 => {
            let below = per_cent(per_cent_below(first.mean_log, random));
            format!(", {below} below a random placement")
        }
        _ => String::new(),
    };
    // Means over different windows are not comparable, so the share of windows left out ranks first.
    if comparison.is_uneven() {
        let share = per_cent(100.0 * first.spanning.unwrap_or(0.0));
        return name.text(format!(
            " leaves out the fewest windows that span components, {share}; in the others the \
             nodes of a job are {mean} apart on average, each doubling of the job size with \
             the same weight. The means of orderings that \
             leave out another share are of other windows: they are not compared."
        ));
    }
    let Some(second) = others.first() else {
        return name.text(format!(" has a log-uniform mean of MPC of {mean}{random}."));
    };
    let equals = others
        .iter()
        .filter(|other| other.mean_log == first.mean_log)
        .count();
    if equals > 0 {
        return equal_leaders(comparison, equals).text(format!(
            ": {mean} apart on average, each doubling of the job size with the same weight{random}."
        ));
    }
    // Row-major is what a site has before it orders anything, so this lead says what a change would bring.
    let mut leads = Vec::new();
    if let Some(reference) = others.iter().find(|other| other.label == REFERENCE) {
        leads.push(sentence(lead_phrase(first.mean_log, reference.mean_log)).text(REFERENCE));
    }
    if second.label != REFERENCE {
        let lead = sentence(lead_phrase(first.mean_log, second.mean_log));
        leads.push(lead.text("the second best, ").bold(&second.label));
    }
    name.text(format!(
        " keeps the nodes of a job closest together: {mean} apart on average, each doubling of \
         the job size with the same weight. That is "
    ))
    .rich(&RichText::join(leads, " and "))
    .text(".")
}

/// Says which orderings lead together; the first and `equals` others do.
fn equal_leaders(comparison: &Comparison, equals: usize) -> RichText {
    let all = comparison.entries.len();
    let (leaders, rest) = if equals + 1 < all {
        let leaders = comparison.entries[..=equals].iter();
        let names: Vec<String> = leaders.map(|entry| entry.label.clone()).collect();
        (
            RichText::default().strong(&join_names(&names)),
            ", and closer than the other orderings",
        )
    } else if all == 2 {
        ("Both orderings".into(), "")
    } else {
        (format!("All {all} orderings").into(), "")
    };
    leaders
        .text(" keep the nodes of a job equally close together")
        .text(rest)
}

/// Says which ordering suits the job sizes of the workload. Empty without a workload.
fn workload_sentence(comparison: &Comparison, workload: &WorkloadResults<'_>) -> RichText {
    let Some(prediction) = &workload.prediction else {
        return RichText::default();
    };
    let ranked = rank_by_forecast(prediction);
    let [first, rest @ ..] = ranked.as_slice() else {
        return RichText::default();
    };
    let leader = comparison.entries.first();
    // The same ordering twice is a result: the log-uniform mean predicts this workload.
    let also = if leader.is_some_and(|leader| leader.label == first.ordering) {
        "also "
    } else {
        ""
    };
    let against = match rest.first() {
        Some(second) if second.weighted_mpc > first.weighted_mpc => {
            let lead = lead_phrase(first.weighted_mpc, second.weighted_mpc);
            format!(", {lead}{}", second.ordering)
        }
        Some(second) => format!(", the same as with {}", second.ordering),
        None => String::new(),
    };
    sentence(format!(
        " For the job sizes of {} the best is {also}",
        file_name(&prediction.workload)
    ))
    .strong(&first.ordering)
    .text(format!(
        ": the weighted MPC is {}{against}.",
        hops_text(first.weighted_mpc, 2)
    ))
}

/// Says where the leader is the best and where others are, what random placement gives, and how certain all that is: a
/// paragraph each.
pub fn detail_paragraphs(comparison: &Comparison, workload: &WorkloadResults<'_>) -> Vec<RichText> {
    let Some(first) = comparison.entries.first() else {
        return Vec::new();
    };
    let mut sentences = Vec::new();
    if comparison.entries.len() > 1 {
        sentences.push(best_sizes(comparison, first));
        let mean = comparison.topology.mean_distance;
        if mean > 0.0 {
            sentences.push(sentence(format!(
                "Nodes chosen at random are {} apart on average; the leader's mean is {} below \
                 that.",
                hops_text(mean, 2),
                per_cent(per_cent_below(first.mean_log, mean))
            )));
        }
    }
    if comparison.entries.iter().any(|e| e.nodes != first.nodes) {
        sentences.push(
            "The orderings cover different numbers of nodes, so their curves end at different \
             sizes and the means are over different ranges."
                .into(),
        );
    }
    let certain = RichText::default()
        .bold("How certain is this?")
        .text(" ")
        .rich(&RichText::join(
            certainty_sentences(comparison, workload),
            " ",
        ));
    let mut paragraphs = vec![RichText::join(sentences, " "), certain];
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    paragraphs
}

/// Says at which sizes the leader is the best, and where others are.
fn best_sizes(comparison: &Comparison, first: &OrderingFigures) -> RichText {
    let others: BTreeSet<usize> = comparison
        .stretches
        .iter()
        .map(|stretch| stretch.winner)
        // Entry 0 is the leader itself.
        .filter(|winner| *winner != 0)
        .collect();
    if others.is_empty() {
        return "No other ordering is better at any job size.".into();
    }
    let wins = others
        .iter()
        .take(MOST_OTHERS)
        .map(|winner| where_wins(comparison, *winner));
    let more = if others.len() > MOST_OTHERS {
        "; other orderings at a few more sizes"
    } else {
        ""
    };
    sentence(format!(
        "It is the best for {} of the sizes on a log scale; at the others the best is ",
        per_cent(100.0 * first.best_share)
    ))
    .rich(&RichText::join(wins, "; "))
    .text(format!("{more}."))
}

/// Says how far the leader is from what is possible, and whether the workload confirms the ranking.
fn certainty_sentences(comparison: &Comparison, workload: &WorkloadResults<'_>) -> Vec<RichText> {
    let [first, others @ ..] = comparison.entries.as_slice() else {
        return Vec::new();
    };
    let mut sentences = Vec::new();
    // Large machines have no floor, and a floor of 0 is no news.
    if let Some(floor) = comparison.floor_mean_log.filter(|floor| *floor > 0.0) {
        let room = per_cent_below(floor, first.mean_log);
        sentences.push(if room < SMALL_LEAD {
            "No ordering at all can do better: the leader reaches the proved floor.".into()
        } else {
            // Beside the lead, so that readers see whether an even better ordering could matter more.
            let lead = others.first().map_or(0.0, |second| {
                per_cent_below(first.mean_log, second.mean_log)
            });
            let lead = match lead {
                0.0 => String::new(),
                lead if lead < SMALL_LEAD => {
                    "; its lead over the second best is less than 0.05 %".into()
                }
                lead => format!("; its lead over the second best is {}", per_cent(lead)),
            };
            sentence(format!(
                "It is proved that no ordering at all gets below {}: the leader can be improved \
                 by at most {}{lead}.",
                hops_text(floor, 2),
                per_cent(room),
            ))
        });
    }
    sentences.push(
        "MPC is exact: it counts every position at which a job can start; nothing is sampled."
            .into(),
    );
    sentences.push(match &workload.prediction {
        Some(prediction) => replay_sentence(prediction),
        None => sentence("It does not show which nodes jobs get on a busy machine: ")
            .code("--trace")
            .text(" replays your trace."),
    });
    sentences.extend(workload.schedules.as_ref().and_then(schedule_sentence));
    sentences
}

/// Says at which sizes entry `winner` is the best: up to three ranges, else their number and limits.
fn where_wins(comparison: &Comparison, winner: usize) -> RichText {
    let mut ranges = Vec::new();
    for stretch in &comparison.stretches {
        if stretch.winner == winner {
            ranges.push((
                format_thousands(stretch.from as u64),
                format_thousands(stretch.to as u64),
            ));
        }
    }
    let sizes = match ranges.as_slice() {
        // Many short ranges are what two curves that cross often have.
        [(from, _), _, _, .., (_, to)] if ranges.len() > 3 => {
            let count = format_thousands(ranges.len() as u64);
            format!("{count} ranges between {from} and {to}")
        }
        few => {
            let few: Vec<String> = few.iter().map(|(from, to)| range_text(from, to)).collect();
            few.join(", ")
        }
    };
    RichText::default()
        .bold(&comparison.entries[winner].label)
        .text(format!(" at {sizes} nodes"))
}
