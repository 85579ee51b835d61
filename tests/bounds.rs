//! Bounds that hold: memory of traces and logs, files of nothing, machines near the limit, every form of text.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output};

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nodeorder"));
    command.args(arguments).current_dir(folder).output().unwrap()
}

/// Runs a command that must succeed, and returns what it prints.
fn done(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {stderr}", arguments.join(" "));
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a command that must fail, and returns what it says.
fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{}: {stderr}", arguments.join(" "));
    assert!(output.stdout.is_empty(), "{}", arguments.join(" "));
    stderr
}

fn swf(jobs: usize) -> String {
    (1..=jobs).fold(String::new(), |mut text, id| {
        let _ = writeln!(text, "{id} {id} 0 9 1 -1 -1 1 9 -1 1 1 1 1 1 1 -1 -1");
        text
    })
}

/// The readers of traces, logs and tables count what they keep.
#[test]
fn memory_bounds_what_is_kept_of_jobs() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let lines = |line: &dyn Fn(usize) -> String| (1..=9000).map(line).collect::<String>();
    fs::write(folder.join("t.swf"), swf(9000)).unwrap();
    fs::write(folder.join("head.swf"), lines(&|i| format!("; Note: {i}\n")) + &swf(1)).unwrap();
    fs::write(folder.join("live.log"), lines(&|i| format!("P a-long-name-of-job-{i} 1\n")))
        .unwrap();
    fs::write(folder.join("sizes.log"), lines(&|i| format!("P {i} {i}\nF {i}\n"))).unwrap();
    fs::write(folder.join("sizes.csv"), lines(&|i| format!("{i},1\n"))).unwrap();
    let ended = lines(&|i| format!("P {i} 1\nF {i}\n"));
    fs::write(folder.join("ended.log"), &ended).unwrap();
    let plan = "name = 'p'\ntopologies = ['torus:4x4']\norderings = ['snake']\nallocators = ['fifo:0']\ntraces = ['t.swf']\n";
    fs::write(folder.join("p.toml"), plan).unwrap();
    let machine = ["torus:4x4", "--order", "snake"];
    let small = |arguments: &[&str]| refused(folder, &[arguments, &["--memory", "100k"]].concat());
    let with = |verb: &str, more: &[&str]| small(&[&[verb], &machine[..], more].concat());
    for (said, file, what) in [
        (small(&["trace", "info", "t.swf"]), "t.swf", "jobs"),
        (small(&["trace", "convert", "t.swf"]), "t.swf", "jobs"),
        (small(&["trace", "info", "head.swf"]), "head.swf", "header"),
        (small(&["trace", "info", "live.log"]), "live.log", "live jobs"),
        (small(&["trace", "info", "sizes.log"]), "sizes.log", "job sizes"),
        (small(&["trace", "info", "sizes.csv"]), "sizes.csv", "sizes"),
        (with("replay", &["--alloc", "fifo:0", "--log", "t.swf"]), "t.swf", "jobs"),
        (
            with("replay", &["--alloc", "fifo:0", "--log", "live.log", "-o", "out.csv"]),
            "live.log",
            "live jobs",
        ),
        (
            with("schedule", &["--alloc", "fifo:0", "--policy", "fcfs", "--trace", "t.swf"]),
            "t.swf",
            "jobs",
        ),
        (with("compare", &["--trace", "live.log"]), "live.log", "live jobs"),
        (small(&["sweep", "p.toml", "--out", "s"]), "t.swf", "jobs"),
        (
            small(&["order", "torus:4x4", "--by", "optimise:weights=workload,sizes=t.swf"]),
            "t.swf",
            "jobs",
        ),
    ] {
        let mut parts = said.trim_end().splitn(3, ':');
        assert!(parts.next().is_some_and(|name| name.ends_with(file)), "{said}");
        assert!(
            parts.next().and_then(|n| n.parse::<usize>().ok()).is_some_and(|n| n > 1),
            "{said}"
        );
        let wanted = format!(
            " found more {what} than fit into 100.0 kB; expected a shorter file or a higher --memory"
        );
        assert_eq!(parts.next(), Some(wanted.as_str()));
    }
    assert!(!folder.join("out.csv").exists());
    // What is not kept does not count.
    let memory = ["--memory", "100k"];
    let info = done(folder, &[&["trace", "info", "ended.log"][..], &memory].concat());
    assert!(info.contains("9000"), "{info}");
    done(folder, &["trace", "info", "t.swf", "--memory", "9M"]);
}

/// A name of a job may be as long as a line; a block of them is bounded.
#[test]
fn blocks_of_long_names_are_bounded() {
    use nodeorder::trace::{Block, Log};
    let name = "x".repeat(1 << 19);
    let text: String = (0..100).map(|_| format!("P {name} 1\nF {name}\n")).collect();
    let (mut log, mut block, mut events) = (Log::new("l", text), Block::default(), 0);
    while log.next_block(1 << 14, &mut block).unwrap() {
        let names: usize = (0..block.events.len()).map(|i| block.name(i).len()).sum();
        assert!(names <= 1 << 25, "{names}");
        events += block.events.len();
    }
    assert_eq!(events, 200);
}

/// A small compressed file can hold any number of blank lines or comments: every reader ends with an error.
#[test]
fn packed_files_of_nothing_are_refused_by_every_reader() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let pack = |text: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        let piece = text.repeat((1 << 20) / text.len());
        (0..66).for_each(|_| encoder.write_all(&piece).unwrap());
        encoder.finish().unwrap()
    };
    let bombs =
        [pack(b"\n"), pack(b"# a comment of some length that says nothing at all\r\n"), pack(b" ")];
    let names = [
        "o.gz",
        "names.csv.gz",
        "g.csv.gz",
        "m.csv.gz",
        "links.csv.gz",
        "t.swf.gz",
        "topology.conf.gz",
    ];
    let commands = |i: usize| {
        let file = |name: &str| format!("{i}-{name}");
        [
            format!("mpc torus:4x4 --order {}", file("o.gz")),
            format!("topology torus:4x4,names={}", file("names.csv.gz")),
            format!("map torus:4x4 --guest {} --order snake", file("g.csv.gz")),
            format!("map torus:4x4 --guest ring:n=4 --mapping {}", file("m.csv.gz")),
            format!("topology graph:{}", file("links.csv.gz")),
            format!("trace info {}", file("t.swf.gz")),
            format!("topology slurm-topology:{}", file("topology.conf.gz")),
            format!("sweep {} --out s", file("o.gz")),
        ]
    };
    for (i, bomb) in bombs.iter().enumerate() {
        assert!(bomb.len() < 1 << 20);
        names.iter().for_each(|name| fs::write(folder.join(format!("{i}-{name}")), bomb).unwrap());
        // The other two by one reader of each kind: of whole texts, of streams.
        let readers =
            commands(i).into_iter().enumerate().filter(|(j, _)| i == 0 || [0, 5].contains(j));
        for (_, command) in readers {
            let said = refused(folder, &command.split(' ').collect::<Vec<_>>());
            // The lines of the third file are one, which is too long in a trace.
            let bounded = said.contains("found 64 MB of blank lines and comments")
                || i == 2 && said.contains("found a line of more than 1048576 bytes");
            assert!(bounded, "{command}: {said}");
        }
    }
    assert!(!folder.join("s").exists());
}
