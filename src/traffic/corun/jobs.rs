//! The file of jobs that run side by side: phases and nodes of each.

use std::path::Path;

use crate::mapping::guest::Benchmark;
use crate::mapping::{Guest, ProcessMapping};
use nodeorder_base::params::{Tables, Unit};
use nodeorder_base::{Error, Line, NodeId, Params, Result, SourceLocation, Text};
use nodeorder_network::Topology;

/// One part of a job's iteration: it computes, then sends, then waits for all messages.
#[derive(Clone, Debug, PartialEq)]
pub struct Phase {
    /// Seconds of computing, before messages are sent.
    pub compute: f64,
    /// The messages, as volumes between processes.
    pub guest: Guest,
    /// Number of bytes of one unit of volume.
    pub bytes: f64,
    /// Number of messages into which the bytes of a pair are cut. Each waits for the one before, and each pays the
    /// latency of the route.
    pub messages: f64,
}

/// A job that runs beside others.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Name of the job.
    pub name: String,
    /// The node of each process.
    pub mapping: ProcessMapping,
    /// The phases of an iteration, one after the other.
    pub phases: Vec<Phase>,
    /// Computing takes its seconds times a number drawn from 1 - spread to 1 + spread.
    pub spread: f64,
}

/// Upper limit of bytes and seconds in a file: larger ones would make times infinite.
const LARGEST: f64 = 1e15;

/// Keys of a phase in the file.
const PHASE_KEYS: [&str; 4] = ["guest", "bytes", "compute", "messages"];

impl Job {
    /// Reads a file of jobs: TOML, a table `[[jobs]]` each.
    ///
    /// - `name`: what it is called, each name once.
    /// - `nodes`: where process i runs, in order: ids, `"a-b"` ranges, node names and host lists. A node may hold
    ///   several processes, and several jobs.
    /// - `guest`: its messages, a pattern or a file (relative to this one).
    /// - `bytes`: of one unit of the guest's volume; a number, or a text with a unit (`"1MB"`).
    /// - `compute`: seconds before an iteration's messages are sent; a number, or a text with a unit (`"20ms"`). 0
    ///   unless given.
    /// - `spread`: 0.2 draws each computation between 0.8 and 1.2 times `compute`. 0 unless given.
    /// - `messages`: into how many messages, one after the other, the bytes of a pair are cut: each pays the latency
    ///   of its route. 1 unless given.
    /// - instead of `guest`, `bytes`, `compute` and `messages`: a table `[[jobs.phases]]` with these for each phase of
    ///   an iteration.
    /// - or instead of all of these `benchmark`: one of [`Benchmark`] such as `npb-lu:n=64,class=B`, whose stages
    ///   become phases; before the first it computes its operations, as fast as `speed` says.
    ///
    /// Before the jobs, `speed = "100Gf"` says how many operations a second a process does; 1 Gf unless given.
    ///
    /// # Errors
    /// With file and line: whatever does not belong there, values out of range, a guest with more processes than
    /// the job has nodes, nodes that the machine does not have; a job that takes no time.
    pub fn read_all(topology: &Topology, text: &Text, base: Option<&Path>) -> Result<Vec<Job>> {
        let seed = topology.context().seed;
        let mut file = Tables::read("a file of jobs", text, base, seed)?;
        let (location, tables) = file.take_list("jobs");
        let speed = file
            .params
            .optional_quantity("speed", Unit::Speed)?
            .unwrap_or(1e9);
        if speed <= 0.0 {
            return Err(file.params.invalid_value("speed", "more than 0"));
        }
        file.check_keys(&["speed"], &["jobs"])?;
        if tables.is_empty() {
            return Err(Error::input(
                location,
                "no jobs",
                "a table [[jobs]] for each job",
            ));
        }
        let mut jobs: Vec<Job> = Vec::with_capacity(tables.len());
        for table in tables {
            let location = table.params.location_of("name");
            let job = Job::read_job(topology, text, base, table, speed)?;
            if jobs.iter().any(|other| other.name == job.name) {
                let found = format!("another job called `{}`", job.name);
                return Err(Error::input(location, found, "a name for each job"));
            }
            jobs.push(job);
        }
        Ok(jobs)
    }

    /// Reads the table of one job; `speed` is operations a second.
    fn read_job(
        topology: &Topology,
        text: &Text,
        base: Option<&Path>,
        mut table: Tables,
        speed: f64,
    ) -> Result<Job> {
        let (at, phases) = table.take_list("phases");
        let params = &table.params;
        let location = params.location().clone();
        let missing = |what: &str, expected: &str| {
            Error::input(
                location.clone(),
                format!("a job without `{what}`"),
                expected,
            )
        };
        let name = params
            .optional_word("name")?
            .ok_or_else(|| missing("name", "name = \"a text\""))?;
        let nodes = read_nodes(topology, text, params)?;
        if nodes.is_empty() {
            return Err(missing("nodes", "nodes = [ids, \"a-b\" ranges or names]"));
        }
        let spread = params.optional_real("spread", 0.0, 1.0)?.unwrap_or(0.0);
        let benchmark = params.optional_word("benchmark")?;
        let own = PHASE_KEYS.iter().find(|key| params.has_key(key));
        let mut keys = vec!["name", "nodes", "spread", "benchmark"];
        let phases = if let Some(benchmark) = benchmark {
            if let Some(key) = own.copied().or((!phases.is_empty()).then_some("phases")) {
                let expected = "either a benchmark or what it consists of";
                let location = if phases.is_empty() {
                    params.location_of(key)
                } else {
                    at
                };
                return Err(Error::input(
                    location,
                    format!("`{key}` beside `benchmark`"),
                    expected,
                ));
            }
            Phase::read_benchmark(topology, params, &benchmark, nodes.len(), speed)?
        } else if phases.is_empty() {
            keys.extend(PHASE_KEYS);
            vec![Phase::read_phase(topology, base, params, nodes.len())?]
        } else {
            if let Some(key) = own {
                let found = format!("`{key}` beside [[jobs.phases]] (line of the first: {at})");
                let location = params.location_of(key);
                return Err(Error::input(location, found, "it in each phase instead"));
            }
            let mut read = Vec::new();
            for phase in phases {
                read.push(Phase::read_phase(
                    topology,
                    base,
                    &phase.params,
                    nodes.len(),
                )?);
                phase.check_keys(&PHASE_KEYS, &[])?;
            }
            read
        };
        table.check_keys(&keys, &["phases"])?;
        // Such a job would do iterations without end in no time.
        if phases
            .iter()
            .all(|p| p.compute <= 0.0 && (p.bytes <= 0.0 || p.guest.pair_count() == 0))
        {
            let expected = "`compute` above 0, or messages of some bytes";
            return Err(Error::input(location, "a job that takes no time", expected));
        }
        let mapping = ProcessMapping::new(topology, &name, nodes)?;
        Ok(Job {
            name,
            mapping,
            phases,
            spread,
        })
    }

    /// Counts the processes of the largest phase.
    pub fn processes(&self) -> u32 {
        self.phases
            .iter()
            .map(|phase| phase.guest.processes())
            .max()
            .unwrap_or(0)
    }
}

impl Phase {
    /// Reads the keys of one phase of a job on `nodes` nodes.
    fn read_phase(
        topology: &Topology,
        base: Option<&Path>,
        params: &Params,
        nodes: usize,
    ) -> Result<Self> {
        let quantity = |key: &'static str, unit: Unit| match params.optional_quantity(key, unit)? {
            Some(value) if value > LARGEST => {
                Err(params.invalid_value(key, format!("at most {LARGEST:e} (bytes or seconds)")))
            }
            value => Ok(value),
        };
        let compute = quantity("compute", Unit::Seconds)?.unwrap_or(0.0);
        let location = params.location_of("guest");
        let text = params.optional_word("guest")?.ok_or_else(|| {
            let expected = "guest = a pattern such as \"all-to-all:n=8\", or a file";
            Error::input(location.clone(), "no `guest`", expected)
        })?;
        let bytes = quantity("bytes", Unit::Bytes)?.ok_or_else(|| {
            params.invalid_value("bytes", "bytes = the bytes of one unit of volume")
        })?;
        let guest = Guest::make(&Guest::resolve_path(base, &text), topology.context());
        // What a pattern lacks is wrong on this line; a file has lines of its own.
        let guest = guest.map_err(|error| error.locate_text_error(&text, &location))?;
        check_process_count(nodes, &guest, &location)?;
        if guest.processes() == 0 {
            let found = format!("`{text}` without processes");
            return Err(Error::input(
                params.location_of("guest"),
                found,
                "a process or more",
            ));
        }
        let messages = f64::from(
            params
                .optional_integer("messages", 1, 1_000_000_000)?
                .unwrap_or(1u32),
        );
        Ok(Phase {
            compute,
            guest,
            bytes,
            messages,
        })
    }

    /// Reads the stages of a benchmark, which become phases; a benchmark without stages is one phase.
    fn read_benchmark(
        topology: &Topology,
        params: &Params,
        text: &str,
        nodes: usize,
        speed: f64,
    ) -> Result<Vec<Self>> {
        let location = params.location_of("benchmark");
        // A fault of the benchmark is one of this line.
        let made = Benchmark::make(text, topology.context());
        let made = made.map_err(|error| error.locate_text_error(text, &location))?;
        let compute = made.operations / speed;
        let mut phases = Phase::from_stages(&made, compute);
        if phases.is_empty() {
            phases.push(Phase {
                compute,
                guest: Guest::make(text, topology.context())?,
                bytes: 1.0,
                messages: 1.0,
            });
        }
        for phase in &phases {
            check_process_count(nodes, &phase.guest, &location)?;
        }
        Ok(phases)
    }

    /// Turns the stages of a benchmark into phases, the first one after `compute` seconds of computing.
    pub fn from_stages(benchmark: &Benchmark, compute: f64) -> Vec<Self> {
        let mut phases = Vec::new();
        for stage in &benchmark.stages {
            phases.push(Phase {
                compute: if phases.is_empty() { compute } else { 0.0 },
                guest: stage.guest.clone(),
                // Volumes of benchmarks are bytes.
                bytes: 1.0,
                messages: f64::from(stage.messages),
            });
        }
        phases
    }
}

/// Checks that a guest has no more processes than the job has nodes.
fn check_process_count(nodes: usize, guest: &Guest, location: &SourceLocation) -> Result<()> {
    if guest.processes() as usize > nodes {
        let found = format!("`{}` with {} processes", guest.label(), guest.processes());
        let expected = format!("at most {nodes}, one for each of the job's nodes");
        return Err(Error::input(location.clone(), found, expected));
    }
    Ok(())
}

/// Reads the nodes that the key `nodes` lists. Fails if the machine does not have them.
fn read_nodes(topology: &Topology, text: &Text, params: &Params) -> Result<Vec<NodeId>> {
    let mut nodes = Vec::new();
    for (word, location) in params.list_elements("nodes")? {
        let number = match &location {
            SourceLocation::Line { line, .. } => *line,
            _ => 1,
        };
        let line = Line::new(text.name(), number, &word);
        for node in topology.nodes_named(&word, &line, nodes.len())? {
            topology.check_node(node, || location.clone())?;
            nodes.push(node);
        }
    }
    Ok(nodes)
}
