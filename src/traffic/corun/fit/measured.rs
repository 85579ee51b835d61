//! Measured patterns: the rows that figures are fitted to.

use crate::corun::Phase;
use crate::mapping::{Guest, ProcessMapping};
use nodeorder_base::{Error, Result, Text};
use nodeorder_network::Topology;

/// Names of the patterns that rows may have.
pub const PATTERNS: [&str; 3] = ["ping-pong", "all-to-all", "ring"];

/// A measured pattern.
#[derive(Clone, Debug)]
pub struct Measured {
    /// One of [`PATTERNS`].
    pub pattern: &'static str,
    /// The nodes as they were written.
    pub nodes: String,
    /// Bytes of each message.
    pub bytes: f64,
    /// Seconds that were measured.
    pub seconds: f64,
    /// The messages of the pattern, one phase after the other.
    pub(super) phases: Vec<Phase>,
    /// The node of each process.
    pub(super) mapping: ProcessMapping,
}

impl Measured {
    /// Reads rows `pattern,nodes,bytes,seconds`, header first; `nodes` is a host list or ids.
    ///
    /// # Errors
    /// With file and line: a malformed line, an unknown pattern or node, a ping-pong that is not between two
    /// nodes, a node twice, bytes or seconds that are not above 0; no rows.
    pub fn read_all(topology: &Topology, text: &Text) -> Result<Vec<Measured>> {
        let mut rows = Vec::new();
        for line in text.list_rows(&["pattern", "nodes", "bytes", "seconds"])? {
            let fields = line.split_csv()?;
            let [pattern, list, bytes, seconds] = fields.as_slice() else {
                let found = format!("{} fields", fields.len());
                return Err(line.error_here(found, "pattern,nodes,bytes,seconds"));
            };
            let Some(pattern) = PATTERNS.into_iter().find(|known| known == pattern) else {
                return Err(Error::unknown(
                    line.location(),
                    "pattern",
                    pattern,
                    PATTERNS,
                ));
            };
            let number = |what: &str, text: &str| {
                let number = text
                    .parse::<f64>()
                    .ok()
                    .filter(|n| (1e-12..=1e15).contains(n));
                let expected = "a number from 1e-12 to 1e15";
                number.ok_or_else(|| line.error_here(format!("{what} `{text}`"), expected))
            };
            let nodes = topology.nodes_named(list, &line, 0)?;
            // A node twice would send to itself, which no pattern does.
            let mut distinct = nodes.clone();
            distinct.sort_unstable();
            distinct.dedup();
            if distinct.len() < nodes.len() || nodes.len() < 2 {
                return Err(
                    line.error_here(format!("nodes `{list}`"), "two or more different nodes")
                );
            }
            if pattern == "ping-pong" && nodes.len() != 2 {
                return Err(
                    line.error_here(format!("{} nodes", nodes.len()), "two nodes for ping-pong")
                );
            }
            let size = number("bytes", bytes)?;
            rows.push(Measured {
                pattern,
                nodes: list.to_string(),
                bytes: size,
                seconds: number("seconds", seconds)?,
                phases: pattern_phases(topology, pattern, nodes.len() as u32, size)?,
                mapping: {
                    for node in &nodes {
                        topology.check_node(*node, || line.location())?;
                    }
                    ProcessMapping::new(topology, list.as_ref(), nodes)?
                },
            });
        }
        if rows.is_empty() {
            return Err(Error::input(
                text.location(),
                "no rows",
                "a row for each measurement",
            ));
        }
        Ok(rows)
    }
}

/// Builds the phases of a pattern on `n` nodes.
fn pattern_phases(topology: &Topology, pattern: &str, n: u32, bytes: f64) -> Result<Vec<Phase>> {
    let phase = |guest| Phase {
        compute: 0.0,
        guest,
        bytes,
        messages: 1.0,
    };
    if pattern == "ping-pong" {
        // There and back are two phases: the second message waits for the first.
        let ways = [(0, 1, 1.0), (1, 0, 1.0)];
        let guests = ways.map(|way| Guest::new(pattern, 2, [way]));
        return guests.into_iter().map(|guest| guest.map(phase)).collect();
    }
    Ok(vec![phase(Guest::make(
        &format!("{pattern}:n={n}"),
        topology.context(),
    )?)])
}
