//! `nodeorder sweep`: every combination of a plan's machines, orderings and workloads; can be stopped,
//! continued and split.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Mutex;
use std::time::Instant;

use anyhow::Context as _;
use rayon::prelude::*;

use crate::shared::claims::{self, Claims};
use crate::shared::kit::*;
use crate::shared::sweep_folder::{self, SweepFolder};
use nodeorder_sweep::store::{self, Part};
use nodeorder_sweep::{Journal, Plan, RecoveredRows, ResultsTable, Shard};

/// Replay, map or compare every combination that a plan lists
///
/// Writes DIR/results.csv and DIR/manifest.json. To continue a sweep that was stopped, run the same command
/// again. With --shard only part of the combinations is computed and written to a file of its own; shards that run at the
/// same time take work from each other through DIR. `nodeorder merge DIR` puts the files together.
#[derive(Debug, Args)]
#[command(after_help = "Example: nodeorder sweep plan.toml --out results --shard 3/8")]
pub struct Command {
    /// The plan: a TOML file with lists of topologies, orderings, allocators, logs, …
    plan: PathBuf,
    /// The folder for the results; made if it does not exist
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Compute only part I (from 0) of N
    #[arg(long, value_name = "I/N", value_parser = |text: &str| Shard::parse(text).map_err(|e| e.to_string()))]
    shard: Option<Shard>,
    /// Write DIR/results.csv.gz instead of DIR/results.csv
    #[arg(long, conflicts_with = "shard")]
    gz: bool,
}

/// Bytes that a row takes until all are there and written, about.
const ROW: u64 = 400;

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        let text = Text::read(&self.plan, context.memory)?;
        let plan = Plan::read(&text, Some(&self.plan), context)?;
        sweep_folder::say_remarks(&plan);
        let shard = self.shard.unwrap_or(Shard::WHOLE);
        let cells = plan.cells().len().div_ceil(shard.of as usize) as u64;
        context.require(&format!("the rows of {cells} cells"), cells * ROW)?;
        output::create_folder(&self.out)?;
        let folder = SweepFolder(&self.out);
        if folder.is_finished(&plan.lists.hash)? {
            note!(
                "{}: this sweep is complete; nothing to do",
                self.out.display()
            );
            return Ok(());
        }
        let began = Instant::now();
        let mut part = self.describe(&plan, shard, context)?;
        let journal = match self.shard {
            None => self.out.join("sweep.journal"),
            Some(shard) => claims::journal(&self.out, shard),
        };
        // Shards that are here already must be of the same sweep; if this one is among them, it is done.
        for (name, other) in folder.parts()? {
            other.same_plan(&name, &part, "the plan")?;
            if self.shard.is_some() {
                other.belongs(&name, &part, "the plan")?;
                if other.shard == shard {
                    note!("{name}: shard {shard} is complete; nothing to do");
                    return sweep_folder::remove(&journal);
                }
            }
        }
        let again = "interrupted: the same command goes on where it stopped";
        interrupt::say(Some(format!("{}: {again}", self.out.display())));
        (part.dealt, part.rows) = self.rows(&plan, context, &journal)?.into_iter().unzip();
        interrupt::say(None);
        part.seconds = began.elapsed().as_secs_f64();
        if self.shard.is_some() {
            output::write(Some(&journal.with_extension("csv")), part.to_file())?;
        } else {
            let table = store::table(&part.header, part.rows.iter().map(String::as_str));
            let inputs = plan.lists.inputs.iter();
            let inputs = inputs
                .map(|(name, sum)| json!({"file": name, "checksum": sum}))
                .collect();
            let manifest = sweep_folder::manifest(&part, inputs, &table, part.seconds, json!(null));
            folder.write(&table, &manifest, self.gz)?;
        }
        sweep_folder::remove(&journal)
    }

    /// A shard without rows.
    fn describe(&self, plan: &Plan, shard: Shard, context: &Context) -> anyhow::Result<Part> {
        let line = CommandLine::new("sweep").argument(self.plan.display());
        let line = line
            .option("--out", [self.out.display()])
            .seed(context.seed);
        Ok(Part {
            shard,
            version: env!("CARGO_PKG_VERSION").into(),
            name: plan.lists.name.clone(),
            hash: plan.lists.hash.clone(),
            cells: plan.cells().len(),
            dealt: Vec::new(),
            seeds: plan
                .lists
                .seeds
                .iter()
                .map(u64::to_string)
                .collect::<Vec<_>>()
                .join(" "),
            command: line.option("--shard", [shard]).to_string(),
            assumed: plan.remarks.assumed.clone(),
            seconds: 0.0,
            header: ResultsTable::new(plan).header()?,
            rows: Vec::new(),
        })
    }

    /// The rows of a shard by cell, those that its journal does not hold computed now.
    fn rows(
        &self,
        plan: &Plan,
        context: &Context,
        journal: &Path,
    ) -> anyhow::Result<BTreeMap<usize, String>> {
        let lines = Journal::new(plan);
        let table = ResultsTable::new(plan);
        let (
            RecoveredRows {
                lines: kept,
                others,
            },
            file,
        ) = sweep_folder::open_journal(journal, &lines)?;
        let all = plan.cells().len();
        if !kept.is_empty() {
            let (name, count) = (journal.display(), kept.len());
            let left = match self.shard {
                None => format!(", {} to compute", all - count),
                Some(_) => String::new(),
            };
            let gone = match others {
                0 => String::new(),
                _ => format!("; {others} rows are of cells that the plan no longer has"),
            };
            note!("{name}: {count} cells kept{left}{gone}");
        }
        let bar = progress::bar(0, "sweep");
        let state = Mutex::new((file, BTreeMap::new()));
        let lock = || state.lock().unwrap_or_else(|e| e.into_inner());
        let compute = |cells: Range<usize>| -> anyhow::Result<()> {
            let left: Vec<usize> = cells
                .clone()
                .filter(|cell| !kept.contains_key(cell))
                .collect();
            lock().1.extend(
                kept.range(cells.clone())
                    .map(|(cell, row)| (*cell, row.clone())),
            );
            bar.inc_length(left.len() as u64);
            nodeorder_sweep::run(plan, context, &left, |row| -> anyhow::Result<()> {
                let journaled = lines.line(&row)?;
                let line = table.line(&row)?;
                let mut state = lock();
                // One write a line: a kill leaves whole lines and at most one torn one.
                let fail = || format!("{}: writing", journal.display());
                state.0.write_all(journaled.as_bytes()).with_context(fail)?;
                state.1.insert(row.cell, line);
                bar.inc(1);
                Ok(())
            })
        };
        match self.shard {
            None => compute(0..all)?,
            Some(shard) => {
                let blocks = plan.deal(shard.of, context)?;
                let claims = Claims::open(&self.out, &plan.lists.hash, shard, &blocks)?;
                // A block at a time for each thread: cells of one block may be too few for all.
                (0..rayon::current_num_threads())
                    .into_par_iter()
                    .with_max_len(1)
                    .try_for_each(|_| -> anyhow::Result<()> {
                        while let Some(block) = claims.next()? {
                            compute(block.cells.clone())?;
                        }
                        Ok(())
                    })?;
            }
        }
        bar.finish_and_clear();
        Ok(state.into_inner().unwrap_or_else(|e| e.into_inner()).1)
    }
}
