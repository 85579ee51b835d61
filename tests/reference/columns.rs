//! All output tables with their columns: the text of `docs/columns.md`.

use nodeorder_present::columns::audit::{BYTES, JobScore, LEVEL, LEVEL_SUMS, SUMS};
use nodeorder_present::columns::comparison::{
    BestStretch, Crossover, CurveLimits, CurvePoint, RankedEntry, ScoreRow, WorkloadRow,
    WorkloadSizeRow,
};
use nodeorder_present::columns::corun::{CorunFigures, FittedRow, JOB, LinkUse};
use nodeorder_present::columns::jobs::{JobRow, SIZE_COUNT};
use nodeorder_present::columns::machines::{MachineJobs, MachinePoint, RankedMachine};
use nodeorder_present::columns::mapping::{
    CONTENTION_BAR, DIFFERENCE, DILATION_BAR, EDGE, LinkLoad, MappingFigures, NAMED_PROCESS,
    PROCESS,
};
use nodeorder_present::columns::replay::{REFUSED, ReplayFigures, SizeFigures, T_TEST, TRAFFIC};
use nodeorder_present::columns::schedule::{SIZE_CLASS, ScheduleFigures, UnservedRow};
use nodeorder_present::columns::shape::{ROOM, ROOM_SUMS, SHAPE, SHAPE_SUMS, ScheduleMoment};
use nodeorder_present::columns::slowdown::{self, SlowdownRow};
use nodeorder_present::columns::sweep::CellRow;
use nodeorder_present::columns::throughput::{FOUND, MATCHED, ThroughputRow, WindowRow};
use nodeorder_present::columns::{Heading, headings, select_columns};

/// An output table: its heading, what a row is, and its columns in groups, each with what it appears with.
struct Table(
    &'static str,
    &'static str,
    Vec<(&'static str, Vec<Heading>)>,
);

/// Tables: heading, what a row is, its columns; further columns with a condition, always where that is empty.
macro_rules! tables {
    ($($heading:literal, $about:literal: $columns:expr $(, $condition:literal => $more:expr)*;)*) => {
        vec![$(Table($heading, $about, vec![("", headings($columns)), $(($condition, headings($more))),*])),*]
    };
}

/// Tables of `compare`, `mpc`, `score` and `audit`.
fn comparisons() -> Vec<Table> {
    tables! {
        "`compare`, `mpc`: `mpc.csv`", "A row for each ordering and job size.": CurvePoint::ALL;
        "`score`", "A row for each ordering, in the order given.": ScoreRow::ALL;
        "`compare`: `table.csv`", "A row for each ordering, best first.": RankedEntry::ALL;
        "`compare`: `stretches.csv`", "A row for each stretch of sizes.": BestStretch::ALL;
        "`compare`: `crossovers.csv`", "A row for each change of the lead.": Crossover::ALL;
        "`compare`: `limits.csv`", "A row for each job size.": CurveLimits::ALL;
        "`compare`: `workload.csv`", "A row for each ordering and allocator.": WorkloadRow::ALL,
            "`--guest`" => WorkloadRow::TRAFFIC;
        "`compare`: `workload-sizes.csv`", "A row for each ordering, allocator and job size of more than five jobs placed.":
            WorkloadSizeRow::ALL;
        "`compare`: `schedule.csv`", "A row for each ordering; the same figures are `schedules.rows` in `summary.json`, and what the trace \
         records of the same jobs is `schedules.recorded`.":
            &ScheduleFigures::comparison_columns();
        "`machines`: `machines.csv`", "A row for each machine, best first.": &RankedMachine::all_columns();
        "`machines`: `machine-curves.csv`", "A row for each machine and job size.": MachinePoint::ALL;
        "`machines`: `machine-jobs.csv`", "A row for each machine and allocator.": MachineJobs::ALL;
        "`machines`: `machine-queue.csv`", "A row for each machine.": &ScheduleFigures::machine_columns();
        "`audit`: jobs", "A row for each job scored.": JobScore::JOB,
            "`--order` or `--alloc`, as the first column" => JobScore::PLACEMENT,
            "a level each, leaf first" => LEVEL,
            "`--guest`, a level each, leaf first" => BYTES,
            "" => JobScore::LAST,
            "`--shape`" => &select_columns(SHAPE, &["ring_mean", "cut_best", "cut_ranks", "closed_rings"]);
        "`audit --json`: `placements`, with `by_size` and `over_time`; `sizes.csv`, `periods.csv`",
            "Figures of all jobs, of those of a size and of those of a time.": SUMS,
            "a level each, as `levels`" => LEVEL_SUMS;
    }
}

/// Tables of `replay` and `schedule`.
fn jobs() -> Vec<Table> {
    tables! {
        "`replay`: placements", "A row for each job placed.": JobRow::PLACED,
            "several orderings, as the first column" => JobRow::ORDERING,
            "" => JobRow::METRICS,
            "`--extent`" => JobRow::EXTENT,
            "`--shape`, a level each, leaf first" => LEVEL,
            "`--shape`" => SHAPE,
            "`--room`" => ROOM,
            "`--guest`" => JobRow::TRAFFIC,
            "`--ranks`" => JobRow::RANKS,
            "`--names`" => JobRow::HOSTS;
        "`replay --summary FILE.csv`", "A row for each replay and job size.": SizeFigures::REPLAY,
            "" => SizeFigures::ALL,
            "`--compute`" => SizeFigures::WEIGHTED;
        "`replay --totals`", "A row for each replay.": ReplayFigures::JSON,
            "" => ReplayFigures::ALL,
            "`--compute`" => ReplayFigures::WEIGHTED,
            "" => ReplayFigures::TOTALS;
        "`replay --json`: `replays`", "An object for each replay.": ReplayFigures::JSON,
            "" => ReplayFigures::ALL,
            "`--compute`" => ReplayFigures::WEIGHTED;
        "`replay --json`: `sizes`", "An object for each job size.": SizeFigures::ALL,
            "`--compute`" => SizeFigures::WEIGHTED,
            "" => SizeFigures::JSON;
        "`replay --json`: `refused_by_reason`", "An object for each reason.": REFUSED;
        "`replay --json`: `t_test`", "The paired test of a replay.": T_TEST;
        "`replay --json`, `schedule --json`: `traffic`", "With `--guest`.": TRAFFIC;
        "`schedule`: jobs", "A row for each job, in the order of starts.": JobRow::SCHEDULED,
            "" => JobRow::METRICS,
            "`--extent`" => JobRow::EXTENT,
            "`--shape`, a level each, leaf first" => LEVEL,
            "`--shape`" => SHAPE,
            "`--guest`" => JobRow::TRAFFIC,
            "`--ranks`" => JobRow::RANKS,
            "`--names`" => JobRow::HOSTS;
        "`schedule --timeline`", "A row for each time at which something happened, in order.": ScheduleMoment::ALL, "" => ROOM;
        "`replay --json`, `schedule --json`: `shape`", "With `--shape`.": SHAPE_SUMS;
        "`replay --json`, `schedule --json`: `room`", "With `--room` and with `--timeline`.": ROOM_SUMS;
        "`schedule --json`", "The figures of a schedule.": &ScheduleFigures::json_columns();
        "`schedule --json`: `by_size`", "An object for each class of sizes.": SIZE_CLASS;
        "`schedule --json`: `starved`", "An object for each job.": UnservedRow::STARVED;
        "`schedule --json`: `never`", "An object for each job.": UnservedRow::NEVER;
    }
}

/// Tables of `map`, `corun`, `topology`, `trace` and `sweep`.
fn others() -> Vec<Table> {
    tables! {
        "`map --json`", "The figures of a mapping.": MappingFigures::MORE, "" => MappingFigures::ALL;
        "`map --json` with `--routing ideal`, `adaptive` or `minimal-adaptive`", "Beside the figures of a mapping.": FOUND;
        "`throughput`", "A row for each traffic and routing; `throughput` in the JSON document.": ThroughputRow::ALL;
        "`slowdown`; `compare`: `slowdown.csv`", "A row for each ordering, guest and job size; `slowdowns` in the JSON document of `slowdown`.": SlowdownRow::ALL;
        "`throughput --sizes`: `throughput.csv`", "A row for each ordering and job size.": WindowRow::ALL;
        "`throughput --matching-out`", "A row for each node.": MATCHED;
        "`map --json`: `busiest_links`", "An object for each link.": LinkLoad::ALL, "" => LinkLoad::BUSIEST;
        "`map --json`: `contention_histogram`", "An object for each bar.": CONTENTION_BAR;
        "`map --json`: `dilation_histogram`", "An object for each bar.": DILATION_BAR;
        "`map --links`", "A row for each directed link.": LinkLoad::ALL;
        "`map --output`", "A row for each process.": PROCESS;
        "`map --output` with `--names`", "A row for each process.": NAMED_PROCESS;
        "`corun`", "A row for each job.": JOB;
        "`corun --json`", "The figures of all; `jobs` has an object for each.": CorunFigures::ALL;
        "`corun --fit`", "A row for each measurement.": FittedRow::ALL;
        "`corun --links`", "A row for each directed link.": LinkUse::ALL;
        "`topology --check`", "A row for each of the first differences.": DIFFERENCE;
        "`topology --edges`", "A row for each link of the router graph.": EDGE;
        "`trace info --sizes`", "A row for each job size.": SIZE_COUNT;
        "`sweep`: `results.csv`", "A row for each combination of a plan.": CellRow::FIRST,
            "the lists that the plan has" => CellRow::LISTS,
            "" => CellRow::GROUP,
            "rows of the group `mpc`" => RankedEntry::SWEEP,
            "rows of the group `replay`" => ReplayFigures::ALL,
            "rows of the group `schedule`" => &ScheduleFigures::sweep_columns(),
            "rows of the groups `replay` and `schedule`, `shape = true`" => SHAPE_SUMS,
            "rows of the groups `replay` and `schedule`, `room = true`" => ROOM_SUMS,
            "rows of the group `mapping`" => MappingFigures::ALL,
            "rows of the group `slowdown`" => slowdown::SWEEP,
            "" => CellRow::NOTE;
    }
}

/// Every output table as Markdown.
pub fn markdown() -> String {
    let mut text = String::from(
        "# Columns\n\nEvery table that the command writes, with its columns. A `.` in a name stands between a JSON \
         object and its key; in CSV it is `_`. A cell is empty (in JSON `null`) where a row has no such figure. \
         This file is generated; a test compares it with the program.\n",
    );
    for Table(heading, about, groups) in comparisons().into_iter().chain(jobs()).chain(others()) {
        text += &format!("\n## {heading}\n\n{about}\n\n");
        text += "| Column | Unit | Only with | Meaning |\n|---|---|---|---|\n";
        for (condition, headings) in groups {
            for Heading {
                name,
                unit,
                meaning,
            } in headings
            {
                text += &format!("| `{name}` | {unit} | {condition} | {meaning} |\n");
            }
        }
    }
    text
}
