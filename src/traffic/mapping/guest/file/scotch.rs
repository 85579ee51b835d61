//! Guests as Scotch graphs.

use super::fields::{check_count, parse_amount, parse_process};
use crate::mapping::guest::{MAX_PROCESSES, Message};
use nodeorder_base::{Error, Line, Result, Text};

/// Words of a text with the lines they stand on.
struct Words<'a> {
    text: &'a Text,
    /// Words not read yet.
    words: Box<dyn Iterator<Item = (Line<'a>, &'a str)> + 'a>,
}

impl<'a> Words<'a> {
    /// Begins with the first word.
    fn new(text: &'a Text) -> Self {
        let words = text
            .data_lines()
            .flat_map(|l| l.text.split_whitespace().map(move |w| (l, w)));
        Words {
            text,
            words: Box::new(words),
        }
    }

    /// Reads the next word and its line. Fails at the end of the text.
    fn next_word(&mut self, expected: &str) -> Result<(Line<'a>, &'a str)> {
        let word = self.words.next();
        word.ok_or_else(|| Error::input(self.text.location(), "the end", expected))
    }

    /// Reads the next word as a number, and returns it with its line.
    fn next_number(&mut self, expected: &str) -> Result<(Line<'a>, u64)> {
        let (line, word) = self.next_word(expected)?;
        let number = word
            .parse()
            .map_err(|_| line.error_here(format!("`{word}`"), expected))?;
        Ok((line, number))
    }
}

/// Reads a graph (Pellegrini, "Scotch and libScotch User's Guide", graph files): version, `vertices arcs`, `base
/// flags` (hundreds: labels, tens: edge loads, units: vertex loads), then for each vertex `[label] [load] degree
/// {[edge load] neighbour}`. Labels are refused: they would renumber the processes.
pub fn read_scotch(text: &Text) -> Result<(u32, Vec<Message>)> {
    let mut words = Words::new(text);
    let (line, version) = words.next_number("the version, 0")?;
    if version != 0 {
        return Err(line.error_here(format!("version {version}"), "a graph of version 0"));
    }
    let (sizes, vertices) = words.next_number("the number of vertices")?;
    if vertices > u64::from(MAX_PROCESSES) {
        let expected = format!("at most {MAX_PROCESSES}");
        return Err(sizes.error_here(format!("{vertices} vertices"), expected));
    }
    let (_, arcs) = words.next_number("the number of arcs, twice that of edges")?;
    let (line, base) = words.next_number("the base, 0 or 1")?;
    if base > 1 {
        return Err(line.error_here(format!("base {base}"), "0 or 1"));
    }
    let (line, flags) = words.next_word("three flags, such as 010")?;
    if flags.len() > 3 || !flags.bytes().all(|b| b == b'0' || b == b'1') {
        return Err(line.error_here(format!("flags `{flags}`"), "three flags, such as 010"));
    }
    // Zeros in front may be left out.
    let mut flag = flags.bytes().rev().map(|b| b == b'1');
    let vertex_loads = flag.next() == Some(true);
    let edge_loads = flag.next() == Some(true);
    if flag.next() == Some(true) {
        return Err(line.error_here(format!("flags `{flags}`"), "a graph without vertex labels"));
    }
    let n = vertices as u32;
    let mut messages: Vec<Message> = Vec::new();
    for source in 0..n {
        if vertex_loads {
            words.next_word("a vertex load")?;
        }
        let (_, degree) = words.next_number("a degree")?;
        for _ in 0..degree {
            let mut volume = 1.0;
            if edge_loads {
                let (line, word) = words.next_word("an edge load")?;
                volume = parse_amount(&line, word)?;
            }
            let (line, word) = words.next_word("a neighbour")?;
            let target = parse_process(&line, word, base as u32, Some(n))?;
            messages.push(Message {
                source,
                target,
                volume,
            });
        }
    }
    if let Ok((line, word)) = words.next_word("") {
        return Err(line.error_here(format!("`{word}`"), format!("{n} vertices only")));
    }
    check_count(&sizes, "arcs", messages.len() as u64, arcs)?;
    Ok((n, messages))
}
