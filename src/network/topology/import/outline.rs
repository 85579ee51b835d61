//! Options of families that read outlines: trees of switches that do not say how wide their links are.
//!
//! A rack with one switch above it in the file may have eight cables up. `uplinks=8` says so; without it a link
//! counts 1, and a remark tells what was assumed.

use super::wiring::Wiring;
use crate::topology::context::Context;
use crate::topology::family::BuildNetwork;
use crate::topology::network::Network;
use crate::topology::source_file::{FileOption, SourceFile};
use nodeorder_base::error::Result;
use nodeorder_base::params::{Opt, Params, Written};

/// Option `uplinks` of families that read outlines.
pub(super) const UPLINKS: Opt =
    Opt::whole("uplinks", "cables from each switch to the one above it")
        .default_in_words("1, as wide as LinkSpeed= says where the file has it");

/// The options `file` and `uplinks` of families that read outlines.
pub(super) struct OutlineOptions {
    file: FileOption,
    /// Number of cables from each switch up; `None` if it is not given.
    uplinks: Option<u32>,
    /// The option `uplinks` as written, for messages.
    written: Written,
}

impl OutlineOptions {
    /// Reads `file` and `uplinks`. Fails if no file is given, with what is `expected`.
    pub fn parse(params: &Params, expected: &str) -> Result<Self> {
        let uplinks = params.optional_integer("uplinks", 1, 1 << 16)?;
        Ok(OutlineOptions {
            file: FileOption::parse(params, expected)?,
            uplinks,
            written: params.written_value("uplinks"),
        })
    }

    /// Builds the network of the file; `read` returns its wiring and what follows its specification.
    pub fn build(
        &self,
        context: &Context,
        read: impl FnOnce(&SourceFile<'_>) -> Result<(Wiring, String)>,
    ) -> Result<Network> {
        let file = self.file.open_file(context)?;
        let (mut wiring, suffix) = read(&file)?;
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

/// Options of a family of outlines that has none of its own.
pub(super) struct OutlineNetwork {
    options: OutlineOptions,
    /// Reads the wiring of the file.
    read: fn(&SourceFile<'_>) -> Result<Wiring>,
}

impl OutlineNetwork {
    /// Reads the options, as [`OutlineOptions::parse`]; `read` returns the wiring of the file.
    pub fn parse(
        params: &Params,
        expected: &str,
        read: fn(&SourceFile<'_>) -> Result<Wiring>,
    ) -> Result<Box<dyn BuildNetwork>> {
        let options = OutlineOptions::parse(params, expected)?;
        Ok(Box::new(OutlineNetwork { options, read }))
    }
}

impl BuildNetwork for OutlineNetwork {
    fn build(&self, context: &Context) -> Result<Network> {
        let read = |file: &SourceFile<'_>| Ok(((self.read)(file)?, String::new()));
        self.options.build(context, read)
    }
}
