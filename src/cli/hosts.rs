//! `nodeorder hosts`: the hosts of one job in the order its ranks should take.

use crate::shared::notes::print_each;
use crate::shared::watch::Clock;
use crate::shared::{inputs, output, progress};
use clap::Args;
use nodeorder_base::{NodeId, Text};
use nodeorder_network::{Context, Topology};
use std::path::{Path, PathBuf};

use anyhow::Result;

use nodeorder_order::NodeOrder;
use nodeorder_present::export::{HOST_FORMS, HostsWanted, plan_hosts, read_hosts, says_ranks};

/// Put the hosts of one job in order
#[derive(Debug, Args)]
#[command(
    after_help = "Example: nodeorder hosts cluster.toml --nodes $SLURM_JOB_NODELIST --to slurm-hostfile -o hosts.txt"
)]
pub struct Command {
    /// The machine: any file that describes it, the name of a shipped one, or kind:options
    spec: String,
    /// The job's hosts: a host list, node ids such as 0-63, a file of them (repeated ones count once), or - for
    /// standard input
    #[arg(long, value_name = "LIST|FILE|-")]
    nodes: String,
    /// An ordering [default: of those that suit, the one whose ring over these hosts has the fewest hops]
    #[arg(long = "order", alias = "by", value_name = "ORD")]
    by: Option<String>,
    /// Form of the output; see `nodeorder list host-forms`
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
    /// What a job's processes send to each other: order for this traffic instead; process i is on host i / K, and
    /// hop-bytes are few
    #[arg(long, value_name = "GUEST", conflicts_with = "by")]
    guest: Option<String>,
    /// Seconds after which the search of --guest ends even if it is not done, and says so
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0)]
    time: f64,
    /// Keep blocks of S consecutive hosts in one unit of a level [default: the innermost with units that large]
    #[arg(long, value_name = "S[,level=L]")]
    segment: Option<String>,
    /// Take N of the hosts; the others are spares, see --to spares
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    take: Option<u32>,
    /// Take hosts for several parts of a job, part by part
    #[arg(long, value_name = "NAME=N:segment=S,...", conflicts_with_all = ["take", "guest"])]
    roles: Option<String>,
    /// Order for a short ring (or few hop-bytes of --guest), or so that groups of --guest span few units
    #[arg(long, value_name = "OBJECTIVE", default_value = "ring", value_parser = ["ring", "spread"])]
    objective: String,
    /// Print one JSON document: hosts, spares, and where the groups of a training job lie
    #[arg(long)]
    json: bool,
    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Command {
    pub fn run(self, context: &Context) -> Result<()> {
        // A misspelt form shows before the machine is built.
        let (form, _) = HOST_FORMS.find_and_read(&self.to, context.seed)?;
        let topology = inputs::build_distances(&self.spec, context)?;
        let (given, nodes) = self.read_hosts(&topology)?;
        let order = match &self.by {
            Some(by) => {
                let clock = Clock::start_clock(false, &progress::show_spinner(by));
                let order = NodeOrder::make_observed(&topology, by, &clock)?.0;
                inputs::report_machine(&topology, &order);
                Some(order)
            }
            None => None,
        };
        let wanted = HostsWanted {
            order: order.as_ref(),
            guest: self.guest.as_deref(),
            spread: self.objective == "spread" && self.guest.is_some(),
            per_node: self.per_node,
            segment: self.segment.as_deref(),
            take: self.take,
            roles: self.roles.as_deref(),
            regroups: says_ranks(form.name) && !self.json,
            time: self.time,
        };
        let waiting = progress::show_spinner("hosts");
        let clock = Clock::start_clock(false, &waiting);
        let plan = plan_hosts(&topology, &nodes, &wanted, &clock)?;
        drop(waiting);
        print_each(&plan.notes);
        if self.json {
            let document = plan.document(&nodes, &given);
            return output::write_json(self.output.as_deref(), &document);
        }
        let text = plan.write_form(form.parse, &nodes, &given, self.per_node);
        output::write_text(self.output.as_deref(), text)
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
}
