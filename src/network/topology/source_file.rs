//! Families that read their network from a file, and files shipped with the program.

use std::path::{Path, PathBuf};

use include_dir::{Dir, File, include_dir};

use super::{Context, Network, Step};
use nodeorder_base::error::Result;
use nodeorder_base::input::Text;
use nodeorder_base::params::{Params, head};

/// The files shipped with the program: machines, and what they name.
pub static SHIPPED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/topologies");

/// The shipped file that a path names as `shipped:NAME`, in whatever folder it stands.
pub(super) fn shipped(path: &Path) -> Option<&'static File<'static>> {
    SHIPPED.get_file(path.file_name()?.to_str()?.strip_prefix("shipped:")?)
}

/// Reads a text that a machine is described by: a file, or `shipped:NAME`. Errors: as [`Text::read`].
pub(super) fn read(path: &Path, context: &Context) -> Result<Text> {
    match shipped(path) {
        Some(file) => Text::held(file.path(), file.contents(), context.memory),
        None => Text::read(path, context.memory),
    }
}

/// The file of the option `file`, read when the network is built.
pub(super) struct SourceFile<'p> {
    pub path: PathBuf,
    pub text: Text,
    pub params: &'p Params,
    pub context: &'p Context,
}

/// Checks that `file` is given. The step reads the file and passes it to `build`. Errors: no file, with what is
/// `expected`; of the step: a file that cannot be read.
pub(super) fn from_file(
    params: &Params,
    expected: &str,
    build: impl FnOnce(&SourceFile<'_>) -> Result<Network> + Send + 'static,
) -> Result<Step> {
    let path = params
        .path("file")?
        .ok_or_else(|| params.wrong("file", expected))?;
    Ok(Box::new(move |params, context| {
        let text = read(&path, context)?;
        build(&SourceFile {
            path,
            text,
            params,
            context,
        })
    }))
}

impl SourceFile<'_> {
    /// Canonical specification: `kind:FILE`, with the key where the name itself holds an `=`.
    pub fn spec(&self) -> String {
        let name = |file: &File<'_>| format!("shipped:{}", file.path().display());
        let path = shipped(&self.path).map_or_else(|| self.path.display().to_string(), name);
        let key = if path.contains('=') { "file=" } else { "" };
        format!("{}:{key}{path}", head(self.params.kind()))
    }
}
