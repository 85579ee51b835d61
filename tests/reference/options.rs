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

/// Reads the options of all commands: the form of the value without its ending, and who takes it.
fn options() -> BTreeMap<String, Uses> {
    let mut all: BTreeMap<String, Uses> = BTreeMap::new();
    for verb in listed(&help(&[])) {
        let text = help(&[&verb]);
        let mut commands = vec![(verb.clone(), text.clone())];
        if ["trace", "sweep"].contains(&verb.as_str()) {
            let inner = listed(&text).into_iter().map(|name| {
                let text = help(&[&verb, &name]);
                (format!("{verb} {name}"), text)
            });
            commands = inner.collect();
        }
        for (command, text) in commands {
            // Lines of descriptions stand further to the right.
            for line in text.lines() {
                let Some(line) = line.strip_prefix("      --").or_else(|| {
                    line.split_once(", --")
                        .filter(|(short, _)| short.len() == 4)
                        .map(|(_, rest)| rest)
                }) else {
                    continue;
                };
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
                let value = value.split(['>', '.']).next().unwrap_or("");
                let uses = all.entry(name.to_string()).or_default();
                uses.entry(value.to_string())
                    .or_default()
                    .push(command.clone());
            }
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
