//! The folder of a sweep: its table, the manifest beside it, shards, and journals of what is not yet complete.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use serde_json::{Value, json};

use super::notes::print_each;
use super::output;
use nodeorder_base::Text;
use nodeorder_sweep::{Journal, Plan, RecoveredRows, Shard, ShardFile, checksum};

/// Names of the file of the whole table: plain and compressed.
const RESULTS: [&str; 2] = ["results.csv", "results.csv.gz"];
/// Name of the file that describes the table.
const MANIFEST: &str = "manifest.json";
/// The largest file that is read from a sweep's folder, in bytes: anyone may have put it there.
const MOST: u64 = 1 << 34;

/// The folder of a sweep's results.
pub struct SweepFolder<'p>(pub &'p Path);

impl SweepFolder<'_> {
    /// Finds the path of the table: the one that is there, else the plain one.
    pub fn table_path(&self) -> PathBuf {
        let [plain, packed] = RESULTS.map(|name| self.0.join(name));
        if !plain.exists() && packed.exists() {
            packed
        } else {
            plain
        }
    }

    /// Names the path of the document that describes the table.
    pub fn manifest_path(&self) -> PathBuf {
        self.0.join(MANIFEST)
    }

    /// Checks whether the folder holds the results of the plan with this hash. Fails if it holds others, or they
    /// are not as they were written.
    pub fn is_finished(&self, hash: &str) -> anyhow::Result<bool> {
        let results = self.table_path();
        let Some(manifest) = self.check_plan(hash)? else {
            // The table is written first: an interruption may have left it without manifest, beside a journal.
            if results.exists() && !self.has_own_files()? {
                bail!(
                    "{}: found results without {MANIFEST}; expected an empty folder or a sweep's own",
                    results.display()
                );
            }
            return Ok(false);
        };
        // The manifest alone says nothing worth keeping: the table is made again.
        if !results.exists() {
            return Ok(false);
        }
        let table = Text::read(&results, MOST)?;
        check_table(&table, &manifest, "both to make them again")?;
        Ok(true)
    }

    /// Reads the document that describes the table. `None` if there is none. Fails if it is of another plan
    /// than the one with this hash.
    pub fn check_plan(&self, hash: &str) -> anyhow::Result<Option<Value>> {
        let path = self.manifest_path();
        if !path.exists() {
            return Ok(None);
        }
        let manifest = self.read_manifest()?;
        let found = manifest["plan"]["hash"].as_str().unwrap_or_default();
        if found != hash {
            bail!(
                "{}: found the results of plan {found} ({}); expected plan {hash} or an empty folder",
                path.display(),
                manifest["plan"]["name"].as_str().unwrap_or_default()
            );
        }
        Ok(Some(manifest))
    }

    /// Checks whether journals or shards are in the folder.
    fn has_own_files(&self) -> anyhow::Result<bool> {
        let mut names = std::fs::read_dir(self.0)?
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned());
        // Either shows that the table beside them is a sweep's: nobody else's table is replaced.
        Ok(names.any(|name| name == "sweep.journal" || name.starts_with("shard-")))
    }

    /// Reads the document that describes the table.
    fn read_manifest(&self) -> anyhow::Result<Value> {
        let manifest = self.manifest_path();
        let text = Text::read(&manifest, MOST)?;
        serde_json::from_str(text.as_str())
            .with_context(|| format!("{}: reading", manifest.display()))
    }

    /// Reads the table as it was written, and the document that describes it (null if there is none). Fails if
    /// the document does not fit the table.
    pub fn read_table(&self, memory: u64) -> anyhow::Result<(Text, Value)> {
        let table = Text::read(&self.table_path(), memory)?;
        if !self.manifest_path().exists() {
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

    /// Writes the table and its manifest, as a set.
    pub fn write_table(&self, table: &str, manifest: &Value, gz: bool) -> anyhow::Result<()> {
        let table = (self.0.join(RESULTS[usize::from(gz)]), table.to_string());
        output::write_set([table, (self.0.join(MANIFEST), format!("{manifest:#}\n"))])?;
        // One table per folder: after an interruption an older one of the other form may be left.
        remove_file(&self.0.join(RESULTS[usize::from(!gz)]))
    }

    /// Names the path of a shard's file.
    pub fn shard_path(&self, Shard { index, of }: Shard) -> PathBuf {
        self.0.join(format!("shard-{index}-of-{of}.csv"))
    }

    /// Reads the shards in the folder, and their files' names, in the order of these.
    pub fn read_shards(&self) -> anyhow::Result<Vec<(String, ShardFile)>> {
        let fail = || format!("{}: reading the folder", self.0.display());
        let mut paths = Vec::new();
        for entry in std::fs::read_dir(self.0).with_context(fail)? {
            let entry = entry.with_context(fail)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with("shard-") && name.ends_with(".csv") {
                paths.push(entry.path());
            }
        }
        // The system lists files in any order; the first error must be the same each time.
        paths.sort();
        paths.iter().map(|path| read_shard(path)).collect()
    }
}

/// Reads a shard, and its file's name.
pub fn read_shard(path: &Path) -> anyhow::Result<(String, ShardFile)> {
    let file = ShardFile::read(&Text::read(path, MOST)?)?;
    Ok((path.display().to_string(), file))
}

/// Refuses a table that is not the one its manifest describes; `remove` says why to remove what.
fn check_table(table: &Text, manifest: &Value, remove: &str) -> anyhow::Result<()> {
    if manifest["results"] == checksum(table.as_str().as_bytes()) {
        return Ok(());
    }
    // Most often a copy broke off: the number of rows says so better than two checksums.
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
    print_each(&plan.remarks.orderings);
    print_each(&plan.remarks.assumed);
}

/// Builds the manifest of a table; `file` describes its plan. How it was made is left open.
pub fn describe_table(file: &ShardFile, table: &str) -> Value {
    let seeds = file.seeds.split(' ');
    let seeds: Vec<u64> = seeds.filter_map(|seed| seed.parse().ok()).collect();
    let mut document = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "plan": {"name": file.name, "hash": file.hash},
        "inputs": null,
        "cells": file.cells,
        "seeds": seeds,
        "threads": rayon::current_num_threads(),
        "seconds": null,
        "shards": null,
        "results": checksum(table.as_bytes()),
    });
    if !file.assumed.is_empty() {
        document["assumed"] = json!(file.assumed);
    }
    document
}

/// Reads the finished cells of a journal, and opens it to add more.
pub fn open_journal(path: &Path, journal: &Journal<'_>) -> anyhow::Result<(RecoveredRows, File)> {
    let fail = |what| move || format!("{}: {what}", path.display());
    let mut kept = RecoveredRows::default();
    let mut torn = false;
    // A device or a pipe gives back nothing of what was written: a sweep on it could not go on.
    if std::fs::metadata(path).is_ok_and(|meta| !meta.is_file()) {
        bail!(
            "{}: found no regular file; expected a journal, or nothing",
            path.display()
        );
    }
    match std::fs::read(path) {
        Ok(bytes) => {
            kept = journal.recover_rows(&path.display().to_string(), &bytes)?;
            torn = bytes.last() != Some(&b'\n');
        }
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            // Moved into place whole: a kill never leaves half a head, which would be refused as no journal.
            output::write_text(Some(path), Journal::HEAD)?;
        }
        Err(e) => return Err(e).with_context(fail("reading")),
    }
    let mut file = OpenOptions::new()
        .append(true)
        .open(path)
        .with_context(fail("writing"))?;
    if torn {
        // The torn line gets its end; else the next row would be part of it, and lost with it.
        file.write_all(b"\n").with_context(fail("writing"))?;
    }
    Ok((kept, file))
}

/// Removes a file, if it is there.
pub fn remove_file(path: &Path) -> anyhow::Result<()> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(e).with_context(|| format!("{}: removing", path.display()))
        }
        _ => Ok(()),
    }
}
