//! From records to a trace.

use std::collections::{BTreeMap, BTreeSet};

use super::rows::count_names;
use super::{Record, Records};
use crate::header::Header;
use crate::swf::{Job, Options, Trace};
use crate::tally::Reason;
use nodeorder_base::{Error, Lines, Result};

/// Bytes that a job takes while it is read: lists grow by doubling, and jobs are copied once.
const JOB_BYTES: u64 = 3 * size_of::<Job>() as u64 + 32;

/// Numbers from here on are not kept as job numbers: new ones above them might not fit an SWF trace.
const MOST_ID: i64 = 100_000_000_000_000;

/// Checks whether a time is before 1970, where no trace of calendar times begins.
fn before_1970(time: i64) -> bool {
    time < 0
}

/// Numbers by name, in the order in which names came.
#[derive(Default)]
struct NameNumbers(BTreeMap<String, i32>);

impl NameNumbers {
    /// Looks up the number of a name, from 1; -1 for none.
    fn number_of_name(&mut self, name: &str) -> i32 {
        match self.0.get(name) {
            Some(number) => *number,
            None if name.is_empty() => -1,
            None => {
                let number = self.0.len() as i32 + 1;
                self.0.insert(name.to_string(), number);
                number
            }
        }
    }

    fn header_lines(&self, label: &str) -> String {
        let mut names: Vec<_> = self.0.iter().map(|(name, number)| (number, name)).collect();
        names.sort_unstable();
        names
            .iter()
            .map(|(number, name)| format!("; {label}: {number} {name}\n"))
            .collect()
    }
}

impl Records {
    /// Reads the records as a trace: a processor is a node, and partitions and users have numbers, which the
    /// header lists. Jobs without a number of their own, and those of a number that came before (lives of a job
    /// that was requeued), are numbered anew.
    ///
    /// # Errors
    /// A record that is wrong, with file and line; no jobs at all; more jobs than the memory holds.
    ///
    /// # Complexity
    /// O(length of the file + jobs · log jobs) time; at most 500 bytes a job while they are read.
    pub fn read_trace(mut self, options: &Options) -> Result<Trace> {
        let mut jobs = Vec::<Job>::new();
        let mut record = Record::default();
        let mut partitions = NameNumbers::default();
        let mut users = NameNumbers::default();
        while self.read_next(&mut record)? {
            let partition = partitions.number_of_name(&record.partition);
            let wanted = options.partitions.is_empty() || options.partitions.contains(&partition);
            let fault = if wanted {
                reason_to_skip(&record, options)
            } else {
                Some(Reason::OtherPartition)
            };
            let (None, Some(submit), Some(run)) = (fault, record.submit, record.run) else {
                self.count_record(fault.unwrap_or(Reason::NoSubmitTime), &record);
                continue;
            };
            let wait = record.start.map(|start| start - submit);
            let limit = record.limit.filter(|limit| *limit > 0);
            let notes = [
                (Reason::NoWaitTime, wait.is_none()),
                (Reason::StartBeforeSubmit, wait.is_some_and(|wait| wait < 0)),
                (Reason::RunForRequestedTime, limit.is_none()),
                (Reason::RunTimeCut, limit.is_some_and(|limit| limit < run)),
                (Reason::Segment, record.segment > 0),
                (
                    Reason::CountTaken,
                    ![0, record.nodes].contains(&count_names(&record.hosts)),
                ),
            ];
            notes
                .iter()
                .filter(|(_, is)| *is)
                .for_each(|(reason, _)| self.count_record(*reason, &record));
            let requested_time = limit.unwrap_or(run);
            jobs.push(Job {
                // Numbers are given out below.
                id: record
                    .job
                    .parse()
                    .ok()
                    .filter(|id| (0..MOST_ID).contains(id))
                    .unwrap_or(-1),
                // A requeued job may be said to be submitted after it started.
                submit: if wait.is_some_and(|wait| wait < 0) {
                    submit + wait.unwrap_or(0)
                } else {
                    submit
                },
                wait: wait.map(|wait| wait.max(0)),
                run: run.min(requested_time),
                processors: record.nodes,
                nodes: record.nodes,
                allocated: Some(record.nodes),
                requested: Some(record.nodes),
                requested_time,
                status: record.state.swf_status(),
                user: users.number_of_name(&record.user),
                group: -1,
                executable: -1,
                queue: -1,
                partition,
                preceding: -1,
                think_time: -1,
                segment: record.segment,
                line: record.line,
            });
            let needed = JOB_BYTES * jobs.len() as u64;
            if needed > options.memory {
                let what = format!("{}: the jobs", self.name);
                return Err(Error::Memory {
                    what,
                    needed,
                    limit: options.memory,
                });
            }
        }
        self.number_jobs(&mut jobs);
        let text = format!(
            "; Note: made of {}; a processor is a node\n{}{}",
            self.name.replace(['\n', '\r'], " "),
            partitions.header_lines("Partition"),
            users.header_lines("User"),
        );
        let mut lines = Lines::new(&self.name, text);
        let mut header = Header::default();
        while let Some(line) = lines.read_line()? {
            header.add_line(&line);
        }
        Trace::from_jobs(&self.name, header, jobs, self.tally)
    }

    /// Gives every job a number of its own, and leaves out rows that came before as they are.
    fn number_jobs(&mut self, jobs: &mut Vec<Job>) {
        if jobs.iter().any(|job| job.id < 0) {
            // All of them, not only those without: new numbers among old ones would look like those of the site.
            (1..).zip(jobs.iter_mut()).for_each(|(id, job)| job.id = id);
            self.tally.add_count(Reason::NumberedAnew, jobs.len());
            return;
        }
        if jobs.is_sorted_by(|a, b| a.id < b.id) {
            return;
        }
        let mut by_id: Vec<u32> = (0..jobs.len() as u32).collect();
        // A stable sort: of rows with one number the first in the file keeps it.
        by_id.sort_by_key(|i| jobs[*i as usize].id);
        let mut again = Vec::new();
        let mut same = BTreeSet::new();
        for group in by_id.chunk_by(|a, b| jobs[*a as usize].id == jobs[*b as usize].id) {
            for (nth, index) in group.iter().enumerate().skip(1) {
                let what = |i: u32| Job {
                    // Rows that differ in their lines alone are one row twice.
                    line: 0,
                    ..jobs[i as usize]
                };
                let mut before = group[..nth].iter();
                if before.any(|other| what(*other) == what(*index)) {
                    same.insert(*index);
                } else {
                    again.push(*index)
                }
            }
        }
        self.tally.add_count(Reason::NumberedAnew, again.len());
        if let Some(first) = same.first() {
            self.tally.set_row(0, jobs[*first as usize].line);
        }
        self.tally.add_count(Reason::SameAgain, same.len());
        again.sort_unstable();
        let free = by_id
            .last()
            .map_or(1, |last| jobs[*last as usize].id.saturating_add(1));
        (free..)
            .zip(&again)
            .for_each(|(id, index)| jobs[*index as usize].id = id);
        let mut index = 0..;
        jobs.retain(|_| index.next().is_some_and(|i| !same.contains(&i)));
    }
}

/// Finds the reason why a record is no job of a trace. `None` if it is one.
fn reason_to_skip(record: &Record, options: &Options) -> Option<Reason> {
    let faults = [
        (
            record.start.is_none() && record.run.is_none(),
            Reason::NotStarted,
        ),
        (record.nodes == 0, Reason::NoProcessors),
        (
            record.submit.is_none_or(before_1970) || record.start.is_some_and(before_1970),
            Reason::NoSubmitTime,
        ),
        (record.run.is_none(), Reason::StillRunning),
        (record.run == Some(0), Reason::NoRunTime),
        (
            options.nodes.is_some_and(|most| record.nodes > most),
            Reason::LargerThanMachine,
        ),
    ];
    faults
        .into_iter()
        .find(|(is, _)| *is)
        .map(|(_, reason)| reason)
}
