//! The command at a terminal: widths, colours, Ctrl-C, completions, manual pages, the version.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

fn nodeorder(arguments: &[&str]) -> Command {
    let mut command = crate::command();
    command.args(arguments);
    command
}

fn done(arguments: &[&str]) -> String {
    text(nodeorder(arguments).output().unwrap())
}

fn text(output: Output) -> String {
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// Whether a program that a test outputs is here; says so where it is not.
fn have(program: &str, test: &str) -> bool {
    let found = Command::new("sh")
        .args(["-c", &format!("command -v {program}")])
        .output()
        .unwrap();
    if !found.status.success() {
        crate::skip::skipped(&format!("terminal::{test}"), &format!("needs {program}"));
    }
    found.status.success()
}

#[test]
fn tables_and_lists_fit_the_terminal() {
    for width in [40usize, 60, 80, 100] {
        for arguments in [
            &["compare", "torus:6x5x4"][..],
            &[
                "compare",
                "cascade:4x3x5,per_router=2",
                "--order",
                "hierarchical:scatter=true",
            ],
            &["list", "topologies"],
            &["list", "allocators"],
            &["list", "policies"],
            &["list", "routings"],
            &["list", "orderings", "optimise"],
            &["list", "topologies", "torus"],
            &[
                "map",
                "torus:4x4",
                "--guest",
                "ring:n=16",
                "--order",
                "snake",
                "--routing",
                "ecmp-hop",
            ],
        ] {
            let output = nodeorder(arguments)
                .env("COLUMNS", width.to_string())
                .output()
                .unwrap();
            for line in text(output).lines() {
                // A word that is longer than the terminal stands alone.
                let words = line.split_whitespace().count();
                assert!(
                    line.chars().count() <= width || words == 1,
                    "{arguments:?} at {width}: {} columns\n{line}",
                    line.chars().count()
                );
            }
        }
    }
}

#[test]
fn lists_stay_a_line_each_in_a_pipe() {
    for what in nodeorder_sweep::reference::list_tables()
        .iter()
        .map(|table| table.name)
    {
        let output = nodeorder(&["list", what])
            .env_remove("COLUMNS")
            .output()
            .unwrap();
        let lines = text(output).lines().count();
        let json = done(&["list", what, "--json"]);
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(lines, json.as_array().unwrap().len(), "{what}");
        for entry in json.as_array().unwrap() {
            let about = entry["about"].as_str().unwrap();
            assert!(
                !about.is_empty() && about.chars().count() <= 130,
                "{what}: {about}"
            );
            let name = entry["name"].as_str().unwrap();
            let one = done(&["list", what, name, "--json"]);
            assert_eq!(
                *entry,
                serde_json::from_str::<serde_json::Value>(&one).unwrap()
            );
            let help = text(
                nodeorder(&["list", what, name])
                    .env_remove("COLUMNS")
                    .output()
                    .unwrap(),
            );
            for option in entry["options"].as_array().unwrap() {
                let key = format!("\n  {}\n", option["key"].as_str().unwrap());
                assert!(help.contains(&key), "{what} {name}: {key}");
            }
        }
    }
}

#[test]
fn no_colour_where_it_is_not_wanted() {
    if !have("script", "no_colour_where_it_is_not_wanted") {
        return;
    }
    let at_terminal = |name: &str, value: &str| {
        let command = format!("{} --help", env!("CARGO_BIN_EXE_nodeorder"));
        let mut script = Command::new("script");
        script
            .args(["-qec", &command, "/dev/null"])
            .env("TERM", "xterm-256color");
        script
            .env_remove("NO_COLOR")
            .env(name, value)
            .stdin(Stdio::null());
        text(script.output().unwrap())
    };
    assert!(
        at_terminal("NODEORDER_TEST", "1").contains("\u{1b}["),
        "a terminal gets some"
    );
    assert!(!at_terminal("NO_COLOR", "1").contains("\u{1b}["));
}

/// Waits until the folder holds a file whose name the judge likes; false where the child ends without.
fn wait_for(child: &mut Child, folder: &Path, judge: impl Fn(&str) -> bool) -> bool {
    loop {
        let ended = child.try_wait().unwrap().is_some();
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            if judge(&entry.file_name().to_string_lossy()) {
                return true;
            }
        }
        if ended {
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn interrupt(pid: u32) {
    let signal = Command::new("sh")
        .args(["-c", &format!("kill -INT {pid}")])
        .status();
    assert!(signal.unwrap().success());
}

/// Each of these opens a file soon and has it open for long; the signal comes once it is there. Where the command was
/// faster, its file is whole.
#[test]
#[cfg(unix)]
fn ctrl_c_leaves_no_partial_file() {
    if !have("kill", "ctrl_c_leaves_no_partial_file") {
        return;
    }
    let log: String = (0..400_000).map(|i| format!("P {i} 3\nF {i}\n")).collect();
    for (arguments, target) in [
        (
            &[
                "trace",
                "generate",
                "hector:placements=90000000,nodes=2816,load=0.9",
                "-o",
                "out",
            ][..],
            "out",
        ),
        (
            &[
                "replay",
                "torus:12x12x12",
                "--order",
                "snake",
                "--log",
                "jobs.log",
                "--alloc",
                "gen-alg",
                "-o",
                "out",
            ],
            "out",
        ),
        (&["topology", "torus:300x200x200", "--edges", "out"], "out"),
        (
            &[
                "trace",
                "generate",
                "nersc:placements=90000000,nodes=64",
                "-o",
                "out.gz",
            ],
            "out.gz",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("jobs.log"), &log).unwrap();
        std::fs::write(folder.path().join(target), "old").unwrap();
        let mut child = nodeorder(arguments)
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let there = wait_for(&mut child, folder.path(), |name| {
            name.starts_with(".nodeorder-")
        });
        if there {
            interrupt(child.id());
        }
        let code = child.wait().unwrap().code();
        let mut names: Vec<_> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["jobs.log", target], "{arguments:?}");
        let text = std::fs::read(folder.path().join(target)).unwrap();
        match code {
            Some(0) => assert!(text.len() > 3, "{arguments:?}"),
            _ => assert_eq!((code, &text[..]), (Some(130), &b"old"[..]), "{arguments:?}"),
        }
    }
}

/// A search ends with what it has; the file is whole. At a terminal it prints what it has so far: the signal comes
/// after the first such line.
#[test]
#[cfg(unix)]
fn ctrl_c_ends_a_search_with_the_best_so_far() {
    let name = "ctrl_c_ends_a_search_with_the_best_so_far";
    if !have("kill", name) || !have("script", name) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let search = "order torus:8x8 --by optimise:steps=1000000000000 -o best.txt";
    let command = format!(
        "echo $$; exec '{}' {search}",
        env!("CARGO_BIN_EXE_nodeorder")
    );
    let mut script = Command::new("script");
    script
        .args(["-qec", &command, "/dev/null"])
        .env("SHELL", "/bin/sh")
        .stdin(Stdio::null());
    let mut child = script
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut screen = BufReader::new(child.stdout.take().unwrap());
    let mut next = || {
        let mut line = String::new();
        assert!(screen.read_line(&mut line).unwrap() > 0, "the search ended");
        line
    };
    let pid = next().trim().parse().unwrap();
    while !next().contains("objective") {}
    interrupt(pid);
    let mut told = String::new();
    screen.read_to_string(&mut told).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{told}");
    // Where the search did not stop in time it is ended, and there is no file.
    let Ok(order) = std::fs::read_to_string(folder.path().join("best.txt")) else {
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        return;
    };
    assert!(told.contains("(stopped)"), "{told}");
    assert_eq!(
        order.lines().filter(|line| !line.starts_with('#')).count(),
        64
    );
}

#[test]
fn completions_complete() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = done(&["completions", shell]);
        assert!(
            script.contains("--per") || script.contains("procs-per-node"),
            "{shell}"
        );
    }
    if !have("bash", "completions_complete") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nodeorder.bash");
    std::fs::write(&path, done(&["completions", "bash"])).unwrap();
    let complete = |line: &[&str]| {
        let words: Vec<String> = line.iter().map(|word| format!("'{word}'")).collect();
        let (last, before) = (line[line.len() - 1], line[line.len() - 2]);
        let program = format!(
            "source '{}'; COMP_WORDS=({}); COMP_CWORD={}; _nodeorder nodeorder '{last}' '{before}'; \
             printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            path.display(),
            words.join(" "),
            line.len() - 1
        );
        text(
            Command::new("bash")
                .args(["-c", &program])
                .output()
                .unwrap(),
        )
    };
    assert_eq!(complete(&["nodeorder", "comp"]), "compare\ncompletions\n");
    assert_eq!(complete(&["nodeorder", "list", "ro"]), "routings\n");
    assert!(complete(&["nodeorder", "mpc", "--s"]).contains("--sizes"));
}

#[test]
fn manual_pages_stand_for_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("man");
    done(&["man", "--out", out.to_str().unwrap()]);
    let mut names: Vec<String> = std::fs::read_dir(&out)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert!(
        names.contains(&"nodeorder.1".into()) && names.contains(&"nodeorder-trace-info.1".into())
    );
    let help = done(&["--help"]);
    let verbs = help
        .lines()
        .skip(1)
        .take_while(|line| !line.starts_with("Every command"));
    let verbs = verbs.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let verbs: Vec<&str> = verbs.filter(|verb| !verb.is_empty()).collect();
    assert_eq!(verbs.len(), 24, "{help}");
    for verb in verbs {
        assert!(
            names.contains(&format!("nodeorder-{verb}.1")),
            "{verb}: {names:?}"
        );
    }
    let one = done(&["man", "mpc"]);
    assert_eq!(
        one,
        std::fs::read_to_string(out.join("nodeorder-mpc.1")).unwrap()
    );
    assert!(
        [
            ".SH OPTIONS",
            ".SH EXAMPLES\n.nf\nnodeorder mpc",
            ".SH FILES",
            ".SH EXIT STATUS",
            ".SH SEE ALSO"
        ]
        .iter()
        .all(|section| one.contains(section)),
        "{one}"
    );
    assert_eq!(
        done(&["man"]),
        std::fs::read_to_string(out.join("nodeorder.1")).unwrap()
    );
    if have("man", "manual_pages_stand_for_every_command") {
        for name in &names {
            let mut page = Command::new("man");
            page.args(["--warnings", "-l"]).arg(out.join(name));
            let mut page = page
                .env("MANWIDTH", "80")
                .env("LC_ALL", "C.UTF-8")
                .output()
                .unwrap();
            page.stderr.retain(|b| *b != b'\n');
            assert!(
                page.status.success() && page.stderr.is_empty(),
                "{name}: {page:?}"
            );
        }
    }
}

#[test]
fn the_version_says_what_was_built() {
    let short = done(&["-V"]);
    assert_eq!(short, format!("nodeorder {}\n", env!("CARGO_PKG_VERSION")));
    let long = done(&["--version"]);
    let keys: Vec<&str> = long
        .lines()
        .skip(1)
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert!(
        long.starts_with(&short) && keys == ["commit", "target", "profile", "rustc"],
        "{long}"
    );
    for line in long.lines().skip(1) {
        assert!(line.split_whitespace().count() >= 2, "{long}");
    }
    let mut rustc = Command::new(std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into()));
    let rustc = text(rustc.arg("-V").output().unwrap());
    let number = rustc.split(' ').nth(1).unwrap();
    assert!(long.contains(number), "{long} of {rustc}");
    assert_eq!(done(&["mpc", "--version"]).lines().count(), 5);
}
