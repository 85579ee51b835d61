//! Files that describe networks: the option that names one, and files shipped with the program.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use include_dir::{Dir, File, include_dir};

use super::context::Context;
use super::family::BuildNetwork;
use super::network::Network;
use nodeorder_base::params::text_before_colon;
use nodeorder_base::{Params, Result, SourceLocation, Text};

/// The files shipped with the program: machines, and the files that these name.
pub static SHIPPED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/topologies");

/// Finds the shipped file that a path names as `shipped:NAME`, whatever folder stands before it.
pub(super) fn find_shipped(path: &Path) -> Option<&'static File<'static>> {
    SHIPPED.get_file(path.file_name()?.to_str()?.strip_prefix("shipped:")?)
}

/// Reads a text that a machine is described by: a file, `-` for standard input, or `shipped:NAME`. Fails as
/// [`Text::read`].
pub(super) fn read(path: &Path, context: &Context) -> Result<Text> {
    // It can be read once, and is looked at twice: for its kind, and by the reader of that kind.
    static STANDARD_INPUT: OnceLock<Text> = OnceLock::new();
    if let Some(file) = find_shipped(path) {
        return Text::read_embedded(file.path(), file.contents(), context.memory);
    }
    let of_input = path == Path::new("-");
    if let Some(text) = STANDARD_INPUT.get().filter(|_| of_input) {
        return Ok(text.clone());
    }
    let text = Text::read(path, context.memory)?;
    if of_input {
        STANDARD_INPUT.get_or_init(|| text.clone());
    }
    Ok(text)
}

/// The option `file` of a family: a file that is read when the network is built.
pub(super) struct FileOption {
    path: PathBuf,
    /// Name of the family that reads it.
    family: String,
    /// Place of the whole specification.
    location: SourceLocation,
}

impl FileOption {
    /// Reads the option `file`. Fails if it is not given, with what is `expected`.
    pub fn parse(params: &Params, expected: &str) -> Result<Self> {
        let Some(path) = params.optional_path("file")? else {
            return Err(params.invalid_value("file", expected));
        };
        Ok(FileOption {
            path,
            family: text_before_colon(params.kind()).to_string(),
            location: params.location().clone(),
        })
    }

    /// Reads the file.
    pub fn open_file<'c>(&'c self, context: &'c Context) -> Result<SourceFile<'c>> {
        Ok(SourceFile {
            option: self,
            text: read(&self.path, context)?,
            context,
        })
    }
}

/// A file that describes a network.
pub(super) struct SourceFile<'c> {
    option: &'c FileOption,
    pub text: Text,
    pub context: &'c Context,
}

impl SourceFile<'_> {
    /// Returns the path as the option gives it.
    pub fn path(&self) -> &Path {
        &self.option.path
    }

    /// Returns the place of the specification that names the file.
    pub fn location(&self) -> &SourceLocation {
        &self.option.location
    }

    /// Writes the canonical specification: `kind:FILE`, or `kind:file=FILE` if the name itself holds an `=`.
    pub fn spec(&self) -> String {
        let path = match find_shipped(self.path()) {
            Some(file) => format!("shipped:{}", file.path().display()),
            None => self.path().display().to_string(),
        };
        let key = if path.contains('=') { "file=" } else { "" };
        format!("{}:{key}{path}", self.option.family)
    }
}

/// Options of a family that reads a file.
pub(super) struct FileNetwork<N> {
    file: FileOption,
    /// Builds the network of the file.
    network: N,
}

impl<N: Fn(&SourceFile<'_>) -> Result<Network> + Send + Sync + 'static> FileNetwork<N> {
    /// Reads the option `file` as [`FileOption::parse`]; `network` builds the network of the file.
    pub fn parse(params: &Params, expected: &str, network: N) -> Result<Box<dyn BuildNetwork>> {
        let file = FileOption::parse(params, expected)?;
        Ok(Box::new(FileNetwork { file, network }))
    }
}

impl<N: Fn(&SourceFile<'_>) -> Result<Network> + Send + Sync> BuildNetwork for FileNetwork<N> {
    fn build(&self, context: &Context) -> Result<Network> {
        (self.network)(&self.file.open_file(context)?)
    }
}
