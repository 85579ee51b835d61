//! Runs every command that the README shows, in a folder that looks like a fresh clone.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The lines of all ```sh blocks.
fn commands() -> Vec<String> {
    let text = std::fs::read_to_string(root().join("README.md")).unwrap();
    let mut inside = false;
    let mut commands = Vec::new();
    for line in text.lines() {
        if line.starts_with("```") {
            inside = line == "```sh";
        } else if inside && !line.trim().is_empty() {
            commands.push(line.trim().to_string());
        }
    }
    commands
}

fn run(folder: &Path, arguments: &[&str]) {
    let output = Command::new(env!("CARGO_BIN_EXE_nodeorder"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "nodeorder {}: {stderr}", arguments.join(" "));
    assert!(!output.stdout.is_empty() || arguments.contains(&"-o"), "{arguments:?} said nothing");
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
    let mut ran = 0;
    for command in commands() {
        let words: Vec<&str> = command.split_whitespace().collect();
        match words.as_slice() {
            ["cargo", "run", "--release", "--", rest @ ..] | ["nodeorder", rest @ ..] => {
                run(folder.path(), rest);
                ran += 1;
            }
            // What is running now, and what has been done to get here.
            ["cargo", "test"] | ["git", "clone", _] | ["cd", _] => {}
            _ => panic!("no test runs `{command}`"),
        }
    }
    assert!(ran >= 10, "only {ran} commands found");
    let page = std::fs::read_to_string(folder.path().join("titan-orderings/index.html")).unwrap();
    assert!(page.contains("gilbert") && page.trim_end().ends_with("</html>"));
    let csv = std::fs::read_to_string(folder.path().join("titan-mpc.csv")).unwrap();
    assert_eq!(csv.lines().count(), 1 + 2 * 18_943);
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
fn files_the_readme_points_to_exist() {
    let text = std::fs::read_to_string(root().join("README.md")).unwrap();
    for link in text.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
        assert!(link.starts_with("http") || root().join(link).exists(), "{link}");
    }
}
