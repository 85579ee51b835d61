//! Blocks of a sweep that shards take in their common folder: a file a block, which says whose it is and is made once.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::Context as _;
use tempfile::NamedTempFile;

use super::output;
use nodeorder_sweep::{Block, Shard};

/// The claims of one shard. A shard takes what it was dealt, the costliest first, then what is left of shards that have
/// begun. A block that a shard took and did not finish is its own when it is run again.
pub struct Claims<'b> {
    out: PathBuf,
    folder: PathBuf,
    shard: Shard,
    blocks: &'b [Block],
    /// Blocks that are not known to be another's, and that this run has not been given.
    open: Mutex<BTreeSet<usize>>,
}

/// The folder of the claims of a plan with this hash, cut into `of`.
pub fn folder(out: &Path, hash: &str, of: u32) -> PathBuf {
    out.join(format!("claims-{hash}-of-{of}"))
}

/// The journal of a shard.
pub fn journal(out: &Path, Shard { index, of }: Shard) -> PathBuf {
    out.join(format!("shard-{index}-of-{of}.journal"))
}

impl<'b> Claims<'b> {
    pub fn open(out: &Path, hash: &str, shard: Shard, blocks: &'b [Block]) -> anyhow::Result<Self> {
        let folder = folder(out, hash, shard.of);
        output::create_folder(&folder)?;
        let open = Mutex::new((0..blocks.len()).collect());
        Ok(Claims {
            out: out.to_path_buf(),
            folder,
            shard,
            blocks,
            open,
        })
    }

    /// Takes a block; none where nothing is left to take.
    pub fn next(&self) -> anyhow::Result<Option<&'b Block>> {
        let mut open = self.open.lock().unwrap_or_else(|e| e.into_inner());
        let mine = |block: &usize| self.blocks[*block].shard == self.shard.index;
        loop {
            let mut next = open.iter().copied().find(mine);
            if next.is_none() {
                let taken = self.taken()?;
                open.retain(|b| !taken.contains(b) || self.owner(*b) == self.shard.index);
                next = open
                    .iter()
                    .copied()
                    .find(|b| taken.contains(b) || self.has_begun(*b));
            }
            let Some(block) = next else { return Ok(None) };
            open.remove(&block);
            if self.claim(block)? {
                return Ok(Some(&self.blocks[block]));
            }
        }
    }

    /// The blocks that any shard has taken: one look at the folder instead of an attempt at each.
    fn taken(&self) -> anyhow::Result<BTreeSet<usize>> {
        let fail = || format!("{}: reading the folder", self.folder.display());
        let entries = std::fs::read_dir(&self.folder).with_context(fail)?;
        Ok(entries
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .collect())
    }

    fn path(&self, block: usize) -> PathBuf {
        self.folder.join(block.to_string())
    }

    /// The shard that has taken a block. A claim that a power cut left empty is that of the shard it was dealt to.
    fn owner(&self, block: usize) -> u32 {
        let text = std::fs::read_to_string(self.path(block)).unwrap_or_default();
        text.trim().parse().unwrap_or(self.blocks[block].shard)
    }

    /// Whether the shard that a block was dealt to has begun: one that never began takes its blocks when it does.
    fn has_begun(&self, block: usize) -> bool {
        let shard = Shard {
            index: self.blocks[block].shard,
            ..self.shard
        };
        journal(&self.out, shard).exists()
    }

    /// Whether the block is this shard's: from now on, or from before.
    fn claim(&self, block: usize) -> anyhow::Result<bool> {
        let fail = || format!("{}: writing", self.path(block).display());
        let mut file = NamedTempFile::new_in(&self.folder).with_context(fail)?;
        writeln!(file, "{}", self.shard.index).with_context(fail)?;
        // Whole or not there at all, and never over another.
        match file.persist_noclobber(self.path(block)) {
            Ok(_) => Ok(true),
            Err(e) if e.error.kind() == std::io::ErrorKind::AlreadyExists => {
                Ok(self.owner(block) == self.shard.index)
            }
            Err(e) => Err(e.error).with_context(fail),
        }
    }
}
