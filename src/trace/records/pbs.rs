//! Accounting logs of PBS, Torque and Cobalt: a line for each event of a job.
//!
//! A run is a job with its start. It ends with a line E, or with a line R, after which the job is queued again; a
//! line R of Torque says neither nodes nor times, which are those of the line S before it and the time at its front.
//! Runs that have no end in the file still go on. A job that gives nodes back is a run for each phase: a line u says
//! the nodes of the phase that ends then, c and e those of the next and the last one; E says those of the start.
//! Times are those in seconds since 1970; lines without one have the local time at the front, less what this was
//! ahead on a line before.

use std::collections::BTreeMap;

use super::csv::append_host_list;
use super::record::{Record, RecordFormat, Source, State, row_error};
use super::rows::{hash_text, join_distinct};
use super::time::{INSTANT, LIMIT, parse_calendar, parse_instant, parse_time_limit};
use crate::log::{no_jobs_error, quote_token};
use crate::tally::{Reason, Tally};
use nodeorder_base::input::{RawLine, strip_zero_fraction};
use nodeorder_base::{Lines, Result};

/// The accounting log of PBS Professional and OpenPBS.
pub static PBS: RecordFormat = LOG;

const LOG: RecordFormat = RecordFormat {
    name: "pbs",
    about: "accounting log of PBS: a line for each event of a job, MM/DD/YYYY HH:MM:SS;E;ID;key=value …",
    example: "01/26/2016 00:00:37;E;2994.pbs;ctime=1453756297 start=1453766281 exec_host=c1/0*13+c2/0*13 end=1453766437",
    noun: "accounting of PBS",
    lists_nodes: true,
    joins: false,
    begins: |line| split_line(line).is_some(),
    open: |lines, _| Ok(Box::new(Pbs::new(lines))),
};

/// The accounting log of Torque, which reads alike; its node counts tell it apart.
pub static TORQUE: RecordFormat = RecordFormat {
    name: "torque",
    about: "accounting log of Torque: as that of PBS",
    example: "04/05/2017 13:06:53;E;45.m;ctime=1491390300 start=1491390307 exec_host=n1/0-1+n2/0-1 unique_node_count=2 end=1491390413",
    noun: "accounting of Torque",
    begins: |line| has_text(line, b" unique_node_count="),
    ..LOG
};

/// The accounting log of Cobalt, whose nodes are a quoted list of numbers.
pub static COBALT: RecordFormat = RecordFormat {
    name: "cobalt",
    about: "accounting log of Cobalt: as that of PBS",
    example: "04/03/2019 00:35:40;E;327220;ctime=1554249000.1 start=1554251537.81 exec_host=\"0-4,6-7\" end=1554251740.2",
    noun: "accounting of Cobalt",
    begins: |line| has_text(line, b" exec_host=\""),
    ..LOG
};

/// Checks whether a line is of such a log and has a text in it.
fn has_text(line: &[u8], text: &[u8]) -> bool {
    split_line(line).is_some() && memchr::memmem::find(line, text).is_some()
}

/// Splits a line into date, type, id and the rest. `None` if it is no line of such a log.
fn split_line(line: &[u8]) -> Option<[&[u8]; 4]> {
    let mut fields = line.splitn(4, |b| *b == b';');
    let mut next = || fields.next();
    let found = [next()?, next()?, next()?, next()?];
    let form = b"00/00/0000 00:00:00";
    let dated = found[0].len() == form.len()
        && found[0].iter().zip(form).all(|(b, f): (&u8, &u8)| {
            if *f == b'0' {
                b.is_ascii_digit()
            } else {
                b == f
            }
        });
    (dated && found[1].len() == 1 && found[1][0].is_ascii_alphabetic()).then_some(found)
}

/// State of a job from its lines, while it runs or waits to run again.
#[derive(Default)]
struct LiveRun {
    /// Its run; where it is `phased`, the phase since it last gave nodes back.
    run: Record,
    /// End of the job's last run, where it was queued again, or of its last phase.
    again: Option<i64>,
    phased: bool,
    /// Whether the job's end was read, which a server that restarts may write again.
    ended: bool,
}

impl LiveRun {
    /// Starts a run: a line S.
    fn start_run(&mut self, run: Record, tally: &mut Tally) {
        // A run whose end the log lacks.
        let lost = !self.ended && self.run.start.is_some_and(|start| Some(start) != run.start);
        tally.lines += u64::from(lost);
        tally.add_count(Reason::StillRunning, usize::from(lost));
        *self = LiveRun {
            run: Record { run: None, ..run },
            again: self.again,
            ..LiveRun::default()
        };
    }

    /// Ends a phase of a run, if one ended (a line u, c or e). Returns whether one did; it is in `run` then.
    fn end_phase(
        &mut self,
        kind: u8,
        now: Option<i64>,
        run: &mut Record,
        tally: &mut Tally,
    ) -> bool {
        if kind != b'u' {
            self.run.hosts = std::mem::take(&mut run.hosts);
            return false;
        }
        if self.run.start.is_some() {
            (run.submit, run.start, run.limit) = (self.run.submit, self.run.start, self.run.limit);
        }
        // `None` is less than any time: an unknown one is counted with those before the start.
        if now < run.start {
            tally.add_count(Reason::GivenBack, 1);
            return false;
        }
        run.ends_at(now);
        // The limit is of the whole job: the next phase has what this one left.
        let limit = run.limit.zip(run.run).map(|(limit, run)| limit - run);
        self.run = Record {
            submit: now,
            start: now,
            run: None,
            limit,
            ..run.clone()
        };
        (self.again, self.phased) = (now, true);
        tally.add_count(Reason::Phase, 1);
        true
    }

    /// Ends a run: a line E or R, which tells nodes and times since the start, also after phases.
    fn end_run(&mut self, kind: u8, run: &mut Record) {
        let end = run.end_time();
        let last = &self.run;
        if self.phased {
            (run.submit, run.start, run.limit) = (last.submit, last.start, last.limit);
            run.hosts.clone_from(&last.hosts);
            run.ends_at(end);
        }
        self.ended = true;
        if kind == b'R' || !self.phased {
            *self = LiveRun {
                again: end.filter(|_| kind == b'R'),
                ..LiveRun::default()
            };
        }
    }
}

struct Pbs {
    lines: Lines,
    /// Jobs that started and have not ended, by id.
    live: BTreeMap<String, LiveRun>,
    /// Largest number of these jobs at once, so far.
    most: usize,
    begun: bool,
    /// The latest time at the front of a line.
    latest: i64,
    /// Seconds that the clock at the front of lines is ahead; none before a line shows it.
    ahead: Option<i64>,
}

impl Pbs {
    fn new(lines: Lines) -> Self {
        Pbs {
            lines,
            live: BTreeMap::new(),
            most: 0,
            begun: false,
            latest: i64::MIN,
            ahead: None,
        }
    }

    /// Takes the next job that has not ended, at the end of the file.
    fn next_unended(&mut self, record: &mut Record, tally: &mut Tally) -> Result<bool> {
        if !self.begun {
            let expected = "lines such as 01/26/2016 00:00:37;E;2994.pbs;…";
            return Err(no_jobs_error(self.lines.name(), expected));
        }
        // Sorted by id, so that these jobs come in one order on every machine.
        while let Some((_, live)) = self.live.pop_first() {
            if live.run.start.is_some() && !live.ended {
                tally.lines += 1;
                *record = live.run;
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Splits a text into `key=value` pairs with blanks between; values with blanks are in quotes of one of two kinds.
fn split_pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_start();
            let at = rest
                .bytes()
                .position(|b| b == b'=' || b.is_ascii_whitespace())?;
            if !rest[at..].starts_with('=') {
                rest = &rest[at..];
                continue;
            }
            let key = &rest[..at];
            let value = &rest[at + 1..];
            let quote = value.chars().next().filter(|c| ['"', '\''].contains(c));
            let quoted = quote.and_then(|quote| value[1..].split_once(quote));
            let (value, after) = quoted.unwrap_or_else(|| {
                let end = memchr::memchr3(b' ', b'\t', b'\r', value.as_bytes());
                value.split_at(end.unwrap_or(value.len()))
            });
            rest = after;
            return Some((key, value));
        }
    })
}

/// Reads what a line says of a run into `record`: whether it ends before it starts, none where it has no end.
fn read_run(line: &RawLine<'_>, text: &str, record: &mut Record) -> Result<Option<bool>> {
    let mut end = None;
    for (key, value) in split_pairs(text) {
        let bad = |expected| row_error(line.location(), key, value, expected);
        let time = || parse_instant(value).ok_or_else(|| bad(INSTANT));
        match key {
            "ctime" => record.submit = time()?,
            // 0 stands for a job that did not start.
            "start" => record.start = time()?.filter(|time| *time > 0),
            "end" => end = time()?,
            "user" => record.user = value.into(),
            "queue" => record.partition = value.into(),
            "unique_node_count" => {
                let count = strip_zero_fraction(value).parse();
                record.nodes = count.map_err(|_| bad("a count"))?;
            }
            "Resource_List.walltime" => {
                record.limit = parse_time_limit(value, 1).ok_or_else(|| bad(LIMIT))?
            }
            "exec_host" => {
                // HOST/CPUS, joined by +, where CPUS may have commas; a host once for each chunk.
                record.hosts.clear();
                let hosts = value
                    .split('+')
                    .map(|host| host.split('/').next().unwrap_or_default());
                append_host_list(&join_distinct(hosts), &mut record.hosts);
            }
            "Exit_status" => {
                record.state = if value == "0" {
                    State::Completed
                } else {
                    State::Failed
                };
            }
            _ => {}
        }
    }
    Ok(end.map(|end| record.ends_at(Some(end))))
}

/// Splits a line into its type, the local time at its front as if it were that of Greenwich, the job's id, and the
/// text.
fn split_event<'a>(line: &RawLine<'a>) -> Result<(u8, Option<i64>, &'a str, &'a str)> {
    line.text()?;
    let Some([date, kind, id, text]) = split_line(line.bytes) else {
        let found = quote_token(&String::from_utf8_lossy(line.bytes));
        let expected = "a line of an accounting log: MM/DD/YYYY HH:MM:SS;TYPE;ID;key=value …";
        return Err(line.error_here(found, expected));
    };
    // The whole line is UTF-8, and parted at ASCII.
    let [date, id, text] = [date, id, text].map(|b| std::str::from_utf8(b).unwrap_or_default());
    let day = format!(
        "{}-{}T{}",
        &date[6..10],
        date[..5].replace('/', "-"),
        &date[11..]
    );
    Ok((kind[0], parse_calendar(&day), id, text))
}

/// Types of lines that begin or end a run, or a phase of one.
const RUNS: &[u8] = b"SERuce";
/// Types of lines that are known and passed over, as they say nothing of a run: queued, deleted, aborted, altered,
/// held back, restarted; reservations; licences; provisioning.
const OTHERS: &[u8] = b"QDATCMLszraUYBFKkPp";

/// Finds the reason why a line says nothing of a run, if it does not.
fn reason_to_skip(kind: u8, text: &str, run: &Record, backwards: Option<bool>) -> Option<Reason> {
    // Behind its nodes, a run that ended says when, and a phase what it asked for.
    let whole = if b"ER".contains(&kind) {
        backwards.is_some()
    } else {
        text.contains(" Resource_")
    };
    match (kind, backwards) {
        (_, Some(true)) => Some(Reason::EndsBeforeStart),
        (b'S', _) => None,
        _ if run.start.is_none() => Some(Reason::NotStarted),
        _ => (!whole).then_some(Reason::TornLine),
    }
}

/// Subtracts from the time at the front of a line the seconds by which that clock is ahead (adds them if it is behind).
fn subtract_shift(front: Option<i64>, less: Option<i64>) -> Option<i64> {
    Some(front? - less?)
}

impl Source for Pbs {
    fn read_next(&mut self, record: &mut Record, tally: &mut Tally) -> Result<bool> {
        while let Some(line) = self.lines.read_line()? {
            if line.bytes.trim_ascii().is_empty() {
                continue;
            }
            self.begun = true;
            tally.set_row(line.file, line.number);
            let (kind, front, id, text) = split_event(&line)?;
            if let Some(front) = front {
                // Days in another order, or a clock that was wrong; zones and summer time are less.
                tally.add_count(Reason::ClockBack, usize::from(front + 86_400 < self.latest));
                self.latest = self.latest.max(front);
            }
            // `101.server` is job 101.
            let name = id.split('.').next().unwrap_or_default();
            if !RUNS.contains(&kind) {
                if !OTHERS.contains(&kind) {
                    tally.leave_out(Reason::UnknownLine);
                }
                continue;
            }
            let bare = kind == b'R' && text.trim().is_empty();
            let mut live = self.live.remove(id).unwrap_or_default();
            let mut run = Record::default();
            run.stands_on(line.file, line.number, hash_text(line.text()?, 0));
            if bare {
                let Some(start) = live.run.start else {
                    // It started before the file begins.
                    tally.leave_out(Reason::NoSubmitTime);
                    continue;
                };
                run = std::mem::take(&mut live.run);
                run.run = subtract_shift(front, self.ahead).map(|now| (now - start).max(0));
                run.state = State::Failed;
            } else {
                run.job.push_str(name);
                let backwards = read_run(&line, text, &mut run)?;
                // The parent of an array holds no nodes.
                if kind != b'S' && name.ends_with("[]") && run.hosts.is_empty() {
                    continue;
                }
                let told = if kind == b'S' {
                    run.start
                } else {
                    run.end_time()
                };
                // Zones are quarters of an hour apart.
                let ahead =
                    subtract_shift(front, told).map(|ahead| (ahead + 450).div_euclid(900) * 900);
                self.ahead = ahead.filter(|ahead| ahead.abs() <= 86_400).or(self.ahead);
                if let Some(fault) = reason_to_skip(kind, text, &run, backwards) {
                    tally.leave_out(fault);
                    if b"uce".contains(&kind) {
                        self.live.insert(id.to_string(), live);
                    }
                    continue;
                }
            }
            // It waited since its last run.
            let again = live
                .again
                .filter(|again| !bare && run.start >= Some(*again));
            run.submit = again.or(run.submit);
            let mut ends = b"ER".contains(&kind);
            match kind {
                b'S' => live.start_run(std::mem::take(&mut run), tally),
                _ if ends => live.end_run(kind, &mut run),
                _ => {
                    ends = live.end_phase(kind, subtract_shift(front, self.ahead), &mut run, tally)
                }
            }
            if live.run.start.or(live.again).is_some() {
                let bytes = 2 * size_of::<LiveRun>() + line.bytes.len();
                self.live.insert(id.to_string(), live);
                // Only a new peak takes memory: below it a job has that of one that ended.
                if self.live.len() > self.most {
                    self.most = self.live.len();
                    self.lines.charge_memory(bytes, "jobs that run")?;
                }
            }
            if ends {
                tally.lines += 1;
                *record = run;
                return Ok(true);
            }
        }
        self.next_unended(record, tally)
    }
}
