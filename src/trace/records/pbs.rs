//! Accounting logs of PBS, Torque and Cobalt: a line for each event of a job.
//!
//! A run is a job with its start. It ends with a line E, or with a line R, after which the job is queued again; a line R of
//! Torque says neither nodes nor times, which are those of the line S before it and the time at its front. Runs that have
//! no end in the file still go on. Only the times in seconds since 1970 are used, as those at the front are local.

use std::collections::BTreeMap;

use super::csv::host_list;
use super::rows::{distinct, fingerprint};
use super::time::{INSTANT, LIMIT, calendar, instant, limit};
use super::{Record, RecordFormat, Source, State, Tally, wrong};
use crate::error::{Error, Result};
use crate::input::{Lines, RawLine};
use crate::trace::log::{no_jobs, quote};
use crate::trace::tally::Reason;

/// The accounting log of PBS Professional and OpenPBS.
pub static PBS: RecordFormat = LOG;

const LOG: RecordFormat = RecordFormat {
    name: "pbs",
    about: "accounting log of PBS: a line for each event of a job, MM/DD/YYYY HH:MM:SS;E;ID;key=value …",
    example: "01/26/2016 00:00:37;E;2994.pbs;ctime=1453756297 start=1453766281 exec_host=c1/0*13+c2/0*13 end=1453766437",
    noun: "accounting of PBS",
    lists_nodes: true,
    joins: false,
    begins: |line| parts(line).is_some(),
    open: |lines, _| Ok(Box::new(Pbs::new(lines))),
};

/// The accounting log of Torque, which reads alike; its node counts tell it apart.
pub static TORQUE: RecordFormat = RecordFormat {
    name: "torque",
    about: "accounting log of Torque: as that of PBS",
    example: "04/05/2017 13:06:53;E;45.m;ctime=1491390300 start=1491390307 exec_host=n1/0-1+n2/0-1 unique_node_count=2 end=1491390413",
    noun: "accounting of Torque",
    begins: |line| has(line, b" unique_node_count="),
    ..LOG
};

/// The accounting log of Cobalt, whose nodes are a quoted list of numbers.
pub static COBALT: RecordFormat = RecordFormat {
    name: "cobalt",
    about: "accounting log of Cobalt: as that of PBS",
    example: "04/03/2019 00:35:40;E;327220;ctime=1554249000.1 start=1554251537.81 exec_host=\"0-4,6-7\" end=1554251740.2",
    noun: "accounting of Cobalt",
    begins: |line| has(line, b" exec_host=\""),
    ..LOG
};

/// Whether a line is of such a log and has a text in it.
fn has(line: &[u8], text: &[u8]) -> bool {
    parts(line).is_some() && memchr::memmem::find(line, text).is_some()
}

/// Date, type, id and the rest of a line; none where it is no line of such a log.
fn parts(line: &[u8]) -> Option<[&[u8]; 4]> {
    let mut fields = line.splitn(4, |b| *b == b';');
    let mut next = || fields.next();
    let found = [next()?, next()?, next()?, next()?];
    let form = b"00/00/0000 00:00:00";
    let fits = |(b, f): (&u8, &u8)| if *f == b'0' { b.is_ascii_digit() } else { b == f };
    let dated = found[0].len() == form.len() && found[0].iter().zip(form).all(fits);
    (dated && found[1].len() == 1 && found[1][0].is_ascii_alphabetic()).then_some(found)
}

/// A job's lines of the log while it runs, or waits to run again.
#[derive(Default)]
struct Live {
    run: Record,
    /// Seconds that the clock at the front of lines is ahead.
    ahead: i64,
    /// The end of its last run, where it was queued again.
    again: Option<i64>,
}

struct Pbs {
    lines: Lines,
    /// Jobs that started and have not ended, by id.
    live: BTreeMap<String, Live>,
    /// How many at once, so far.
    most: usize,
    begun: bool,
    /// The latest time at the front of a line.
    latest: i64,
}

impl Pbs {
    fn new(lines: Lines) -> Self {
        Pbs { lines, live: BTreeMap::new(), most: 0, begun: false, latest: i64::MIN }
    }

    /// At the end of the file: the next job that has not ended.
    fn still_running(&mut self, record: &mut Record, tally: &mut Tally) -> Result<bool> {
        if !self.begun {
            let expected = "lines such as 01/26/2016 00:00:37;E;2994.pbs;…";
            return Err(no_jobs(self.lines.name(), expected));
        }
        while let Some((_, live)) = self.live.pop_first() {
            if live.run.start.is_some() {
                tally.lines += 1;
                *record = live.run;
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// `key=value` pairs with blanks between; values with blanks are in quotes of one of two kinds.
fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_start();
            let at = rest.bytes().position(|b| b == b'=' || b.is_ascii_whitespace())?;
            if !rest[at..].starts_with('=') {
                rest = &rest[at..];
                continue;
            }
            let (key, value) = (&rest[..at], &rest[at + 1..]);
            let quote = value.chars().next().filter(|c| ['"', '\''].contains(c));
            let quoted = quote.and_then(|quote| value[1..].split_once(quote));
            let (value, after) = quoted.unwrap_or_else(|| {
                let end = value.bytes().position(|b| b.is_ascii_whitespace());
                value.split_at(end.unwrap_or(value.len()))
            });
            rest = after;
            return Some((key, value));
        }
    })
}

/// Reads what a line says of a run into `record`: whether it ends before it starts, none where it has no end.
fn read(line: &RawLine<'_>, text: &str, record: &mut Record) -> Result<Option<bool>> {
    let mut end = None;
    for (key, value) in pairs(text) {
        let time = || instant(value).ok_or_else(|| wrong(line.location(), key, value, INSTANT));
        match key {
            "ctime" => record.submit = time()?,
            "start" => record.start = time()?.filter(|time| *time > 0),
            "end" => end = time()?,
            "user" => record.user = value.into(),
            "queue" => record.partition = value.into(),
            "Resource_List.walltime" => {
                record.limit =
                    limit(value, 1).ok_or_else(|| wrong(line.location(), key, value, LIMIT))?;
            }
            "exec_host" => {
                // HOST/CPUS, joined by +, where CPUS may have commas; a host once for each chunk.
                record.hosts.clear();
                let hosts = value.split('+').map(|host| host.split('/').next().unwrap_or_default());
                host_list(&distinct(&hosts.collect::<Vec<_>>().join(",")), &mut record.hosts);
            }
            "Exit_status" => {
                record.state = if value == "0" { State::Completed } else { State::Failed };
            }
            _ => {}
        }
    }
    Ok(end.map(|end| record.ends_at(Some(end))))
}

/// A line: its type, the local time at its front as if it were that of Greenwich, the job's id, and what is said.
struct Event<'a> {
    kind: u8,
    front: Option<i64>,
    id: &'a str,
    text: &'a str,
}

fn event<'a>(line: &RawLine<'a>) -> Result<Event<'a>> {
    line.text()?;
    let Some([date, kind, id, text]) = parts(line.bytes) else {
        let found = quote(&String::from_utf8_lossy(line.bytes));
        let expected = "a line of an accounting log: MM/DD/YYYY HH:MM:SS;TYPE;ID;key=value …";
        return Err(Error::input(line.location(), found, expected));
    };
    // The whole line is UTF-8, and parted at ASCII.
    let [date, id, text] = [date, id, text].map(|b| std::str::from_utf8(b).unwrap_or_default());
    let day = format!("{}-{}T{}", &date[6..10], date[..5].replace('/', "-"), &date[11..]);
    Ok(Event { kind: kind[0], front: calendar(&day), id, text })
}

/// Whether lines of this kind begin or end a run; others are counted where they say something of one.
fn is_run(kind: u8, tally: &mut Tally) -> bool {
    match kind {
        b'S' | b'E' | b'R' => return true,
        b'u' => tally.add(Reason::GivenBack, 1),
        // Queued, deleted, aborted, altered, held back, restarted; reservations; licences; provisioning.
        kind if b"QDATCMLszrceaUYBFKkPp".contains(&kind) => {}
        _ => tally.leave_out(Reason::UnknownLine),
    }
    false
}

impl Source for Pbs {
    fn next(&mut self, record: &mut Record, tally: &mut Tally) -> Result<bool> {
        while let Some(line) = self.lines.line()? {
            if line.bytes.trim_ascii().is_empty() {
                continue;
            }
            self.begun = true;
            tally.at(line.file, line.number);
            let Event { kind, front, id, text } = event(&line)?;
            if let Some(front) = front {
                // Days in another order, or a clock that was wrong; zones and summer time are less.
                tally.add(Reason::ClockBack, usize::from(front + 86_400 < self.latest));
                self.latest = self.latest.max(front);
            }
            // `101.server` is job 101.
            let name = id.split('.').next().unwrap_or_default();
            if !is_run(kind, tally) {
                continue;
            }
            let bare = kind == b'R' && text.trim().is_empty();
            let mut live = self.live.remove(id).unwrap_or_default();
            let mut run = Record::default();
            run.stands_on(line.file, line.number, fingerprint(line.text()?, 0));
            if bare {
                let Some(start) = live.run.start else {
                    // It started before the file begins.
                    tally.leave_out(Reason::NoSubmitTime);
                    continue;
                };
                run = std::mem::take(&mut live.run);
                run.run = front.map(|front| (front - live.ahead - start).max(0));
                run.state = State::Failed;
            } else {
                run.job.push_str(name);
                let backwards = read(&line, text, &mut run)?;
                // The parent of an array holds no nodes.
                if kind != b'S' && name.ends_with("[]") && run.hosts.is_empty() {
                    continue;
                }
                let fault = match backwards {
                    Some(true) => Some(Reason::EndsBeforeStart),
                    _ if kind == b'S' => None,
                    _ if run.start.is_none() => Some(Reason::NotStarted),
                    // A run that ended says so in its line, behind its nodes.
                    None => Some(Reason::TornLine),
                    Some(false) => None,
                };
                if let Some(fault) = fault {
                    tally.leave_out(fault);
                    continue;
                }
            }
            if let (Some(again), Some(start)) = (live.again.filter(|_| !bare), run.start)
                && again <= start
            {
                // It waited since its last run.
                run.submit = Some(again);
            }
            if kind == b'S' {
                // A run whose end the log lacks.
                let lost = live.run.start.is_some_and(|start| Some(start) != run.start);
                tally.lines += u64::from(lost);
                tally.add(Reason::StillRunning, usize::from(lost));
                let ahead = front.zip(run.start).map_or(0, |(front, start)| front - start);
                // Zones are quarters of an hour apart.
                live.ahead = (ahead + 450).div_euclid(900) * 900;
                (live.run, live.run.run) = (run, None);
                let bytes = 2 * size_of::<Live>() + line.bytes.len();
                self.live.insert(id.to_string(), live);
                if self.live.len() > self.most {
                    self.most = self.live.len();
                    self.lines.keep(bytes, "jobs that run")?;
                }
                continue;
            }
            tally.lines += 1;
            if kind == b'R' {
                let again = run.end();
                self.live.insert(id.to_string(), Live { again, ..Live::default() });
            }
            *record = run;
            return Ok(true);
        }
        self.still_running(record, tally)
    }
}
