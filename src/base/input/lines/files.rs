//! Several files as one stream of lines.

use std::path::{Path, PathBuf};

use super::Lines;
use crate::error::{Error, Result, SourceLocation};
use crate::input::open_named;

/// A kind of entries of a folder that are not read: its name in notes, and the check for it.
type SkippedKind = (&'static str, fn(&Path) -> bool);

const SKIPPED: [SkippedKind; 5] = [
    ("links that lead nowhere", |path| !path.exists()),
    ("folders", Path::is_dir),
    ("pipes, sockets and devices", |path| !path.is_file()),
    // Notes of an editor or a system, and no records.
    ("hidden files", |path| {
        let name = path.file_name().unwrap_or_default();
        name.to_string_lossy().starts_with('.')
    }),
    ("empty files", |path| {
        path.metadata().is_ok_and(|m| m.len() == 0)
    }),
];

impl Lines {
    /// Opens several files, read one after the other as one: those of a folder stand in the order of their names. Of a
    /// folder, links that lead nowhere, folders, hidden and empty files are left out, which [`Lines::notes`] says.
    /// Lines are numbered from 1 in each file; a line that its file does not end is ended. Returns with the stream
    /// the names that messages call the files by.
    ///
    /// # Errors
    /// As [`Lines::open`], for a later file when it is reached; a folder without files.
    pub fn open_all(paths: &[PathBuf], memory: u64) -> Result<(Self, Vec<String>)> {
        let mut files = Vec::new();
        let mut notes = Vec::new();
        for path in paths {
            if path.is_dir() {
                files.extend(list_folder(path, &mut notes)?);
            } else {
                files.push(path.clone());
            }
        }
        let names = files
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        files.reverse();
        let mut lines = Lines::open(&files.pop().unwrap_or_default(), memory)?;
        lines.further = files;
        lines.notes = notes;
        Ok((lines, names))
    }

    /// Lists what was left out of folders, a line each: `logs: left out 2 empty files; the first: logs/a`.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Begins the next file where this one is at its end; false where there is none.
    pub(super) fn open_next_file(&mut self) -> Result<bool> {
        let Some(path) = self.further.pop() else {
            return Ok(false);
        };
        let (name, source) = open_named(&path)?;
        self.source = source;
        (self.name, self.file) = (name.into(), self.file + 1);
        // `idle` goes on: many files of comments are refused as one would be.
        (self.start, self.end, self.number) = (0, 0, 0);
        (self.at_end, self.begun) = (false, false);
        Ok(true)
    }
}

/// Lists the files of a folder by name, and notes what is left out.
fn list_folder(folder: &Path, notes: &mut Vec<String>) -> Result<Vec<PathBuf>> {
    let failed = |e| Error::io(folder, "reading", e);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        files.push(entry.map_err(failed)?.path());
    }
    // A system lists a folder in any order; records must come in the same one everywhere.
    files.sort();
    for (what, is_skipped) in SKIPPED {
        let (skipped, kept): (Vec<PathBuf>, _) =
            files.into_iter().partition(|path| is_skipped(path));
        files = kept;
        if let Some(first) = skipped.first() {
            let count = skipped.len();
            let place = folder.display();
            notes.push(format!(
                "{place}: left out {count} {what}; the first: {}",
                first.display()
            ));
        }
    }
    if files.is_empty() {
        let found = match notes.last() {
            Some(note) => format!("a folder without files to read ({note})"),
            None => "a folder without files".into(),
        };
        return Err(Error::input(SourceLocation::file(folder), found, "records"));
    }
    Ok(files)
}
