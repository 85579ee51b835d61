//! The groups of rows of a sweep: how each is parted into sections, and what these show.

use super::super::html::{Words, bold, fixed, words};
use super::super::terms::{self, Term};
use super::super::words::file_name;

/// The name of an axis of distances.
const DISTANCE: &str = "mean distance within a job (hops)";
/// A group of rows and how its sections are made.
pub(super) struct Group {
    /// The value of the column `group`.
    pub name: &'static str,
    /// The columns that part it into sections.
    pub keys: &'static [&'static str],
    /// The title of a section, from their values.
    pub title: fn(&[String]) -> String,
    /// The column whose values are choices beside the ordering.
    pub by: &'static str,
    /// Whether only the first choice ranks the orderings.
    pub first_ranks: bool,
    /// The table's label.
    pub label: &'static str,
    /// The column of each figure, its name in the table (`{}` is the choice), and its name on an axis.
    pub columns: &'static [(&'static str, &'static str, &'static str)],
    /// The words that a section needs.
    pub terms: &'static [Term],
    /// The best ordering in a sentence, under a title.
    pub verdict: fn(&str, Lowest<'_>) -> Words,
}

/// The lowest value of the first figure, its ordering and its choice.
pub(super) type Lowest<'f> = (f64, &'f str, &'f str);

pub(super) static GROUPS: [Group; 4] = [
    Group {
        name: "replay",
        keys: &["topology", "log", "trace", "procs_per_node"],
        title: |t| {
            let workload: Vec<&str> = t[1..3]
                .iter()
                .map(|t| file_name(t))
                .filter(|t| !t.is_empty())
                .collect();
            format!(
                "{} under {}{}",
                file_name(&t[0]),
                workload.join(" "),
                processors(&t[3])
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
        verdict: closest,
    },
    Group {
        name: "schedule",
        keys: &["topology", "trace", "procs_per_node", "policy", "model"],
        title: |t| {
            let (trace, machine) = (file_name(&t[1]), file_name(&t[0]));
            let model = if t[4].is_empty() {
                String::new()
            } else {
                format!(", {}", t[4])
            };
            format!("{trace} on {machine}{}, {}{model}", processors(&t[2]), t[3])
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
        verdict: closest,
    },
    Group {
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
            let contention = format!(", contention {} under {routing}.", fixed(contention, 3));
            words![format!("{title}: "), bold(ordering), contention]
        },
    },
    Group {
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
            words![
                format!("{title}: "),
                bold(ordering),
                format!(", MPC {} hops.", fixed(mpc, 3))
            ]
        },
    },
];

/// The part of a title about processors of a node.
fn processors(number: &str) -> String {
    match number {
        "" | "1" => String::new(),
        n => format!(", {n} processors per node"),
    }
}

/// The sentence about the ordering and allocator with the lowest mean distance.
fn closest(title: &str, (mind, ordering, allocator): Lowest<'_>) -> Words {
    let distance = format!(", {} hops between the nodes of a job.", fixed(mind, 3));
    words![
        format!("{title}: "),
        bold(ordering),
        " with ",
        bold(allocator),
        distance
    ]
}
