//! Availability of a machine: how many of its racks are up, where a rack needs some of its nodes, and how many spare
//! racks a promise takes.
//!
//! Nodes and switches fail independently of each other. A unit of n nodes that needs m is up with probability
//! p = Σ_{i ≥ m} C(n,i) aⁱ (1-a)ⁿ⁻ⁱ. Where switches fail, too, each unit of every level has one: what is below it falls
//! with it. Distributions of what is up are made from the leaves up: those of equal parts are powers under convolution,
//! those of different parts are convolved. Example: of 128 racks of 18 nodes that are up for 99.5 % of the time, 112
//! have all their nodes at 95 % of all times, and 126 have 17 or more.

use std::collections::BTreeMap;
use std::str::FromStr;

use nodeorder_base::params::Unit;
use nodeorder_base::{Error, NodeId, Result, SourceLocation};
use nodeorder_network::Topology;
use nodeorder_network::topology::Level;
use serde::Serialize;

/// Question about a machine's availability, as people write it.
#[derive(Clone, Copy, Debug, Default)]
pub struct AvailabilityQuestion<'a> {
    /// Level whose units are meant; the innermost whose units have several nodes, unless given.
    pub level: Option<&'a str>,
    /// `M/N`: nodes that a unit of N needs; all unless given.
    pub need: Option<&'a str>,
    /// Share of the time in which a node is up.
    pub node: Option<f64>,
    /// Mean time between failures of a node, and mean time to repair it, such as `5y` and `12h`.
    pub times: Option<[&'a str; 2]>,
    /// Share of the time in which a switch is up; 1 unless given.
    pub switch: Option<f64>,
    /// Numbers of units that a job takes.
    pub slices: &'a [usize],
    /// `U:P`: U units are to be up with probability P.
    pub promise: Option<&'a str>,
}

/// Availability of a node if none is given.
pub const NODE: f64 = 0.995;

/// Availability of a machine's units.
#[derive(Clone, Debug, Serialize)]
pub struct Availability {
    /// Level of the units.
    pub level: String,
    /// Number of units.
    pub units: usize,
    /// Nodes of the largest unit.
    pub nodes: usize,
    /// Nodes that the largest unit needs.
    pub need: usize,
    /// Share of the time in which a node is up.
    pub node: f64,
    /// Mean probability that a unit is up, with its switch and those above it.
    pub unit_availability: f64,
    /// Mean number of units that are up.
    pub expected_units: f64,
    /// Largest number of units that are up, or more, with probability 0.95.
    pub units_at_95: usize,
    /// Largest number of units that are up, or more, with probability 0.99.
    pub units_at_99: usize,
    /// Share of the machine that jobs of several units can use, by number of units.
    pub goodput: Vec<Goodput>,
    /// Fewest units to add so that the promise holds; `None` without a promise.
    pub spares: Option<u32>,
}

/// Share of a machine's units that jobs of one size can use.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Goodput {
    /// Units of a job.
    pub units: usize,
    /// Mean share where a job takes any units that are up: E[⌊X/J⌋]·J/B.
    pub any: f64,
    /// Mean share of slices of consecutive units that are up as a whole.
    pub fixed: f64,
}

/// Probabilities of 0, 1, 2, … parts that are up.
type Distribution = Vec<f64>;

/// Part of the machine: its first node and the number of its distribution.
type MachinePart = (NodeId, usize);

/// Probability that counts as none.
const NOTHING: f64 = 1e-18;
/// Most units that are added to keep a promise, and that may be promised.
const MOST: u32 = 1 << 20;

impl Availability {
    /// Computes the availability of the units of a level of `topology`.
    ///
    /// # Errors
    /// A machine without levels, one that it does not have, probabilities and numbers out of range; a promise that
    /// a million further units do not keep.
    ///
    /// # Complexity
    /// O(nodes · levels · log nodes), and convolutions of O(n · σ) for n parts and a standard deviation σ: 10⁵ nodes
    /// take less than a second.
    pub fn compute(topology: &Topology, question: &AvailabilityQuestion<'_>) -> Result<Self> {
        let node = question.node_availability()?;
        let switch = check_share("--switch", question.switch.unwrap_or(1.0))?;
        let (needed, of) = question.parse_need()?;
        let levels = topology.measured_levels();
        let chosen = question.find_level(topology, &levels)?;
        let mut nodes: Vec<NodeId> = topology.nodes().iter().collect();
        nodes.extend(topology.nodes().down_nodes());
        nodes.sort_unstable();
        let mut distributions = vec![vec![1.0 - node, node]];
        let mut parts: Vec<MachinePart> = nodes.into_iter().map(|node| (node, 0)).collect();
        let mut units = Vec::new();
        let mut sizes = (0, 0);
        for (i, level) in levels.iter().enumerate() {
            let groups = group_parts(&parts, |node| level.unit_of(node));
            let mut made = Vec::new();
            parts = join_parts(&groups, &distributions, &mut made);
            for distribution in &mut made {
                if i == chosen {
                    let size = distribution.len() - 1;
                    let need = (size as u64 * needed).div_ceil(of) as usize;
                    sizes = sizes.max((size, need));
                    let up: f64 = distribution[need..].iter().sum();
                    *distribution = vec![1.0 - up, up];
                }
                distribution.iter_mut().for_each(|p| *p *= switch);
                distribution[0] += 1.0 - switch;
            }
            distributions = made;
            if i == chosen {
                let own = parts
                    .iter()
                    .map(|(node, kind)| (*node, distributions[*kind][1]));
                units = own.collect();
            }
        }
        let mut machine = Vec::new();
        join_parts(&group_parts(&parts, |_| 0), &distributions, &mut machine);
        let up = &machine[0];
        let expected_units: f64 = (0..).zip(up).map(|(count, p)| f64::from(count) * p).sum();
        let unit_availability = expected_units / units.len() as f64;
        let mut goodput = Vec::new();
        for slice in question.slices.iter().copied() {
            if !(1..=units.len()).contains(&slice) {
                let expected = format!("numbers of units from 1 to {}", units.len());
                return Err(refuse_text("--slices", &slice.to_string(), expected));
            }
            let whole = (0..).zip(up).map(|(x, p)| (x / slice * slice) as f64 * p);
            goodput.push(Goodput {
                units: slice,
                any: whole.sum::<f64>() / units.len() as f64,
                fixed: mean_fixed(&units, slice, &levels[chosen + 1..], switch),
            });
        }
        let promise = question.parse_promise()?;
        Ok(Availability {
            level: levels[chosen].name.to_string(),
            units: units.len(),
            nodes: sizes.0,
            need: sizes.1,
            node,
            unit_availability,
            expected_units,
            units_at_95: most_with(up, 0.95),
            units_at_99: most_with(up, 0.99),
            goodput,
            spares: promise
                .map(|promise| count_spares(up, unit_availability, promise))
                .transpose()?,
        })
    }
}

impl AvailabilityQuestion<'_> {
    /// Computes the share of the time in which a node is up. Fails if it is none.
    fn node_availability(&self) -> Result<f64> {
        let Some([between, repair]) = self.times else {
            return check_share("--node", self.node.unwrap_or(NODE));
        };
        let between = parse_time("--mtbf", between)?;
        let repair = parse_time("--mttr", repair)?;
        Ok(between / (between + repair))
    }

    /// Reads `M/N`, 1/1 where all nodes are needed. Fails if M is 0 or above N.
    fn parse_need(&self) -> Result<(u64, u64)> {
        let text = self.need.unwrap_or("1/1");
        let found: Option<(u32, u32)> = split_pair(text, '/');
        match found {
            Some((m, n)) if 0 < m && m <= n => Ok((m.into(), n.into())),
            _ => Err(refuse_text(
                "--need",
                text,
                "M/N with M from 1 to N, as in 16/18",
            )),
        }
    }

    /// Finds the level that is meant, by its place in `levels`. Fails if there is none.
    fn find_level(&self, topology: &Topology, levels: &[Level]) -> Result<usize> {
        let Some(name) = self.level else {
            let found = levels.iter().position(|level| level.slots > 1);
            return found.ok_or_else(|| {
                let location = SourceLocation::option(topology.spec());
                let problem = format!("{} has no levels", topology.name());
                Error::unsuited(
                    location,
                    problem,
                    "take a machine with racks, groups or leaf switches",
                )
            });
        };
        let names = levels.iter().map(|level| level.name.as_ref());
        let found = names.clone().position(|level| level == name);
        found.ok_or_else(|| {
            Error::unknown(
                SourceLocation::option(format!("--level {name}")),
                "level",
                name,
                names,
            )
        })
    }

    /// Reads `U:P`. Fails if U is 0, or P is no probability that can be reached.
    fn parse_promise(&self) -> Result<Option<(u32, f64)>> {
        let Some(text) = self.promise else {
            return Ok(None);
        };
        let found = split_pair(text, ':');
        match found {
            Some((units, p)) if (1..=MOST).contains(&units) && (0.0..1.0 - 1e-9).contains(&p) => {
                Ok(Some((units, p)))
            }
            _ => {
                let expected = "U:P with U from 1 to 1048576 and P from 0 to below 0.999999999, as in 120:0.99";
                Err(refuse_text("--promise", text, expected))
            }
        }
    }
}

/// Reads two numbers with a separator between them.
fn split_pair<A: FromStr, B: FromStr>(text: &str, separator: char) -> Option<(A, B)> {
    let (first, second) = text.split_once(separator)?;
    Some((first.parse().ok()?, second.parse().ok()?))
}

/// Builds the error of an option's text.
fn refuse_text(flag: &str, text: &str, expected: impl Into<String>) -> Error {
    Error::option(format!("{flag} {text}"), format!("`{text}`"), expected)
}

/// Checks a share of the time.
fn check_share(flag: &str, share: f64) -> Result<f64> {
    let right = (0.0..=1.0).contains(&share);
    right
        .then_some(share)
        .ok_or_else(|| refuse_text(flag, &share.to_string(), "a share of the time, from 0 to 1"))
}

/// Reads a time above 0 in seconds.
fn parse_time(flag: &str, text: &str) -> Result<f64> {
    let time = Unit::Seconds.parse(text).filter(|time| *time > 0.0);
    time.ok_or_else(|| refuse_text(flag, text, "a time above 0, such as 90s, 12h, 30d or 5y"))
}

/// Counts the parts of each kind in every unit; parts are by their first nodes, and so are the units.
fn group_parts(
    parts: &[MachinePart],
    unit_of: impl Fn(NodeId) -> u32,
) -> Vec<(NodeId, BTreeMap<usize, u32>)> {
    let mut groups = BTreeMap::new();
    for (node, kind) in parts {
        let group = groups
            .entry(unit_of(*node))
            .or_insert_with(|| (*node, BTreeMap::new()));
        *group.1.entry(*kind).or_insert(0) += 1;
    }
    groups.into_values().collect()
}

/// Joins the parts of each unit to one; adds the distributions of units that differ to `made`.
fn join_parts(
    groups: &[(NodeId, BTreeMap<usize, u32>)],
    distributions: &[Distribution],
    made: &mut Vec<Distribution>,
) -> Vec<MachinePart> {
    let mut kinds: BTreeMap<&BTreeMap<usize, u32>, usize> = BTreeMap::new();
    let mut joined = Vec::new();
    for (node, group) in groups {
        let kind = *kinds.entry(group).or_insert_with(|| {
            let mut sum = vec![1.0];
            for (kind, count) in group {
                sum = convolve(&sum, &repeat_distribution(&distributions[*kind], *count));
            }
            made.push(sum);
            made.len() - 1
        });
        joined.push((*node, kind));
    }
    joined
}

/// Computes the distribution of the sum of two.
fn convolve(a: &[f64], b: &[f64]) -> Distribution {
    let mut sum = vec![0.0; a.len() + b.len() - 1];
    // Of long distributions all but a few standard deviations is nothing.
    let from = b.iter().position(|q| *q >= NOTHING).unwrap_or(0);
    let to = b
        .iter()
        .rposition(|q| *q >= NOTHING)
        .map_or(0, |last| last + 1);
    for (i, p) in a.iter().enumerate().filter(|(_, p)| **p >= NOTHING) {
        for (sum, q) in sum[i + from..].iter_mut().zip(&b[from..to]) {
            *sum += p * q;
        }
    }
    sum
}

/// Computes the distribution of the sum of `count` independent parts, each distributed as `one`.
fn repeat_distribution(one: &[f64], mut count: u32) -> Distribution {
    let mut sum = vec![1.0];
    let mut square = one.to_vec();
    while count > 0 {
        if count & 1 == 1 {
            sum = convolve(&sum, &square);
        }
        count >>= 1;
        if count > 0 {
            square = convolve(&square, &square);
        }
    }
    sum
}

/// Computes the probability that `least` or more are up.
fn tail_probability(up: &[f64], least: usize) -> f64 {
    // From the small end, so that no digits of it are lost.
    up.iter().skip(least).rev().sum()
}

/// Finds the largest number that is reached with a probability.
fn most_with(up: &[f64], probability: f64) -> usize {
    let mut sum = 0.0;
    let reached = up.iter().rposition(|p| {
        sum += p;
        sum >= probability
    });
    reached.unwrap_or(0)
}

/// Computes the mean probability that all units of a slice of consecutive ones are up. Switches of the levels `above`
/// count once for all the units below them.
fn mean_fixed(units: &[(NodeId, f64)], slice: usize, above: &[Level], switch: f64) -> f64 {
    let slices = units.chunks_exact(slice);
    let count = slices.len() as f64;
    let mut sum = 0.0;
    for slice in slices {
        let mut up: f64 = slice.iter().map(|unit| unit.1).product();
        for level in above {
            let switches = slice.chunk_by(|a, b| level.unit_of(a.0) == level.unit_of(b.0));
            up *= switch.powi(switches.count() as i32);
        }
        sum += up;
    }
    sum / count
}

/// Counts the fewest units to add, each up with probability `unit`, for a promise.
fn count_spares(up: &[f64], unit: f64, (units, least): (u32, f64)) -> Result<u32> {
    let kept = |spares: u32| {
        let up = convolve(up, &repeat_distribution(&[1.0 - unit, unit], spares));
        tail_probability(&up, units as usize) >= least
    };
    let mut most = 0;
    while !kept(most) {
        if most >= MOST {
            let text = format!("--promise {units}:{least}");
            let remedy = "promise fewer units, or say that a unit needs fewer of its nodes";
            let problem = "a million further units would not keep the promise".to_string();
            return Err(Error::unsuited(
                SourceLocation::option(text),
                problem,
                remedy,
            ));
        }
        most = (2 * most).max(1);
    }
    let mut fewest = most / 2;
    while fewest < most {
        let middle = fewest.midpoint(most);
        if kept(middle) {
            most = middle;
        } else {
            fewest = middle + 1;
        }
    }
    Ok(fewest)
}

#[cfg(test)]
mod tests;
