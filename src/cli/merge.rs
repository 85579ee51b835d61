//! `nodeorder merge`: the shards of a sweep in one table.

use crate::shared::kit::*;
use crate::shared::sweep_folder::{self, SweepFolder};
use nodeorder_sweep::store::{self, Part};

/// Merge the shards of a sweep into one table
///
/// Writes DIR/results.csv and DIR/manifest.json. Shards that are missing, damaged or of different sweeps are an
/// error, which gives the commands that make the missing ones.
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
        let folder = SweepFolder(&self.folder);
        let parts = folder.parts()?;
        let table = store::merge(&parts, &self.folder.display().to_string())?;
        // There is at least one: merging none fails.
        let Some((_, first)) = parts.first() else {
            return Ok(());
        };
        if folder.is_finished(&first.hash)? {
            note!(
                "{}: these shards are merged already; nothing to do",
                self.folder.display()
            );
            return Ok(());
        }
        let shard = |(_, part): &(String, Part)| {
            json!({"shard": part.shard.index, "rows": part.rows.len(), "seconds": part.seconds,
                   "version": part.version})
        };
        let shards = json!(parts.iter().map(shard).collect::<Vec<_>>());
        let seconds = parts.iter().map(|(_, part)| part.seconds).sum();
        let manifest = sweep_folder::manifest(first, json!(null), &table, seconds, shards);
        folder.write(&table, &manifest, self.gz)
    }
}
