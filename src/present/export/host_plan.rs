//! The hosts of one job: which of those offered, in which order, and how its groups of ranks lie on them.

use std::collections::{HashMap, HashSet};

use super::hosts::JobHosts;
use super::hosts_wanted::HostsWanted;
use super::job_hosts::{best_ring, sort_by_rank};
use nodeorder_base::{Error, NodeId, Observer, Result, SourceLocation};
use nodeorder_network::Topology;
use nodeorder_network::topology::Level;
use nodeorder_order::metric::ring::RingLength;
use nodeorder_traffic::mapping::guest::{RankGroups, list_training_groups};
use nodeorder_traffic::mapping::{
    GroupReport, Guest, Role, SpreadProblem, deal_segments, method, report_groups,
    volumes_between_units,
};
use serde_json::{Value, json};

/// Rounds of the search for a guest: they end before the clock does, so that it does not show in the result.
const ROUNDS: u32 = 2;

/// Hosts chosen and put in order.
#[derive(Debug)]
pub struct HostPlan {
    /// Hosts of each role in rank order; of a job without roles one list.
    pub roles: Vec<(String, Vec<NodeId>)>,
    /// Ranks of each host, by the order of [`HostPlan::hosts`].
    pub ranks: Vec<Vec<u32>>,
    /// Hosts that were offered and are not taken.
    pub spares: Vec<NodeId>,
    /// Level of segments and groups; none on a machine without levels.
    pub level: Option<Level>,
    /// Where the groups of a training job lie.
    pub groups: Vec<GroupReport>,
    /// Volume of the guest between units of each level.
    pub between_units: Vec<(String, f64)>,
    /// What was done, in sentences.
    pub notes: Vec<String>,
}

/// Chooses hosts of `nodes` and puts them in order. `observer` has the clock of the search for a guest.
///
/// # Errors
/// Options that cannot be read or do not go together; segments that the units do not hold; a guest of another number
/// of processes; more memory than allowed.
pub fn plan_hosts(
    topology: &Topology,
    nodes: &[NodeId],
    wanted: &HostsWanted<'_>,
    observer: &dyn Observer,
) -> Result<HostPlan> {
    let (segment, level) = wanted.parse_segment()?;
    let roles = wanted.list_roles(segment, nodes.len() as u32)?;
    let largest = roles.iter().map(|role| role.segment).max().unwrap_or(1);
    let mut plan = HostPlan {
        roles: Vec::new(),
        ranks: Vec::new(),
        spares: Vec::new(),
        level: find_level(topology, level, largest)?,
        groups: Vec::new(),
        between_units: Vec::new(),
        notes: Vec::new(),
    };
    // Without an order a short ring is what launchers gain most from.
    let ordered = match wanted.order {
        Some(order) => sort_by_rank(topology, order, nodes)?,
        None => plan.order_by_ring(topology, nodes)?,
    };
    let units = group_by_unit(plan.level.as_ref(), &ordered);
    let asks = wanted.segment.or(wanted.roles).is_some() || wanted.take.is_some();
    let guest = match wanted.guest {
        Some(text) => {
            let hosts = roles.iter().map(|role| role.segment * role.segments).sum();
            Some(wanted.make_guest(topology, text, hosts)?)
        }
        None => None,
    };
    let kinds = wanted
        .guest
        .map_or(Ok(None), list_training_groups)?
        .unwrap_or_default();
    match &guest {
        // Groups are what spreads: the first role is the whole job, as roles and a guest exclude each other.
        Some(guest) if wanted.spread => {
            plan.spread_hosts(&units, guest, &kinds, &roles[0], wanted.per_node)?;
        }
        Some(_) if largest > 1 => {
            // A search by hop-bytes moves single hosts and would tear segments.
            let problem = "the order for few hop-bytes does not keep segments";
            let location = SourceLocation::option("--guest");
            return Err(Error::unsuited(
                location,
                problem,
                "give --objective spread, too",
            ));
        }
        _ if asks => plan.deal_hosts(&units, &roles)?,
        _ => plan.roles.push((String::new(), ordered.clone())),
    }
    if let (Some(guest), false) = (&guest, wanted.spread) {
        let start = plan.hosts();
        // Ranks of a training job are on a host as its framework numbers them.
        let wanted = HostsWanted {
            regroups: wanted.regroups && kinds.is_empty(),
            ..*wanted
        };
        plan.roles[0].1 = plan.order_for_guest(topology, guest, &start, &wanted, observer)?;
    }
    let hosts = plan.hosts();
    // Ranks that nobody regrouped are dealt host by host.
    if plan.ranks.is_empty() {
        let firsts = (0..hosts.len() as u32).map(|host| host * wanted.per_node);
        plan.ranks = firsts
            .map(|first| (first..first + wanted.per_node).collect())
            .collect();
    }
    let taken: HashSet<NodeId> = hosts.iter().copied().collect();
    plan.spares = ordered
        .into_iter()
        .filter(|node| !taken.contains(node))
        .collect();
    if let Some(guest) = &guest {
        let mut processes = vec![hosts[0]; guest.processes() as usize];
        for (host, ranks) in hosts.iter().zip(&plan.ranks) {
            ranks
                .iter()
                .for_each(|rank| processes[*rank as usize] = *host);
        }
        plan.between_units = volumes_between_units(topology, guest, &processes);
    }
    if let Some(level) = plan.level.as_ref().filter(|_| !kinds.is_empty()) {
        let unit_of: Vec<u32> = hosts.iter().map(|node| level.unit_of(*node)).collect();
        let offered: Vec<u32> = units.iter().map(|unit| unit.len() as u32).collect();
        plan.groups = report_groups(&kinds, &unit_of, wanted.per_node, &offered);
        for report in &plan.groups {
            plan.notes.push(format!(
                "{}: {} of {} groups in one {} each, at most {}; a group spans {:.2} on the mean, {} at most",
                report.kind,
                report.whole,
                report.groups,
                level.name,
                report.whole_at_most,
                report.mean_span,
                report.max_span,
            ));
        }
    }
    Ok(plan)
}

/// Finds the level of this name, else the innermost with a unit of two hosts or a segment. Fails if there is none of
/// this name, or none for a segment.
fn find_level(topology: &Topology, name: Option<&str>, segment: u32) -> Result<Option<Level>> {
    let levels = topology.measured_levels();
    let location = SourceLocation::option("--segment");
    // A name that is no level is a mistake, even where some other level would do.
    if let Some(name) = name {
        let names: Vec<&str> = levels.iter().map(|level| &*level.name).collect();
        let found = levels.iter().find(|level| level.name == name);
        return match found {
            Some(level) => Ok(Some(level.clone())),
            None => Err(Error::unknown(location, "level", name, names)),
        };
    }
    let found = levels
        .into_iter()
        .find(|level| level.slots >= segment.max(2));
    // Segments of one host fit everywhere, also on a machine without levels.
    if found.is_none() && segment > 1 {
        let problem = format!(
            "{} has no level with units of {segment} hosts",
            topology.name()
        );
        return Err(Error::unsuited(location, problem, "take smaller segments"));
    }
    Ok(found)
}

/// Groups nodes by the unit they are in, in the order in which units come first; in one where there is no level.
fn group_by_unit(level: Option<&Level>, nodes: &[NodeId]) -> Vec<Vec<NodeId>> {
    let mut numbers: Vec<u32> = Vec::new();
    let mut units: Vec<Vec<NodeId>> = Vec::new();
    for node in nodes {
        let number = level.map_or(0, |level| level.unit_of(*node));
        match numbers.iter().position(|known| *known == number) {
            Some(unit) => units[unit].push(*node),
            None => {
                numbers.push(number);
                units.push(vec![*node]);
            }
        }
    }
    units
}

/// Builds the error of a role's segments, `left` of which find no place in the units.
fn refuse_segments(role: &Role, left: u32, units: &[Vec<NodeId>], level: &str) -> Error {
    let mut counts: Vec<usize> = units.iter().map(Vec::len).collect();
    // Units of one size are said once, the largest first.
    counts.sort_unstable();
    let sizes = counts.chunk_by(|a, b| a == b).rev();
    let sizes: Vec<String> = sizes
        .map(|all| format!("{} of {}", all.len(), all[0]))
        .collect();
    let name = if role.name.is_empty() {
        String::new()
    } else {
        format!(" of {}", role.name)
    };
    Error::unsuited(
        SourceLocation::option("--segment"),
        format!(
            "{} whole segments{name} of {} can be formed, {} wanted; hosts by {level}: {}",
            role.segments - left,
            role.segment,
            role.segments,
            sizes.join(", "),
        ),
        "take fewer hosts or smaller segments",
    )
}

/// Names of hosts as they were given: a launcher may know them by other names than the machine's file.
struct HostNames<'a>(HashMap<NodeId, &'a String>);

impl<'a> HostNames<'a> {
    fn new(nodes: &[NodeId], given: &'a [String]) -> Self {
        HostNames(nodes.iter().copied().zip(given).collect())
    }

    fn list(&self, nodes: &[NodeId]) -> Vec<String> {
        nodes.iter().map(|node| self.0[node].clone()).collect()
    }
}

impl HostPlan {
    /// Lists all hosts taken, role by role.
    pub fn hosts(&self) -> Vec<NodeId> {
        self.roles
            .iter()
            .flat_map(|(_, hosts)| hosts)
            .copied()
            .collect()
    }

    fn level_name(&self) -> String {
        self.level
            .as_ref()
            .map_or_else(|| "machine".into(), |level| level.name.to_string())
    }

    /// Writes the plan in a form of [`super::HOST_FORMS`], with hosts called as `given` calls `nodes`.
    pub fn write_form(
        &self,
        form: fn(&JobHosts<'_>) -> String,
        nodes: &[NodeId],
        given: &[String],
        per_node: u32,
    ) -> String {
        let names = HostNames::new(nodes, given);
        let ordered = self.hosts();
        let domains = self.level.iter().flat_map(|level| {
            let units = ordered.iter().map(|node| level.unit_of(*node));
            units.map(|unit| level.unit_name(unit))
        });
        form(&JobHosts {
            hosts: &names.list(&ordered),
            given,
            spares: &names.list(&self.spares),
            domains: &domains.collect::<Vec<_>>(),
            ranks: &self.ranks,
            per_node,
        })
    }

    /// Describes the plan as JSON, with hosts called as `given` calls `nodes`.
    pub fn document(&self, nodes: &[NodeId], given: &[String]) -> Value {
        let names = HostNames::new(nodes, given);
        let mut document = json!({
            "hosts": names.list(&self.hosts()),
            "spares": names.list(&self.spares),
        });
        // A job without roles is one role without a name.
        if !self.roles.iter().all(|(role, _)| role.is_empty()) {
            let roles = self.roles.iter();
            let roles =
                roles.map(|(role, hosts)| json!({ "role": role, "hosts": names.list(hosts) }));
            document["roles"] = roles.collect();
        }
        document["level"] = json!(self.level.as_ref().map(|level| &level.name));
        for (level, volume) in &self.between_units {
            document[format!("bytes_{level}")] = json!(volume);
        }
        let groups = self.groups.iter().map(|report| {
            json!({
                "kind": report.kind,
                "groups": report.groups,
                "whole": report.whole,
                "whole_at_most": report.whole_at_most,
                "max_span": report.max_span,
                "mean_span": report.mean_span,
                "crossings": report.crossings,
            })
        });
        document["groups"] = groups.collect();
        document
    }

    /// Chooses the order whose ring is the shortest, and notes which that is.
    fn order_by_ring(&mut self, topology: &Topology, nodes: &[NodeId]) -> Result<Vec<NodeId>> {
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
        self.notes.push(format!(
            "ordered by {by}: a ring over {} hosts takes {hops} hops, the longest step {longest}{apart}",
            order.len()
        ));
        Ok(order)
    }

    /// Takes hosts for all segments from the front of the units. Fails if some find no place.
    fn deal_hosts(&mut self, units: &[Vec<NodeId>], roles: &[Role]) -> Result<()> {
        let counts: Vec<u32> = units.iter().map(|unit| unit.len() as u32).collect();
        let dealt = deal_segments(&counts, roles);
        if let Some((role, left)) = roles.iter().zip(&dealt.left).find(|(_, left)| **left > 0) {
            let mut level = self.level_name();
            if !dealt.exact {
                level += " (of so many not all divisions were tried)";
            }
            return Err(refuse_segments(role, *left, units, &level));
        }
        self.roles = roles
            .iter()
            .map(|role| (role.name.clone(), Vec::new()))
            .collect();
        for (unit, taken) in units.iter().zip(&dealt.of_unit) {
            let mut hosts = unit.iter().copied();
            for (i, role) in roles.iter().enumerate() {
                let count = (taken[i] * role.segment) as usize;
                self.roles[i].1.extend(hosts.by_ref().take(count));
            }
        }
        Ok(())
    }

    /// Puts segments on units so that groups of ranks span few units and little is sent between units. Fails if there
    /// is no room.
    fn spread_hosts(
        &mut self,
        units: &[Vec<NodeId>],
        guest: &Guest,
        kinds: &[RankGroups],
        role: &Role,
        per_node: u32,
    ) -> Result<()> {
        let size = per_node * role.segment;
        let capacity: Vec<u32> = units
            .iter()
            .map(|unit| unit.len() as u32 / role.segment)
            .collect();
        let formed: u32 = capacity.iter().sum();
        if formed < role.segments {
            return Err(refuse_segments(
                role,
                role.segments - formed,
                units,
                &self.level_name(),
            ));
        }
        let mut messages = Vec::new();
        guest
            .gather_groups(size)?
            .for_each_message(|message| messages.push(message));
        let groups = kinds.iter().flat_map(|kind| &kind.groups);
        let problem = SpreadProblem {
            capacity,
            blocks: role.segments,
            messages,
            groups: groups
                .map(|group| group.iter().map(|rank| rank / size).collect())
                .collect(),
        };
        let found = problem.spread_blocks();
        let mut hosts: Vec<_> = units.iter().map(|unit| unit.iter().copied()).collect();
        let mut order = Vec::new();
        for unit in &found.unit_of {
            order.extend(hosts[*unit as usize].by_ref().take(role.segment as usize));
        }
        self.roles = vec![(String::new(), order)];
        let proved = if found.proved {
            "nothing is better"
        } else {
            "not proved the best"
        };
        self.notes.push(format!(
            "spread over {} units ({}): a group of ranks spans {} at most, {} between units; {proved}",
            units.len(),
            self.level_name(),
            found.max_span.max(1),
            found.volume,
        ));
        Ok(())
    }

    /// Orders the nodes as a mapping of the guest's traffic places its ranks.
    fn order_for_guest(
        &mut self,
        topology: &Topology,
        guest: &Guest,
        start: &[NodeId],
        wanted: &HostsWanted<'_>,
        observer: &dyn Observer,
    ) -> Result<Vec<NodeId>> {
        let text = guest.label();
        if !topology.within_one_component(start.iter().copied()) {
            let problem = "traffic between hosts that no path joins";
            let location = SourceLocation::option(format!("--guest {text}"));
            return Err(Error::unsuited(location, problem, "leave out --guest"));
        }
        self.notes.extend(guest.remarks().iter().cloned());
        let search = format!("best:rounds={ROUNDS},time={}", wanted.time);
        if wanted.regroups && wanted.per_node > 1 && start.len() > 1 {
            // Where all hosts are a hop apart, hop-bytes are what hosts send each other, also on one switch.
            let hosts = format!("hyperx:{},per_router={}", start.len(), wanted.per_node);
            let hosts = Topology::inline(&hosts, topology.context())?;
            let slots: Vec<NodeId> = hosts.nodes().iter().collect();
            let found = method::place(&hosts, guest, &slots, &search, observer)?;
            self.ranks = vec![Vec::new(); start.len()];
            for (rank, node) in found.mapping.process_nodes() {
                self.ranks[hosts.router_of(node).index()].push(rank);
            }
        }
        // All processes of a host count as one: the order of hosts does not depend on traffic inside one.
        let gathered = match &self.ranks[..] {
            [] => guest.gather_groups(wanted.per_node)?,
            ranks => guest.gather_lists(ranks)?,
        };
        let found = method::place(topology, &gathered, start, &search, observer)?;
        // Rounds end the search the same way everywhere; a clock does not, and users of the order should know.
        if observer
            .elapsed_seconds()
            .is_some_and(|seconds| seconds >= wanted.time)
        {
            self.notes.push(format!(
                "the search ended after --time {}: the order may differ from run to run",
                wanted.time
            ));
        }
        if !found.unfinished.is_empty() {
            let methods = found.unfinished.join(", ");
            self.notes
                .push(format!("not run to the end for want of time: {methods}"));
        }
        self.notes.push(format!(
            "ordered for {text} by the mapping method {}",
            found.method
        ));
        Ok(found.mapping.nodes().to_vec())
    }
}
