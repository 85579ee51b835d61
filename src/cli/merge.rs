//! `nodeorder merge`: the shards of a sweep put together.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::sweep::{self, Described};
use crate::sweep::store;
use crate::topology::Context;

/// Put the shards of a sweep together: DIR/results.csv and DIR/manifest.json
///
/// A set that is incomplete, mixed or damaged is refused; what is missing is named with the command that makes
/// it.
#[derive(Debug, Args)]
#[command(after_help = "Example: nodeorder merge results")]
pub struct Command {
    /// The folder that holds the shards
    folder: PathBuf,
    /// Write DIR/results.csv.gz instead of DIR/results.csv
    #[arg(long)]
    gz: bool,
}

impl Command {
    pub fn run(self, _: &Context) -> anyhow::Result<()> {
        let parts = sweep::parts(&self.folder)?;
        let table = store::merge(&parts, &self.folder.display().to_string())?;
        // There is at least one, or merging had failed.
        let Some((_, first)) = parts.first() else { return Ok(()) };
        if sweep::finished(&self.folder, &first.hash)? {
            eprintln!("{}: these shards are merged already; nothing to do", self.folder.display());
            return Ok(());
        }
        let plan = Described {
            name: first.name.clone(),
            hash: first.hash.clone(),
            cells: first.cells,
            seeds: first.seeds.clone(),
            inputs: json!(null),
        };
        let shards = parts.iter().map(|(_, part)| {
            json!({"shard": part.shard.index, "rows": part.rows.len(), "seconds": part.seconds,
                   "version": part.version})
        });
        let shards = json!(shards.collect::<Vec<_>>());
        let seconds = parts.iter().map(|(_, part)| part.seconds).sum();
        let manifest = sweep::manifest(&plan, &table, seconds, shards);
        sweep::write_results(&self.folder, &table, &manifest, self.gz)
    }
}
