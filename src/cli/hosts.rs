//! `nodeorder hosts`: the hosts of one job in the order its ranks should take.

use std::collections::HashMap;

use crate::shared::notes::{note, say_unfinished};
use crate::shared::watch::Clock;
use crate::shared::{inputs, output, progress};
use clap::Args;
use nodeorder_base::error::{Error, SourceLocation};
use nodeorder_base::ids::NodeId;
use nodeorder_base::input::Text;
use nodeorder_network::topology::{Context, Topology};
use std::path::{Path, PathBuf};

use anyhow::Result;

use nodeorder_order::metric::ring::RingLength;
use nodeorder_order::ordering::{NodeOrder, Observer};
use nodeorder_present::export::{HOST_FORMS, JobHosts, best_ring, read_hosts, sort_by_rank};
use nodeorder_traffic::mapping::guest::make_guest_for;
use nodeorder_traffic::mapping::method;

/// Put the hosts of one job in order
#[derive(Debug, Args)]
#[command(
    after_help = "Example: nodeorder hosts cluster.toml --nodes $SLURM_JOB_NODELIST --to slurm-hostfile -o hosts.txt"
)]
pub struct Command {
    /// The machine: a TOML file, the name of a shipped machine, or kind:options
    spec: String,
    /// The job's hosts: a host list, node ids such as 0-63, a file of them (repeated ones count once), or - for
    /// standard input
    #[arg(long, value_name = "LIST|FILE|-")]
    nodes: String,
    /// The ordering [default: of those that suit, the one whose ring over these hosts has the fewest hops]
    #[arg(long = "order", alias = "by", value_name = "ORD")]
    by: Option<String>,
    /// The form; see `nodeorder list host-forms`
    #[arg(long, value_name = "FORMAT", default_value = "hosts")]
    to: String,
    /// Processes on each host
    #[arg(
        long,
        value_name = "K",
        default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=65536)
    )]
    per_node: u32,
    /// Order for the traffic of this guest instead: process i is on host i / K, and hop-bytes are few
    #[arg(long, value_name = "GUEST", conflicts_with = "by")]
    guest: Option<String>,
    /// Seconds after which the search of --guest ends even if it is not done, and says so
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0)]
    time: f64,
    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Rounds of the search of `--guest`: they end before the clock does, so that it does not show in the result.
const ROUNDS: u32 = 2;

impl Command {
    pub fn run(self, context: &Context) -> Result<()> {
        // A misspelt form shows before the machine is built.
        let (form, _) = HOST_FORMS.find_and_read(&self.to, context.seed)?;
        let topology = inputs::build_topology(&self.spec, context)?;
        let (given, nodes) = self.read_hosts(&topology)?;
        let ordered = match (&self.guest, &self.by) {
            (Some(guest), _) => self.order_for_guest(&topology, &nodes, guest)?,
            (None, Some(by)) => {
                let order = NodeOrder::make_observed(
                    &topology,
                    by,
                    &Clock::start_clock(false, &progress::show_spinner(by)),
                )?
                .0;
                inputs::report_machine(&topology, &order);
                sort_by_rank(&topology, &order, &nodes)?
            }
            (None, None) => choose_shortest_ring(&topology, &nodes)?,
        };
        // Hosts are written as they were given: a launcher may know them by other names than the machine's file.
        let names: HashMap<NodeId, &String> = nodes.iter().copied().zip(&given).collect();
        let hosts: Vec<String> = ordered.iter().map(|node| names[node].clone()).collect();
        let job = JobHosts {
            hosts: &hosts,
            given: &given,
            per_node: self.per_node,
        };
        output::write_text(self.output.as_deref(), (form.parse)(&job))
    }

    /// Reads the hosts, each once, as the list calls them, and their nodes.
    fn read_hosts(&self, topology: &Topology) -> Result<(Vec<String>, Vec<NodeId>)> {
        let path = Path::new(&self.nodes);
        let text = if self.nodes == "-" || path.is_file() {
            Text::read(path, topology.context().memory)?
        } else {
            Text::new(format!("--nodes {}", self.nodes), self.nodes.as_str())
        };
        Ok(read_hosts(topology, &text)?)
    }

    /// Orders the nodes as a mapping of the guest's traffic places its ranks.
    fn order_for_guest(
        &self,
        topology: &Topology,
        nodes: &[NodeId],
        text: &str,
    ) -> Result<Vec<NodeId>> {
        let location = || SourceLocation::option(format!("--guest {text}"));
        if !topology.within_one_component(nodes) {
            let problem = "traffic between hosts that no path joins";
            return Err(Error::unsuited(location(), problem, "leave out --guest").into());
        }
        let processes = nodes.len() as u64 * u64::from(self.per_node);
        let count = u32::try_from(processes).unwrap_or(u32::MAX);
        let guest = make_guest_for(text, count, topology.context())?;
        guest.remarks().iter().for_each(|text| note!("{text}"));
        if u64::from(guest.processes()) != processes {
            let found = format!("{} processes", guest.processes());
            let expected = format!("{processes}: {} hosts of {}", nodes.len(), self.per_node);
            return Err(Error::input(location(), found, expected).into());
        }
        // All processes of a host count as one: the order of hosts does not depend on traffic inside one.
        let guest = guest.gather_groups(self.per_node)?;
        // The search improves on a start: a good one leaves it less to do in its seconds.
        let start = choose_shortest_ring(topology, nodes)?;
        let waiting = progress::show_spinner(text);
        let clock = Clock::start_clock(false, &waiting);
        let search = format!("best:rounds={ROUNDS},time={}", self.time);
        let found = method::place(topology, &guest, &start, &search, &clock)?;
        let ended = clock
            .elapsed_seconds()
            .is_some_and(|seconds| seconds >= self.time);
        drop(waiting);
        // Rounds end the search the same way everywhere; a clock does not, and users of the order should know.
        if ended {
            note!(
                "the search ended after --time {}: the order may differ from run to run",
                self.time
            );
        }
        say_unfinished(&found.unfinished);
        note!("ordered for {text} by the mapping method {}", found.method);
        Ok(found.mapping.nodes().to_vec())
    }
}

/// Chooses the order whose ring is the shortest, and tells which that is.
fn choose_shortest_ring(topology: &Topology, nodes: &[NodeId]) -> Result<Vec<NodeId>> {
    let (order, by, walk) = best_ring(topology, nodes)?;
    let RingLength {
        unreachable,
        hops,
        longest,
    } = walk;
    let apart = match unreachable {
        0 => String::new(),
        steps => format!("; {steps} steps of the ring are between hosts that no path joins"),
    };
    note!(
        "ordered by {by}: a ring over {} hosts takes {hops} hops, the longest step {longest}{apart}",
        order.len()
    );
    Ok(order)
}
