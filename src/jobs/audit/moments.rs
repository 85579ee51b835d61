//! The machine after each start of a recorded job, as a snapshot would have found it.
//!
//! Say A holds nodes 0 and 1 from 10:00 to 12:00, and B starts on node 2 at 11:00: there is a moment at 10:00, with two
//! nodes held, and one at 11:00, with three.

use super::resolve::{RecordProblem, Resolver};
use super::snapshot::{RunningJob, Snapshot};
use nodeorder_base::{Error, Line, NodeId, Result, SourceLocation};
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::units::Units;
use nodeorder_trace::records::{Record, Records, placements};

/// Recorded job with its nodes.
struct PlacedJob {
    job: RunningJob,
    nodes: Vec<NodeId>,
}

/// Change of a job. Changes at one time happen in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ChangeKind {
    Ends,
    IsSubmitted,
    Starts,
}

/// Calls `visit` with the machine after each time at which recorded jobs start. Jobs whose nodes or start are not known
/// are left out; a node is free again when all jobs on it have ended.
///
/// # Errors
/// Records that are wrong, or none with nodes and a start; as `visit` does.
///
/// # Complexity
/// O(levels · nodes of all jobs) and the calls. Memory: 4 bytes for each node of each job.
pub fn visit_starts<E: From<Error>>(
    topology: &Topology,
    records: &mut Records,
    mut visit: impl FnMut(&Snapshot) -> Result<(), E>,
) -> Result<(), E> {
    let (jobs, mut changes) = read_jobs(topology, records)?;
    if jobs.is_empty() {
        let location = SourceLocation::File(records.name().into());
        let expected = "records with nodes of this machine and a start";
        return Err(Error::input(location, "no such job", expected).into());
    }
    changes.sort_unstable();
    let mut snapshot = Snapshot::of_empty_machine(topology);
    let mut units = UnitsOfNodes::new(topology);
    for at_once in changes.chunk_by(|a, b| a.0 == b.0) {
        for (_, change, number) in at_once {
            let PlacedJob { job, nodes } = &jobs[*number as usize];
            match change {
                ChangeKind::IsSubmitted => snapshot.waiting.push(job.nodes),
                ChangeKind::Starts => {
                    let waiting = &mut snapshot.waiting;
                    if let Some(i) = waiting.iter().position(|nodes| *nodes == job.nodes) {
                        waiting.swap_remove(i);
                    }
                    snapshot.running.push(job.clone());
                    units.hold_nodes(&mut snapshot, nodes, 1);
                }
                ChangeKind::Ends => {
                    let running = &mut snapshot.running;
                    if let Some(i) = running.iter().position(|other| other.name == job.name) {
                        running.swap_remove(i);
                    }
                    units.hold_nodes(&mut snapshot, nodes, -1);
                }
            }
        }
        if at_once
            .iter()
            .any(|(_, change, _)| *change == ChangeKind::Starts)
        {
            snapshot.latest = at_once[0].0;
            visit(&snapshot)?;
        }
    }
    Ok(())
}

/// Time of a change, and the number of the job that it happens to.
type JobChange = (i64, ChangeKind, u32);

/// Reads the jobs, and what happens to them when. Fails on a record that is wrong.
fn read_jobs(
    topology: &Topology,
    records: &mut Records,
) -> Result<(Vec<PlacedJob>, Vec<JobChange>)> {
    let order = NodeOrder::new(topology, "recorded", topology.nodes().iter().collect())?;
    let resolver = Resolver::new(topology, &order);
    let file = records.name().to_string();
    let mut record = Record::default();
    let mut jobs = Vec::new();
    let mut changes = Vec::new();
    while records.read_next(&mut record)? {
        let Some(start) = record.start else {
            continue;
        };
        if placements::reason_to_skip(&record).is_some() {
            continue;
        }
        let ranks = match resolver.resolve_ranks(&Line::new(&file, record.line, &record.hosts)) {
            Ok(ranks) => ranks,
            Err(RecordProblem::Wrong(error)) => return Err(error),
            Err(_) => continue,
        };
        let number = jobs.len() as u32;
        // At least a second: a job that ends as it starts would be freed before it is placed.
        let end = record.run.map(|run| start + run.max(1));
        changes.push((start, ChangeKind::Starts, number));
        changes.extend(end.map(|end| (end, ChangeKind::Ends, number)));
        let submit = record.submit.filter(|submit| *submit <= start);
        changes.extend(submit.map(|submit| (submit, ChangeKind::IsSubmitted, number)));
        let job = RunningJob {
            name: std::mem::take(&mut record.job),
            nodes: ranks.len() as u32,
            start,
            end,
        };
        let nodes = resolver.nodes_of_ranks(&ranks);
        jobs.push(PlacedJob { job, nodes });
    }
    Ok((jobs, changes))
}

/// Units of every node, by their positions in a snapshot.
struct UnitsOfNodes {
    units: Units,
    /// Numbers of the units that have schedulable nodes, ascending, by level; the last is the machine.
    present: Vec<Vec<u32>>,
    /// Number of jobs on each node.
    jobs: Vec<i32>,
}

impl UnitsOfNodes {
    fn new(topology: &Topology) -> Self {
        let units = Units::new(topology);
        let nodes = topology.nodes();
        let mut present = Vec::new();
        for level in 0..=units.len() {
            let all = nodes.iter().chain(nodes.down_nodes());
            let mut of_level: Vec<u32> = all
                .map(|node| units.unit_of(level, node).unwrap_or(0))
                .collect();
            of_level.sort_unstable();
            of_level.dedup();
            present.push(of_level);
        }
        UnitsOfNodes {
            units,
            present,
            jobs: vec![0; nodes.slot_count() as usize],
        }
    }

    /// Adds a job to those on each of these nodes, or takes it away (`by` -1), and counts free nodes anew.
    fn hold_nodes(&mut self, snapshot: &mut Snapshot, nodes: &[NodeId], by: i32) {
        for node in nodes {
            let jobs = &mut self.jobs[node.index()];
            *jobs += by;
            // Only the first job takes the node, and the last one frees it.
            if *jobs != by.max(0) {
                continue;
            }
            for (level, present) in self.present.iter().enumerate() {
                let unit = self.units.unit_of(level, *node).unwrap_or(0);
                let unit = present.partition_point(|other| *other < unit);
                let free = &mut snapshot.levels[level].units[unit].free;
                *free = free.wrapping_add_signed(-by);
            }
        }
    }
}
