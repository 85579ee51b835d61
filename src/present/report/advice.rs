//! Which ordering to take for which traffic: sentences, a section of a page, and the `answer` of the JSON document.

use std::collections::BTreeMap;

use serde::Serialize;

use super::html::{BestValue, Column, Figure, Section, Table};
use super::sentences::{RichText, per_cent, sentence};
use crate::plot::{self, SlowdownSeries, format_fixed, format_thousands};
use nodeorder_base::Result;
use nodeorder_jobs::schedule::saving::REFERENCE;
use nodeorder_network::Topology;
use nodeorder_order::metric::comparison::Comparison;
use nodeorder_traffic::slowdown::{
    DUTY_STEPS, GuestSlowdowns, OrderingLoss, SlowdownComparison, UNTOLD,
};

/// Slowdowns shown as `1.00`.
const UNSLOWED: f64 = UNTOLD;

/// What a comparison advises on: distance and, where it was measured, the time of communication.
#[derive(Clone, Debug, Default)]
pub struct Advice {
    /// Slowdowns, the orderings sorted as the comparison ranks them.
    pub slowdowns: Option<SlowdownComparison>,
    /// The ordering that the site has today; row-major where nobody said.
    pub current: Option<String>,
    /// Orderings to install; none where nothing is gained.
    pub installs: Vec<Install>,
    /// Capacity of a node link.
    node_capacity: f64,
}

/// An ordering to install.
#[derive(Clone, Debug)]
pub struct Install {
    /// Words before its name: what it is installed for.
    pub lead: String,
    pub order: String,
    /// Command that installs it; none for the present ordering, which is kept.
    pub command: Option<String>,
}

/// The ordering to take for one kind of traffic.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer<'a> {
    /// The ordering.
    pub order: &'a str,
    /// Share by which its figure is below that of the present ordering.
    pub gain_over_current: Option<f64>,
    /// Smallest size of jobs from which on no ordering is better.
    pub from_size: Option<usize>,
}

/// The document's `answer`.
#[derive(Serialize)]
pub(super) struct Answers<'a> {
    /// The ordering that gains are against.
    current: &'a str,
    /// Whether nobody said so.
    current_assumed: bool,
    #[serde(flatten)]
    by_traffic: BTreeMap<String, Answer<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    slowdown: Option<MeasuredSlowdowns<'a>>,
}

/// How slowdowns were measured, and their means.
#[derive(Serialize)]
struct MeasuredSlowdowns<'a> {
    routing: &'a str,
    duty: f64,
    tilings: u32,
    means: Vec<GuestMeans<'a>>,
}

/// Log-uniform means of the slowdowns of an ordering for one guest.
#[derive(Serialize)]
struct GuestMeans<'a> {
    guest: &'a str,
    ordering: &'a str,
    alone: Option<f64>,
    mixed: Option<f64>,
    all: Option<f64>,
}

impl Advice {
    /// Sorts the slowdowns as the comparison ranks the orderings.
    pub fn new(
        topology: &Topology,
        comparison: &Comparison,
        mut slowdowns: Option<SlowdownComparison>,
        current: Option<String>,
    ) -> Self {
        if let Some(slowdowns) = &mut slowdowns {
            let entries = comparison.entries.iter();
            slowdowns.sort_by_labels(&entries.map(|entry| &*entry.label).collect::<Vec<_>>());
        }
        Advice {
            slowdowns,
            current,
            installs: Vec::new(),
            node_capacity: topology.network().node_capacity(),
        }
    }

    /// Names the ordering that gains are against.
    pub(super) fn current(&self) -> &str {
        self.current.as_deref().unwrap_or(REFERENCE)
    }

    /// Finds the present ordering among those measured.
    fn find_current(&self, compared: &SlowdownComparison) -> Option<usize> {
        let mut labels = compared.orderings.iter();
        labels.position(|label| label == self.current())
    }

    /// Finds the ordering of the lowest `mixed` for a guest; the present one where none is better.
    pub(super) fn find_best(
        &self,
        compared: &SlowdownComparison,
        guest: &GuestSlowdowns,
    ) -> Option<usize> {
        let current = self.find_current(compared);
        let current = current.filter(|current| guest.is_best(*current, |point| point.mixed));
        current.or_else(|| guest.find_best(|point| point.mixed))
    }

    /// Answers by kind of traffic, as the JSON document has it.
    pub(super) fn answers<'a>(&'a self, comparison: &'a Comparison) -> Answers<'a> {
        let mut by_traffic = BTreeMap::new();
        if let Some(answer) = self.answer_distance(comparison) {
            by_traffic.insert("distance".to_string(), answer);
        }
        for (compared, guest) in self.guests() {
            if let Some(answer) = self.answer_guest(compared, guest) {
                let key = match guest.guest.as_str() {
                    "all-to-all" => "all_to_all",
                    "stencil3d" => "stencil",
                    other => other,
                };
                by_traffic.insert(key.to_string(), answer);
            }
        }
        Answers {
            current: self.current(),
            current_assumed: self.current.is_none(),
            by_traffic,
            slowdown: self.slowdowns.as_ref().map(|compared| MeasuredSlowdowns {
                routing: compared.routing,
                duty: compared.duty,
                tilings: compared.tilings,
                means: list_means(compared),
            }),
        }
    }

    /// Iterates over the guests, each with all slowdowns.
    fn guests(&self) -> impl Iterator<Item = (&SlowdownComparison, &GuestSlowdowns)> {
        let compared = self.slowdowns.iter();
        compared.flat_map(|all| all.guests.iter().map(move |guest| (all, guest)))
    }

    /// Finds the ordering of the lowest mean distance.
    pub(super) fn answer_distance<'a>(&self, comparison: &'a Comparison) -> Option<Answer<'a>> {
        let first = comparison.entries.first()?;
        let mut entries = comparison.entries.iter();
        let base = entries
            .find(|entry| entry.label == self.current())
            // Means over other windows are not compared.
            .filter(|base| base.spanning == first.spanning);
        let as_close = base.filter(|base| base.mean_log == first.mean_log);
        // Nobody should change an order for nothing: the present one wins a tie.
        let best = as_close.unwrap_or(first);
        let mut from_size = None;
        for (i, value) in best.values.iter().enumerate().rev() {
            let others = comparison
                .entries
                .iter()
                .filter_map(|other| other.values.get(i));
            // From the largest size down, up to the first at which another one is closer.
            if others.fold(f64::INFINITY, |low, other| low.min(*other)) < *value {
                break;
            }
            from_size = Some(i + 2);
        }
        Some(Answer {
            order: &best.label,
            gain_over_current: base.and_then(|base| find_gain(best.mean_log, base.mean_log)),
            from_size,
        })
    }

    /// Finds the ordering of the lowest `mixed` for a guest.
    fn answer_guest<'a>(
        &self,
        compared: &'a SlowdownComparison,
        guest: &GuestSlowdowns,
    ) -> Option<Answer<'a>> {
        let best = self.find_best(compared, guest)?;
        let mixed = |ordering: usize| guest.curves[ordering].log_uniform_mean(|point| point.mixed);
        let base = self.find_current(compared);
        Some(Answer {
            order: &compared.orderings[best],
            gain_over_current: base.and_then(|base| find_gain(mixed(best)?, mixed(base)?)),
            from_size: guest.best_from(best),
        })
    }

    /// Says where the closest ordering slows communication most. Empty if it does nowhere.
    pub(super) fn loss_sentence(&self, comparison: &Comparison) -> RichText {
        let slowdowns = self.slowdowns.as_ref();
        let Some((compared, loss)) =
            slowdowns.and_then(|all| Some((all, all.find_largest_loss(0)?)))
        else {
            return RichText::default();
        };
        let machine = &comparison.topology;
        let links = match machine.node_links / machine.nodes.max(1) {
            0 | 1 => "one link".to_string(),
            count => format!("{count} links"),
        };
        let labels = &compared.orderings;
        let mut parts = vec![
            sentence("")
                .strong(&labels[0])
                .text(", the closest ordering, ")
                .text(times_text(&loss, 0, loss.size)),
        ];
        // Small jobs may lose more, large ones matter more: both are said.
        if loss.worst_size != loss.size {
            let worst = format_thousands(loss.worst_size as u64);
            let times = times_text(&loss, 0, loss.worst_size);
            parts.push(format!("and one of {worst} nodes {times}").into());
        }
        let mut others: Vec<usize> = self.find_current(compared).into_iter().collect();
        // The present one is said beside the closest and the best, where it is neither.
        others.retain(|current| ![0, loss.winner].contains(current));
        others.push(loss.winner);
        for other in others {
            let times = times_text(&loss, other, loss.size);
            parts.push(sentence("").strong(&labels[other]).text(" ").text(times));
        }
        sentence(format!(
            "Compact placement hurts here: {} of {} nodes is slowed by ",
            guest_phrase(&loss.guest.guest),
            format_thousands(loss.size as u64),
        ))
        .rich(&RichText::join(parts, ", "))
        .text(format!(
            " (routing {}, the other jobs send {} of the time; the \
            machine’s description gives a node {links} of capacity {}). ",
            compared.routing,
            per_cent(100.0 * compared.duty),
            self.node_capacity,
        ))
    }

    /// Says for each guest which ordering to take, and whether anything is gained over that of `--current`.
    pub fn verdicts(&self, comparison: &Comparison) -> Vec<String> {
        let mut verdicts: Vec<RichText> = self
            .guests()
            .filter_map(|(all, guest)| self.guest_verdict(all, guest))
            .collect();
        let answers = self.answers(comparison).by_traffic;
        let distance = answers.get("distance");
        // Where nobody said what the site has, nothing can be said to be best already.
        if let Some(current) = &self.current {
            if answers.values().all(|answer| answer.order == current) {
                verdicts.insert(0, "Your present order is already best.".into());
            } else if let Some(answer) = distance
                && let Some(gain) = answer.gain_over_current
            {
                let gain = per_cent(100.0 * gain);
                let said = format!("distance: take {}, {gain} below {current}.", answer.order);
                verdicts.insert(0, said.into());
            }
        }
        verdicts.iter().map(RichText::plain).collect()
    }

    /// Says which ordering to take for a guest. `None` where no size has a slowdown.
    fn guest_verdict(
        &self,
        compared: &SlowdownComparison,
        guest: &GuestSlowdowns,
    ) -> Option<RichText> {
        let best = self.find_best(compared, guest)?;
        let label = |ordering: usize| compared.orderings[ordering].as_str();
        let curve = &guest.curves[best];
        let low = curve.log_uniform_mean(|point| point.mixed)?;
        let begin = RichText::default().bold(&guest.guest).text(": ");
        let means = guest
            .curves
            .iter()
            .filter_map(|one| one.log_uniform_mean(|point| point.mixed));
        let high = means.fold(low, f64::max);
        // What rounds to the same is no reason to choose.
        if high <= low * UNTOLD {
            let times = slowed_phrase(low);
            return Some(begin.text(format!(
                "no ordering gains bandwidth, communication is {times} in all."
            )));
        }
        let base = self.find_current(compared);
        let advice = match self.current {
            Some(_) if base == Some(best) => "your present order is already best, ",
            _ => "take ",
        };
        let mut said = begin.text(advice).strong(label(best)).text(format!(
            ", on average {} over job sizes",
            slowed_phrase(low)
        ));
        // The present order is named beside another one only.
        if let Some(base) = base.filter(|base| *base != best) {
            let there = guest.curves[base].log_uniform_mean(|point| point.mixed)?;
            let there = format_fixed(there, 2);
            said = said
                .text(format!(" ({there} with "))
                .bold(label(base))
                .text(")");
        }
        said = match guest.best_from(best) {
            Some(from) => said.text(format!(
                "; none is better for jobs of {} nodes or more",
                format_thousands(from as u64)
            )),
            None => said.text("; for the largest jobs others are better"),
        };
        let all = format_fixed(curve.log_uniform_mean(|point| point.all)?, 2);
        said = said.text(format!("; {all} times when all jobs send at once."));
        if let Some(first) = guest.find_best(|point| point.alone)
            && !(0..DUTY_STEPS).all(|step| guest.is_best(best, |point| point.at_duties[step]))
        {
            let mut steps = vec![sentence("").bold(label(first)).text(" at 0")];
            for (duty, next) in guest.list_changes() {
                // A hundredth is the least that is told.
                let from = format!(" from {} on", format_fixed(duty.max(0.01), 2));
                steps.push(sentence("").bold(label(next)).text(from));
            }
            said = said
                .text(" By the share of the time in which the other jobs send, the best is ")
                .rich(&RichText::join(steps, ", "))
                .text(".");
        }
        Some(said)
    }

    /// Makes the section of a page; `slots` are the numbers of the orderings as the user named them. `None` where no
    /// slowdown was measured.
    ///
    /// # Errors
    /// A chart that cannot be drawn.
    pub(super) fn slowdown_section(
        &self,
        comparison: &Comparison,
        slots: &[usize],
    ) -> Result<Option<Section>> {
        let Some(compared) = &self.slowdowns else {
            return Ok(None);
        };
        let mut columns = Vec::new();
        for guest in &compared.guests {
            let curves = guest.curves.iter();
            let mixed = curves
                .clone()
                .map(|curve| curve.log_uniform_mean(|point| point.mixed));
            let all = curves.map(|curve| curve.log_uniform_mean(|point| point.all));
            let title = format!("{}, mixed (times)", guest.guest);
            columns.push(Column::new(title, 2, BestValue::Low, mixed));
            let title = format!("{}, all (times)", guest.guest);
            columns.push(Column::new(title, 2, BestValue::Low, all));
        }
        let table = Table::ranked(
            "Slowdown of orderings",
            compared.orderings.clone(),
            comparison.list_ranks(),
            columns,
        );
        let sent = per_cent(100.0 * compared.duty);
        let about = sentence(
            "How many times as long communication takes as on a network that never \
             blocks, on average over job sizes, each doubling with the same weight. \
             “Mixed”: the other jobs send ",
        )
        .text(sent)
        .text(" of the time, which ranks; “all”: all jobs send at once. Routing ")
        .code(compared.routing)
        .text(
            "; jobs on consecutive ranks fill the machine. A job alone uses the links of \
             all others, which is not used for ranking. In the order of mean distance; \
             lower is better.",
        );
        let mut section = Section::new("slowdown", "Slowdown of communication", about, table);
        section.list = compared
            .guests
            .iter()
            .filter_map(|guest| self.guest_verdict(compared, guest))
            .collect();
        let mut series = Vec::new();
        for guest in &compared.guests {
            for (i, curve) in guest.curves.iter().enumerate() {
                series.push(SlowdownSeries {
                    ordering: &compared.orderings[i],
                    slot: slots[i],
                    guest: &guest.guest,
                    points: &curve.points,
                });
            }
        }
        // Guests that exist at no size have nothing to draw.
        if series.iter().any(|one| !one.points.is_empty()) {
            let title = format!("Slowdown on {}", comparison.topology.name);
            let note = format!(
                "routing {}; thick lines: the other jobs send {} of the time",
                compared.routing,
                per_cent(100.0 * compared.duty)
            );
            section.figures.push(Figure::from_drawing(
                "slowdown.svg",
                "Slowdown by job size.",
                plot::plot_slowdowns(&title, &note, &series)?,
            )?);
        }
        Ok(Some(section))
    }
}

/// Lists the means of all guests and orderings.
fn list_means(compared: &SlowdownComparison) -> Vec<GuestMeans<'_>> {
    let mut means = Vec::new();
    for guest in &compared.guests {
        for (ordering, curve) in compared.orderings.iter().zip(&guest.curves) {
            means.push(GuestMeans {
                guest: &guest.guest,
                ordering,
                alone: curve.log_uniform_mean(|point| point.alone),
                mixed: curve.log_uniform_mean(|point| point.mixed),
                all: curve.log_uniform_mean(|point| point.all),
            });
        }
    }
    means
}

/// Computes the share by which a figure is below another; `None` where that is 0.
fn find_gain(best: f64, base: f64) -> Option<f64> {
    (base > 0.0).then(|| 1.0 - best / base)
}

/// Names the traffic of a job in a sentence.
pub(super) fn guest_phrase(guest: &str) -> String {
    match guest {
        "all-to-all" => "an all-to-all".into(),
        "stencil3d" => "a halo exchange (stencil3d)".into(),
        "ring" => "a ring".into(),
        other => format!("the traffic {other}"),
    }
}

/// Says how much communication is slowed at a size: `4.6 times`.
fn times_text(loss: &OrderingLoss<'_>, ordering: usize, size: usize) -> String {
    let mixed = loss.guest.curves[ordering].mixed_at(size);
    let told = mixed.filter(|mixed| *mixed >= UNSLOWED);
    told.map_or_else(
        || "not at all".into(),
        |mixed| format!("{} times", format_fixed(mixed, 1)),
    )
}

/// Says in a sentence how much communication is slowed.
fn slowed_phrase(slowdown: f64) -> String {
    if slowdown < UNSLOWED {
        "not slowed".into()
    } else {
        format!("slowed {} times", format_fixed(slowdown, 2))
    }
}
