//! `nodeorder sweep`: a plan's product of machines, orderings and workloads, resumable and in parts.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

use anyhow::{Context as _, bail};
use clap::Args;
use serde_json::{Value, json};

use super::{output, progress};
use crate::input::Text;
use crate::sweep::store::{self, Part};
use crate::sweep::{self, Plan, Shard};
use crate::topology::Context;

/// Replay, map or compare every combination that a plan lists
///
/// Writes DIR/results.csv and DIR/manifest.json. A sweep that was stopped, however, goes on where it was when
/// the same command is run again. With --shard only every N-th combination is computed and goes to a file of
/// its own; `nodeorder merge DIR` puts the files together.
#[derive(Debug, Args)]
#[command(after_help = "Example: nodeorder sweep plan.toml --out results --shard 3/8")]
pub struct Command {
    /// The plan: a TOML file with lists of topologies, orderings, allocators, logs, …
    plan: PathBuf,
    /// The folder of the results; made where there is none
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Only part I (from 0) of N
    #[arg(long, value_name = "I/N", value_parser = |text: &str| Shard::parse(text).map_err(|e| e.to_string()))]
    shard: Option<Shard>,
    /// Write DIR/results.csv.gz instead of DIR/results.csv
    #[arg(long, conflicts_with = "shard")]
    gz: bool,
}

/// The whole table, plain and compressed.
const RESULTS: [&str; 2] = ["results.csv", "results.csv.gz"];
/// What it was made of.
pub(super) const MANIFEST: &str = "manifest.json";
/// Bytes of a file in a sweep's folder: the tool wrote it, or someone put anything there.
const MOST: u64 = 1 << 34;

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        let text = Text::read(&self.plan, context.memory)?;
        let plan = Plan::read(&text, Some(&self.plan), context)?;
        let folder = &self.out;
        std::fs::create_dir_all(folder)
            .with_context(|| format!("{}: creating the folder", folder.display()))?;
        let began = Instant::now();
        let shard = self.shard.unwrap_or(Shard::WHOLE);
        let mut part = Part {
            shard,
            version: env!("CARGO_PKG_VERSION").into(),
            name: plan.name.clone(),
            hash: plan.hash().into(),
            cells: plan.cells().len(),
            seeds: Described::of(&plan).seeds,
            command: self.command(context, shard),
            seconds: 0.0,
            header: store::header(&plan)?,
            rows: Vec::new(),
        };
        if finished(folder, plan.hash())? {
            eprintln!("{}: this sweep is complete; nothing to do", folder.display());
            return Ok(());
        }
        if self.shard.is_none() {
            for (name, other) in parts(folder)? {
                other.same_plan(&name, &part, "the plan")?;
            }
            let rows = self.rows(&plan, context, shard, "sweep.journal")?;
            let table = store::table(&part.header, rows.iter().map(String::as_str));
            let seconds = began.elapsed().as_secs_f64();
            let manifest = manifest(&Described::of(&plan), &table, seconds, json!(null));
            write_results(folder, &table, &manifest, self.gz)?;
            return remove(&folder.join("sweep.journal"));
        }
        let file = folder.join(format!("shard-{}-of-{}.csv", shard.index, shard.of));
        let journal = format!("shard-{}-of-{}.journal", shard.index, shard.of);
        // Shards that stand here already must be siblings; this one, if it is among them, is done.
        for (name, other) in parts(folder)? {
            other.belongs(&name, &part, "the plan")?;
            if other.shard == shard {
                eprintln!("{name}: shard {shard} is complete; nothing to do");
                return remove(&folder.join(journal));
            }
        }
        part.rows = self.rows(&plan, context, shard, &journal)?;
        part.seconds = began.elapsed().as_secs_f64();
        output::write(Some(&file), part.to_file().as_bytes())?;
        remove(&folder.join(journal))
    }

    /// The rows of a shard in order, those that its journal does not hold computed now.
    fn rows(
        &self,
        plan: &Plan,
        context: &Context,
        shard: Shard,
        journal: &str,
    ) -> anyhow::Result<Vec<String>> {
        let path = self.out.join(journal);
        let (mut rows, file) = open_journal(&path, plan, shard)?;
        let mine: Vec<usize> = shard.cells(plan.cells().len()).collect();
        let left: Vec<usize> = mine.iter().copied().filter(|c| !rows.contains_key(c)).collect();
        let bar = progress::bar(mine.len() as u64, "sweep");
        bar.set_position((mine.len() - left.len()) as u64);
        bar.reset_eta();
        let state = Mutex::new((file, &mut rows));
        sweep::run(plan, context, &left, |cell, row| -> anyhow::Result<()> {
            let mut state = state.lock().unwrap_or_else(|e| e.into_inner());
            // One write a line: a kill leaves whole lines and at most one torn one.
            let line = store::journal_line(cell, row);
            let fail = || format!("{}: writing", path.display());
            state.0.write_all(line.as_bytes()).with_context(fail)?;
            state.1.insert(cell, row.to_string());
            bar.inc(1);
            Ok(())
        })?;
        bar.finish_and_clear();
        Ok(rows.into_values().collect())
    }

    /// The command line that makes a shard again.
    fn command(&self, context: &Context, shard: Shard) -> String {
        let seed =
            if context.seed == 1 { String::new() } else { format!(" --seed {}", context.seed) };
        let words = [&self.plan, &self.out].map(|p| output::quoted(&p.display().to_string()));
        format!("nodeorder sweep {} --out {}{seed} --shard {shard}", words[0], words[1])
    }
}

type Rows = std::collections::BTreeMap<usize, String>;

/// What a journal holds, and the journal open for more.
fn open_journal(path: &Path, plan: &Plan, shard: Shard) -> anyhow::Result<(Rows, File)> {
    let fail = |what| move || format!("{}: {what}", path.display());
    let mut rows = Rows::new();
    let mut torn = false;
    if std::fs::metadata(path).is_ok_and(|meta| !meta.is_file()) {
        bail!("{}: found no regular file; expected a journal, or nothing", path.display());
    }
    match std::fs::read(path) {
        Ok(bytes) => {
            rows = store::read_journal(plan, shard, &path.display().to_string(), &bytes)?;
            torn = bytes.last() != Some(&b'\n');
        }
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            output::write(Some(path), store::journal_head(plan, shard).as_bytes())?;
        }
        Err(e) => return Err(e).with_context(fail("reading")),
    }
    let mut file = OpenOptions::new().append(true).open(path).with_context(fail("writing"))?;
    if torn {
        file.write_all(b"\n").with_context(fail("writing"))?;
    }
    Ok((rows, file))
}

fn remove(path: &Path) -> anyhow::Result<()> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(e).with_context(|| format!("{}: removing", path.display()))
        }
        _ => Ok(()),
    }
}

/// The table of a folder: the one that is there, else the plain one.
pub(super) fn results(folder: &Path) -> PathBuf {
    let [plain, packed] = RESULTS.map(|name| folder.join(name));
    if !plain.exists() && packed.exists() { packed } else { plain }
}

/// Whether the folder holds the results of the plan with this hash.
///
/// # Errors
/// It holds others, or they are not as they were written.
pub(super) fn finished(folder: &Path, hash: &str) -> anyhow::Result<bool> {
    let (results, manifest) = (results(folder), folder.join(MANIFEST));
    if !manifest.exists() {
        if results.exists() {
            // Results come first: a kill may have left them without their manifest, beside a journal.
            let ours = std::fs::read_dir(folder)?.flatten().any(|entry| {
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
    let found: Value = serde_json::from_str(Text::read(&manifest, MOST)?.as_str())
        .with_context(|| format!("{}: reading", manifest.display()))?;
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
    if found["results"] != store::checksum(Text::read(&results, MOST)?.as_str().as_bytes()) {
        bail!(
            "{}: found a table that {MANIFEST} does not fit; expected it as it was written: remove both to \
             make them again",
            results.display()
        );
    }
    Ok(true)
}

/// What a manifest says of a plan.
pub(super) struct Described {
    pub name: String,
    pub hash: String,
    pub cells: usize,
    pub seeds: String,
    pub inputs: Value,
}

impl Described {
    fn of(plan: &Plan) -> Self {
        let seeds: Vec<String> = plan.seeds.iter().map(u64::to_string).collect();
        let inputs = plan.inputs().iter();
        let inputs = inputs.map(|(name, sum)| json!({"file": name, "checksum": sum}));
        Described {
            name: plan.name.clone(),
            hash: plan.hash().into(),
            cells: plan.cells().len(),
            seeds: seeds.join(" "),
            inputs: json!(inputs.collect::<Vec<_>>()),
        }
    }
}

/// The manifest's text.
pub(super) fn manifest(plan: &Described, table: &str, seconds: f64, shards: Value) -> String {
    let seeds: Vec<Value> =
        plan.seeds.split(' ').filter_map(|s| s.parse::<u64>().ok()).map(|s| json!(s)).collect();
    let document = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "plan": {"name": plan.name, "hash": plan.hash},
        "inputs": plan.inputs,
        "cells": plan.cells,
        "seeds": seeds,
        "threads": rayon::current_num_threads(),
        "seconds": seconds,
        "shards": shards,
        "results": store::checksum(table.as_bytes()),
    });
    format!("{document:#}\n")
}

/// Results first: a manifest never speaks of what is not there.
pub(super) fn write_results(
    folder: &Path,
    table: &str,
    manifest: &str,
    gz: bool,
) -> anyhow::Result<()> {
    output::write(Some(&folder.join(RESULTS[usize::from(gz)])), table.as_bytes())?;
    output::write(Some(&folder.join(MANIFEST)), manifest.as_bytes())?;
    // One table a folder: an older one of the other form may stand there after a kill.
    remove(&folder.join(RESULTS[usize::from(!gz)]))
}

/// The shards in a folder with their files' names, in the order of these.
pub(super) fn parts(folder: &Path) -> anyhow::Result<Vec<(String, Part)>> {
    let fail = || format!("{}: reading the folder", folder.display());
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(fail)? {
        let path = entry.with_context(fail)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with("shard-") && name.ends_with(".csv") {
            paths.push(path);
        }
    }
    paths.sort();
    let read = |path: PathBuf| -> anyhow::Result<(String, Part)> {
        Ok((path.display().to_string(), Part::read(&Text::read(&path, MOST)?)?))
    };
    paths.into_iter().map(read).collect()
}
