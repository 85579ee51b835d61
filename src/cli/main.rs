//! The `nodeorder` command: one file a command, each a thin layer over the library. Only here are files written,
//! clocks read and the environment asked.

#![forbid(unsafe_code)]

use std::ffi::{OsStr, OsString};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use nodeorder_base::params::parse_bytes;
use nodeorder_network::Context;
use nodeorder_traffic::slowdown::SLOWDOWN;
use shared::{files, help, hints, interrupt, memory, notes, output};

mod aliases;
mod audit;
mod availability;
mod compare;
mod completions;
mod corun;
mod demo;
mod export;
mod hosts;
mod list;
mod machines;
mod man;
mod map;
mod mpc;
mod order;
mod replay;
mod schedule;
mod score;
mod shared;
mod slowdown;
mod snapshot;
mod sweep;
mod throughput;
mod topology;
mod trace;
mod tune;

/// Compare node orderings for supercomputer schedulers: which order of nodes keeps jobs compact?
#[derive(Debug, Parser)]
#[command(
    name = "nodeorder",
    version,
    long_version = BUILD,
    propagate_version = true,
    arg_required_else_help = true,
    after_help = "Example: nodeorder compare torus:12x8x24,per_router=2 --out orderings"
)]
struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    verb: Verb,
}

/// The text of `--version`; `-V` prints its first line.
const BUILD: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\ncommit   ",
    env!("NODEORDER_COMMIT"),
    "\ntarget   ",
    env!("NODEORDER_TARGET"),
    "\nprofile  ",
    env!("NODEORDER_PROFILE"),
    "\nrustc    ",
    env!("NODEORDER_RUSTC"),
);

/// Options of every command.
#[derive(Debug, Args)]
struct Common {
    /// Seed of everything random that has no seed= of its own
    #[arg(
        long,
        global = true,
        default_value_t = 1,
        help_heading = "Common options"
    )]
    seed: u64,
    /// Threads to use [default: all cores]; results do not depend on it
    #[arg(
        long,
        global = true,
        value_parser = clap::value_parser!(u16).range(1..),
        help_heading = "Common options"
    )]
    threads: Option<u16>,
    /// Memory that one data structure may take, such as 16G [default: four fifths of the free memory]
    #[arg(
        long,
        global = true,
        value_parser = parse_bytes,
        help_heading = "Common options"
    )]
    memory: Option<u64>,
    /// Print only errors on standard error: no progress, no notes
    #[arg(long, global = true, help_heading = "Common options")]
    quiet: bool,
}

/// The commands, each with its module, in the groups that the help shows; then older spellings, which it does not.
macro_rules! verbs {
    ($($group:literal: $($verb:ident $module:ident),+;)+ hidden: $($alias:ident $command:ty),+;) => {
        #[derive(Debug, Subcommand)]
        enum Verb {
            $($($verb($module::Command),)+)+
            $(#[command(hide = true)] $alias($command),)+
        }

        impl Verb {
            fn run(self, context: &Context) -> anyhow::Result<()> {
                match self {
                    $($(Verb::$verb(command) => command.run(context),)+)+
                    $(Verb::$alias(command) => command.run(context),)+
                }
            }
        }

        const GROUPS: &[(&str, &[&str])] = &[$(($group, &[$(stringify!($module)),+])),+];
    };
}

verbs! {
    "Decide": Compare compare, Machines machines, Tune tune, Audit audit, Snapshot snapshot,
        Availability availability;
    "Install": Order order, Export export, Hosts hosts;
    "Study": Topology topology, Mpc mpc, Score score, Slowdown slowdown, Throughput throughput, Replay replay,
        Schedule schedule, Map map, Corun corun;
    "Many": Sweep sweep;
    "Data": Trace trace, List list;
    "More": Demo demo, Man man, Completions completions;
    hidden: Merge sweep::merge::Command, Report sweep::page::Command;
}

/// Parses the command line, runs it and reports how it went: 0 done, 1 bad input or failed work, 2 usage.
fn main() -> ExitCode {
    let mut parser = help::group_commands(help::lay_out_help(Cli::command()), GROUPS);
    let words = join_negative_values();
    let (cli, matches) = match parse_command_line(&mut parser, &words) {
        Ok(parsed) => parsed,
        Err(e) => {
            // The help is printed whole, also where it stands for missing words.
            if e.use_stderr() && e.kind() != ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
                hints::print_usage_error(&e, &parser, &words);
            } else {
                // Help and version go to stdout and are no failure; neither is a closed pipe.
                let _ = e.print();
            }
            return ExitCode::from(e.exit_code() as u8);
        }
    };
    if cli.common.quiet {
        // Once for all, before other threads begin: no command has to hand the flag on.
        notes::silence_notes();
    }
    interrupt::install_handler();
    if let Some(threads) = cli.common.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads));
        if let Err(e) = pool.build_global() {
            hints::print_error(&format!("--threads {threads}: {e}"));
            return ExitCode::FAILURE;
        }
    }
    let memory = cli.common.memory.unwrap_or_else(memory::default_memory);
    let context = Context {
        seed: cli.common.seed,
        memory,
        objective: Some(SLOWDOWN),
    };
    // Before the command opens anything: a wrong `-o` must not cost the file that it names, nor hours of work.
    let checked = files::check_files(&parser, &matches).map_err(anyhow::Error::from);
    match checked.and_then(|()| cli.verb.run(&context)) {
        // `nodeorder … | head` is no failure: the reader has all it wanted.
        // Arguments that only the command can judge end as those that the parser refuses.
        Err(e) if !output::is_closed_pipe(&e) => match e.downcast_ref::<clap::Error>() {
            Some(e) => {
                hints::print_usage_error(e, &parser, &words);
                ExitCode::from(2)
            }
            None => {
                let message = format!("{e:#}");
                hints::print_error(&message);
                // A name that the option does not know is usage; what is said of other values may be about the work.
                if message.starts_with("`--") && message.contains("`: unknown ") {
                    ExitCode::from(2)
                } else {
                    ExitCode::FAILURE
                }
            }
        },
        // The search has written its best result, but scripts must not take it for that of a whole search.
        _ if interrupt::is_stopped() => ExitCode::from(interrupt::exit_code()),
        _ => ExitCode::SUCCESS,
    }
}

/// Parses the command line, or an old spelling of it.
fn parse_command_line(
    parser: &mut clap::Command,
    words: &[OsString],
) -> Result<(Cli, ArgMatches), clap::Error> {
    let matches = match parser.try_get_matches_from_mut(words) {
        // No words of today are an old spelling: only what is refused may be one.
        Err(e) if e.use_stderr() => match aliases::rewrite_old_spelling(Cli::command(), words)? {
            Some(translated) => parser.try_get_matches_from_mut(translated)?,
            None => return Err(e),
        },
        parsed => parsed?,
    };
    Ok((Cli::from_arg_matches(&matches)?, matches))
}

/// Joins the arguments. Where one begins like a negative number (`-1`, `-1,2`) it is the value of the option before
/// it, not an option: these two are joined by `=`, so that errors say which values are allowed.
fn join_negative_values() -> Vec<OsString> {
    let mut all: Vec<OsString> = Vec::new();
    for argument in std::env::args_os() {
        let text = argument.to_string_lossy();
        let value = text
            .strip_prefix('-')
            .is_some_and(|t| t.starts_with(|c: char| c == '.' || c.is_ascii_digit()));
        let option = |last: &OsString| {
            let text = last.to_string_lossy();
            let name = text
                .strip_prefix("--")
                .or(text.strip_prefix('-'))
                .unwrap_or_default();
            // An option with `=` has its value already: what follows is a word of its own.
            name.starts_with(char::is_alphabetic) && !name.contains('=')
        };
        match all.last_mut().filter(|last| value && option(last)) {
            Some(last) => last.extend([OsStr::new("="), &argument]),
            None => all.push(argument),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        help::group_commands(help::lay_out_help(Cli::command()), GROUPS).debug_assert();
    }

    /// The commands that the help shows, those within commands too, by the words that call them.
    fn commands() -> Vec<(String, clap::Command)> {
        let mut all = Vec::new();
        let mut left = vec![(String::from("nodeorder"), Cli::command())];
        while let Some((name, command)) = left.pop() {
            left.extend(
                command
                    .get_subcommands()
                    .filter(|c| !c.is_hide_set())
                    .map(|c| (format!("{name} {}", c.get_name()), c.clone())),
            );
            all.push((name, command));
        }
        assert!(all.len() > 15);
        all
    }

    #[test]
    fn every_help_ends_in_an_example_that_parses() {
        for (name, command) in commands() {
            let help = command
                .get_after_help()
                .map(ToString::to_string)
                .unwrap_or_default();
            assert!(help.starts_with("Example: "), "{name} has no example");
            for example in help::list_examples(&command) {
                assert!(example.starts_with(&name), "{name}: {example}");
                let words = example
                    .split(' ')
                    .take_while(|word| ![">", "|"].contains(word));
                if let Err(e) = Cli::try_parse_from(words) {
                    panic!("{example}: {e}");
                }
            }
        }
    }

    /// The help is read on one screen: 40 lines for all commands, 30 for the common options of `compare`.
    #[test]
    fn helps_fit_a_screen() {
        let mut parser = help::group_commands(help::lay_out_help(Cli::command()), GROUPS);
        let all = parser.render_help().to_string();
        assert!(all.lines().count() <= 40, "{all}");
        parser.build();
        let compare = parser.find_subcommand_mut("compare").unwrap();
        let short = compare.clone().term_width(100).render_help().to_string();
        assert!(short.lines().count() <= 30, "{short}");
        let long = compare.render_long_help().to_string();
        assert!(long.contains("Jobs:") && long.contains("--rules"), "{long}");
    }

    #[test]
    fn every_command_that_prints_data_prints_json() {
        let has_json =
            |command: &clap::Command| command.get_arguments().any(|a| a.get_id() == "json");
        // Those write files in a form of their own, or hold other commands.
        let others = [
            "nodeorder",
            "nodeorder demo",
            "nodeorder export",
            "nodeorder trace",
            "nodeorder trace convert",
            "nodeorder trace generate",
            "nodeorder trace transform",
            "nodeorder completions",
            "nodeorder man",
            "nodeorder sweep",
            "nodeorder sweep run",
            "nodeorder sweep merge",
            "nodeorder sweep page",
        ];
        for (name, command) in commands() {
            assert_eq!(
                has_json(&command),
                !others.contains(&name.as_str()),
                "{name}"
            );
        }
    }
}
