//! The command line: one file a verb, each a thin layer over the library. Only here are files written,
//! clocks read and the environment asked.

use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::error::{Error, Place};
use crate::ordering::NodeOrder;
use crate::topology::{Context, Topology};

mod compare;
mod export;
mod list;
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
mod talk;
mod topology;
mod trace;
mod watch;

/// Node orderings for supercomputer schedulers: which order of nodes places jobs compactly on a network?
#[derive(Debug, Parser)]
#[command(name = "nodeorder", version, propagate_version = true, arg_required_else_help = true)]
struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    verb: Verb,
}

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
    Ok(crate::catalog::topology(spec, context)?)
}

/// The orderings of `--order` arguments, no label twice.
fn orders(topology: &Topology, texts: &[String]) -> anyhow::Result<Vec<NodeOrder>> {
    for (i, text) in texts.iter().enumerate() {
        if texts[..i].contains(text) {
            let place = Place::option(format!("--order {text}"));
            return Err(Error::input(place, "the same ordering twice", "each ordering once").into());
        }
    }
    let made: Result<Vec<NodeOrder>, Error> =
        texts.iter().map(|text| made(topology, text)).collect();
    Ok(made?)
}

/// One of them; a search's time counts from its own start.
fn made(topology: &Topology, text: &str) -> Result<NodeOrder, Error> {
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
