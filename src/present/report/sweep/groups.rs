//! The groups of rows of a sweep: how each is parted into sections, and what these show.

use crate::plot::format_fixed;
use crate::report::sentences::{RichText, file_name, sentence};
use crate::report::terms::{self, Term};

/// Name of an axis of distances.
const DISTANCE: &str = "mean distance within a job (hops)";

/// A group of rows, and how its sections are made.
pub struct RowGroup {
    /// Value of the column `group`.
    pub name: &'static str,
    /// Columns whose values part the group into sections.
    pub keys: &'static [&'static str],
    /// Function that makes the title of a section from their values.
    pub title: fn(&[String]) -> String,
    /// Column whose values are choices beside the ordering.
    pub by: &'static str,
    /// Whether orderings are ranked by their figures under the first choice alone.
    pub first_ranks: bool,
    /// Label of the table.
    pub label: &'static str,
    /// Column of each figure, its name in the table (`{}` is the choice), and its name on an axis.
    pub columns: &'static [(&'static str, &'static str, &'static str)],
    /// Terms that a section uses.
    pub terms: &'static [Term],
    /// Function that says which ordering is the best, under a title.
    pub verdict: fn(&str, LowestValue<'_>) -> RichText,
}

/// The lowest value of the first figure, its ordering and its choice.
pub type LowestValue<'f> = (f64, &'f str, &'f str);

/// Groups of rows, in the order of the page.
pub static GROUPS: [RowGroup; 5] = [
    RowGroup {
        name: "replay",
        keys: &["topology", "log", "trace", "procs_per_node"],
        title: |t| {
            // A replay is of a log or of a trace: the other one is empty.
            let workload: Vec<&str> = t[1..3]
                .iter()
                .map(|t| file_name(t))
                .filter(|t| !t.is_empty())
                .collect();
            format!(
                "{} under {}{}",
                file_name(&t[0]),
                workload.join(" "),
                processor_phrase(&t[3])
            )
        },
        by: "allocator",
        first_ranks: false,
        label: "Mean distance by ordering and allocator",
        columns: &[("mean_mind", "{}", DISTANCE)],
        terms: &[
            terms::DISTANCES[0],
            terms::DISTANCES[1],
            terms::ALLOCATOR,
            terms::MIND,
        ],
        verdict: closest_sentence,
    },
    RowGroup {
        name: "schedule",
        keys: &["topology", "trace", "procs_per_node", "policy", "model"],
        title: |t| {
            let model = if t[4].is_empty() {
                String::new()
            } else {
                format!(", {}", t[4])
            };
            format!(
                "{} on {}{}, {}{model}",
                file_name(&t[1]),
                file_name(&t[0]),
                processor_phrase(&t[2]),
                t[3]
            )
        },
        by: "allocator",
        first_ranks: false,
        label: "Schedules by ordering and allocator",
        columns: &[
            ("schedule_mean_mind", "Mean distance, {} (hops)", DISTANCE),
            ("mean_wait", "Mean wait, {} (s)", "mean wait (s)"),
        ],
        terms: &[
            terms::DISTANCES[0],
            terms::DISTANCES[1],
            terms::ALLOCATOR,
            terms::MIND,
            terms::QUEUE[0],
            terms::QUEUE[2],
        ],
        verdict: closest_sentence,
    },
    RowGroup {
        name: "mapping",
        keys: &["topology", "guest"],
        title: |t| format!("{} on {}", file_name(&t[1]), file_name(&t[0])),
        by: "routing",
        first_ranks: true,
        label: "Mappings by ordering and routing",
        columns: &[
            ("contention_max", "Contention, {}", "contention"),
            (
                "dilation_mean",
                "Mean dilation, {} (hops)",
                "mean dilation (hops)",
            ),
        ],
        terms: &[
            terms::DISTANCES[0],
            terms::GUEST,
            terms::CONTENTION,
            terms::DILATION,
        ],
        verdict: |title, (contention, ordering, routing)| {
            begin_verdict(title, ordering).text(format!(
                ", contention {} under {routing}.",
                format_fixed(contention, 3)
            ))
        },
    },
    RowGroup {
        name: "slowdown",
        keys: &["topology", "guest", "duty", "tilings"],
        title: |t| {
            format!(
                "{} on {}, others send {} of the time, tilings {}",
                t[1],
                file_name(&t[0]),
                t[2],
                t[3]
            )
        },
        by: "routing",
        first_ranks: true,
        label: "Slowdowns by ordering and routing",
        columns: &[
            ("slowdown_mixed", "Slowdown, {}", "slowdown"),
            (
                "slowdown_all",
                "All jobs at once, {}",
                "slowdown, all jobs at once",
            ),
        ],
        terms: &[terms::DISTANCES[0], terms::GUEST, terms::SLOWDOWN],
        verdict: |title, (slowdown, ordering, routing)| {
            begin_verdict(title, ordering).text(format!(
                ", {} times as long as without blocking under {routing}.",
                format_fixed(slowdown, 3)
            ))
        },
    },
    RowGroup {
        name: "mpc",
        keys: &["topology"],
        title: |t| file_name(&t[0]).to_string(),
        by: "topology",
        first_ranks: false,
        label: "MPC by ordering",
        columns: &[
            (
                "mpc_mean_log",
                "Log-uniform mean of MPC (hops)",
                "log-uniform mean of MPC (hops)",
            ),
            ("mpc_mean", "Plain mean (hops)", "plain mean of MPC (hops)"),
            ("mean_step", "Mean step (hops)", "mean step (hops)"),
        ],
        terms: &[
            terms::DISTANCES[0],
            terms::DISTANCES[1],
            terms::MPC,
            terms::LOG_UNIFORM,
            terms::STEP,
        ],
        verdict: |title, (mpc, ordering, _)| {
            begin_verdict(title, ordering).text(format!(", MPC {} hops.", format_fixed(mpc, 3)))
        },
    },
];

/// Says in a title how many processors a node has; nothing for one.
fn processor_phrase(number: &str) -> String {
    match number {
        "" | "1" => String::new(),
        n => format!(", {n} processors per node"),
    }
}

/// Begins the sentence about the best ordering under a title.
fn begin_verdict(title: &str, ordering: &str) -> RichText {
    sentence(format!("{title}: ")).bold(ordering)
}

/// Says which ordering and allocator have the lowest mean distance.
fn closest_sentence(title: &str, (mind, ordering, allocator): LowestValue<'_>) -> RichText {
    begin_verdict(title, ordering)
        .text(" with ")
        .bold(allocator)
        .text(format!(
            ", {} hops between the nodes of a job.",
            format_fixed(mind, 3)
        ))
}
