//! The hosts of one job in rank order, in the forms that launchers take.

use std::collections::HashMap;
use std::fmt::Display;

use serde_json::json;

use super::node_names::join_items;
use nodeorder_base::{Entry, Error, Registry, Result, SourceLocation};
use nodeorder_network::topology::compact_list;

/// The hosts of a job.
#[derive(Clone, Debug)]
pub struct JobHosts<'a> {
    /// Host names in the order that ranks should take.
    pub hosts: &'a [String],
    /// The host names in the order given, which is the launcher's.
    pub given: &'a [String],
    /// Hosts that were offered and are not taken.
    pub spares: &'a [String],
    /// Name of the unit that each host of `hosts` is in; empty on a machine without levels.
    pub domains: &'a [String],
    /// Ranks of each host of `hosts`.
    pub ranks: &'a [Vec<u32>],
    /// Processes on each host.
    pub per_node: u32,
}

/// A form in which hosts are written: an entry of [`HOST_FORMS`], whose function makes the text.
pub type HostForm = Entry<fn(&JobHosts<'_>) -> String>;

/// Every form in which hosts are written.
pub static HOST_FORMS: Registry<fn(&JobHosts<'_>) -> String> = Registry::new(
    "host form",
    "--to",
    &[
        HostForm::plain(
            "hosts",
            "a host a line, for --map-by seq, pdsh and scripts",
            |job| write_lines(job.hosts),
        ),
        HostForm::plain(
            "host-list",
            "one compressed host list, n[001-004,007]",
            |job| compact_list(job.hosts.iter().cloned()) + "\n",
        ),
        HostForm::plain(
            "slurm-hostfile",
            "a host a line for each process, for SLURM_HOSTFILE with srun -m arbitrary",
            |job| write_process_lines(job, |host, _, _| format!("{host}\n")),
        ),
        HostForm::plain(
            "rankfile",
            "rank R=HOST slot=S, for Open MPI and PRRTE: --map-by rankfile:FILE=...",
            |job| {
                write_process_lines(job, |host, rank, slot| {
                    format!("rank {rank}={host} slot={slot}\n")
                })
            },
        ),
        HostForm::plain(
            "machinefile",
            "HOST:PROCESSES, for MPICH and Intel MPI",
            |job| {
                job.hosts
                    .iter()
                    .map(|host| format!("{host}:{}\n", job.per_node))
                    .collect()
            },
        ),
        HostForm::plain(
            "mpich-rank-order",
            "the MPI ranks of each node of the launcher, in the order given, for MPICH_RANK_REORDER_METHOD=3",
            mpich_rank_order,
        ),
        HostForm::plain(
            "node-ranks",
            "JSON {host: rank}, for torchrun --node-rank",
            |job| write_object(job.hosts, 0..job.hosts.len()) + "\n",
        ),
        HostForm::plain(
            "spares",
            "a host a line of those that --take, --segment or --roles leave",
            |job| write_lines(job.spares),
        ),
        HostForm::plain(
            "topo-ranks",
            "JSON {\"ranks\": {host: rank}, \"domains\": {host: unit}}, for frameworks that ask where a rank lies",
            |job| {
                let ranks = write_object(job.hosts, 0..job.hosts.len());
                let domains = job.domains.iter().map(|domain| json!(domain));
                format!(
                    "{{\"ranks\": {ranks}, \"domains\": {}}}\n",
                    write_object(job.hosts, domains)
                )
            },
        ),
    ],
);

/// Checks whether a form says the ranks of each host one by one, which need not follow one another.
pub fn says_ranks(form: &str) -> bool {
    ["rankfile", "mpich-rank-order"].contains(&form)
}

/// Writes where processes run in a form: `placed` has the host of each, `launcher` the hosts in the launcher's order.
///
/// # Errors
/// A form that cannot say which processes a host has.
pub fn write_placed(form: &HostForm, placed: &[String], launcher: &[String]) -> Result<String> {
    let mut hosts: Vec<String> = Vec::new();
    let mut ranks: Vec<Vec<u32>> = Vec::new();
    let mut numbers: HashMap<&String, usize> = HashMap::new();
    for (rank, host) in (0..).zip(placed) {
        let number = *numbers.entry(host).or_insert_with(|| {
            hosts.push(host.clone());
            ranks.push(Vec::new());
            hosts.len() - 1
        });
        ranks[number].push(rank);
    }
    let per_node = ranks[0].len();
    // Other forms count on hosts of as many processes each, which follow one another.
    let even = ranks.iter().all(|ranks| ranks.len() == per_node);
    let in_turn = ranks.iter().flatten().copied().eq(0..placed.len() as u32);
    if !(says_ranks(form.name) || even && in_turn) {
        let problem = "processes of a host that do not follow one another, or hosts of different numbers of them";
        let location = SourceLocation::option(format!("--to {}", form.name));
        return Err(Error::unsuited(
            location,
            problem,
            "use rankfile or mpich-rank-order",
        ));
    }
    Ok((form.parse)(&JobHosts {
        hosts: &hosts,
        given: launcher,
        spares: &[],
        domains: &[],
        ranks: &ranks,
        per_node: per_node as u32,
    }))
}

/// Writes a host a line.
fn write_lines(hosts: &[String]) -> String {
    hosts.iter().map(|host| format!("{host}\n")).collect()
}

/// Writes a JSON object of hosts, in their order: a map of values would sort them by name.
fn write_object(hosts: &[String], values: impl Iterator<Item: Display>) -> String {
    let entries = hosts.iter().zip(values);
    let entries = entries.map(|(host, value)| format!("{}: {value}", json!(host)));
    format!("{{{}}}", join_items(entries, ", "))
}

/// Writes a line for each process: its host, its rank, its slot on the host.
fn write_process_lines(job: &JobHosts<'_>, line: impl Fn(&str, u32, u32) -> String) -> String {
    let mut text = String::new();
    for (host, ranks) in job.hosts.iter().zip(job.ranks) {
        for (slot, rank) in (0..).zip(ranks) {
            text += &line(host, *rank, slot);
        }
    }
    text
}

/// Writes the rank order of Cray MPICH, which places ranks on the launcher's nodes line by line: the i-th line has
/// the ranks of the i-th node.
fn mpich_rank_order(job: &JobHosts<'_>) -> String {
    let ranks: HashMap<&String, &Vec<u32>> = job.hosts.iter().zip(job.ranks).collect();
    let mut text =
        String::from("# MPICH_RANK_REORDER_METHOD=3, MPICH_RANK_REORDER_FILE: this file\n");
    for host in job.given {
        // Spares have no rank.
        if let Some(ranks) = ranks.get(host) {
            text += &(join_items(ranks.iter(), ",") + "\n");
        }
    }
    text
}
