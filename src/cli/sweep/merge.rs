//! `nodeorder sweep merge`: the shards of a sweep in one table.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::shared::notes::note;
use crate::shared::sweep_folder::{self, SweepFolder};
use nodeorder_network::Context;
use nodeorder_sweep::merge_shards;

/// Merge the shards of a sweep into one table
///
/// Writes DIR/results.csv and DIR/manifest.json. Shards that are missing, damaged or of different sweeps are an
/// error, which gives the commands that make the missing ones.
#[derive(Debug, Args)]
#[command(after_help = "Example: nodeorder sweep merge results")]
pub struct Command {
    /// The folder for the table, which may hold shards
    folder: PathBuf,
    /// Further folders that hold shards
    #[arg(value_name = "FOLDER")]
    others: Vec<PathBuf>,
    /// Write DIR/results.csv.gz instead of DIR/results.csv
    #[arg(long)]
    gz: bool,
}

impl Command {
    pub fn run(self, _: &Context) -> anyhow::Result<()> {
        let folder = SweepFolder(&self.folder);
        let mut files = folder.read_shards()?;
        // Engines may give each task a folder of its own.
        for other in &self.others {
            files.extend(SweepFolder(other).read_shards()?);
        }
        let table = merge_shards(&files, &self.folder.display().to_string())?;
        // There is at least one: merging none fails.
        let Some((_, first)) = files.first() else {
            return Ok(());
        };
        if folder.is_finished(&first.hash)? {
            let name = self.folder.display();
            note!("{name}: these shards are merged already; nothing to do");
            return Ok(());
        }
        let mut manifest = sweep_folder::describe_table(first, &table);
        manifest["shards"] = files
            .iter()
            .map(|(_, file)| {
                json!({
                    "shard": file.shard.index,
                    "rows": file.rows.len(),
                    "version": file.version,
                })
            })
            .collect();
        folder.write_table(&table, &manifest, self.gz)
    }
}
