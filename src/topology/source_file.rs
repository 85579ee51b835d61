//! Families that read their network from a file.

use std::path::PathBuf;

use super::{Context, Network, Step};
use crate::error::Result;
use crate::input::Text;
use crate::params::{Params, head};

/// The file of the option `file`, read when the network is built.
pub(super) struct SourceFile<'p> {
    pub path: PathBuf,
    pub text: Text,
    pub params: &'p Params,
    pub context: &'p Context,
}

/// Checks that `file` is given. The step reads the file and passes it to `build`.
///
/// # Errors
/// No file, with what is `expected`; of the step: a file that cannot be read.
pub(super) fn from_file(
    params: &Params,
    expected: &str,
    build: impl FnOnce(&SourceFile<'_>) -> Result<Network> + Send + 'static,
) -> Result<Step> {
    let path = params.path("file")?.ok_or_else(|| params.wrong("file", expected))?;
    Ok(Box::new(move |params, context| {
        let text = Text::read(&path, context.memory)?;
        build(&SourceFile { path, text, params, context })
    }))
}

impl SourceFile<'_> {
    /// Canonical specification: `kind:FILE`, with the key where the name itself holds an `=`.
    pub fn spec(&self) -> String {
        let path = self.path.display().to_string();
        let key = if path.contains('=') { "file=" } else { "" };
        format!("{}:{key}{path}", head(self.params.kind()))
    }
}
