//! The jobs of a trace in few bytes each, and the placement log that they make.

use std::io::Read;
use std::sync::Arc;

use crate::error::{Error, Result, SourceLocation};
use crate::trace::records::Record;

/// Times, sizes and names of jobs: some 30 bytes each, and 8 more while they are replayed.
#[derive(Debug, Default)]
pub(super) struct Kept {
    jobs: Arc<Jobs>,
    names: Vec<u8>,
    /// Where each name ends.
    ends: Vec<u32>,
}

#[derive(Debug, Default)]
struct Jobs {
    starts: Vec<i64>,
    /// Seconds that each ran, at least 1; [`FOR_EVER`] where it still does.
    runs: Vec<u32>,
    sizes: Vec<u32>,
}

/// The run time of a job that does not end.
const FOR_EVER: u32 = u32::MAX;

impl Jobs {
    fn end(&self, job: u32) -> i64 {
        self.starts[job as usize] + i64::from(self.runs[job as usize])
    }
}

impl Kept {
    /// Keeps a record; false where it does not say when it started.
    pub fn push(&mut self, record: &Record, size: u32) -> Result<bool> {
        let Some(start) = record.start else { return Ok(false) };
        let length = self.names.len() + record.job.len();
        let (Ok(end), Some(jobs)) = (u32::try_from(length), Arc::get_mut(&mut self.jobs)) else {
            let location = SourceLocation::option("--order");
            return Err(Error::input(location, "job names of more than 4 GB", "fewer jobs"));
        };
        self.names.extend_from_slice(record.job.as_bytes());
        self.ends.push(end);
        let run = record.run.map_or(FOR_EVER, |run| u32::try_from(run).unwrap_or(FOR_EVER).max(1));
        jobs.starts.push(start);
        jobs.runs.push(run);
        jobs.sizes.push(size);
        Ok(true)
    }

    /// The name of a job, and when it started.
    pub fn job(&self, index: u32) -> (std::borrow::Cow<'_, str>, i64) {
        let at = index as usize;
        let from = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        let name = &self.names[from as usize..self.ends[at] as usize];
        (String::from_utf8_lossy(name), self.jobs.starts[at])
    }

    /// The placement log of the jobs, named by their indices: placed when they started, freed when they ended;
    /// at one instant jobs are freed first. It is made as it is read.
    pub fn log(&self) -> impl Read + Send + 'static {
        let jobs = Arc::clone(&self.jobs);
        let all = 0..jobs.sizes.len() as u32;
        let mut by_start: Vec<u32> = all.clone().collect();
        by_start.sort_unstable_by_key(|job| (jobs.starts[*job as usize], *job));
        let mut by_end: Vec<u32> = all.filter(|job| jobs.runs[*job as usize] != FOR_EVER).collect();
        by_end.sort_unstable_by_key(|job| (jobs.end(*job), *job));
        LogText { jobs, by_start, by_end, started: 0, ended: 0, text: Vec::new(), given: 0 }
    }
}

struct LogText {
    jobs: Arc<Jobs>,
    by_start: Vec<u32>,
    by_end: Vec<u32>,
    started: usize,
    ended: usize,
    text: Vec<u8>,
    given: usize,
}

/// Bytes of text that are made at once.
const PIECE: usize = 1 << 16;

impl LogText {
    /// Makes the next lines.
    fn fill(&mut self) {
        use std::io::Write;
        self.text.clear();
        self.given = 0;
        let jobs = &self.jobs;
        while self.text.len() < PIECE {
            let start = self.by_start.get(self.started);
            let end = self.by_end.get(self.ended);
            // Writing to a vector cannot fail.
            let _ = match (start, end) {
                (Some(start), end)
                    if end.is_none_or(|e| jobs.end(*e) > jobs.starts[*start as usize]) =>
                {
                    self.started += 1;
                    writeln!(self.text, "P {start} {}", jobs.sizes[*start as usize])
                }
                (_, Some(end)) => {
                    self.ended += 1;
                    writeln!(self.text, "F {end}")
                }
                _ => return,
            };
        }
    }
}

impl Read for LogText {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.given == self.text.len() {
            self.fill();
        }
        let length = buffer.len().min(self.text.len() - self.given);
        buffer[..length].copy_from_slice(&self.text[self.given..self.given + length]);
        self.given += length;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_frees_before_it_places() {
        let mut kept = Kept::default();
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
            assert!(kept.push(&record, size).unwrap());
        }
        assert!(!kept.push(&Record::default(), 1).unwrap());
        let mut text = String::new();
        kept.log().read_to_string(&mut text).unwrap();
        assert_eq!(text, "P 1 2\nP 3 1\nP 2 3\nF 1\nP 0 4\nF 0\nF 3\n");
        assert_eq!(kept.job(1), ("first".into(), 0));
        assert_eq!(kept.job(0), ("late".into(), 100));
    }
}
