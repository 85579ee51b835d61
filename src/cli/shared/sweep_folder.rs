//! The folder of a sweep: its table, the manifest beside it, shards, and journals of what is not yet complete.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use serde_json::{Value, json};

use super::notes::note;
use super::output;
use nodeorder_base::input::Text;
use nodeorder_sweep::store::{self, Part};
use nodeorder_sweep::{Journal, Plan, RecoveredRows, Remarks};

/// The whole table, plain and compressed.
const RESULTS: [&str; 2] = ["results.csv", "results.csv.gz"];
/// The file that describes it.
const MANIFEST: &str = "manifest.json";
/// The largest file that is read from a sweep's folder, in bytes: anyone may have put it there.
const MOST: u64 = 1 << 34;

/// The folder of a sweep's results.
pub struct SweepFolder<'p>(pub &'p Path);

impl SweepFolder<'_> {
    /// The table: the one that is there, else the plain one.
    pub fn results(&self) -> PathBuf {
        let [plain, packed] = RESULTS.map(|name| self.0.join(name));
        if !plain.exists() && packed.exists() {
            packed
        } else {
            plain
        }
    }

    /// The file that describes the table.
    pub fn manifest(&self) -> PathBuf {
        self.0.join(MANIFEST)
    }

    /// Whether the folder holds the results of the plan with this hash. Errors: it holds others, or they are not as
    /// they were written.
    pub fn is_finished(&self, hash: &str) -> anyhow::Result<bool> {
        let (results, manifest) = (self.results(), self.manifest());
        if !manifest.exists() {
            if results.exists() {
                // The table is written first: an interruption may have left it without manifest, beside a journal.
                let ours = std::fs::read_dir(self.0)?.flatten().any(|entry| {
                    let name = entry.file_name().to_string_lossy().into_owned();
                    name == "sweep.journal" || name.starts_with("shard-")
                });
                if !ours {
                    bail!(
                        "{}: found results without {MANIFEST}; expected an empty folder or a sweep's own",
                        results.display()
                    );
                }
            }
            return Ok(false);
        }
        let found = self.read_manifest()?;
        let theirs = found["plan"]["hash"].as_str().unwrap_or_default();
        if theirs != hash {
            bail!(
                "{}: found the results of plan {theirs} ({}); expected plan {hash} or an empty folder",
                manifest.display(),
                found["plan"]["name"].as_str().unwrap_or_default()
            );
        }
        if !results.exists() {
            return Ok(false);
        }
        check_table(
            &Text::read(&results, MOST)?,
            &found,
            "both to make them again",
        )?;
        Ok(true)
    }

    /// The document that describes the table.
    fn read_manifest(&self) -> anyhow::Result<Value> {
        let manifest = self.manifest();
        let text = Text::read(&manifest, MOST)?;
        serde_json::from_str(text.as_str())
            .with_context(|| format!("{}: reading", manifest.display()))
    }

    /// The table as it was written, and the document that describes it where there is one (else null). Errors: a table
    /// that the document does not fit.
    pub fn table(&self, memory: u64) -> anyhow::Result<(Text, Value)> {
        let table = Text::read(&self.results(), memory)?;
        if !self.manifest().exists() {
            return Ok((table, Value::Null));
        }
        let manifest = self.read_manifest()?;
        check_table(
            &table,
            &manifest,
            &format!("{MANIFEST} to draw the rows there are"),
        )?;
        Ok((table, manifest))
    }

    /// Writes the table, then its manifest, so that a manifest never describes a missing table.
    pub fn write(&self, table: &str, manifest: &str, gz: bool) -> anyhow::Result<()> {
        output::write(Some(&self.0.join(RESULTS[usize::from(gz)])), table)?;
        output::write(Some(&self.0.join(MANIFEST)), manifest)?;
        // One table per folder: after an interruption an older one of the other form may be left.
        remove(&self.0.join(RESULTS[usize::from(!gz)]))
    }

    /// The shards in a folder with their files' names, in the order of these.
    pub fn parts(&self) -> anyhow::Result<Vec<(String, Part)>> {
        let fail = || format!("{}: reading the folder", self.0.display());
        let mut paths = Vec::new();
        for entry in std::fs::read_dir(self.0).with_context(fail)? {
            let path = entry.with_context(fail)?.path();
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if name.starts_with("shard-") && name.ends_with(".csv") {
                paths.push(path);
            }
        }
        paths.sort();
        let read = |path: PathBuf| -> anyhow::Result<(String, Part)> {
            Ok((
                path.display().to_string(),
                Part::read(&Text::read(&path, MOST)?)?,
            ))
        };
        paths.into_iter().map(read).collect()
    }
}

/// Refuses a table that is not the one its manifest describes; `remove` says why to remove what.
fn check_table(table: &Text, manifest: &Value, remove: &str) -> anyhow::Result<()> {
    if manifest["results"] == store::checksum(table.as_str().as_bytes()) {
        return Ok(());
    }
    let rows = table.lines().count().saturating_sub(1) as u64;
    let found = match manifest["cells"].as_u64() {
        Some(all) if all != rows => format!("{rows} of {all} rows"),
        _ => "a changed table".into(),
    };
    bail!(
        "{}: found {found}, which {MANIFEST} does not fit; expected it as it was written: remove {remove}",
        table.name()
    );
}

/// Says on standard error what the results of a plan rest on.
pub fn say_remarks(plan: &Plan) {
    let Remarks {
        orderings, assumed, ..
    } = &plan.remarks;
    orderings
        .iter()
        .chain(assumed)
        .for_each(|text| note!("{text}"));
}

/// The text of a manifest: `part` describes the plan.
pub fn manifest(part: &Part, inputs: Value, table: &str, seconds: f64, shards: Value) -> String {
    let seeds = part
        .seeds
        .split(' ')
        .filter_map(|seed| seed.parse::<u64>().ok());
    let mut document = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "plan": {"name": part.name, "hash": part.hash},
        "inputs": inputs,
        "cells": part.cells,
        "seeds": seeds.collect::<Vec<_>>(),
        "threads": rayon::current_num_threads(),
        "seconds": seconds,
        "shards": shards,
        "results": store::checksum(table.as_bytes()),
    });
    if !part.assumed.is_empty() {
        document["assumed"] = json!(part.assumed);
    }
    format!("{document:#}\n")
}

/// Finished cells of a journal, and the journal opened to add more.
pub fn open_journal(path: &Path, journal: &Journal<'_>) -> anyhow::Result<(RecoveredRows, File)> {
    let fail = |what| move || format!("{}: {what}", path.display());
    let mut kept = RecoveredRows::default();
    let mut torn = false;
    if std::fs::metadata(path).is_ok_and(|meta| !meta.is_file()) {
        bail!(
            "{}: found no regular file; expected a journal, or nothing",
            path.display()
        );
    }
    match std::fs::read(path) {
        Ok(bytes) => {
            kept = journal.read(&path.display().to_string(), &bytes)?;
            torn = bytes.last() != Some(&b'\n');
        }
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            output::write(Some(path), Journal::HEAD)?;
        }
        Err(e) => return Err(e).with_context(fail("reading")),
    }
    let mut file = OpenOptions::new()
        .append(true)
        .open(path)
        .with_context(fail("writing"))?;
    if torn {
        file.write_all(b"\n").with_context(fail("writing"))?;
    }
    Ok((kept, file))
}

/// Removes a file, if it is there.
pub fn remove(path: &Path) -> anyhow::Result<()> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(e).with_context(|| format!("{}: removing", path.display()))
        }
        _ => Ok(()),
    }
}
