//! Job files of engines: run as they were emitted, by stand-ins of the engines' commands that do what their manuals
//! say, the table is that of one process. A real Slurm runs one in `slurm.rs`, Snakemake and HyperQueue in
//! `python/tests`.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::sweep::{TINY, done, refused, results, run};

/// `qsub`: the tasks of an array one by one, with the variables that PBS sets; `depend=afterok` of a job that is over.
const QSUB: &str = r#"
after= range=
while [[ $1 == -* ]]; do
  case $1 in
    -W) after=${2#depend=afterok:} ;;
    -J) range=$2 ;;
  esac
  shift 2
done
script=$STUBS/script.$$
cat "${1:-/dev/stdin}" >"$script"
[[ -n $range ]] || range=$(sed -n 's/^#PBS -J //p' "$script")
[[ -z $after || -e $STUBS/done.$after ]] || exit 9
export PBS_JOBID=$$ PBS_O_WORKDIR=$PWD
cd /
if [[ -n $range ]]; then
  for PBS_ARRAY_INDEX in $(seq ${range/-/ }); do
    PBS_ARRAY_INDEX=$PBS_ARRAY_INDEX bash "$script" || exit
  done
else
  bash "$script" || exit
fi
touch "$STUBS/done.$$"
echo $$
"#;

/// `flux bulksubmit` and `flux submit`.
const FLUX: &str = r#"
verb=$1 && shift
while [[ $1 == -* ]]; do
  [[ $1 != --dependency=afterok:* || -e $STUBS/done.${1##*:} ]] || exit 9
  shift
done
if [[ $verb == submit ]]; then exec "$@"; fi
while read -r input; do
  "${@//\{\}/$input}" </dev/null >&2 || exit
  touch "$STUBS/done.f$input"
  echo "f$input"
done
"#;

/// `parallel`: its words make a command line for a shell.
const PARALLEL: &str = r#"
words="$*"
while read -r input; do
  sh -c "${words//\{\}/$input}" </dev/null || exit
done
"#;

/// A folder with a plan and stand-ins, and a search path with these and the command.
fn prepare(plan: &str) -> (tempfile::TempDir, String) {
    let home = tempfile::tempdir().unwrap();
    let stubs = home.path().join("stubs");
    std::fs::create_dir(&stubs).unwrap();
    for (name, text) in [("qsub", QSUB), ("flux", FLUX), ("parallel", PARALLEL)] {
        let file = stubs.join(name);
        let text = format!("#!/bin/bash\nSTUBS='{}'\n{text}", stubs.display());
        std::fs::write(&file, text).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    std::fs::write(home.path().join(plan), TINY).unwrap();
    done(home.path(), &["sweep", "run", plan, "--out", "whole"]);
    let command = Path::new(env!("CARGO_BIN_EXE_nodeorder"));
    let path = format!(
        "{}:{}:{}",
        stubs.display(),
        command.parent().unwrap().display(),
        std::env::var("PATH").unwrap_or_default()
    );
    (home, path)
}

fn emit(folder: &Path, plan: &str, out: &str, engine: &str) -> String {
    let arguments = [
        "sweep", plan, "--out", out, "--emit", engine, "--tasks", "4",
    ];
    let output = run(folder, &arguments);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a shell command, which has to succeed.
fn shell(folder: &Path, path: &str, words: &[&str]) {
    let output = Command::new(words[0])
        .args(&words[1..])
        .current_dir(folder)
        .env("PATH", path)
        .output()
        .unwrap();
    assert!(output.status.success(), "{words:?}: {output:?}");
}

/// Also with names that a shell has to be told of.
#[test]
fn emitted_scripts_make_the_table_of_one_process() {
    for (plan, suffix) in [("plan.toml", ""), ("a plan's.toml", " of $HOME")] {
        let (home, path) = prepare(plan);
        let folder = home.path();
        for (engine, file) in [
            ("pbs", "sweep.pbs"),
            ("flux", "sweep-flux.sh"),
            ("parallel", "sweep-parallel.sh"),
        ] {
            let out = format!("{engine}{suffix}");
            let said = emit(folder, plan, &out, engine);
            assert!(said.starts_with("4 tasks, then the merge: bash "), "{said}");
            let file = format!("{out}/{file}");
            shell(folder, &path, &["bash", &file]);
            assert_eq!(results(folder, &out), results(folder, "whole"), "{engine}");
            // One that is lost is run again alone.
            if engine == "pbs" {
                let lost = folder.join(&out).join("shard-2-of-4.csv");
                let before = std::fs::read(&lost).unwrap();
                std::fs::remove_file(&lost).unwrap();
                shell(folder, &path, &["qsub", "-J", "2-2", &file]);
                assert_eq!(std::fs::read(&lost).unwrap(), before);
            }
        }
    }
}

/// The commands of the files of Kubernetes and HyperQueue, in the order that these allow.
#[test]
fn the_commands_of_kubernetes_and_hyperqueue_make_the_same_table() {
    let (home, path) = prepare("plan.toml");
    let folder = home.path();
    emit(folder, "plan.toml", "kubernetes", "kubernetes");
    let text = std::fs::read_to_string(folder.join("kubernetes/sweep-kubernetes.yaml")).unwrap();
    assert_eq!(text.matches("completions: 4").count(), 1);
    let mut commands = text
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with("exec ") || line.starts_with("until "));
    let shard = commands.next().unwrap();
    for index in ["3", "0", "2", "1"] {
        let set = format!("JOB_COMPLETION_INDEX={index}; {shard}");
        shell(folder, &path, &["sh", "-c", &set]);
    }
    shell(folder, &path, &["sh", "-c", commands.next().unwrap()]);
    assert_eq!(results(folder, "kubernetes"), results(folder, "whole"));

    emit(folder, "plan.toml", "hyperqueue", "hyperqueue");
    let text = std::fs::read_to_string(folder.join("hyperqueue/sweep-hyperqueue.toml")).unwrap();
    assert!(text.ends_with("deps = [0, 1, 2, 3]\n"));
    let commands = text
        .lines()
        .filter_map(|line| line.strip_prefix("command = "));
    for words in commands {
        let words: Vec<String> = serde_json::from_str(words).unwrap();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        shell(folder, &path, &words);
    }
    assert_eq!(results(folder, "hyperqueue"), results(folder, "whole"));
}

#[test]
fn tasks_follow_from_the_estimate_and_placeholders_are_named() {
    let (home, _) = prepare("plan.toml");
    let folder = home.path();
    let output = run(
        folder,
        &["sweep", "plan.toml", "--out", "k", "--emit", "kubernetes"],
    );
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("k/sweep-kubernetes.yaml: replace IMAGE and CLAIM"),
        "{said}"
    );
    let tasks = |minutes: &str| -> u32 {
        let plan = ["sweep", "plan.toml", "--out", "k", "--emit", "slurm"];
        let output = run(folder, &[&plan[..], &["--minutes", minutes]].concat());
        let said = String::from_utf8(output.stdout).unwrap();
        said.split(' ').next().unwrap().parse().unwrap()
    };
    // Cells of microseconds are one task, and no task has less than a cell.
    assert_eq!(tasks("5"), 1);
    assert_eq!(tasks("1e-12"), 9);
    let message = refused(
        folder,
        &[
            "sweep",
            "plan.toml",
            "--out",
            "k",
            "--emit",
            "slurm",
            "--minutes",
            "0",
        ],
    );
    assert!(message.contains("minutes above 0"), "{message}");
}

/// `merge` takes shards from several folders.
#[test]
fn shards_in_folders_of_their_own_are_merged() {
    let (home, _) = prepare("plan.toml");
    let folder = home.path();
    for index in ["0", "1", "2"] {
        let shard = format!("{index}/3");
        done(
            folder,
            &[
                "sweep",
                "run",
                "plan.toml",
                "--out",
                index,
                "--shard",
                &shard,
            ],
        );
    }
    std::fs::create_dir(folder.join("all")).unwrap();
    refused(folder, &["sweep", "merge", "all", "0", "2"]);
    done(folder, &["sweep", "merge", "all", "2", "0", "1"]);
    assert_eq!(results(folder, "all"), results(folder, "whole"));
}
