//! Errors as people read them: what is wrong, then at most one command that shows what would be right.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue};

use super::notes::print_note;
use nodeorder_base::error::quote_word;
use nodeorder_base::params::text_before_colon;
use nodeorder_sweep::reference::{Table, list_tables};

/// Options that people look for under another name.
const OTHER_NAMES: [(&str, &str); 7] = [
    ("-o", "--out"),
    ("--output", "--out"),
    ("--by", "--order"),
    ("--log", "--trace"),
    ("--trace", "--jobs"),
    ("--allocator", "--alloc"),
    ("--ordering", "--order"),
];

/// Messages of the system and of parsers, and what people read instead.
const PLAIN: [(&str, &str); 5] = [
    ("invalid digit found in string", "expected a whole number"),
    ("invalid float literal", "expected a number"),
    (
        "Is a directory (os error 21)",
        "it is a folder; expected a file",
    ),
    (
        "File exists (os error 17)",
        "a file has this name; expected a folder",
    ),
    (
        "No such file or directory (os error 2)",
        "no such file or folder",
    ),
];

/// Parts of messages, and the command that shows what would be right.
const HINTS: [(&str, &str); 7] = [
    (
        "no machine that a reader knows",
        "nodeorder list topologies",
    ),
    ("`items`, a list", "nodeorder list topologies k8s-nodes"),
    (
        "output of kubectl get nodes",
        "nodeorder list topologies k8s-nodes",
    ),
    ("output of kubectl get pods", "nodeorder list traces"),
    ("output of sacct", "nodeorder list traces"),
    ("output of squeue", "nodeorder list traces"),
    ("records of jobs", "nodeorder list traces"),
];

/// Replaces messages of libraries by plain ones.
fn write_plainly(message: &str) -> String {
    PLAIN
        .iter()
        .fold(message.to_string(), |text, (theirs, ours)| {
            text.replace(theirs, ours)
        })
}

/// Prints an error about input or work, and the command that helps.
pub fn print_error(message: &str) {
    let message = &write_plainly(message);
    print_note(format_args!("error: {message}"));
    if let Some(hint) = find_hint(message) {
        print_note(format_args!("hint: {hint}"));
    }
}

/// Prints what is wrong with the words of a command line, and the help that says what is right.
pub fn print_usage_error(error: &clap::Error, parser: &clap::Command, words: &[OsString]) {
    let text = error.render().to_string();
    let text = text.trim_start_matches("error: ");
    // Behind the first paragraph clap advises and repeats how the command is used.
    let message = write_plainly(text.split("\n\n").next().unwrap_or(text).trim_end());
    let mut named = words.iter().filter_map(|word| parser.find_subcommand(word));
    let verb = named.next();
    let suggestion = verb
        .and_then(|verb| find_other_name(error, verb))
        .or_else(|| find_suggestion(error));
    let question = suggestion.map_or(String::new(), |name| format!("; did you mean '{name}'?"));
    // Below the first line stand the values that there are.
    let (first, rest) = message.split_at(message.find('\n').unwrap_or(message.len()));
    print_note(format_args!("error: {first}{question}{rest}"));
    let verb = verb.map_or(String::new(), |verb| format!(" {}", verb.get_name()));
    print_note(format_args!("hint: nodeorder{verb} --help"));
}

/// Finds the name that clap suggests in place of a wrong one.
fn find_suggestion(error: &clap::Error) -> Option<String> {
    let kinds = [
        ContextKind::SuggestedArg,
        ContextKind::SuggestedSubcommand,
        ContextKind::SuggestedValue,
    ];
    kinds.iter().find_map(|kind| match error.get(*kind)? {
        ContextValue::String(name) => Some(name.clone()),
        // The nearest comes last.
        ContextValue::Strings(names) => names.last().cloned(),
        _ => None,
    })
}

/// Finds the option of `verb` that has another name elsewhere.
fn find_other_name(error: &clap::Error, verb: &clap::Command) -> Option<String> {
    let given = error.get(ContextKind::InvalidArg)?.to_string();
    let known = |name: &str| {
        verb.get_arguments()
            .any(|a| a.get_long() == name.strip_prefix("--"))
    };
    let mut others = OTHER_NAMES
        .iter()
        .filter(|(name, ours)| *name == given && known(ours));
    Some(others.next()?.1.to_string())
}

/// Finds the command that shows what a message is about; `None` if there is none.
fn find_hint(message: &str) -> Option<String> {
    let tables = list_tables();
    if let Some((_, hint)) = HINTS.iter().find(|(part, _)| message.contains(part)) {
        return Some((*hint).into());
    }
    if message.contains("the 18 fields of a job") {
        let (file, _) = message.split_once(':')?;
        return Some(format!("nodeorder trace info {}", quote_word(file)));
    }
    if let Some((thing, _)) = message
        .split_once("unknown ")
        .and_then(|(_, rest)| rest.split_once(" `"))
        && let Some(hint) = hint_of_thing(&tables, thing)
    {
        return Some(hint);
    }
    // The option or specification in front of the message: its last word names an entry.
    let given = message.strip_prefix('`')?.split('`').next()?;
    hint_of_thing(
        &tables,
        &format!("key for {}", given.split(' ').next_back()?),
    )
}

/// Names the table that lists things of a kind, or the entry whose keys they are.
fn hint_of_thing(tables: &[Table], thing: &str) -> Option<String> {
    let mut tables = tables.iter();
    let Some(text) = thing.strip_prefix("key for ") else {
        let table = tables.find(|table| table.noun.starts_with(thing))?;
        return Some(format!("nodeorder list {}", table.name));
    };
    let name = text_before_colon(text).split(',').next()?;
    let table = tables.find(|table| table.entries.iter().any(|entry| entry.name == name))?;
    Some(format!("nodeorder list {} {name}", table.name))
}
