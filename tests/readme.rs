//! Runs every command that the README and the guides show, each text in a folder of its own.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A step of a text: a file it shows (```text file=NAME), or a line of a ```sh block.
enum Step {
    File(String, String),
    Command(String),
}

fn steps(text: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(kind) = line.strip_prefix("```") else { continue };
        let block = lines.by_ref().take_while(|line| !line.starts_with("```"));
        if let Some((_, name)) = kind.split_once(" file=") {
            let text: String = block.map(|line| format!("{line}\n")).collect();
            steps.push(Step::File(name.to_string(), text));
        } else if kind == "sh" {
            let shown = block.filter(|line| !line.trim().is_empty());
            steps.extend(shown.map(|line| Step::Command(line.trim().to_string())));
        } else {
            block.for_each(drop);
        }
    }
    steps
}

/// Runs all commands of a text in `folder`; how many.
fn run_all(text: &str, folder: &Path) -> usize {
    let mut ran = 0;
    for step in steps(text) {
        let command = match step {
            Step::File(name, text) => {
                std::fs::write(folder.join(name), text).unwrap();
                continue;
            }
            Step::Command(command) => command,
        };
        let words: Vec<&str> = command.split_whitespace().collect();
        match words.as_slice() {
            ["cargo", "run", "--release", "--", rest @ ..] | ["nodeorder", rest @ ..] => {
                run(folder, rest);
                ran += 1;
            }
            // What is running now, and what has been done to get here.
            ["cargo", "test"]
            | ["cargo", "build", "--release", "--locked"]
            | ["cargo", "install", "--path", ".", "--locked"] => {}
            _ => panic!("no test runs `{command}`"),
        }
    }
    ran
}

fn run(folder: &Path, arguments: &[&str]) {
    let output = Command::new(env!("CARGO_BIN_EXE_nodeorder"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "nodeorder {}: {stderr}", arguments.join(" "));
    let elsewhere = arguments.contains(&"-o") || arguments.contains(&"--out");
    assert!(!output.stdout.is_empty() || elsewhere, "{arguments:?} said nothing");
}

#[test]
fn every_command_of_the_readme_works() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("topologies")).unwrap();
    for entry in std::fs::read_dir(root().join("topologies")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_owned();
        std::fs::copy(&path, folder.path().join("topologies").join(name)).unwrap();
    }
    let text = std::fs::read_to_string(root().join("README.md")).unwrap();
    let ran = run_all(&text, folder.path());
    assert!(ran >= 10, "only {ran} commands found");
    let page = std::fs::read_to_string(folder.path().join("titan-orderings/index.html")).unwrap();
    assert!(page.contains("gilbert") && page.trim_end().ends_with("</html>"));
    let csv = std::fs::read_to_string(folder.path().join("titan-mpc.csv")).unwrap();
    assert_eq!(csv.lines().count(), 1 + 2 * 18_943);
}

#[test]
fn every_command_of_the_guide_works() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(root().join("docs/guide.md")).unwrap();
    let ran = run_all(&text, folder.path());
    assert!(ran >= 20, "only {ran} commands found");
    for file in ["our-orderings/index.html", "cplant-october/index.html", "bought/index.html"] {
        let page = std::fs::read_to_string(folder.path().join(file)).unwrap();
        assert!(page.trim_end().ends_with("</html>"), "{file}");
    }
    // The ordering made for these sizes is no worse at them than the hierarchy it started from.
    let ours = std::fs::read_to_string(folder.path().join("ours.txt")).unwrap();
    assert_eq!(ours.lines().filter(|line| !line.starts_with('#')).count(), 64);
}

/// The TOML example is a machine.
#[test]
fn the_machine_of_the_readme_builds() {
    let text = std::fs::read_to_string(root().join("README.md")).unwrap();
    let toml = text.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let toml = nodeorder::input::Text::new("ours.toml", toml);
    let machine = nodeorder::Topology::toml(&toml, None, &Default::default()).unwrap();
    assert_eq!(machine.node_count(), 4600 - 5);
    assert_eq!(machine.node_name(nodeorder::NodeId(18)), "nid00018");
}

#[test]
fn files_the_texts_point_to_exist() {
    for name in
        ["README.md", "docs/guide.md", "docs/sweeps.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]
    {
        let path = root().join(name);
        let text = std::fs::read_to_string(&path).unwrap();
        for link in text.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
            let beside = path.parent().unwrap().join(link);
            assert!(link.starts_with("http") || beside.exists(), "{name}: {link}");
        }
    }
}
