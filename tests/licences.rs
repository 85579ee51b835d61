//! Every dependency must allow distribution under MIT or Apache-2.0.

use std::process::Command;

const ALLOWED: [&str; 13] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "OFL-1.1",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Whether one of the alternatives of an SPDX expression consists of allowed licences. Parentheses group
/// alternatives inside a conjunction in none of our dependencies but `(A OR B) AND C`.
fn allowed(expression: &str) -> bool {
    let expression = expression.replace('/', " OR ");
    if let Some((group, rest)) = expression
        .strip_prefix('(')
        .and_then(|e| e.split_once(") AND "))
    {
        return allowed(group) && allowed(rest);
    }
    expression.replace(['(', ')'], "").split(" OR ").any(|way| {
        way.split(" AND ")
            .all(|licence| ALLOWED.contains(&licence.trim()))
    })
}

#[test]
fn every_dependency_may_be_shipped() {
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(crate::root())
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&metadata.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 50);
    let refused: Vec<String> = packages
        .iter()
        .filter(|p| !allowed(p["license"].as_str().unwrap_or_default()))
        .map(|p| format!("{} ({})", p["name"], p["license"]))
        .collect();
    assert!(refused.is_empty(), "{}", refused.join(", "));
}

#[test]
fn expressions_are_understood() {
    assert!(allowed("MIT OR GPL-3.0"));
    assert!(allowed("(MIT OR Apache-2.0) AND Unicode-3.0"));
    assert!(allowed("Unlicense/MIT"));
    assert!(!allowed("MIT AND GPL-3.0"));
    assert!(!allowed("BSD-3-Clause-Clear"));
    assert!(!allowed(""));
}

/// The crates that a build of `package` takes on this platform, itself left out.
fn crates(package: &str) -> usize {
    let output = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--locked",
            "--package",
            package,
            "--edges",
            "normal,build",
        ])
        .args(["--prefix", "none", "--format", "{p}"])
        .current_dir(crate::root())
        .output()
        .unwrap();
    let tree = String::from_utf8(output.stdout).unwrap();
    let names: std::collections::BTreeSet<&str> = tree
        .lines()
        .map(|line| line.trim_end_matches(" (*)"))
        .filter(|line| !line.is_empty())
        .collect();
    assert!(
        names
            .iter()
            .any(|name| name.starts_with(&format!("{package} "))),
        "{tree}"
    );
    names.len() - 1
}

/// Holds CONTRIBUTING.md to the number of dependencies.
#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn the_stated_number_of_dependencies_is_true() {
    let root = crate::root();
    let text = std::fs::read_to_string(root.join("CONTRIBUTING.md")).unwrap();
    let (command, library) = (crates("nodeorder-cli"), crates("nodeorder"));
    let stated = format!("takes {command} crates, the library alone {library}");
    assert!(
        text.contains(&stated),
        "CONTRIBUTING.md should say: {stated}"
    );
}

/// deny.toml, for cargo-deny, and this file allow the same.
#[test]
fn deny_toml_allows_the_licences_that_this_test_allows() {
    let root = crate::root();
    let text = std::fs::read_to_string(root.join("deny.toml")).unwrap();
    let (_, list) = text.split_once("allow = [").unwrap();
    let (list, _) = list.split_once(']').unwrap();
    let names: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
    assert_eq!(names, ALLOWED);
}

#[test]
fn cargo_deny_finds_nothing() {
    let there = Command::new(env!("CARGO"))
        .args(["deny", "--version"])
        .output();
    if !there.is_ok_and(|output| output.status.success()) {
        crate::skip::skipped("licences::cargo_deny_finds_nothing", "needs cargo-deny");
        return;
    }
    let output = Command::new(env!("CARGO"))
        .args(["deny", "--offline", "check", "bans", "licenses", "sources"])
        .current_dir(crate::root())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
