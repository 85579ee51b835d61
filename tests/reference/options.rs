//! The options of every command, as their help has them: one name, one meaning.

use std::collections::BTreeMap;

/// Commands by the form of an option's value; empty for a flag.
type Uses = BTreeMap<String, Vec<String>>;

fn help(words: &[&str]) -> String {
    let output = crate::command()
        .args(words)
        .arg("--help")
        .env("COLUMNS", "200")
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// Lists the commands that a help lists.
fn listed(text: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("  "));
    let words = lines.filter_map(|line| line.split_once("  "));
    let names = words.map(|(name, _)| name.trim());
    names
        .filter(|name| {
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase()) && *name != "help"
        })
        .map(String::from)
        .collect()
}

/// Lists the commands that a user sees, those within commands too, with their help.
pub fn list_helps() -> Vec<(String, String)> {
    let mut helps = Vec::new();
    for verb in listed(&help(&[])) {
        let text = help(&[&verb]);
        if ["trace", "sweep"].contains(&verb.as_str()) {
            let inner = listed(&text).into_iter().map(|name| {
                let text = help(&[&verb, &name]);
                (format!("{verb} {name}"), text)
            });
            helps.extend(inner);
        } else {
            helps.push((verb, text));
        }
    }
    helps
}

/// Splits the line of a help that begins an option: its name, and the form of its value without its ending. `None` of
/// other lines: those of descriptions stand further to the right.
fn read_option(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix("      --").or_else(|| {
        line.split_once(", --")
            .filter(|(short, _)| short.len() == 4)
            .map(|(_, rest)| rest)
    })?;
    let end = line
        .find(|c: char| !c.is_ascii_lowercase() && c != '-')
        .unwrap_or(line.len());
    let (name, rest) = line.split_at(end);
    // The value stands next to the name; further away begins the description.
    let value = rest
        .trim_start_matches(['[', '='])
        .strip_prefix(' ')
        .unwrap_or(rest);
    let value = value
        .trim_start_matches(['[', '='])
        .strip_prefix('<')
        .unwrap_or("");
    Some((name, value.split(['>', '.']).next().unwrap_or("")))
}

/// Reads the options of all commands: the form of the value, and who takes it.
fn options() -> BTreeMap<String, Uses> {
    let mut all: BTreeMap<String, Uses> = BTreeMap::new();
    for (command, text) in list_helps() {
        for (name, value) in text.lines().filter_map(read_option) {
            let uses = all.entry(name.to_string()).or_default();
            uses.entry(value.to_string())
                .or_default()
                .push(command.clone());
        }
    }
    all
}

/// Reads what each option means in the commands that take it: what its help begins with, up to a comma, colon,
/// semicolon, full stop or bracket. What comes behind is about the command: what of it the option says, and defaults.
fn meanings() -> BTreeMap<String, Uses> {
    let mut all: BTreeMap<String, Uses> = BTreeMap::new();
    for (command, text) in list_helps() {
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            let Some((name, _)) = read_option(line) else {
                continue;
            };
            let mut about = Vec::new();
            while let Some(line) =
                lines.next_if(|line| !line.trim().is_empty() && read_option(line).is_none())
            {
                about.push(line.trim());
            }
            let about = about.join(" ");
            let marks = [",", ":", ";", ". ", " ["];
            let ends = marks.iter().filter_map(|mark| about.find(mark));
            let lead = &about[..ends.min().unwrap_or(about.len())];
            assert!(!lead.is_empty(), "{command} --{name} has no help");
            let uses = all.entry(name.to_string()).or_default();
            uses.entry(lead.to_string())
                .or_default()
                .push(command.clone());
        }
    }
    all
}

/// The table of all options as Markdown.
pub fn markdown() -> String {
    let mut text = String::from(
        "\n## Options of commands\n\nAn option means the same in every command that takes it. `--seed`, `--threads`, `--memory` and \
         `--quiet` stand in all.\n\n| Option | Value | Commands |\n|---|---|---|\n",
    );
    let common = ["seed", "threads", "memory", "quiet", "help", "version"];
    for (name, uses) in options()
        .iter()
        .filter(|(name, _)| !common.contains(&name.as_str()))
    {
        for (value, commands) in uses {
            text += &format!(
                "| `--{name}` | {} | {} |\n",
                value.replace('|', "\\|"),
                commands.join(", ")
            );
        }
    }
    text
}

/// One form of value for one name: a second meaning would have another. A plot is a file or, of several, a folder.
#[test]
fn an_option_means_one_thing_in_every_command() {
    let all = options();
    assert!(all.len() > 60, "{} options", all.len());
    for (name, uses) in all {
        let forms: Vec<&String> = uses.keys().collect();
        assert!(
            uses.len() == 1 || (name == "plot" && forms == ["DIR", "FILE"]),
            "--{name}: {uses:?}"
        );
    }
}

/// Options whose help begins differently from command to command, and why that is no other meaning. So far none.
const OTHER_OBJECTS: [(&str, &str); 0] = [];

#[test]
fn the_help_of_an_option_begins_alike_in_every_command() {
    for (name, uses) in meanings() {
        let allowed = OTHER_OBJECTS.iter().any(|(option, _)| *option == name);
        assert!((uses.len() == 1) != allowed, "--{name}: {uses:#?}");
    }
}
