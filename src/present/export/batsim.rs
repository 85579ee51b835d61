//! Batsim: a workload whose jobs have the resources that an ordering and an allocator give them.
//!
//! Batsim 4 calls a profile of one length `delay`, Batsim 5 `DelayProfile` (`Profile::from_json` in
//! `src/profiles.cpp`). Batsim 4 hands unknown fields of a job on to the scheduler, Batsim 5 the text `extra_data`
//! alone (`Job::from_json` in `src/jobs.cpp`): there it holds what the others stand for.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Value, json};

use super::entry::{Export, ExportInput, ExportTarget, ParseTarget, WriteExport};
use super::node_names::{join_items, names_of};
use nodeorder_base::{Error, Opt, Params, Ranks, Result, SourceLocation};
use nodeorder_jobs::allocator::{ALLOCATORS, AllocatorContext};
use nodeorder_jobs::replay::FigureSet;
use nodeorder_jobs::schedule::{POLICIES, ScheduleResult, Settings, Task, simulate};
use nodeorder_order::metric::rank_distances::RankDistances;
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
        Opt::one_of("version", &["4", "5"], "the Batsim that reads it"),
    ],
    parse: ParseTarget::Options(parse),
};

/// A job of a workload as Batsim reads it, times in seconds.
#[derive(Serialize)]
struct Job {
    id: String,
    subtime: i64,
    walltime: i64,
    res: u32,
    profile: String,
    /// For Batsim 4.
    #[serde(flatten)]
    placement: Option<Placement>,
    /// For Batsim 5: the same as JSON text.
    #[serde(skip_serializing_if = "Option::is_none")]
    extra_data: Option<String>,
}

/// Where and when a job runs, which Batsim itself passes over: it is for the scheduler that runs with it.
#[derive(Serialize)]
struct Placement {
    /// The interval set of a message EXECUTE_JOB, in its canonical form.
    alloc: String,
    /// The mapping of a message EXECUTE_JOB: the index within `alloc` of each process, one a resource in rank order.
    #[serde(skip_serializing_if = "Option::is_none")]
    mapping: Option<Value>,
    start: i64,
}

struct BatsimOptions {
    trace: PathBuf,
    allocator: String,
    policy: String,
    procs_per_node: u32,
    /// Whether the number of processors is given.
    procs_stated: bool,
    /// Whether Batsim 5 reads it.
    is_fifth: bool,
}

fn parse(params: &Params) -> Result<WriteExport> {
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
    let options = BatsimOptions {
        trace,
        allocator,
        policy,
        procs_per_node: params.required_integer("procs_per_node", 1, u32::MAX)?,
        procs_stated: params.has_key("procs_per_node"),
        is_fifth: params.required_choice("version")? == "5",
    };
    Ok(Box::new(move |input| options.write_export(input)))
}

impl BatsimOptions {
    fn write_export(&self, input: &ExportInput) -> Result<Export> {
        let ExportInput {
            topology, order, ..
        } = *input;
        let options = Options {
            // The machine is ours: the trace's own may have another number of nodes.
            nodes: Some(order.len() as u32),
            procs_per_node: self.procs_per_node,
            processors_stated: self.procs_stated,
            memory: topology.context().memory,
            ..Options::default()
        };
        let resources = Resources::new(names_of(topology, order.nodes())?);
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
        if result.records.is_empty() {
            let found = format!("no job to write ({})", notes.join("; "));
            let location = SourceLocation::file(&self.trace);
            return Err(Error::input(
                location,
                found,
                "jobs that the machine can place",
            ));
        }
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
            text: self.write_workload(order.len(), &description, &result, &resources),
            beside: vec![(".resources".into(), resources.write_resources())],
            notes,
            ..Export::default()
        })
    }

    /// Writes the workload, a job and a profile a line, jobs in the order of the queue.
    fn write_workload(
        &self,
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
            let kind = if self.is_fifth {
                "DelayProfile"
            } else {
                "delay"
            };
            profiles.insert(task.run, json!({"type": kind, "delay": task.run}));
            let (alloc, mapping) =
                of.format_ranks(record.figures.ranks.as_ref().unwrap_or(&Ranks::default()));
            let placement = Placement {
                alloc,
                mapping,
                start: record.start,
            };
            // Texts and numbers alone: it is always JSON.
            let extra_data = self
                .is_fifth
                .then(|| serde_json::to_string(&placement).unwrap_or_default());
            let job = Job {
                id: task.id.to_string(),
                subtime: task.submit,
                // Batsim ends a job at its walltime, so that one as long as its run would not end by itself.
                walltime: task.requested.max(task.run + 1),
                res: task.nodes,
                profile,
                placement: (!self.is_fifth).then_some(placement),
                extra_data,
            };
            serde_json::to_string(&job).unwrap_or_default()
        });
        let jobs = join_items(jobs, ",\n");
        let profiles = profiles
            .iter()
            .map(|(run, profile)| format!("\"delay-{run}\": {profile}"));
        let profiles = join_items(profiles, ",\n");
        // As JSON text, since names of files and orderings may hold quotes.
        let description = json!(description);
        format!(
            "{{\n\"nb_res\": {nodes},\n\"description\": {description},\n\"jobs\": [\n{jobs}\n],\n\"profiles\": {{\n{profiles}\n}}\n}}\n"
        )
    }
}

/// Notes which jobs of the trace are left out or changed.
fn note_left_out(trace: &Trace, result: &ScheduleResult) -> Vec<String> {
    let mut notes: Vec<String> = trace.tally().describe_reasons().collect();
    notes.extend(trace.processors_hint().map(|hint| hint.to_string()));
    // A long trace may lose thousands of jobs for one reason: each reason is one note with a count.
    let mut never: BTreeMap<&str, usize> = BTreeMap::new();
    for job in &result.left_out {
        *never.entry(&job.reason).or_default() += 1;
    }
    for (reason, count) in never {
        notes.push(format!("left out {count}: can never be placed: {reason}"));
    }
    notes
        .iter()
        .map(|note| format!("{}: {note}", trace.name()))
        .collect()
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
    // Each other byte is a piece of its own.
    name.as_bytes()
        .chunk_by(|a, b| a.is_ascii_digit() && b.is_ascii_digit())
        .map(|piece| match piece[0] {
            // Under the byte of `0`, so that numbers stand among other characters where digits do.
            b'0'..=b'9' => (b'0', read_number(piece)),
            byte => (byte, 0),
        })
        .collect()
}

/// Reads digits as a number. It saturates on more than 128 bits hold; then whole names decide.
fn read_number(digits: &[u8]) -> u128 {
    digits.iter().fold(0, |number: u128, digit| {
        number
            .saturating_mul(10)
            .saturating_add(u128::from(digit - b'0'))
    })
}

impl Resources {
    /// Numbers hosts that are given in rank order.
    fn new(names: Vec<String>) -> Resources {
        let mut rank: Vec<u32> = (0..names.len() as u32).collect();
        rank.sort_by_cached_key(|rank| {
            let name = &names[*rank as usize];
            // `n2` and `n02` have the same key; whole names keep the numbering the same on every run.
            (sort_key(name), name.clone())
        });
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
    fn format_ranks(&self, ranks: &Ranks) -> (String, Option<Value>) {
        let numbers: Vec<u32> = ranks
            .iter()
            .map(|rank| self.number[rank as usize])
            .collect();
        let mut sorted = numbers.clone();
        sorted.sort_unstable();
        let mut set = Ranks::default();
        set.push_ranks(&sorted);
        let set = set.to_string();
        // Without a mapping Batsim gives processes the resources by number, which is the rank order here.
        if numbers == sorted {
            return (set, None);
        }
        // Processes stand in the order of texts, which is no matter for a reader of JSON.
        let index = |number: &u32| sorted.partition_point(|other| other < number).to_string();
        let mapping = numbers.iter().enumerate();
        let mapping = mapping.map(|(i, n)| (i.to_string(), Value::from(index(n))));
        (set, Some(mapping.collect()))
    }

    /// Writes `resource,host,rank`, a resource a line.
    fn write_resources(&self) -> String {
        let mut text = String::from("resource,host,rank\n");
        for (number, rank) in self.rank.iter().enumerate() {
            text += &format!("{number},{},{rank}\n", self.names[*rank as usize]);
        }
        text
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
            ranks.push_ranks(list);
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
