//! Plans are checked whole before the first cell, and a mended plan keeps what its cells gave before.

use std::path::Path;
use std::process::Output;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    crate::command()
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn done(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        stderr(&output)
    );
    stderr(&output)
}

/// A sweep that is refused before anything is written: what it says.
fn refused(folder: &Path, plan: &str) -> String {
    std::fs::write(folder.join("plan.toml"), plan).unwrap();
    let output = run(folder, &["sweep", "run", "plan.toml", "--out", "out"]);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{plan}\n{message}");
    assert!(!message.contains("panicked"), "{message}");
    assert!(
        !folder.join("out").exists(),
        "written before it was checked:\n{plan}\n{message}"
    );
    message
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("jobs.log", "P a 3\nP b 2\nF a\n");
    write(
        "jobs.swf",
        "; MaxProcs: 16\n1 0 -1 10 4 -1 -1 4 20 -1 1 1 1 1 1 1 -1 -1\n",
    );
    folder
}

/// The lists of plans of each kind; every list begins on a line of its own.
const REPLAYED: [(&str, &str); 4] = [
    ("topologies", "torus:4x4"),
    ("orderings", "snake"),
    ("allocators", "fifo:0"),
    ("logs", "jobs.log"),
];
const SCHEDULED: [(&str, &str); 7] = [
    ("topologies", "torus:4x4"),
    ("orderings", "snake"),
    ("allocators", "fifo:0"),
    ("traces", "jobs.swf"),
    ("policies", "easy"),
    ("models", "fixed"),
    ("transforms", "none"),
];
const MAPPED: [(&str, &str); 4] = [
    ("topologies", "torus:4x4"),
    ("orderings", "snake"),
    ("guests", "ring:n=4"),
    ("routings", "ecmp-hop"),
];
const CURVES: [(&str, &str); 2] = [("topologies", "torus:4x4"), ("orderings", "snake")];

/// Texts with one thing wrong, by list: an unknown name or key, a value of the wrong kind or out of its range, two
/// options that do not go together, a file that is not there or of another kind.
const WRONG: [(&str, &[&str]); 10] = [
    (
        "topologies",
        &[
            "tours:4x4",
            "torus:4x4,per_ruoter=2",
            "torus:4xa",
            "torus:4x4,limit=17",
            "no.toml",
        ],
    ),
    (
        "topologies",
        &[
            "tiers:no.csv",
            "graph:jobs.swf",
            "multi-rail:rails=0,nodes=8",
            "torus",
        ],
    ),
    (
        "orderings",
        &[
            "snale",
            "snake:axis=xy",
            "snake:axes=xx",
            "hilbert:bits=1",
            "hilbert:bits=x",
            "no.txt",
        ],
    ),
    (
        "orderings",
        &[
            "brick:inner=grey",
            "brick:size=2x2x2",
            "hierarchical:block=2x0",
            "bfs:start=16",
            "random:unit=nodes",
            "spectral:start=-1",
            "jobs.log",
            "optimise:time=1",
            "optimise:steps=0",
            "optimise:weights=workload",
            "optimise:weights=workload,sizes=no.swf",
            "optimise:start=snak",
            "ilp:solver=none",
        ],
    ),
    (
        "allocators",
        &[
            "first-fot:1",
            "first-fit:x",
            "first-fit:-1",
            "span-best-fit:a=1",
            "random:seed=x",
        ],
    ),
    (
        "logs",
        &[
            "no.log",
            "jobs.swf",
            "nersc:placement=4,nodes=9",
            "nersc:placements=0,nodes=9",
        ],
    ),
    (
        "traces",
        &[
            "no.swf",
            "jobs.log",
            "poisson:jobs=4",
            "poisson:jobs=4,sizes=4,rate=0",
        ],
    ),
    (
        "policies",
        &[
            "eazy",
            "easy:interval=-1",
            "window-bnb:window=17",
            "window-bnb:held=skp",
        ],
    ),
    (
        "models",
        &[
            "fixd",
            "fixed:a=1",
            "distance:weight=x",
            "network:apps=no.csv",
            "network:share=2",
        ],
    ),
    (
        "guests",
        &[
            "rong:n=4",
            "ring:m=4",
            "ring:n=0",
            "parallel:dp=4,ep=3",
            "no.csv",
            "jobs.log",
        ],
    ),
];

fn plan(lists: &[(&str, &str)], list: &str, text: &str) -> String {
    let line = |(key, right): &(&str, &str)| match *key == list {
        true => format!("{key} = [\n  '{right}',\n  '{text}',\n]\n"),
        false => format!("{key} = ['{right}']\n"),
    };
    lists.iter().map(line).collect()
}

#[test]
fn whatever_is_wrong_is_refused_with_its_line_before_anything_is_written() {
    let home = folder();
    let more = [
        ("transforms", &["load=0", "lod=1", "jitter=x"][..]),
        ("routings", &["ecmp", "minimal:a=1"]),
    ];
    let mut tried = 0;
    for (list, texts) in WRONG.iter().copied().chain(more) {
        for lists in [&REPLAYED[..], &SCHEDULED, &MAPPED, &CURVES] {
            let Some(at) = lists.iter().position(|(key, _)| *key == list) else {
                continue;
            };
            for text in texts {
                let message = refused(home.path(), &plan(lists, list, text));
                // The lists before it take a line each; it stands third in its own.
                let place = format!("error: plan.toml:{}: ", at + 3);
                assert!(message.starts_with(&place), "{list} {text}: {message}");
                let hints = message.matches("\nhint: ").count();
                assert_eq!(
                    message.lines().count(),
                    1 + hints,
                    "{list} {text}: {message}"
                );
                tried += 1;
            }
        }
    }
    assert!(tried > 100, "{tried}");
}

#[test]
fn all_that_is_wrong_is_listed_in_the_order_of_lines() {
    let home = folder();
    let text = "topologies = ['torus:4x4', 'mesh:8']\norderings = ['snake', 'optimise:time=1',\n 'random:unit=x']\n\
                allocators = ['first-fit:x']\nlogs = ['no.log']\n";
    let message = refused(home.path(), text);
    let starts = [
        "2: `optimise:time=1`",
        "3: `random:unit=x`",
        "4: `first-fit:x`",
        "5: no.log: opening",
    ];
    assert_eq!(message.lines().count(), starts.len(), "{message}");
    for (line, start) in message.trim_start_matches("error: ").lines().zip(starts) {
        assert!(line.starts_with(&format!("plan.toml:{start}")), "{line}");
    }
    // What does not suit a machine is a row that says so, and no error.
    let unsuited = "topologies = ['torus:4x4', 'fat-tree:k=4']\norderings = ['snake']\n";
    std::fs::write(home.path().join("plan.toml"), unsuited).unwrap();
    done(home.path(), &["sweep", "run", "plan.toml", "--out", "out"]);
}

const BEFORE: &str = "topologies = ['torus:4x4', 'mesh:3x3']\norderings = ['snake', 'row-major']\n\
                      allocators = ['fifo:0', 'random']\nlogs = ['jobs.log']\nseeds = [1, 2]\n";

/// Begins a sweep that ends early: its journal without the last rows, as a kill leaves it.
fn begun(folder: &Path, plan: &str, rows: usize, out: &str) {
    std::fs::write(folder.join("plan.toml"), plan).unwrap();
    // The journal stays where the results cannot be written.
    std::fs::create_dir_all(folder.join(out).join("results.csv")).unwrap();
    let head = "# nodeorder sweep journal of cells\n";
    std::fs::write(folder.join(out).join("sweep.journal"), head).unwrap();
    let output = run(
        folder,
        &["sweep", "run", "plan.toml", "--out", out, "--threads", "1"],
    );
    assert!(!output.status.success());
    std::fs::remove_dir(folder.join(out).join("results.csv")).unwrap();
    let journal = folder.join(out).join("sweep.journal");
    let text = std::fs::read_to_string(&journal).unwrap();
    let whole: String = text.split_inclusive('\n').take(1 + rows).collect();
    std::fs::write(&journal, whole).unwrap();
}

#[test]
fn a_mended_plan_keeps_what_its_cells_gave() {
    let home = folder();
    let folder = home.path();
    let results =
        |out: &str| std::fs::read_to_string(folder.join(out).join("results.csv")).unwrap();
    for (i, (from, to, kept, gone)) in [
        // Another ordering, further ones, another order of lists, other columns, a machine less.
        ("'row-major']", "'hilbert']", 6, 4),
        ("'snake',", "'random', 'snake',", 10, 0),
        ("[1, 2]", "[3, 2, 1]", 10, 0),
        (
            "seeds",
            "guests = ['ring:n=4']\nroutings = ['ecmp-hop']\nseeds",
            10,
            0,
        ),
        ("'torus:4x4', ", "", 2, 8),
    ]
    .into_iter()
    .enumerate()
    {
        let (out, fresh) = (format!("mended{i}"), format!("fresh{i}"));
        begun(folder, BEFORE, 10, &out);
        let mended = BEFORE.replace(from, to);
        assert_ne!(mended, BEFORE);
        std::fs::write(folder.join("plan.toml"), mended).unwrap();
        let notes = done(folder, &["sweep", "run", "plan.toml", "--out", &out]);
        done(folder, &["sweep", "run", "plan.toml", "--out", &fresh]);
        assert_eq!(results(&out), results(&fresh), "{to}");
        let left = results(&out).lines().count() - 1 - kept;
        assert!(
            notes.contains(&format!("{kept} cells kept, {left} to compute")),
            "{to}: {notes}"
        );
        let lost = notes.contains(&format!(
            "{gone} rows are of cells that the plan no longer has"
        ));
        assert_eq!(lost, gone > 0, "{to}: {notes}");
    }
    // A file that changed is another input; a plan without any of these cells leaves the journal alone.
    begun(folder, BEFORE, 10, "other");
    let journal = std::fs::read(folder.join("other/sweep.journal")).unwrap();
    std::fs::write(folder.join("jobs.log"), "P a 2\n").unwrap();
    let message = stderr(&run(
        folder,
        &["sweep", "run", "plan.toml", "--out", "other"],
    ));
    assert!(
        message.contains("other/sweep.journal:1: found 10 rows, none of them"),
        "{message}"
    );
    assert_eq!(
        journal,
        std::fs::read(folder.join("other/sweep.journal")).unwrap()
    );
}

/// Values by the hundred thousand are read in seconds (a test that reads them in quadratic time takes minutes), and
/// products that no memory holds are refused at once.
#[test]
fn long_lists_are_read_and_absurd_products_refused() {
    let home = folder();
    let list = |count: u32, form: &str| -> String {
        (0..count).map(|i| format!("'{form}{i}',\n")).collect()
    };
    let seeds: String = (0..300_000).map(|i| format!("{i},\n")).collect();
    let text = format!("topologies = ['mesh:3']\norderings = ['snake']\nseeds = [\n{seeds}0]\n");
    let message = refused(home.path(), &text);
    assert!(
        message.starts_with("error: plan.toml:300004: found `0` twice"),
        "{message}"
    );
    let text = format!(
        "topologies = ['mesh:3']\norderings = [{}]\nallocators = [{}]\nlogs = ['jobs.log']\n",
        list(20_000, "random:seed="),
        list(20_000, "first-fit:")
    );
    let message = refused(home.path(), &text);
    assert!(
        message.contains("found 400000000 cells; expected at most"),
        "{message}"
    );
    let plan = format!("topologies = ['mesh:3']\norderings = ['snake']\nseeds = [\n{seeds}]\n");
    std::fs::write(home.path().join("plan.toml"), plan).unwrap();
    let output = run(
        home.path(),
        &[
            "sweep",
            "run",
            "plan.toml",
            "--out",
            "out",
            "--memory",
            "100M",
        ],
    );
    assert!(
        stderr(&output).contains("the rows of 300000 cells needs about"),
        "{output:?}"
    );
    assert!(!home.path().join("out").exists());
}

#[test]
fn empty_lists_of_tables_and_budgets_after_a_blank_are_named() {
    let home = folder();
    std::fs::write(home.path().join("jobs.toml"), "# none yet\njobs = []\n").unwrap();
    let message = stderr(&run(
        home.path(),
        &["corun", "torus:4x4", "--jobs", "jobs.toml"],
    ));
    assert!(
        message.starts_with("error: jobs.toml:2: found no jobs; expected a table [[jobs]]"),
        "{message}"
    );
    let output = run(
        home.path(),
        &["compare", "torus:4x4", "--optimise", "steps=10"],
    );
    let expected =
        "error: 'steps=10' stands after '--optimise' and a blank: write --optimise=steps=10";
    assert!(stderr(&output).starts_with(expected), "{output:?}");
}
