//! Rows of one job put together: tables with a row for each worker, and jobs that a file has twice.
//!
//! Rows belong to one job where job and start agree (submit, where the start is not known). Jobs are held back until
//! [`HELD`] further ones, or [`HELD_BYTES`] of host lists, have come: rows that come later than that are counted. So
//! memory is bounded, whatever the length of the file.

use std::collections::{HashSet, VecDeque};

use hashbrown::HashTable;

use super::record::{Record, Source};
use crate::tally::{Reason, Tally};
use nodeorder_base::Result;

/// Largest number of jobs held back.
const HELD: usize = 1 << 10;
/// Largest number of bytes of the host lists of all jobs held back.
const HELD_BYTES: usize = 16 << 20;
/// Jobs handed out whose further rows are still noticed: the last of each remainder. 6 MB.
const REMEMBERED: usize = 1 << 18;

/// Hashes a text and a number to a fixed value, never 0, which stands for none.
pub fn hash_text(text: &str, number: i64) -> u64 {
    // Multiply and fold, eight bytes at a time: every row of a file is counted here.
    let mix = |hash: u64, word: u64| {
        let wide = u128::from((hash ^ word) | 1 << 63) * 0x9e37_79b9_7f4a_7c15;
        (wide as u64).rotate_left(29) ^ (wide >> 64) as u64
    };
    let words = text.as_bytes().chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    });
    let hash = words.fold(mix(text.len() as u64, number as u64), mix);
    mix(hash, 0).max(1)
}

/// A job held back, with what its rows say.
#[derive(Default)]
struct PendingRow {
    record: Record,
    key: u64,
    /// Fingerprints of the job's rows, where there are several.
    rows: HashSet<u64>,
    /// The least, largest and summed node count of a row.
    counts: (u32, u32, u32),
}

/// Jobs of a source whose rows may be several.
pub struct JobRows {
    pub source: Box<dyn Source>,
    /// Whether further rows of a job are of its further nodes; else the last row is the job.
    joins: bool,
    held: VecDeque<PendingRow>,
    /// Number of jobs handed out so far.
    out: usize,
    /// Jobs held, by key, as their number from the beginning of the file.
    by_key: HashTable<(u64, usize)>,
    bytes: usize,
    spare: Vec<Record>,
    /// Jobs that were handed out: key, first row, whether they had ended.
    passed: Vec<(u64, u64, bool)>,
    ended: bool,
}

impl JobRows {
    pub fn new(source: Box<dyn Source>, joins: bool) -> Self {
        JobRows {
            source,
            joins,
            held: VecDeque::new(),
            out: 0,
            by_key: HashTable::new(),
            bytes: 0,
            spare: Vec::new(),
            passed: Vec::new(),
            ended: false,
        }
    }

    /// Reads the next job into `record`, which is cleared; false when there is none.
    pub fn next(&mut self, record: &mut Record, tally: &mut Tally) -> Result<bool> {
        loop {
            while !self.ended && self.held.len() <= HELD && self.bytes <= HELD_BYTES {
                let mut row = self.spare.pop().unwrap_or_default();
                row.clear();
                if self.source.read_next(&mut row, tally)? {
                    self.add_row(row, tally)
                } else {
                    self.ended = true
                }
            }
            let Some(job) = self.held.pop_front() else {
                return Ok(false);
            };
            self.out += 1;
            self.bytes -= job.record.hosts.len();
            if job.key > 0 {
                let found = self
                    .by_key
                    .find_entry(job.key, |(known, _)| *known == job.key);
                if let Ok(entry) = found {
                    entry.remove();
                }
                // Made with the first job that has a key: sources without rows need no table.
                self.passed.resize(REMEMBERED, (0, 0, false));
                let ended = job.record.run.is_some();
                self.passed[job.key as usize % REMEMBERED] = (job.key, job.record.row, ended);
            }
            let (whole, clear) = job.into_job(self.joins);
            if !clear {
                tally.set_row(whole.file, whole.line);
                tally.add_count(Reason::UnclearRows, 1);
                self.spare.push(whole);
                continue;
            }
            self.spare.push(std::mem::replace(record, whole));
            return Ok(true);
        }
    }

    /// Takes in a row: a new job, or a further row of one.
    fn add_row(&mut self, row: Record, tally: &mut Tally) {
        tally.set_row(row.file, row.line);
        // A row that neither started nor ran has no time to tell runs of a job apart: it is a job by itself.
        let key = match row.start.or(row.submit.filter(|_| row.run.is_some())) {
            Some(time) if row.row > 0 => hash_text(&row.job, time),
            _ => 0,
        };
        if let Some((_, at)) = self.by_key.find(key, |(known, _)| *known == key) {
            let job = &mut self.held[at - self.out];
            self.bytes -= job.record.hosts.len();
            tally.add_count(job.merge_row(&row, self.joins), 1);
            self.bytes += job.record.hosts.len();
            return self.spare.push(row);
        }
        // A slot may be another job's by now: the row then passes for a new job.
        let remembered = self
            .passed
            .get(key as usize % REMEMBERED)
            .filter(|(k, ..)| *k == key);
        match remembered.filter(|_| key > 0) {
            Some((_, first, _)) if *first == row.row => tally.add_count(Reason::SameAgain, 1),
            Some((.., ended)) if self.joins || *ended => tally.add_count(Reason::RowTooFar, 1),
            again => {
                tally.add_count(Reason::AgainLater, usize::from(again.is_some()));
                self.bytes += row.hosts.len();
                if key > 0 {
                    let at = self.out + self.held.len();
                    self.by_key
                        .insert_unique(key, (key, at), |(known, _)| *known);
                }
                let counts = (row.nodes, row.nodes, row.nodes);
                self.held.push_back(PendingRow {
                    record: row,
                    key,
                    counts,
                    ..PendingRow::default()
                });
                return;
            }
        }
        self.spare.push(row);
    }
}

impl PendingRow {
    /// Adds a row to the job's, and returns how it was taken: the reason to count it under.
    fn merge_row(&mut self, row: &Record, joins: bool) -> Reason {
        let job = &mut self.record;
        self.rows.insert(job.row);
        if !self.rows.insert(row.row) {
            return Reason::SameAgain;
        }
        if !joins {
            // The last word on a job counts, unless the job is said to run on.
            let old = job.run;
            let new = row.run;
            if new.is_some() || old.is_none() {
                job.clone_from(row);
            }
            return if old.is_some() && new.is_some() {
                Reason::SameAgain
            } else {
                Reason::StillRunning
            };
        }
        if !row.hosts.is_empty() {
            job.hosts
                .push_str(if job.hosts.is_empty() { "" } else { "," });
            job.hosts.push_str(&row.hosts);
        }
        // It ends with its last worker.
        job.run = job.run.zip(row.run).map(|(a, b)| a.max(b));
        job.submit = job.submit.min(row.submit);
        job.limit = job.limit.max(row.limit);
        let (least, most, sum) = self.counts;
        self.counts = (
            least.min(row.nodes),
            most.max(row.nodes),
            sum.saturating_add(row.nodes),
        );
        Reason::RowsJoined
    }

    /// Makes the job with the nodes of all of its rows, and whether it is clear how many these are.
    fn into_job(self, joins: bool) -> (Record, bool) {
        let PendingRow {
            mut record,
            rows,
            counts: (least, most, sum),
            ..
        } = self;
        let several = joins && rows.len() > 1;
        if several && record.hosts.is_empty() {
            // Each row is a node, or each says how many rows there are.
            let workers = u32::try_from(rows.len()).unwrap_or(u32::MAX);
            record.nodes = if most == 0 { 0 } else { workers };
            return (record, least == most && [0, 1, workers].contains(&most));
        }
        if several {
            record.hosts = join_distinct(split_host_list(&record.hosts));
            let listed = count_names(&record.hosts);
            // A row says 1, or its own nodes, or those of the job; anything else contradicts the list.
            record.nodes = if most <= 1 || sum == listed {
                listed
            } else {
                most
            };
        } else if record.nodes == 0 {
            record.nodes = count_names(&record.hosts);
        }
        (record, true)
    }
}

/// Splits a list at commas or blanks into names and bracketed names.
pub fn split_host_list(list: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    let parts = list.split(move |c: char| {
        inside = (inside || c == '[') && c != ']';
        !inside && (c == ',' || c.is_ascii_whitespace())
    });
    parts.filter(|piece| !piece.is_empty())
}

/// Joins pieces to a host list that has each of them once.
pub fn join_distinct<'a>(pieces: impl Iterator<Item = &'a str>) -> String {
    let mut all: Vec<&str> = pieces.filter(|piece| !piece.is_empty()).collect();
    // Most lists are in order.
    if !all.is_sorted_by(|a, b| a < b) {
        let mut seen = HashSet::new();
        all.retain(|piece| seen.insert(*piece));
    }
    all.join(",")
}

/// Counts the names that a host list stands for, where every bracket is a list of ranges; 0 where it is no host list.
pub fn count_names(list: &str) -> u32 {
    let mut all = 0u32;
    let mut word = 1u32;
    let mut inside = 0u32;
    let mut rest = list;
    if rest.is_empty() {
        return 0;
    }
    while let Some(at) = rest.find(['[', ',']) {
        if rest.as_bytes()[at] == b',' {
            all = all.saturating_add(word);
            word = 1;
            rest = &rest[at + 1..];
            continue;
        }
        let Some((ranges, tail)) = rest[at + 1..].split_once(']') else {
            return 0;
        };
        for range in ranges.split(',') {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let (Ok(first), Ok(last)) = (first.parse::<u32>(), last.parse::<u32>()) else {
                return 0;
            };
            inside = inside.saturating_add(last.saturating_sub(first).saturating_add(1));
        }
        word = word.saturating_mul(std::mem::take(&mut inside));
        rest = tail;
    }
    all.saturating_add(word)
}
