//! One driver for each parser of foreign bytes. A driver parses, and holds the outcome to what every
//! outcome must be: an error that names its place, or a value that keeps its promises. The fuzz targets and the
//! ordinary tests share this file.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use nodeorder_base::{Error, FreeSet, Lines, NodeId, Ranks, Run, SourceLocation, Text};
use nodeorder_jobs::allocator::{self, AllocatorContext};
use nodeorder_jobs::audit::snapshot::Snapshot;
use nodeorder_jobs::audit::{AuditSettings, audit};
use nodeorder_jobs::replay::FigureSet;
use nodeorder_jobs::schedule::{Settings, Task, simulate};
use nodeorder_network::{Context, Topology};
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::rank_distances::RankDistances;
use nodeorder_order::ordering::Observer;
use nodeorder_present::report;
use nodeorder_sweep::{Journal, Plan, Shard, ShardFile, checksum, merge_shards};
use nodeorder_trace::records::{self, Record, RecordFormat, Records, placements};
use nodeorder_trace::{
    Block, Event, GeneratedWorkload, Log, Options, Sizes, Trace, Weight, convert, survey,
};
use nodeorder_trace::{WorkloadKind, detect_kind};
use nodeorder_traffic::corun::Job;
use nodeorder_traffic::mapping::{Guest, ProcessMapping, Traffic, method};
use nodeorder_traffic::slowdown::SLOWDOWN;

/// A parser and what to feed it to.
pub struct Driver {
    /// The fuzz target of this name; its seeds stand in `tests/data/hostile/NAME`, its words in `NAME.dict`.
    pub name: &'static str,
    /// Panics where an outcome is not what it must be.
    pub feed: fn(&[u8]),
}

/// Every parser of text that a user hands in.
pub const DRIVERS: &[Driver] = &[
    Driver {
        name: "topology",
        feed: topology,
    },
    Driver {
        name: "toml",
        feed: toml,
    },
    Driver {
        name: "edges",
        feed: edges,
    },
    Driver {
        name: "matrix",
        feed: matrix,
    },
    Driver {
        name: "order",
        feed: order,
    },
    Driver {
        name: "log",
        feed: log,
    },
    Driver {
        name: "swf",
        feed: swf,
    },
    Driver {
        name: "records",
        feed: records,
    },
    Driver {
        name: "sinfo",
        feed: sinfo,
    },
    Driver {
        name: "plan",
        feed: plan,
    },
    Driver {
        name: "guest",
        feed: guest,
    },
    Driver {
        name: "jobs",
        feed: jobs,
    },
    Driver {
        name: "slurm-topology",
        feed: slurm_topology,
    },
    Driver {
        name: "slurm-yaml",
        feed: slurm_yaml,
    },
    Driver {
        name: "tiers",
        feed: tiers,
    },
    Driver {
        name: "k8s-nodes",
        feed: k8s_nodes,
    },
    Driver {
        name: "topograph",
        feed: topograph,
    },
    Driver {
        name: "jgf",
        feed: jgf,
    },
    Driver {
        name: "xtdb2proc",
        feed: xtdb2proc,
    },
    Driver {
        name: "ibnetdiscover",
        feed: ibnetdiscover,
    },
    Driver {
        name: "iblinkinfo",
        feed: iblinkinfo,
    },
    Driver {
        name: "tgt",
        feed: tgt,
    },
    Driver {
        name: "caminos",
        feed: caminos,
    },
    Driver {
        name: "graphml",
        feed: graphml,
    },
    Driver {
        name: "simgrid",
        feed: simgrid,
    },
    Driver {
        name: "ns3",
        feed: ns3,
    },
    Driver {
        name: "infragraph",
        feed: infragraph,
    },
    Driver {
        name: "goal",
        feed: goal,
    },
    Driver {
        name: "chakra",
        feed: chakra,
    },
    Driver {
        name: "tables",
        feed: tables,
    },
    Driver {
        name: "specs",
        feed: specs,
    },
    Driver {
        name: "results",
        feed: results,
    },
];

/// Seed and memory of every run; little memory, so that its limits are met.
pub const CONTEXT: Context = Context {
    seed: 1,
    memory: 4 << 20,
    objective: Some(SLOWDOWN),
};

/// An observer that stops every search at once.
struct StopAtOnce;

impl Observer for StopAtOnce {
    fn should_stop(&self) -> bool {
        true
    }
}

/// Checks that an error names a source location that exists, and has a message fit for a terminal.
fn check_error(error: &Error, text: Option<&Text>) {
    if let Error::Several(errors) = error {
        assert!(errors.len() > 1, "{error}");
        return errors.iter().for_each(|error| check_error(error, text));
    }
    let message = error.to_string();
    assert!(
        !message.chars().any(|c| c.is_control()),
        "control characters: {message:?}"
    );
    assert!(message.len() < 5000, "{} bytes of message", message.len());
    let place = match error {
        Error::Input {
            location,
            found,
            expected,
        } => {
            assert!(!found.is_empty() && !expected.is_empty(), "{message}");
            location
        }
        Error::Unsuited { location, .. } => location,
        Error::Named { location, cause } => {
            check_error(cause, text);
            location
        }
        Error::Memory { needed, limit, .. } => return assert!(needed > limit, "{message}"),
        Error::Io { .. } => return,
        _ => panic!("{message}"),
    };
    if let (SourceLocation::Line { file, line }, Some(text)) = (place, text) {
        if !file.ends_with(text.name()) && !text.name().ends_with(&**file) {
            // The error is in a file that this one names.
            return assert!(Path::new(&**file).is_file(), "{message}");
        }
        let lines = text.as_str().lines().count().max(1);
        assert!(
            (1..=lines + 1).contains(line),
            "{message}, but {lines} lines"
        );
    }
}

/// Whether a specification could make the program wait for a keyboard or read what is no test's business.
fn reaches_out(text: &str) -> bool {
    text.contains(['/', '\\', '~'])
        || text.contains("..")
        || text
            .split([':', ',', '=', '"', '\'', '\n', '[', ']', ' '])
            .any(|part| part == "-")
}

/// A folder of this thread, gone when the thread ends.
fn folder() -> PathBuf {
    thread_local! {
        static FOLDER: OnceCell<tempfile::TempDir> = const { OnceCell::new() };
    }
    FOLDER.with(|folder| {
        folder
            .get_or_init(|| tempfile::tempdir().expect("a folder to write to"))
            .path()
            .to_path_buf()
    })
}

/// The bytes as a file of this name.
fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder().join(name);
    std::fs::write(&path, bytes).expect("a file to write to");
    path
}

/// Checks what holds for every machine: counts, ids and names that fit each other.
fn check_topology(topology: &Topology) {
    let network = topology.network();
    let (nodes, slots) = (topology.nodes(), topology.nodes().slot_count());
    assert!(!nodes.is_empty() && nodes.len() <= slots as usize);
    assert_eq!(
        u64::from(network.hosts()) * u64::from(network.per_router()),
        u64::from(slots)
    );
    assert!(network.hosts() <= network.routers());
    if slots > 2000 || network.routers() > 2000 {
        return;
    }
    assert_eq!(nodes.iter().count(), nodes.len());
    let names: BTreeSet<String> = nodes.iter().map(|node| topology.node_name(node)).collect();
    assert_eq!(
        names.len(),
        nodes.len(),
        "a name twice in {}",
        topology.spec()
    );
    let (mut links, mut seen) = (0, BTreeSet::new());
    // A complete graph of 2000 is too long to walk for every input.
    if network.link_count() > 20_000 {
        return;
    }
    network.for_each_link(&mut |u, v, capacity| {
        assert!(u != v && u.max(v) < network.routers() && capacity.is_finite() && capacity > 0.0);
        assert!(
            seen.insert((u.min(v), u.max(v))),
            "{}: {u}-{v} twice",
            topology.spec()
        );
        links += 1;
    });
    assert_eq!(links, network.link_count(), "{}", topology.spec());
    if slots <= 200 && network.routers() <= 400 {
        let statistics = topology.statistics();
        match statistics {
            Ok(s) => assert!(s.mean_distance.is_finite() && s.nodes == nodes.len() as u64),
            Err(error) => check_error(&error, None),
        }
        match NodeOrder::make(topology, "row-major") {
            Ok(order) => check_order(topology, &order),
            Err(error) => check_error(&error, None),
        }
    }
}

/// Checks that an ordering holds distinct, schedulable nodes.
fn check_order(topology: &Topology, order: &NodeOrder) {
    let distinct: BTreeSet<NodeId> = order.nodes().iter().copied().collect();
    assert_eq!(distinct.len(), order.len(), "{} repeats", order.label());
    assert!(
        distinct.iter().all(|node| topology.nodes().contains(*node)),
        "{}",
        order.label()
    );
}

fn topology(bytes: &[u8]) {
    let Ok(spec) = std::str::from_utf8(bytes) else {
        return;
    };
    if reaches_out(spec) || spec.contains(".csv") || spec.contains("file") {
        return;
    }
    let head = nodeorder_base::params::text_before_colon(spec);
    let files = [
        "graph",
        "matrix",
        "slurm-topology",
        "ibnetdiscover",
        "iblinkinfo",
        "tgt",
        "tiers",
        "k8s-nodes",
        "topograph",
        "jgf",
        "xtdb2proc",
    ];
    if files.contains(&head) {
        return;
    }
    match Topology::inline(spec, &CONTEXT) {
        Err(error) => check_error(&error, None),
        Ok(machine) => {
            check_topology(&machine);
            let again = Topology::inline(machine.spec(), &CONTEXT)
                .unwrap_or_else(|e| panic!("{spec:?} becomes {:?}: {e}", machine.spec()));
            assert_eq!(again.spec(), machine.spec());
            assert_eq!(again.nodes().slot_count(), machine.nodes().slot_count());
        }
    }
}

fn toml(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    if reaches_out(text) || text.contains(".csv") || text.contains("file") {
        return;
    }
    let text = Text::new("m.toml", text);
    match Topology::toml(&text, None, &CONTEXT) {
        Err(error) => check_error(&error, Some(&text)),
        Ok(machine) => check_topology(&machine),
    }
}

/// A machine of a family that reads a file.
fn from_file(kind: &str, name: &str, bytes: &[u8]) {
    let path = file(name, bytes);
    let lossy = String::from_utf8_lossy(bytes);
    let text = Text::new(name, &*lossy);
    match Topology::inline(&format!("{kind}:{}", path.display()), &CONTEXT) {
        Err(error) => check_error(&error, Some(&text)),
        Ok(machine) => check_topology(&machine),
    }
}

fn edges(bytes: &[u8]) {
    from_file("graph", "links.csv", bytes);
}

fn matrix(bytes: &[u8]) {
    from_file("matrix", "latency.csv", bytes);
}

fn slurm_topology(bytes: &[u8]) {
    from_file("slurm-topology", "topology.conf", bytes);
}

fn slurm_yaml(bytes: &[u8]) {
    // A text that does not look like YAML is read line by line.
    from_file("slurm-topology", "topology.yaml", bytes);
}

fn tiers(bytes: &[u8]) {
    from_file("tiers", "hosts.csv", bytes);
}

fn k8s_nodes(bytes: &[u8]) {
    from_file("k8s-nodes", "nodes.json", bytes);
}

fn topograph(bytes: &[u8]) {
    from_file("topograph", "instances.json", bytes);
}

fn jgf(bytes: &[u8]) {
    from_file("jgf", "resources.json", bytes);
}

fn xtdb2proc(bytes: &[u8]) {
    from_file("xtdb2proc", "processors.txt", bytes);
}

fn ibnetdiscover(bytes: &[u8]) {
    from_file("ibnetdiscover", "fabric.txt", bytes);
}

fn iblinkinfo(bytes: &[u8]) {
    from_file("iblinkinfo", "links.txt", bytes);
}

fn tgt(bytes: &[u8]) {
    from_file("tgt", "machine.tgt", bytes);
}

fn caminos(bytes: &[u8]) {
    from_file("caminos", "network.adj", bytes);
}

fn graphml(bytes: &[u8]) {
    from_file("graphml", "network.graphml", bytes);
}

fn simgrid(bytes: &[u8]) {
    from_file("simgrid", "platform.xml", bytes);
}

fn ns3(bytes: &[u8]) {
    from_file("ns3", "topology.txt", bytes);
}

fn infragraph(bytes: &[u8]) {
    from_file("infragraph", "fabric.yaml", bytes);
}

fn goal(bytes: &[u8]) {
    let path = file("app.goal", bytes);
    let text = Text::new("app.goal", &*String::from_utf8_lossy(bytes));
    match Guest::make(&format!("goal:{}", path.display()), &CONTEXT) {
        Err(error) => check_error(&error, Some(&text)),
        Ok(guest) => check_guest(&guest),
    }
}

/// The bytes as the traces of both of two ranks.
fn chakra(bytes: &[u8]) {
    let paths = ["trace.0.et", "trace.1.et"].map(|name| file(name, bytes));
    let prefix = paths[0].with_file_name("trace");
    match Guest::make(&format!("chakra:{}", prefix.display()), &CONTEXT) {
        Err(error) => check_error(&error, None),
        Ok(guest) => check_guest(&guest),
    }
}

fn small(spec: &str) -> Topology {
    Topology::inline(spec, &CONTEXT).unwrap_or_else(|e| panic!("{spec}: {e}"))
}

fn order(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let text = Text::new("order.txt", text);
    for spec in ["torus:4x4", "torus:4x4,limit=10,exclude=2-3", "mesh:300"] {
        let machine = small(spec);
        match NodeOrder::read(&machine, &text) {
            Err(error) => check_error(&error, Some(&text)),
            Ok(order) => {
                check_order(&machine, &order);
                let again = Text::new("again", order.to_file(&machine));
                assert_eq!(
                    NodeOrder::read(&machine, &again).unwrap().nodes(),
                    order.nodes()
                );
            }
        }
    }
}

fn log(bytes: &[u8]) {
    let lossy = String::from_utf8_lossy(bytes);
    let text = Text::new("jobs.log", &*lossy);
    let (mut log, mut block) = (Log::new("jobs.log", bytes), Block::default());
    let (mut placed, mut freed, mut broken) = (0u64, 0u64, false);
    let mut live = BTreeSet::new();
    loop {
        let more = log.next_block(7, &mut block);
        for (i, event) in block.events.iter().enumerate() {
            match event {
                Event::Place { job, nodes } => {
                    let name = block.name_of_event(i);
                    assert!(*nodes > 0 && !name.is_empty() && !name.contains([' ', '\t', '#']));
                    assert!(live.insert(*job), "a live job's key again");
                    placed += 1;
                }
                Event::Down | Event::Up => assert!(!block.name_of_event(i).is_empty()),
                Event::Free { job } => {
                    assert!(live.remove(job), "a key that is not live");
                    freed += 1;
                }
            }
        }
        match more {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                check_error(&error, Some(&text));
                broken = true;
                break;
            }
        }
    }
    if !broken {
        assert_eq!(log.live_jobs(), live.len());
        let survey = survey::survey_log(Log::new("jobs.log", bytes)).unwrap();
        assert_eq!((survey.placements, survey.frees), (placed, freed));
    }
}

fn swf(bytes: &[u8]) {
    let lossy = String::from_utf8_lossy(bytes);
    let text = Text::new("jobs.swf", &*lossy);
    let per_node = bytes.first().map_or(1, |b| u32::from(*b) % 7 + 1);
    let options = Options {
        procs_per_node: per_node,
        ..Options::default()
    };
    let trace = match Trace::new("jobs.swf", bytes, &options) {
        Err(error) => return check_error(&error, Some(&text)),
        Ok(trace) => trace,
    };
    let mut ids = BTreeSet::new();
    for job in trace.jobs() {
        assert!(job.run >= 1 && job.requested_time >= job.run && job.processors >= 1);
        assert_eq!(job.nodes, job.processors.div_ceil(per_node));
        assert!(job.end_time() > job.start_time() && job.start_time() >= job.submit);
        assert!(ids.insert(job.id), "job {} twice", job.id);
    }
    assert_eq!(trace.by_submit().len(), trace.jobs().len());
    let header = trace.header();
    for label in ["UnixStartTime", "MaxJobs"] {
        let outcome = header.leading_integer(label, "jobs.swf").err();
        outcome
            .iter()
            .for_each(|error| check_error(error, Some(&text)));
    }
    let log = Log::new("log", convert::write_log(&trace, false));
    if trace.jobs().is_empty() {
        return check_error(&survey::survey_log(log).unwrap_err(), None);
    }
    let survey = survey::survey_log(log).unwrap();
    assert_eq!(survey.placements, trace.jobs().len() as u64);
    assert_eq!(survey.frees, survey.placements);
    for weight in [Weight::Jobs, Weight::NodeHours] {
        check_shares(&Sizes::from_trace(&trace, weight));
    }
    let tasks: Vec<Task> = Task::from_trace(&trace)
        .into_iter()
        .filter(|t| t.nodes <= 16)
        .take(12)
        .collect();
    schedule(&tasks, "easy", "fixed");
    schedule(&tasks, "conservative", "distance");
}

/// Records of every format: by their content, and each as the format that it is least like.
fn records(bytes: &[u8]) {
    let lossy = String::from_utf8_lossy(bytes);
    let text = Text::new("records", &*lossy);
    let lines = || Lines::new("records", bytes).with_memory(CONTEXT.memory);
    let forms = [
        &records::SACCT,
        &records::SACCT_JSON,
        &records::JOBCOMP,
        &records::SQUEUE,
        &records::PODS,
        &records::CSV,
        &records::PLACEMENTS,
        &records::BATSIM,
        &records::PHILLY,
        &records::PBS,
        &records::TORQUE,
        &records::COBALT,
    ];
    let own = match detect_kind(&mut lines()) {
        Ok(WorkloadKind::Records(form)) => Some(form),
        _ => None,
    };
    let other = forms[bytes.len() % forms.len()];
    for form in own.into_iter().chain([other]) {
        if let Err(error) = read_records(lines(), form) {
            check_error(&error, Some(&text));
        }
        let options = Options {
            memory: CONTEXT.memory,
            ..Options::default()
        };
        match Records::from_lines(lines(), form, None)
            .and_then(|records| records.read_trace(&options))
        {
            Err(error) => check_error(&error, Some(&text)),
            Ok(trace) => {
                let ids: BTreeSet<i64> = trace.jobs().iter().map(|job| job.id).collect();
                assert_eq!(ids.len(), trace.jobs().len());
                assert!(
                    trace
                        .jobs()
                        .iter()
                        .all(|j| j.nodes >= 1 && j.run >= 1 && j.requested_time >= j.run)
                );
                assert!(
                    trace
                        .jobs()
                        .iter()
                        .all(|j| j.end_time() > j.start_time() && j.start_time() >= j.submit)
                );
                if !trace.jobs().is_empty() {
                    let again =
                        Trace::new("again", convert::write_swf(&trace), &Options::default())
                            .unwrap();
                    assert_eq!(again.jobs().len(), trace.jobs().len());
                }
            }
        }
        let machine = small("torus:4x4");
        let order = NodeOrder::make(&machine, "snake").unwrap();
        let (orders, allocators) = ([order], ["fifo:0".to_string()]);
        let settings = AuditSettings {
            orders: &orders,
            allocators: &allocators,
            shape: true,
            guest: Some("ring"),
        };
        let Ok(mut records) = Records::from_lines(lines(), form, None) else {
            continue;
        };
        match audit::<Error>(&machine, &mut records, settings, |scored| {
            assert!(
                scored.score.size >= 1 && scored.score.mean_hops.is_none_or(|hops| hops <= 4.0)
            );
            Ok(())
        }) {
            Err(error) => check_error(&error, Some(&text)),
            Ok(found) => assert!(found.placements[0].all.jobs >= found.placements[1].all.jobs),
        }
    }
}

/// The states of nodes beside a queue of two jobs: each level counts every node once.
fn sinfo(bytes: &[u8]) {
    let text = Text::new("nodes", String::from_utf8_lossy(bytes));
    let job = |id: u32, nodes: &str| {
        format!(
            "{{\"job_id\":{id},\"job_state\":[\"RUNNING\"],\"submit_time\":1,\"start_time\":2,\"end_time\":9,\"time_limit\":5,\"node_count\":2,\"nodes\":\"{nodes}\"}}"
        )
    };
    let queue = format!(
        "{{\"jobs\":[{},{}]}}",
        job(1, "n[00-01]"),
        job(2, "n[09-10]")
    );
    let mut records =
        Records::from_lines(Lines::new("jobs", queue), &records::SQUEUE, None).unwrap();
    let machine = small("torus:4x4");
    match Snapshot::new(&machine, &mut records, Some(&text)) {
        Err(error) => check_error(&error, Some(&text)),
        Ok(snapshot) => {
            let nodes = records::read_node_states(&text).unwrap();
            assert!(!nodes.is_empty() && snapshot.whole_machine().nodes == 16);
            for level in &snapshot.levels {
                assert!(
                    level
                        .units
                        .iter()
                        .all(|unit| unit.free + unit.out <= unit.nodes)
                );
                let sum = |of: fn(&nodeorder_jobs::audit::snapshot::UnitState) -> u32| -> u32 {
                    level.units.iter().map(of).sum()
                };
                let all = snapshot.whole_machine();
                assert_eq!(
                    (sum(|u| u.nodes), sum(|u| u.free), sum(|u| u.out)),
                    (16, all.free, all.out)
                );
            }
            assert!(
                snapshot
                    .notes
                    .iter()
                    .all(|note| note.count > 0 && note.first.len() < 5000)
            );
        }
    }
}

/// Reads records, and what is written of them again: the same jobs.
fn read_records(lines: Lines, form: &RecordFormat) -> Result<(), Error> {
    let mut records = Records::from_lines(lines, form, None)?;
    let mut record = Record::default();
    while records.read_next(&mut record)? {
        assert!(record.run.is_none_or(|run| run >= 0));
        let plain = |text: &str| {
            !text.contains(['#', '"', '\n', '\r']) && text.trim() == text && !text.is_empty()
        };
        if plain(&record.job)
            && plain(&record.hosts)
            && !record.hosts.starts_with('[')
            && record.start >= Some(0)
        {
            let times = [record.submit, record.start, record.end_time()]
                .map(|t| t.map_or(String::new(), |t| t.to_string()));
            let row = format!(
                "\"{}\",{},,{},\"{}\"",
                record.job,
                times.join(","),
                record.nodes,
                record.hosts
            );
            let text = format!("{}\n{row}\n", placements::HEADER);
            if record.submit.is_none_or(|submit| submit >= 0)
                && record
                    .end_time()
                    .is_none_or(|end| end < 1_000_000_000_000_000)
            {
                let mut again =
                    Records::from_lines(Lines::new("again", text), &records::PLACEMENTS, None)?;
                let mut read = Record::default();
                assert!(again.read_next(&mut read)?, "{row}");
                assert_eq!(
                    (read.nodes, read.start, read.run),
                    (record.nodes, record.start, record.run),
                    "{row}"
                );
            }
        }
    }
    Ok(())
}

/// Tasks on sixteen nodes. The clock of policies that poll is left out: they pass every few seconds of a trace.
fn schedule(tasks: &[Task], policy: &str, model: &str) {
    let machine = small("torus:4x4");
    let order = NodeOrder::make(&machine, "snake").unwrap();
    let distances = RankDistances::new(&machine, &order).unwrap();
    let context = AllocatorContext {
        topology: &machine,
        order: &order,
        distances: &distances,
    };
    let settings = Settings {
        policy,
        allocator: "fifo:0",
        model,
        metrics: false,
        figures: FigureSet::default(),
        timeline: false,
        rules: None,
    };
    match simulate(&context, tasks, &settings, &|_| ()) {
        Err(error) => check_error(&error, None),
        Ok(outcome) => {
            assert_eq!(outcome.records.len(), tasks.len());
            assert!(outcome.records.iter().all(|r| r.end > r.start));
        }
    }
}

fn check_shares(sizes: &Sizes) {
    for most in [2, 16, 70_000, u32::MAX] {
        if sizes.name() == "log-uniform" && most > 70_000 {
            continue;
        }
        match sizes.shares_up_to(most) {
            Err(error) => check_error(&error, None),
            Ok(shares) => {
                assert!(!shares.is_empty() && shares.is_sorted_by(|a, b| a.0 < b.0));
                assert!(shares.iter().all(|(size, share)| (2..=most).contains(size)
                    && share.is_finite()
                    && *share >= 0.0));
                let sum: f64 = shares.iter().map(|(_, share)| share).sum();
                assert!((sum - 1.0).abs() < 1e-9, "shares add up to {sum}");
            }
        }
    }
    assert!(sizes.mean_size().is_none_or(|mean| mean >= 1.0));
}

fn plan(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    if reaches_out(text) {
        return;
    }
    file("jobs.log", b"P a 3\nP b 2\nF a\n");
    file(
        "jobs.swf",
        b"; MaxProcs: 16\n1 0 -1 10 4 -1 -1 4 20 -1 1 1 1 1 1 1 -1 -1\n",
    );
    let text = Text::new("plan.toml", text);
    match Plan::read(&text, Some(&folder().join("plan.toml")), &CONTEXT) {
        Err(error) => check_error(&error, Some(&text)),
        Ok(plan) => {
            assert!(!plan.cells().is_empty() && !plan.lists.hash.is_empty());
            assert!(!plan.lists.topologies.is_empty() && !plan.lists.orderings.is_empty());
        }
    }
}

/// The first byte chooses the format.
fn guest(bytes: &[u8]) {
    let Some((choice, rest)) = bytes.split_first() else {
        return;
    };
    let Ok(text) = std::str::from_utf8(rest) else {
        return;
    };
    let formats = ["csv", "mtx", "grf", "mat"];
    let text = Text::new("traffic", text);
    match Guest::read_format(
        &text,
        formats[usize::from(*choice) % formats.len()],
        &CONTEXT,
    ) {
        Err(error) => check_error(&error, Some(&text)),
        Ok(guest) => check_guest(&guest),
    }
}

/// Jobs side by side on a small machine.
fn jobs(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    if reaches_out(text) {
        return;
    }
    let machine = small("torus:4x4");
    let text = Text::new("jobs.toml", text);
    match Job::read_all(&machine, &text, Some(&folder().join("jobs.toml"))) {
        Err(error) => check_error(&error, Some(&text)),
        Ok(jobs) => {
            assert!(!jobs.is_empty());
            for job in jobs {
                assert!((0.0..=1.0).contains(&job.spread) && !job.phases.is_empty());
                for phase in &job.phases {
                    check_guest(&phase.guest);
                    assert!(phase.guest.processes() as usize <= job.mapping.nodes().len());
                    assert!(phase.bytes.is_finite() && phase.bytes >= 0.0);
                    assert!(phase.compute.is_finite() && phase.compute >= 0.0);
                }
            }
        }
    }
}

fn check_guest(guest: &Guest) {
    assert!(
        guest.processes() > 0
            && guest.processes() <= nodeorder_traffic::mapping::guest::MAX_PROCESSES
    );
    if let Traffic::Messages(messages) = guest.traffic() {
        assert!(messages.is_sorted_by(|a, b| (a.source, a.target) < (b.source, b.target)));
        for m in messages {
            assert!(m.source != m.target && m.source.max(m.target) < guest.processes());
            assert!(
                m.volume > 0.0 && m.volume.is_finite(),
                "volume {}",
                m.volume
            );
        }
    }
}

/// Names of nodes, shares of sizes, mappings: the first byte chooses.
fn tables(bytes: &[u8]) {
    let Some((choice, rest)) = bytes.split_first() else {
        return;
    };
    let lossy = String::from_utf8_lossy(rest);
    match choice % 3 {
        0 => {
            let path = file("names.csv", rest);
            let text = Text::new("names.csv", &*lossy);
            for spec in [
                "mesh:4x3",
                "random-regular:n=12,d=3",
                "mesh:4x3,limit=9,exclude=2",
            ] {
                let spec = format!("{spec},names={}", path.display());
                match Topology::inline(&spec, &CONTEXT) {
                    Err(error) => check_error(&error, Some(&text)),
                    Ok(machine) => {
                        check_topology(&machine);
                        for method in ["snake", "hilbert"] {
                            match NodeOrder::make(&machine, method) {
                                Ok(order) => check_order(&machine, &order),
                                Err(error) => check_error(&error, None),
                            }
                        }
                    }
                }
            }
        }
        1 => {
            let text = Text::new("sizes.csv", &*lossy);
            match Sizes::from_lines(
                Lines::new("sizes.csv", rest),
                Weight::Jobs,
                &Options::default(),
            ) {
                Err(error) => check_error(&error, Some(&text)),
                Ok(sizes) => check_shares(&sizes),
            }
        }
        _ => {
            let text = Text::new("mapping.csv", &*lossy);
            let machine = small("torus:4x4,limit=12");
            let guest = Guest::make("ring:n=3", &CONTEXT).unwrap();
            match ProcessMapping::read(&machine, &guest, &text) {
                Err(error) => check_error(&error, Some(&text)),
                Ok(placement) => {
                    assert_eq!(placement.nodes().len(), 3);
                    assert!(
                        placement
                            .nodes()
                            .iter()
                            .all(|n| machine.nodes().contains(*n))
                    );
                }
            }
        }
    }
}

/// Orderings, allocators, policies, models, workloads, guests, mapping methods: whoever knows the name takes it.
fn specs(bytes: &[u8]) {
    let Ok(spec) = std::str::from_utf8(bytes) else {
        return;
    };
    if reaches_out(spec) || spec.len() > 400 {
        return;
    }
    // One share a size: a quarter of a gigabyte at most, which is not small.
    let numbers = spec.split(|c: char| !c.is_ascii_digit());
    if spec.contains("log-uniform")
        && numbers
            .filter_map(|n| n.parse().ok())
            .any(|n: u64| n > 1 << 20)
    {
        return;
    }
    for machine in [
        "torus:4x4",
        "mesh:3x2x3,per_router=2,limit=30",
        "cascade:2x3x2",
    ]
    .map(small)
    {
        match NodeOrder::make_observed(&machine, spec, &StopAtOnce) {
            Ok((order, outcome)) => {
                check_order(&machine, &order);
                if let Some(o) = outcome {
                    assert!(
                        o.lower_bound <= o.objective && (0.0..=1.0).contains(&o.gap),
                        "{spec}"
                    );
                }
            }
            Err(error) => check_error(&error, None),
        }
    }
    allocate(spec);
    let task = |id, submit, nodes| Task {
        id,
        submit,
        run: 7,
        requested: 9,
        nodes,
    };
    let tasks = [task(1, 0, 9), task(2, 1, 9), task(3, 2, 5), task(4, 2, 16)];
    schedule(&tasks, spec, "fixed");
    schedule(&tasks, "fcfs", spec);
    match GeneratedWorkload::generate_workload(spec, 1) {
        Err(error) => check_error(&error, None),
        Ok(workload) => assert!(workload.take(3).all(|piece| piece.ends_with('\n'))),
    }
    match Guest::make(spec, &CONTEXT) {
        Err(error) => check_error(&error, None),
        Ok(guest) => check_guest(&guest),
    }
    let machine = small("torus:4x4");
    let guest = Guest::make("stencil:4x4", &CONTEXT).unwrap();
    let nodes: Vec<NodeId> = (0..16).map(NodeId).collect();
    match method::place(
        &machine,
        &guest,
        &nodes,
        spec,
        &nodeorder_order::ordering::NoObserver,
    ) {
        Err(error) => check_error(&error, None),
        Ok(found) => assert_eq!(found.mapping.distinct_nodes().len(), 16),
    }
    if let Err(error) = Shard::parse(spec) {
        check_error(&error, None);
    }
}

fn allocate(spec: &str) {
    let machine = small("mesh:4x4");
    let order = NodeOrder::make(&machine, "snake").unwrap();
    let distances = RankDistances::new(&machine, &order).unwrap();
    let context = AllocatorContext {
        topology: &machine,
        order: &order,
        distances: &distances,
    };
    let mut allocator = match allocator::make(spec, &context) {
        Err(error) => return check_error(&error, None),
        Ok(allocator) => allocator,
    };
    let mut free = FreeSet::new(16);
    free.take_run(Run { first: 3, count: 2 });
    free.take_run(Run { first: 9, count: 1 });
    for count in [1, 4, 13] {
        let mut chosen = Ranks::default();
        if !allocator
            .choose_ranks(&free, count, &mut chosen)
            .is_placed()
        {
            assert!(allocator.may_refuse(), "{spec} refuses");
            continue;
        }
        chosen.sort_and_join();
        assert_eq!(chosen.len(), count, "{spec} of {count}");
        assert!(
            chosen.iter().all(|rank| free.is_free(rank)),
            "{spec} takes what is taken"
        );
    }
}

/// Shards, journals and tables of sweeps.
fn results(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let plan = Text::new(
        "p",
        "topologies = ['mesh:3']\norderings = ['snake']\nseeds = [1, 2, 3]\n",
    );
    let plan = Plan::read(&plan, None, &CONTEXT).unwrap();
    for head in ["", Journal::HEAD] {
        let journal = [head.as_bytes(), bytes].concat();
        match Journal::new(&plan).recover_rows("sweep.journal", &journal) {
            Err(error) => check_error(&error, Some(&Text::new("sweep.journal", &*text))),
            Ok(kept) => assert!(kept.lines.keys().all(|cell| *cell < plan.cells().len())),
        }
    }
    // A checksum that no mutation would ever find.
    let end = format!("# end {}\n", checksum(text.as_bytes()));
    for whole in [text.to_string(), text.to_string() + &end] {
        let whole = Text::new("shard.csv", whole);
        match ShardFile::read(&whole) {
            Err(error) => check_error(&error, Some(&whole)),
            Ok(part) => {
                let of = part.shard.of;
                match merge_shards(&[("shard.csv".into(), part)], "folder") {
                    Err(error) => check_error(&error, None),
                    Ok(_) => assert_eq!(of, 1),
                }
            }
        }
    }
    let table = Text::new("results.csv", &*text);
    let manifest = serde_json::from_str(&text).unwrap_or_default();
    match report::sweep::files(&table, &manifest) {
        Err(Error::Draw { .. }) => {}
        Err(error) => check_error(&error, Some(&table)),
        Ok(files) => assert!(files[0].0 == "index.html" && files[0].1.contains("</html>")),
    }
}
