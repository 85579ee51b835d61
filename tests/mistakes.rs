//! Mistakes that people type: one error, and a suggestion or a hint that leads on. The command of every hint runs.

use std::path::Path;

/// A mistake, what the error must say, and the hint below it; an empty hint is none.
const MISTAKES: &[(&str, &str, &str)] = &[
    (
        "topology titna",
        "unknown topology `titna`; did you mean `titan`?",
        "nodeorder list topologies",
    ),
    (
        "topology gb200",
        "did you mean `gb200-nvl72`?",
        "nodeorder list topologies",
    ),
    (
        "topology hec",
        "did you mean `hector`?",
        "nodeorder list topologies",
    ),
    (
        "topology tours:4x4",
        "did you mean `torus`?",
        "nodeorder list topologies",
    ),
    (
        "topology fattree:k=4",
        "did you mean `fat-tree`?",
        "nodeorder list topologies",
    ),
    (
        "topology clos:k=4",
        "did you mean `fat-tree`?",
        "nodeorder list topologies",
    ),
    (
        "topology infiniband:notes.txt",
        "did you mean `ibnetdiscover`?",
        "nodeorder list topologies",
    ),
    ("topology banana", " more", "nodeorder list topologies"),
    (
        "topology torus",
        "no `dims`",
        "nodeorder list topologies torus",
    ),
    (
        "compare torus 8x8x8",
        "no `dims`",
        "nodeorder list topologies torus",
    ),
    (
        "topology torus:8,8,8",
        "joined by x, as in 8x8x5",
        "nodeorder list topologies torus",
    ),
    (
        "topology torus:4x4,per_ruoter=2",
        "did you mean `per_router`?",
        "nodeorder list topologies torus",
    ),
    (
        "topology fat-tree:k=5",
        "an even number of ports",
        "nodeorder list topologies fat-tree",
    ),
    (
        "topology notes.txt",
        "no machine that a reader knows",
        "nodeorder list topologies",
    ),
    (
        "topology utf16.conf",
        "UTF-16; expected UTF-8, as iconv",
        "",
    ),
    ("topology folder", "it is a folder; expected a file", ""),
    ("topology no/such.toml", "no such file", ""),
    (
        "order torus:4x4 --order hilbret",
        "did you mean `hilbert`?",
        "nodeorder list orderings",
    ),
    (
        "order torus:4x4 --order linear",
        "did you mean `row-major`?",
        "nodeorder list orderings",
    ),
    (
        "order torus:4x4 --order folder",
        "it is a folder; expected a file",
        "",
    ),
    (
        "mpc torus:4x4 --order snake:axis=yx",
        "did you mean `axes`?",
        "nodeorder list orderings snake",
    ),
    ("mpc torus:4x4", "--order <ORD>", "nodeorder mpc --help"),
    (
        "mpc torus:4x4 --by snake",
        "unexpected argument '--by' found; did you mean '--order'?",
        "nodeorder mpc --help",
    ),
    (
        "compare torus:4x4 -o x.csv",
        "did you mean '--out'?",
        "nodeorder compare --help",
    ),
    (
        "compare torus:4x4 --out notes.txt",
        "a file has this name; expected a folder",
        "",
    ),
    ("compare", "<SPEC>", "nodeorder compare --help"),
    ("compar torus:4x4", "did you mean", "nodeorder --help"),
    (
        "topology torus:4x4 --seed x",
        "expected a whole number",
        "nodeorder topology --help",
    ),
    (
        "topology torus:4x4 --sed 3",
        "did you mean '--seed'?",
        "nodeorder topology --help",
    ),
    (
        "machines torus:4x4",
        "expected two or more",
        "nodeorder machines --help",
    ),
    (
        "schedule torus:4x4 --order snake --trace jobs.swf --policy backfill",
        "did you mean `easy`?",
        "nodeorder list policies",
    ),
    (
        "schedule torus:4x4 --order snake --trace jobs.swf --policy esay",
        "did you mean `easy`?",
        "nodeorder list policies",
    ),
    (
        "schedule torus:4x4 --order snake --trace jobs.swf --alloc best-fit",
        "did you mean `span-best-fit`?",
        "nodeorder list allocators",
    ),
    (
        "schedule torus:4x4 --order snake --trace jobs.swf --model distanse",
        "did you mean `distance`?",
        "nodeorder list models",
    ),
    (
        "schedule torus:4x4 --order snake --trace jobs.log",
        "the 18 fields of a job",
        "nodeorder trace info jobs.log",
    ),
    (
        "replay torus:4x4 --order snake --trace jobs.log --alloc frist-fit:1",
        "did you mean `first-fit`?",
        "nodeorder list allocators",
    ),
    (
        "replay torus:4x4 --order snake --trace jobs.log",
        "--alloc <A>",
        "nodeorder replay --help",
    ),
    (
        "export torus:4x4 --order snake --to slurm",
        "did you mean `slurm-lines`?",
        "nodeorder list targets",
    ),
    (
        "export torus:4x4 --order snake --to cvs",
        "did you mean `csv`?",
        "nodeorder list targets",
    ),
    (
        "hosts torus:4x4 --nodes 0-3 --to hostfile",
        "did you mean `machinefile`?",
        "nodeorder list host-forms",
    ),
    (
        "map torus:4x4 --order snake --guest rign",
        "did you mean `ring`?",
        "nodeorder list guests",
    ),
    (
        "map torus:4x4 --order snake --guest ring --routing dimension-ordr",
        "did you mean `dimension-order`?",
        "nodeorder list routings",
    ),
    (
        "slowdown torus:4x4 --order snake --routing nonsense",
        "unknown routing `nonsense`; expected one of ",
        "nodeorder list routings",
    ),
    (
        "slowdown torus:4x4 --order snake --routing egal",
        "did you mean `ugal`?",
        "nodeorder list routings",
    ),
    (
        "slowdown torus:4x4 --order snake --guest nonsense",
        "unknown guest `nonsense`; expected one of ",
        "nodeorder list guests",
    ),
    (
        "slowdown torus:4x4 --order snake --guest rign",
        "did you mean `ring`?",
        "nodeorder list guests",
    ),
    (
        "throughput torus:4x4 --routing nonsense",
        "unknown routing `nonsense`; expected one of ",
        "nodeorder list routings",
    ),
    (
        "throughput torus:4x4 --sizes 4 --guest rign",
        "did you mean `ring`?",
        "nodeorder list guests",
    ),
    (
        "snapshot torus:4x4 --trace squeue.json",
        "did you mean '--jobs'?",
        "nodeorder snapshot --help",
    ),
    (
        "snapshot torus:4x4 --jobs squeue.txt",
        "squeue.txt:1: found columns of fixed width, as squeue and sacct print them for people",
        "nodeorder list traces",
    ),
    (
        "snapshot torus:4x4 --jobs squeue.json",
        "squeue.json:1: found missing field `end_time`; expected the output of squeue --json",
        "nodeorder list traces",
    ),
    (
        "snapshot torus:4x4 --jobs services.json",
        "services.json: found an item that is no pod; expected the output of kubectl get pods",
        "nodeorder list traces",
    ),
    (
        "topology k8s-nodes:services.json",
        "services.json:1: found no nodes among 2 items; expected the output of kubectl get nodes",
        "nodeorder list topologies k8s-nodes",
    ),
    (
        "topology k8s-nodes:long.txt",
        "` without `items`; expected `items`, a list",
        "nodeorder list topologies k8s-nodes",
    ),
    (
        "trace generate hektor",
        "did you mean `hector`?",
        "nodeorder list generators",
    ),
    (
        "list orderings hilbret",
        "did you mean `hilbert`?",
        "nodeorder list orderings",
    ),
];

fn said(folder: &Path, words: &[&str]) -> (Option<i32>, String) {
    let output = crate::command()
        .args(words)
        .current_dir(folder)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    (output.status.code(), text)
}

#[test]
fn forty_mistakes_lead_to_a_command_that_works() {
    assert!(MISTAKES.len() >= 40);
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::create_dir(folder.join("folder")).unwrap();
    let long = "words ".repeat(9).trim().to_string() + &" and more".repeat(500);
    for (name, text) in [
        ("notes.txt", &b"a few words about nodes\n"[..]),
        ("utf16.conf", b"\xff\xfeS\0w\0i\0"),
        ("jobs.log", b"P 1 4\nP 2 4\nF 1\n"),
        ("jobs.swf", b"1 0 0 10 4 -1 -1 4 20 -1 1 1 1 1 1 -1 -1 -1\n"),
        // Before 21.08 there is no other.
        (
            "squeue.txt",
            b"  JOBID PARTITION  NAME  USER ST  TIME  NODES NODELIST(REASON)\n  7  all  a  ada  R  1:00  2  n[1-2]\n",
        ),
        (
            "squeue.json",
            br#"{"jobs":[{"job_id":7,"job_state":"RUNNING","submit_time":1,"start_time":1}]}"#,
        ),
        (
            "services.json",
            br#"{"apiVersion":"v1","kind":"List","items":[{"kind":"Service"},{"kind":"Service"}]}"#,
        ),
        ("long.txt", long.as_bytes()),
    ] {
        std::fs::write(folder.join(name), text).unwrap();
    }
    for (words, part, hint) in MISTAKES {
        let words: Vec<&str> = words.split(' ').collect();
        let (code, error) = said(folder, &words);
        assert!(error.starts_with("error: "), "{words:?}: {error}");
        // A name that an option does not know is usage; what names a machine, an ordering or a file is input.
        let unknown = error.starts_with("error: `--") && error.contains("`: unknown ");
        let usage = unknown || hint.ends_with("--help");
        assert_eq!(code, Some(if usage { 2 } else { 1 }), "{words:?}: {error}");
        assert!(
            error.lines().all(|line| line.len() < 300),
            "{words:?}: {error}"
        );
        assert!(error.contains(part), "{words:?}: {error}");
        let hints: Vec<&str> = error
            .lines()
            .filter_map(|line| line.strip_prefix("hint: "))
            .collect();
        assert_eq!(hints.join("|"), *hint, "{words:?}: {error}");
        if let Some(command) = hint.strip_prefix("nodeorder ") {
            let words: Vec<&str> = command.split(' ').collect();
            let (code, error) = said(folder, &words);
            assert_eq!(code, Some(0), "{hint}: {error}");
        }
    }
}

#[test]
fn old_spellings_print_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("jobs.log"), "P 1 4\nP 2 4\nF 1\n").unwrap();
    std::fs::write(
        folder.join("jobs.swf"),
        "1 0 0 10 4 -1 -1 4 20 -1 1 1 1 1 1 -1 -1 -1\n",
    )
    .unwrap();
    for (old, new) in [
        (
            "order torus:4x4 --by snake",
            "order torus:4x4 --order snake",
        ),
        (
            "hosts torus:4x4 --nodes 0-3 --by snake",
            "hosts torus:4x4 --nodes 0-3 --order snake",
        ),
        (
            "replay torus:4x4 --order snake --log jobs.log --alloc first-fit:2",
            "replay torus:4x4 --order snake --trace jobs.log --alloc first-fit:2",
        ),
        (
            "trace info jobs.swf --nodes 4",
            "trace info jobs.swf --machine-nodes 4",
        ),
        (
            "schedule torus:4x4 --order snake --trace jobs.swf --policy easy --alloc span-best-fit",
            "schedule torus:4x4 --order snake --trace jobs.swf",
        ),
        (
            "map torus:4x4 --order snake --guest ring:n=16,volume=1 --links /dev/stdout --json",
            "map torus:4x4 --order snake --guest ring:n=16,volume=1 --links-out /dev/stdout --json",
        ),
    ] {
        let print = |words: &str| {
            let words = words.split(' ');
            let output = crate::command()
                .args(words)
                .current_dir(folder)
                .output()
                .unwrap();
            assert!(
                output.status.success(),
                "{}",
                String::from_utf8_lossy(&output.stderr)
            );
            output.stdout
        };
        assert_eq!(print(old), print(new), "{old}");
    }
}
