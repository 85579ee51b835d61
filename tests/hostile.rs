//! Hostile input: the seeds of every parser, mutated; what fuzzing found before; numbers beyond every range. The same
//! drivers are fuzzed at length with cargo-fuzz (CONTRIBUTING.md).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use nodeorder_base::random::{random_below, seed_generator};
use nodeorder_base::{Error, Lines, NodeId};
use nodeorder_network::{Context, Topology};
use nodeorder_order::NodeOrder;
use nodeorder_trace::open::OpenedLog;
use nodeorder_trace::{Log, Options, Sizes, Trace, Weight, survey};

mod drivers;

use drivers::{CONTEXT, DRIVERS, Driver};

fn data() -> PathBuf {
    crate::root().join("tests/data/hostile")
}

/// The files of a folder in the order of their names.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
        .into_iter()
        .map(|path| (path.clone(), std::fs::read(&path).unwrap()))
        .collect()
}

/// The words of a libFuzzer dictionary: `"…"` a line, `\xNN` for bytes.
fn words(name: &str) -> Vec<Vec<u8>> {
    let text = std::fs::read_to_string(data().join(format!("{name}.dict"))).unwrap();
    let word = |line: &str| {
        let line = line.strip_prefix('"').unwrap().strip_suffix('"').unwrap();
        let mut parts = line.split("\\x");
        let mut word = parts.next().unwrap().as_bytes().to_vec();
        for part in parts {
            word.push(u8::from_str_radix(&part[..2], 16).unwrap());
            word.extend(&part.as_bytes()[2..]);
        }
        word
    };
    text.lines().map(word).collect()
}

fn feed(driver: &Driver, bytes: &[u8], from: &Path) {
    if catch_unwind(AssertUnwindSafe(|| (driver.feed)(bytes))).is_err() {
        panic!(
            "{} fails on `{}`, made of {}",
            driver.name,
            bytes.escape_ascii(),
            from.display()
        );
    }
}

/// Flips, cuts, splices, doubled and swapped lines, words of the dictionary and numbers in the place of others.
fn mutate(seed: &[u8], other: &[u8], words: &[Vec<u8>], random: &mut rand_pcg::Pcg64) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=random_below(4, random) {
        let at = random_below(bytes.len() as u64 + 1, random) as usize;
        let word = &words[random_below(words.len() as u64, random) as usize];
        match random_below(8, random) {
            0 => bytes.truncate(at),
            1 if at < bytes.len() => bytes[at] ^= 1 << random_below(8, random),
            2 => drop(bytes.splice(at..at, word.iter().copied())),
            3 => {
                let cut = random_below(other.len() as u64 + 1, random) as usize;
                bytes.truncate(at);
                bytes.extend(&other[cut..]);
            }
            4 => {
                let end = (at + random_below(9, random) as usize).min(bytes.len());
                bytes.drain(at..end);
            }
            5 => {
                // A number, wherever the next one stands, becomes a word.
                let digit = |b: &u8| b.is_ascii_digit();
                let Some(first) = bytes[at..].iter().position(digit).map(|i| at + i) else {
                    continue;
                };
                let length = bytes[first..].iter().take_while(|b| digit(b)).count();
                bytes.splice(first..first + length, word.iter().copied());
            }
            6 => {
                let mut lines: Vec<&[u8]> = bytes.split_inclusive(|b| *b == b'\n').collect();
                if !lines.is_empty() {
                    let (a, b) = (
                        random_below(lines.len() as u64, random),
                        random_below(lines.len() as u64, random),
                    );
                    match random_below(3, random) {
                        0 => lines.swap(a as usize, b as usize),
                        1 => lines.insert(a as usize, lines[b as usize]),
                        _ => drop(lines.remove(a as usize)),
                    }
                }
                bytes = lines.concat();
            }
            _ => bytes.insert(at, random_below(256, random) as u8),
        }
    }
    bytes
}

/// Texts put in the place of every number, one after the other.
const EXTREMES: [&str; 12] = [
    "0",
    "-1",
    "65537",
    "16777217",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "99999999999999999999999999999999999999999",
    "1e308",
];

/// Where the numbers of a text stand.
fn numbers(bytes: &[u8]) -> Vec<(usize, usize)> {
    let digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
    let starts = (0..bytes.len()).filter(|i| digit(*i) && (*i == 0 || !digit(i - 1)));
    starts
        .map(|i| (i, (i..).find(|j| !digit(*j)).unwrap_or(bytes.len())))
        .collect()
}

/// Every seed and former finding as it is, every number beyond its range, and `count` mutations.
fn hold(name: &str, count: usize) {
    let driver = DRIVERS.iter().find(|driver| driver.name == name).unwrap();
    let seeds = files(&data().join(name));
    assert!(!seeds.is_empty(), "no seeds of {name}");
    let found = files(&data().join("found").join(name));
    for (path, bytes) in seeds.iter().chain(&found) {
        feed(driver, bytes, path);
    }
    for (path, bytes) in &seeds {
        for (start, end) in numbers(bytes).into_iter().take(12) {
            for extreme in EXTREMES {
                let changed = [&bytes[..start], extreme.as_bytes(), &bytes[end..]].concat();
                feed(driver, &changed, path);
            }
        }
    }
    let (words, mut random) = (words(name), seed_generator(1));
    for i in 0..count {
        let (path, bytes) = &seeds[i % seeds.len()];
        let (_, other) = &seeds[random_below(seeds.len() as u64, &mut random) as usize];
        feed(driver, &mutate(bytes, other, &words, &mut random), path);
    }
}

macro_rules! hold {
    ($($test:ident $name:literal $count:literal,)*) => {
        $(#[test] fn $test() { hold($name, $count); })*

        #[test]
        fn every_driver_has_a_test_and_a_fuzz_target() {
            let held = [$($name),*];
            let fuzz = crate::root().join("fuzz");
            for driver in DRIVERS {
                assert!(held.contains(&driver.name), "{}", driver.name);
                if fuzz.exists() {
                    assert!(fuzz.join(format!("fuzz_targets/{}.rs", driver.name)).exists());
                    let manifest = std::fs::read_to_string(fuzz.join("Cargo.toml")).unwrap();
                    assert!(manifest.contains(&format!("name = \"{}\"", driver.name)));
                }
            }
            assert_eq!(held.len(), DRIVERS.len());
        }
    };
}

hold! {
    topologies_hold "topology" 1500,
    machine_files_hold "toml" 1500,
    edge_lists_hold "edges" 1000,
    matrices_hold "matrix" 1000,
    ordering_files_hold "order" 700,
    placement_logs_hold "log" 1500,
    traces_hold "swf" 700,
    records_hold "records" 1200,
    node_states_hold "sinfo" 900,
    plans_hold "plan" 400,
    guests_hold "guest" 1500,
    jobs_hold "jobs" 1500,
    slurm_topologies_hold "slurm-topology" 1000,
    fabrics_hold "ibnetdiscover" 1000,
    links_of_fabrics_hold "iblinkinfo" 1000,
    targets_hold "tgt" 1000,
    adjacency_files_hold "caminos" 1000,
    graphml_holds "graphml" 1000,
    infrastructures_hold "infragraph" 1000,
    platforms_hold "simgrid" 1000,
    topology_files_hold "ns3" 1000,
    goal_schedules_hold "goal" 700,
    chakra_traces_hold "chakra" 700,
    yaml_topologies_hold "slurm-yaml" 1000,
    tiers_hold "tiers" 1000,
    kubernetes_nodes_hold "k8s-nodes" 1000,
    topograph_holds "topograph" 1000,
    resource_graphs_hold "jgf" 1000,
    cray_processors_hold "xtdb2proc" 1000,
    tables_hold "tables" 700,
    specifications_hold "specs" 700,
    results_hold "results" 500,
}

/// Each reader of jobs, in the 200 MB that a small run has.
#[test]
fn a_thousand_mutated_files_of_each_trace_format_end_in_an_answer_or_an_error() {
    const MEMORY: u64 = 200_000_000;
    let options = Options {
        memory: MEMORY,
        ..Options::default()
    };
    for name in ["records", "swf", "log"] {
        let seeds = files(&data().join(name));
        let (words, mut random) = (words(name), seed_generator(2));
        for (path, bytes) in &seeds {
            for _ in 0..1000 {
                let (_, other) = &seeds[random_below(seeds.len() as u64, &mut random) as usize];
                let text = mutate(bytes, other, &words, &mut random);
                let read = || {
                    let lines = Lines::new("t", text.as_slice()).with_memory(MEMORY);
                    let opened = OpenedLog::from_lines(lines, None, &options)?;
                    survey::survey_log(opened.log).map(drop)
                };
                match catch_unwind(AssertUnwindSafe(read)) {
                    Ok(Ok(())) => {}
                    Ok(Err(error)) => assert!(!error.to_string().is_empty()),
                    Err(_) => panic!("`{}`, made of {}", text.escape_ascii(), path.display()),
                }
            }
        }
    }
}

/// 2³¹ nodes are the most: such machines are described without being built.
#[test]
fn the_largest_machines_are_counted_right() {
    for spec in [
        "torus:2147483648",
        "mesh:1048576x2048",
        "grid:32768x65536,wrap=01",
        "torus:2048,per_router=1048576",
        "hyperx:2x1073741824",
        "cascade:2048x1024x1024",
        "cascade:2048x1024x1024,global=single",
        "fat-tree:k=2048",
        "xgft:h=2,m=32768x65536,w=1x1",
    ] {
        let machine = Topology::inline(spec, &CONTEXT).unwrap_or_else(|e| panic!("{spec}: {e}"));
        assert_eq!(machine.node_count(), 1 << 31, "{spec}");
        let last = NodeId((1u32 << 31) - 1);
        assert!(machine.distance(NodeId(0), last) <= u32::MAX / 2, "{spec}");
        assert_eq!(machine.node_name(last), "n2147483647");
        assert!(
            matches!(
                NodeOrder::make(&machine, "row-major"),
                Err(Error::Memory { .. })
            ),
            "{spec}"
        );
        let part = Topology::inline(&format!("{spec},limit=3"), &CONTEXT).unwrap();
        assert_eq!(
            NodeOrder::make(&part, "row-major")
                .map(|order| order.len())
                .unwrap_or(3),
            3
        );
    }
}

/// One more than the most, products that overflow, machines whose graph nobody could hold: each is refused for what is
/// wrong with it. The counts follow from the definitions of the networks.
#[test]
fn machines_beyond_the_limit_are_refused_before_anything_is_allocated() {
    let extent = "expected extents from 1 to 2147483648";
    let nodes = "nodes; expected 1 to 2147483648 nodes";
    for (spec, found, expected) in [
        ("torus:2147483649", "dims[0] = 2147483649", extent),
        ("torus:65536x65536", "a machine of 4294967296", nodes),
        (
            "torus:99999999999999999999x2",
            "dims[0] = 99999999999999999999",
            extent,
        ),
        (
            "mesh:2147483648x2147483648x2147483648x2147483648x2147483648",
            "a machine of",
            nodes,
        ),
        (
            "torus:2147483648,per_router=2",
            "a machine of 4294967296",
            nodes,
        ),
        (
            "torus:2,per_router=4294967295",
            "per_router = `4294967295`",
            "from 1 to 1048576",
        ),
        (
            "torus:4x4,limit=18446744073709551616",
            "limit = `18446744073709551616`",
            "from 1 to 2147483648",
        ),
        (
            "torus:4x4,exclude=0-4294967295",
            "exclude `0-4294967295`",
            "within 0-15",
        ),
        // A bit for each node.
        (
            "torus:2147483648,exclude=0",
            "which nodes are excluded",
            "about 268.4 MB, more than",
        ),
        (
            "hyperx:4294967295x4294967295",
            "dims[0] = 4294967295",
            extent,
        ),
        (
            "cascade:65536x65536x65536",
            "a machine of 281474976710656",
            nodes,
        ),
        (
            "cascade:1048576x1048576x1048576,per_router=1048576",
            "a machine of",
            nodes,
        ),
        (
            "dragonfly:p=1048576,a=1048576,h=1048576",
            "a machine of",
            nodes,
        ),
        (
            "dragonfly:p=1,a=1048576,h=1048576,g=1048577",
            "a machine of 1099512676352",
            nodes,
        ),
        // g · h / 2 links between g groups of one router.
        (
            "dragonfly:p=1,a=1,h=1048576,g=1048577",
            "1048577 routers and 549756338176 links",
            "30.8 TB, more than",
        ),
        // k³ / 4.
        (
            "fat-tree:k=1048576",
            "a machine of 288230376151711744",
            nodes,
        ),
        ("fat-tree:k=1048576,n=32", "a machine of", nodes),
        (
            "xgft:h=3,m=65536x65536x65536,w=1x1x1",
            "a machine of 281474976710656",
            nodes,
        ),
        // 1 + 65536 + 65536².
        (
            "xgft:h=3,m=1x1x1,w=1x65536x65536",
            "a tree of 4295032833 switches",
            "1 to 2147483648 switches",
        ),
        ("xgft:h=32,m=2,w=1", "m = `2`", "expected 32 numbers"),
        (
            "slim-fly:q=1073741824",
            "a machine of 2305843009213693952",
            nodes,
        ),
        // 2q² routers with 3q/2 links each.
        (
            "slim-fly:q=32768",
            "2147483648 routers and 52776558133248 links",
            "TB, more than",
        ),
        // n · k / 2.
        (
            "watts-strogatz:n=2147483648,k=2147483646,p=0.5",
            "2305843007066210304 links",
            "TB, more than",
        ),
        (
            "random-regular:n=2147483648,d=2147483646",
            "2305843007066210304 links",
            "TB, more than",
        ),
        // From a tree to all n(n-1)/2 pairs.
        (
            "gnm:n=2147483648,m=18446744073709551615",
            "m = `18446744073709551615`",
            "from 2147483647 to 2305843008139952128",
        ),
        (
            "gnm:n=4294967295,m=4294967295",
            "n = `4294967295`",
            "from 1 to 2147483648",
        ),
    ] {
        let Err(error) = Topology::inline(spec, &CONTEXT) else {
            panic!("{spec} was accepted");
        };
        let error = error.to_string();
        assert!(
            error.contains(found) && error.contains(expected),
            "{spec}: {error}"
        );
    }
}

/// Ten million nodes, in the memory that such a run takes.
#[test]
fn ten_million_nodes_are_ordered() {
    let context = Context {
        seed: 1,
        memory: 500_000_000,
        objective: None,
    };
    let machine = Topology::inline("torus:250x200x200", &context).unwrap();
    let statistics = machine.statistics().unwrap();
    assert_eq!((statistics.nodes, statistics.diameter), (10_000_000, 325));
    // Half the even extents, a quarter each: 62.5 + 50 + 50, over all pairs of distinct nodes.
    let pairs = 10_000_000f64 / 9_999_999f64;
    assert!((statistics.mean_distance - 162.5 * pairs).abs() < 1e-9);
    let order = NodeOrder::make(&machine, "snake").unwrap();
    assert_eq!(
        (order.len(), order.nodes()[199], order.nodes()[200]),
        (10_000_000, NodeId(199), NodeId(399))
    );
}

/// Sums of sizes and times at the ends of their ranges.
#[test]
fn sums_of_the_largest_sizes_do_not_overflow() {
    let most = u32::MAX;
    let log: String = (0..40).map(|i| format!("P {i} {most}\n")).collect();
    let survey = survey::survey_log(Log::new("log", log)).unwrap();
    assert_eq!(survey.most_nodes, 40 * u64::from(most));
    let table = format!("2,{0}\n3,{0}\n{most},{0}\n", u64::MAX);
    let lines = Lines::new("sizes", table);
    let sizes = Sizes::from_lines(lines, Weight::Jobs, &Options::default()).unwrap();
    assert_eq!(sizes.shares_up_to(most).unwrap().len(), 3);
    assert_eq!(sizes.shares_up_to(3).unwrap(), [(2, 0.5), (3, 0.5)]);
    assert!(sizes.mean_size().unwrap() > 1e9);
    let time = 1_000_000_000_000_000i64;
    let line = |id: i32| {
        format!("{id} {time} {time} {time} {most} 0 0 {most} {time} 0 1 1 1 1 1 1 -1 -1\n")
    };
    let trace = Trace::new("swf", line(1) + &line(2), &Options::default()).unwrap();
    assert_eq!(trace.time_span(), Some((time, 3 * time)));
    let weighed = Sizes::from_trace(&trace, Weight::NodeHours);
    assert_eq!(weighed.shares_up_to(most).unwrap(), [(most, 1.0)]);
    let over = line(1).replacen(&time.to_string(), &(time + 1).to_string(), 1);
    let error = Trace::new("swf", over, &Options::default())
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("swf:1: found submit time (field 2) `1000000000000001`"),
        "{error}"
    );
}

/// No unsafe code, in any file of the crate.
#[test]
fn both_crates_forbid_unsafe_code() {
    let root = crate::root().join("src");
    for file in ["lib.rs", "cli/main.rs"] {
        let text = std::fs::read_to_string(root.join(file)).unwrap();
        assert!(text.contains("#![forbid(unsafe_code)]"), "{file}");
    }
}
