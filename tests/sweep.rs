//! Sweeps: the same bytes however they were run, nothing lost by a kill, nothing overwritten by mistake.

use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use nodeorder_base::random;

const PLAN: &str = "\
name = 'small'
topologies = ['torus:6x5x4', 'fat-tree:k=6', 'ring.toml']
orderings = ['hilbert', 'random', 'row-major', 'mine.txt']
allocators = ['fifo:0', 'first-fit:8', 'span-best-fit', 'random']
logs = ['jobs.log', 'more.log.gz']
traces = ['small.swf']
guests = ['ring:n=16', 'pairs.csv']
routings = ['ecmp-hop', 'dimension-order']
seeds = [1, 2]
procs_per_node = [1, 4]
";
/// Topologies × seeds × orderings × ((2 logs + 2 × 1 trace) × allocators + guests × routings).
const CELLS: usize = 3 * 2 * 4 * (4 * 4 + 2 * 2);

pub fn nodeorder(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = crate::command();
    command
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null());
    command
}

pub fn run(folder: &Path, arguments: &[&str]) -> Output {
    nodeorder(folder, arguments).output().unwrap()
}

pub fn done(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{}: {stderr}", arguments.join(" "));
    stderr
}

pub fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(
        output.status.code(),
        Some(1),
        "{}: {stderr}",
        arguments.join(" ")
    );
    assert!(!stderr.contains("panicked"), "{stderr}");
    stderr
}

/// A folder with the plan and all it names; logs of `placements` jobs.
pub fn folder(placements: u32) -> tempfile::TempDir {
    use std::io::Write;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let workload =
        |seed: u32| format!("nersc:placements={placements},nodes=54,load=0.9,seed={seed}");
    done(
        folder.path(),
        &["trace", "generate", &workload(1), "-o", "jobs.log"],
    );
    done(
        folder.path(),
        &["trace", "generate", &workload(2), "-o", "more.log"],
    );
    let plain = std::fs::read(at("more.log")).unwrap();
    let file = std::fs::File::create(at("more.log.gz")).unwrap();
    let mut encoder = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    encoder.write_all(&plain).unwrap();
    encoder.finish().unwrap();
    let jobs = (1..400).map(|i| {
        format!(
            "{i} {} {} {} {} -1 -1 {} 500 -1 1 1 1 1 1 1 -1 -1\n",
            i * 10,
            i % 7,
            30 + i % 50,
            1 + i % 9,
            1 + i % 9
        )
    });
    std::fs::write(at("small.swf"), jobs.collect::<String>()).unwrap();
    std::fs::write(at("ring.toml"), "kind = 'torus'\ndims = [60]\n").unwrap();
    let mine: String = (0..54).rev().map(|i| format!("{i}\n")).collect();
    std::fs::write(at("mine.txt"), mine).unwrap();
    std::fs::write(
        at("pairs.csv"),
        "source,target,volume\n0,1,5\n1,2,7.5\n2,0,1\n",
    )
    .unwrap();
    std::fs::write(at("plan.toml"), PLAN).unwrap();
    folder
}

pub fn results(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name).join("results.csv")).unwrap()
}

/// One process, any thread count, shards merged: the same table, and its figures are those of the commands.
#[test]
fn every_way_to_run_gives_the_same_bytes() {
    let home = folder(300);
    let folder = home.path();
    done(folder, &["sweep", "run", "plan.toml", "--out", "one"]);
    let one = results(folder, "one");
    assert_eq!(one.lines().count(), 1 + CELLS);
    done(
        folder,
        &[
            "sweep",
            "run",
            "plan.toml",
            "--out",
            "threads",
            "--threads",
            "1",
        ],
    );
    assert_eq!(one, results(folder, "threads"));
    done(
        folder,
        &[
            "sweep",
            "run",
            "plan.toml",
            "--out",
            "threads3",
            "--threads",
            "3",
        ],
    );
    assert_eq!(one, results(folder, "threads3"));
    for of in [1, 3, 7] {
        let out = format!("shards{of}");
        for index in (0..of).rev() {
            done(
                folder,
                &[
                    "sweep",
                    "run",
                    "plan.toml",
                    "--out",
                    &out,
                    "--shard",
                    &format!("{index}/{of}"),
                ],
            );
        }
        done(folder, &["sweep", "merge", &out]);
        assert_eq!(one, results(folder, &out));
    }
    // From elsewhere: paths are relative to the plan.
    let plan = folder.join("plan.toml");
    let elsewhere = tempfile::tempdir().unwrap();
    done(
        elsewhere.path(),
        &["sweep", "run", &plan.display().to_string(), "--out", "x"],
    );
    assert_eq!(one, results(elsewhere.path(), "x"));

    let manifest = std::fs::read_to_string(folder.join("one/manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(
        (&manifest["cells"], &manifest["seeds"]),
        (&CELLS.into(), &serde_json::json!([1, 2]))
    );
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    let mut names: Vec<String> = std::fs::read_dir(folder.join("one"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["manifest.json", "results.csv"]);
    let again = done(folder, &["sweep", "run", "plan.toml", "--out", "one"]);
    assert!(again.contains("complete; nothing to do"), "{again}");
    done(folder, &["sweep", "page", "one"]);
    let page = std::fs::read_to_string(folder.join("one/index.html")).unwrap();
    assert!(page.contains("torus:6x5x4 under jobs.log"));
    check_figures(folder, &one);
    // Compressed, by a merge: the same table under another name.
    std::fs::remove_file(folder.join("shards3/results.csv")).unwrap();
    done(folder, &["sweep", "merge", "shards3", "--gz"]);
    let packed = std::fs::File::open(folder.join("shards3/results.csv.gz")).unwrap();
    let mut text = String::new();
    flate2::read::GzDecoder::new(packed)
        .read_to_string(&mut text)
        .unwrap();
    assert_eq!(text, one);
    assert!(!folder.join("shards3/results.csv").exists());
    let again = done(folder, &["sweep", "merge", "shards3"]);
    assert!(again.contains("merged already; nothing to do"), "{again}");
    done(folder, &["sweep", "page", "shards3"]);
    let page = std::fs::read_to_string(folder.join("shards3/index.html")).unwrap();
    assert!(page.contains("href=\"results.csv.gz\""));
}

/// Rows against `replay` and `map`, run one by one.
fn check_figures(folder: &Path, table: &str) {
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let rows: Vec<std::collections::BTreeMap<String, String>> =
        reader.deserialize().map(|row| row.unwrap()).collect();
    let find = |want: &[(&str, &str)]| {
        let mut found = rows
            .iter()
            .filter(|row| want.iter().all(|(key, value)| row[*key] == *value));
        let row = found.next().unwrap_or_else(|| panic!("{want:?}"));
        assert!(found.next().is_none(), "{want:?}");
        row
    };
    for (topology, ordering, log, seed) in [
        ("torus:6x5x4", "hilbert", "jobs.log", "1"),
        ("torus:6x5x4", "random", "more.log.gz", "2"),
        ("ring.toml", "mine.txt", "jobs.log", "2"),
        ("fat-tree:k=6", "row-major", "more.log.gz", "1"),
    ] {
        let allocators = ["fifo:0", "first-fit:8", "span-best-fit", "random"];
        let mut arguments = vec![
            "replay", topology, "--order", ordering, "--log", log, "--seed", seed,
        ];
        arguments.push("--json");
        arguments.extend(allocators.iter().flat_map(|a| ["--alloc", a]));
        let output = run(folder, &arguments);
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        for (allocator, replay) in allocators
            .iter()
            .zip(document["replays"].as_array().unwrap())
        {
            let row = find(&[
                ("topology", topology),
                ("ordering", ordering),
                ("log", log),
                ("seed", seed),
                ("allocator", allocator),
            ]);
            let same = |ours: &str, theirs: &serde_json::Value, key: &str| {
                // serde_json reads the last digit of a number at its own discretion.
                let near = match (ours.parse::<f64>().ok(), theirs.as_f64()) {
                    (Some(a), Some(b)) => (a - b).abs() <= 1e-14 * b.abs(),
                    (a, b) => a == b,
                };
                assert!(near, "{key} of {arguments:?} {allocator}: {ours}, {theirs}");
            };
            for key in [
                "placed",
                "skipped",
                "mean_mind",
                "mean_components",
                "mean_mind_per_log_size",
            ] {
                same(&row[key], &replay[key], key);
            }
            for key in ["small", "large", "overall"] {
                same(
                    &row[&format!("improvement_{key}")],
                    &replay["improvement"][key],
                    key,
                );
            }
            assert_eq!(row["note"], "");
        }
    }
    for (guest, routing) in [("ring:n=16", "ecmp-hop"), ("pairs.csv", "dimension-order")] {
        let arguments = [
            "map",
            "torus:6x5x4",
            "--order",
            "hilbert",
            "--guest",
            guest,
            "--routing",
            routing,
            "--json",
        ];
        let document: serde_json::Value =
            serde_json::from_slice(&run(folder, &arguments).stdout).unwrap();
        let cell = [
            ("topology", "torus:6x5x4"),
            ("ordering", "hilbert"),
            ("guest", guest),
        ];
        let row = find(&[&cell[..], &[("routing", routing), ("seed", "1")]].concat());
        for key in [
            "dilation_max",
            "dilation_mean",
            "hop_bytes",
            "contention_max",
            "contention_mean",
        ] {
            let (ours, theirs) = (
                row[key].parse::<f64>().unwrap(),
                document[key].as_f64().unwrap(),
            );
            assert!(
                (ours - theirs).abs() <= 1e-14 * theirs.abs(),
                "{key}: {ours}, {theirs}"
            );
        }
    }
    let unsuited = find(&[
        ("topology", "fat-tree:k=6"),
        ("ordering", "hilbert"),
        ("allocator", "fifo:0"),
        ("log", "jobs.log"),
        ("seed", "1"),
    ]);
    assert!(unsuited["note"].contains("no coordinates") && unsuited["mean_mind"].is_empty());
}

/// Traces beside logs: schedules, whose figures are those of the command.
#[test]
fn policies_schedule_the_traces_of_a_plan() {
    let home = folder(50);
    let folder = home.path();
    let plan = "topologies = ['torus:3x3', 'mesh:9']\norderings = ['snake', 'random']\nlogs = ['jobs.log']\n\
                traces = ['small.swf']\nprocs_per_node = [1, 2]\nallocators = ['fifo:0', 'span-best-fit']\n\
                policies = ['fcfs', 'easy', 'window-bnb:interval=0']\n\
                models = ['fixed', 'network:share=0.5,guest=ring']\nseeds = [3]\n";
    std::fs::write(folder.join("both.toml"), plan).unwrap();
    done(folder, &["sweep", "both.toml", "--out", "both"]);
    done(
        folder,
        &[
            "sweep",
            "both.toml",
            "--out",
            "one-thread",
            "--threads",
            "1",
        ],
    );
    let table = results(folder, "both");
    assert_eq!(table, results(folder, "one-thread"));
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let rows: Vec<std::collections::BTreeMap<String, String>> =
        reader.deserialize().map(|row| row.unwrap()).collect();
    assert_eq!(rows.len(), 2 * 2 * (2 + 2 * 2 * 3 * 2));
    let scheduled: Vec<_> = rows
        .iter()
        .filter(|row| row["group"] == "schedule")
        .collect();
    assert_eq!(scheduled.len(), 2 * 2 * 2 * 2 * 3 * 2);
    for row in scheduled.iter().step_by(5) {
        let arguments = [
            "schedule",
            &row["topology"],
            "--order",
            &row["ordering"],
            "--trace",
            "small.swf",
            "--procs-per-node",
            &row["procs_per_node"],
            "--policy",
            &row["policy"],
            "--alloc",
            &row["allocator"],
            "--model",
            &row["model"],
            "--seed",
            "3",
            "--json",
        ];
        let document: serde_json::Value =
            serde_json::from_slice(&run(folder, &arguments).stdout).unwrap();
        for (column, key) in [
            ("jobs", "jobs"),
            ("utilisation", "utilisation"),
            ("mean_wait", "mean_wait"),
            ("max_wait", "max_wait"),
            ("mean_bounded_slowdown", "mean_bounded_slowdown"),
            ("makespan", "makespan"),
            ("contiguous_share", "contiguous_share"),
            ("schedule_mean_mind", "mean_mind"),
            ("mean_stretch", "mean_stretch"),
            ("hours_lost_sharing", "hours_lost_sharing"),
        ] {
            if document[key].is_null() {
                assert!(
                    row[column].is_empty() && row["model"] == "fixed",
                    "{column}: {}",
                    row[column]
                );
                continue;
            }
            let (ours, theirs) = (
                row[column].parse::<f64>().unwrap(),
                document[key].as_f64().unwrap(),
            );
            assert!(
                (ours - theirs).abs() <= 1e-14 * theirs.abs(),
                "{column}: {ours}, {theirs}"
            );
        }
        let left_out: u64 = document["left_out"]
            .as_object()
            .unwrap()
            .values()
            .map(|count| count.as_u64().unwrap())
            .sum();
        assert_eq!(row["left_out"], left_out.to_string());
    }
    done(folder, &["sweep", "page", "both"]);
    let page = std::fs::read_to_string(folder.join("both/index.html")).unwrap();
    assert!(page.contains("small.swf on torus:3x3, 2 processors per node, easy, fixed: "));
}

/// Killed at 20 random bytes of the journal and run again; and at 6 as a shard.
#[test]
fn nothing_is_lost_or_doubled_by_sigkill() {
    let home = folder(1500);
    let folder = home.path();
    done(folder, &["sweep", "run", "plan.toml", "--out", "calm"]);
    let rows = results(folder, "calm").len() as u64;
    let mut random = random::seed_generator(7);
    let mut kill = |out: &str, journal: &str, more: &[&str], times: u32| {
        let journal = folder.join(out).join(journal);
        let written = || std::fs::metadata(&journal).map_or(0, |file| file.len());
        let arguments = [&["sweep", "run", "plan.toml", "--out", out], more].concat();
        let mut killed = 0;
        while killed < times {
            let mut child = nodeorder(folder, &arguments)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            // After a few rows more, so that there is work left at every kill.
            let until = written() + random::random_below(rows / 25, &mut random);
            while written() < until && child.try_wait().unwrap().is_none() {
                std::thread::sleep(Duration::from_micros(100));
            }
            child.kill().unwrap();
            match child.wait().unwrap().success() {
                // It came to its end before this test was given a processor: once more from the start.
                true => std::fs::remove_dir_all(folder.join(out)).unwrap(),
                false => killed += 1,
            }
        }
        done(folder, &arguments);
    };
    kill("killed", "sweep.journal", &[], 20);
    assert_eq!(results(folder, "calm"), results(folder, "killed"));
    kill("parts", "shard-1-of-2.journal", &["--shard", "1/2"], 6);
    done(
        folder,
        &[
            "sweep",
            "run",
            "plan.toml",
            "--out",
            "parts",
            "--shard",
            "0/2",
        ],
    );
    done(folder, &["sweep", "merge", "parts"]);
    assert_eq!(results(folder, "calm"), results(folder, "parts"));
    for out in ["killed", "parts"] {
        let names: Vec<String> = std::fs::read_dir(folder.join(out))
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.ends_with(".journal"))
            .collect();
        assert!(names.is_empty(), "{names:?}");
    }
}

/// The spellings of before: the same bytes on standard output and in the folder.
#[test]
fn older_spellings_do_the_same() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path();
    std::fs::write(folder.join("plan.toml"), TINY).unwrap();
    std::fs::write(folder.join("run"), TINY).unwrap();
    let say = |arguments: &[&str]| {
        let output = run(folder, arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {stderr}");
        String::from_utf8(output.stdout).unwrap()
    };
    let shards = [["--shard", "0/2"], ["--shard", "1/2"]];
    for shard in shards {
        let old = ["sweep", "plan.toml", "--out", "old"];
        // Options of all commands may stand before the words that tell the spellings apart.
        let new = ["sweep", "--seed", "1", "run", "plan.toml", "--out", "new"];
        assert_eq!(say(&[&old[..], &shard].concat()), "");
        assert_eq!(say(&[&new[..], &shard].concat()), "");
    }
    assert_eq!(say(&["merge", "old"]), say(&["sweep", "merge", "new"]));
    assert_eq!(say(&["report", "old"]), "Page: old/index.html\n");
    assert_eq!(say(&["sweep", "page", "new"]), "Page: new/index.html\n");
    assert_eq!(contents(&folder.join("old")), contents(&folder.join("new")));
    assert_eq!(say(&["sweep", "--out", "first", "plan.toml"]), "");
    assert_eq!(results(folder, "first"), results(folder, "new"));
    // A plan called `run`.
    for plan in [&["run", "run"][..], &["./run"]] {
        say(&[&["sweep"], plan, &["--out", "run-out"]].concat());
        assert_eq!(results(folder, "run-out"), results(folder, "new"));
        std::fs::remove_dir_all(folder.join("run-out")).unwrap();
    }
    for (arguments, expected) in [
        (&["sweep"][..], "Usage: nodeorder sweep <COMMAND>"),
        (&["sweep", "run", "--out", "x"], "<PLAN>"),
        (&["sweep", "plan.toml"], "--out <DIR>"),
        (&["sweep", "plan.toml", "run", "--out", "x"], "<PLAN>"),
    ] {
        let output = run(folder, arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
        assert!(stderr.contains(expected), "{arguments:?}: {stderr}");
    }
}

pub const TINY: &str =
    "topologies = ['mesh:3x3']\norderings = ['snake', 'row-major', 'random']\nseeds = [1, 2, 3]\n";

pub fn tiny() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("plan.toml"), TINY).unwrap();
    for index in 0..4 {
        let shard = format!("{index}/4");
        done(
            folder.path(),
            &[
                "sweep",
                "run",
                "plan.toml",
                "--out",
                "out",
                "--shard",
                &shard,
            ],
        );
    }
    folder
}

/// Returns the contents of a folder's files, by name.
pub fn contents(folder: &Path) -> std::collections::BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path());
    let files = entries.filter(|path| path.is_file());
    files
        .map(|p| {
            (
                p.file_name().unwrap().to_str().unwrap().into(),
                std::fs::read(&p).unwrap(),
            )
        })
        .collect()
}

#[test]
fn a_plan_that_changed_is_refused_and_nothing_overwritten() {
    let home = tiny();
    let folder = home.path();
    done(folder, &["sweep", "merge", "out"]);
    done(folder, &["sweep", "run", "plan.toml", "--out", "whole"]);
    std::fs::write(
        folder.join("plan.toml"),
        TINY.replace("[1, 2, 3]", "[1, 2]"),
    )
    .unwrap();
    for out in ["out", "whole"] {
        let before = contents(&folder.join(out));
        for more in [&[][..], &["--shard", "0/4"]] {
            let message = refused(
                folder,
                &[&["sweep", "run", "plan.toml", "--out", out], more].concat(),
            );
            assert!(message.contains("found the results of plan"), "{message}");
        }
        assert_eq!(before, contents(&folder.join(out)));
    }
    // Between shards, before there are results.
    std::fs::remove_file(folder.join("out/results.csv")).unwrap();
    std::fs::remove_file(folder.join("out/manifest.json")).unwrap();
    let message = refused(
        folder,
        &[
            "sweep",
            "run",
            "plan.toml",
            "--out",
            "out",
            "--shard",
            "0/4",
        ],
    );
    assert!(message.contains("a shard of plan "), "{message}");
    // A journal of another plan.
    std::fs::create_dir(folder.join("begun")).unwrap();
    std::fs::write(
        folder.join("begun/sweep.journal"),
        "# nodeorder sweep journal: plan 12, shard 0/1\n",
    )
    .unwrap();
    let message = refused(folder, &["sweep", "run", "plan.toml", "--out", "begun"]);
    assert!(
        message
            .starts_with("error: begun/sweep.journal:1: found `nodeorder sweep journal: plan 12"),
        "{message}"
    );
    // Somebody else's table, and a table changed by hand.
    std::fs::create_dir(folder.join("theirs")).unwrap();
    std::fs::write(folder.join("theirs/results.csv"), "precious\n").unwrap();
    let message = refused(folder, &["sweep", "run", "plan.toml", "--out", "theirs"]);
    assert!(
        message.contains("results without manifest.json"),
        "{message}"
    );
    assert_eq!(results(folder, "theirs"), "precious\n");
    std::fs::write(folder.join("plan.toml"), TINY).unwrap();
    std::fs::write(folder.join("whole/results.csv"), "edited\n").unwrap();
    let message = refused(folder, &["sweep", "run", "plan.toml", "--out", "whole"]);
    assert!(message.contains("manifest.json does not fit"), "{message}");
    assert_eq!(results(folder, "whole"), "edited\n");
}

#[test]
#[cfg(unix)]
fn a_full_disk_and_a_closed_folder_are_errors() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path();
    std::fs::write(folder.join("plan.toml"), TINY).unwrap();
    std::fs::write(folder.join("file"), "").unwrap();
    let message = refused(folder, &["sweep", "run", "plan.toml", "--out", "file/out"]);
    assert!(
        message.starts_with("error: file/out: creating the folder"),
        "{message}"
    );
    // A file system that takes no file, whoever asks.
    if Path::new("/proc/self").exists() {
        let message = refused(
            folder,
            &["sweep", "run", "plan.toml", "--out", "/proc/self"],
        );
        assert!(
            message.starts_with("error: /proc/self/sweep.journal: writing"),
            "{message}"
        );
    }
    // A journal that is a device is none.
    std::fs::create_dir(folder.join("device")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", folder.join("device/sweep.journal")).unwrap();
    let message = refused(folder, &["sweep", "run", "plan.toml", "--out", "device"]);
    assert!(message.contains("found no regular file"), "{message}");
}

/// No file may grow beyond a few kilobytes: the journal ends in the middle of a line. With room again the
/// sweep goes on from there.
#[test]
#[cfg(target_os = "linux")]
fn a_disk_that_fills_up_is_an_error_and_costs_nothing() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path();
    let seeds: Vec<String> = (1..200).map(|s| s.to_string()).collect();
    let plan = TINY.replace("1, 2, 3", &seeds.join(", "));
    std::fs::write(folder.join("plan.toml"), plan).unwrap();
    done(folder, &["sweep", "run", "plan.toml", "--out", "calm"]);
    for kilobytes in [1, 3, 10] {
        let out = format!("full{kilobytes}");
        let script = format!(
            "trap '' XFSZ; ulimit -f {kilobytes}; exec {} sweep run plan.toml --out {out}",
            env!("CARGO_BIN_EXE_nodeorder")
        );
        let output = Command::new("bash")
            .args(["-c", &script])
            .current_dir(folder)
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(
            stderr.contains(&format!("{out}/sweep.journal: writing")),
            "{stderr}"
        );
        assert!(!folder.join(&out).join("results.csv").exists());
        let kept = std::fs::metadata(folder.join(&out).join("sweep.journal"))
            .unwrap()
            .len();
        assert!(kept > 0 && kept <= kilobytes * 1024, "{kept}");
        done(folder, &["sweep", "run", "plan.toml", "--out", &out]);
        assert_eq!(results(folder, "calm"), results(folder, &out));
    }
}

/// Traces and logs made for each seed and changed: the figures are those of the commands one after the other.
#[test]
fn made_and_changed_workloads_are_those_of_the_commands() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path();
    let trace = "poisson:jobs=80,rate=1,unit=40,sizes=2x5x9,mean=300";
    let log = "nersc:placements=90,nodes=40,load=0.8";
    let changed = "load=0.9,replicate=2,jitter=60";
    let plan = |lists: &str| format!("topologies = ['mesh:8x5']\norderings = ['snake']\n{lists}");
    let scheduled = plan(&format!(
        "traces = ['{trace}']\ntransforms = ['none', '{changed}']\nallocators = ['fifo:0']\n\
         policies = ['easy']\nseeds = [3, 4]\n"
    ));
    std::fs::write(folder.join("scheduled.toml"), scheduled).unwrap();
    let replayed = plan(&format!(
        "logs = ['{log}']\nallocators = ['random']\nseeds = [3, 4]\n"
    ));
    std::fs::write(folder.join("replayed.toml"), replayed).unwrap();
    let rows = |name: &str| -> Vec<std::collections::HashMap<String, String>> {
        done(
            folder,
            &["sweep", "run", &format!("{name}.toml"), "--out", name],
        );
        let text = results(folder, name);
        csv::Reader::from_reader(text.as_bytes())
            .deserialize()
            .map(Result::unwrap)
            .collect()
    };
    let scheduled = rows("scheduled");
    assert_eq!(scheduled.len(), 4);
    for row in &scheduled {
        let seed = ["--seed", &row["seed"]];
        let (spec, mut name) = (row["trace"].as_str(), "made.swf");
        done(
            folder,
            &[&["trace", "generate", spec, "-o", name], &seed[..]].concat(),
        );
        if row["transform"] != "none" {
            name = "changed.swf";
            let options = [
                "--load",
                "0.9",
                "--nodes",
                "40",
                "--replicate",
                "2",
                "--jitter",
                "60",
            ];
            let from = ["trace", "transform", "made.swf", "-o", name];
            done(folder, &[&from[..], &options, &seed].concat());
        }
        let how = [
            "schedule", "mesh:8x5", "--order", "snake", "--trace", name, "--json",
        ];
        let output = run(
            folder,
            &[&how[..], &["--policy", "easy", "--alloc", "fifo:0"]].concat(),
        );
        let figures: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        for figure in [
            "jobs",
            "mean_wait",
            "makespan",
            "utilisation",
            "utilisation_waiting",
        ] {
            let found: f64 = row[figure].parse().unwrap();
            let wanted = figures[figure].as_f64().unwrap();
            assert!(
                (found / wanted - 1.0).abs() < 1e-12,
                "{figure} of {row:?}: {wanted}"
            );
        }
    }
    assert_ne!(
        scheduled[0]["mean_wait"], scheduled[2]["mean_wait"],
        "seeds draw other jobs"
    );
    for row in rows("replayed") {
        let seed = ["--seed", &row["seed"]];
        done(
            folder,
            &[&["trace", "generate", log, "-o", "made.log"], &seed[..]].concat(),
        );
        let how = [
            "replay", "mesh:8x5", "--order", "snake", "--log", "made.log", "--json",
        ];
        let output = run(folder, &[&how[..], &["--alloc", "random"], &seed].concat());
        let figures: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let mean = figures["replays"][0]["mean_mind"].as_f64().unwrap();
        let found: f64 = row["mean_mind"].parse().unwrap();
        assert!((found / mean - 1.0).abs() < 1e-12, "{row:?}: {mean}");
    }
}

#[test]
fn slowdowns_of_a_sweep_are_those_of_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let plan = "topologies = ['dragonfly:p=2,a=4,h=2']\norderings = ['row-major', 'random']\ngroup = 'slowdown'\n\
                guests = ['all-to-all', 'ring']\nroutings = ['ecmp-hop', 'valiant']\nduty = [0.2, 0.7]\ntilings = [1, 4]\n\
                seeds = 3\n";
    std::fs::write(folder.join("p.toml"), plan).unwrap();
    done(folder, &["sweep", "run", "p.toml", "--out", "r"]);
    let table = results(folder, "r");
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let rows: Vec<std::collections::BTreeMap<String, String>> =
        reader.deserialize().map(|row| row.unwrap()).collect();
    assert_eq!(rows.len(), 2 * 2 * 2 * 2 * 2);
    for row in rows {
        let arguments = [
            "slowdown",
            &row["topology"],
            "--order",
            &row["ordering"],
            "--guest",
            &row["guest"],
            "--routing",
            &row["routing"],
            "--duty",
            &row["duty"],
            "--tilings",
            &row["tilings"],
            "--seed",
            "3",
            "--json",
        ];
        let document: serde_json::Value =
            serde_json::from_slice(&run(folder, &arguments).stdout).unwrap();
        let points = document["slowdowns"].as_array().unwrap();
        let mixed = points.iter().map(|point| point["mixed"].as_f64().unwrap());
        let summary = &document["summaries"][0];
        // A reader of JSON may lose the last bit.
        for (figure, theirs) in [
            ("alone", summary["alone"].as_f64().unwrap()),
            ("mixed", summary["mixed"].as_f64().unwrap()),
            ("all", summary["all"].as_f64().unwrap()),
            ("worst", mixed.fold(0.0, f64::max)),
        ] {
            let ours: f64 = row[&format!("slowdown_{figure}")].parse().unwrap();
            assert!((ours - theirs).abs() <= 1e-14 * theirs, "{figure}: {row:?}");
        }
        assert_eq!(row["slowdown_sizes"], points.len().to_string());
    }
}
