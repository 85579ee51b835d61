//! The machine after each start of a recorded job, as a snapshot would have found it.
//!
//! Say A holds nodes 0 and 1 from 10:00 to 12:00, and B starts on node 2 at 11:00: there is a moment at 10:00, with two
//! nodes held, and one at 11:00, with three.

use super::resolve::{Problem, Resolver};
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

/// What happens to a job; at one time in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
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
    let units = UnitsOfNodes::new(topology);
    let mut holders = vec![0u32; topology.nodes().slot_count() as usize];
    for at_once in changes.chunk_by(|a, b| a.0 == b.0) {
        for (_, change, number) in at_once {
            let PlacedJob { job, nodes } = &jobs[*number as usize];
            match change {
                Change::IsSubmitted => snapshot.waiting.push(job.nodes),
                Change::Starts => {
                    let waiting = &mut snapshot.waiting;
                    if let Some(i) = waiting.iter().position(|nodes| *nodes == job.nodes) {
                        waiting.swap_remove(i);
                    }
                    snapshot.running.push(job.clone());
                    for node in nodes {
                        holders[node.index()] += 1;
                        if holders[node.index()] == 1 {
                            units.change_free(&mut snapshot, *node, |free| free - 1);
                        }
                    }
                }
                Change::Ends => {
                    let running = &mut snapshot.running;
                    if let Some(i) = running.iter().position(|other| other.name == job.name) {
                        running.swap_remove(i);
                    }
                    for node in nodes {
                        holders[node.index()] -= 1;
                        if holders[node.index()] == 0 {
                            units.change_free(&mut snapshot, *node, |free| free + 1);
                        }
                    }
                }
            }
        }
        if at_once
            .iter()
            .any(|(_, change, _)| *change == Change::Starts)
        {
            snapshot.latest = at_once[0].0;
            visit(&snapshot)?;
        }
    }
    Ok(())
}

/// Reads the jobs, and what happens to them when. Fails on a record that is wrong.
fn read_jobs(
    topology: &Topology,
    records: &mut Records,
) -> Result<(Vec<PlacedJob>, Vec<(i64, Change, u32)>)> {
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
            Err(Problem::Wrong(error)) => return Err(error),
            Err(_) => continue,
        };
        let number = jobs.len() as u32;
        // At least a second: a job that ends as it starts would be freed before it is placed.
        let end = record.run.map(|run| start + run.max(1));
        changes.push((start, Change::Starts, number));
        changes.extend(end.map(|end| (end, Change::Ends, number)));
        let submit = record.submit.filter(|submit| *submit <= start);
        changes.extend(submit.map(|submit| (submit, Change::IsSubmitted, number)));
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
        UnitsOfNodes { units, present }
    }

    /// Changes the number of free nodes in all units of a node.
    fn change_free(&self, snapshot: &mut Snapshot, node: NodeId, change: fn(u32) -> u32) {
        for (level, present) in self.present.iter().enumerate() {
            let unit = self.units.unit_of(level, node).unwrap_or(0);
            let unit = present.partition_point(|other| *other < unit);
            let unit = &mut snapshot.levels[level].units[unit];
            unit.free = change(unit.free);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_base::Lines;
    use nodeorder_base::random::{random_below, seed_generator};
    use nodeorder_network::Context;
    use nodeorder_trace::records::PLACEMENTS;

    /// Free nodes of each unit, and jobs that run and wait, against a plain look at all jobs.
    #[test]
    fn moments_are_those_of_a_plain_look() {
        let machine = Topology::inline("cascade:2x2x3,per_router=2", &Context::default()).unwrap();
        let mut random = seed_generator(7);
        let mut draw = |below: u64| random_below(below, &mut random) as i64;
        let mut text = format!("{}\n", placements::HEADER);
        let mut jobs = Vec::new();
        for i in 0..60 {
            let submit = draw(500);
            let start = submit + draw(40);
            let end = start + 1 + draw(90);
            let mut nodes: Vec<i64> = (0..1 + draw(6)).map(|_| draw(24)).collect();
            nodes.sort_unstable();
            nodes.dedup();
            let names: Vec<String> = nodes
                .iter()
                .map(|node| machine.node_name(NodeId(*node as u32)))
                .collect();
            let (count, list) = (nodes.len(), names.join(","));
            text += &format!("{i},{submit},{start},{end},,{count},\"{list}\"\n");
            jobs.push((submit, start, end, nodes));
        }
        let lines = Lines::new("jobs.csv", &text);
        let mut records = Records::from_lines(lines, &PLACEMENTS, None).unwrap();
        let mut starts: Vec<i64> = jobs.iter().map(|job| job.1).collect();
        starts.sort_unstable();
        starts.dedup();
        let mut seen = Vec::new();
        visit_starts::<Error>(&machine, &mut records, |snapshot| {
            let now = snapshot.latest;
            seen.push(now);
            let running = jobs.iter().filter(|job| job.1 <= now && now < job.2);
            let held = |node: i64| running.clone().any(|job| job.3.contains(&node));
            let free: Vec<u32> = (0..24).map(|node| u32::from(!held(node))).collect();
            for level in &snapshot.levels {
                let each = 24 / level.units.len();
                let expected = free.chunks(each).map(|unit| unit.iter().sum::<u32>());
                assert!(
                    level.units.iter().map(|unit| unit.free).eq(expected),
                    "{}",
                    level.name
                );
            }
            assert_eq!(snapshot.running.len(), running.count());
            let waiting = jobs.iter().filter(|job| job.0 <= now && now < job.1);
            assert_eq!(snapshot.waiting.len(), waiting.count());
            Ok(())
        })
        .unwrap();
        assert_eq!(seen, starts);
    }
}
