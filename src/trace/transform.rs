//! A trace changed in time: run times and arrivals scaled, jobs copied, a window, a load.

use std::fmt::Write as _;

use super::changes::{Changes, MOST, Pace};
use super::swf::{Job, Options, Trace};
use nodeorder_base::random::{Generator, random_below, seed_generator};
use nodeorder_base::ratio::divide_exactly;
use nodeorder_base::{Error, Lines, Result, SourceLocation};

/// A job of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct JobCopy {
    submit: i64,
    /// The job, by its index in the trace.
    job: u32,
    /// Number of the copy; 0 for the job itself.
    copy: u32,
}

/// A changed trace.
///
/// Only jobs of the window are taken, of those that [`Trace`] keeps; run and requested times are multiplied and
/// rounded to the nearest second, at least 1; times since the first submit are multiplied, or scaled so that the
/// offered load (node-seconds over `nodes` times the seconds from first to last submit) is reached; then each job is
/// copied, and each copy submitted up to `jitter` seconds earlier or later, all whole seconds equally likely, never
/// before 0. With `shake` the job itself is moved so, too, before its copies are. Times count from the trace's own
/// zero. Copies have numbers above all others, a power of ten apart; the preceding job of a copy is the copy of the
/// job's preceding job. A run time above the requested time is cut at it. Wait times become unknown (-1) unless only
/// a window is taken: no machine recorded them.
///
/// # References
/// Leung et al., "Processor Allocation on Cplant: Achieving General Processor Locality using One-Dimensional
/// Allocation Strategies", SAND2002-1488, 2002, section 3 (work multiple and replication factor).
#[derive(Debug)]
pub struct Transformed {
    trace: Trace,
    changes: Changes,
    /// Text of the trace, of which `lines` says where each line begins.
    text: Vec<u8>,
    lines: Vec<usize>,
    copies: Vec<JobCopy>,
    /// Difference of the job numbers of two copies of a job in a row.
    apart: i64,
    /// Factor of the times between arrivals.
    factor: f64,
    /// Nodes of the machine; 0 where unknown.
    nodes: u32,
    /// Offered load before and after; 0 where nodes or times say none.
    load: [f64; 2],
}

impl Transformed {
    /// Reads a trace from `lines` and changes it. With [`Pace::Load`] `options.nodes` is the machine.
    ///
    /// # Errors
    /// As [`Trace::from_lines`]; no job in the window; a load of no machine or of jobs of one instant; times or job
    /// numbers that no trace may have.
    ///
    /// # Complexity
    /// O(bytes + copies · log copies) time; the text, 150 bytes a job and 16 a copy.
    pub fn read_and_change(mut lines: Lines, options: &Options, changes: Changes) -> Result<Self> {
        let name = lines.name().to_string();
        let mut text = Vec::new();
        let mut starts = vec![0];
        while let Some(line) = lines.read_line()? {
            text.extend_from_slice(line.bytes);
            text.push(b'\n');
            starts.push(text.len());
            let kept = text.len() - starts[starts.len() - 2] + size_of::<usize>();
            // The reader of the trace gets a copy of its own.
            lines.charge_memory(2 * kept, "text")?;
        }
        let trace = Trace::new(&name, text.clone(), options)?;
        let inside = |job: &Job| {
            changes.after.is_none_or(|t| job.submit >= t)
                && changes.before.is_none_or(|t| job.submit < t)
        };
        let window: Vec<u32> = (0..)
            .zip(trace.jobs())
            .filter(|(_, job)| inside(job))
            .map(|(i, _)| i)
            .collect();
        let mut changed = Transformed {
            changes,
            text,
            lines: starts,
            copies: Vec::new(),
            apart: 1,
            factor: 1.0,
            nodes: options.nodes.unwrap_or(0),
            load: [0.0; 2],
            trace,
        };
        if window.is_empty() {
            let expected = "a window, and limits of size and partition, with jobs";
            return Err(changed.changes_error("no job".into(), expected));
        }
        changed.set_pace(&window)?;
        changed.make_jobs(&window, options.memory)?;
        Ok(changed)
    }

    fn changes_error(&self, found: String, expected: impl Into<String>) -> Error {
        Error::input(
            SourceLocation::File(self.trace.name().into()),
            found,
            expected,
        )
    }

    /// Finds the first and the last submit of `jobs`.
    fn submit_span(&self, jobs: &[u32]) -> (i64, i64) {
        let submits = || jobs.iter().map(|i| self.trace.jobs()[*i as usize].submit);
        (submits().min().unwrap_or(0), submits().max().unwrap_or(0))
    }

    /// Finds the factor of the times between arrivals, and the loads before and after.
    fn set_pace(&mut self, window: &[u32]) -> Result<()> {
        let (first, last) = self.submit_span(window);
        let room = u128::from(self.nodes) * u128::from(last.abs_diff(first));
        if room > 0 {
            // Whole node-seconds are exact, so the load is rounded once.
            let area = |scaled: bool| -> u128 {
                let jobs = window.iter().map(|i| &self.trace.jobs()[*i as usize]);
                let run = |j: &Job| {
                    if scaled {
                        self.scale_work(j.run)
                    } else {
                        j.run
                    }
                };
                jobs.map(|j| u128::from(j.nodes) * run(j).unsigned_abs() as u128)
                    .sum()
            };
            let copies = u128::from(self.changes.replicate);
            self.load = [
                divide_exactly(area(false), room),
                divide_exactly(copies * area(true), room),
            ];
        }
        self.factor = match self.changes.pace {
            Pace::Times(factor) => factor,
            Pace::Load(_) if self.nodes == 0 => {
                return Err(Error::option(
                    "load",
                    "no number of nodes",
                    "the machine's nodes",
                ));
            }
            Pace::Load(_) if room == 0 => {
                let found = "jobs of one instant, which have no load".into();
                return Err(self.changes_error(found, "submits at different times"));
            }
            // The load falls as the times between arrivals grow.
            Pace::Load(wanted) => self.load[1] / wanted,
        };
        self.load[1] /= self.factor;
        let moved = self.changes.jitter as f64 + self.changes.shake as f64;
        let end = first as f64 + (last - first) as f64 * self.factor + moved;
        let longest = window
            .iter()
            .map(|i| self.trace.jobs()[*i as usize].requested_time)
            .max();
        if end.max(longest.unwrap_or(0) as f64 * self.changes.runtime) > MOST as f64 {
            let expected = format!("factors that keep times below {MOST}");
            return Err(self.changes_error("longer times than a trace may have".into(), expected));
        }
        Ok(())
    }

    /// Scales a run time or limit, in seconds, by the work multiple.
    fn scale_work(&self, seconds: i64) -> i64 {
        ((seconds as f64 * self.changes.runtime).round() as i64).max(1)
    }

    /// Lists the result's jobs by submit time.
    fn make_jobs(&mut self, window: &[u32], memory: u64) -> Result<()> {
        let Changes {
            replicate,
            jitter,
            shake,
            seed,
            ..
        } = self.changes;
        // The first copy of a job is the job itself.
        let count = window.len() as u64 * u64::from(replicate);
        if count.saturating_mul(size_of::<JobCopy>() as u64) > memory {
            let expected = "fewer, or a higher --memory";
            return Err(Error::option(
                "replicate",
                format!("{count} jobs in all"),
                expected,
            ));
        }
        self.space_numbers()?;
        let (first, _) = self.submit_span(window);
        let mut random = seed_generator(seed);
        let mut copies = Vec::with_capacity(count as usize);
        for job in window {
            let since = (self.trace.jobs()[*job as usize].submit - first) as f64 * self.factor;
            let mut submit = first + since.round() as i64;
            if shake > 0 {
                submit = draw_submit(submit, shake, &mut random);
            }
            copies.push(JobCopy {
                submit,
                job: *job,
                copy: 0,
            });
            for copy in 1..replicate {
                copies.push(JobCopy {
                    submit: draw_submit(submit, jitter, &mut random),
                    job: *job,
                    copy,
                });
            }
        }
        // No two are of one job and one copy, so an unstable sort has one outcome.
        copies.sort_unstable();
        self.copies = copies;
        Ok(())
    }

    /// Chooses the difference between the numbers of two copies in a row: the least power of ten above every number of
    /// the trace, so that the last digits of a copy's number say which job it is a copy of. Fails if the last copy's
    /// number is too large.
    fn space_numbers(&mut self) -> Result<()> {
        let numbers = self.trace.jobs().iter().map(|job| job.id.max(0));
        let largest = numbers.max().unwrap_or(0);
        while self.apart <= largest {
            self.apart *= 10;
        }
        let replicate = self.changes.replicate;
        let bound = self.apart.checked_mul(replicate.into());
        if replicate > 1 && bound.is_none_or(|bound| bound > MOST) {
            let expected = format!("copies with job numbers of at most {MOST}");
            return Err(Error::option(
                "replicate",
                format!("job number {largest}"),
                expected,
            ));
        }
        Ok(())
    }

    /// Returns the trace as it was read: what was left out or mended.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Counts the jobs of the result.
    pub fn job_count(&self) -> usize {
        self.copies.len()
    }

    /// Returns the factor of the times between arrivals.
    pub fn arrival_factor(&self) -> f64 {
        self.factor
    }

    /// Computes the offered load of the window before and after. `None` if the machine's nodes are not known or
    /// all jobs come at one instant.
    pub fn offered_loads(&self) -> Option<[f64; 2]> {
        (self.load[0] > 0.0).then_some(self.load)
    }

    /// Writes the result in the Standard Workload Format, in pieces of whole lines: the trace's header with the
    /// new numbers of jobs and a note of what was changed, then the jobs by submit time.
    pub fn swf_pieces(&self) -> impl Iterator<Item = Vec<u8>> + '_ {
        const JOBS: usize = 1000;
        let body = self.copies.chunks(JOBS).map(|copies| {
            let mut text = String::new();
            copies
                .iter()
                .for_each(|copy| self.write_job(copy, &mut text));
            text.into_bytes()
        });
        std::iter::once(self.write_header()).chain(body)
    }

    fn write_header(&self) -> Vec<u8> {
        let mut header = Vec::new();
        for bounds in self.lines.windows(2) {
            let line = &self.text[bounds[0]..bounds[1]];
            match line.trim_ascii_start() {
                [] => continue,
                [b';', rest @ ..] => {
                    let label = rest.trim_ascii_start();
                    let counts = [&b"MaxJobs:"[..], b"MaxRecords:"];
                    match counts.into_iter().find(|count| label.starts_with(count)) {
                        None => header.extend_from_slice(line),
                        Some(count) => {
                            let count = String::from_utf8_lossy(count);
                            header.extend(format!("; {count} {}\n", self.job_count()).into_bytes());
                        }
                    }
                }
                // Comments behind the first job are about lines that may stand elsewhere now.
                _ => break,
            }
        }
        let trace = &self.trace;
        let mut note = format!("; Note: changed by nodeorder: {}; seed {}", self.changes, {
            self.changes.seed
        });
        trace
            .tally()
            .describe_reasons()
            .for_each(|text| note += &format!("; {text}"));
        header.extend(note.into_bytes());
        header.push(b'\n');
        header
    }

    fn write_job(&self, copy: &JobCopy, out: &mut String) {
        let job = &self.trace.jobs()[copy.job as usize];
        let line = &self.text[self.lines[job.line - 1]..self.lines[job.line]];
        let text = String::from_utf8_lossy(line);
        let recorded = self.changes.replicate == 1
            && self.changes.runtime == 1.0
            && self.changes.shake == 0
            && self.changes.pace == Pace::Times(1.0);
        let number = |id: i64| id + self.apart * i64::from(copy.copy);
        for (field, word) in (1..).zip(text.split_ascii_whitespace()) {
            let value = match field {
                1 => number(job.id),
                2 => copy.submit,
                3 if recorded => job.wait.unwrap_or(-1),
                3 => -1,
                4 => self.scale_work(job.run),
                // Unknown requested times stay unknown.
                9 if word.starts_with('-') || word.bytes().all(|b| b"0.".contains(&b)) => -1,
                9 => self.scale_work(job.requested_time),
                17 if job.preceding > 0 => number(job.preceding),
                _ => {
                    out.push_str(word);
                    out.push(' ');
                    continue;
                }
            };
            let _ = write!(out, "{value} ");
        }
        // Some traces have further fields behind the 18.
        out.pop();
        out.push('\n');
    }
}

#[cfg(test)]
mod tests;

/// Draws a submit time up to `most` seconds earlier or later than `submit`, never before 0.
fn draw_submit(submit: i64, most: u64, random: &mut Generator) -> i64 {
    let back = most.min(submit.unsigned_abs());
    submit + random_below(back + most + 1, random) as i64 - back as i64
}
