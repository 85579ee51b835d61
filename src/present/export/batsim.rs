//! Batsim: a workload whose jobs have the resources that an ordering and an allocator give them.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;
use serde_json::json;

use super::{Export, ExportTarget, ParseTarget, WriteOrder, checked_names};
use nodeorder_base::error::Result;
use nodeorder_base::params::{Opt, Params};
use nodeorder_base::ranks::Ranks;
use nodeorder_jobs::allocator::{ALLOCATORS, AllocatorContext};
use nodeorder_jobs::replay::FigureSet;
use nodeorder_jobs::schedule::{POLICIES, ScheduleResult, Settings, Task, simulate};
use nodeorder_network::topology::Topology;
use nodeorder_order::metric::rank_distances::RankDistances;
use nodeorder_order::ordering::NodeOrder;
use nodeorder_trace::{Options, Trace, open};

/// `--to batsim:trace=FILE,alloc=…`.
pub(super) const TARGET: ExportTarget = ExportTarget {
    name: "batsim",
    about: "a Batsim workload: the jobs of a trace with the resources and start of each; FILE.resources has the host of each number",
    example: "batsim:trace=jobs.swf,alloc=first-fit:8",
    options: &[
        Opt::file("trace", "the jobs, as schedule reads them"),
        Opt::text("alloc", "the allocator, its options apart by colons"),
        Opt::text("policy", "who starts when, its options apart by colons").default_value("easy"),
        Opt::whole(
            "procs_per_node",
            "processors of a node, where the trace counts processors",
        )
        .default_value("1"),
    ],
    parse: ParseTarget::Order(parse),
};

/// A job of a workload as Batsim reads it, times in seconds. Batsim itself passes over `alloc`, `mapping` and `start`:
/// they are for the scheduler that runs with it.
#[derive(Serialize)]
struct Job {
    id: String,
    subtime: i64,
    walltime: i64,
    res: u32,
    profile: String,
    /// The interval set of a message EXECUTE_JOB, in its canonical form.
    alloc: String,
    /// The mapping of a message EXECUTE_JOB: the index within `alloc` of each process, one a resource in rank order.
    #[serde(skip_serializing_if = "Option::is_none")]
    mapping: Option<serde_json::Value>,
    start: i64,
}

struct BatsimOptions {
    trace: PathBuf,
    allocator: String,
    policy: String,
    procs_per_node: u32,
    /// Whether the number of processors is given.
    procs_stated: bool,
}

fn parse(params: &Params) -> Result<Box<dyn WriteOrder>> {
    let Some(trace) = params.optional_path("trace")? else {
        return Err(params.invalid_value("trace", "trace = a file of jobs"));
    };
    let Some(allocator) = params.optional_word("alloc")? else {
        return Err(params.invalid_value("alloc", "alloc = the name of an allocator"));
    };
    // A wrong name is told here, before a trace is read that may take long.
    ALLOCATORS.find_at(&allocator, || params.location_of("alloc"))?;
    let policy = params.optional_word("policy")?.unwrap_or_default();
    POLICIES.find_at(&policy, || params.location_of("policy"))?;
    // A comma parts the options of the target.
    let policy = match policy.split_once(':') {
        Some((name, options)) => format!("{name}:{}", options.replace(':', ",")),
        None => policy,
    };
    Ok(Box::new(BatsimOptions {
        trace,
        allocator,
        policy,
        procs_per_node: params.required_integer("procs_per_node", 1, u32::MAX)?,
        procs_stated: params.has_key("procs_per_node"),
    }))
}

impl WriteOrder for BatsimOptions {
    fn write(&self, topology: &Topology, order: &NodeOrder) -> Result<Export> {
        let options = Options {
            // The machine is ours: the trace's own may have another number of nodes.
            nodes: Some(order.len() as u32),
            procs_per_node: self.procs_per_node,
            processors_stated: self.procs_stated,
            memory: topology.context().memory,
            ..Options::default()
        };
        let resources = Resources::new(checked_names(topology, order)?);
        let trace = open::open_trace(&self.trace, &options)?;
        let distances = RankDistances::new(topology, order)?;
        let context = AllocatorContext {
            topology,
            order,
            distances: &distances,
        };
        let settings = Settings {
            policy: &self.policy,
            allocator: &self.allocator,
            // Run times stay as in the trace: a profile of the type delay has one length, wherever the job runs.
            model: "fixed",
            metrics: false,
            figures: FigureSet {
                ranks: true,
                ..FigureSet::default()
            },
            timeline: false,
            rules: None,
        };
        let result = simulate(&context, &Task::from_trace(&trace), &settings, &|_| ())?;
        let notes = note_left_out(&trace, &result);
        // Such a policy never asks the allocator, so that its name would mislead.
        let placed = if result.places_itself {
            "the policy's own choice"
        } else {
            &self.allocator
        };
        let mut description = format!(
            "nodeorder {}; topology: {}; ordering: {}; policy: {}; allocator: {placed}",
            env!("CARGO_PKG_VERSION"),
            topology.spec(),
            order.label(),
            self.policy,
        );
        for note in &notes {
            description += &format!("; {note}");
        }
        Ok(Export {
            text: write_workload(order.len(), &description, &result, &resources),
            beside: vec![(".resources".into(), resources.write_resources())],
            notes,
            ..Export::default()
        })
    }
}

/// Notes which jobs of the trace are left out or changed.
fn note_left_out(trace: &Trace, result: &ScheduleResult) -> Vec<String> {
    let name = trace.name();
    let texts = trace.tally().describe_reasons();
    let mut notes: Vec<String> = texts.map(|text| format!("{name}: {text}")).collect();
    notes.extend(
        trace
            .processors_hint()
            .map(|hint| format!("{name}: {hint}")),
    );
    // A long trace may lose thousands of jobs for one reason: each reason is one note with a count.
    let mut never: BTreeMap<&str, usize> = BTreeMap::new();
    result
        .left_out
        .iter()
        .for_each(|job| *never.entry(&job.reason).or_default() += 1);
    notes.extend(
        never.into_iter().map(|(reason, count)| {
            format!("{name}: left out {count}: can never be placed: {reason}")
        }),
    );
    notes
}

/// Writes the workload, a job and a profile a line, jobs in the order of the queue.
fn write_workload(
    nodes: usize,
    description: &str,
    result: &ScheduleResult,
    of: &Resources,
) -> String {
    let mut profiles = BTreeMap::new();
    let mut records: Vec<_> = result.records.iter().collect();
    // Records come in the order of starts, which backfilling makes another than that of the queue.
    records.sort_by_key(|record| record.task);
    let jobs = records.into_iter().map(|record| {
        let task = result.task_of_record(record);
        let profile = format!("delay-{}", task.run);
        // Jobs of one run time share a profile, which keeps the file small.
        profiles.insert(task.run, json!({"type": "delay", "delay": task.run}));
        let (alloc, mapping) =
            of.format_ranks(record.figures.ranks.as_ref().unwrap_or(&Ranks::default()));
        json_line(&Job {
            id: task.id.to_string(),
            subtime: task.submit,
            // Batsim ends a job at its walltime, so that one as long as its run would not end by itself.
            walltime: task.requested.max(task.run + 1),
            res: task.nodes,
            profile,
            alloc,
            mapping,
            start: record.start,
        })
    });
    let jobs = jobs.collect::<Vec<_>>().join(",\n");
    let profiles: Vec<String> = profiles
        .iter()
        .map(|(run, profile)| format!("\"delay-{run}\": {profile}"))
        .collect();
    let profiles = profiles.join(",\n");
    // As JSON text, since names of files and orderings may hold quotes.
    let description = json!(description);
    format!(
        "{{\n\"nb_res\": {nodes},\n\"description\": {description},\n\"jobs\": [\n{jobs}\n],\n\"profiles\": {{\n{profiles}\n}}\n}}\n"
    )
}

fn json_line(job: &Job) -> String {
    // Texts and numbers alone: it is always JSON.
    serde_json::to_string(job).unwrap_or_default()
}

/// The numbers that Batsim gives to hosts: from 0, by name, digits in a row by their value.
struct Resources {
    /// The resource number of each rank.
    number: Vec<u32>,
    /// The rank of each number.
    rank: Vec<u32>,
    names: Vec<String>,
}

/// Makes the sort key of a name: its bytes, digits in a row as one number.
fn sort_key(name: &str) -> Vec<(u8, u128)> {
    let mut key: Vec<(u8, u128)> = Vec::new();
    let mut inside = false;
    for byte in name.bytes() {
        match (byte.is_ascii_digit(), key.last_mut().filter(|_| inside)) {
            (true, Some((_, number))) => {
                // Saturates on names of more digits than 128 bits hold; then whole names decide.
                *number = number
                    .saturating_mul(10)
                    .saturating_add(u128::from(byte - b'0'));
            }
            // Under the byte of `0`, so that numbers stand among other characters where digits do.
            (true, None) => key.push((b'0', u128::from(byte - b'0'))),
            (false, _) => key.push((byte, 0)),
        }
        inside = byte.is_ascii_digit();
    }
    key
}

impl Resources {
    /// Numbers hosts that are given in rank order.
    fn new(names: Vec<String>) -> Resources {
        let keys: Vec<_> = names.iter().map(|name| sort_key(name)).collect();
        let mut rank: Vec<u32> = (0..names.len() as u32).collect();
        // `n2` and `n02` have the same key; whole names keep the numbering the same on every run.
        let compare = |a: usize, b: usize| -> Ordering {
            keys[a].cmp(&keys[b]).then_with(|| names[a].cmp(&names[b]))
        };
        rank.sort_unstable_by(|a, b| compare(*a as usize, *b as usize));
        let mut number = vec![0; names.len()];
        (0..)
            .zip(&rank)
            .for_each(|(n, rank)| number[*rank as usize] = n);
        Resources {
            number,
            rank,
            names,
        }
    }

    /// Formats a job's ranks as `2-3 7`, and the mapping of its processes where they do not go by number.
    fn format_ranks(&self, ranks: &Ranks) -> (String, Option<serde_json::Value>) {
        let numbers: Vec<u32> = ranks
            .iter()
            .map(|rank| self.number[rank as usize])
            .collect();
        let mut sorted = numbers.clone();
        sorted.sort_unstable();
        let runs = sorted.chunk_by(|a, b| a + 1 == *b).map(|run| match run {
            [one] => one.to_string(),
            _ => format!("{}-{}", run[0], run[run.len() - 1]),
        });
        let set = runs.collect::<Vec<_>>().join(" ");
        // Without a mapping Batsim gives processes the resources by number, which is the rank order here.
        if numbers == sorted {
            return (set, None);
        }
        // Processes stand in the order of texts, which is no matter for a reader of JSON.
        let index = |number: &u32| sorted.partition_point(|other| other < number).to_string();
        let mapping: serde_json::Map<String, serde_json::Value> = numbers
            .iter()
            .enumerate()
            .map(|(i, n)| (i.to_string(), index(n).into()))
            .collect();
        (set, Some(mapping.into()))
    }

    /// Writes `resource,host,rank`, a resource a line.
    fn write_resources(&self) -> String {
        let rows = self.rank.iter().enumerate();
        let rows = rows.map(|(n, rank)| format!("{n},{},{rank}\n", self.names[*rank as usize]));
        std::iter::once("resource,host,rank\n".to_string())
            .chain(rows)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resources(names: &str) -> Resources {
        Resources::new(names.split(' ').map(String::from).collect())
    }

    #[test]
    fn resources_are_numbered_by_name() {
        // In rank order; machine2 < machine10, machine10_12 < machine10_153, as Batsim's own comment has it.
        let found = resources("m10_153 m2 m10 a9 m10_12 m02 m-1");
        let by_number: Vec<&str> = found
            .rank
            .iter()
            .map(|rank| found.names[*rank as usize].as_str())
            .collect();
        assert_eq!(
            by_number,
            ["a9", "m-1", "m02", "m2", "m10", "m10_12", "m10_153"]
        );
        assert_eq!(found.number, [6, 3, 4, 0, 5, 2, 1]);
        assert!(
            found
                .write_resources()
                .starts_with("resource,host,rank\n0,a9,3\n1,m-1,6\n")
        );
    }

    #[test]
    fn sets_are_canonical() {
        let found = resources("n3 n2 n1 n0 n7 n5 n6 n4");
        let set = |list: &[u32]| {
            let mut ranks = Ranks::default();
            list.iter().for_each(|rank| ranks.push_rank(*rank));
            ranks.sort_and_join();
            found.format_ranks(&ranks)
        };
        assert_eq!(set(&[3]), ("0".into(), None));
        assert_eq!(
            set(&[0, 1, 4]),
            ("2-3 7".into(), Some(json!({"0": "1", "1": "0", "2": "2"})))
        );
        assert_eq!(set(&[3, 6]), ("0 6".into(), None));
        assert_eq!(set(&[5, 6]), ("5-6".into(), None));
        assert_eq!(set(&(0..8).collect::<Vec<_>>()).0, "0-7");
    }
}
