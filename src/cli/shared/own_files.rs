//! The files that a command wrote into a folder: replaced as a set, so that none of an earlier run is left among
//! them, and only when all are complete. What others put there stays.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use tempfile::TempDir;

use super::{files, interrupt, output};
use nodeorder_base::{Error, SourceLocation, Text};
use nodeorder_present::report;

/// The owner of the pages of `compare`, `machines`, `throughput` and `tune`: a page of one replaces that of another.
pub const PAGE: &str = "compare";
/// Name of the file in the folder that lists the files written there.
pub const LIST: &str = "nodeorder-files.txt";
/// The first line of the list.
const TITLE: &str =
    "# written by nodeorder: the next run of the same command into this folder replaces its files";
/// The largest list that is read, in bytes.
const MOST: u64 = 1 << 24;

/// Writes the files of a report of `command`; the page comes last, so that it never refers to a missing file.
pub fn write_report(
    folder: &Path,
    command: &'static str,
    mut files: Vec<report::File<'_>>,
) -> anyhow::Result<()> {
    // False sorts before true, and the sort is stable: only the page moves.
    files.sort_by_key(|file| file.name == "index.html");
    let own = OwnFiles::begin_folder(
        folder,
        command,
        files.iter().map(|f| f.name.clone()).collect(),
    )?;
    for file in &files {
        output::write_by(Some(&own.unfinished_path(&file.name)), |out| {
            file.write_to(out)
        })?;
    }
    own.finish()
}

/// A folder being filled anew.
pub struct OwnFiles<'a> {
    folder: &'a Path,
    /// Temporary folder that holds the files until all are complete.
    unfinished: TempDir,
    command: &'static str,
    names: Vec<String>,
    /// The list of an earlier run: a command and the name of a file.
    before: Vec<(String, String)>,
}

impl<'a> OwnFiles<'a> {
    /// Makes the folder where there is none, for the files `names` that `command` writes there. Errors: a file
    /// that has the list's name and is none, or one that may not be written.
    pub fn begin_folder(
        folder: &'a Path,
        command: &'static str,
        names: Vec<String>,
    ) -> anyhow::Result<Self> {
        let before = read_list(&folder.join(LIST))?;
        names
            .iter()
            // All are checked before the first is moved: a refused one would leave new and old files mixed.
            .try_for_each(|name| files::may_write(&folder.join(name)))?;
        let mut builder = tempfile::Builder::new();
        builder
            .prefix(interrupt::TEMPORARY.0)
            .suffix(interrupt::TEMPORARY.1);
        // Within the folder, so that files are moved by renames and a full disk shows before any is replaced.
        let unfinished = interrupt::watch_folder(folder, || builder.tempdir_in(folder));
        Ok(OwnFiles {
            folder,
            unfinished: unfinished
                .with_context(|| format!("{}: creating the folder", folder.display()))?,
            command,
            names,
            before,
        })
    }

    /// Names the temporary path at which to write the file `name`, until [`OwnFiles::finish`] moves it into the
    /// folder.
    pub fn unfinished_path(&self, name: &str) -> PathBuf {
        self.unfinished.path().join(name)
    }

    /// Moves the files to the folder, and removes what the same command wrote earlier and has not written now.
    pub fn finish(self) -> anyhow::Result<()> {
        // An interruption comes before all of it or after.
        interrupt::without_interruption(|| self.move_into_folder())
    }

    fn move_into_folder(&self) -> anyhow::Result<()> {
        let (own, others): (Vec<_>, Vec<_>) = self
            .before
            .iter()
            .cloned()
            .partition(|(command, _)| command == self.command);
        // The list comes first: what ends the program here leaves one that names the old and the new.
        self.write_list(&self.before)?;
        for name in &self.names {
            let path = self.folder.join(name);
            output::move_over(&self.unfinished_path(name), &path)
                .with_context(|| output::describe_output(Some(&path)))?;
        }
        let left = own.iter().filter(|(_, name)| !self.names.contains(name));
        for path in left.map(|(_, name)| self.folder.join(name)) {
            match std::fs::remove_file(&path) {
                // Somebody may have removed it since: it need only be gone.
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::io(&path, "removing", e).into());
                }
                _ => {}
            }
        }
        self.write_list(&others)
    }

    /// Writes the list: files of `before` that are not written now, then those that are.
    fn write_list(&self, before: &[(String, String)]) -> anyhow::Result<()> {
        let mut text = format!("{TITLE}\n");
        for (command, name) in before.iter().filter(|(_, name)| !self.names.contains(name)) {
            let _ = writeln!(text, "{command} {name}");
        }
        for name in &self.names {
            let _ = writeln!(text, "{} {name}", self.command);
        }
        let list = self.folder.join(LIST);
        files::may_write(&list)?;
        let fail = || output::describe_output(Some(&list));
        std::fs::write(self.unfinished_path(LIST), text).with_context(fail)?;
        output::move_over(&self.unfinished_path(LIST), &list).with_context(fail)
    }
}

/// Writes the files that `command` has for a folder, and removes those that it had earlier and has no longer.
pub fn replace_files(
    folder: &Path,
    command: &'static str,
    files: impl IntoIterator<Item = (impl Into<String>, String)>,
) -> anyhow::Result<()> {
    let files = files
        .into_iter()
        .map(|(name, text)| report::File::text(name, text));
    write_report(folder, command, files.collect())
}

/// Reads a list: commands, and the names of their files. Fails at a name that is no file of the same folder.
fn read_list(path: &Path) -> anyhow::Result<Vec<(String, String)>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = Text::read(path, MOST)?;
    let mut lines = text.lines();
    let first = lines
        .next()
        .map(|line| line.text.to_string())
        .unwrap_or_default();
    if first != TITLE {
        let location = SourceLocation::line(text.name(), 1);
        let expected = "the list of a folder's own files, or no file of this name";
        return Err(Error::input(location, format!("`{first}`"), expected).into());
    }
    lines
        .map(|line: nodeorder_base::input::Line<'_>| {
            // Files of the list are removed: a name with `/` or `..` in a list that came from elsewhere must not
            // reach outside.
            let plain = |name: &str| Path::new(name).file_name() == Some(name.as_ref());
            let pair = line.text.split_once(' ').filter(|(_, name)| plain(name));
            let (command, name) = pair.ok_or_else(|| {
                let expected = "a command and the name of a file in this folder";
                Error::input(line.location(), format!("`{}`", line.text), expected)
            })?;
            Ok((command.to_string(), name.to_string()))
        })
        .collect()
}
