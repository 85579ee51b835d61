//! The lists of a plan, read from TOML and checked.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use super::fingerprint::Fingerprint;
use super::inputs::{PlanWorkload, Spec};
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_base::input::Text;
use nodeorder_base::params::Params;
use nodeorder_jobs::schedule::MODELS;
use nodeorder_network::topology::TOPOLOGIES;
use nodeorder_order::ordering::ORDERINGS;
use nodeorder_trace::GENERATORS;
use nodeorder_traffic::mapping::GUESTS;

/// One row's work with an ordering: the kind of row, and indices into the plan's lists that it uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// The kind of row, an index into the table of them.
    pub kind: usize,
    /// The workload.
    pub workload: Option<u32>,
    /// Processors of a node, where the workload is a trace.
    pub procs: Option<u32>,
    /// How the trace is changed.
    pub transform: Option<u32>,
    /// The allocator.
    pub allocator: Option<u32>,
    /// The policy.
    pub policy: Option<u32>,
    /// The runtime model.
    pub model: Option<u32>,
    /// The guest.
    pub guest: Option<u32>,
    /// The routing.
    pub routing: Option<u32>,
}

/// Which jobs a cell has: workload, processors of a node, transform.
pub(super) type JobsKey = (Option<u32>, Option<u32>, Option<u32>);

impl Work {
    /// The key that cells with the same jobs share.
    pub(super) fn jobs(&self) -> JobsKey {
        (self.workload, self.procs, self.transform)
    }
}

/// The item of a list that an index stands for.
pub(super) fn pick<T>(list: &[T], index: Option<u32>) -> Option<&T> {
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
    /// How traces are changed; without, they are taken as they are.
    pub transforms: Vec<String>,
    /// Policies by which traces are scheduled; without, they are replayed.
    pub policies: Vec<String>,
    /// Runtime models of these schedules; without, run times are the trace's.
    pub models: Vec<Spec>,
    /// Traffic to be mapped.
    pub guests: Vec<Spec>,
    /// Which links it takes.
    pub routings: Vec<String>,
    /// Seeds of random entries without a `seed=` of their own.
    pub seeds: Vec<u64>,
    /// Processors of a node, in traces.
    pub procs_per_node: Vec<u32>,
    /// Whether rows have the means of the shapes of allocations.
    pub shape: bool,
    /// Whether rows have the means of the largest job that could still be placed.
    pub room: bool,
    /// Distinguishes this plan from another: made of the tool's version, the lists and the contents of the files they name.
    pub hash: String,
    /// The files the plan names, each with a checksum of its contents.
    pub inputs: Vec<(String, String)>,
}

impl PlanLists {
    /// Reads the lists, and where each of their texts stands. What the texts name is not looked at. Errors: as
    /// [`super::Plan::read`].
    pub(super) fn read(text: &Text, base: Option<&Path>, seed: u64) -> Result<(Self, Lists)> {
        let params = Params::table("a sweep plan", text, base, seed)?;
        let mut seeds = numbers(&list(&params, "seeds")?, 0, u64::MAX)?;
        if seeds.is_empty() {
            // Without a list the seed of the command line counts.
            seeds.push(params.seed()?);
        }
        let procs = list(&params, "procs_per_node")?;
        let mut procs_per_node = numbers(&procs, 1, u32::MAX)?;
        if procs_per_node.is_empty() {
            procs_per_node.push(1);
        }
        let name = params.word("name")?.unwrap_or_else(|| "sweep".into());
        let lists = LISTS.map(|key| list(&params, key).map(|list| (key, list)));
        let lists: Lists = lists.into_iter().collect::<Result<_>>()?;
        let [shape, room] = ["shape", "room"].map(|key| params.flag(key));
        let (shape, room) = (shape?, room?);
        params.finish()?;
        check_together(&lists, &params)?;
        let texts = |key| lists[key].iter().map(|(text, _)| text.clone()).collect();
        let specs = |key| {
            // An allocator's one file is that of `rules=`.
            let ruled = key == "allocators";
            let is_file: fn(&str, &Path) -> bool = if ruled {
                |key, _| key == "rules"
            } else {
                ANY_FILE
            };
            let spec =
                |(text, _): &Located| Spec::resolve(text, base, ruled || known(text), is_file);
            lists[key].iter().map(spec).collect()
        };
        let mut plan = PlanLists {
            name,
            topologies: specs("topologies"),
            orderings: specs("orderings"),
            allocators: specs("allocators"),
            workloads: Vec::new(),
            transforms: texts("transforms"),
            policies: texts("policies"),
            models: specs("models"),
            guests: specs("guests"),
            routings: texts("routings"),
            seeds,
            procs_per_node,
            shape,
            room,
            hash: String::new(),
            inputs: Vec::new(),
        };
        for (list, is_trace) in [("logs", false), ("traces", true)] {
            for (text, location) in &lists[list] {
                if text == "-" {
                    let expected = "a file, which is read more than once";
                    return Err(Error::input(location.clone(), "standard input", expected));
                }
                let path = nodeorder_base::input::beside(base, text);
                let generator = GENERATORS
                    .get(text)
                    .is_some()
                    .then(|| Spec::resolve(text, base, true, ANY_FILE));
                let (text, contents) = (text.clone(), String::new());
                plan.workloads.push(PlanWorkload {
                    text,
                    path,
                    is_trace,
                    contents,
                    generator,
                });
            }
        }
        Ok((plan, lists))
    }

    /// Works out the hash and the checksums of the files. Errors: files that cannot be read.
    pub(super) fn fingerprint(&mut self) -> Result<()> {
        let mut all = Fingerprint::EMPTY;
        // The number is raised where rows change their meaning: folders of older versions are then not continued.
        all.add_part("nodeorder sweep 4");
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
        let inputs = &mut self.inputs;
        let mut read = |text: &str, path: &Path| -> Result<String> {
            let contents = Fingerprint::of_file(path)?.to_string();
            all.add_part(&contents);
            inputs.push((text.to_string(), contents.clone()));
            Ok(contents)
        };
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
            let contents = spec.files.iter().map(|path| read(&spec.text, path));
            spec.contents = contents.collect::<Result<_>>()?;
        }
        self.hash = all.to_string();
        Ok(())
    }
}

/// Whether `text` begins with the name of a topology, an ordering, a model or a guest rather than of a file.
fn known(text: &str) -> bool {
    let names = [
        TOPOLOGIES.get(text).is_some(),
        ORDERINGS.get(text).is_some(),
    ];
    names.contains(&true) || GUESTS.get(text).is_some() || MODELS.get(text).is_some()
}

/// Any part of a text that is a file names it.
const ANY_FILE: fn(&str, &Path) -> bool = |_, path| path.is_file();

/// A text of the plan and where it stands.
pub(super) type Located = (String, SourceLocation);
/// The lists of names, by key.
pub(super) type Lists = BTreeMap<&'static str, Vec<Located>>;

/// The keys of these lists.
const LISTS: [&str; 10] = [
    "topologies",
    "orderings",
    "allocators",
    "logs",
    "traces",
    "transforms",
    "policies",
    "models",
    "guests",
    "routings",
];

/// A list of different texts.
fn list(params: &Params, key: &'static str) -> Result<Vec<Located>> {
    let list = params.list(key)?;
    let mut seen = HashSet::with_capacity(list.len());
    for (i, (text, location)) in list.iter().enumerate() {
        let wrong = |found, expected| Err(Error::input(location.clone(), found, expected));
        if text.is_empty() || text.contains(char::is_control) {
            return wrong(format!("{key}[{i}] {text:?}"), "a text in one line");
        }
        if !seen.insert(text) {
            return wrong(format!("`{text}` twice in `{key}`"), "each once");
        }
    }
    Ok(list)
}

/// Refuses a plan with one of two lists that belong together.
fn check_together(lists: &Lists, params: &Params) -> Result<()> {
    let given = |key: &str| !lists[key].is_empty();
    let workloads = given("logs") || given("traces");
    let one = |first: bool, a, b| if first { a } else { b };
    let rules = [
        (
            params.has("procs_per_node") && !given("traces"),
            "procs_per_node",
            "it beside `traces` only",
        ),
        (
            params.has("shape") && !workloads,
            "shape",
            "it beside `logs` or `traces` only",
        ),
        (
            params.has("room") && !workloads,
            "room",
            "it beside `logs` or `traces` only",
        ),
        (
            given("transforms") && !given("traces"),
            "transforms",
            "`transforms` beside `traces` only",
        ),
        (
            !given("topologies"),
            "topologies",
            "topologies = [\"…\", …] with at least one",
        ),
        (
            !given("orderings"),
            "orderings",
            "orderings = [\"…\", …] with at least one",
        ),
        (
            workloads != given("allocators"),
            one(workloads, "allocators", "logs"),
            "`allocators` together with `logs` or `traces`",
        ),
        (
            given("guests") != given("routings"),
            one(given("guests"), "routings", "guests"),
            "`guests` together with `routings`",
        ),
        (
            given("policies") && !given("traces"),
            "policies",
            "`policies` beside `traces` only",
        ),
        (
            given("models") && !given("policies"),
            "models",
            "`models` beside `policies` only",
        ),
    ];
    // One broken rule is reported, the first: the others may follow from it.
    match rules.into_iter().find(|(broken, ..)| *broken) {
        Some((_, key, expected)) => Err(params.wrong(key, expected)),
        None => Ok(()),
    }
}

fn numbers<T>(list: &[Located], least: T, most: T) -> Result<Vec<T>>
where
    T: std::str::FromStr + PartialOrd + std::fmt::Display,
{
    let expected = format!("a whole number from {least} to {most}");
    let number = |(text, location): &Located| match text.parse::<T>() {
        Ok(n) if n >= least => Ok(n),
        _ => Err(Error::input(
            location.clone(),
            format!("`{text}`"),
            &expected,
        )),
    };
    list.iter().map(number).collect()
}
