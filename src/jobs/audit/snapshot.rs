//! Snapshot of a machine at one moment: free nodes, jobs that hold the others, and times at which they are freed at
//! the latest.
//!
//! A job frees its nodes at the latest at its start + its limit. Say a group of 4 nodes has 1 free, A holds 2 until
//! 11:00 and B 1 until 12:00. The largest job that fits in the group has 1 node now, 3 from 11:00 on, and 4 from
//! 12:00 on: its
//! *growth*.

use std::collections::BTreeMap;

use super::score::{ReasonCount, count_case};
use nodeorder_base::{Line, NodeId, Result, SourceLocation, Text};
use nodeorder_network::Topology;
use nodeorder_order::metric::units::Units;
use nodeorder_trace::records::{NodeState, Record, Records, State, read_node_states};

/// Job that holds nodes.
#[derive(Clone, Debug)]
pub struct RunningJob {
    /// Name of the job.
    pub name: String,
    /// Number of nodes that the job holds on this machine.
    pub nodes: u32,
    /// Start, in seconds.
    pub start: i64,
    /// Latest end in seconds: start + limit; `None` if it has no limit.
    pub end: Option<i64>,
}

/// Nodes of a unit that a job holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeldNodes {
    /// Number of nodes.
    pub nodes: u32,
    /// Number of these nodes on which no other job runs.
    pub alone: u32,
}

/// Nodes of one unit, such as a group, by their state. Those that are neither free nor out are held.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnitState {
    /// Name of the unit.
    pub name: String,
    /// Number of schedulable nodes.
    pub nodes: u32,
    /// Number of nodes that take a job now.
    pub free: u32,
    /// Number of nodes that take no job, even when all running jobs end.
    pub out: u32,
    /// Jobs that hold the unit's other nodes, by index in [`Snapshot::running`].
    pub jobs: BTreeMap<u32, HeldNodes>,
    /// Number of nodes that are held, but by no job that is listed.
    pub unlisted: u32,
    /// Latest end of `jobs`, in seconds; `None` if the end of a job is not known, or there are no jobs.
    pub freed: Option<i64>,
}

impl UnitState {
    /// Counts the nodes that jobs hold.
    pub fn count_held(&self) -> u32 {
        self.nodes - self.free - self.out
    }

    /// Checks whether no job holds any of its nodes and some node is free.
    pub fn is_free(&self) -> bool {
        self.count_held() == 0 && self.free > 0
    }
}

/// Units of one level, such as all groups.
#[derive(Clone, Debug)]
pub struct LevelState {
    /// Name of the level, such as `group`; `machine` for all nodes.
    pub name: String,
    /// Units of the level.
    pub units: Vec<UnitState>,
    /// Largest number of free nodes in one unit as jobs end at their limits: each time at which it grows, and the
    /// number.
    pub growth: Vec<(i64, u32)>,
}

impl LevelState {
    /// Finds the unit with the most free nodes, the first of several: the largest job within one unit fits there.
    pub fn roomiest(&self) -> &UnitState {
        let best = self
            .units
            .iter()
            .reduce(|a, b| if b.free > a.free { b } else { a });
        best.expect("a level has units")
    }

    /// Lists the units of which jobs hold some nodes, by the end of their last job; those of unknown end come last.
    pub fn next_freed(&self) -> Vec<&UnitState> {
        let mut held: Vec<&UnitState> = self
            .units
            .iter()
            .filter(|unit| unit.count_held() > 0)
            .collect();
        held.sort_by_key(|unit| (unit.freed.is_none(), unit.freed));
        held
    }
}

/// Machine at one moment: its jobs and the nodes of each level by state.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Jobs that hold nodes, in the order of the records.
    pub running: Vec<RunningJob>,
    /// Number of nodes that each waiting job asks for.
    pub waiting: Vec<u32>,
    /// Moment of the snapshot, in seconds: when the queue was asked, if it says so (`last_update`), else the latest
    /// time at which a job was submitted or started; 0 if none says.
    pub latest: i64,
    /// Levels, leaf first, and the whole machine at the end.
    pub levels: Vec<LevelState>,
    /// State of each schedulable node and of those out of service.
    pub nodes: Vec<(NodeId, NodeState)>,
    /// Numbers of jobs and nodes that were left out or of which something was assumed, by reason.
    pub notes: Vec<ReasonCount>,
}

/// State of a node.
#[derive(Clone, Copy)]
struct NodeNow {
    state: NodeState,
    /// Time at which the jobs on the node free it; `None` if that is not known.
    freed: Option<i64>,
}

impl Snapshot {
    /// Takes the snapshot from the records of the jobs and, if given, the states of the nodes. A job holds its
    /// nodes if it has a start and no run time. Without states every node that no job holds is free; with them,
    /// nodes that they do not list are out. Nodes that the machine's description says are out of service are out.
    ///
    /// # Errors
    /// Fails on records that are wrong, states of another form, or if more memory is needed than allowed.
    ///
    /// # Complexity
    /// O(levels · nodes of all jobs · log jobs).
    pub fn new(
        topology: &Topology,
        records: &mut Records,
        states: Option<&Text>,
    ) -> Result<Snapshot> {
        let slots = topology.nodes().slot_count();
        topology.require_memory("the state of each node", 24 * u64::from(slots))?;
        let state = if states.is_some() {
            NodeState::Out
        } else {
            NodeState::Free
        };
        let mut taken = SnapshotBuilder::new(topology, state);
        if let Some(text) = states {
            taken.read_states(text)?;
        }
        taken.mark_down();
        let holds = taken.read_jobs(records)?;
        taken.mark_held(&holds);
        taken.sum_levels(&holds);
        Ok(taken.snapshot)
    }

    /// Takes the snapshot of a machine without jobs.
    pub(super) fn of_empty_machine(topology: &Topology) -> Snapshot {
        let mut taken = SnapshotBuilder::new(topology, NodeState::Free);
        taken.mark_down();
        taken.sum_levels(&[]);
        taken.snapshot
    }

    /// Looks up the name of a running job.
    pub fn name_of(&self, job: u32) -> &str {
        &self.running[job as usize].name
    }

    /// Finds the unit that is the machine as a whole.
    pub fn whole_machine(&self) -> &UnitState {
        &self.levels.last().expect("the machine is a level").units[0]
    }

    /// Counts a case of a reason; `first` describes the first case.
    fn count_note(
        &mut self,
        name: &'static str,
        about: &'static str,
        first: impl FnOnce() -> String,
    ) {
        count_case(&mut self.notes, name, about, first);
    }
}

/// Snapshot that is being taken, with the state of each node.
struct SnapshotBuilder<'t> {
    topology: &'t Topology,
    snapshot: Snapshot,
    nodes: Vec<NodeNow>,
}

impl<'t> SnapshotBuilder<'t> {
    fn new(topology: &'t Topology, state: NodeState) -> Self {
        let slots = topology.nodes().slot_count() as usize;
        SnapshotBuilder {
            topology,
            snapshot: Snapshot::default(),
            nodes: vec![NodeNow { state, freed: None }; slots],
        }
    }

    /// Marks the nodes that the machine's description says are out of service.
    fn mark_down(&mut self) {
        for node in self.topology.nodes().down_nodes() {
            self.nodes[node.index()].state = NodeState::Out;
        }
    }

    /// Finds the schedulable nodes that a host list names, ascending; counts hosts that the machine does not
    /// have. Fails if the text is no host list.
    fn known_hosts(&mut self, line: &Line<'_>, place: SourceLocation) -> Result<Vec<NodeId>> {
        let (mut known, unknown) = self.topology.known_hosts(line)?;
        for name in unknown {
            let about = "hosts that the machine does not have";
            self.snapshot
                .count_note("unknown-host", about, || format!("`{name}` of {place}"));
        }
        // Nodes that are excluded take no job and so are no part of the figures; those out of service are.
        let nodes = self.topology.nodes();
        known.retain(|node| nodes.contains(*node) || nodes.is_down(*node));
        known.sort_unstable();
        known.dedup();
        Ok(known)
    }

    /// Reads the states of nodes. Fails if the text has another form.
    fn read_states(&mut self, text: &Text) -> Result<()> {
        let mut listed = vec![false; self.nodes.len()];
        for row in read_node_states(text)? {
            for node in self.known_hosts(&text.line_at(1, &row.list), text.location())? {
                // Of several partitions, the one that keeps jobs away counts.
                let seen = std::mem::replace(&mut listed[node.index()], true);
                if !seen || row.state == NodeState::Out {
                    self.nodes[node.index()].state = row.state;
                }
                if let Some(word) = &row.unknown {
                    let about = "nodes of an unknown state, taken as out";
                    self.snapshot.count_note("unknown-state", about, || {
                        format!("{} is {word}", self.topology.describe_node(node))
                    });
                }
            }
        }
        for node in self.topology.nodes().iter() {
            if !listed[node.index()] {
                let about = "nodes without a state, taken as out";
                self.snapshot
                    .count_note("unlisted", about, || self.topology.describe_node(node));
            }
        }
        Ok(())
    }

    /// Reads the jobs and returns each node that one holds, with the job, ascending. Fails on a record that is wrong.
    fn read_jobs(&mut self, records: &mut Records) -> Result<Vec<(NodeId, u32)>> {
        let file = records.name().to_string();
        let mut record = Record::default();
        let mut holds = Vec::new();
        while records.read_next(&mut record)? {
            let times = [record.submit, record.start].into_iter().flatten();
            self.snapshot.latest = times.fold(self.snapshot.latest, i64::max);
            let Some(start) = record.start.filter(|_| record.run.is_none()) else {
                // Some are cancelled before they start.
                if record.run.is_none() && record.state == State::Unknown {
                    self.snapshot.waiting.push(record.nodes);
                } else {
                    let about = "jobs that have ended";
                    self.snapshot.count_note("ended", about, String::new);
                }
                continue;
            };
            let name = std::mem::take(&mut record.job);
            let list = std::mem::take(&mut record.hosts);
            let line = Line::new(&file, record.line, &list);
            let mut nodes = Vec::new();
            if !list.is_empty() {
                nodes = self.known_hosts(&line, line.location())?;
            }
            if nodes.is_empty() {
                let about = "running jobs without a node of this machine";
                self.snapshot.count_note("no-node", about, || {
                    format!("job {name} of {}", line.location())
                });
                continue;
            }
            let job = self.snapshot.running.len() as u32;
            self.snapshot.running.push(RunningJob {
                name,
                nodes: nodes.len() as u32,
                start,
                end: record.limit.map(|limit| start + limit),
            });
            holds.extend(nodes.into_iter().map(|node| (node, job)));
        }
        // A queue in which nothing happened for hours says itself when it was asked.
        self.snapshot.latest = records.taken_at().unwrap_or(self.snapshot.latest);
        holds.sort_unstable();
        Ok(holds)
    }

    /// Marks the nodes that jobs hold with the time at which they are freed; those that only the states call held
    /// have none.
    fn mark_held(&mut self, holds: &[(NodeId, u32)]) {
        for of_node in holds.chunk_by(|a, b| a.0 == b.0) {
            let now = &mut self.nodes[of_node[0].0.index()];
            // A node that is down or drained takes no job when its last one ends.
            if now.state == NodeState::Out {
                continue;
            }
            now.state = NodeState::Held;
            now.freed = Some(i64::MIN);
            // A job without a limit may hold the node for ever.
            for (_, job) in of_node {
                let end = self.snapshot.running[*job as usize].end;
                now.freed = now.freed.zip(end).map(|(a, b)| a.max(b));
            }
        }
        for node in self.topology.nodes().iter() {
            if self.nodes[node.index()].state == NodeState::Held
                && holds.binary_search_by_key(&node, |hold| hold.0).is_err()
            {
                let about = "held nodes of which no listed job has any";
                self.snapshot
                    .count_note("no-job", about, || self.topology.describe_node(node));
            }
        }
    }

    /// Sums up the nodes by unit, for each level and the whole machine.
    fn sum_levels(&mut self, holds: &[(NodeId, u32)]) {
        let units = Units::new(self.topology);
        let nodes = self.topology.nodes();
        let all: Vec<NodeId> = nodes.iter().chain(nodes.down_nodes()).collect();
        let mut freed = Vec::new();
        for node in &all {
            let known = self.nodes[node.index()];
            self.snapshot.nodes.push((*node, known.state));
            if let (NodeState::Held, Some(time)) = (known.state, known.freed) {
                freed.push((time, *node));
            }
        }
        freed.sort_unstable();
        for level in 0..=units.len() {
            let mut now = Vec::new();
            for node in &all {
                // The level above all others has no units: the whole machine is one.
                let unit = units.unit_of(level, *node).unwrap_or(0) as usize;
                if now.len() <= unit {
                    now.resize_with(unit + 1, UnitState::default);
                }
                let unit = &mut now[unit];
                unit.nodes += 1;
                let node = self.nodes[node.index()];
                match node.state {
                    NodeState::Free => unit.free += 1,
                    NodeState::Out => unit.out += 1,
                    NodeState::Held => {
                        unit.unlisted += 1;
                        // One node that is never freed keeps the unit from being freed as a whole.
                        let end = node.freed.unwrap_or(i64::MAX);
                        unit.freed = Some(unit.freed.map_or(end, |freed| freed.max(end)));
                    }
                }
            }
            for of_node in holds.chunk_by(|a, b| a.0 == b.0) {
                let node = of_node[0].0;
                if self.nodes[node.index()].state != NodeState::Held {
                    continue;
                }
                let unit = &mut now[units.unit_of(level, node).unwrap_or(0) as usize];
                unit.unlisted -= 1;
                for (_, job) in of_node {
                    let held = unit.jobs.entry(*job).or_default();
                    held.nodes += 1;
                    held.alone += u32::from(of_node.len() == 1);
                }
            }
            let mut free: Vec<u32> = now.iter().map(|unit| unit.free).collect();
            let mut most = free.iter().copied().max().unwrap_or(0);
            let mut growth = vec![(self.snapshot.latest, most)];
            for (time, node) in &freed {
                let free = &mut free[units.unit_of(level, *node).unwrap_or(0) as usize];
                *free += 1;
                if *free > most {
                    most = *free;
                    // A job may have outstayed its limit: its nodes are not free before the moment of the snapshot.
                    let time = self.snapshot.latest.max(*time);
                    match growth.last_mut().filter(|last| last.0 == time) {
                        Some(last) => last.1 = most,
                        None => growth.push((time, most)),
                    }
                }
            }
            for (i, unit) in (0..).zip(&mut now) {
                let name = units.unit_name(level, i);
                unit.name = name.unwrap_or_else(|| "machine".into());
                unit.freed = unit.freed.filter(|freed| *freed < i64::MAX);
            }
            // Units of nodes that are not schedulable.
            now.retain(|unit| unit.nodes > 0);
            let name = units
                .level_names()
                .nth(level)
                .unwrap_or("machine")
                .to_string();
            self.snapshot.levels.push(LevelState {
                name,
                units: now,
                growth,
            });
        }
    }
}
