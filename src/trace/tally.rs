//! What a trace's reader left out or mended, counted by reason.

/// Why a line of a trace did not become a job, or became one only by an assumption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Left out: of a partition that is not wanted.
    OtherPartition,
    /// Left out: submit time unknown.
    NoSubmitTime,
    /// Left out: run time zero or unknown.
    NoRunTime,
    /// Left out: no processors, neither requested nor allocated.
    NoProcessors,
    /// Left out: more processors than the machine has.
    LargerThanMachine,
    /// Left out: a part of a job that has a line as a whole.
    PartOfJob,
    /// Kept: it ran longer than requested; the run time is cut at the request.
    RunTimeCut,
    /// Kept: processors requested unknown; those allocated stand for them.
    AllocatedForRequested,
    /// Kept: time requested unknown; the run time stands for it.
    RunForRequestedTime,
    /// Kept: wait time unknown; the start is taken to be the submit.
    NoWaitTime,
    /// Kept: a time with a fraction of a second, rounded.
    FractionRounded,
    /// Kept: submitted before the job on the line above; sorted by submit time where order matters.
    Unsorted,
}

use Reason::{
    AllocatedForRequested, FractionRounded, LargerThanMachine, NoProcessors, NoRunTime,
    NoSubmitTime, NoWaitTime, OtherPartition, PartOfJob, RunForRequestedTime, RunTimeCut, Unsorted,
};

impl Reason {
    /// All of them, those that leave a line out first.
    pub const ALL: [Reason; 12] = [
        OtherPartition,
        NoSubmitTime,
        NoRunTime,
        NoProcessors,
        LargerThanMachine,
        PartOfJob,
        RunTimeCut,
        AllocatedForRequested,
        RunForRequestedTime,
        NoWaitTime,
        FractionRounded,
        Unsorted,
    ];

    /// A short name for tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            OtherPartition => "other-partition",
            NoSubmitTime => "no-submit-time",
            NoRunTime => "no-run-time",
            NoProcessors => "no-processors",
            LargerThanMachine => "larger-than-machine",
            PartOfJob => "part-of-job",
            RunTimeCut => "run-time-cut",
            AllocatedForRequested => "allocated-for-requested",
            RunForRequestedTime => "run-for-requested-time",
            NoWaitTime => "no-wait-time",
            FractionRounded => "fraction-rounded",
            Unsorted => "unsorted",
        }
    }

    /// The reason in words.
    pub fn about(self) -> &'static str {
        match self {
            OtherPartition => "of another partition",
            NoSubmitTime => "submit time unknown",
            NoRunTime => "run time zero or unknown",
            NoProcessors => "processors zero or unknown",
            LargerThanMachine => "larger than the machine",
            PartOfJob => "part of a job that is there as a whole",
            RunTimeCut => "run time cut at the requested time",
            AllocatedForRequested => "processors requested unknown, those allocated taken",
            RunForRequestedTime => "time requested unknown, run time taken",
            NoWaitTime => "wait time unknown, started at submit",
            FractionRounded => "fraction of a second rounded",
            Unsorted => "submitted before the job above",
        }
    }

    /// Whether the line is left out; otherwise it is kept with the assumption named.
    pub fn drops(self) -> bool {
        matches!(
            self,
            OtherPartition
                | NoSubmitTime
                | NoRunTime
                | NoProcessors
                | LargerThanMachine
                | PartOfJob
        )
    }
}

/// Counts by [`Reason`]. A line left out counts under one reason, the first in the order of [`Reason::ALL`]
/// that applies (parts of jobs last); a line kept may count under several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Lines with a job on them.
    pub lines: u64,
    counts: [u64; Reason::ALL.len()],
}

impl Tally {
    pub(super) fn add(&mut self, reason: Reason, count: usize) {
        self.counts[reason as usize] += count as u64;
    }

    /// How many lines.
    pub fn count(&self, reason: Reason) -> u64 {
        self.counts[reason as usize]
    }

    /// How many lines were left out in all.
    pub fn dropped(&self) -> u64 {
        Reason::ALL.into_iter().filter(|r| r.drops()).map(|r| self.count(r)).sum()
    }

    /// The reasons that occurred, with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (Reason, u64)> + '_ {
        Reason::ALL.into_iter().map(|r| (r, self.count(r))).filter(|(_, count)| *count > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_stand_at_their_own_place() {
        for (i, reason) in Reason::ALL.into_iter().enumerate() {
            assert_eq!(reason as usize, i);
        }
        let mut tally = Tally::default();
        tally.add(PartOfJob, 2);
        tally.add(RunTimeCut, 3);
        assert_eq!(tally.dropped(), 2);
        assert_eq!(tally.iter().collect::<Vec<_>>(), [(PartOfJob, 2), (RunTimeCut, 3)]);
    }
}
