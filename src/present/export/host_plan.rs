//! The hosts of one job: which of those offered, in which order, and how its groups of ranks lie on them.

use std::collections::HashSet;

use super::job_hosts::{best_ring, sort_by_rank};
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_base::ids::NodeId;
use nodeorder_base::observer::Observer;
use nodeorder_network::topology::{Level, Topology};
use nodeorder_order::metric::ring::RingLength;
use nodeorder_order::ordering::NodeOrder;
use nodeorder_traffic::mapping::guest::{RankGroups, list_training_groups, make_guest_for};
use nodeorder_traffic::mapping::{
    GroupReport, Guest, Role, SpreadProblem, deal_segments, method, report_groups,
    volumes_between_units,
};
use serde_json::{Value, json};

/// Rounds of the search for a guest: they end before the clock does, so that it does not show in the result.
const ROUNDS: u32 = 2;

/// What is asked of the hosts of a job.
#[derive(Clone, Copy, Debug)]
pub struct HostsWanted<'a> {
    /// Ordering; of those that suit the one with the shortest ring, unless given.
    pub order: Option<&'a NodeOrder>,
    /// Guest whose process i runs on host i / `per_node`.
    pub guest: Option<&'a str>,
    /// Whether the guest's groups should span few units, rather than its hop-bytes be few.
    pub spread: bool,
    /// Number of processes on each host.
    pub per_node: u32,
    /// Hosts of a segment, and the level in whose units segments lie: `S[,level=NAME]`.
    pub segment: Option<&'a str>,
    /// Number of hosts to take; all unless given.
    pub take: Option<u32>,
    /// Parts of the job, `NAME=N[:segment=S],…`.
    pub roles: Option<&'a str>,
    /// Seconds after which the search for a guest ends.
    pub time: f64,
}

/// Hosts chosen and put in order.
#[derive(Debug)]
pub struct HostPlan {
    /// Hosts of each role in rank order; of a job without roles one list.
    pub roles: Vec<(String, Vec<NodeId>)>,
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
        spares: Vec::new(),
        level: find_level(topology, level, largest)?,
        groups: Vec::new(),
        between_units: Vec::new(),
        notes: Vec::new(),
    };
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
        Some(guest) if wanted.spread => {
            plan.spread_hosts(&units, guest, &kinds, &roles[0], wanted.per_node)?;
        }
        Some(_) if largest > 1 => {
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
        plan.roles[0].1 = plan.order_for_guest(topology, guest, &start, wanted, observer)?;
    }
    let hosts = plan.hosts();
    let taken: HashSet<NodeId> = hosts.iter().copied().collect();
    plan.spares = ordered
        .into_iter()
        .filter(|node| !taken.contains(node))
        .collect();
    if let Some(guest) = &guest {
        let processes = hosts
            .iter()
            .flat_map(|node| (0..wanted.per_node).map(|_| *node));
        let processes: Vec<NodeId> = processes.collect();
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

impl HostsWanted<'_> {
    /// Reads `segment`: the number of hosts, 1 unless given, and the name of the level, if it has one.
    fn parse_segment(&self) -> Result<(u32, Option<&str>)> {
        let Some(text) = self.segment else {
            return Ok((1, None));
        };
        let (size, level) = match text.split_once(",level=") {
            Some((size, level)) => (size, Some(level)),
            None => (text, None),
        };
        match size.parse() {
            Ok(size) if size > 0 => Ok((size, level)),
            _ => Err(Error::option(
                format!("--segment {text}"),
                format!("`{size}`"),
                "S or S,level=NAME",
            )),
        }
    }

    /// Lists the roles; without any the whole job, of `take` of the hosts `offered`, is one.
    fn list_roles(&self, segment: u32, offered: u32) -> Result<Vec<Role>> {
        let Some(text) = self.roles else {
            let option = self
                .take
                .map_or_else(|| "--segment".into(), |take| format!("--take {take}"));
            return Ok(vec![make_role(
                option,
                "",
                self.take.unwrap_or(offered),
                segment,
            )?]);
        };
        if self.take.is_some() || self.guest.is_some() {
            let problem = "roles say how many hosts to take, and have no traffic in common";
            return Err(Error::unsuited(
                SourceLocation::option("--roles"),
                problem,
                "leave out --take and --guest",
            ));
        }
        let mut roles = Vec::new();
        for part in text.split(',') {
            let option = format!("--roles {text}");
            let parts = part.split_once('=').and_then(|(name, rest)| {
                let (hosts, size) = rest.split_once(":segment=").unwrap_or((rest, ""));
                let size = if size.is_empty() {
                    Some(segment)
                } else {
                    size.parse().ok()
                };
                Some((name, hosts.parse().ok()?, size.filter(|size| *size > 0)?))
            });
            let Some((name, hosts, size)) = parts else {
                return Err(Error::option(
                    option,
                    format!("`{part}`"),
                    "NAME=N[:segment=S], with commas between",
                ));
            };
            roles.push(make_role(option, name, hosts, size)?);
        }
        Ok(roles)
    }

    /// Makes the guest. Fails if it has not `per_node` processes for each of so many hosts.
    fn make_guest(&self, topology: &Topology, text: &str, hosts: u32) -> Result<Guest> {
        let processes = u64::from(hosts) * u64::from(self.per_node);
        let count = u32::try_from(processes).unwrap_or(u32::MAX);
        let guest = make_guest_for(text, count, topology.context())?;
        if u64::from(guest.processes()) != processes {
            let found = format!("{} processes", guest.processes());
            let expected = format!("{processes}: {hosts} hosts of {}", self.per_node);
            return Err(Error::option(format!("--guest {text}"), found, expected));
        }
        Ok(guest)
    }
}

/// Makes the role of so many hosts. Fails if its segments do not divide them, as Slurm does.
fn make_role(option: String, name: &str, hosts: u32, segment: u32) -> Result<Role> {
    if hosts == 0 || !hosts.is_multiple_of(segment) {
        let expected = format!("a multiple of the segment, {segment}");
        return Err(Error::option(option, format!("{hosts} hosts"), expected));
    }
    Ok(Role {
        name: name.into(),
        segment,
        segments: hosts / segment,
    })
}

/// Finds the level of this name, else the innermost with a unit of two hosts or a segment. Fails if there is none of
/// this name, or none for a segment.
fn find_level(topology: &Topology, name: Option<&str>, segment: u32) -> Result<Option<Level>> {
    let levels = topology.measured_levels();
    let location = SourceLocation::option("--segment");
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

/// Builds the error of segments that find no place in units of so many hosts.
fn refuse_segments(role: &Role, left: u32, units: &[Vec<NodeId>], level: &str) -> Error {
    let mut counts: Vec<usize> = units.iter().map(Vec::len).collect();
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

    /// Describes the plan as JSON, with hosts by their names.
    pub fn document(&self, name: impl Fn(NodeId) -> String) -> Value {
        let names = |nodes: &[NodeId]| -> Vec<String> { nodes.iter().map(|n| name(*n)).collect() };
        let mut document = json!({ "hosts": names(&self.hosts()), "spares": names(&self.spares) });
        if !self.roles.iter().all(|(role, _)| role.is_empty()) {
            let roles = self
                .roles
                .iter()
                .map(|(role, hosts)| json!({ "role": role, "hosts": names(hosts) }));
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
            if !dealt.exact {
                self.notes
                    .push("another division of roles among units might hold all".into());
            }
            return Err(refuse_segments(role, *left, units, &self.level_name()));
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

    /// Puts segments on units so that groups of ranks span few and little is sent between. Fails if there is no room.
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
        if !topology.within_one_component(start) {
            let problem = "traffic between hosts that no path joins";
            let location = SourceLocation::option(format!("--guest {text}"));
            return Err(Error::unsuited(location, problem, "leave out --guest"));
        }
        self.notes.extend(guest.remarks().iter().cloned());
        // All processes of a host count as one: the order of hosts does not depend on traffic inside one.
        let gathered = guest.gather_groups(wanted.per_node)?;
        let search = format!("best:rounds={ROUNDS},time={}", wanted.time);
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
