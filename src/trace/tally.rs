//! Counts of the lines that a trace's reader left out or adjusted, by reason.

use std::collections::BTreeMap;

/// The reasons: meaning, name of the variant, short name, words, whether the line is left out.
macro_rules! reasons {
    ($($(#[$doc:meta])* $reason:ident $name:literal $about:literal $drops:literal,)*) => {
        /// Why a line of a trace did not become a job, or became one only by an assumption.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Reason {
            $($(#[$doc])* $reason,)*
        }

        /// Table of the reasons in the order of the variants; lines left out come first.
        const TABLE: &[(Reason, &str, &str, bool)] =
            &[$((Reason::$reason, $name, $about, $drops)),*];
    };
}

reasons! {
    /// Left out: of a partition that is not wanted.
    OtherPartition "other-partition" "of another partition" true,
    /// Left out: submit time unknown.
    NoSubmitTime "no-submit-time" "submit time unknown" true,
    /// Left out: run time zero or unknown.
    NoRunTime "no-run-time" "run time zero or unknown" true,
    /// Left out: no processors, neither requested nor allocated.
    NoProcessors "no-processors" "processors zero or unknown" true,
    /// Left out: more processors than the machine has.
    LargerThanMachine "larger-than-machine" "larger than the machine" true,
    /// Left out: a part of a job that has a line as a whole.
    PartOfJob "part-of-job" "part of a job that is there as a whole" true,
    /// Left out: a step of a job.
    Step "step" "step of a job" true,
    /// Left out: it waits, or was cancelled before it started.
    NotStarted "not-started" "not started" true,
    /// Left out: it had not ended when the records were taken.
    StillRunning "still-running" "still running" true,
    /// Left out: its end is before its start, as when a clock is set back.
    EndsBeforeStart "ends-before-start" "ended before it started" true,
    /// Left out: the same row came before.
    SameAgain "same-again" "the same row again" true,
    /// Left out: a row of a job whose other rows were read too long ago.
    RowTooFar "row-too-far" "row of a job too far from its other rows, sort the file by job" true,
    /// Left out: a job of several rows with counts that are neither 1, nor the rows, nor those of its list.
    UnclearRows "unclear-rows" "of several rows whose node counts do not say how many nodes it had" true,
    /// Left out: how long it runs depends on the machine that is simulated.
    OtherProfile "other-profile" "profile that says no run time (delays and sequences of delays do)" true,
    /// Left out: separators or line breaks in a text leave open which of its fields are which.
    UnclearFields "unclear-fields" "with separators or line breaks in its texts that leave its fields open" true,
    /// Left out: a line that ends before its last field.
    TornLine "torn-line" "line cut off before its last field" true,
    /// Left out: a line of a type that is not known.
    UnknownLine "unknown-line" "line of an unknown type" true,
    /// Left out where placements are wanted: its nodes are not listed.
    NoNodeList "no-node-list" "nodes not listed" true,
    /// Left out where placements are wanted: the node count is not that of the list, so one of the two is wrong.
    CountNotList "count-not-list" "with a node count other than its list has" true,
    /// Kept: it ran longer than requested; the run time is cut at the request.
    RunTimeCut "run-time-cut" "run time cut at the requested time" false,
    /// Kept: processors requested unknown; those allocated stand for them.
    AllocatedForRequested "allocated-for-requested" "processors requested unknown, those allocated taken" false,
    /// Kept: time requested unknown; the run time stands for it.
    RunForRequestedTime "run-for-requested-time" "time requested unknown, run time taken" false,
    /// Kept: wait time unknown; the start is taken to be the submit.
    NoWaitTime "no-wait-time" "start unknown, taken to be the submit" false,
    /// Kept: a time with a fraction of a second, rounded.
    FractionRounded "fraction-rounded" "fraction of a second rounded" false,
    /// Kept: it started before it was submitted; the start is taken to be the submit.
    StartBeforeSubmit "start-before-submit" "started before it was submitted, submit moved to the start" false,
    /// Kept: a count with a unit such as 1.5K, which is rounded.
    CountRounded "count-rounded" "count with a unit, which is rounded" false,
    /// Kept: its list has other nodes than it is said to have; where lists are not needed, the count is taken.
    CountTaken "count-taken" "with a node count other than its list has, the count taken" false,
    /// Kept: a row joined with the first of its job, of which tables of workers have several.
    RowsJoined "rows-joined" "row joined with the first of its job" false,
    /// Kept: times taken for milliseconds, as seconds they would be those of a year after 5000.
    Milliseconds "milliseconds" "with times of 1e11 and more, read as milliseconds (unit=s in --columns for seconds)" false,
    /// Kept: a limit read in minutes, though tables of the same columns differ in its unit.
    LimitInMinutes "limit-in-minutes" "time limit read as minutes (--columns adastra for seconds)" false,
    /// Kept: it gave nodes back before its end; the nodes since then are a run of their own.
    Phase "phase" "nodes given back early, the job a run for each phase" false,
    /// Kept: nodes given back early at a time that no line tells, counted to the end of the job.
    GivenBack "given-back" "nodes given back early at an unknown time, counted to the end of the job" false,
    /// Kept: segments, which only placement logs say of a job.
    Segment "segment" "with segments, which `trace convert --to log` writes (schedules: --rules)" false,
    /// Kept: field 21 says how many nodes it had.
    NodesOfField21 "nodes-of-field-21" "node count read from field 21, partition:mode:NODESxCPUS" false,
    /// Kept: field 21 and the processors requested or allocated disagree.
    OtherProcessors "other-processors" "processors (field 8, or 5) other than NODES times CPUS of field 21" false,
    /// Kept: local times over an hour at which the clock may have been set.
    ClockStep "clock-step" "over an hour in which summer time may begin or end, run time by the clock (the column ElapsedRaw of sacct tells it)" false,
    /// Kept: its state is none of Slurm's; whether it ended is told by its end.
    UnknownState "unknown-state" "of an unknown state, taken as ended where it has an end" false,
    /// Kept: no job number of its own; it got one.
    NumberedAnew "numbered-anew" "without a job number of its own, numbered anew" false,
    /// Kept: a line dated well before the one above.
    ClockBack "clock-back" "dated more than a day before a line above it" false,
    /// Kept: a row of a job that ran on when it was read before.
    AgainLater "again-later" "of a job that was read before as still running, both kept" false,
    /// Kept: fields behind the 18 of the format, which are not read.
    MoreFields "more-fields" "with more than 18 fields, the others not read" false,
    /// Kept: its profile says what it is expected to take, not what it takes.
    ExpectedRunTime "expected-run-time" "run time read from expected_execution_time" false,
    /// Kept: submitted before the job on the line above; sorted by submit time where order matters.
    Unsorted "unsorted" "submitted before the job above" false,
}

impl Reason {
    /// Lists all reasons, those that leave a line out first.
    pub fn all_reasons() -> impl Iterator<Item = Reason> {
        TABLE.iter().map(|(reason, ..)| *reason)
    }

    /// Names the reason in short, for tables and JSON.
    pub fn name(self) -> &'static str {
        TABLE[self as usize].1
    }

    /// Describes the reason in words.
    pub fn description(self) -> &'static str {
        TABLE[self as usize].2
    }

    /// Checks whether the line is left out; otherwise it is kept with the assumption named.
    pub fn drops_line(self) -> bool {
        TABLE[self as usize].3
    }
}

/// Counts by [`Reason`]. A line left out counts under one reason, the first in the order of [`Reason::all_reasons`]
/// that applies (parts of jobs last); a line kept may count under several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    /// Lines with a job on them.
    pub lines: u64,
    counts: [u64; TABLE.len()],
    /// File (from 0) and line (from 1; 0 for none) of the row being read, and of the first row of each reason.
    at: (u32, usize),
    first: [(u32, usize); TABLE.len()],
    /// Names of the files, where there are several.
    pub(super) files: Vec<String>,
}

impl Default for Tally {
    fn default() -> Self {
        Tally {
            lines: 0,
            counts: [0; TABLE.len()],
            at: (0, 0),
            first: [(0, 0); TABLE.len()],
            files: Vec::new(),
        }
    }
}

impl Tally {
    /// Says which row is being read: its file, from 0, and its line.
    pub(super) fn set_row(&mut self, file: u32, line: usize) {
        self.at = (file, line);
    }

    pub(super) fn add_count(&mut self, reason: Reason, count: usize) {
        let slot = reason as usize;
        if self.counts[slot] == 0 && count > 0 {
            self.first[slot] = self.at;
        }
        self.counts[slot] += count as u64;
    }

    /// Tells where the first line of a reason stands: `line 7`, or `FILE:7` where several files were read. `None`
    /// if it has no line, as in JSON.
    pub fn first_line(&self, reason: Reason) -> Option<String> {
        let (file, line) = self.first[reason as usize];
        let name = self.files.get(file as usize);
        (line > 0).then(|| name.map_or(format!("line {line}"), |name| format!("{name}:{line}")))
    }

    /// Counts a line that is left out.
    pub(super) fn leave_out(&mut self, reason: Reason) {
        self.lines += 1;
        self.add_count(reason, 1);
    }

    /// Counts the lines of a reason.
    pub fn count_lines(&self, reason: Reason) -> u64 {
        self.counts[reason as usize]
    }

    /// Counts lines that were left out (`drops`) or adjusted, by the reason's name.
    pub fn by_name(&self, drops: bool) -> BTreeMap<&'static str, u64> {
        let counts = self
            .iter()
            .filter(|(reason, _)| reason.drops_line() == drops);
        counts
            .map(|(reason, count)| (reason.name(), count))
            .collect()
    }

    /// Counts the lines that were left out in all.
    pub fn dropped_lines(&self) -> u64 {
        self.by_name(true).values().sum()
    }

    /// Iterates over the reasons that occurred, with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (Reason, u64)> + '_ {
        Reason::all_reasons()
            .map(|r| (r, self.count_lines(r)))
            .filter(|(_, count)| *count > 0)
    }

    /// Describes each reason that occurred: `left out 3: submit time unknown; the first: line 7`.
    pub fn describe_reasons(&self) -> impl Iterator<Item = String> + '_ {
        self.iter().map(|(reason, count)| {
            let what = if reason.drops_line() {
                "left out"
            } else {
                "adjusted"
            };
            // A line that is lost may need mending by hand; adjusted ones are often most of the file.
            let first = self.first_line(reason).filter(|_| reason.drops_line());
            let first = first.map_or(String::new(), |first| format!("; the first: {first}"));
            format!("{what} {count}: {}{first}", reason.description())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_stand_in_the_order_of_the_variants() {
        for (i, reason) in Reason::all_reasons().enumerate() {
            assert_eq!(reason as usize, i);
        }
        let mut tally = Tally::default();
        tally.add_count(Reason::PartOfJob, 2);
        tally.add_count(Reason::RunTimeCut, 3);
        assert_eq!(tally.dropped_lines(), 2);
        assert_eq!(
            tally.iter().collect::<Vec<_>>(),
            [(Reason::PartOfJob, 2), (Reason::RunTimeCut, 3)]
        );
    }
}
