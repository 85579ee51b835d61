//! What is refused before the work begins, and what ends in time.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use nodeorder_base::Text;
use nodeorder_network::Topology;
use nodeorder_traffic::corun::{Detail, Job, NetworkFigures, Settings, side_by_side};
use nodeorder_traffic::mapping::{Fabric, FixedRouting};

use crate::command;

/// What a command prints. One that goes on for half an hour is killed: what it does takes a second or so.
fn ended(command: &mut Command, input: &[u8]) -> Output {
    let piped = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        // Read and written while it runs, so that it never waits for a full pipe; it may stop reading.
        scope.spawn(move || {
            let _ = stdin.write_all(input);
        });
        let id = child.id();
        let (done, waits) = std::sync::mpsc::channel::<()>();
        scope.spawn(move || {
            if waits
                .recv_timeout(Duration::from_secs(1800))
                .is_err_and(|e| e == std::sync::mpsc::RecvTimeoutError::Timeout)
            {
                let _ = Command::new("kill").args(["-9", &id.to_string()]).status();
            }
        });
        let output = child.wait_with_output().unwrap();
        drop(done);
        output
    })
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The message of a command that fails.
fn refused(arguments: &[&str]) -> String {
    let output = ended(command().args(arguments), b"");
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {message}");
    message
}

/// 512 hosts of four processes: whether the search ends by itself or after `--time`, every host is there once.
#[test]
fn hosts_of_a_large_job_are_ordered_in_time() {
    let arguments = [
        "hosts",
        "torus:8x8x8",
        "--nodes",
        "n[000-511]",
        "--per-node",
        "4",
    ];
    let guest = ["--guest", "parallel:tp=8,pp=4,dp=64"];
    let output = ended(command().args(arguments).args(guest), b"");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let mut hosts: Vec<String> = text(&output.stdout).lines().map(str::to_string).collect();
    hosts.sort();
    let all: Vec<String> = (0..512).map(|i| format!("n{i:03}")).collect();
    assert_eq!(hosts, all);
    // A time of nothing is kept, and said.
    let output = ended(
        command().args(arguments).args(guest).args(["--time", "0"]),
        b"",
    );
    assert!(text(&output.stderr).contains("the search ended after --time 0"));
    assert_eq!(text(&output.stdout).lines().count(), 512);
}

/// Faster steps are the same steps.
#[test]
fn searches_of_small_jobs_find_the_recorded_mappings() {
    for (spec, guest, hop_bytes) in MAPPED {
        let by = "best:rounds=1,seed=3";
        let output = ended(
            command()
                .args(["map", spec, "--order", "row-major", "--guest", guest])
                .args(["--map", by, "--json"]),
            b"",
        );
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(
            document["hop_bytes"].as_f64().unwrap() <= hop_bytes,
            "{spec} {guest}"
        );
    }
}

/// Hop-bytes that the search finds in one round.
const MAPPED: [(&str, &str, f64); 4] = [
    ("torus:4x4x4", "random:n=40,degree=3,seed=2", 195.0),
    ("mesh:6x6", "butterfly:n=32", 340.0),
    ("fat-tree:k=4", "random:n=16,degree=4,seed=5", 178.0),
    ("dragonfly:p=2,a=4,h=2", "stencil:4x4x4", 316.0),
];

#[test]
fn models_too_large_are_refused_before_the_work() {
    for by in [
        "ilp:weights=workload,sizes=log-uniform",
        "ilp:solver=microlp",
    ] {
        let message = refused(&["order", "titan", "--by", by]);
        assert!(
            message.contains("9344 elements and 9343 or more weighted pairs"),
            "{message}"
        );
    }
}

/// Devices that never end are no texts; what never ends and is text ends with the memory or a bound.
#[cfg(unix)]
#[test]
fn endless_inputs_end_with_an_error() {
    for device in ["/dev/zero", "/dev/urandom"] {
        for arguments in [
            &["mpc", "torus:4x4", "--order", device][..],
            &["corun", "torus:4x4", "--jobs", device],
            &[
                "map",
                "torus:4x4",
                "--guest",
                "ring:n=4",
                "--mapping",
                device,
            ],
            &[
                "replay",
                "torus:4x4",
                "--order",
                "snake",
                "--alloc",
                "fifo",
                "--log",
                device,
            ],
            &[
                "schedule",
                "torus:4x4",
                "--order",
                "snake",
                "--policy",
                "fcfs",
                "--alloc",
                "fifo",
                "--trace",
                device,
            ],
            &[
                "order",
                "torus:4x4",
                "--by",
                &format!("optimise:weights=workload,sizes={device}"),
            ],
        ] {
            let message = refused(arguments);
            assert!(
                message.starts_with(&format!("error: {device}:")),
                "{arguments:?}: {message}"
            );
        }
        let message = refused(&["mpc", "torus:4x4", "--order", device]);
        assert!(
            message.contains("found a byte 0, which no text has; expected a text"),
            "{message}"
        );
    }
    let lines = b"5\n".repeat(1_000_000);
    let arguments = ["mpc", "torus:4x4", "--order", "-", "--memory", "1M"];
    let output = ended(command().args(arguments), &lines);
    assert!(text(&output.stderr).contains("standard input: the text needs about"));
}

fn job(name: &str, nodes: &str, bytes: &str, compute: &str) -> String {
    format!(
        "[[jobs]]\nname = '{name}'\nguest = 'ring:n=4'\nnodes = {nodes}\nbytes = '{bytes}'\n{compute}\n"
    )
}

/// Two jobs that share links, and one by itself.
fn jobs(spread: &str) -> String {
    job(
        "a",
        "[0, 2, 4, 6]",
        "1MB",
        &format!("compute = 0.001{spread}"),
    ) + &job("b", "[1, 3, 5, 7]", "3MB", "compute = 0.0013")
}

/// States that come again are counted at the job level, too; drawn times are refused where they are too many.
#[test]
fn long_runs_of_the_job_level_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jobs.toml");
    let arguments = [
        "corun",
        "torus:8",
        "--level",
        "job",
        "--iterations",
        "1000000000",
        "--jobs",
    ];
    std::fs::write(&path, jobs("")).unwrap();
    let output = ended(command().args(arguments).arg(&path), b"");
    let rows = text(&output.stdout);
    assert!(
        rows.contains("\nb,4,1000000000,0.0060999999"),
        "{rows}{}",
        text(&output.stderr)
    );
    std::fs::write(&path, jobs("\nspread = 0.2")).unwrap();
    let output = ended(command().args(arguments).arg(&path), b"");
    let message = text(&output.stderr);
    assert!(
        message.contains("the computing times of `a` are drawn"),
        "{message}"
    );
    assert!(
        message.contains("use at most 50000000 iterations, or spread = 0"),
        "{message}"
    );
}

/// Counted periods give what simulating each gives.
#[test]
fn the_job_level_counts_what_it_would_simulate() {
    let machine = Topology::inline("torus:8", &Default::default()).unwrap();
    let fabric = Fabric::new(&machine).unwrap();
    let routing = FixedRouting::find_by_name("one-path").unwrap();
    let of = |count_patterns: bool| {
        let mut settings = Settings::new(
            &NetworkFigures {
                latency: Some(1e-6),
                ..NetworkFigures::default()
            },
            "flow",
            "job",
            5000,
        );
        settings.count_patterns = count_patterns;
        assert_eq!(settings.level, Detail::Job);
        let jobs = Job::read_all(&machine, &Text::new("jobs.toml", jobs("")), None).unwrap();
        side_by_side(&fabric, routing, &jobs, &settings, &|_| {}).unwrap()
    };
    let (counted, simulated) = (of(true), of(false));
    for (a, b) in counted.jobs.iter().zip(&simulated.jobs) {
        assert_eq!(a.iterations, b.iterations);
        assert!(
            (a.seconds / b.seconds - 1.0).abs() < 1e-9 && (a.alone / b.alone - 1.0).abs() < 1e-9
        );
    }
    for (a, b) in counted.utilisation.iter().zip(&simulated.utilisation) {
        assert!((a - b).abs() < 1e-9);
    }
}

/// Where transforms do not fit, curves are summed by pairs, which is said.
#[test]
fn curves_are_summed_by_pairs_where_transforms_do_not_fit() {
    let run = |more: &[&str]| {
        let output = ended(
            command()
                .args(["mpc", "torus:100x100", "--order", "snake"])
                .args(more),
            b"",
        );
        assert!(output.status.success(), "{}", text(&output.stderr));
        (output.stdout, text(&output.stderr))
    };
    let (free, small) = (run(&[]), run(&["--memory", "1M"]));
    assert!(free.0 == small.0, "the same curve");
    let note = "snake: summed by pairs, which takes longer: transforms do not fit into 1.0 MB";
    assert!(
        !free.1.contains(note) && small.1.contains(note),
        "{}",
        small.1
    );
    assert!(
        refused(&[
            "mpc",
            "torus:100x100",
            "--order",
            "snake",
            "--memory",
            "1M",
            "--method",
            "transform"
        ])
        .contains("the transforms of an MPC curve needs about")
    );
}

/// The system's limit of file sizes is an error, not the end of the program; nothing is left behind.
#[cfg(target_os = "linux")]
#[test]
fn a_limit_of_file_sizes_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for output in ["-o out.csv", "> out.csv"] {
        let script = format!("ulimit -f 4; exec \"$0\" mpc torus:64x64 --order snake {output}");
        let mut shell = Command::new("sh");
        let shell = shell.args(["-c", &script, env!("CARGO_BIN_EXE_nodeorder")]);
        let done = ended(shell.current_dir(folder.path()), b"");
        let message = text(&done.stderr);
        assert_eq!(done.status.code(), Some(1), "{:?} {message}", done.status);
        let named = if output.starts_with('-') {
            "out.csv: writing"
        } else {
            "standard output"
        };
        let expected = format!("{named}: the file would be larger than `ulimit -f` allows");
        assert!(message.contains(&expected), "{message}");
        let left: Vec<_> = std::fs::read_dir(folder.path())
            .unwrap()
            .flatten()
            .collect();
        assert_eq!(
            left.len(),
            usize::from(!output.starts_with('-')),
            "{left:?}"
        );
    }
}

/// A sweep's folder whose table is not as it was written gives no page; nor do figures that are no numbers.
#[test]
fn pages_are_made_of_whole_tables_of_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let plan = "name = 'small'\ntopologies = ['mesh:3x4', 'torus:4x4']\norderings = ['snake', 'random']\nseeds = [1, 2]\n";
    std::fs::write(at("plan.toml"), plan).unwrap();
    let run = |arguments: &[&str]| {
        let output = ended(command().current_dir(folder.path()).args(arguments), b"");
        (output.status.code(), text(&output.stderr))
    };
    assert_eq!(run(&["sweep", "run", "plan.toml", "--out", "r"]).0, Some(0));
    assert_eq!(run(&["sweep", "page", "r"]).0, Some(0));
    let whole = std::fs::read_to_string(at("r/results.csv")).unwrap();
    let page = |name: &Path| std::fs::remove_file(name).is_ok();
    assert!(page(&at("r/index.html")));
    let lines: Vec<&str> = whole.lines().collect();
    assert_eq!(lines.len(), 9);
    std::fs::write(at("r/results.csv"), lines[..4].join("\n") + "\n").unwrap();
    let (code, message) = run(&["sweep", "page", "r"]);
    let expected = "r/results.csv: found 3 of 8 rows, which manifest.json does not fit; expected it as it was written: \
                    remove manifest.json to draw the rows there are";
    assert!(code == Some(1) && message.contains(expected), "{message}");
    std::fs::write(at("r/results.csv"), whole.replacen("snake", "snail", 1)).unwrap();
    let (code, message) = run(&["sweep", "page", "r"]);
    assert!(
        code == Some(1) && message.contains("found a changed table"),
        "{message}"
    );
    std::fs::write(at("r/manifest.json"), "{").unwrap();
    assert_eq!(run(&["sweep", "page", "r"]).0, Some(1));
    std::fs::remove_file(at("r/manifest.json")).unwrap();
    let column = lines[0]
        .split(',')
        .position(|column| column == "mpc_mean")
        .unwrap();
    for cell in ["abc", "inf", "NaN"] {
        let mut cells: Vec<&str> = lines[2].split(',').collect();
        cells[column] = cell;
        std::fs::write(
            at("r/results.csv"),
            [lines[0], lines[1], &cells.join(",")].join("\n"),
        )
        .unwrap();
        let (code, message) = run(&["sweep", "page", "r"]);
        let expected =
            format!("r/results.csv:3: found `{cell}` in column `mpc_mean`; expected a number");
        assert!(code == Some(1) && message.contains(&expected), "{message}");
        assert!(!page(&at("r/index.html")));
    }
}

/// Figures in messages have no digits that rounding left.
#[test]
fn numbers_in_messages_are_short() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jobs.toml");
    let unequal =
        job("a", "[0, 1, 2, 3]", "50kB", "") + &job("b", "[4, 5, 6, 7]", "1GB", "compute = 1000");
    std::fs::write(&path, unequal).unwrap();
    let message = refused(&["corun", "torus:8", "--jobs", path.to_str().unwrap()]);
    assert!(
        message.contains("`b` takes 1001.6 s, one of `a` 0.00008 s"),
        "{message}"
    );
    for (value, text) in [
        (0.000_049_999_999_999_999_996, "0.00005"),
        (1_234.567_891, "1234.57"),
        (12_345_678.0, "12345700"),
        (-3.0, "-3"),
        (0.0, "0"),
        (2.5e-12, "2.5e-12"),
        (1.0 / 3.0 * 1e20, "3.33333e19"),
    ] {
        assert_eq!(nodeorder_base::error::format_six_digits(value), text);
    }
}
