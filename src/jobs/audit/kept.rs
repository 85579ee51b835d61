//! Table of recorded jobs in few bytes each, and the placement log that they make.

use std::fmt::Write;

use super::score::Score;
use nodeorder_base::{Error, Result};
use nodeorder_trace::records::Record;

/// Times, sizes, distances and names of recorded jobs by index: some 40 bytes each, as many more while they are
/// replayed.
#[derive(Debug, Default)]
pub(super) struct AuditedJobs {
    /// Start time, in seconds.
    starts: Vec<i64>,
    /// Run time in seconds, at least 1; [`STILL_RUNNING`] if the job still runs.
    runs: Vec<u32>,
    /// Number of nodes.
    sizes: Vec<u32>,
    /// Mean distance of the recorded allocation, in hops; 0 for one node, and if it is unknown.
    hops: Vec<f64>,
    /// Names of all jobs, one after the other.
    names: Vec<u8>,
    /// End of each name in `names`.
    ends: Vec<u32>,
}

/// Run time of a job that does not end.
const STILL_RUNNING: u32 = u32::MAX;

impl AuditedJobs {
    /// Adds a record; returns `false` if it does not say when it started. Fails if names take more than 4 GB.
    pub fn add_record(&mut self, record: &Record, score: &Score) -> Result<bool> {
        let Some(start) = record.start else {
            return Ok(false);
        };
        let Ok(end) = u32::try_from(self.names.len() + record.job.len()) else {
            return Err(Error::option(
                "--order",
                "job names of more than 4 GB",
                "fewer jobs",
            ));
        };
        self.names.extend_from_slice(record.job.as_bytes());
        self.ends.push(end);
        // At least a second: a job that ends as it starts would be freed before it is placed.
        let run = record.run.map_or(STILL_RUNNING, |run| {
            u32::try_from(run).unwrap_or(STILL_RUNNING).max(1)
        });
        self.starts.push(start);
        self.runs.push(run);
        self.sizes.push(score.size);
        self.hops.push(score.mean_hops.unwrap_or(0.0));
        Ok(true)
    }

    /// Looks up the name of a job and its start time.
    pub fn name_and_start(&self, index: u32) -> (std::borrow::Cow<'_, str>, i64) {
        let at = index as usize;
        let from = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        let name = &self.names[from as usize..self.ends[at] as usize];
        (String::from_utf8_lossy(name), self.starts[at])
    }

    /// Looks up the seconds that a job ran, 0 if it still does, and computes the part of its recorded mean distance
    /// that a placement with a mean distance of `hops` spares it, 0 if either is unknown.
    pub fn spared_distance(&self, job: u32, hops: Option<f64>) -> (u64, f64) {
        let run = self.runs[job as usize];
        let recorded = self.hops[job as usize];
        let seconds = if run == STILL_RUNNING { 0 } else { run };
        let spared = match hops {
            Some(hops) if recorded > 0.0 => 1.0 - hops / recorded,
            _ => 0.0,
        };
        (seconds.into(), spared)
    }

    /// Computes the end time of a job.
    fn end_time(&self, job: u32) -> i64 {
        self.starts[job as usize] + i64::from(self.runs[job as usize])
    }

    /// Writes the placement log of the jobs, which are named by their indices: placed when they started, freed
    /// when they ended; at one instant jobs are freed first.
    pub fn write_log(&self) -> String {
        let mut by_start: Vec<u32> = (0..self.sizes.len() as u32).collect();
        let mut by_end = by_start.clone();
        by_start.sort_unstable_by_key(|job| (self.starts[*job as usize], *job));
        by_end.retain(|job| self.runs[*job as usize] != STILL_RUNNING);
        by_end.sort_unstable_by_key(|job| (self.end_time(*job), *job));
        let mut ended = by_end.into_iter().peekable();
        let mut text = String::new();
        // Writing to a text cannot fail.
        for start in by_start {
            let now = self.starts[start as usize];
            while let Some(end) = ended.next_if(|job| self.end_time(*job) <= now) {
                let _ = writeln!(text, "F {end}");
            }
            let _ = writeln!(text, "P {start} {}", self.sizes[start as usize]);
        }
        ended.for_each(|end| text += &format!("F {end}\n"));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_frees_before_it_places() {
        let mut kept = AuditedJobs::default();
        let job = |job: &str, start: i64, run: Option<i64>| Record {
            job: job.into(),
            start: Some(start),
            run,
            ..Record::default()
        };
        for (record, size) in [
            (job("late", 100, Some(0)), 4),
            (job("first", 0, Some(100)), 2),
            (job("on", 50, None), 3),
            (job("second", 0, Some(200)), 1),
        ] {
            assert!(
                kept.add_record(
                    &record,
                    &Score {
                        size,
                        ..Score::default()
                    }
                )
                .unwrap()
            );
        }
        assert!(
            !kept
                .add_record(&Record::default(), &Score::default())
                .unwrap()
        );
        assert_eq!(
            kept.write_log(),
            "P 1 2\nP 3 1\nP 2 3\nF 1\nP 0 4\nF 0\nF 3\n"
        );
        assert_eq!(kept.name_and_start(1), ("first".into(), 0));
        assert_eq!(kept.name_and_start(0), ("late".into(), 100));
    }
}
