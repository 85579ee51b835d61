//! `nodeorder sweep run`: every combination of a plan's machines, orderings and workloads; can be stopped, continued
//! and split.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use anyhow::Context as _;
use clap::Args;
use serde_json::json;

use crate::shared::command_line::CommandLine;
use crate::shared::notes::note;
use crate::shared::sweep_folder::{self, SweepFolder};
use crate::shared::{interrupt, output, progress};
use nodeorder_base::error::quote_word;
use nodeorder_base::{Error, Text};
use nodeorder_network::Context;
use nodeorder_sweep::{
    CostEstimate, ENGINES, Engine, EngineJob, Journal, Plan, ResultsTable, Shard, ShardFile,
};

/// Replay, map or compare every combination that a plan lists
///
/// Writes DIR/results.csv and DIR/manifest.json. To continue a sweep that was stopped, run the same command
/// again. With --shard only every N-th combination is computed, from the I-th on, and written to a file of its own,
/// DIR/shard-I-of-N.csv, whose bytes depend on the plan alone; `nodeorder sweep merge DIR` puts the files together.
#[derive(Debug, Args)]
#[group(id = "run")]
#[command(after_help = "Example: nodeorder sweep run plan.toml --out results --shard 3/8")]
pub struct Command {
    /// The plan: a TOML file with lists of topologies, orderings, allocators, logs, …
    plan: PathBuf,
    /// Write into the folder DIR: the results; it is made if it does not exist
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Compute only combinations I, I + N, I + 2N, … (from 0)
    #[arg(
        long,
        value_name = "I/N",
        value_parser = |text: &str| Shard::parse(text).map_err(|e| e.to_string())
    )]
    shard: Option<Shard>,
    /// Compute nothing: write the job file of an engine into DIR that runs all shards and then merges them
    #[arg(long, value_name = "ENGINE", value_parser = ENGINES.map(|engine| engine.name), conflicts_with = "shard")]
    emit: Option<String>,
    /// Number of shards of --emit [default: tasks of 5 minutes each, by an estimate]
    #[arg(
        long,
        value_name = "N",
        requires = "emit",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    tasks: Option<u32>,
    /// Minutes that each shard of --emit is to take, by an estimate
    #[arg(
        long,
        value_name = "M",
        requires = "emit",
        conflicts_with = "tasks",
        default_value_t = 5.0
    )]
    minutes: f64,
    /// Write DIR/results.csv.gz instead of DIR/results.csv
    #[arg(long, conflicts_with_all = ["shard", "emit"])]
    gz: bool,
}

/// Bytes that a row takes until all are there and written, about.
const ROW: u64 = 400;

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        let text = Text::read(&self.plan, context.memory)?;
        let plan = Plan::read(&text, Some(&self.plan), context)?;
        sweep_folder::say_remarks(&plan);
        if let Some(engine) = &self.emit {
            return self.write_job(&plan, Engine::find(engine)?, context);
        }
        let shard = self.shard.unwrap_or(Shard::WHOLE);
        let cells = shard.cell_numbers(plan.cells().len()).len() as u64;
        // Rows are kept until all are there: better refused now than after hours.
        context.require_memory(&format!("the rows of {cells} cells"), cells * ROW)?;
        output::create_folder(&self.out)?;
        let file = self.describe_shard(&plan, shard, context)?;
        match self.shard {
            None => self.run_whole(&plan, file, context),
            Some(_) => self.run_shard(&plan, file, context),
        }
    }

    /// Writes the job file of an engine, and says how to run it.
    fn write_job(&self, plan: &Plan, engine: &Engine, context: &Context) -> anyhow::Result<()> {
        if self.minutes.is_nan() || self.minutes <= 0.0 {
            let found = self.minutes.to_string();
            return Err(Error::option("--minutes", found, "a number of minutes above 0").into());
        }
        // Who names a number needs no estimate, for which workloads are generated.
        let tasks = match self.tasks {
            Some(tasks) => tasks,
            None => CostEstimate::new(plan, context)?.count_tasks(60.0 * self.minutes),
        };
        let [file, out] = [&self.plan, &self.out].map(|path| path.display().to_string());
        // A task has one core: queues balance tasks, not threads.
        let mut run = [
            "nodeorder",
            "sweep",
            "run",
            &file,
            "--out",
            &out,
            "--threads",
            "1",
        ]
        .map(String::from)
        .to_vec();
        if context.seed != 1 {
            run.extend(["--seed".into(), context.seed.to_string()]);
        }
        let merge = ["nodeorder", "sweep", "merge", &out].map(String::from);
        let text = engine.write_job(&EngineJob {
            name: &plan.lists.name,
            run: &run,
            merge: &merge,
            out: &out,
            tasks,
        });
        output::create_folder(&self.out)?;
        let path = self.out.join(engine.file);
        output::write_text(Some(&path), text)?;
        // The file is no use before they are replaced.
        if !engine.placeholders.is_empty() {
            note!(
                "{}: replace {}",
                path.display(),
                engine.placeholders.join(" and ")
            );
        }
        let path = quote_word(&path.display().to_string()).into_owned();
        output::write_text(
            None,
            format!("{tasks} tasks, then the merge: {} {path}\n", engine.command),
        )
    }

    /// Computes the whole table.
    fn run_whole(&self, plan: &Plan, mut file: ShardFile, context: &Context) -> anyhow::Result<()> {
        let folder = SweepFolder(&self.out);
        if folder.is_finished(&file.hash)? {
            let out = self.out.display();
            note!("{out}: this sweep is complete; nothing to do");
            return Ok(());
        }
        for (name, other) in folder.read_shards()? {
            // A folder holds one plan: beside shards of another, `merge` would later find both.
            other.check_plan(&name, &file, "the plan")?;
        }
        let began = Instant::now();
        let journal = self.out.join("sweep.journal");
        file.rows = self.compute_rows(plan, file.shard, &journal, context)?;
        let table = file.header.clone() + &file.rows.concat();
        let inputs = plan
            .lists
            .inputs
            .iter()
            .map(|(name, sum)| json!({"file": name, "checksum": sum}))
            .collect();
        let mut manifest = sweep_folder::describe_table(&file, &table);
        manifest["inputs"] = inputs;
        manifest["seconds"] = json!(began.elapsed().as_secs_f64());
        // Before the journal goes: until the table is there, the journal is the only copy of its rows.
        folder.write_table(&table, &manifest, self.gz)?;
        sweep_folder::remove_file(&journal)
    }

    /// Computes one shard. Nothing in the folder bears on it but its own file and journal.
    fn run_shard(&self, plan: &Plan, mut file: ShardFile, context: &Context) -> anyhow::Result<()> {
        let folder = SweepFolder(&self.out);
        folder.check_plan(&file.hash)?;
        let path = folder.shard_path(file.shard);
        let journal = path.with_extension("journal");
        if path.exists() {
            let (name, found) = sweep_folder::read_shard(&path)?;
            found.check_plan(&name, &file, "the plan")?;
            note!("{name}: shard {} is complete; nothing to do", file.shard);
        } else {
            file.rows = self.compute_rows(plan, file.shard, &journal, context)?;
            output::write_text(Some(&path), file.to_text())?;
        }
        sweep_folder::remove_file(&journal)
    }

    /// Makes the file of a shard without its rows.
    fn describe_shard(
        &self,
        plan: &Plan,
        shard: Shard,
        context: &Context,
    ) -> anyhow::Result<ShardFile> {
        let seeds: Vec<String> = plan.lists.seeds.iter().map(u64::to_string).collect();
        // Threads and memory are not in it: rows do not depend on them.
        let command = CommandLine::new("sweep run")
            .add_argument(self.plan.display())
            .add_seed(context.seed);
        Ok(ShardFile {
            shard,
            version: env!("CARGO_PKG_VERSION").into(),
            name: plan.lists.name.clone(),
            hash: plan.lists.hash.clone(),
            cells: plan.cells().len(),
            seeds: seeds.join(" "),
            command: command.to_string(),
            assumed: plan.remarks.assumed.clone(),
            header: ResultsTable::new(plan).format_header()?,
            rows: Vec::new(),
        })
    }

    /// Computes the lines of a shard's rows, in the order of its cells. Those that its journal does not hold are
    /// computed now and written there.
    fn compute_rows(
        &self,
        plan: &Plan,
        shard: Shard,
        path: &Path,
        context: &Context,
    ) -> anyhow::Result<Vec<String>> {
        let journal = Journal::new(plan);
        let table = ResultsTable::new(plan);
        let (mut recovered, file) = sweep_folder::open_journal(path, &journal)?;
        let cells: Vec<usize> = shard.cell_numbers(plan.cells().len()).collect();
        // A journal of another build may have rows of other shards' cells.
        recovered
            .lines
            .retain(|cell, _| cells.binary_search(cell).is_ok());
        let lines = recovered.lines;
        let left: Vec<usize> = cells
            .into_iter()
            .filter(|cell| !lines.contains_key(cell))
            .collect();
        if !lines.is_empty() {
            note_recovered(path, lines.len(), left.len(), recovered.others);
        }
        let again = "interrupted: the same command goes on where it stopped";
        interrupt::set_last_words(Some(format!("{}: {again}", self.out.display())));
        let bar = progress::show_steps(left.len() as u64, "sweep");
        let state = Mutex::new((file, lines));
        nodeorder_sweep::run_cells(plan, context, &left, |row| -> anyhow::Result<()> {
            // Lines are made before the lock, so that threads wait only for the write.
            let entry = journal.format_row(&row)?;
            let line = table.format_row(&row)?;
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            // One write a line: a kill leaves whole lines and at most one torn one.
            state
                .0
                .write_all(entry.as_bytes())
                .with_context(|| format!("{}: writing", path.display()))?;
            state.1.insert(row.cell, line);
            bar.inc(1);
            Ok(())
        })?;
        bar.finish_and_clear();
        interrupt::set_last_words(None);
        let (_, lines) = state.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(lines.into_values().collect())
    }
}

/// Says how much of a sweep its journal holds.
fn note_recovered(journal: &Path, kept: usize, left: usize, others: usize) {
    let name = journal.display();
    if others == 0 {
        note!("{name}: {kept} cells kept, {left} to compute");
    } else {
        note!(
            "{name}: {kept} cells kept, {left} to compute; {others} rows are of cells that the plan no longer has"
        );
    }
}
