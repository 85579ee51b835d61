//! Ports of an InfiniBand fabric's switches, and the wiring that they make.
//!
//! ```text
//! switch 0  port 1   adapter 11, port 1      node7 mlx5_0      200 Gbit/s
//! switch 0  port 21  switch 1, port 1                          200 Gbit/s
//! switch 1  port 1   switch 0, port 21                         the same cable from its other end
//! ```

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::adapters::{Adapter, find_nodes};
use super::wiring::{NO_PARENT, Wiring};
use crate::topology::family::BuildNetwork;
use crate::topology::network::Network;
use crate::topology::source_file::{FileNetwork, SourceFile};
use nodeorder_base::{Line, Opt, Params, Result, Text};

/// The option that chooses one adapter of each node.
pub(super) const RAIL: Opt = Opt::text(
    "rail",
    "look only at adapters described as NODE and this word",
)
.default_in_words("all adapters");

/// Reads the options of a family whose files `read_fabric` reads: `file` and `rail`. Fails if no file is given, with what
/// is `expected`.
pub(super) fn parse_options(
    params: &Params,
    expected: &str,
    read_fabric: fn(&Text) -> Result<Fabric<'_>>,
) -> Result<Box<dyn BuildNetwork>> {
    let rail = params.optional_word("rail")?;
    FileNetwork::parse(params, expected, move |file| {
        read_fabric(&file.text)?.build_network(file, rail.as_deref())
    })
}

/// What is at the other end of a cable, by the identifier that the file gives it.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Peer<'t> {
    Switch(&'t str),
    Adapter(&'t str),
    Router,
}

/// A port in use, as the file describes it at its switch.
pub(super) struct Port<'t> {
    /// Number of the switch.
    pub switch: usize,
    pub port: u32,
    pub peer: Peer<'t>,
    pub peer_port: u32,
    /// Description of the other end.
    pub description: &'t str,
    /// Data rate of the cable in Gbit/s; `None` if the file states none.
    pub rate: Option<f64>,
    pub line: Line<'t>,
}

/// The switches of a fabric and their ports.
#[derive(Default)]
pub(super) struct Fabric<'t> {
    pub wiring: Wiring,
    /// Numbers of the switches by identifier.
    pub known: BTreeMap<&'t str, usize>,
    pub ports: Vec<Port<'t>>,
}

impl Fabric<'_> {
    /// Builds the network of the switches, the cables between them, and the nodes on their ports. A cable's capacity
    /// is its rate over the rate that most nodes' cables have; those of parallel cables add up, and so do their
    /// numbers. A node is called by the first word of its adapter's description (the identifier where the description
    /// is the vendor's or that of several), and hangs on the switch that [`find_nodes`] takes, by a cable of its
    /// adapter's rate; `rail` leaves only the adapters described as `NODE RAIL`. Fails, with the line, if a cable leads
    /// to a switch that is not described or is described otherwise at its other end; or if the network is in several
    /// parts.
    ///
    /// # Limits
    /// Aggregation nodes inside switches and routers between subnets are left out.
    fn build_network(self, file: &SourceFile<'_>, rail: Option<&str>) -> Result<Network> {
        let mut wiring = self.build_wiring(file.text.name(), rail)?;
        wiring.build_levels(&vec![NO_PARENT; wiring.switches.len()], &|_| "leaf".into());
        wiring.into_network(file, "")
    }

    /// Joins the switches and puts the nodes on them. `name` is that of the file.
    fn build_wiring(self, name: &str, rail: Option<&str>) -> Result<Wiring> {
        let Fabric {
            mut wiring,
            known,
            ports,
        } = self;
        let cables = join_switches(&ports, &known)?;
        let mut hosts = Vec::new();
        let mut host_rates = Vec::new();
        for port in &ports {
            let Peer::Adapter(id) = port.peer else {
                continue;
            };
            let host = Adapter::read_description(port.switch, id, port.peer_port, port.description);
            if let Some(host) = host.filter(|host| rail.is_none_or(|rail| rail == host.name)) {
                hosts.push(host);
                host_rates.push(port.rate);
            }
        }
        let found = find_nodes(&hosts, rail.is_some());
        // Not the rate of the switches' cables: two of half the rate in the place of one must not change the unit.
        let usual = usual_rate(found.nodes.iter().map(|(_, place)| host_rates[*place]));
        let usual = usual.or(usual_rate(cables.iter().map(|(.., rate)| *rate)));
        let unit = usual.unwrap_or(1.0);
        wiring.has_speeds = usual.is_some();
        let mut silent = 0;
        for (a, b, rate) in cables {
            silent += usize::from(rate.is_none());
            wiring.add_cable(a, b, rate.map_or(1.0, |rate| rate / unit));
        }
        for (name, place) in found.nodes {
            wiring.switches[hosts[place].switch]
                .nodes
                .push(name.to_string());
            match host_rates[place] {
                None => silent += 1,
                Some(rate) if rate == unit => {}
                Some(rate) => {
                    wiring.node_capacities.insert(name.to_string(), rate / unit);
                }
            }
        }
        if silent > 0 && wiring.has_speeds {
            wiring.remarks.push(format!(
                "{}: {silent} cables state no rate and count as those of most nodes do",
                name
            ));
        }
        let notes = found.notes.into_iter();
        wiring
            .remarks
            .extend(notes.map(|note| format!("{}: {note}", name)));
        Ok(wiring)
    }
}

/// A cable between two switches, with its rate in Gbit/s if the file states it.
type Cable = (usize, usize, Option<f64>);

/// Finds the rate that most cables have, of equally frequent rates the lowest; `None` if no rate is stated.
fn usual_rate(rates: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    for rate in rates.flatten() {
        *counts.entry(rate.to_bits()).or_insert(0) += 1;
    }
    let usual = counts
        .iter()
        .max_by_key(|(bits, count)| (**count, Reverse(**bits)));
    usual.map(|(bits, _)| f64::from_bits(*bits))
}

/// Lists the cables between switches, each of which must be described at both ends.
fn join_switches(ports: &[Port<'_>], known: &BTreeMap<&str, usize>) -> Result<Vec<Cable>> {
    let mut ends: BTreeMap<(usize, u32), (usize, u32)> = BTreeMap::new();
    let mut cables = Vec::new();
    for port in ports {
        let Peer::Switch(id) = port.peer else {
            continue;
        };
        let line = port.line;
        let Some(&peer) = known.get(id) else {
            let found = format!("a cable to `{id}`, which no section describes");
            return Err(line.error_here(found, "a line Switch … for each switch"));
        };
        let here = (port.switch, port.port);
        let there = (peer, port.peer_port);
        if ends.insert(here, there).is_some() {
            return Err(line.error_here(format!("port {} again", port.port), "each port once"));
        }
        // A cable counts when its second end is met.
        match ends.get(&there) {
            Some(back) if *back != here => {
                let found = format!("a cable to port {} of `{id}`", port.peer_port);
                return Err(line.error_here(found, "the same cable at both ends"));
            }
            // A cable from a switch to itself (a loop-back plug) joins nothing.
            Some(_) if here != there && port.switch != peer => {
                cables.push((port.switch, peer, port.rate));
            }
            _ => {}
        }
    }
    // A cable described at one end only (its other switch was cut off the text) is an error, too.
    for port in ports {
        let Peer::Switch(id) = port.peer else {
            continue;
        };
        if !ends.contains_key(&(known[id], port.peer_port)) {
            let found = format!("a cable that `{id}` does not have");
            return Err(port.line.error_here(found, "the same cable at both ends"));
        }
    }
    Ok(cables)
}

/// Looks up the data rate of a lane in Gbit/s, without the bits of its code, by the name of its speed or by its
/// signalling rate as `iblinkinfo` prints it; `None` if it is neither.
pub(super) fn find_lane_rate(speed: &str) -> Option<f64> {
    let rate = match speed {
        "SDR" | "2.5" => 2.0,
        "DDR" | "5.0" => 4.0,
        "QDR" | "10.0" => 8.0,
        "FDR10" => 10.0,
        "FDR" | "14.0625" => 13.64,
        "EDR" | "25.78125" => 25.0,
        "HDR" | "53.125" => 50.0,
        "NDR" | "106.25" => 100.0,
        "XDR" | "212.5" => 200.0,
        _ => return None,
    };
    Some(rate)
}

/// Computes the rate of a cable of some lanes, such as `4`, in Gbit/s; `None` if the lanes are no number above 0.
pub(super) fn compute_rate(width: &str, speed: &str) -> Option<f64> {
    let width: u32 = width.parse().ok()?;
    let lane = find_lane_rate(speed)?;
    (width > 0).then_some(f64::from(width) * lane)
}
