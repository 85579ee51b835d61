//! The nodes of a Slurm as `sinfo --json` prints them: what each can do for jobs now.

use serde::Deserialize;

use super::json::parse_document;
use super::squeue::States;
use nodeorder_base::error::{Error, Result};
use nodeorder_base::input::Text;

/// What a node can do for jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeState {
    /// It takes a job now.
    Free,
    /// Jobs hold it, all of it or a part.
    Held,
    /// Down, drained, reserved or otherwise not for jobs: not now, nor when the last of them ends.
    Out,
}

/// What `sinfo --json` prints: since 23.02 rows `sinfo`, one for each kind of node and partition; before, `nodes`.
#[derive(Deserialize)]
struct Document {
    sinfo: Option<Vec<Row>>,
    nodes: Option<Vec<Node>>,
}

#[derive(Deserialize)]
struct Row {
    nodes: Named,
    node: Stated,
}

#[derive(Deserialize)]
struct Named {
    nodes: Vec<String>,
}

#[derive(Deserialize)]
struct Stated {
    state: States,
}

#[derive(Deserialize)]
struct Node {
    name: String,
    state: States,
    #[serde(default)]
    state_flags: Vec<String>,
}

/// Words of states that keep no job away.
const UP: [&str; 9] = [
    "IDLE",
    "ALLOCATED",
    "MIXED",
    "COMPLETING",
    "PLANNED",
    "CLOUD",
    "POWERED_DOWN",
    "DYNAMIC_NORM",
    "REBOOT_ISSUED",
];

impl NodeState {
    fn parse_states(states: &[String]) -> NodeState {
        let is = |state: &str, words: &[&str]| words.iter().any(|w| w.eq_ignore_ascii_case(state));
        // A word that is not known keeps jobs away: a job lost on a bad node costs more than an idle node.
        if states.is_empty() || !states.iter().all(|state| is(state, &UP)) {
            NodeState::Out
        } else if states.iter().any(|state| is(state, &UP[1..4])) {
            // Allocated, mixed or completing: a job that is ending keeps its nodes until it is gone.
            NodeState::Held
        } else {
            NodeState::Free
        }
    }
}

/// Reads the rows of `sinfo --json`: a host list each, and what its nodes can do. A node of several partitions has
/// several.
///
/// # Errors
/// Another document, with its line.
pub fn read_node_states(text: &Text) -> Result<Vec<(String, NodeState)>> {
    let expected = "the output of sinfo --json: sinfo of nodes.nodes and node.state, or nodes of name and state";
    let found: Document = parse_document(text, expected)?;
    let rows = found.sinfo.into_iter().flatten();
    let rows = rows.map(|row| (row.nodes.nodes, row.node.state.into_words()));
    let nodes = found.nodes.into_iter().flatten();
    let nodes = nodes.map(|node| {
        (
            vec![node.name],
            [node.state.into_words(), node.state_flags].concat(),
        )
    });
    let all: Vec<_> = rows
        .chain(nodes)
        .filter(|(names, _)| !names.is_empty())
        .collect();
    if all.is_empty() {
        return Err(Error::input(text.location(), "no nodes", expected));
    }
    Ok(all
        .into_iter()
        .map(|(names, states): (Vec<String>, Vec<String>)| {
            (names.join(","), NodeState::parse_states(&states))
        })
        .collect())
}
