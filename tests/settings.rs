//! `tune` and the columns of room and shape, each against other commands and plain counting.

use serde_json::Value;

/// What a command writes to standard output.
fn said(folder: &std::path::Path, arguments: &[&str]) -> String {
    let mut command = crate::command();
    let done = command
        .current_dir(folder)
        .args(arguments)
        .output()
        .unwrap();
    assert!(
        done.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&done.stderr)
    );
    String::from_utf8(done.stdout).unwrap()
}

/// The rows of a table, by column.
fn rows(text: &str) -> Vec<std::collections::BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let names = reader.headers().unwrap().clone();
    let row = |record: csv::StringRecord| {
        names
            .iter()
            .map(String::from)
            .zip(record.iter().map(String::from))
            .collect()
    };
    reader
        .records()
        .map(|record| row(record.unwrap()))
        .collect()
}

/// Sixteen leaf switches of four nodes, and jobs of 4 to 32 nodes.
fn trace(folder: &std::path::Path) {
    let generate = "poisson:jobs=60,rate=1,unit=300,sizes=4x8x8x16x32";
    said(folder, &["trace", "generate", generate, "-o", "jobs.swf"]);
}

#[test]
fn settings_are_ranked_by_what_schedules_give() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    trace(folder);
    let machine = "xgft:h=2,m=4x16,w=1x2";
    let compare = ["tune", machine, "--trace", "jobs.swf", "--out", "out"];
    // One seed: the trace as it is.
    let printed = said(folder, &[&compare[..], &["--seeds", "1"]].concat());
    let table = std::fs::read_to_string(folder.join("out/results.csv")).unwrap();
    let table = rows(&table);
    // Base blocks of 4, 8 and 16; alone and with doubles; no segment, or 2, 4, 8 and 16 of which all larger jobs are
    // multiples.
    let named = |text: &str| {
        table
            .iter()
            .find(|row| row["allocator"] == format!("slurm-block:{text}"))
    };
    for text in [
        "sizes=4",
        "sizes=4x8x16x32x64",
        "sizes=16x32x64,segment=8,consolidate=true",
        "sizes=8,segment=2",
    ] {
        assert!(named(text).is_some(), "{text}");
    }
    let key = |row: &std::collections::BTreeMap<String, String>| {
        (
            row["never_placed"].parse::<u32>().unwrap(),
            row["mean_wait"].parse::<f64>().unwrap(),
        )
    };
    let best = table
        .iter()
        .map(key)
        .min_by(|a, b| a.partial_cmp(b).unwrap())
        .unwrap();
    let first = printed
        .lines()
        .find(|line| line.contains("slurm-block:"))
        .unwrap();
    let first = first
        .split_whitespace()
        .find(|word| word.starts_with("slurm-block:"))
        .unwrap();
    let first = table.iter().find(|row| row["allocator"] == first).unwrap();
    assert_eq!(key(first), best, "{printed}");
    // The figures are those of the schedule on its own, and its timeline has them over time.
    let schedule = [
        "schedule",
        machine,
        "--order",
        "row-major",
        "--trace",
        "jobs.swf",
        "--policy",
        "easy",
        "--alloc",
        "slurm-block:sizes=4x8x16x32x64",
        "--json",
        "--shape",
        "--timeline",
        "time.csv",
        "-o",
        "rows.csv",
    ];
    let alone: Value = serde_json::from_str(&said(folder, &schedule)).unwrap();
    let row = named("sizes=4x8x16x32x64").unwrap();
    for (column, of) in [
        ("mean_placeable", "room"),
        ("min_placeable", "room"),
        ("mean_stranded", "room"),
        ("mean_slurm_fragmentation", "room"),
        ("mean_ring_step", "shape"),
        ("mean_cut_best", "shape"),
        ("mean_cut_ranks", "shape"),
        ("units", "shape"),
    ] {
        let value = alone[of][column].as_f64().map(|n| n.to_string());
        let value = value.unwrap_or_else(|| alone[of][column].as_str().unwrap().to_string());
        let same = row[column] == value || row[column].parse::<f64>().ok() == value.parse().ok();
        assert!(
            same && !value.is_empty(),
            "{column}: {} {value}",
            row[column]
        );
    }
    // Mean over time of the largest job, by the table over time.
    let moments = rows(&std::fs::read_to_string(folder.join("time.csv")).unwrap());
    let number = |row: &std::collections::BTreeMap<String, String>, column: &str| {
        row[column].parse::<f64>().unwrap()
    };
    let (mut sum, mut all) = (0.0, 0.0);
    for pair in moments.windows(2) {
        let time = number(&pair[1], "time") - number(&pair[0], "time");
        sum += time * number(&pair[0], "placeable");
        all += time;
        assert!(number(&pair[0], "placeable") <= 64.0 - number(&pair[0], "busy"));
    }
    assert!((sum / all - alone["room"]["mean_placeable"].as_f64().unwrap()).abs() < 1e-9);
    // Units of the jobs are counted again from the rows.
    let jobs = rows(&std::fs::read_to_string(folder.join("rows.csv")).unwrap());
    let spanned: f64 = jobs.iter().map(|row| number(row, "units_leaf")).sum();
    let units: Value = serde_json::from_str(alone["shape"]["units"].as_str().unwrap()).unwrap();
    assert!((spanned / jobs.len() as f64 - units[0]["spanned"].as_f64().unwrap()).abs() < 1e-9);
    assert!(
        jobs.iter()
            .all(|row| number(row, "fewest_leaf") == (number(row, "nodes") / 4.0).ceil())
    );
    let page = std::fs::read_to_string(folder.join("out/index.html")).unwrap();
    assert!(
        page.contains("Largest job placeable") && page.contains("over-time"),
        "the page"
    );
    for file in ["over-time.svg", "over-time.csv", "manifest.json"] {
        assert!(folder.join("out").join(file).exists(), "{file}");
    }
}

#[test]
fn the_machine_over_time_is_that_of_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    trace(folder);
    let model = ["--model", "distance:weight=2,base=1"];
    let shared = [
        "xgft:h=2,m=4x16,w=1x2",
        "--trace",
        "jobs.swf",
        "--alloc",
        "slurm-block:sizes=4",
    ];
    let tune = [
        &["tune"],
        &shared[..],
        &model,
        &["--seeds", "1", "--out", "out"],
    ]
    .concat();
    said(folder, &tune);
    let alone = [
        "--order",
        "row-major",
        "--policy",
        "easy",
        "--shape",
        "--timeline",
        "time.csv",
        "-o",
        "rows.csv",
    ];
    said(
        folder,
        &[&["schedule"], &shared[..], &model, &alone].concat(),
    );
    let moments = |file: &str| {
        let table = rows(&std::fs::read_to_string(folder.join(file)).unwrap());
        table
            .into_iter()
            .map(|row| {
                [
                    row["time"].clone(),
                    row["busy"].clone(),
                    row["waiting"].clone(),
                ]
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(moments("out/over-time.csv"), moments("time.csv"));
    said(folder, &[&["schedule"], &shared[..], &alone].concat());
    assert_ne!(moments("out/over-time.csv"), moments("time.csv"));
}

#[test]
fn placements_are_chosen_for_the_sizes_of_a_trace() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    trace(folder);
    let json = said(
        folder,
        &["tune", "torus:4x4x4", "--trace", "jobs.swf", "--json"],
    );
    let json: Value = serde_json::from_str(&json).unwrap();
    let settings: Vec<&str> = json["settings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["setting"].as_str().unwrap())
        .collect();
    assert!(
        settings.contains(&"slurm-torus3d:placements=2x2x1/2x2x2/4x2x2/4x4x2"),
        "{settings:?}"
    );
    // Boxes of every size of the trace: no job is left out.
    assert!(
        json["settings"]
            .as_array()
            .unwrap()
            .iter()
            .all(|row| row["never_placed"] == 0.0)
    );
    // What is asked of other machines, or without what it takes, is refused with the option.
    for (arguments, code, expected) in [
        (&["hyperx:4x4"][..], 1, "`hyperx:4x4`: found hyperx"),
        (
            &["torus:4x4x4", "--policy", "none"],
            1,
            "`--policy none`: found",
        ),
        (
            &["torus:4x4x4", "torus:4x4x2"],
            2,
            "unexpected argument 'torus:4x4x2'",
        ),
        (
            &["torus:4x4x4", "--order", "snake", "--order", "hilbert"],
            2,
            "'--order <ORD>' cannot be used multiple times",
        ),
    ] {
        let mut command = crate::command();
        let done = command
            .current_dir(folder)
            .args(["tune", "--trace", "jobs.swf"])
            .args(arguments)
            .output()
            .unwrap();
        let message = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(code), "{message}");
        assert!(message.contains(expected), "{message}");
    }
}

/// Means and Student's intervals of three seeds from the rows of the table; settings with the same figures are one; an
/// allocator's rules are those of `schedule --rules`, on the trace as `trace transform` shakes it.
#[test]
fn settings_over_seeds_have_intervals_and_follow_rules() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    trace(folder);
    std::fs::create_dir(folder.join("plans")).unwrap();
    std::fs::write(
        folder.join("plans/rules.csv"),
        "from,to,options\n8,,segment=2 spread=true\n",
    )
    .unwrap();
    let machine = "xgft:h=2,m=4x16,w=1x2";
    let ruled = "slurm-block:sizes=4,rules=plans/rules.csv";
    let base = [
        "tune",
        machine,
        "--trace",
        "jobs.swf",
        "--alloc",
        "slurm-block:sizes=4",
    ];
    let more = [
        "--alloc",
        "slurm-block:sizes=4,spread=true",
        "--alloc",
        ruled,
    ];
    let seeds = ["--seeds", "3", "--shake", "500", "--json", "--out", "out"];
    let json: Value =
        serde_json::from_str(&said(folder, &[&base[..], &more, &seeds].concat())).unwrap();
    let settings = json["settings"].as_array().unwrap();
    assert_eq!(settings.len(), 2, "{json}");
    // Without segments there is nothing to spread.
    let plain = settings
        .iter()
        .find(|row| row["setting"] == "slurm-block:sizes=4")
        .unwrap();
    assert_eq!(
        plain["same"],
        serde_json::json!(["slurm-block:sizes=4,spread=true"])
    );
    let with_rules = settings.iter().find(|row| row["setting"] == ruled).unwrap();
    assert!(
        with_rules["units"].as_f64() > plain["units"].as_f64(),
        "{json}"
    );
    let table = rows(&std::fs::read_to_string(folder.join("out/results.csv")).unwrap());
    let of = |seed: &str| {
        let mut found = table
            .iter()
            .filter(|row| row["allocator"] == ruled && row["seed"] == seed);
        found.next().unwrap()["mean_wait"].parse::<f64>().unwrap()
    };
    let waits = ["1", "2", "3"].map(of);
    let mean = waits.iter().sum::<f64>() / 3.0;
    let deviation = (waits.iter().map(|w| (w - mean) * (w - mean)).sum::<f64>() / 2.0).sqrt();
    let half = 4.302652729749464 * deviation / 3f64.sqrt();
    assert!(deviation > 0.0 && (with_rules["mean_wait"].as_f64().unwrap() - mean).abs() < 1e-9);
    assert!((with_rules["interval"]["mean_wait"].as_f64().unwrap() - half).abs() < 1e-6 * half);
    said(
        folder,
        &[
            "trace",
            "transform",
            "jobs.swf",
            "--shake",
            "500",
            "--seed",
            "2",
            "-o",
            "2.swf",
        ],
    );
    let schedule = [
        "schedule",
        machine,
        "--order",
        "row-major",
        "--trace",
        "2.swf",
        "--policy",
        "easy",
    ];
    let rules = [
        "--alloc",
        "slurm-block:sizes=4",
        "--rules",
        "plans/rules.csv",
        "--json",
    ];
    let alone: Value =
        serde_json::from_str(&said(folder, &[&schedule[..], &rules].concat())).unwrap();
    assert!((alone["mean_wait"].as_f64().unwrap() - waits[1]).abs() < 1e-9);
    // A plan's rules are beside it, and among the files that its results rest on.
    let plan = format!(
        "topologies = ['{machine}']\norderings = ['row-major']\ntraces = ['../2.swf']\npolicies = ['easy']\n\
         allocators = ['slurm-block:sizes=4,rules=rules.csv']\n"
    );
    std::fs::write(folder.join("plans/plan.toml"), plan).unwrap();
    said(
        folder,
        &["sweep", "run", "plans/plan.toml", "--out", "swept"],
    );
    let swept = rows(&std::fs::read_to_string(folder.join("swept/results.csv")).unwrap());
    assert_eq!(swept[0]["mean_wait"].parse::<f64>().unwrap(), waits[1]);
    let manifest = std::fs::read_to_string(folder.join("swept/manifest.json")).unwrap();
    assert!(manifest.contains("rules=rules.csv"), "{manifest}");
    // In `compare`, --rules is every allocator's.
    let compared = |more: &[&str]| {
        let base = [
            "compare",
            machine,
            "--trace",
            "2.swf",
            "--order",
            "row-major",
            "--model",
            "fixed",
        ];
        let mut json: Value =
            serde_json::from_str(&said(folder, &[&base[..], more, &["--json"]].concat())).unwrap();
        json.as_object_mut().unwrap().remove("command");
        json
    };
    let by_option = compared(&[
        "--alloc",
        "slurm-block:sizes=4",
        "--rules",
        "plans/rules.csv",
    ]);
    assert_eq!(by_option, compared(&["--alloc", ruled]));
    assert_ne!(by_option, compared(&["--alloc", "slurm-block:sizes=4"]));
    for (more, expected) in [
        (
            &["--rules", "plans/rules.csv"][..],
            "`--rules plans/rules.csv`: found no --alloc",
        ),
        (
            &["--rules", "no.csv", "--alloc", "slurm-block:sizes=4"],
            "no.csv",
        ),
        (
            &["--rules", "plans/rules.csv", "--alloc", "fifo:0"],
            "rules.csv:2: found",
        ),
    ] {
        let base = [
            "compare",
            machine,
            "--trace",
            "2.swf",
            "--order",
            "row-major",
        ];
        let done = crate::command()
            .current_dir(folder)
            .args(base)
            .args(more)
            .output()
            .unwrap();
        let message = String::from_utf8_lossy(&done.stderr);
        assert!(
            done.status.code() == Some(1) && message.contains(expected),
            "{message}"
        );
    }
}

/// A recorded placement has the figures that a replay gives the same nodes.
#[test]
fn audits_and_replays_have_the_same_shapes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("jobs.log"), "P a 6\nP b 16\nF a\nP c 8\n").unwrap();
    let machine = "torus:4x4x4";
    let replay = [
        "replay",
        machine,
        "--order",
        "row-major",
        "--log",
        "jobs.log",
        "--alloc",
        "fifo:0",
        "--shape",
        "--room",
        "--names",
    ];
    let placed = rows(&said(folder, &replay));
    let free = [64.0 - 6.0, 64.0 - 22.0, 64.0 - 24.0];
    for (row, free) in placed.iter().zip(free) {
        assert_eq!(row["placeable"].parse::<f64>().unwrap(), free);
        assert_eq!(row["slurm_fragmentation"], "");
    }
    let mut records = String::from("JobIDRaw|Submit|Start|End|Timelimit|NNodes|State|NodeList\n");
    for (i, row) in placed.iter().enumerate() {
        let (day, size) = ("2026-11-22T12:00:0", &row["size"]);
        records += &format!(
            "{i}|{day}0|{day}1|{day}{}|00:05:00|{size}|COMPLETED|{}\n",
            i + 2,
            row["hosts"]
        );
    }
    std::fs::write(folder.join("sacct.txt"), records).unwrap();
    let audited = rows(&said(
        folder,
        &["audit", machine, "--trace", "sacct.txt", "--shape"],
    ));
    assert_eq!(audited.len(), placed.len());
    for (ours, theirs) in audited.iter().zip(&placed) {
        for column in ["ring_mean", "cut_best", "cut_ranks", "closed_rings"] {
            assert_eq!(ours[column], theirs[column], "{column}");
        }
        let steps =
            ours["ring_hops"].parse::<f64>().unwrap() / theirs["size"].parse::<f64>().unwrap();
        assert!((ours["ring_mean"].parse::<f64>().unwrap() - steps).abs() < 1e-12);
    }
}

/// The plans of the report are read whole: machine, traces and every setting, at a tenth of their jobs and one seed.
#[test]
fn the_shipped_plans_run() {
    for name in ["blocks-16.toml", "blocks-18.toml"] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let path = crate::root()
            .join("reports/2026-11-22-nvl72-blocks")
            .join(name);
        let plan = std::fs::read_to_string(&path).unwrap();
        let shorter = plan
            .replace("jobs=500", "jobs=12")
            .replace("[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]", "[1]");
        assert!(shorter.len() < plan.len() - 20, "{name}");
        std::fs::write(folder.join("plan.toml"), &shorter).unwrap();
        said(folder, &["sweep", "run", "plan.toml", "--out", "out"]);
        let table = rows(&std::fs::read_to_string(folder.join("out/results.csv")).unwrap());
        assert_eq!(table.len(), shorter.matches("\n  \"slurm-").count());
        for row in &table {
            assert_eq!(
                (row["note"].as_str(), row["never_placed"].as_str()),
                ("", "0"),
                "{}",
                row["allocator"]
            );
            assert!(!row["mean_placeable"].is_empty() && !row["mean_ring_step"].is_empty());
        }
        said(folder, &["sweep", "page", "out"]);
        let page = std::fs::read_to_string(folder.join("out/index.html")).unwrap();
        assert!(page.contains("Largest job placeable"));
    }
}
