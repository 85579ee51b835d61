//! All output tables with their columns: the text of `docs/columns.md`.

use super::audit::{JobScore, LEVEL, LEVEL_SUMS, SUMS};
use super::comparison::{Crossover, Winner};
use super::comparison::{CurvePoint, Limits, RankedEntry, ScoreRow, WorkloadRow, WorkloadSizeRow};
use super::corun::{CorunFigures, JOB, LinkUse};
use super::jobs::{JobRow, SIZE_COUNT};
use super::machines::{MachineJobs, MachinePoint, RankedMachine};
use super::mapping::{
    CONTENTION_BAR, DILATION_BAR, EDGE, LinkLoad, MappingFigures, NAMED_PROCESS, PROCESS,
};
use super::replay::{REFUSED, ReplayFigures, SizeFigures, T_TEST, TRAFFIC};
use super::schedule::{Neglected, SIZE_CLASS, ScheduleFigures};
use super::shape::{Moment, ROOM, ROOM_SUMS, SHAPE, SHAPE_SUMS};
use super::sweep::CellRow;
use super::{Column, Heading, headings};

/// An output table: its heading, what a row is, and its columns in groups, each with what it appears with.
struct Table(&'static str, &'static str, Vec<(&'static str, Vec<Heading>)>);

impl Table {
    /// Adds columns that appear under a condition; always where that is empty.
    fn with<R>(mut self, condition: &'static str, columns: &[Column<R>]) -> Self {
        self.2.push((condition, headings(columns)));
        self
    }
}

fn table<R>(heading: &'static str, about: &'static str, columns: &[Column<R>]) -> Table {
    Table(heading, about, Vec::new()).with("", columns)
}

fn tables() -> Vec<Table> {
    vec![
        table(
            "`compare`, `mpc`: `mpc.csv`",
            "A row for each ordering and job size.",
            CurvePoint::ALL,
        ),
        table("`score`", "A row for each ordering, in the order given.", ScoreRow::ALL),
        table("`compare`: `table.csv`", "A row for each ordering, best first.", RankedEntry::ALL),
        table("`compare`: `stretches.csv`", "A row for each stretch of sizes.", Winner::ALL),
        table("`compare`: `crossovers.csv`", "A row for each change of the lead.", Crossover::ALL),
        table::<Limits>("`compare`: `limits.csv`", "A row for each job size.", Limits::ALL),
        table(
            "`compare`: `workload.csv`",
            "A row for each ordering and allocator.",
            WorkloadRow::ALL,
        )
        .with("`--guest`", WorkloadRow::TRAFFIC),
        table(
            "`compare`: `workload-sizes.csv`",
            "A row for each ordering, allocator and job size of more than five jobs placed.",
            WorkloadSizeRow::ALL,
        ),
        table(
            "`compare`: `schedule.csv`",
            "A row for each ordering; the same figures are `schedules.rows` in `summary.json`.",
            &ScheduleFigures::compared(),
        ),
        table(
            "`compare` of several machines: `machines.csv`",
            "A row for each machine, best first.",
            RankedMachine::ALL,
        ),
        table(
            "`compare` of several machines: `machine-curves.csv`",
            "A row for each machine and job size.",
            MachinePoint::ALL,
        ),
        table(
            "`compare` of several machines: `machine-jobs.csv`",
            "A row for each machine and allocator.",
            MachineJobs::ALL,
        ),
        table(
            "`compare` of several machines: `machine-queue.csv`",
            "A row for each machine.",
            &ScheduleFigures::machines(),
        ),
        table("`audit`: jobs", "A row for each job scored.", JobScore::JOB)
            .with("`--order` or `--alloc`, as the first column", JobScore::PLACEMENT)
            .with("a level each, leaf first", LEVEL)
            .with("", JobScore::LAST)
            .with("`--shape`", &super::named(SHAPE, &["ring_mean", "cut_best", "cut_ranks", "closed_rings"])),
        table(
            "`audit --json`: `placements`, with `by_size` and `over_time`; `sizes.csv`, `periods.csv`",
            "Figures of all jobs, of those of a size and of those of a time.",
            SUMS,
        )
        .with("a level each, as `levels`", LEVEL_SUMS),
        table("`replay`: placements", "A row for each job placed.", JobRow::PLACED)
            .with("several orderings, as the first column", JobRow::ORDERING)
            .with("", JobRow::METRICS)
            .with("`--extent`", JobRow::EXTENT)
            .with("`--shape`, a level each, leaf first", LEVEL)
            .with("`--shape`", SHAPE)
            .with("`--room`", ROOM)
            .with("`--guest`", JobRow::TRAFFIC)
            .with("`--ranks`", JobRow::RANKS)
            .with("`--names`", JobRow::HOSTS),
        table(
            "`replay --summary FILE.csv`",
            "A row for each replay and job size.",
            SizeFigures::REPLAY,
        )
        .with("", SizeFigures::ALL)
        .with("`--compute`", SizeFigures::WEIGHTED),
        table("`replay --totals`", "A row for each replay.", ReplayFigures::JSON)
            .with("", ReplayFigures::ALL)
            .with("`--compute`", ReplayFigures::WEIGHTED)
            .with("", ReplayFigures::TOTALS),
        table("`replay --json`: `replays`", "An object for each replay.", ReplayFigures::JSON)
            .with("", ReplayFigures::ALL)
            .with("`--compute`", ReplayFigures::WEIGHTED),
        table("`replay --json`: `sizes`", "An object for each job size.", SizeFigures::ALL)
            .with("`--compute`", SizeFigures::WEIGHTED)
            .with("", SizeFigures::JSON),
        table("`replay --json`: `refused_by_reason`", "An object for each reason.", REFUSED),
        table("`replay --json`: `t_test`", "The paired test of a replay.", T_TEST),
        table("`replay --json`, `schedule --json`: `traffic`", "With `--guest`.", TRAFFIC),
        table("`schedule`: jobs", "A row for each job, in the order of starts.", JobRow::SCHEDULED)
            .with("", JobRow::METRICS)
            .with("`--extent`", JobRow::EXTENT)
            .with("`--shape`, a level each, leaf first", LEVEL)
            .with("`--shape`", SHAPE)
            .with("`--guest`", JobRow::TRAFFIC)
            .with("`--ranks`", JobRow::RANKS)
            .with("`--names`", JobRow::HOSTS),
        table(
            "`schedule --timeline`",
            "A row for each time at which something happened, in order.",
            Moment::ALL,
        )
        .with("", ROOM),
        table("`replay --json`, `schedule --json`: `shape`", "With `--shape`.", SHAPE_SUMS),
        table(
            "`replay --json`, `schedule --json`: `room`",
            "With `--room` and with `--timeline`.",
            ROOM_SUMS,
        ),
        table("`schedule --json`", "The figures of a schedule.", &ScheduleFigures::json()),
        table("`schedule --json`: `by_size`", "An object for each class of sizes.", SIZE_CLASS),
        table("`schedule --json`: `starved`", "An object for each job.", Neglected::STARVED),
        table("`schedule --json`: `never`", "An object for each job.", Neglected::NEVER),
        table("`map --json`", "The figures of a mapping.", MappingFigures::MORE)
            .with("", MappingFigures::ALL),
        table("`map --json`: `busiest_links`", "An object for each link.", LinkLoad::ALL)
            .with("", LinkLoad::BUSIEST),
        table("`map --json`: `contention_histogram`", "An object for each bar.", CONTENTION_BAR),
        table("`map --json`: `dilation_histogram`", "An object for each bar.", DILATION_BAR),
        table("`map --links`", "A row for each directed link.", LinkLoad::ALL),
        table("`map --output`", "A row for each process.", PROCESS),
        table("`map --output` with `--names`", "A row for each process.", NAMED_PROCESS),
        table("`corun`", "A row for each job.", JOB),
        table(
            "`corun --json`",
            "The figures of all; `jobs` has an object for each.",
            CorunFigures::ALL,
        ),
        table("`corun --links`", "A row for each directed link.", LinkUse::ALL),
        table("`topology --edges`", "A row for each link of the router graph.", EDGE),
        table("`trace info --sizes`", "A row for each job size.", SIZE_COUNT),
        table("`sweep`: `results.csv`", "A row for each combination of a plan.", CellRow::FIRST)
            .with("the lists that the plan has", CellRow::LISTS)
            .with("", CellRow::GROUP)
            .with("rows of the group `mpc`", RankedEntry::SWEEP)
            .with("rows of the group `replay`", ReplayFigures::ALL)
            .with("rows of the group `schedule`", &ScheduleFigures::sweep())
            .with("rows of the groups `replay` and `schedule`, `shape = true`", SHAPE_SUMS)
            .with("rows of the groups `replay` and `schedule`, `room = true`", ROOM_SUMS)
            .with("rows of the group `mapping`", MappingFigures::ALL)
            .with("", CellRow::NOTE),
    ]
}

/// Every output table as Markdown.
pub fn markdown() -> String {
    let mut text = String::from(
        "# Columns\n\nEvery table that the command writes, with its columns. A `.` in a name stands between a JSON \
         object and its key; in CSV it is `_`. A cell is empty (in JSON `null`) where a row has no such figure. \
         This file is generated; a test compares it with the program.\n",
    );
    for Table(heading, about, groups) in tables() {
        text += &format!("\n## {heading}\n\n{about}\n\n");
        text += "| Column | Unit | Only with | Meaning |\n|---|---|---|---|\n";
        for (condition, headings) in groups {
            for Heading { name, unit, meaning } in headings {
                text += &format!("| `{name}` | {unit} | {condition} | {meaning} |\n");
            }
        }
    }
    text
}
