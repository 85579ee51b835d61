//! Old spellings of commands, which no help shows: `compare` of several machines, `compare --settings`,
//! `compare --throughput` and `topology --throughput`. Their words become those of the command that has their place,
//! which checks them as its own.

use std::ffi::OsString;

use clap::builder::Resettable;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

/// An old spelling and the command that takes its place.
struct Alias {
    /// The old spelling, as errors name it.
    spelling: &'static str,
    /// The command that takes its place.
    command: &'static str,
    /// Options by their old and their new names; `None` for an option that only marked the old spelling and is dropped.
    renamed: &'static [(&'static str, Option<&'static str>)],
}

const SEVERAL: Alias = Alias {
    spelling: "compare of several machines",
    command: "machines",
    renamed: &[],
};
const SETTINGS: Alias = Alias {
    spelling: "'compare --settings'",
    command: "tune",
    renamed: &[("settings", None)],
};
const WINDOWS: Alias = Alias {
    spelling: "'compare --throughput'",
    command: "throughput",
    renamed: &[("throughput", Some("sizes"))],
};
const TRAFFIC: Alias = Alias {
    spelling: "'topology --throughput'",
    command: "throughput",
    renamed: &[
        ("throughput", Some("traffic")),
        ("output", Some("matching-out")),
    ],
};

/// Commands with old spellings, each with the commands whose options an old spelling may have.
const OLD: [(&str, &[&str]); 2] = [
    ("compare", &["compare", "machines", "tune", "throughput"]),
    ("topology", &["topology", "throughput"]),
];

/// Options that mean a comparison of several machines, even if only one is given.
const BUYING: [&str; 4] = ["prices", "watts", "cables", "rank"];
/// Further options that exist only in old spellings.
const OLD_OPTIONS: [&str; 4] = ["settings", "throughput", "seeds", "shake"];

/// Rewrites an old spelling as the command that took its place. `None` if the words are none. `cli` is the whole
/// command.
///
/// # Errors
/// An option that the old spelling never had, or that the command in its place has not.
pub fn rewrite_old_spelling(
    mut cli: Command,
    words: &[OsString],
) -> Result<Option<Vec<OsString>>, clap::Error> {
    let mut old = old_commands(&cli);
    let matches = match old.try_get_matches_from_mut(words) {
        Ok(matches) => matches,
        // The commands of today would call the old option unknown, whatever else is wrong.
        Err(error) if error.kind() != ErrorKind::InvalidSubcommand && names_old_option(words) => {
            return Err(error);
        }
        Err(_) => return Ok(None),
    };
    let Some((verb, given)) = matches.subcommand() else {
        return Ok(None);
    };
    let Some(alias) = find_alias(verb, given) else {
        return Ok(None);
    };
    // Only a built command knows its full name, which the usage below errors shows.
    cli.build();
    let commands = (
        old.find_subcommand(verb),
        cli.find_subcommand_mut(alias.command),
    );
    let (Some(command), Some(successor)) = commands else {
        return Ok(None);
    };
    let mut found = words[..1].to_vec();
    found.push(alias.command.into());
    for option in command.get_arguments() {
        if !option.is_positional() && is_given(given, option.get_id().as_str()) {
            found.extend(translate_option(option, given, alias, successor)?);
        }
    }
    // Behind `--` no machine can be taken for an option, or for the value of one.
    found.push("--".into());
    found.extend(list_machine_specs(given).cloned());
    Ok(Some(found))
}

/// Says whether an argument stands on the command line.
fn is_given(given: &ArgMatches, id: &str) -> bool {
    given.value_source(id) == Some(ValueSource::CommandLine)
}

/// Finds the old spelling that a command line of `verb` uses; `None` if it uses none.
fn find_alias(verb: &str, given: &ArgMatches) -> Option<&'static Alias> {
    if verb == "topology" {
        return is_given(given, "throughput").then_some(&TRAFFIC);
    }
    // Before the others: `--settings` with several machines is a mistake that `tune` reports, not a comparison of
    // these.
    if is_given(given, "settings") {
        return Some(&SETTINGS);
    }
    if list_machine_specs(given).count() > 1 || BUYING.iter().any(|name| is_given(given, name)) {
        return Some(&SEVERAL);
    }
    is_given(given, "throughput").then_some(&WINDOWS)
}

/// Lists the machines that the command line names.
fn list_machine_specs(given: &ArgMatches) -> impl Iterator<Item = &OsString> {
    given.get_many("SPEC").into_iter().flatten()
}

/// Rewrites the words of an option for the command that has the old one's place.
fn translate_option(
    option: &Arg,
    given: &ArgMatches,
    alias: &Alias,
    successor: &mut Command,
) -> Result<Vec<OsString>, clap::Error> {
    let long = option.get_long().unwrap_or_default();
    let renamed = alias.renamed.iter().find(|(old, _)| *old == long);
    // It only told which command was meant, and the new command's name says that.
    let Some(name) = renamed.map_or(Some(long), |(_, new)| *new) else {
        return Ok(Vec::new());
    };
    if successor
        .get_arguments()
        .all(|known| known.get_long() != Some(name))
    {
        // A blank between an option and its value makes the value a machine.
        let budget = list_machine_specs(given)
            .map(|spec| spec.to_string_lossy())
            .find(|spec| spec.starts_with("time=") || spec.starts_with("steps="));
        let text = match budget {
            Some(budget) if long == "optimise" => format!(
                "'{budget}' stands after '--optimise' and a blank: write --optimise={budget}"
            ),
            _ => format!(
                "the argument '--{long}' cannot be used with {}, which is 'nodeorder {}' now",
                alias.spelling, alias.command
            ),
        };
        return Err(successor.error(ErrorKind::ArgumentConflict, text));
    }
    if !option.get_action().takes_values() {
        return Ok(vec![format!("--{name}").into()]);
    }
    let mut words = Vec::new();
    let occurrences = given.get_raw_occurrences(option.get_id().as_str());
    for values in occurrences.into_iter().flatten() {
        let mut word = OsString::from(format!("--{name}"));
        // Joined by `=`, the form that options with an optional value ask for and all others take.
        for value in values {
            word.push("=");
            word.push(value);
        }
        words.push(word);
    }
    Ok(words)
}

/// Says whether a word is an option that only old spellings have.
fn names_old_option(words: &[OsString]) -> bool {
    words.iter().any(|word| {
        let text = word.to_string_lossy();
        let option = text.strip_prefix("--").unwrap_or_default();
        let name = option.split('=').next().unwrap_or_default();
        BUYING.contains(&name) || OLD_OPTIONS.contains(&name)
    })
}

/// Builds a command that takes every old spelling, without checking values.
fn old_commands(cli: &Command) -> Command {
    let mut all = Command::new("nodeorder")
        .args(cli.get_arguments().filter_map(accept_any_value))
        .disable_version_flag(true);
    for (verb, successors) in OLD {
        let spec = Arg::new("SPEC").num_args(1..);
        let settings = Arg::new("settings").long("settings");
        // As a plain option it is handed on, so that the help is that of the command of today.
        let help = Arg::new("help").long("help").short('h');
        let mut throughput = Arg::new("throughput").long("throughput").num_args(0..=1);
        if verb == "topology" {
            throughput = throughput
                .require_equals(true)
                .default_missing_value("all-to-all,matching");
        }
        let mut old = Command::new(verb)
            .disable_help_flag(true)
            .disable_version_flag(true)
            .args([spec, throughput].map(|arg| arg.value_parser(value_parser!(OsString))))
            .args([settings, help].map(|arg| arg.action(ArgAction::SetTrue)));
        for name in successors {
            let options = cli
                .find_subcommand(name)
                .into_iter()
                .flat_map(Command::get_arguments);
            for option in options.filter_map(accept_any_value) {
                let long = option.get_long();
                // Several successors have `--json` or `--out`; clap refuses an option twice.
                if old.get_arguments().all(|known| known.get_long() != long) {
                    old = old.arg(option);
                }
            }
        }
        all = all.subcommand(old);
    }
    all
}

/// Makes an option take any value in any company; `None` for what is no option.
fn accept_any_value(option: &Arg) -> Option<Arg> {
    option.get_long()?;
    let option = option
        .clone()
        .required(false)
        .requires(Resettable::Reset)
        .conflicts_with(Resettable::Reset);
    Some(if option.get_action().takes_values() {
        option.value_parser(value_parser!(OsString))
    } else {
        option
    })
}
