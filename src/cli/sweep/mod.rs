//! `nodeorder sweep`: every combination of a plan, the table that its shards make, and the page of the results.

use anyhow::bail;
use clap::{Args, Subcommand};

use nodeorder_network::Context;

pub mod merge;
pub mod page;
mod run;

/// Run every combination of a plan, merge its parts, or write a page of the results
///
/// `nodeorder sweep PLAN …` is the same as `nodeorder sweep run PLAN …`. A plan called run, merge or page is taken
/// for one of the commands there: write `nodeorder sweep run run …`, or ./run.
#[derive(Debug, Args)]
#[command(
    after_help = "Example: nodeorder sweep run plan.toml --out results",
    override_usage = "nodeorder sweep <COMMAND>",
    arg_required_else_help = true,
    // The older spelling has a plan and `--out`, which its commands must not ask for a second time.
    subcommand_negates_reqs = true,
    mut_args(|argument| argument.hide(true))
)]
pub struct Command {
    #[command(subcommand)]
    verb: Option<SweepVerb>,
    /// The older spelling, without `run`.
    #[command(flatten)]
    run: Option<run::Command>,
}

#[derive(Debug, Subcommand)]
enum SweepVerb {
    Run(run::Command),
    Merge(merge::Command),
    Page(page::Command),
}

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        match self.verb.or(self.run.map(SweepVerb::Run)) {
            Some(SweepVerb::Run(command)) => command.run(context),
            Some(SweepVerb::Merge(command)) => command.run(context),
            Some(SweepVerb::Page(command)) => command.run(context),
            None => bail!("sweep: found no command; expected run, merge or page"),
        }
    }
}
