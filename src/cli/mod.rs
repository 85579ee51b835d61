//! The command line: one file a verb, each a thin layer over the library. Only here are files written,
//! clocks read and the environment asked.

use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::error::{Error, SourceLocation};
use crate::ordering::NodeOrder;
use crate::topology::{Context, Topology};

mod compare;
mod completions;
mod export;
mod interrupt;
mod layout;
mod list;
mod machines;
mod man;
mod map;
mod merge;
mod mpc;
mod order;
mod output;
mod progress;
mod replay;
mod report;
mod schedule;
mod sweep;
mod topology;
mod trace;
mod traffic;
mod watch;

/// Node orderings for supercomputer schedulers: which order of nodes places jobs compactly on a network?
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

/// What `--version` says; `-V` says the first line.
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

/// Options of every verb.
#[derive(Debug, Args)]
struct Common {
    /// Seed of everything random that names none itself
    #[arg(long, global = true, default_value_t = 1, help_heading = "Common options")]
    seed: u64,
    /// Threads to use [default: all cores]; results never depend on it
    #[arg(long, global = true, value_parser = clap::value_parser!(u16).range(1..), help_heading = "Common options")]
    threads: Option<u16>,
    /// Memory one structure may take, such as 16G [default: four fifths of what is free]
    #[arg(long, global = true, value_parser = parse_bytes, help_heading = "Common options")]
    memory: Option<u64>,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Compare(compare::Command),
    Topology(topology::Command),
    Order(order::Command),
    Mpc(mpc::Command),
    Replay(replay::Command),
    Schedule(schedule::Command),
    Map(map::Command),
    Sweep(sweep::Command),
    Merge(merge::Command),
    Report(report::Command),
    Export(export::Command),
    Trace(trace::Command),
    List(list::Command),
    Completions(completions::Command),
    Man(man::Command),
}

/// Parses the command line, runs it and says how it went: 0 done, 1 bad input or failed work, 2 usage.
pub fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            // Help and version go to stdout and are no failure; a closed pipe is none either.
            let _ = e.print();
            return ExitCode::from(e.exit_code() as u8);
        }
    };
    interrupt::install();
    if let Some(threads) = cli.common.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads));
        if let Err(e) = pool.build_global() {
            eprintln!("--threads {threads}: {e}");
            return ExitCode::FAILURE;
        }
    }
    let context =
        Context { seed: cli.common.seed, memory: cli.common.memory.unwrap_or_else(default_memory) };
    let outcome = match cli.verb {
        Verb::Compare(command) => command.run(&context),
        Verb::Topology(command) => command.run(&context),
        Verb::Order(command) => command.run(&context),
        Verb::Mpc(command) => command.run(&context),
        Verb::Replay(command) => command.run(&context),
        Verb::Schedule(command) => command.run(&context),
        Verb::Map(command) => command.run(&context),
        Verb::Sweep(command) => command.run(&context),
        Verb::Merge(command) => command.run(&context),
        Verb::Report(command) => command.run(&context),
        Verb::Export(command) => command.run(&context),
        Verb::Trace(command) => command.run(&context),
        Verb::List(command) => command.run(&context),
        Verb::Completions(command) => command.run(&context),
        Verb::Man(command) => command.run(&context),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) if output::is_closed_pipe(&e) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{e:#}");
            ExitCode::FAILURE
        }
    }
}

/// A byte count with an optional k, M, G or T (powers of 1000).
fn parse_bytes(text: &str) -> Result<u64, String> {
    let expected = || format!("found `{text}`; expected a byte count such as 500M or 16G");
    let (digits, factor) = match text.trim_end_matches(['B', 'b']) {
        t if t.ends_with(['k', 'K']) => (&t[..t.len() - 1], 1_000),
        t if t.ends_with(['m', 'M']) => (&t[..t.len() - 1], 1_000_000),
        t if t.ends_with(['g', 'G']) => (&t[..t.len() - 1], 1_000_000_000),
        t if t.ends_with(['t', 'T']) => (&t[..t.len() - 1], 1_000_000_000_000),
        t => (t, 1),
    };
    let count: u64 = digits.parse().map_err(|_| expected())?;
    count.checked_mul(factor).ok_or_else(expected)
}

/// Four fifths of the memory that is free now, where the system tells; 8 GB elsewhere.
fn default_memory() -> u64 {
    let free = || -> Option<u64> {
        let text = std::fs::read_to_string("/proc/meminfo").ok()?;
        let line = text.lines().find(|l| l.starts_with("MemAvailable:"))?;
        line.split_whitespace().nth(1)?.parse().ok()
    };
    free().map_or(Context::default().memory, |kilobytes| kilobytes * 1024 / 5 * 4)
}

/// The topology of a `SPEC` argument.
fn load(spec: &str, context: &Context) -> anyhow::Result<Topology> {
    let topology = crate::catalog::topology(spec, context)?;
    if let Some(rule) = topology.chosen() {
        eprintln!("{spec}: chose {} ({rule})", topology.spec());
    }
    Ok(topology)
}

/// The orderings of `--order` arguments, no label twice.
fn orders(topology: &Topology, texts: &[String]) -> anyhow::Result<Vec<NodeOrder>> {
    for (i, text) in texts.iter().enumerate() {
        if texts[..i].contains(text) {
            let location = SourceLocation::option(format!("--order {text}"));
            return Err(
                Error::input(location, "the same ordering twice", "each ordering once").into()
            );
        }
    }
    let made: Result<Vec<NodeOrder>, Error> =
        texts.iter().map(|text| made(topology, text)).collect();
    Ok(made?)
}

/// One of them; a search's time counts from its own start.
fn made(topology: &Topology, text: &str) -> Result<NodeOrder, Error> {
    let _waiting = progress::waiting(text);
    Ok(NodeOrder::make_with(topology, text, &watch::Clock::start(false))?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    /// The commands, those within commands too, by the words that call them.
    fn commands() -> Vec<(String, clap::Command)> {
        use clap::CommandFactory;
        let (mut all, mut left) = (Vec::new(), vec![(String::from("nodeorder"), Cli::command())]);
        while let Some((name, command)) = left.pop() {
            left.extend(
                command.get_subcommands().map(|c| (format!("{name} {}", c.get_name()), c.clone())),
            );
            all.push((name, command));
        }
        assert!(all.len() > 15);
        all
    }

    #[test]
    fn every_help_ends_in_an_example_that_parses() {
        for (name, command) in commands() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let example =
                help.strip_prefix("Example: ").unwrap_or_else(|| panic!("{name} has no example"));
            assert!(example.starts_with(&name), "{name}: {example}");
            let words = example.split(' ').take_while(|word| ![">", "|"].contains(word));
            if let Err(e) = Cli::try_parse_from(words) {
                panic!("{example}: {e}");
            }
        }
    }

    #[test]
    fn every_command_that_prints_data_prints_json() {
        let has_json =
            |command: &clap::Command| command.get_arguments().any(|a| a.get_id() == "json");
        // Those write files in a form of their own, or hold other commands.
        let others = [
            "nodeorder",
            "nodeorder export",
            "nodeorder trace",
            "nodeorder trace convert",
            "nodeorder trace generate",
            "nodeorder completions",
            "nodeorder man",
            "nodeorder sweep",
            "nodeorder merge",
            "nodeorder report",
        ];
        for (name, command) in commands() {
            assert_eq!(has_json(&command), !others.contains(&name.as_str()), "{name}");
        }
    }

    #[test]
    fn byte_counts_are_read() {
        assert_eq!(parse_bytes("16G"), Ok(16_000_000_000));
        assert_eq!(parse_bytes("500MB"), Ok(500_000_000));
        assert_eq!(parse_bytes("12"), Ok(12));
        for bad in ["", "G", "-1", "1.5G", "99999999999999T"] {
            assert!(parse_bytes(bad).is_err(), "{bad}");
        }
    }
}
