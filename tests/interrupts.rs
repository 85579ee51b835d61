//! The first Ctrl-C ends every command with exit code 130 and leaves nothing partial.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::skip::skipped;

fn start(folder: &Path, command: &str) -> Child {
    let mut child = crate::command();
    child.args(command.split(' ')).current_dir(folder);
    child
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Sends the signal that Ctrl-C sends, and waits for the end: the code and what was said.
fn interrupt(child: Child) -> (Option<i32>, String) {
    send(child, "INT")
}

/// Sends a signal, and waits for the end: the code and what was said.
fn send(child: Child, signal: &str) -> (Option<i32>, String) {
    let kill = format!("kill -{signal} {}", child.id());
    assert!(
        Command::new("sh")
            .args(["-c", &kill])
            .status()
            .unwrap()
            .success()
    );
    let output = child.wait_with_output().unwrap();
    (
        output.status.code(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

/// Makes a pipe with a name; false where that cannot be.
fn pipe(path: &Path) -> bool {
    Command::new("mkfifo")
        .arg(path)
        .status()
        .is_ok_and(|status| status.success())
}

/// Every file below `folder` with its text; folders end in a slash.
fn contents(folder: &Path) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            let inner = contents(&path).into_iter();
            all.extend(inner.map(|(inner, text)| (format!("{name}/{inner}"), text)));
            all.insert(format!("{name}/"), String::new());
        } else if path.is_file() {
            all.insert(name, fs::read_to_string(&path).unwrap());
        }
    }
    all
}

/// Each command waits for a pipe that nothing comes from: it has begun once the other end opens.
#[test]
fn every_command_ends_at_once_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    if !pipe(&folder.join("pipe")) {
        return skipped("every_command_ends_at_once_and_leaves_nothing", "no mkfifo");
    }
    fs::write(folder.join("out"), "old").unwrap();
    fs::write(folder.join("g.csv"), "0,1,1\n").unwrap();
    fs::create_dir(folder.join("used")).unwrap();
    fs::write(folder.join("used/mine.txt"), "mine").unwrap();
    let before = contents(folder);
    let machine = "torus:4x4";
    for command in [
        "trace info pipe",
        "trace convert pipe -o out",
        &format!("replay {machine} --order snake --alloc fifo:0 --log pipe -o out --plots used"),
        &format!(
            "schedule {machine} --order snake --policy easy --alloc fifo:0 --trace pipe --plots new"
        ),
        &format!("compare {machine} --trace pipe --out new/folder"),
        &format!("machines {machine} mesh:4x4 --trace pipe --out used"),
        &format!("mpc {machine} --order pipe -o out"),
        &format!("map {machine} --guest g.csv --mapping pipe -o out"),
        &format!("export {machine} --order pipe --to csv -o out"),
        "topology graph:pipe --edges out",
        &format!("order {machine} --by pipe -o out"),
        "sweep pipe --out new",
    ] {
        let child = start(folder, command);
        let sender = File::options()
            .write(true)
            .open(folder.join("pipe"))
            .unwrap();
        let (code, said) = interrupt(child);
        drop(sender);
        assert_eq!(code, Some(130), "{command}: {said}");
        assert_eq!(contents(folder), before, "{command}");
    }
}

/// A replay in the middle of its rows: the file it writes goes, the old one stays.
#[test]
fn an_interrupted_replay_leaves_the_old_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    if !pipe(&folder.join("pipe")) {
        return skipped("an_interrupted_replay_leaves_the_old_file", "no mkfifo");
    }
    fs::write(folder.join("out"), "old").unwrap();
    let child = start(
        folder,
        "replay torus:4x4 --order snake --alloc fifo:0 --log pipe -o out",
    );
    let mut sender = File::options()
        .write(true)
        .open(folder.join("pipe"))
        .unwrap();
    // More than is read ahead: the last of it is taken only when the first blocks are done.
    (0..50_000).for_each(|i| writeln!(sender, "P job-{i} 3\nF job-{i}").unwrap());
    assert!(contents(folder).len() > 1, "no file was being written");
    let (code, _) = interrupt(child);
    assert_eq!(code, Some(130));
    assert_eq!(
        contents(folder),
        BTreeMap::from([("out".into(), "old".into())])
    );
}

/// A search that is stopped writes its best ordering, whole, and says so by its code.
#[test]
fn a_search_keeps_its_best() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    if !pipe(&folder.join("pipe")) {
        return skipped("a_search_keeps_its_best", "no mkfifo");
    }
    for search in [
        "optimise:weights=workload,sizes=pipe,steps=1000000000000",
        "ilp:weights=workload,sizes=pipe,solver=microlp",
    ] {
        let child = start(folder, &format!("order torus:4x5 --by {search} -o best"));
        let mut sender = File::options()
            .write(true)
            .open(folder.join("pipe"))
            .unwrap();
        sender.write_all(b"size,share\n4,1\n").unwrap();
        drop(sender);
        let (code, said) = interrupt(child);
        assert_eq!(code, Some(130), "{said}");
        // Where the search did not stop in time it is ended, and there is no file.
        if let Some(text) = contents(folder).get("best") {
            assert!(said.contains("(stopped)"), "{said}");
            assert!(text.contains(", stopped\n") && text.contains("# ended by the clock"));
            assert_eq!(
                text.lines().filter(|line| !line.starts_with('#')).count(),
                20
            );
            fs::remove_file(folder.join("best")).unwrap();
        }
        fs::remove_file(folder.join("pipe")).unwrap();
        assert!(contents(folder).is_empty());
        assert!(pipe(&folder.join("pipe")));
    }
}

/// A sweep says how it goes on; its journal stays, and the end is that of a calm run.
#[test]
fn a_sweep_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("jobs.log"), "P a 3\nP b 2\nF a\n").unwrap();
    let cells = (1..200)
        .map(|seed| seed.to_string())
        .collect::<Vec<_>>()
        .join(", ");
    let plan = format!(
        "name = 'p'\ntopologies = ['torus:12x12']\norderings = ['random', 'spectral']\nallocators = ['gen-alg']\n\
         logs = ['jobs.log']\nseeds = [{cells}]\n"
    );
    fs::write(folder.join("p.toml"), plan).unwrap();
    let mut child = start(folder, "sweep p.toml --out s");
    let mut done = false;
    while !done && !folder.join("s/sweep.journal").exists() {
        std::thread::yield_now();
        done = child.try_wait().unwrap().is_some();
    }
    // It may be done before this test looks.
    if let Some((code, said)) = (!done).then(|| interrupt(child))
        && code == Some(130)
    {
        if !said.is_empty() {
            assert_eq!(
                said,
                "s: interrupted: the same command goes on where it stopped\n"
            );
        }
        assert!(!folder.join("s/results.csv").exists());
    }
    let run = |out: &str| {
        let output = start(folder, &format!("sweep p.toml --out {out}"))
            .wait_with_output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        fs::read_to_string(folder.join(out).join("results.csv")).unwrap()
    };
    assert_eq!(run("s"), run("calm"));
}

/// What Slurm, Kubernetes and terminals send does what Ctrl-C does.
#[test]
fn term_and_hup_leave_nothing_either() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    if !pipe(&folder.join("pipe")) {
        return skipped("term_and_hup_leave_nothing_either", "no mkfifo");
    }
    fs::write(folder.join("out"), "old").unwrap();
    let before = contents(folder);
    for (signal, code) in [("TERM", 143), ("HUP", 129)] {
        let command = "replay torus:4x4 --order snake --alloc fifo:0 --log pipe -o out --plots new";
        let child = start(folder, command);
        let sender = File::options()
            .write(true)
            .open(folder.join("pipe"))
            .unwrap();
        let (found, said) = send(child, signal);
        drop(sender);
        assert_eq!(found, Some(code), "{signal}: {said}");
        assert_eq!(contents(folder), before, "{signal}");
    }
}

/// A killed command cannot clean up; the next one in its folder does, and touches nothing that is in use.
#[test]
fn the_next_command_removes_what_a_killed_one_left() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // A pipe each: what a killed reader left unread would come to the next one.
    if !pipe(&folder.join("pipe-one")) || !pipe(&folder.join("pipe-two")) {
        return skipped(
            "the_next_command_removes_what_a_killed_one_left",
            "no mkfifo",
        );
    }
    let left = || {
        let names = fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().file_name());
        let names = names.map(|name| name.to_string_lossy().into_owned());
        names.filter(|name| name.starts_with(".nodeorder-")).count()
    };
    let mut senders = Vec::new();
    let mut begin = |out: &str| {
        let pipe = format!("pipe-{out}");
        let command =
            format!("replay torus:4x4 --order snake --alloc fifo:0 --log {pipe} -o {out}");
        let child = start(folder, &command);
        let mut sender = File::options().write(true).open(folder.join(pipe)).unwrap();
        let count = left();
        // The file is begun with the first event.
        sender.write_all(b"P 1 2\n").unwrap();
        for id in 2..200_000 {
            let lines = format!("F {}\nP {id} 2\n", id - 1);
            if left() > count || sender.write_all(lines.as_bytes()).is_err() {
                break;
            }
        }
        senders.push(sender);
        child
    };
    let killed = begin("one");
    send(killed, "KILL");
    assert_eq!(left(), 1);
    fs::create_dir(folder.join(".nodeorder-x.tmp")).unwrap();
    fs::write(folder.join(".nodeorder-x.tmp/page"), "half").unwrap();
    fs::write(folder.join(".nodeorder-y.txt"), "mine").unwrap();
    // One that still runs keeps its file.
    let running = begin("two");
    assert_eq!(
        left(),
        2,
        "of the one that runs, and what is no temporary file"
    );
    let status = crate::command()
        .args(["order", "torus:4x4", "--by", "snake", "-o", "three"])
        .current_dir(folder)
        .status();
    assert!(status.unwrap().success());
    assert_eq!(left(), 2);
    send(running, "TERM");
    assert_eq!(left(), 1);
    assert!(folder.join(".nodeorder-y.txt").exists() && folder.join("three").exists());
}
