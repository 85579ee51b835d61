//! Machines, orderings and workloads, read as the command line names them.

use std::path::{Path, PathBuf};

use super::notes::{note, print_each};
use super::progress;
use super::watch::Clock;
use nodeorder_base::error::format_bytes;
use nodeorder_base::{Error, Lines};
use nodeorder_network::{Context, Topology};
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::mpc;
use nodeorder_order::ordering::ORDERINGS;
use nodeorder_trace::open::OpenedLog;
use nodeorder_trace::{Options, Rules, Tally, Trace};
use nodeorder_traffic::mapping::Fabric;

/// Builds the topology of a `SPEC` argument, which has links.
pub fn build_topology(spec: &str, context: &Context) -> anyhow::Result<Topology> {
    let topology = build_distances(spec, context)?;
    topology.require_links()?;
    Ok(topology)
}

/// Builds the topology of a `SPEC` argument for a command that distances alone will do for.
pub fn build_distances(spec: &str, context: &Context) -> anyhow::Result<Topology> {
    let topology = nodeorder_network::catalog::topology(spec, context)?;
    // With `nodes=` the program chose the shape; results are worth little to those who do not know which.
    if let Some(rule) = topology.shape_rule() {
        note!("{spec}: chose {} ({rule})", topology.spec());
    }
    // Whoever works with the distances has to know how they were rounded.
    if topology.has_distances_alone() {
        say_remarks(&topology);
    }
    Ok(topology)
}

/// Share of node ids with schedulable nodes below which a machine has mostly places for nodes that are not there.
const LOW_FILL: f64 = 0.9;

/// Warns where many of the places that a machine is built with have no node.
pub fn warn_low_fill(topology: &Topology) {
    let nodes = topology.node_count();
    let places = topology.nodes().slot_count();
    let share = nodes as f64 / f64::from(places);
    // Files leave gaps between ids; they are no places that somebody pays for.
    if share < LOW_FILL && topology.network().names().is_none() {
        note!(
            "{}: {nodes} nodes in {places} places ({:.0} %): switches and cables are counted for all places",
            topology.name(),
            100.0 * share
        );
    }
}

/// Builds the topology of a `SPEC` or `NAME=SPEC` argument: letters, digits and `._-` before the first `=` name it.
pub fn build_offer(argument: &str, context: &Context) -> anyhow::Result<Topology> {
    let (name, spec) = split_name(argument);
    let topology = build_topology(spec, context)?;
    Ok(match name {
        Some(name) => topology.renamed(name),
        None => topology,
    })
}

/// Splits `NAME=SPEC` into its parts; `None` for the name of a `SPEC` alone.
pub fn split_name(argument: &str) -> (Option<&str>, &str) {
    match argument.split_once('=').filter(|(name, _)| is_name(name)) {
        Some((name, spec)) => (Some(name), spec),
        None => (None, argument),
    }
}

/// Checks whether a text is the name of an offer.
fn is_name(text: &str) -> bool {
    let of_name = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    !text.is_empty() && text.bytes().all(of_name)
}

/// Says what was guessed of a machine's file, and which of its lines another program does not accept.
pub fn say_remarks(topology: &Topology) {
    print_each(topology.network().remarks());
}

/// Says what is assumed of the capacities of the machine's links, for commands whose results rest on them.
pub fn say_assumed(topology: &Topology) {
    print_each(topology.capacity_assumption());
}

/// Builds the machine's links for traffic, and says what is assumed of their capacities.
pub fn build_fabric(topology: &Topology) -> Result<Fabric<'_>, Error> {
    say_assumed(topology);
    Fabric::new(topology)
}

/// Makes one ordering, and says on standard error what it leaves out. A search's time counts from its own start.
pub fn make_order(topology: &Topology, text: &str) -> anyhow::Result<NodeOrder> {
    let waiting = progress::show_spinner(text);
    announce_memory(topology, text);
    // Here an ordering is a step on the way: Ctrl-C ends the command. Only `order` keeps what a search has found.
    let order = NodeOrder::make_observed(topology, text, &Clock::start_clock(false, &waiting))?.0;
    drop(waiting);
    // The spinner is gone by now: it would share its line with the note.
    print_each(order.list_remarks(topology));
    Ok(order)
}

/// Says on standard error where an ordering's file was made for another machine.
pub fn report_machine(topology: &Topology, order: &NodeOrder) {
    print_each(order.machine_remark(topology));
}

/// Nodes from which an ordering's size is said before it is made.
const MANY: usize = 1 << 26;

/// Says how much memory an ordering of very many nodes takes.
pub fn announce_memory(topology: &Topology, text: &str) {
    let nodes = topology.node_count();
    if nodes >= MANY {
        let memory = format_bytes(NodeOrder::memory_needed(topology));
        note!(
            "{}: {text} of {nodes} nodes takes about {memory} of memory",
            topology.name()
        );
    }
}

/// Checks before orderings are made that their curves fit. A file may order few of the nodes.
pub fn check_curves(topology: &Topology, texts: &[String]) -> Result<(), Error> {
    // Named methods order every node, so their size is known before they are made.
    let all = texts.iter().any(|text| ORDERINGS.get(text).is_some());
    if all {
        mpc::check_memory(topology, topology.node_count())
    } else {
        Ok(())
    }
}

/// Makes the orderings of `--order` options. Fails if one is given twice or cannot be made.
pub fn make_orders(topology: &Topology, texts: &[String]) -> anyhow::Result<Vec<NodeOrder>> {
    check_distinct("--order", "ordering", texts)?;
    texts
        .iter()
        .map(|text| make_order(topology, text))
        .collect()
}

/// Checks that the nodes of orderings can be named, where names are wanted.
pub fn check_names(wanted: bool, topology: &Topology, orders: &[NodeOrder]) -> Result<(), Error> {
    orders
        .iter()
        .filter(|_| wanted)
        .try_for_each(|order| topology.check_names(order.nodes()))
}

/// Refuses the same value twice for an option that repeats; `what` is what it names.
pub fn check_distinct(option: &str, what: &str, texts: &[String]) -> Result<(), Error> {
    for (i, text) in texts.iter().enumerate() {
        if texts[..i].contains(text) {
            let option = format!("{option} {text}");
            let found = format!("the same {what} twice");
            let expected = format!("each {what} once");
            return Err(Error::option(option.trim_start(), found, expected));
        }
    }
    Ok(())
}

/// Opens the rules of `--rules`.
pub fn open_rules(path: Option<&Path>, context: &Context) -> Result<Option<Rules>, Error> {
    path.map(|path| Rules::open(path, context.memory))
        .transpose()
}

/// Makes the options for reading a trace, with what `--procs-per-node` says.
pub fn trace_options(procs_per_node: Option<u32>, context: &Context) -> Options {
    Options {
        procs_per_node: procs_per_node.unwrap_or(1),
        // Whoever says how many processors a node has needs no hint about it, be it 1.
        processors_stated: procs_per_node.is_some(),
        memory: context.memory,
        ..Options::default()
    }
}

/// Opens a placement log, or an SWF trace as one; reports on standard error which jobs of a trace were left out for a
/// machine of `nodes` nodes.
pub fn open_log(
    path: &Path,
    procs_per_node: Option<u32>,
    nodes: u32,
    context: &Context,
) -> anyhow::Result<OpenedLog> {
    let options = Options {
        nodes: Some(nodes),
        ..trace_options(procs_per_node, context)
    };
    let opened = OpenedLog::open(path, &options)?;
    opened.trace.iter().for_each(report_tally);
    Ok(opened)
}

/// Reports on standard error which jobs of a trace were left out or mended, and why.
pub fn report_tally(trace: &Trace) {
    report_counts(trace.name(), trace.tally());
    warn_processors_taken_for_nodes(trace);
}

/// Reports on standard error what was left out of a file or mended, and why.
pub fn report_counts(name: &str, tally: &Tally) {
    tally
        .describe_reasons()
        .for_each(|text| note!("{name}: {text}"));
}

/// Opens files and folders of records as one stream, with the names of the files; says what of a folder is left out.
pub fn open_files(paths: &[PathBuf], memory: u64) -> Result<(Lines, Vec<String>), Error> {
    let (lines, names) = Lines::open_all(paths, memory)?;
    lines.notes().iter().for_each(|text| note!("{text}"));
    Ok((lines, names))
}

/// Says on standard error where a trace's processors were probably wrongly taken for nodes.
pub fn warn_processors_taken_for_nodes(trace: &Trace) {
    if let Some(hint) = trace.processors_hint() {
        note!("{}: {hint}", trace.name());
    }
}
