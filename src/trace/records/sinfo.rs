//! The nodes of a Slurm as `sinfo --json` prints them: what each can do for jobs now, by all of its states
//! ([`nodeorder_base::slurm_states`]).

use serde::Deserialize;

use super::json::parse_document;
use super::slurm_json::States;
use nodeorder_base::slurm_states::{NodeUse, find_node_use};
use nodeorder_base::{Error, Result, Text};

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
    sinfo: Option<Vec<RowJson>>,
    nodes: Option<Vec<NodeJson>>,
}

#[derive(Deserialize)]
struct RowJson {
    nodes: NodeNames,
    node: NodeStateJson,
}

#[derive(Deserialize)]
struct NodeNames {
    nodes: Vec<String>,
}

#[derive(Deserialize)]
struct NodeStateJson {
    state: States,
}

#[derive(Deserialize)]
struct NodeJson {
    name: String,
    state: States,
    #[serde(default)]
    state_flags: Vec<String>,
}

/// Nodes of one row, and what they can do for jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeRow {
    /// The nodes as a host list.
    pub list: String,
    /// What they can do.
    pub state: NodeState,
    /// The first word of their states that is not known; they are out then.
    pub unknown: Option<String>,
}

impl NodeRow {
    fn parse_states(list: String, states: Vec<String>) -> NodeRow {
        let uses: Vec<Option<NodeUse>> = states.iter().map(|word| find_node_use(word)).collect();
        let unknown = uses.iter().position(Option::is_none);
        let state = match uses.iter().flatten().max() {
            // A word that is not known keeps jobs away: a job lost on a bad node costs more than an idle node.
            _ if unknown.is_some() => NodeState::Out,
            Some(NodeUse::Free) => NodeState::Free,
            Some(NodeUse::Held) => NodeState::Held,
            _ => NodeState::Out,
        };
        NodeRow {
            list,
            state,
            unknown: unknown.map(|i| states[i].clone()),
        }
    }
}

/// Reads the rows of `sinfo --json`: a host list each, and what its nodes can do. A node of several partitions has
/// several.
///
/// # Errors
/// Another document, with its line.
pub fn read_node_states(text: &Text) -> Result<Vec<NodeRow>> {
    let expected = "the output of sinfo --json: sinfo of nodes.nodes and node.state, or nodes of name and state";
    let found: Document = parse_document(text, expected)?;
    let rows = found.sinfo.into_iter().flatten();
    let rows = rows.map(|row| (row.nodes.nodes.join(","), row.node.state.into_words()));
    let nodes = found.nodes.into_iter().flatten();
    let nodes = nodes.map(|node| {
        let states = [node.state.into_words(), node.state_flags].concat();
        (node.name, states)
    });
    let all: Vec<_> = rows
        .chain(nodes)
        .filter(|(names, _)| !names.is_empty())
        .map(|(names, states)| NodeRow::parse_states(names, states))
        .collect();
    if all.is_empty() {
        return Err(Error::input(text.location(), "no nodes", expected));
    }
    Ok(all)
}
