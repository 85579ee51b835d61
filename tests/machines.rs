//! Machines of different sizes and prices, side by side.

use std::path::Path;

use serde_json::Value;

/// Two switches that nothing joins.
const PIECES: &str = "SwitchName=s0 Nodes=n[0-3]\nSwitchName=s1 Nodes=n[4-7]\n";

/// Standard output in a folder: of `machines`, or where one machine is given of `compare`.
fn run_machines(folder: &Path, arguments: &[&str]) -> String {
    let one = arguments.get(1).is_some_and(|word| word.starts_with("--"));
    let mut command = crate::command();
    let output = command
        .arg(if one { "compare" } else { "machines" })
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {stderr}", arguments.join(" "));
    String::from_utf8(output.stdout).unwrap()
}

/// The document of `machines --json`, and the page that `--out` writes.
fn document(folder: &Path, arguments: &[&str]) -> (Value, String) {
    let text = run_machines(folder, &[arguments, &["--json", "--out", "out"]].concat());
    let page = std::fs::read_to_string(folder.join("out/index.html")).unwrap();
    (serde_json::from_str(&text).unwrap(), page)
}

fn rows(folder: &Path, name: &str) -> Vec<std::collections::BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(folder.join("out").join(name)).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

/// The mean of a machine's curve over sizes up to `last`, each with weight 1/size.
fn mean_log(
    curves: &[std::collections::BTreeMap<String, String>],
    machine: &str,
    last: u32,
) -> f64 {
    let (mut sum, mut all) = (0.0, 0.0);
    for row in curves.iter().filter(|row| row["machine"] == machine) {
        let size: u32 = row["size"].parse().unwrap();
        if size <= last {
            sum += row["mpc"].parse::<f64>().unwrap() / f64::from(size);
            all += 1.0 / f64::from(size);
        }
    }
    sum / all
}

/// A trace of jobs of two to six nodes, one after another.
fn trace(jobs: u32, apart: u32) -> String {
    let job = |i: u32| {
        let (submit, run, nodes) = (i * apart, 1000 + i % 7 * 400, 2 + i % 5);
        format!(
            "{} {submit} 0 {run} {nodes} -1 -1 {nodes} 9000 -1 1 1 1 1 1 1 -1 -1\n",
            i + 1
        )
    };
    (0..jobs).map(job).collect()
}

/// A small torus is not "62.9 % better, exact" because the other's mean runs on to jobs of 4,000 nodes.
#[test]
fn machines_of_different_sizes_are_compared_over_the_same_job_sizes() {
    let folder = tempfile::tempdir().unwrap();
    let machines = ["torus:4x4x4", "torus:nodes=4000"];
    let (document, page) = document(folder.path(), &machines);
    let headline = document["headline"].as_str().unwrap();
    assert!(
        headline.starts_with("Best by mean hops over log-spaced job sizes for jobs of 2 to 64 nodes: torus:4x4x4 with "),
        "{headline}"
    );
    assert!(
        headline.contains("The machines have 64 to 4000 nodes"),
        "{headline}"
    );
    assert!(
        !headline.contains("exact") && !page.contains("computed exactly"),
        "{headline}"
    );
    assert_eq!(document["sizes"], serde_json::json!([2, 64]));
    // The curves go to each machine's own end; the means are of their first part.
    let curves = rows(folder.path(), "machine-curves.csv");
    for (machine, nodes) in machines.iter().zip([64, 4000]) {
        let own = curves.iter().filter(|row| row["machine"] == **machine);
        let last = own.clone().next_back().unwrap();
        assert_eq!((own.count(), &*last["share"]), (nodes - 1, "1"));
        let found = document["machines"].as_array().unwrap();
        let found = found.iter().find(|m| m["machine"] == **machine).unwrap();
        let mean = found["mean_log"].as_f64().unwrap();
        assert!(
            (mean - mean_log(&curves, machine, 64)).abs() < 1e-12,
            "{machine} {mean}"
        );
        // Of the machine's orderings the one that is the best over these sizes.
        let all = found["orderings"].as_array().unwrap().iter();
        assert!(all.clone().all(|o| o["mean_log"].as_f64().unwrap() >= mean));
        assert_eq!(
            (&found["score"], &found["windows_left_out"]),
            (&found["mean_log"], &0.0.into())
        );
    }
    assert!(
        rows(folder.path(), "machines.csv")
            .iter()
            .all(|row| row["largest_size"] == "64")
    );
    // No figure is shown as the best: those of a diameter or a mean distance follow from the size.
    assert!(!page.contains("class=\"low\""));
    assert!(page.contains("Means are over job sizes from 2 to 64 nodes."));
}

/// One machine alone, and machines of equal size, have what they had: means over all of their sizes, exactly.
#[test]
fn machines_of_equal_size_have_exact_means() {
    let folder = tempfile::tempdir().unwrap();
    let (document, page) = document(folder.path(), &["torus:4x4", "hyperx:4x4"]);
    let headline = document["headline"].as_str().unwrap();
    assert!(
        headline
            .starts_with("Best by mean hops over log-spaced job sizes: hyperx:4x4 with snake: "),
        "{headline}"
    );
    assert!(
        headline.contains("Both mean distances are exact."),
        "{headline}"
    );
    assert_eq!(
        (&document["sizes"], &document["told"]),
        (&serde_json::json!([2, 16]), &true.into())
    );
    assert!(page.contains("computed exactly") && page.contains("class=\"low\""));
    let alone = crate::command()
        .args(["compare", "torus:4x4", "--json"])
        .output()
        .unwrap();
    let alone: Value = serde_json::from_slice(&alone.stdout).unwrap();
    let torus = document["machines"]
        .as_array()
        .unwrap()
        .iter()
        .find(|m| m["machine"] == "torus:4x4");
    assert_eq!(alone["entries"], torus.unwrap()["orderings"]);
}

/// Windows that no path joins are no short distances: such a machine wins nothing, and its share of them is said.
#[test]
fn a_machine_in_pieces_is_not_compared() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("st.conf"), PIECES).unwrap();
    let pieces = "slurm-topology:st.conf";
    let said = "slurm-topology:st.conf is not compared: 56.3 % of its windows span pieces that no link joins.";
    let (document, page) = document(folder.path(), &[pieces, "torus:4x4"]);
    let headline = document["headline"].as_str().unwrap();
    assert!(
        headline.starts_with("No winner for jobs of 2 to 8 nodes: "),
        "{headline}"
    );
    assert!(
        headline.ends_with(said) && page.contains(&said.replace(" %", "\u{a0}%")),
        "{headline}"
    );
    assert!(document["told"].is_null() && document["difference"].is_null());
    let [torus, last] = document["machines"].as_array().unwrap().as_slice() else {
        panic!()
    };
    assert_eq!(
        (&torus["rank"], &torus["windows_left_out"]),
        (&1.into(), &0.0.into())
    );
    assert_eq!(
        (&last["machine"], &last["rank"]),
        (&pieces.into(), &Value::Null)
    );
    // Sizes 2 to 8 weigh 1/size; 6 of 7, 4 of 6, 2 of 5 windows of 2, 3, 4 nodes lie on one switch, no larger one.
    let lost: f64 = [1.0 / 7.0, 2.0 / 6.0, 3.0 / 5.0, 1.0, 1.0, 1.0, 1.0]
        .iter()
        .zip(2..)
        .map(|(l, s)| l / f64::from(s))
        .sum();
    let share = last["windows_left_out"].as_f64().unwrap();
    assert!(
        (share - lost / (2..9).map(|s| 1.0 / f64::from(s)).sum::<f64>()).abs() < 1e-12,
        "{share}"
    );
    let table = rows(folder.path(), "machines.csv");
    assert_eq!(
        (&*table[1]["rank"], &*table[1]["windows_left_out"]),
        ("", &*share.to_string())
    );
    assert!(page.contains("Windows left out (%)") && !page.contains("class=\"low\""));
    let text = run_machines(folder.path(), &[pieces, "torus:4x4"]);
    assert!(
        text.contains("left out") && text.contains("56.3 %\n"),
        "{text}"
    );
    // The others are ranked among themselves; alone with others of its kind it has no winner, either.
    let text = run_machines(folder.path(), &[pieces, "torus:4x4", "hyperx:4x4"]);
    assert!(
        text.starts_with(
            "Best by mean hops over log-spaced job sizes for jobs of 2 to 8 nodes: hyperx:4x4 with "
        ),
        "{text}"
    );
    std::fs::write(folder.path().join("again.conf"), PIECES).unwrap();
    let text = run_machines(folder.path(), &[pieces, "slurm-topology:again.conf"]);
    assert!(
        text.starts_with("No winner: none of the machines can be compared."),
        "{text}"
    );
    // With jobs, too: one that no path joins has run for nothing.
    std::fs::write(folder.path().join("jobs.swf"), trace(60, 300)).unwrap();
    let jobs = ["--trace", "jobs.swf", "--model", "fixed"];
    let text = run_machines(folder.path(), &[&[pieces, "torus:4x2"], &jobs[..]].concat());
    assert!(text.starts_with("No winner for jobs.swf: "), "{text}");
}

/// Jobs that never wait run alike on both machines: the interval holds zero, and no sentence names a winner.
#[test]
fn a_difference_inside_its_interval_has_no_winner() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("jobs.swf"), trace(40, 5000)).unwrap();
    let jobs = ["--trace", "jobs.swf", "--model", "fixed"];
    let (document, page) = document(
        folder.path(),
        &[&["torus:4x4", "mesh:4x4"], &jobs[..]].concat(),
    );
    let headline = document["headline"].as_str().unwrap();
    assert!(
        headline.starts_with("No winner for jobs.swf: torus:4x4 with "),
        "{headline}"
    );
    assert!(
        headline.contains("which includes zero") && !headline.contains("Best"),
        "{headline}"
    );
    assert_eq!(document["told"], false);
    assert!(!page.contains("Best by") && !page.contains("<strong>torus:4x4"));
    assert!(
        !page.contains("class=\"low\"") && !page.contains("Best first"),
        "a value is bold"
    );
}

/// The first of three is the best only where it surely betters the third, too.
#[test]
fn the_first_is_held_against_all_others() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("jobs.swf"), trace(40, 5000)).unwrap();
    let jobs = ["--trace", "jobs.swf", "--model", "fixed"];
    let machines = ["torus:4x4", "mesh:4x4", "hyperx:4x4"];
    let (document, _) = document(folder.path(), &[&machines[..], &jobs[..]].concat());
    let headline = document["headline"].as_str().unwrap();
    for machine in machines {
        assert!(
            headline
                .split(" do not differ for certain")
                .next()
                .unwrap()
                .contains(machine),
            "{headline}"
        );
    }
}

/// A random network counts with the mean over its seeds, so that the ranking and the interval agree.
#[test]
fn a_random_network_counts_with_all_its_seeds() {
    let folder = tempfile::tempdir().unwrap();
    let machines = ["torus:4x4", "random-regular:n=16,d=4,seed=2"];
    let (document, _) = document(folder.path(), &machines);
    let [first, second] = document["machines"].as_array().unwrap().as_slice() else {
        panic!()
    };
    let gap = first["score"].as_f64().unwrap() - second["score"].as_f64().unwrap();
    assert!(
        (document["difference"]["difference"].as_f64().unwrap() - gap).abs() < 1e-12 && gap < 0.0
    );
    let random = if first["machine"] == machines[1] {
        first
    } else {
        second
    };
    assert_eq!(random["score"], random["seeds"]["mean_log"]["difference"]);
}

/// The first sentence names a saving only where every interval lies above zero; the figures follow in any case.
#[test]
fn a_saving_is_named_where_the_trace_shows_one() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let output = crate::command()
            .args(arguments)
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    };
    run(&[
        "trace",
        "generate",
        "poisson:jobs=400,rate=1,unit=15000,sizes=3x5x7x13",
        "-o",
        "idle.swf",
    ]);
    run(&[
        "trace",
        "transform",
        "idle.swf",
        "--scale-runtime",
        "28",
        "-o",
        "busy.swf",
    ]);
    std::fs::write(folder.path().join("short.swf"), trace(40, 300)).unwrap();
    let said = |trace: &str, [first, second]: [&str; 2]| {
        let orders = ["--order", first, "--order", second];
        let text = run_machines(
            folder.path(),
            &[&["torus:8x8", "--trace", trace], &orders[..]].concat(),
        );
        // What compact placement costs is said before.
        let mut lines = text.lines();
        let saving = lines.find(|line| !line.is_empty() && !line.starts_with("Compact placement"));
        saving.unwrap().to_string()
    };
    let shown = said("idle.swf", ["random", "snake"]);
    assert!(
        shown.starts_with("snake saves ") && shown.contains("(95 %: "),
        "{shown}"
    );
    let doubtful = said("busy.swf", ["snake", "hilbert"]);
    let none = "busy.swf: no proven saving: ";
    assert!(
        doubtful.starts_with(&format!("{none}not all intervals lie above zero.")),
        "{doubtful}"
    );
    assert!(
        doubtful.matches("(95 %: -").count() >= 1 && !doubtful.contains("saves"),
        "{doubtful}"
    );
    let short = said("short.swf", ["random", "snake"]);
    assert!(
        short.starts_with(none.replace("busy", "short").as_str()) && short.contains("eight weeks"),
        "{short}"
    );
}

/// Waits that the trace records stand beside simulated ones, over the same jobs; where they are far apart, a sentence
/// says so.
#[test]
fn recorded_waits_stand_beside_simulated_ones() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = [
        "torus:4x4",
        "--trace",
        "t.swf",
        "--policy",
        "fcfs",
        "--model",
        "fixed",
    ];
    let arguments = [
        &arguments[..],
        &[
            "--alloc",
            "fifo:0",
            "--order",
            "row-major",
            "--order",
            "snake",
        ],
    ]
    .concat();
    let write = |waits: [i64; 4]| {
        let line = |(i, (wait, nodes)): (usize, (i64, u32))| {
            format!(
                "{} 0 {wait} 100 {nodes} -1 -1 {nodes} 100 -1 1 1 1 1 1 1 -1 -1\n",
                i + 1
            )
        };
        // The last one is too large for the machine.
        let text: String = waits
            .into_iter()
            .zip([16, 16, 4, 32])
            .enumerate()
            .map(line)
            .collect();
        std::fs::write(folder.path().join("t.swf"), text).unwrap();
    };
    let json = || -> serde_json::Value {
        let text = run_machines(folder.path(), &[&arguments[..], &["--json"]].concat());
        serde_json::from_str(&text).unwrap()
    };
    // Simulated waits are 0, 100 and 200 s.
    write([0, 5000, -1, 7]);
    let document = json();
    let recorded = &document["schedules"]["recorded"];
    for (key, value) in [
        ("jobs", 2.0),
        ("mean_wait", 2500.0),
        ("mean_response", 2600.0),
    ] {
        assert_eq!(recorded[key].as_f64(), Some(value), "{key}");
    }
    for (key, value) in [("wait_p50", 0.0), ("max_wait", 5000.0)] {
        assert_eq!(recorded[key].as_f64(), Some(value), "{key}");
    }
    assert_eq!(document["schedules"]["rows"][0]["mean_wait"], 100.0);
    let text = run_machines(folder.path(), &[&arguments[..], &["--out", "out"]].concat());
    let said = "Simulated waits are far from recorded ones: on row-major the mean wait is 100 s (median 100 s), by the \
                trace 2,500 s (median 0 s), over those 2 of 3 jobs whose waits it has.";
    assert!(text.lines().next().unwrap().ends_with(said), "{text}");
    let row = text
        .lines()
        .find(|line| line.starts_with(" recorded "))
        .unwrap();
    assert!(
        row.split_whitespace()
            .take(3)
            .eq(["recorded", "2", "2500.0"]),
        "{row}"
    );
    let page = std::fs::read_to_string(folder.path().join("out/index.html")).unwrap();
    assert!(
        page.contains("Simulated waits are far from recorded ones") && page.contains(">2500.0<")
    );
    // Near ones are given without a verdict, over the same jobs.
    write([0, 110, 190, 7]);
    let text = run_machines(folder.path(), &arguments);
    let said = "On row-major the mean wait is 100 s (median 100 s), by the trace 100 s (median 110 s), over the same 3 jobs.";
    assert!(text.lines().next().unwrap().ends_with(said), "{text}");
    // A trace without waits has nothing to say of them.
    write([-1; 4]);
    assert_eq!(json()["schedules"].get("recorded"), None);
    assert!(!run_machines(folder.path(), &arguments).contains("recorded"));
}

/// By hand. `torus:4x4`: 32 cables, 16 routers, per-link load of all-to-all 16 / 15 / 2. `hyperx:4x4`: 48 cables; a
/// link carries its row's 4 routers from one: 4 · 16 / 15 / 4. `dragonfly:p=2,a=4,h=2`: 9 groups of 4 routers, 54
/// cables inside and 36 between.
#[test]
fn prices_and_throughput_are_those_worked_out_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    let machines = ["torus:4x4", "hyperx:4x4", "dragonfly:p=2,a=4,h=2"];
    let prices = "copper=10,optic=100,node_links=1,routers=50,nodes=2,watt=3";
    let watts = "routers=7,optic=2,nodes=20";
    let cables = "optic=group/8,radix=6";
    let options = [
        "--prices",
        prices,
        "--watts",
        watts,
        "--cables",
        cables,
        "--rank",
        "throughput",
    ];
    let (document, page) = document(folder.path(), &[&machines[..], &options[..]].concat());
    let all = document["machines"].as_array().unwrap();
    let machine = |name: &str| all.iter().find(|m| m["machine"] == name).unwrap();
    let number = |name: &str, key: &str| machine(name)[key].as_f64().unwrap_or(f64::NAN);
    let near = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-5, "{a} {b}");
    // Units of 8 nodes are two rows of 4: 4 cables down the middle and 4 round it.
    assert_eq!(
        (number("torus:4x4", "copper"), number("torus:4x4", "optic")),
        (24.0, 8.0)
    );
    // Two rows to two rows: 4 columns of 2 times 2.
    assert_eq!(
        (
            number("hyperx:4x4", "copper"),
            number("hyperx:4x4", "optic")
        ),
        (32.0, 16.0)
    );
    assert_eq!(machine("hyperx:4x4")["optic_between"], "8 nodes");
    let fly = machines[2];
    assert_eq!((number(fly, "copper"), number(fly, "optic")), (54.0, 36.0));
    assert_eq!(machine(fly)["optic_between"], "group");
    let drawn = 36.0 * 7.0 + 36.0 * 2.0 + 72.0 * 20.0;
    assert_eq!(number(fly, "watts"), drawn);
    let cost = 540.0 + 3600.0 + 72.0 + 1800.0 + 144.0 + 3.0 * drawn;
    assert_eq!(number(fly, "cost"), cost);
    for (name, throughput, links) in [
        ("torus:4x4", 15.0 / 8.0, 32.0),
        ("hyperx:4x4", 15.0 / 4.0, 48.0),
    ] {
        near(number(name, "throughput_all_to_all"), throughput);
        near(number(name, "throughput_all_to_all_at_most"), throughput);
        near(
            number(name, "hop_bound"),
            number(name, "throughput_all_to_all"),
        );
        near(
            number(name, "throughput_per_link"),
            16.0 * throughput / links,
        );
        near(number(name, "throughput_per_router"), throughput);
        near(
            number(name, "cost_per_throughput"),
            number(name, "cost") / (16.0 * throughput),
        );
        near(number(name, "worst_at_least"), throughput * 16.0 / 30.0);
    }
    // Half way round both rings: 4 hops of 64 directed links, which 16 nodes fill evenly.
    near(number("torus:4x4", "worst_at_most"), 1.0);
    assert!(number("torus:4x4", "throughput_matching") <= 1.0 + 1e-9);
    assert_eq!(
        (all[0]["machine"].as_str(), all[0]["rank"].as_u64()),
        (Some("hyperx:4x4"), Some(1))
    );
    let headline = document["headline"].as_str().unwrap();
    assert!(
        headline.contains("hyperx:4x4 needs 7 ports at a switch, more than radix=6"),
        "{headline}"
    );
    assert!(
        headline
            .starts_with("Best by all-to-all throughput when traffic is routed well: hyperx:4x4"),
        "{headline}"
    );
    assert!(page.contains("What they carry") && page.contains("What they cost and draw"));
    assert_eq!(
        rows(folder.path(), "machines.csv")[0]["optic_between"],
        "8 nodes"
    );
}

/// A machine beside itself, and one whose bracket overlaps: ranks are shared, and nobody wins.
/// A torus of 4x4 has 32 cables, a HyperX 48: one is cheaper, the other closer and wider; the third, a mesh, has 24.
#[test]
fn the_verdict_names_the_best_of_each_criterion_and_what_the_choice_hinges_on() {
    let folder = tempfile::tempdir().unwrap();
    let offers = ["cheap=torus:4x4", "wide=hyperx:4x4", "poor=mesh:4x4"];
    let options = [
        "--prices",
        "currency=EUR,links=1,routers=2",
        "--broken",
        "switches=1",
    ];
    let (document, page) = document(folder.path(), &[&offers[..], &options].concat());
    let verdict = &document["verdict"];
    let best = |what: &str| {
        let criteria = verdict["criteria"].as_array().unwrap();
        let found = criteria
            .iter()
            .find(|criterion| criterion["best_is"] == what);
        found.unwrap()["best"].clone()
    };
    assert_eq!(best("cheapest"), serde_json::json!(["poor"]));
    assert_eq!(best("closest"), serde_json::json!(["wide"]));
    assert_eq!(best("fastest for all-to-all"), serde_json::json!(["wide"]));
    let hinge = verdict["hinge"].as_str().unwrap();
    assert!(
        hinge.starts_with("The choice hinges on what counts: cheapest: poor;"),
        "{hinge}"
    );
    assert!(page.contains("cost a node (EUR)") && page.contains(hinge));
    let unbeaten = verdict["unbeaten"].as_array().unwrap();
    assert!(unbeaten.contains(&"cheap".into()) && unbeaten.contains(&"wide".into()));
    for row in rows(folder.path(), "machines.csv") {
        // Each draw breaks one switch, and the rest stays in one piece or loses a corner more.
        let unreachable: f64 = row["unreachable_nodes"].parse().unwrap();
        assert!((1.0..2.0).contains(&unreachable), "{row:?}");
        let [found, most] = ["broken_throughput", "broken_throughput_at_most"]
            .map(|column| row[column].parse::<f64>().unwrap());
        assert!(0.0 < found && found <= most * (1.0 + 1e-9), "{row:?}");
        assert_eq!(row["places"], "16");
    }
}

#[test]
fn machines_whose_brackets_meet_are_not_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let random = [
        "random-regular:n=24,d=4,seed=1",
        "random-regular:n=24,d=4,seed=1,name=again",
    ];
    let options = [
        "--rank",
        "cost",
        "--prices",
        "links=1",
        "--routing",
        "ideal:gap=0.05",
    ];
    let (found, _) = document(folder.path(), &[&random[..], &options[..]].concat());
    let ranks: Vec<u64> = found["machines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["rank"].as_u64().unwrap())
        .collect();
    assert_eq!((ranks, found["told"].as_bool()), (vec![1, 1], Some(false)));
    assert!(
        found["headline"]
            .as_str()
            .unwrap()
            .contains("do not differ for certain")
    );
    let listed = "machine,u,v\ntorus:4,0,1\n";
    std::fs::write(folder.path().join("optic.csv"), listed).unwrap();
    std::fs::write(
        folder.path().join("wrong.csv"),
        "machine,u,v\ntorus:4,0,2\n",
    )
    .unwrap();
    let two = ["torus:4", "mesh:4"];
    let prices = ["--prices", "links=5,optic=7"];
    let file = ["--cables", "file=optic.csv,optic=2"];
    let (found, _) = document(folder.path(), &[&two[..], &prices[..], &file[..]].concat());
    let cost = |name: &str| {
        let all = found["machines"].as_array().unwrap();
        all.iter().find(|m| m["machine"] == name).unwrap()["cost"]
            .as_f64()
            .unwrap()
    };
    assert_eq!(
        (cost("torus:4"), cost("mesh:4")),
        (3.0 * 5.0 + 7.0, 2.0 * 5.0 + 7.0)
    );
    let refused = |arguments: &[&str], words: &str| {
        let mut command = crate::command();
        let output = command
            .arg("machines")
            .args(arguments)
            .current_dir(folder.path())
            .output();
        let output = output.unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(
            !output.status.success() && error.contains(words),
            "{arguments:?}: {error}"
        );
    };
    refused(
        &[&two[..], &prices[..], &["--cables", "file=wrong.csv"]].concat(),
        "routers 0 and 2",
    );
    refused(
        &[&two[..], &prices[..]].concat(),
        "nothing tells electrical from optical",
    );
    refused(&[&two[..], &["--rank", "cost"]].concat(), "no prices");
    refused(&[&two[..], &["--prices", "watt=1"]].concat(), "no --watts");
    refused(
        &[&two[..], &["--throughput", "2"]].concat(),
        "expected it without a value",
    );
    refused(
        &[&two[..], &["--rank", "throughput", "--routing", "fastest"]].concat(),
        "fastest",
    );
    refused(
        &[&two[..], &["--cables", "radix=0"]].concat(),
        "radix=PORTS",
    );
    refused(&["torus:4", "--rank", "throughput"], "expected two or more");
}
