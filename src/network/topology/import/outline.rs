//! Options of families that read outlines: trees of switches that do not say how wide their links are.
//!
//! A rack with one switch above it in the file may have eight cables up. `uplinks=8` says so; without it a link
//! counts 1, and a remark tells what was assumed.

use super::wiring::Wiring;
use crate::topology::context::Context;
use crate::topology::family::BuildNetwork;
use crate::topology::network::Network;
use crate::topology::source_file::{FileOption, SourceFile};
use nodeorder_base::params::Written;
use nodeorder_base::{Opt, Params, Result};

/// Option `uplinks` of families that read outlines.
pub(super) const UPLINKS: Opt =
    Opt::whole("uplinks", "cables from each switch to the one above it")
        .default_in_words("1, as wide as LinkSpeed= says where the file has it");

/// Options of a family that reads outlines: `file`, `uplinks`, and what the reader holds.
pub(super) struct OutlineNetwork<R> {
    file: FileOption,
    /// Number of cables from each switch up; `None` if it is not given.
    uplinks: Option<u32>,
    /// The option `uplinks` as written, for messages.
    written: Written,
    /// Reads the wiring of the file, and the options to append to its specification.
    read: R,
}

impl<R> OutlineNetwork<R>
where
    R: Fn(&SourceFile<'_>) -> Result<(Wiring, String)> + Send + Sync + 'static,
{
    /// Reads `file` and `uplinks`; `read` returns the wiring of the file, and what follows its specification. Fails if
    /// no file is given, with what is `expected`.
    pub fn parse(params: &Params, expected: &str, read: R) -> Result<Box<dyn BuildNetwork>> {
        let uplinks = params.optional_integer("uplinks", 1, 1 << 16)?;
        Ok(Box::new(OutlineNetwork {
            file: FileOption::parse(params, expected)?,
            uplinks,
            written: params.written_value("uplinks"),
            read,
        }))
    }
}

impl<R> BuildNetwork for OutlineNetwork<R>
where
    R: Fn(&SourceFile<'_>) -> Result<(Wiring, String)> + Send + Sync,
{
    fn build(&self, context: &Context) -> Result<Network> {
        let file = self.file.open_file(context)?;
        let (mut wiring, suffix) = (self.read)(&file)?;
        let Some(uplinks) = self.uplinks else {
            wiring.set_outline_capacities(None);
            return wiring.into_network(&file, &suffix);
        };
        if !wiring.outline {
            return Err(self
                .written
                .invalid_value("a tree of switches; this file has none"));
        }
        wiring.set_outline_capacities(Some(uplinks));
        wiring.into_network(&file, &format!("{suffix},uplinks={uplinks}"))
    }
}
