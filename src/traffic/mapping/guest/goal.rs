//! GOAL, the text that LogGOPSim and ATLAHS read: what ranks send.
//!
//! ```text
//! num_ranks 2
//! rank 0 {
//!   l1: send 4096b to 1 tag 7
//!   l2: calc 100
//!   l2 requires l1
//! }
//! rank 1 { … }
//! ```
//!
//! Every rank has its block, if an empty one, as LogGOPSim's `Schedgen` writes them (`schedgen.cpp`: its patterns open
//! and close one for each rank from 0 on): a file with fewer was cut off.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::PathBuf;

use super::{BuildGuest, Guest, GuestEntry, MAX_PROCESSES, Message, Pattern};
use nodeorder_base::{Line, Lines, Opt, Params, Result};
use nodeorder_network::Context;

/// `goal:FILE`.
pub const GUEST: GuestEntry = GuestEntry {
    name: "goal",
    about: "a GOAL schedule as text: the bytes that every rank sends to every other",
    example: "goal:app.goal",
    options: &[Opt::file("file", "a GOAL schedule, num_ranks first").positional()],
    parse: Pattern::new(parse),
};

/// Path of the schedule.
struct GoalFile(PathBuf);

/// Reads the options of `goal`.
fn parse(params: &Params) -> Result<Box<dyn BuildGuest>> {
    match params.optional_path("file")? {
        Some(path) => Ok(Box::new(GoalFile(path))),
        None => Err(params.invalid_value("file", "a file, as in goal:app.goal")),
    }
}

/// Part of a schedule that was read so far.
#[derive(Default)]
struct Schedule {
    /// Whether each rank has had its block; empty before `num_ranks`.
    seen: Vec<bool>,
    /// Rank whose block is open; `None` between blocks.
    rank: Option<u32>,
    /// Bytes by sender and receiver.
    sent: HashMap<(u32, u32), u64>,
}

impl BuildGuest for GoalFile {
    /// Reads the file as a stream. Only `send` counts; `recv`, `calc` and dependencies are checked for their form.
    ///
    /// # Errors
    /// With the line: anything that is no statement of GOAL, ranks out of range or again, a block that does not end,
    /// a rank without a block.
    ///
    /// # Complexity
    /// O(length) time; memory for the pairs of ranks that communicate.
    ///
    /// # References
    /// Hoefler, Siebert, Lumsdaine, "Group Operation Assembly Language", 2009; the grammar of LogGOPSim's `txt2bin`.
    fn build(&self, label: &str, context: &Context) -> Result<Guest> {
        let mut lines = Lines::open(&self.0, context.memory)?;
        let name = lines.name().to_string();
        let mut schedule = Schedule::default();
        let mut comment = false;
        let mut charged_pairs = 0;
        while let Some(raw) = lines.read_line()? {
            let line = Line::new(&name, raw.number, raw.text()?);
            let text = if comment || line.text.contains('/') {
                Cow::Owned(without_comments(line.text, &mut comment))
            } else {
                Cow::Borrowed(line.text)
            };
            if !text.trim().is_empty() {
                schedule.add_statement(&line, text.trim())?;
            }
            // Only what is kept counts towards the memory: the file may be of any length.
            let more = schedule.sent.len() - charged_pairs;
            if more > 0 {
                // A byte of each rank, `Schedule::seen`, is charged with the first pair.
                let ranks = if charged_pairs == 0 {
                    schedule.seen.len()
                } else {
                    0
                };
                charged_pairs += more;
                lines.charge_memory(64 * more + ranks, "pairs of ranks")?;
            }
        }
        let end = Line::new(&name, lines.line_number().max(1), "");
        let expected = if schedule.seen.is_empty() {
            "num_ranks and a number"
        } else {
            "} or */"
        };
        if comment {
            return Err(end.error_here("a comment that does not end", expected));
        }
        if schedule.rank.is_some() || schedule.seen.is_empty() {
            return Err(end.error_here("the end", expected));
        }
        if let Some(missing) = schedule.seen.iter().position(|seen| !seen) {
            let blocks = schedule.seen.iter().filter(|seen| **seen).count();
            let found = format!(
                "the end after {blocks} of {} ranks (none for rank {missing})",
                schedule.seen.len()
            );
            return Err(end.error_here(found, "a block for each rank"));
        }
        let ranks = schedule.seen.len() as u32;
        Guest::from_messages(label, ranks, Message::list_from_bytes(schedule.sent))
    }
}

/// Strips a line of `// …` and `/* … */`, which may go on from line to line: `inside` says whether one is open.
fn without_comments(mut text: &str, inside: &mut bool) -> String {
    let mut kept = String::new();
    loop {
        if *inside {
            let Some((_, after)) = text.split_once("*/") else {
                return kept;
            };
            text = after;
            *inside = false;
        }
        // Whichever comment begins first swallows the other.
        let plain = text.find("//").unwrap_or(text.len());
        let Some(block) = text[..plain].find("/*") else {
            return kept + &text[..plain];
        };
        kept += &text[..block];
        kept.push(' ');
        text = &text[block + 2..];
        *inside = true;
    }
}

/// Reads a number of bytes, as in `4096b`; `None` if it is none.
fn parse_size(word: &str) -> Option<u64> {
    word.strip_suffix('b')?.parse().ok()
}

impl Schedule {
    /// Reads a rank. Fails unless it is below the number of ranks.
    fn parse_rank(&self, line: &Line<'_>, word: &str) -> Result<u32> {
        match word.parse::<u32>() {
            Ok(rank) if (rank as usize) < self.seen.len() => Ok(rank),
            _ => {
                let last = self.seen.len().saturating_sub(1);
                let expected = format!("a rank from 0 to {last}");
                Err(line.error_here(format!("rank `{word}`"), expected))
            }
        }
    }

    /// Reads a statement, `text`, and adds what it sends.
    fn add_statement(&mut self, line: &Line<'_>, text: &str) -> Result<()> {
        let wrong = |expected: &str| Err(line.error_here(format!("`{text}`"), expected));
        let mut words = text.split_ascii_whitespace();
        let mut word = || words.next().unwrap_or("");
        let Some(from) = self.rank else {
            return match (word(), word(), word(), word()) {
                ("num_ranks", count, "", "") if self.seen.is_empty() => match count.parse() {
                    Ok(count @ 1..=MAX_PROCESSES) => {
                        self.seen = vec![false; count as usize];
                        Ok(())
                    }
                    _ => wrong(&format!("num_ranks from 1 to {MAX_PROCESSES}")),
                },
                _ if self.seen.is_empty() => wrong("num_ranks and a number"),
                ("rank", rank, "{", "") => {
                    let rank = self.parse_rank(line, rank)?;
                    if std::mem::replace(&mut self.seen[rank as usize], true) {
                        return Err(line.error_here(format!("rank {rank} again"), "each rank once"));
                    }
                    self.rank = Some(rank);
                    Ok(())
                }
                _ => wrong("rank R {"),
            };
        };
        let mut first = word();
        let label = first;
        if first.ends_with(':') {
            first = word();
        }
        let expected = "send SIZEb to R, recv SIZEb from R, calc N, A requires B or }";
        let numbers = match first {
            "}" => {
                self.rank = None;
                return if text == "}" {
                    Ok(())
                } else {
                    wrong("} alone")
                };
            }
            "send" => {
                let (Some(bytes), "to") = (parse_size(word()), word()) else {
                    return wrong(expected);
                };
                let to = self.parse_rank(line, word())?;
                if to != from && bytes > 0 {
                    let sum = self.sent.entry((from, to)).or_default();
                    *sum = sum.saturating_add(bytes);
                }
                true
            }
            // Any rank may be meant by -1.
            "recv" => match (parse_size(word()), word(), word()) {
                (Some(_), "from", "-1") => true,
                (Some(_), "from", peer) => self.parse_rank(line, peer).is_ok(),
                _ => false,
            },
            "calc" => word().parse::<u64>().is_ok(),
            _ => {
                // A dependency of one label on another, which no label stands before.
                let form = matches!(word(), "requires" | "irequires") && !word().is_empty();
                return if form && first == label && word().is_empty() {
                    Ok(())
                } else {
                    wrong(expected)
                };
            }
        };
        if !numbers {
            return wrong(expected);
        }
        // Tags and the like decide who matches whom, not how much is sent.
        loop {
            match word() {
                "" => return Ok(()),
                "tag" | "cpu" | "nic" if word().parse::<i64>().is_ok() => {}
                _ => return wrong(expected),
            }
        }
    }
}
