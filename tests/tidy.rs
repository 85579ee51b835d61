//! Holds the source to ARCHITECTURE.md, where the compiler does not: storeys in their order, third parties in their
//! storeys, no circles between files, no long files, the public names.
//!
//! The lists of exceptions shrink: what stands in one and is mended must go from it.

mod names;
mod style;
mod uses;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use uses::{Source, Uses};

/// The storeys from the ground up. `trace` stands beside `network`: both are what comes in.
const STOREYS: [&str; 9] = [
    "base", "network", "trace", "order", "traffic", "jobs", "present", "sweep", "cli",
];

/// Rooms in which files still need each other in a circle, to be broken.
const CIRCLES: &[&str] = &[];

/// Files above `LONGEST` lines that are to be split.
const LONG: &[&str] = &[];
const LONGEST: usize = 500;

/// Most lines of the `run` of a verb.
const LONGEST_RUN: usize = 60;

/// Ceilings of style, storey by storey.
const STYLE: &[style::Ceilings] = &[
    style::Ceilings {
        storey: "base",
        one_word: 30,
        without_verb: 2,
        closures: 73,
        packed: 5,
        characters: 268,
        reasons: 36,
    },
    style::Ceilings {
        storey: "network",
        one_word: 18,
        without_verb: 2,
        closures: 22,
        packed: 7,
        characters: 294,
        reasons: 21,
    },
    style::Ceilings {
        storey: "trace",
        one_word: 21,
        without_verb: 2,
        closures: 82,
        packed: 13,
        characters: 275,
        reasons: 29,
    },
    style::Ceilings {
        storey: "order",
        one_word: 18,
        without_verb: 2,
        closures: 16,
        packed: 6,
        characters: 272,
        reasons: 24,
    },
    style::Ceilings {
        storey: "traffic",
        one_word: 18,
        without_verb: 2,
        closures: 20,
        packed: 4,
        characters: 270,
        reasons: 23,
    },
    style::Ceilings {
        storey: "jobs",
        one_word: 13,
        without_verb: 2,
        closures: 13,
        packed: 4,
        characters: 266,
        reasons: 23,
    },
    style::Ceilings {
        storey: "present",
        one_word: 22,
        without_verb: 2,
        closures: 54,
        packed: 2,
        characters: 295,
        reasons: 30,
    },
    style::Ceilings {
        storey: "sweep",
        one_word: 23,
        without_verb: 4,
        closures: 79,
        packed: 2,
        characters: 279,
        reasons: 49,
    },
    style::Ceilings {
        storey: "cli",
        one_word: 17,
        without_verb: 2,
        closures: 37,
        packed: 7,
        characters: 290,
        reasons: 34,
    },
];

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

/// Returns `(path below src, storey, text)` of every source file of the storeys. Paths into another storey are written
/// as if all were one crate: `nodeorder_base::error` as `crate::base::error`.
fn files() -> Vec<(String, String, String)> {
    let src = crate::root().join("src");
    let mut paths = Vec::new();
    sources(&src, &mut paths);
    assert!(paths.len() > 30, "the scan found the source");
    let mut files = Vec::new();
    for path in paths {
        let name = path.strip_prefix(&src).unwrap().display().to_string();
        let Some((storey, _)) = name.split_once('/') else {
            // The facade only hands on.
            continue;
        };
        let storey = storey.to_string();
        let text = std::fs::read_to_string(&path).unwrap();
        let text = text
            .replace("crate::", &format!("crate::{storey}::"))
            .replace("nodeorder_", "crate::");
        files.push((name, storey, text));
    }
    files
}

/// The files that are not of tests alone.
fn shipped() -> impl Iterator<Item = (String, String, String)> {
    files()
        .into_iter()
        .filter(|(name, ..)| !name.ends_with("testing.rs") && !name.ends_with("/tests.rs"))
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

/// The names of a manifest's dependencies, ours left out; `workspace.dependencies` of the root.
fn dependencies(manifest: &str, section: &str) -> BTreeSet<String> {
    let text = std::fs::read_to_string(crate::root().join(manifest)).unwrap();
    let document: toml::Table = text.parse().unwrap();
    let mut table = &document;
    for key in section.split('.') {
        table = table[key].as_table().unwrap();
    }
    let names = table.keys().filter(|name| !name.starts_with("nodeorder"));
    names.cloned().collect()
}

/// A crate that few storeys use is named in ARCHITECTURE.md with these storeys; the compiler holds the rest.
#[test]
fn third_parties_stay_in_their_storeys() {
    let listed = table("| Crate | Storeys |");
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for storey in STOREYS {
        for name in dependencies(&format!("src/{storey}/Cargo.toml"), "dependencies") {
            found.entry(name).or_default().push(storey.to_string());
        }
    }
    assert_eq!(listed, found);
    let shared = dependencies("Cargo.toml", "workspace.dependencies");
    for name in found.keys() {
        assert!(
            shared.contains(name),
            "{name}: its version belongs to the workspace's manifest"
        );
    }
}

/// The storeys from the ground up: each may use those before it, and no other.
#[test]
fn storeys_use_only_what_is_below() {
    for (i, storey) in STOREYS.iter().enumerate() {
        let path = crate::root().join(format!("src/{storey}/Cargo.toml"));
        let text = std::fs::read_to_string(path).unwrap();
        let document: toml::Table = text.parse().unwrap();
        for section in ["dependencies", "dev-dependencies"] {
            for name in document[section].as_table().unwrap().keys() {
                // The examples, which are tested with the command, use the facade.
                let Some(below) = name.strip_prefix("nodeorder-") else {
                    continue;
                };
                assert!(STOREYS[..i].contains(&below), "{storey} uses {below}");
            }
        }
    }
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
    let circles = uses.circles();
    let rooms = circles.iter().map(|files| common_room(files)).collect();
    only(
        CIRCLES,
        &rooms,
        &format!("circles between files: {circles:#?}"),
    );
}

/// Returns the innermost folder that all files lie in.
fn common_room(files: &[&str]) -> String {
    let mut room = Path::new(files[0]).parent().unwrap();
    while !files.iter().all(|file| Path::new(file).starts_with(room)) {
        room = room.parent().unwrap();
    }
    room.display().to_string()
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
fn runs_of_commands_are_short() {
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
    assert!(
        long.is_empty(),
        "`run` of a verb above {LONGEST_RUN} lines: {long:#?}"
    );
}

/// Each storey speaks at least as plainly as it did: ceilings that only fall.
#[test]
fn code_speaks_plainly() {
    let mut found = Vec::new();
    for ceilings in STYLE {
        let files = style::storey_files(&crate::root(), ceilings.storey);
        found.extend(style::StyleCounts::of_files(&files).compare(ceilings));
    }
    let storeys: Vec<&str> = STYLE.iter().map(|ceilings| ceilings.storey).collect();
    assert_eq!(storeys, STOREYS);
    assert!(found.is_empty(), "{found:#?}");
}

/// `tests/public_names.txt` lists the names that the facade hands on, so that no change of them is an accident.
/// `UPDATE_DOCS=1` writes it anew.
#[test]
fn the_public_names_of_the_library_are_those_listed() {
    let text = std::fs::read_to_string(crate::root().join("src/lib.rs")).unwrap();
    let names = names::public(&text);
    assert!(names.len() <= 280, "{} public names", names.len());
    let header =
        "# Names that other programs can use; tests/tidy.rs checks and writes this list.\n";
    let found: String = names.iter().map(|name| format!("{name}\n")).collect();
    let path = crate::root().join("tests/public_names.txt");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, format!("{header}{found}")).unwrap();
    }
    let listed = std::fs::read_to_string(&path).unwrap();
    assert_eq!(
        listed,
        format!("{header}{found}"),
        "meant? UPDATE_DOCS=1 writes tests/public_names.txt anew"
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

/// Families, methods and shipped machines are found by their names: each has its file.
#[test]
fn shipped_things_have_their_place() {
    for name in nodeorder_network::catalog::machine_names() {
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
