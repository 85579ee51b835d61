//! The last of the tests: prints how many skipped themselves in this run, and which. A program without test functions,
//! so that cargo shows what it prints; under nextest it is one test, and `.config/nextest.toml` has it run last.

mod list;

use std::collections::BTreeSet;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let has = |word: &str| arguments.iter().any(|argument| argument == word);
    if has("--list") {
        // nextest asks twice: for all tests, and for the ignored ones.
        if !has("--ignored") {
            println!("skipped_tests_are_counted: test");
        }
        return;
    }
    let path = list::path();
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let lines: BTreeSet<&str> = text.lines().collect();
    let tests: BTreeSet<&str> = lines
        .iter()
        .map(|line| line.split(": ").nth(1).unwrap_or(line))
        .collect();
    println!("\n{} tests skipped", tests.len());
    for line in lines {
        println!("{line}");
    }
    // Whoever names a list reads it later.
    if std::env::var_os("NODEORDER_SKIPPED").is_none() {
        let _ = std::fs::remove_file(path);
    }
}
