//! Bounds that hold: memory of traces and logs, files of nothing, machines near the limit, every form of text.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Output;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = crate::command();
    command
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
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
    assert_eq!(
        output.status.code(),
        Some(1),
        "{}: {stderr}",
        arguments.join(" ")
    );
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
    fs::write(
        folder.join("head.swf"),
        lines(&|i| format!("; Note: {i}\n")) + &swf(1),
    )
    .unwrap();
    fs::write(
        folder.join("live.log"),
        lines(&|i| format!("P a-long-name-of-job-{i} 1\n")),
    )
    .unwrap();
    fs::write(
        folder.join("sizes.log"),
        lines(&|i| format!("P {i} {i}\nF {i}\n")),
    )
    .unwrap();
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
        (
            small(&["trace", "info", "live.log"]),
            "live.log",
            "live jobs",
        ),
        (
            small(&["trace", "info", "sizes.log"]),
            "sizes.log",
            "job sizes",
        ),
        (small(&["trace", "info", "sizes.csv"]), "sizes.csv", "sizes"),
        (
            with("replay", &["--alloc", "fifo:0", "--log", "t.swf"]),
            "t.swf",
            "jobs",
        ),
        (
            with(
                "replay",
                &["--alloc", "fifo:0", "--log", "live.log", "-o", "out.csv"],
            ),
            "live.log",
            "live jobs",
        ),
        (
            with(
                "schedule",
                &["--alloc", "fifo:0", "--policy", "fcfs", "--trace", "t.swf"],
            ),
            "t.swf",
            "jobs",
        ),
        (
            with("compare", &["--trace", "live.log"]),
            "live.log",
            "live jobs",
        ),
        (
            small(&["sweep", "run", "p.toml", "--out", "s"]),
            "t.swf",
            "jobs",
        ),
        (
            small(&[
                "order",
                "torus:4x4",
                "--by",
                "optimise:weights=workload,sizes=t.swf",
            ]),
            "t.swf",
            "jobs",
        ),
    ] {
        let said = said.trim_end().trim_start_matches("error: ");
        let mut parts = said.splitn(3, ':');
        assert!(
            parts.next().is_some_and(|name| name.ends_with(file)),
            "{said}"
        );
        assert!(
            parts
                .next()
                .and_then(|n| n.parse::<usize>().ok())
                .is_some_and(|n| n > 1),
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
    let info = done(
        folder,
        &[&["trace", "info", "ended.log"][..], &memory].concat(),
    );
    assert!(info.contains("9000"), "{info}");
    done(folder, &["trace", "info", "t.swf", "--memory", "9M"]);
}

/// A name of a job may be as long as a line; a block of them is bounded.
#[test]
fn blocks_of_long_names_are_bounded() {
    use nodeorder_trace::{Block, Log};
    let name = "x".repeat(1 << 19);
    let text: String = (0..100)
        .map(|_| format!("P {name} 1\nF {name}\n"))
        .collect();
    let (mut log, mut block, mut events) = (Log::new("l", text), Block::default(), 0);
    while log.next_block(1 << 14, &mut block).unwrap() {
        let names: usize = (0..block.events.len())
            .map(|i| block.name_of_event(i).len())
            .sum();
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
    let bombs = [
        pack(b"\n"),
        pack(b"# a comment of some length that says nothing at all\r\n"),
        pack(b" "),
    ];
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
            format!(
                "map torus:4x4 --guest ring:n=4 --mapping {}",
                file("m.csv.gz")
            ),
            format!("topology graph:{}", file("links.csv.gz")),
            format!("trace info {}", file("t.swf.gz")),
            format!("topology slurm-topology:{}", file("topology.conf.gz")),
            format!("sweep {} --out s", file("o.gz")),
        ]
    };
    for (i, bomb) in bombs.iter().enumerate() {
        assert!(bomb.len() < 1 << 20);
        names
            .iter()
            .for_each(|name| fs::write(folder.join(format!("{i}-{name}")), bomb).unwrap());
        // The other two by one reader of each kind: of whole texts, of streams.
        let readers = commands(i)
            .into_iter()
            .enumerate()
            .filter(|(j, _)| i == 0 || [0, 5].contains(j));
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

/// Sums beyond 64 bits, closed forms where a walk never ends, refusals before anything is made.
#[test]
fn machines_near_the_limit_are_answered_or_refused() {
    let here = Path::new(".");
    for (spec, total, mean) in [
        (
            "torus:1000x1000x1000",
            "375000000000000000000",
            "750.00000075",
        ),
        // n³/8 for a ring of an even n.
        (
            "torus:2147483648",
            "1237940039285380274899124224",
            "536870912.25",
        ),
        // n (n² - 1)/6 for a path.
        (
            "mesh:2147483648",
            "1650586719047173699507585024",
            "715827883",
        ),
        ("hyperx:2147483648", "2305843008139952128", "1"),
        ("cascade:16x6x22369621", "6389106377873514720", "2.77083328"),
        (
            "torus:65536x32768",
            "56668397794435742564352",
            "24576.0000114",
        ),
    ] {
        let text = done(here, &["topology", spec, "--json"]);
        let figure = |key: &str| {
            let line = text
                .lines()
                .find(|line| line.trim().starts_with(&format!("\"{key}\":")));
            line.unwrap()
                .split(": ")
                .nth(1)
                .unwrap()
                .trim_end_matches(',')
                .to_string()
        };
        assert_eq!(figure("total_distance"), total, "{spec}");
        assert!(
            figure("mean_distance").starts_with(mean),
            "{spec}: {}",
            figure("mean_distance")
        );
    }
    let memory = ["--memory", "8G"];
    for (command, needs) in [
        (
            &["order", "torus:65536x32768", "--by", "row-major"][..],
            "an ordering needs about 17.4 GB",
        ),
        (
            &["mpc", "torus:9999x9999", "--order", "hilbert"],
            "the sums of an MPC curve needs about 9.6 GB",
        ),
        (
            &["mpc", "torus:65536x32768", "--order", "snake"],
            "the sums of an MPC curve needs about 206.2 GB",
        ),
        (
            &["compare", "torus:9999x9999"],
            "the sums of an MPC curve needs about 9.6 GB",
        ),
        (
            &["machines", "torus:9999x9999", "mesh:9"],
            "the sums of an MPC curve needs about 9.6 GB",
        ),
        (
            &["topology", "cascade:16x6x22369621,global=single"],
            "every router needs about 25.8 GB",
        ),
        (
            &["topology", "torus:2147483648", "--histogram"],
            "counting pairs by distance needs about 51.5 GB",
        ),
    ] {
        let said = refused(here, &[command, &memory].concat());
        assert!(said.contains(needs), "{command:?}: {said}");
    }
    // The figure comes before the refusal.
    let said = refused(
        here,
        &[
            "order",
            "torus:65536x32768",
            "--by",
            "row-major",
            "--memory",
            "1G",
        ],
    );
    let first = "torus:65536x32768: row-major of 2147483648 nodes takes about 17.4 GB of memory\n";
    assert!(said.starts_with(first), "{said}");
}

/// Byte-order marks and every kind of line end, wherever text is read.
#[test]
fn every_reader_takes_every_kind_of_line_end() {
    let files: [(&str, String); 11] = [
        ("m.toml", "kind = 'torus'\ndims = [4, 3]\nnames = 'names.csv'\n".into()),
        ("names.csv", (0..12).map(|i| format!("{i},host{i:02}\n")).collect()),
        ("p.toml", "name = 'p'\ntopologies = ['m.toml']\norderings = ['o.txt']\nallocators = ['fifo:0']\nlogs = ['jobs.log']\n".into()),
        ("o.txt", (0..12).rev().map(|i| format!("{i}\n")).collect()),
        ("jobs.log", "# a log\nP a 3\nP b 2\nF a\n".into()),
        ("t.swf", format!("; MaxNodes: 12\n{}", swf(5))),
        ("sizes.csv", "size,share\n2,3\n4,1\n".into()),
        ("links.csv", "u,v\n0,1\n1,2\n2,0\n".into()),
        ("guest.csv", "source,target,volume\n0,1,2.5\n1,2,1\n".into()),
        ("map.csv", "process,node\n0,3\n1,0\n2,host07\n".into()),
        ("topology.conf", "SwitchName=s0 Nodes=n[0-3]\nSwitchName=s1 Nodes=n[4-7]\nSwitchName=r Switches=s[0-1]\n".into()),
    ];
    let outcome = |change: &dyn Fn(&str) -> String| {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        files
            .iter()
            .for_each(|(name, text)| fs::write(folder.join(name), change(text)).unwrap());
        let mut texts: Vec<String> = [
            "topology m.toml",
            "mpc m.toml --order o.txt",
            "replay m.toml --order o.txt --log jobs.log --alloc fifo:0 --names",
            "trace info t.swf",
            "trace info sizes.csv",
            "schedule m.toml --order o.txt --trace t.swf --policy fcfs --alloc fifo:0",
            "topology graph:links.csv",
            "map m.toml --guest guest.csv --mapping map.csv --json",
            "topology slurm-topology:topology.conf",
        ]
        .iter()
        .map(|command| done(folder, &command.split(' ').collect::<Vec<_>>()))
        .collect();
        done(folder, &["sweep", "run", "p.toml", "--out", "s"]);
        texts.push(fs::read_to_string(folder.join("s/results.csv")).unwrap());
        texts
    };
    let plain = outcome(&str::to_string);
    let changes: [&dyn Fn(&str) -> String; 3] = [
        &|text| format!("\u{feff}{text}"),
        &|text| text.replace('\n', "\r\n"),
        &|text| format!("\u{feff}{}", text.replace('\n', "\r")),
    ];
    for change in changes {
        assert_eq!(outcome(change), plain);
    }
}

/// `--quiet`: nothing but errors on standard error.
#[test]
fn quiet_silences_notes_and_not_errors() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("t.swf"), swf(5)).unwrap();
    fs::write(folder.join("part.txt"), "1\n2\n").unwrap();
    for command in [
        "schedule torus:4x4 --order part.txt --trace t.swf --policy fcfs --alloc fifo:0",
        "mpc torus:4x4 --order part.txt",
        "topology torus:nodes=12",
        "order torus:4x4 --by optimise:steps=10",
        "export torus:4x4 --order snake --to simgrid",
    ] {
        let words: Vec<&str> = command.split(' ').collect();
        let loud = run(folder, &words);
        let quiet = run(folder, &[&words[..], &["--quiet"]].concat());
        assert!(
            loud.status.success() && !loud.stderr.is_empty(),
            "{command}"
        );
        assert!(
            quiet.status.success() && quiet.stderr.is_empty(),
            "{command}"
        );
        assert_eq!(loud.stdout, quiet.stdout, "{command}");
    }
    assert!(
        refused(
            folder,
            &["mpc", "torus:4x4", "--order", "nothing", "--quiet"]
        )
        .contains("`nothing`")
    );
}

/// What `--procs-per-node 1` says is no guess, and gets no hint.
#[test]
fn one_processor_a_node_may_be_stated() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let wide = "9 9 0 9 4 -1 -1 4 9 -1 1 1 1 1 1 1 -1 -1\n";
    let text = format!("; MaxProcs: 64\n; MaxNodes: 16\n{}{wide}", swf(3));
    fs::write(folder.join("t.swf"), text).unwrap();
    for command in [
        "trace info t.swf",
        "trace convert t.swf",
        "replay torus:4x4 --order snake --log t.swf --alloc fifo:0",
        "schedule torus:4x4 --order snake --trace t.swf --policy fcfs --alloc fifo:0",
        "compare torus:4x4 --trace t.swf",
    ] {
        let words: Vec<&str> = command.split(' ').collect();
        let said = |more: &[&str]| {
            let output = run(folder, &[&words[..], more].concat());
            assert!(output.status.success());
            String::from_utf8(output.stderr)
                .unwrap()
                .contains("--procs-per-node 4 is likely")
        };
        assert!(said(&[]), "{command}");
        assert!(!said(&["--procs-per-node", "1"]), "{command}");
    }
    let info = done(folder, &["trace", "info", "t.swf", "--procs-per-node", "1"]);
    assert!(info.contains("node hours"), "{info}");
}
