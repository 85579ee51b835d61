//! The lists of a plan with the files that they name.

use std::path::Path;

use super::fingerprint::Fingerprint;
use super::inputs::{PlanWorkload, Spec};
use super::spec::{PlanSpec, TextLists};
use nodeorder_base::{Error, Result};
use nodeorder_jobs::schedule::{MODELS, model};
use nodeorder_network::topology::TOPOLOGIES;
use nodeorder_order::ordering::ORDERINGS;
use nodeorder_trace::GENERATORS;
use nodeorder_traffic::mapping::GUESTS;

/// What a cell does with an ordering: the kind of row, and indices into the plan's lists that it uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CellSpec {
    /// The kind of row, an index into the table of them.
    pub kind: usize,
    /// Index of the workload; `None` if the cell uses none.
    pub workload: Option<u32>,
    /// Index of the number of processors of a node; `None` unless the workload is a trace.
    pub procs: Option<u32>,
    /// Index of the change of the trace; `None` if it is not changed.
    pub transform: Option<u32>,
    /// Index of the allocator; `None` if the cell uses none.
    pub allocator: Option<u32>,
    /// Index of the policy; `None` if the cell uses none.
    pub policy: Option<u32>,
    /// Index of the runtime model; `None` if the cell uses none.
    pub model: Option<u32>,
    /// Index of the guest; `None` if the cell uses none.
    pub guest: Option<u32>,
    /// Index of the routing; `None` if the cell uses none.
    pub routing: Option<u32>,
    /// Index of the share of the time in which other jobs send; `None` if the cell uses none.
    pub duty: Option<u32>,
    /// Index of the number of tilings; `None` if the cell uses none.
    pub tilings: Option<u32>,
}

/// One combination of the plan's lists, by indices into them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Number of the cell, from 0.
    pub number: usize,
    /// Index of the machine in the plan's list.
    pub topology: usize,
    /// Index of the seed in the plan's list.
    pub seed: usize,
    /// Index of the ordering in the plan's list.
    pub ordering: usize,
    /// Kind of the row, and indices of what the cell uses besides.
    pub spec: CellSpec,
}

/// Key of the jobs of a cell: workload, processors of a node, transform.
pub type JobsKey = (Option<u32>, Option<u32>, Option<u32>);

impl CellSpec {
    /// Builds the key that is equal for cells with the same jobs.
    pub(super) fn jobs_key(&self) -> JobsKey {
        (self.workload, self.procs, self.transform)
    }
}

/// Looks up the item of a list that an index stands for. `None` without an index.
pub fn item_at<T>(list: &[T], index: Option<u32>) -> Option<&T> {
    list.get(index? as usize)
}

/// The lists that a sweep multiplies. Texts are as the plan writes them; they name the cells in the results.
#[derive(Clone, Debug)]
pub struct PlanLists {
    /// The sweep's name.
    pub name: String,
    /// Machines.
    pub topologies: Vec<Spec>,
    /// Orderings.
    pub orderings: Vec<Spec>,
    /// Allocators of replays and schedules.
    pub allocators: Vec<Spec>,
    /// Placement logs, then traces.
    pub workloads: Vec<PlanWorkload>,
    /// Changes of the traces; if empty, traces are taken as they are.
    pub transforms: Vec<String>,
    /// Policies by which traces are scheduled; if empty, traces are replayed.
    pub policies: Vec<String>,
    /// Runtime models of the policies' schedules; if empty, run times are the trace's.
    pub models: Vec<Spec>,
    /// Routing of each model, the same on all machines; `None` for models that take none.
    pub model_routings: Vec<Option<String>>,
    /// Traffic to be mapped, or patterns whose slowdowns are measured.
    pub guests: Vec<Spec>,
    /// Routings of the guests' traffic.
    pub routings: Vec<String>,
    /// Shares of the time in which other jobs send; empty where guests are mapped.
    pub duty: Vec<String>,
    /// Numbers of tilings; empty where guests are mapped.
    pub tilings: Vec<String>,
    /// Seeds of random entries without a `seed=` of their own.
    pub seeds: Vec<u64>,
    /// Processors of a node, in traces.
    pub procs_per_node: Vec<u32>,
    /// Whether rows have the means of the shapes of allocations.
    pub shape: bool,
    /// Whether rows have the means of the largest job that could still be placed.
    pub room: bool,
    /// Distinguishes this plan from another: made of the tool's version, the lists and the contents of the files
    /// they name.
    pub hash: String,
    /// The files the plan names, each with a checksum of its contents.
    pub inputs: Vec<(String, String)>,
}

impl PlanLists {
    /// Finds the files that the texts of a plan name. Paths are relative to `base`. Fails if a workload is
    /// standard input.
    pub(super) fn resolve(spec: &PlanSpec, lists: &TextLists, base: Option<&Path>) -> Result<Self> {
        let resolve = |texts: &[String]| {
            texts
                .iter()
                .map(|text| Spec::resolve_files(text, base, is_known(text), is_any_file))
                .collect()
        };
        // Cells are compared across machines: one routing for all, in the plan's own words or the one of rankings.
        let models: Vec<String> = spec
            .models
            .iter()
            .map(|text| model::fix_for_ranking(text))
            .collect();
        let mut plan = PlanLists {
            name: spec.name.clone(),
            topologies: resolve(&spec.topologies),
            orderings: resolve(&spec.orderings),
            allocators: spec
                .allocators
                .iter()
                // An allocator is no file and has no file as its first option: `first-fit:8` does not mean a file
                // called `8`.
                .map(|text| Spec::resolve_files(text, base, true, is_rules_file))
                .collect(),
            workloads: Vec::new(),
            transforms: spec.transforms.clone(),
            policies: spec.policies.clone(),
            models: resolve(&models),
            model_routings: models
                .iter()
                .map(|text| model::routing_name(text))
                .collect(),
            guests: resolve(&spec.guests),
            routings: spec.routings.clone(),
            duty: spec.duty.clone(),
            tilings: spec.tilings.clone(),
            seeds: spec.seeds.clone(),
            procs_per_node: spec.procs_per_node.clone(),
            shape: spec.shape,
            room: spec.room,
            hash: String::new(),
            inputs: Vec::new(),
        };
        if plan.procs_per_node.is_empty() {
            // A trace then has exactly one choice: cells, keys and columns need no case without one.
            plan.procs_per_node.push(1);
        }
        if spec.slowdown {
            // A slowdown then has exactly one choice, too, and its row says which.
            for (list, default) in [(&mut plan.duty, "0.2"), (&mut plan.tilings, "2")] {
                if list.is_empty() {
                    list.push(default.into());
                }
            }
        }
        for (list, is_trace) in [("logs", false), ("traces", true)] {
            for (text, location) in &lists[list] {
                if text == "-" {
                    let expected = "a file, which is read more than once";
                    return Err(Error::input(location.clone(), "standard input", expected));
                }
                // A generator wins over a file of the same name, as everywhere a text may be either.
                let is_generator = GENERATORS.get(text).is_some();
                plan.workloads.push(PlanWorkload {
                    text: text.clone(),
                    path: nodeorder_base::input::resolve_beside(base, text),
                    is_trace,
                    contents: String::new(),
                    generator: is_generator
                        .then(|| Spec::resolve_files(text, base, true, is_any_file)),
                });
            }
        }
        Ok(plan)
    }

    /// Computes the hash of the plan and the checksums of its files. Fails if a file cannot be read.
    pub(super) fn hash_plan_and_files(&mut self) -> Result<()> {
        let mut all = Fingerprint::EMPTY;
        // The number is raised where rows change their meaning: folders of older versions are then not continued.
        all.add_part("nodeorder sweep 5");
        all.add_part(env!("CARGO_PKG_VERSION"));
        let workloads: Vec<String> = self
            .workloads
            .iter()
            .map(|w| format!("{} {}", w.is_trace, w.text))
            .collect();
        let numbers = |list: &[u64]| list.iter().map(u64::to_string).collect::<Vec<_>>();
        let procs: Vec<u64> = self.procs_per_node.iter().map(|p| u64::from(*p)).collect();
        let texts = |list: &[Spec]| list.iter().map(|s| s.text.clone()).collect::<Vec<_>>();
        let lists = [
            // Their order is part of the hash: with another one, folders that this version began would be refused.
            &vec![self.name.clone()],
            &texts(&self.topologies),
            &texts(&self.orderings),
            &texts(&self.allocators),
            &workloads,
            &self.transforms,
            &self.policies,
            &texts(&self.models),
            &texts(&self.guests),
            &self.routings,
            &numbers(&self.seeds),
            &numbers(&procs),
        ];
        for list in lists {
            // The length, too: else a text could move to the next list unnoticed.
            all.add_part(&list.len().to_string());
            list.iter().for_each(|text| all.add_part(text));
        }
        // Flags that are not set add nothing: plans from before they existed keep their hash.
        let asked = [("shape", self.shape), ("room", self.room)];
        asked
            .iter()
            .filter(|(_, asked)| *asked)
            .for_each(|(key, _)| all.add_part(key));
        for list in [&self.duty, &self.tilings] {
            list.iter().for_each(|text| all.add_part(text));
        }
        let inputs = &mut self.inputs;
        let mut read = |text: &str, path: &Path| -> Result<String> {
            let contents = Fingerprint::hash_of_file(path)?.to_string();
            all.add_part(&contents);
            inputs.push((text.to_string(), contents.clone()));
            Ok(contents)
        };
        // What a generator makes follows from its text, its seed and the version, which are in the hash already.
        // Files that it reads count below.
        for workload in self.workloads.iter_mut().filter(|w| w.generator.is_none()) {
            workload.contents = read(&workload.text, &workload.path)?;
        }
        let made = self
            .workloads
            .iter_mut()
            .filter_map(|w| w.generator.as_mut());
        let specs = [
            &mut self.topologies,
            &mut self.orderings,
            &mut self.models,
            &mut self.guests,
        ];
        for spec in specs
            .into_iter()
            .flatten()
            .chain(&mut self.allocators)
            .chain(made)
        {
            // Checksums are all of one length: put one after the other they still tell files apart.
            let contents = spec.files.iter().map(|path| read(&spec.text, path));
            spec.contents = contents.collect::<Result<_>>()?;
        }
        self.hash = all.to_string();
        Ok(())
    }
}

/// Checks whether `text` begins with the name of a topology, an ordering, a model or a guest rather than of a file.
fn is_known(text: &str) -> bool {
    TOPOLOGIES.get(text).is_some()
        || ORDERINGS.get(text).is_some()
        || GUESTS.get(text).is_some()
        || MODELS.get(text).is_some()
}

/// Checks whether a part of a text is a file, whatever its key.
fn is_any_file(_: &str, path: &Path) -> bool {
    path.is_file()
}

/// Checks whether a part of an allocator is a file: that of `rules=` alone is one, there or not.
fn is_rules_file(key: &str, _: &Path) -> bool {
    key == "rules"
}
