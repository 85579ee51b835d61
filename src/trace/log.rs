//! Placement logs: `P JOB NODES` places a job, `F JOB` frees it. Options that the job asks of its allocator may
//! follow, as in `P 7 64 segment=4`. `P 8 16+1` is a job of 16 pods and their leader; `D HOST` and `U HOST` say that
//! a node fails and returns.
//!
//! Fields are parted by blanks; `#` starts a comment; blank lines are left out. A job id is any token without
//! blanks, and may come again after it was freed. Events have an order but no time.

use std::collections::BTreeMap;
use std::path::Path;

use nodeorder_base::input::{RawLine, strip_zero_fraction};
use nodeorder_base::{Error, Lines, Result, SourceLocation};

mod live;

pub use live::JobKey;

use live::JobTable;

/// An event of a placement log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A job starts on `nodes` nodes, at least one.
    Place {
        /// The job.
        job: JobKey,
        /// Number of nodes that it asks for.
        nodes: u32,
    },
    /// A job ends.
    Free {
        /// The job.
        job: JobKey,
    },
    /// A node fails, called by [`Block::name_of_event`].
    Down,
    /// A node that failed is back.
    Up,
}

/// Some events in a row, with the names of the jobs they place.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The events, in file order.
    pub events: Vec<Event>,
    names: String,
    /// Where each event's name ends in `names`.
    ends: Vec<usize>,
    /// Options that jobs ask for, by event.
    options: BTreeMap<usize, JobOptions>,
}

/// Options that a job asks of the allocator, such as `segment=4`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobOptions {
    /// Options as `key=value`, with blanks between.
    pub text: String,
    /// The line of the job.
    pub location: SourceLocation,
}

impl Block {
    /// Looks up the name of the job that event `index` places, or of the node that fails or returns; empty for an
    /// event that frees.
    ///
    /// # Panics
    /// When there is no such event.
    pub fn name_of_event(&self, index: usize) -> &str {
        let from = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.names[from..self.ends[index]]
    }

    /// Looks up the options that the job of event `index` asks for; of a node that fails or returns, an empty text and
    /// its line. `None` if there are none.
    pub fn options_of_event(&self, index: usize) -> Option<&JobOptions> {
        self.options.get(&index)
    }

    fn clear(&mut self) {
        self.events.clear();
        self.names.clear();
        self.ends.clear();
        self.options.clear();
    }

    fn push(&mut self, event: Event, name: &str) {
        self.events.push(event);
        self.names.push_str(name);
        self.ends.push(self.names.len());
    }
}

/// Reads a placement log block by block.
///
/// Memory holds the live jobs' names, one block and one piece of the file: a log may be of any length.
///
/// # Errors
/// With file and line: an event other than `P`, `F`, `D` and `U`, fields missing or left over, a size that is no
/// whole number from 1 to 2³² - 1, a job placed while it lives or freed while it does not. Whether a job
/// fits on a machine is not this reader's business: a job that a replay skips is still freed in the log.
///
/// # Examples
/// ```
/// use nodeorder_trace::{Block, Event, Log};
///
/// let mut log = Log::new("log", "P a 8\nF a\nP b 3\n");
/// let (mut block, mut nodes) = (Block::default(), 0);
/// while log.next_block(1000, &mut block)? {
///     for (i, event) in block.events.iter().enumerate() {
///         if let Event::Place { nodes: n, .. } = event {
///             println!("{} takes {n}", block.name_of_event(i));
///             nodes += n;
///         }
///     }
/// }
/// assert_eq!(nodes, 11);
/// # Ok::<(), nodeorder_base::error::Error>(())
/// ```
#[derive(Debug)]
pub struct Log {
    lines: Lines,
    live: JobTable,
    /// Whether there was an event.
    begun: bool,
}

impl Log {
    /// Opens a log; `-` is standard input, a name ending in `.gz` is decompressed. Its live jobs may take `memory`
    /// bytes.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub fn open(path: &Path, memory: u64) -> Result<Self> {
        Ok(Log::from_lines(Lines::open(path, memory)?))
    }

    /// Reads a log held in memory, quoted as `name`.
    pub fn new(name: &str, text: impl Into<Vec<u8>>) -> Self {
        Log::from_lines(Lines::new(name, text))
    }

    /// Reads the rest of `lines` as a log.
    pub fn from_lines(lines: Lines) -> Self {
        Log {
            lines,
            live: JobTable::default(),
            begun: false,
        }
    }

    /// Returns the name used in messages.
    pub fn name(&self) -> &str {
        self.lines.name()
    }

    /// Counts bytes that are kept of the log elsewhere, as [`Lines::charge_memory`].
    pub(super) fn charge_memory(&mut self, bytes: usize, what: &str) -> Result<()> {
        self.lines.charge_memory(bytes, what)
    }

    /// Counts the jobs that live after the events read so far.
    pub fn live_jobs(&self) -> usize {
        self.live.table.len()
    }

    /// Counts the keys given out so far, one more than the largest: the most jobs that lived at once.
    pub fn key_count(&self) -> usize {
        self.live.jobs.len()
    }

    /// Replaces the contents of `block` by the next `events` events (at least one), or as many as are left;
    /// false when none are.
    ///
    /// # Errors
    /// A line that is wrong (see [`Log`]), or a file that cannot be read; the block then holds the events
    /// before it.
    ///
    /// # Complexity
    /// O(bytes read).
    pub fn next_block(&mut self, events: usize, block: &mut Block) -> Result<bool> {
        block.clear();
        // Names may be long, so the number of events alone would not bound the memory of a block.
        while block.events.len() < events.max(1) && block.names.len() < MOST_NAMES {
            let Some(line) = self.lines.read_line()? else {
                break;
            };
            let kept = read_event(line, &mut self.live, block)?;
            if kept > 0 {
                self.lines.charge_memory(kept, "live jobs")?;
            }
        }
        self.begun |= !block.events.is_empty();
        // A log without any event is a wrong file rather than an idle machine.
        if !self.begun {
            return Err(no_jobs_error(
                self.name(),
                "events `P JOB NODES` and `F JOB`",
            ));
        }
        Ok(!block.events.is_empty())
    }
}

/// Bytes of names after which a block is full.
const MOST_NAMES: usize = 1 << 24;

/// Reads one line, which may hold no event. Returns how many bytes more the live jobs take.
fn read_event(line: RawLine<'_>, live: &mut JobTable, block: &mut Block) -> Result<usize> {
    // Comments, too, are held to UTF-8, as everywhere in this tool's own formats.
    let text = line.text()?;
    let data = text.split('#').next().unwrap_or_default();
    let mut fields = data.split_ascii_whitespace();
    let Some(letter) = fields.next() else {
        return Ok(0);
    };
    let wants = match letter {
        "P" => "`P JOB NODES`",
        "F" => "`F JOB`",
        "D" | "U" => "`D HOST` or `U HOST`",
        _ => {
            let found = format!("the event {}", quote_token(letter));
            let expected = "`P JOB NODES`, `F JOB`, `D HOST` or `U HOST`";
            return Err(line.error_here(found, expected));
        }
    };
    let placing = letter == "P";
    let job = fields.next();
    let size = if placing { fields.next() } else { None };
    let rest = fields.next();
    let asks = placing && rest.is_some_and(|word| word.contains('='));
    let (Some(job), true, true) = (job, asks || rest.is_none(), !placing || size.is_some()) else {
        let count = data.split_ascii_whitespace().count();
        let found = format!(
            "{count} field{} with `{letter}`",
            if count == 1 { "" } else { "s" }
        );
        return Err(line.error_here(found, wants));
    };
    // No options, only the line: a replay finds out whether the machine has such a node, and its message says where.
    if ["D", "U"].contains(&letter) {
        let options = JobOptions {
            text: String::new(),
            location: line.location(),
        };
        block.options.insert(block.events.len(), options);
        block.push(
            if letter == "D" {
                Event::Down
            } else {
                Event::Up
            },
            job,
        );
        return Ok(0);
    }
    if let Some(size) = size {
        // The leader takes as many GPUs as a pod, unless the line says how many.
        let led = size.strip_suffix("+1");
        let size = led.unwrap_or(size);
        let nodes = parse_size(size).ok_or_else(|| {
            let found = format!("{} nodes for job {}", quote_token(size), quote_token(job));
            line.error_here(found, format!("a whole number from 1 to {}", u32::MAX))
        })?;
        let before = live.bytes;
        match live.add_job(job, line.number) {
            Ok(key) => {
                if asks || led.is_some() {
                    let mut words: Vec<&str> = rest.into_iter().chain(fields).collect();
                    if led.is_some() && !words.iter().any(|word| word.starts_with("leader=")) {
                        words.push("leader=same");
                    }
                    let options = JobOptions {
                        text: words.join(" "),
                        location: line.location(),
                    };
                    block.options.insert(block.events.len(), options);
                }
                block.push(Event::Place { job: key, nodes }, job);
            }
            Err(since) => {
                let found = format!("`P` of job {}, live since line {since}", quote_token(job));
                return Err(line.error_here(found, "a job that is not live"));
            }
        }
        return Ok(live.bytes - before);
    }
    match live.end_job(job) {
        Some(key) => block.push(Event::Free { job: key }, ""),
        None => {
            let found = format!("`F` of job {}, which is not live", quote_token(job));
            let expected = "a job placed before and not yet freed";
            return Err(line.error_here(found, expected));
        }
    }
    Ok(0)
}

/// Parses a size: decimal digits only, 1 to 2³² - 1.
fn parse_size(text: &str) -> Option<u32> {
    let text = strip_zero_fraction(text);
    // `parse` would take a leading plus.
    let digits = text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|n| digits && *n > 0)
}

/// Builds the error of a file without jobs.
pub fn no_jobs_error(file: &str, expected: &str) -> Error {
    Error::input(SourceLocation::File(file.into()), "no jobs", expected)
}

/// Quotes a token in a message, cut where it is long.
pub fn quote_token(token: &str) -> String {
    match token.char_indices().nth(40) {
        None => format!("`{token}`"),
        Some((end, _)) => format!("`{}…`", &token[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(text: &str, at_once: usize) -> Result<Vec<(Event, String)>> {
        let mut log = Log::new("log", text);
        let mut block = Block::default();
        let mut all = Vec::new();
        while log.next_block(at_once, &mut block)? {
            assert!(block.events.len() <= at_once);
            all.extend(
                block
                    .events
                    .iter()
                    .enumerate()
                    .map(|(i, e)| (*e, block.name_of_event(i).to_string())),
            );
        }
        assert!(!log.next_block(at_once, &mut block)? && block.events.is_empty());
        Ok(all)
    }

    fn place(job: u32, nodes: u32) -> Event {
        Event::Place {
            job: JobKey(job),
            nodes,
        }
    }

    fn free(job: u32) -> Event {
        Event::Free { job: JobKey(job) }
    }

    #[test]
    fn events_come_with_keys_and_names() {
        let text = "# a log\r\nP\ta  8 # first\r\n\r\n P b.1 4294967295\nF a\nP ü 1\nP a 2\nF b.1";
        for at_once in 1..9 {
            let seen = read_all(text, at_once).unwrap();
            let names: Vec<&str> = seen.iter().map(|(_, name)| name.as_str()).collect();
            assert_eq!(names, ["a", "b.1", "", "ü", "a", ""]);
            let events: Vec<Event> = seen.iter().map(|(event, _)| *event).collect();
            // Key 0 is free again when ü comes.
            let wanted = [
                place(0, 8),
                place(1, u32::MAX),
                free(0),
                place(0, 1),
                place(2, 2),
                free(1),
            ];
            assert_eq!(events, wanted);
        }
        for nothing in ["", "# nothing\n\n", "\r\r"] {
            let error = read_all(nothing, 5).unwrap_err().to_string();
            assert!(
                error.starts_with("log: found no jobs; expected events"),
                "{error}"
            );
        }
    }

    #[test]
    fn bad_lines_are_named() {
        let size = "expected a whole number from 1 to 4294967295";
        let cases = [
            (
                "X 1 2",
                "found the event `X`; expected `P JOB NODES`, `F JOB`, `D HOST` or `U HOST`",
            ),
            (
                "p 1 2",
                "found the event `p`; expected `P JOB NODES`, `F JOB`, `D HOST` or `U HOST`",
            ),
            ("P", "found 1 field with `P`; expected `P JOB NODES`"),
            ("P 1", "found 2 fields with `P`; expected `P JOB NODES`"),
            ("P 1 2 3", "found 4 fields with `P`; expected `P JOB NODES`"),
            ("F", "found 1 field with `F`; expected `F JOB`"),
            ("F a 2", "found 3 fields with `F`; expected `F JOB`"),
            ("P 1 0", &format!("found `0` nodes for job `1`; {size}")),
            ("P 1 -3", &format!("found `-3` nodes for job `1`; {size}")),
            ("P 1 +3", &format!("found `+3` nodes for job `1`; {size}")),
            ("P 1 2.5", &format!("found `2.5` nodes for job `1`; {size}")),
            (
                "P 1 many",
                &format!("found `many` nodes for job `1`; {size}"),
            ),
            (
                "P 1 4294967296",
                &format!("found `4294967296` nodes for job `1`; {size}"),
            ),
            (
                "P a 3",
                "found `P` of job `a`, live since line 2; expected a job that is not live",
            ),
            (
                "F b",
                "found `F` of job `b`, which is not live; expected a job placed before and not yet freed",
            ),
        ];
        for (line, message) in cases {
            let text = format!("# head\nP a 1\nP b 2\nF b\n{line}\n");
            assert_eq!(
                read_all(&text, 3).unwrap_err().to_string(),
                format!("log:5: {message}")
            );
        }
        let error = read_all("F x\n", 3).unwrap_err().to_string();
        assert!(error.starts_with("log:1: found `F` of job `x`"), "{error}");
        let long = format!("F {}", "y".repeat(100));
        let error = read_all(&long, 3).unwrap_err().to_string();
        assert!(error.contains(&format!("`{}…`", "y".repeat(40))), "{error}");
        let mut log = Log::new("log", b"P a 1\nP \xff 2\n".to_vec());
        let error = log
            .next_block(9, &mut Block::default())
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "log:2: found bytes that are not UTF-8; expected UTF-8 text"
        );
    }
}
