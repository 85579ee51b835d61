//! A machine at one moment: which nodes are free, what holds the others, and when jobs free them at their limits.

use std::collections::BTreeSet;

use super::score::LeftOut;
use nodeorder_base::error::{Result, SourceLocation};
use nodeorder_base::ids::NodeId;
use nodeorder_base::input::{Line, Text};
use nodeorder_network::topology::Topology;
use nodeorder_order::metric::units::Units;
use nodeorder_trace::records::{NodeState, Record, Records, State, node_states};

/// A job that holds nodes.
#[derive(Clone, Debug)]
pub struct RunningJob {
    /// Its name.
    pub name: String,
    /// Its nodes on this machine.
    pub nodes: u32,
    /// When it ends at the latest, in seconds: its start and its limit; none where it has no limit.
    pub end: Option<i64>,
}

/// A unit of a level at that moment. Nodes that are neither free nor out are held.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnitNow {
    /// Its name.
    pub name: String,
    /// Schedulable nodes.
    pub nodes: u32,
    /// Nodes that take a job now.
    pub free: u32,
    /// Nodes that take no job, whatever ends.
    pub out: u32,
    /// Jobs that hold the others, by their place in [`Snapshot::running`].
    pub jobs: BTreeSet<u32>,
    /// When the last of these ends at its limit; none where that is not known.
    pub freed: Option<i64>,
}

impl UnitNow {
    /// Nodes that jobs hold.
    pub fn held(&self) -> u32 {
        self.nodes - self.free - self.out
    }

    /// Whether no job holds any of it and some node is free.
    pub fn is_free(&self) -> bool {
        self.held() == 0 && self.free > 0
    }
}

/// The units of a level at that moment.
#[derive(Clone, Debug)]
pub struct LevelNow {
    /// Name of a unit, such as `group`; `machine` for all nodes.
    pub name: String,
    /// Its units.
    pub units: Vec<UnitNow>,
    /// The most free nodes in one unit as jobs end at their limits: when, and how many.
    pub growth: Vec<(i64, u32)>,
}

impl LevelNow {
    /// The unit with the most free nodes, the first of these: the largest job within one unit fits there.
    pub fn roomiest(&self) -> &UnitNow {
        let best = self
            .units
            .iter()
            .reduce(|a, b| if b.free > a.free { b } else { a });
        best.expect("a level has units")
    }

    /// The units that jobs hold some of, in the order in which their last job ends; those of unknown ends last.
    pub fn next(&self) -> Vec<&UnitNow> {
        let mut held: Vec<&UnitNow> = self.units.iter().filter(|unit| unit.held() > 0).collect();
        held.sort_by_key(|unit| (unit.freed.is_none(), unit.freed));
        held
    }
}

/// A machine at one moment.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Jobs that hold nodes, as listed.
    pub running: Vec<RunningJob>,
    /// Nodes that each waiting job asks for.
    pub waiting: Vec<u32>,
    /// The latest time of the records at which a job was submitted or started, in seconds; 0 where none says.
    pub latest: i64,
    /// The levels, leaf first, and the whole machine.
    pub levels: Vec<LevelNow>,
    /// Notes about what was left out or assumed.
    pub notes: Vec<LeftOut>,
}

/// A node: what it does now.
#[derive(Clone, Copy)]
struct Node {
    state: NodeState,
    /// When its jobs free it; none where that is not known.
    freed: Option<i64>,
}

impl Snapshot {
    /// The machine as the records of its jobs and, where given, the states of its nodes show it. A job holds its nodes
    /// where it has a start and no run time. Without states every node that no job holds is free; with them, those that
    /// they do not list are out.
    ///
    /// # Errors
    /// Records that are wrong, states of another form, more memory than allowed.
    ///
    /// # Complexity
    /// O(levels · nodes of all jobs · log jobs).
    pub fn new(
        topology: &Topology,
        records: &mut Records,
        states: Option<&Text>,
    ) -> Result<Snapshot> {
        let slots = topology.nodes().slot_count();
        topology.require("the state of each node", 24 * u64::from(slots))?;
        let mut taken = Taken {
            topology,
            snapshot: Snapshot::default(),
            nodes: Vec::new(),
        };
        let at_first = if states.is_some() {
            NodeState::Out
        } else {
            NodeState::Free
        };
        taken.nodes = vec![
            Node {
                state: at_first,
                freed: None
            };
            slots as usize
        ];
        if let Some(text) = states {
            taken.states(text)?;
        }
        let holds = taken.jobs(records)?;
        taken.hold(&holds);
        taken.levels(&holds);
        Ok(taken.snapshot)
    }

    /// The name of a running job.
    pub fn name_of(&self, job: u32) -> &str {
        &self.running[job as usize].name
    }

    /// The machine as a whole.
    pub fn machine(&self) -> &UnitNow {
        &self.levels.last().expect("the machine is a level").units[0]
    }

    fn note(&mut self, name: &'static str, about: &'static str, first: impl FnOnce() -> String) {
        match self.notes.iter_mut().find(|note| note.name == name) {
            Some(note) => note.count += 1,
            None => self.notes.push(LeftOut {
                name,
                about,
                count: 1,
                first: first(),
            }),
        }
    }
}

/// A snapshot being taken.
struct Taken<'t> {
    topology: &'t Topology,
    snapshot: Snapshot,
    nodes: Vec<Node>,
}

impl Taken<'_> {
    /// The schedulable nodes that a host list names, ascending; hosts of other machines are counted.
    fn hosts(&mut self, line: &Line<'_>, place: SourceLocation) -> Result<Vec<NodeId>> {
        let (mut known, unknown) = self.topology.known_hosts(line)?;
        for name in unknown {
            let first = || format!("`{name}` of {place}");
            self.snapshot.note(
                "unknown-host",
                "hosts that the machine does not have",
                first,
            );
        }
        known.retain(|node| self.topology.nodes().contains(*node));
        known.sort_unstable();
        known.dedup();
        Ok(known)
    }

    fn states(&mut self, text: &Text) -> Result<()> {
        let mut listed = vec![false; self.nodes.len()];
        for (list, state) in node_states(text)? {
            for node in self.hosts(&text.line_at(1, &list), text.location())? {
                // Of several partitions, the one that keeps jobs away counts.
                let old = &mut self.nodes[node.index()].state;
                let seen = std::mem::replace(&mut listed[node.index()], true);
                *old = if seen && state != NodeState::Out {
                    *old
                } else {
                    state
                };
            }
        }
        for node in self
            .topology
            .nodes()
            .iter()
            .filter(|node| !listed[node.index()])
        {
            let first = || self.topology.node_in_words(node);
            self.snapshot
                .note("unlisted", "nodes without a state, taken as out", first);
        }
        Ok(())
    }

    /// Reads the jobs; gives each node that one holds, with the job, ascending.
    fn jobs(&mut self, records: &mut Records) -> Result<Vec<(NodeId, u32)>> {
        let (file, mut record) = (records.name().to_string(), Record::default());
        let mut holds = Vec::new();
        while records.next(&mut record)? {
            let times = [record.submit, record.start].into_iter().flatten();
            self.snapshot.latest = times.fold(self.snapshot.latest, i64::max);
            let Some(start) = record.start.filter(|_| record.run.is_none()) else {
                // Some are cancelled before they start.
                match record.run.is_none() && record.state == State::Unknown {
                    true => self.snapshot.waiting.push(record.nodes),
                    false => self
                        .snapshot
                        .note("ended", "jobs that have ended", String::new),
                }
                continue;
            };
            let (name, list) = (
                std::mem::take(&mut record.job),
                std::mem::take(&mut record.hosts),
            );
            let line = Line::new(&file, record.line, &list);
            let nodes = if list.is_empty() {
                Vec::new()
            } else {
                self.hosts(&line, line.location())?
            };
            if nodes.is_empty() {
                let first = || format!("job {name} of {}", line.location());
                let about = "running jobs without a node of this machine";
                self.snapshot.note("no-node", about, first);
                continue;
            }
            let job = self.snapshot.running.len() as u32;
            let (size, end) = (nodes.len() as u32, record.limit.map(|limit| start + limit));
            holds.extend(nodes.into_iter().map(|node| (node, job)));
            self.snapshot.running.push(RunningJob {
                name,
                nodes: size,
                end,
            });
        }
        holds.sort_unstable();
        Ok(holds)
    }

    /// Marks what jobs hold; what states alone call held is freed at no known time.
    fn hold(&mut self, holds: &[(NodeId, u32)]) {
        for of_node in holds.chunk_by(|a, b| a.0 == b.0) {
            let ends = of_node
                .iter()
                .map(|(_, job)| self.snapshot.running[*job as usize].end);
            let now = &mut self.nodes[of_node[0].0.index()];
            if now.state != NodeState::Out {
                let freed = ends
                    .collect::<Option<Vec<i64>>>()
                    .and_then(|e| e.into_iter().max());
                *now = Node {
                    state: NodeState::Held,
                    freed,
                };
            }
        }
        for node in self.topology.nodes().iter() {
            let known = || holds.binary_search_by_key(&node, |hold| hold.0).is_ok();
            if self.nodes[node.index()].state == NodeState::Held && !known() {
                let first = || self.topology.node_in_words(node);
                self.snapshot
                    .note("no-job", "held nodes of which no listed job has any", first);
            }
        }
    }

    /// Sums the nodes up by level.
    fn levels(&mut self, holds: &[(NodeId, u32)]) {
        let units = Units::new(self.topology);
        let all: Vec<NodeId> = self.topology.nodes().iter().collect();
        let mut freed: Vec<(i64, NodeId)> = all
            .iter()
            .filter_map(|node| Some((self.freed(*node)?, *node)))
            .collect();
        freed.sort_unstable();
        for level in 0..=units.len() {
            let unit = |node: NodeId| units.unit_of(level, node).unwrap_or(0) as usize;
            let name = units.names().nth(level).unwrap_or("machine").to_string();
            let count = all.iter().map(|node| unit(*node) + 1).max().unwrap_or(1);
            let mut now: Vec<UnitNow> = (0..count as u32)
                .map(|i| {
                    units
                        .unit_name(level, i)
                        .unwrap_or_else(|| "machine".into())
                })
                .map(|name| UnitNow {
                    name,
                    freed: Some(i64::MIN),
                    ..UnitNow::default()
                })
                .collect();
            for node in &all {
                let (unit, node) = (&mut now[unit(*node)], self.nodes[node.index()]);
                unit.nodes += 1;
                match node.state {
                    NodeState::Free => unit.free += 1,
                    NodeState::Out => unit.out += 1,
                    NodeState::Held => {
                        unit.freed = unit.freed.zip(node.freed).map(|(a, b)| a.max(b))
                    }
                }
            }
            for (node, job) in holds {
                if self.nodes[node.index()].state == NodeState::Held {
                    now[unit(*node)].jobs.insert(*job);
                }
            }
            let mut free: Vec<u32> = now.iter().map(|unit| unit.free).collect();
            let mut most = free.iter().copied().max().unwrap_or(0);
            let mut growth = vec![(self.snapshot.latest, most)];
            for (time, node) in &freed {
                free[unit(*node)] += 1;
                if free[unit(*node)] > most {
                    most = free[unit(*node)];
                    let time = self.snapshot.latest.max(*time);
                    match growth.last_mut().filter(|last| last.0 == time) {
                        Some(last) => last.1 = most,
                        None => growth.push((time, most)),
                    }
                }
            }
            now.retain(|unit| unit.nodes > 0);
            now.iter_mut()
                .for_each(|u| u.freed = u.freed.filter(|freed| *freed > i64::MIN));
            self.snapshot.levels.push(LevelNow {
                name,
                units: now,
                growth,
            });
        }
    }

    /// When a held node is freed.
    fn freed(&self, node: NodeId) -> Option<i64> {
        let node = self.nodes[node.index()];
        node.freed.filter(|_| node.state == NodeState::Held)
    }
}
