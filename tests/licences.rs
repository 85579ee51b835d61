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
    if let Some((group, rest)) = expression.strip_prefix('(').and_then(|e| e.split_once(") AND ")) {
        return allowed(group) && allowed(rest);
    }
    expression
        .replace(['(', ')'], "")
        .split(" OR ")
        .any(|way| way.split(" AND ").all(|licence| ALLOWED.contains(&licence.trim())))
}

#[test]
fn every_dependency_may_be_shipped() {
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
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
