//! The property tests with a seed that no run before had. All other runs draw from the seed of `.cargo/config.toml`.

use std::hash::{BuildHasher, Hasher};
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// Returns the names of the property tests in `text`.
fn property_tests(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut inside = None;
    let mut is_test = false;
    for line in text.lines() {
        let code = line.trim_start();
        let indent = line.len() - code.len();
        if code.ends_with("proptest! {") {
            inside = Some(indent);
        } else if code == "}" && inside == Some(indent) {
            inside = None;
        } else if code == "#[test]" {
            is_test = true;
        } else if let Some(rest) = code.strip_prefix("fn ") {
            let name = rest.split(['(', '<']).next().unwrap_or(rest);
            if is_test && inside.is_some() {
                names.push(name.to_string());
            }
            is_test = false;
        }
    }
    names
}

#[test]
#[ignore = "runs all property tests once more"]
fn property_tests_hold_for_a_fresh_seed() {
    let mut paths = Vec::new();
    for folder in ["src", "tests"] {
        crate::tidy::sources(&crate::root().join(folder), &mut paths);
    }
    let mut names = Vec::new();
    for path in paths {
        names.extend(property_tests(&std::fs::read_to_string(path).unwrap()));
    }
    assert!(
        names.len() > 80,
        "only {} property tests found",
        names.len()
    );
    // The keys of a hasher are random, and know no clock.
    let seed = std::hash::RandomState::new().build_hasher().finish();
    // Not by `eprintln`, which a test that passes does not show.
    writeln!(
        std::io::stderr(),
        "{} property tests with PROPTEST_RNG_SEED={seed}",
        names.len()
    )
    .unwrap();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["test", "--offline", "--locked", "--no-fail-fast"]);
    // What the run around this one has built.
    if cfg!(feature = "parquet") {
        cargo.args(["--features", "nodeorder-cli/parquet"]);
    }
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let output = cargo
        .arg("--")
        .args(&names)
        .current_dir(crate::root())
        .env("CARGO_TARGET_DIR", target)
        .env("PROPTEST_RNG_SEED", seed.to_string())
        .env_remove("NODEORDER_SKIPPED")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let ran = said
        .lines()
        .filter(|line| line.ends_with(" ... ok"))
        .count();
    assert!(
        output.status.success() && ran >= names.len(),
        "{said}\n{}\n{ran} passed; once more: PROPTEST_RNG_SEED={seed} cargo test NAME",
        String::from_utf8_lossy(&output.stderr)
    );
}
