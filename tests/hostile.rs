//! Hostile input: the seeds of every parser, mutated; what fuzzing found before; numbers beyond every range. The same
//! drivers are fuzzed at length with cargo-fuzz (CONTRIBUTING.md).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use nodeorder::mapping::Guest;
use nodeorder::random::{below, generator};
use nodeorder::trace::{Log, Options, Sizes, Trace, Weight, Workload, survey};
use nodeorder::{Error, NodeOrder, Topology};

mod drivers;

use drivers::{CONTEXT, DRIVERS, Driver};

fn data() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/hostile")
}

/// The files of a folder in the order of their names.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), std::fs::read(&path).unwrap())).collect()
}

/// The words of a libFuzzer dictionary: `"…"` a line, `\xNN` for bytes.
fn words(name: &str) -> Vec<Vec<u8>> {
    let text = std::fs::read_to_string(data().join(format!("{name}.dict"))).unwrap();
    let word = |line: &str| {
        let line = line.strip_prefix('"').unwrap().strip_suffix('"').unwrap();
        let mut parts = line.split("\\x");
        let mut word = parts.next().unwrap().as_bytes().to_vec();
        for part in parts {
            word.push(u8::from_str_radix(&part[..2], 16).unwrap());
            word.extend(&part.as_bytes()[2..]);
        }
        word
    };
    text.lines().map(word).collect()
}

fn feed(driver: &Driver, bytes: &[u8], from: &Path) {
    if catch_unwind(AssertUnwindSafe(|| (driver.feed)(bytes))).is_err() {
        panic!("{} fails on `{}`, made of {}", driver.name, bytes.escape_ascii(), from.display());
    }
}

/// Flips, cuts, splices, doubled and swapped lines, words of the dictionary and numbers in the place of others.
fn mutate(seed: &[u8], other: &[u8], words: &[Vec<u8>], random: &mut rand_pcg::Pcg64) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=below(4, random) {
        let at = below(bytes.len() as u64 + 1, random) as usize;
        let word = &words[below(words.len() as u64, random) as usize];
        match below(8, random) {
            0 => bytes.truncate(at),
            1 if at < bytes.len() => bytes[at] ^= 1 << below(8, random),
            2 => drop(bytes.splice(at..at, word.iter().copied())),
            3 => {
                let cut = below(other.len() as u64 + 1, random) as usize;
                bytes.truncate(at);
                bytes.extend(&other[cut..]);
            }
            4 => {
                let end = (at + below(9, random) as usize).min(bytes.len());
                bytes.drain(at..end);
            }
            5 => {
                // A number, wherever the next one stands, becomes a word.
                let digit = |b: &u8| b.is_ascii_digit();
                let Some(first) = bytes[at..].iter().position(digit).map(|i| at + i) else { continue };
                let length = bytes[first..].iter().take_while(|b| digit(b)).count();
                bytes.splice(first..first + length, word.iter().copied());
            }
            6 => {
                let mut lines: Vec<&[u8]> = bytes.split_inclusive(|b| *b == b'\n').collect();
                if !lines.is_empty() {
                    let (a, b) = (below(lines.len() as u64, random), below(lines.len() as u64, random));
                    match below(3, random) {
                        0 => lines.swap(a as usize, b as usize),
                        1 => lines.insert(a as usize, lines[b as usize]),
                        _ => drop(lines.remove(a as usize)),
                    }
                }
                bytes = lines.concat();
            }
            _ => bytes.insert(at, below(256, random) as u8),
        }
    }
    bytes
}

/// Every seed and former finding as it is, and `count` mutations of them.
fn hold(name: &str, count: usize) {
    let driver = DRIVERS.iter().find(|driver| driver.name == name).unwrap();
    let seeds = files(&data().join(name));
    assert!(!seeds.is_empty(), "no seeds of {name}");
    let found = files(&data().join("found").join(name));
    for (path, bytes) in seeds.iter().chain(&found) {
        feed(driver, bytes, path);
    }
    let (words, mut random) = (words(name), generator(1));
    for i in 0..count {
        let (path, bytes) = &seeds[i % seeds.len()];
        let (_, other) = &seeds[below(seeds.len() as u64, &mut random) as usize];
        feed(driver, &mutate(bytes, other, &words, &mut random), path);
    }
}

macro_rules! hold {
    ($($test:ident $name:literal $count:literal,)*) => {
        $(#[test] fn $test() { hold($name, $count); })*

        #[test]
        fn every_driver_is_held_and_fuzzed() {
            let held = [$($name),*];
            let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
            for driver in DRIVERS {
                assert!(held.contains(&driver.name), "{}", driver.name);
                if fuzz.exists() {
                    assert!(fuzz.join(format!("fuzz_targets/{}.rs", driver.name)).exists());
                    let manifest = std::fs::read_to_string(fuzz.join("Cargo.toml")).unwrap();
                    assert!(manifest.contains(&format!("name = \"{}\"", driver.name)));
                }
            }
            assert_eq!(held.len(), DRIVERS.len());
        }
    };
}

hold! {
    topologies_hold "topology" 1500,
    machine_files_hold "toml" 1500,
    edge_lists_hold "edges" 700,
    ordering_files_hold "order" 700,
    placement_logs_hold "log" 1500,
    traces_hold "swf" 700,
    plans_hold "plan" 400,
    guests_hold "guest" 1500,
    slurm_topologies_hold "slurm-topology" 500,
    fabrics_hold "ibnetdiscover" 500,
    targets_hold "tgt" 400,
    tables_hold "tables" 700,
    specifications_hold "specs" 700,
    results_hold "results" 500,
}
