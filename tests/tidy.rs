//! Holds the source to ARCHITECTURE.md: who imports whom, what stays in which room, no circles, no long files.
//!
//! The lists of exceptions shrink: what stands in one and is mended must go from it.

mod names;
mod uses;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use names::Library;
use uses::{Source, Uses};

/// Circles between files that are to be broken.
const CIRCLES: &[&str] = &[];

/// Files above `LONGEST` lines that are to be split.
const LONG: &[&str] = &[];
const LONGEST: usize = 500;

/// Verbs whose `run` has above `LONGEST_RUN` lines.
const LONG_RUNS: &[&str] = &[];
const LONGEST_RUN: usize = 60;

/// Paragraphs of documentation that may begin with a word that leaves open what is spoken of (`words`).
const MOST_RIDDLES: usize = 100;

/// Holds what was found to a list of known exceptions: nothing new, and nothing that is no longer so.
fn only(known: &[&str], found: &BTreeSet<String>, wanted: &str) {
    let known: BTreeSet<String> = known.iter().map(|s| s.to_string()).collect();
    let new: Vec<_> = found.difference(&known).collect();
    assert!(new.is_empty(), "{wanted}: {new:#?}");
    let mended: Vec<_> = known.difference(found).collect();
    assert!(
        mended.is_empty(),
        "mended, so take it from the list in tests/tidy.rs: {mended:#?}"
    );
}

pub fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

/// `(path below src, module, text)` of every source file. The command is a crate of its own: its paths are written here as
/// those of a room `cli` beside the library's.
fn files() -> Vec<(String, String, String)> {
    let src = crate::root().join("src");
    let mut paths = Vec::new();
    sources(&src, &mut paths);
    assert!(paths.len() > 30, "the scan found the source");
    paths
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(&src).unwrap().display().to_string();
            let module = name
                .split('/')
                .next()
                .unwrap()
                .trim_end_matches(".rs")
                .to_string();
            let mut text = std::fs::read_to_string(&path).unwrap();
            if module == "cli" {
                text = text
                    .replace("crate::", "crate::cli::")
                    .replace("nodeorder::", "crate::");
            }
            (name, module, text)
        })
        .collect()
}

/// The files that are not of tests alone.
fn shipped() -> impl Iterator<Item = (String, String, String)> {
    files()
        .into_iter()
        .filter(|(name, ..)| !name.ends_with("testing.rs"))
}

/// Numbered source lines without comments and unit tests.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    without_tests(text)
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
        .map(|(i, line)| (i + 1, line))
}

fn without_tests(text: &str) -> &str {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    text.split("#[cfg(test)]\npub(crate) mod testing {")
        .next()
        .unwrap()
}

/// The rows of the table in ARCHITECTURE.md that starts with `header`: first cell to the names in the second.
fn table(header: &str) -> BTreeMap<String, Vec<String>> {
    let text = std::fs::read_to_string(crate::root().join("ARCHITECTURE.md")).unwrap();
    let (_, rest) = text
        .split_once(header)
        .unwrap_or_else(|| panic!("no table `{header}`"));
    let names = |cell: &str| {
        cell.split('`')
            .skip(1)
            .step_by(2)
            .map(str::to_string)
            .collect::<Vec<_>>()
    };
    rest.lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|line| {
            let cells: Vec<&str> = line.split('|').collect();
            (names(cells[1])[0].clone(), names(cells[2]))
        })
        .collect()
}

/// Names that follow `prefix` in a line: `crate::a::b` gives a; `crate::{a, b::c}` gives a and b.
fn named_after(line: &str, prefix: &str) -> Vec<String> {
    let ident = |s: &str| -> String {
        s.trim()
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect()
    };
    let mut names = Vec::new();
    for part in line.split(prefix).skip(1) {
        match part.strip_prefix('{') {
            Some(list) => names.extend(list.split(',').map(ident)),
            None => names.push(ident(part)),
        }
    }
    names.retain(|n| !n.is_empty());
    names
}

#[test]
fn modules_import_only_what_the_table_allows() {
    let allowed = table("| Module | May import |");
    let mut problems = Vec::new();
    for (name, module, text) in files() {
        if module == "lib" {
            continue;
        }
        let Some(may) = allowed.get(&module) else {
            problems.push(format!("{name}: module {module} is not in ARCHITECTURE.md"));
            continue;
        };
        for (line, code) in code(&text) {
            for import in named_after(code, "crate::") {
                let is_module = allowed.contains_key(&import);
                let open = ["error", "ids", module.as_str()].contains(&import.as_str());
                // Types re-exported at the root belong to `error` and `ids` or must be imported by path.
                let root_type = ["Error", "Result", "SourceLocation"].contains(&import.as_str());
                if !(open || root_type || may.contains(&import)) {
                    let what = if is_module {
                        "may not import"
                    } else {
                        "imports the unknown"
                    };
                    problems.push(format!("src/{name}:{line}: {module} {what} {import}"));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_module_has_a_line_in_the_table() {
    let allowed = table("| Module | May import |");
    for (_, module, _) in files() {
        assert!(module == "lib" || allowed.contains_key(&module), "{module}");
    }
    let all = files();
    for module in allowed.keys() {
        assert!(
            all.iter().any(|(_, m, _)| m == module),
            "{module} is in the table only"
        );
    }
}

#[test]
fn third_parties_stay_in_their_rooms() {
    let rooms = table("| Crate | Only in |");
    let mut problems = Vec::new();
    for (name, module, text) in shipped() {
        for (line, code) in code(&text) {
            for (krate, only) in &rooms {
                let used =
                    code.contains(&format!("{krate}::")) || code.contains(&format!("use {krate};"));
                // A path of ours may end in the same word.
                let ours =
                    code.contains(&format!("::{krate}::")) || code.contains(&format!("_{krate}::"));
                if used && !ours && !only.contains(&module) {
                    problems.push(format!("src/{name}:{line}: {krate} outside {only:?}"));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn only_the_command_line_touches_the_world() {
    let words = [
        "println!",
        "eprintln!",
        "print!(",
        "dbg!(",
        "std::env::",
        "Instant::",
        "SystemTime",
        "File::create",
        "fs::write",
        "fs::rename",
        "fs::remove",
        "create_dir",
        "todo!(",
        "unimplemented!(",
    ];
    let mut problems = Vec::new();
    for (name, module, text) in shipped() {
        for (line, code) in code(&text) {
            for word in words {
                if code.contains(word) && module != "cli" {
                    problems.push(format!("src/{name}:{line}: {word}"));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_file_says_what_it_is_and_is_one_room() {
    let mut long = BTreeSet::new();
    for (name, _, text) in files() {
        assert!(text.starts_with("//!"), "src/{name} lacks a //! at the top");
        let lines = text.lines().count();
        assert!(lines <= 800, "src/{name} has {lines} lines: split it");
        if lines > LONGEST {
            long.insert(name.clone());
        }
        assert!(
            !text.contains("unsafe {"),
            "src/{name}: unsafe needs a stated reason and a test"
        );
    }
    only(LONG, &long, &format!("files above {LONGEST} lines"));
}

#[test]
fn no_file_needs_another_that_needs_it() {
    let source = |(name, _, text): (String, String, String)| {
        let text = code(&text).map(|(_, line)| format!("{line}\n")).collect();
        Source { name, text }
    };
    let sources: Vec<Source> = files().into_iter().map(source).collect();
    let uses = Uses::new(&sources);
    assert!(
        uses.edges().len() > sources.len(),
        "only {} uses found",
        uses.edges().len()
    );
    let circles = uses
        .circles()
        .into_iter()
        .map(|files| files.join(" <-> "))
        .collect();
    only(CIRCLES, &circles, "circles between files");
}

/// The Python package keeps the same rule: its compiled part, and the files that users call.
#[test]
fn no_file_of_the_python_package_needs_another_that_needs_it() {
    let root = crate::root().join("python");
    let mut paths = Vec::new();
    sources(&root.join("src"), &mut paths);
    let source = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        Source {
            name,
            text: code(&text).map(|(_, line)| format!("{line}\n")).collect(),
        }
    };
    let compiled: Vec<Source> = paths
        .iter()
        .map(source)
        .filter(|s| s.name != "lib.rs")
        .collect();
    let uses = Uses::new(&compiled);
    assert!(
        uses.edges().len() > compiled.len(),
        "only {} uses found",
        uses.edges().len()
    );
    assert!(uses.circles().is_empty(), "{:?}", uses.circles());

    // Python: `from ._a import b` and `from . import _a`, wherever they stand.
    let mut texts = BTreeMap::new();
    for entry in std::fs::read_dir(root.join("nodeorder")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_string();
        if path.extension().is_some_and(|e| e == "py" || e == "pyi") && name != "__init__" {
            texts.insert(name, std::fs::read_to_string(&path).unwrap());
        }
    }
    let names: Vec<&str> = texts.keys().map(String::as_str).collect();
    let mut edges = Vec::new();
    for (from, text) in (0..).zip(texts.values()) {
        for line in text
            .lines()
            .filter_map(|line| line.trim().strip_prefix("from ."))
        {
            let words: Vec<&str> = line.split([' ', ',']).collect();
            let imported = if words[0].is_empty() {
                &words[2..]
            } else {
                &words[..1]
            };
            let index = |word: &&str| names.iter().position(|name| name == word);
            edges.extend(
                imported
                    .iter()
                    .filter_map(index)
                    .map(|to| (from, to as u32)),
            );
        }
    }
    assert!(
        edges.len() > names.len(),
        "only {} imports found",
        edges.len()
    );
    let graph = petgraph::graph::DiGraph::<(), ()>::from_edges(edges);
    for files in petgraph::algo::tarjan_scc(&graph) {
        let circle: Vec<&str> = files.iter().map(|i| names[i.index()]).collect();
        assert!(circle.len() == 1, "{circle:?}");
    }
}

/// A verb reads its options, calls what does the work, and writes: what is longer belongs elsewhere.
#[test]
fn verbs_are_thin() {
    let mut long = BTreeSet::new();
    let mut verbs = 0;
    for (name, module, text) in files() {
        if module != "cli" {
            continue;
        }
        let lines: Vec<&str> = text.lines().collect();
        for (start, line) in lines.iter().enumerate() {
            let indent = line.len() - line.trim_start().len();
            if !line
                .trim_start()
                .trim_start_matches("pub ")
                .starts_with("fn run(")
            {
                continue;
            }
            verbs += 1;
            let end = format!("{}}}", &line[..indent]);
            let length = lines[start..].iter().position(|line| *line == end).unwrap() + 1;
            if length > LONGEST_RUN {
                long.insert(name.clone());
            }
        }
    }
    assert!(verbs > 10, "only {verbs} verbs found");
    only(
        LONG_RUNS,
        &long,
        &format!("`run` of a verb above {LONGEST_RUN} lines"),
    );
}

/// Documentation names its thing first: a noun or a verb, not `Of …` or `What …`.
#[test]
fn documentation_begins_with_its_subject() {
    let mut paths = Vec::new();
    sources(&crate::root().join("src"), &mut paths);
    sources(&crate::root().join("python/src"), &mut paths);
    let mut found = Vec::new();
    for path in paths {
        let name = path
            .strip_prefix(crate::root())
            .unwrap()
            .display()
            .to_string();
        let text = std::fs::read_to_string(&path).unwrap();
        found.extend(
            words::riddles(&text)
                .iter()
                .map(|(line, says)| format!("{name}:{line}: {says}")),
        );
    }
    let count = found.len();
    assert!(
        count <= MOST_RIDDLES,
        "{}\n{count}; at most {MOST_RIDDLES}",
        found.join("\n")
    );
}

/// `tests/public_names.txt` lists the names that other crates can use, so that no change of them is an accident.
/// `UPDATE_DOCS=1` writes it anew.
#[test]
fn the_public_names_of_the_library_are_those_listed() {
    let mut library = Library::default();
    for (name, module, text) in files() {
        if module != "cli" {
            library.read(&uses::module(&name), without_tests(&text));
        }
    }
    let header = "# Names that other crates can use, by path, and their kinds; tests/tidy.rs checks \
                  and writes this list.\n";
    let found: String = library
        .public_names("nodeorder")
        .iter()
        .map(|name| format!("{name}\n"))
        .collect();
    let path = crate::root().join("tests/public_names.txt");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, format!("{header}{found}")).unwrap();
    }
    let listed = std::fs::read_to_string(&path).unwrap();
    let lines = |text: &str| -> BTreeSet<String> {
        text.lines()
            .filter(|line| !line.starts_with('#'))
            .map(String::from)
            .collect()
    };
    let (listed, found) = (lines(&listed), lines(&found));
    let (new, gone): (Vec<_>, Vec<_>) = (
        found.difference(&listed).collect(),
        listed.difference(&found).collect(),
    );
    assert!(
        new.is_empty() && gone.is_empty(),
        "tests/public_names.txt lacks {new:#?} and has {gone:#?}; meant? UPDATE_DOCS=1 writes it anew"
    );
}

/// Where cargo starts them, property tests draw the same cases in every run, and a failing one leaves no folder behind.
#[test]
fn property_tests_draw_from_a_fixed_seed_and_write_nothing() {
    let kept = std::fs::read_to_string(crate::root().join(".cargo/config.toml")).unwrap();
    for name in ["PROPTEST_DISABLE_FAILURE_PERSISTENCE", "PROPTEST_RNG_SEED"] {
        assert!(kept.contains(name), "{name}");
    }
    if std::env::var_os("CARGO").is_some() {
        let settings = proptest::test_runner::Config::default();
        assert!(settings.failure_persistence.is_none(), "{settings:?}");
        assert!(
            settings.rng_seed != proptest::test_runner::RngSeed::Random,
            "cargo reads .cargo/config.toml from where it starts: start it in the checkout"
        );
    }
}

/// Tests wait for lines, files and processes. A clock only guards against waiting for ever, in these files.
#[test]
fn no_test_measures_time() {
    let guards = [
        "tests/browser/devtools.rs",
        "tests/limits.rs",
        "tests/slurm/cluster.rs",
        "tests/tidy.rs",
    ];
    let mut paths = Vec::new();
    sources(&crate::root().join("tests"), &mut paths);
    sources(&crate::root().join("src"), &mut paths);
    for path in paths {
        let name = path
            .strip_prefix(crate::root())
            .unwrap()
            .display()
            .to_string();
        let text = std::fs::read_to_string(&path).unwrap();
        let tests = match name.starts_with("src/") {
            true => text
                .split_once("#[cfg(test)]")
                .map_or("", |(_, tests)| tests),
            false => &text,
        };
        let measures = ["Instant::", "SystemTime", "recv_timeout"]
            .iter()
            .any(|w| tests.contains(w));
        assert!(
            !measures || guards.contains(&&*name),
            "{name} measures time"
        );
    }
}

/// The project is not published: an address of it would be invented.
#[test]
fn no_address_is_invented() {
    let host = ["https://github.com", "nodeorder"].join("/");
    let mut checked = 0;
    let mut folders = vec![crate::root()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                let made = ["target", ".git"].contains(&name.as_str());
                folders.extend((!made).then_some(path));
            } else if let Ok(text) = std::fs::read_to_string(&path) {
                checked += 1;
                assert!(!text.contains(&host), "{}: {host}", path.display());
            }
        }
    }
    assert!(checked > 200, "only {checked} files found");
}

#[test]
fn the_scanner_sees_imports() {
    assert_eq!(
        named_after("use crate::topology::Topology;", "crate::"),
        ["topology"]
    );
    assert_eq!(
        named_after("use crate::{plot, report::csv};", "crate::"),
        ["plot", "report"]
    );
    assert_eq!(
        named_after("    crate::ratio::ratio(a, b)", "crate::"),
        ["ratio"]
    );
}

/// Families, methods and shipped machines are found by their names: each has its file.
#[test]
fn shipped_things_have_their_place() {
    for name in nodeorder::catalog::machines() {
        assert!(
            crate::root()
                .join(format!("topologies/{name}.toml"))
                .exists()
        );
    }
    for folder in [
        "benches",
        "docs",
        "examples",
        "orderings",
        "packaging",
        "reports",
        "topologies",
    ] {
        let mut entries = std::fs::read_dir(crate::root().join(folder)).unwrap();
        assert!(entries.next().is_some(), "{folder} is empty");
    }
}

#[test]
fn every_file_of_tests_is_part_of_the_program() {
    let main = std::fs::read_to_string(crate::root().join("tests/main.rs")).unwrap();
    for entry in std::fs::read_dir(crate::root().join("tests")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some(module) = name.strip_suffix(".rs").filter(|m| *m != "main") else {
            continue;
        };
        assert!(
            main.contains(&format!("mod {module};\n")),
            "tests/main.rs lacks `mod {module};`"
        );
    }
}
