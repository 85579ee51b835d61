//! What is asked of the hosts of one job: options read and checked.

use nodeorder_base::{Error, Result, SourceLocation};
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_traffic::mapping::guest::make_guest_for;
use nodeorder_traffic::mapping::{Guest, Role};

/// Request for the hosts of a job: number, order, segments and roles.
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
    /// Whether the ranks of a host may be any, not `per_node` consecutive ones: what the form can say.
    pub regroups: bool,
    /// Seconds after which each search for a guest ends.
    pub time: f64,
}

impl HostsWanted<'_> {
    /// Reads `segment`: the number of hosts, 1 unless given, and the name of the level, if it has one.
    pub(super) fn parse_segment(&self) -> Result<(u32, Option<&str>)> {
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
    pub(super) fn list_roles(&self, segment: u32, offered: u32) -> Result<Vec<Role>> {
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

    /// Makes the guest. Fails unless it has `per_node` processes for each of the `hosts`.
    pub(super) fn make_guest(&self, topology: &Topology, text: &str, hosts: u32) -> Result<Guest> {
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

/// Makes a role of a number of `hosts`. Fails if `segment` does not divide it, as Slurm does.
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
