//! Old spellings of commands give what the commands in their place give: on standard output, in files, and as messages.

use std::collections::BTreeMap;
use std::path::Path;

/// Old spellings, each with today's.
const SPELLINGS: [(&str, &str); 12] = [
    (
        "compare torus:4x4 mesh:16 --order snake --order row-major --out out",
        "machines torus:4x4 mesh:16 --order snake --order row-major --out out",
    ),
    (
        "--seed 3 compare torus:4x4 xgft:h=2,m=4x4,w=1x2 --trace jobs.swf --alloc fifo:0 --policy fcfs --out out",
        "machines torus:4x4 xgft:h=2,m=4x4,w=1x2 --trace jobs.swf --alloc fifo:0 --policy fcfs --out out --seed 3",
    ),
    (
        "compare torus:4x4 hyperx:4x4 --throughput --json",
        "machines torus:4x4 hyperx:4x4 --throughput --json",
    ),
    (
        "compare --prices links=5,nodes=2 torus:4x4 --rank=cost --watts routers=3 hyperx:4x4 --cables radix=4 --routing adaptive",
        "machines torus:4x4 hyperx:4x4 --prices links=5,nodes=2 --rank cost --watts routers=3 --cables radix=4 --routing adaptive",
    ),
    (
        "compare torus:4x4x4 --trace jobs.swf --settings --seeds 2 --out out",
        "tune torus:4x4x4 --trace jobs.swf --seeds 2 --out out",
    ),
    (
        "compare --settings torus:4x4x4 --trace jobs.swf --alloc slurm-block:sizes=8 --alloc slurm-block:sizes=4 --rules rules.csv \
         --seeds 2 --shake 100 --order snake --policy fcfs --model fixed --procs-per-node 2 --json",
        "tune torus:4x4x4 --trace jobs.swf --alloc slurm-block:sizes=8 --alloc slurm-block:sizes=4 --rules rules.csv \
         --seeds 2 --shake 100 --order snake --policy fcfs --model fixed --procs-per-node 2 --json",
    ),
    (
        "compare torus:8 --throughput 2,4 --out out",
        "throughput torus:8 --sizes 2,4 --out out",
    ),
    (
        "compare torus:8 --throughput=4 --guest ring --routing adaptive:gap=0.05,time=50 --order snake --optimise=steps=50 --json",
        "throughput torus:8 --sizes 4 --guest ring --routing adaptive:gap=0.05,time=50 --order snake --optimise=steps=50 --json",
    ),
    ("topology torus:4x4 --throughput", "throughput torus:4x4"),
    (
        "topology torus:4x4 --throughput=all-to-all,ring:n=16 --routing ideal:gap=0.05,time=50,dimension-order",
        "throughput torus:4x4 --traffic all-to-all,ring:n=16 --routing ideal:gap=0.05,time=50,dimension-order",
    ),
    (
        "topology torus:8 --throughput --json --output matching.csv",
        "throughput torus:8 --json --matching-out matching.csv",
    ),
    (
        "topology --throughput=matching torus:8 -o matching.csv.gz",
        "throughput torus:8 --traffic=matching --matching-out=matching.csv.gz",
    ),
];

/// Runs a command in a folder of its own; returns what it prints, and the files that are there then.
fn run(line: &str) -> (Vec<u8>, String, BTreeMap<String, Vec<u8>>) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let generate = "trace generate poisson:jobs=40,rate=1,unit=300,sizes=2x4x8 -o jobs.swf";
    let made = crate::command()
        .current_dir(folder)
        .args(generate.split(' '))
        .output();
    assert!(made.unwrap().status.success());
    std::fs::write(folder.join("rules.csv"), "from,to,options\n99,,segment=2\n").unwrap();
    let done = crate::command()
        .current_dir(folder)
        .args(line.split_ascii_whitespace())
        .output()
        .unwrap();
    let error = String::from_utf8(done.stderr).unwrap();
    assert!(done.status.success(), "{line}: {error}");
    let mut files = BTreeMap::new();
    read_files(folder, &mut files);
    (done.stdout, error, files)
}

/// Adds the files of a folder, and of those in it, by name.
fn read_files(folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_files(&path, files);
        } else {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            files.insert(name, std::fs::read(path).unwrap());
        }
    }
}

#[test]
fn old_spellings_give_the_same_bytes() {
    for (old, new) in SPELLINGS {
        let (before, now) = (run(old), run(new));
        assert_eq!(before, now, "{old}");
        let written = new.contains("-out");
        assert_eq!(now.2.len() > 2, written, "{new}: {:?}", now.2.keys());
    }
}

/// Help, manual pages and completions have the new spellings alone; help that is asked for in an old one is the new
/// one's.
#[test]
fn old_spellings_are_not_shown() {
    let said = |line: &str| {
        let done = crate::command().args(line.split(' ')).output().unwrap();
        String::from_utf8(done.stdout).unwrap()
    };
    for line in [
        "compare --help",
        "topology --help",
        "man compare",
        "man topology",
    ] {
        let text = said(line);
        assert!(text.contains("json"), "{line}: {text}");
        for option in ["settings", "throughput", "prices", "seeds"] {
            assert!(!text.contains(option), "{line}: {option}");
        }
    }
    assert!(!said("completions bash").contains("--settings"));
    assert_eq!(said("compare a b --help"), said("machines --help"));
}
