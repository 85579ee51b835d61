//! What the commands read: machines, orderings and workloads, as named on the command line.

use std::path::Path;

use serde_json::{Value, json};

use super::progress;
use super::watch::Clock;
use crate::error::{Error, SourceLocation};
use crate::ordering::NodeOrder;
use crate::topology::{Context, Topology};
use crate::trace::open::OpenedLog;
use crate::trace::{Options, Tally, Trace};

/// The topology of a `SPEC` argument.
pub fn topology(spec: &str, context: &Context) -> anyhow::Result<Topology> {
    let topology = crate::catalog::topology(spec, context)?;
    if let Some(rule) = topology.chosen() {
        eprintln!("{spec}: chose {} ({rule})", topology.spec());
    }
    Ok(topology)
}

/// One ordering; a search's time counts from its own start.
pub fn order(topology: &Topology, text: &str) -> anyhow::Result<NodeOrder> {
    let _waiting = progress::waiting(text);
    Ok(NodeOrder::make_with(topology, text, &Clock::start(false))?.0)
}

/// The orderings of `--order` options.
///
/// # Errors
/// One that is given twice or cannot be made.
pub fn orders(topology: &Topology, texts: &[String]) -> anyhow::Result<Vec<NodeOrder>> {
    check_distinct("--order", "ordering", texts)?;
    texts.iter().map(|text| order(topology, text)).collect()
}

/// Refuses the same value twice for an option that repeats; `what` is what it names.
pub fn check_distinct(option: &str, what: &str, texts: &[String]) -> Result<(), Error> {
    match texts.iter().enumerate().find(|(i, text)| texts[..*i].contains(text)) {
        None => Ok(()),
        Some((_, text)) => Err(Error::input(
            SourceLocation::option(format!("{option} {text}")),
            format!("the same {what} twice"),
            format!("each {what} once"),
        )),
    }
}

/// A placement log, or an SWF trace as one; reports on standard error what was left out of a trace of jobs on
/// `nodes` nodes.
pub fn log(path: &Path, procs_per_node: u32, nodes: u32) -> anyhow::Result<OpenedLog> {
    let options = Options { procs_per_node, nodes: Some(nodes), ..Options::default() };
    let opened = OpenedLog::open(path, &options)?;
    opened.trace.iter().for_each(report_tally);
    Ok(opened)
}

/// Reports on standard error which jobs of a trace were left out or mended, and why.
pub fn report_tally(trace: &Trace) {
    for (reason, count) in trace.tally().iter() {
        let what = if reason.drops() { "left out" } else { "mended" };
        eprintln!("{}: {what} {count}: {}", trace.name(), reason.about());
    }
}

/// Counts of jobs that were left out (`drops`) or mended, by reason.
pub fn tally_json(tally: &Tally, drops: bool) -> Value {
    let counts = tally.iter().filter(|(reason, _)| reason.drops() == drops);
    counts.map(|(reason, count)| (reason.name().to_string(), json!(count))).collect()
}
