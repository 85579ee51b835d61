//! Several files as one stream of lines.

use std::path::PathBuf;

use super::Lines;
use crate::error::{Error, Result, SourceLocation};
use crate::input::open_named;

impl Lines {
    /// Opens several files, read one after the other as one: those of a folder stand in the order of their names, but
    /// for hidden ones. Lines are numbered from 1 in each file; a line that its file does not end is ended. Returns
    /// with the stream the names that messages call the files by.
    ///
    /// # Errors
    /// As [`Lines::open`], for a later file when it is reached; a folder without files.
    pub fn open_all(paths: &[PathBuf], memory: u64) -> Result<(Self, Vec<String>)> {
        let mut files = Vec::new();
        for path in paths {
            if !path.is_dir() {
                files.push(path.clone());
                continue;
            }
            let failed = |e| Error::io(path, "reading", e);
            let mut found = Vec::new();
            for entry in std::fs::read_dir(path).map_err(failed)? {
                let entry = entry.map_err(failed)?;
                // Hidden files are notes of an editor or a system, and no records.
                let hidden = entry.file_name().to_string_lossy().starts_with('.');
                found.extend(Some(entry.path()).filter(|path| !hidden && path.is_file()));
            }
            if found.is_empty() {
                let location = SourceLocation::file(path);
                return Err(Error::input(location, "a folder without files", "records"));
            }
            // A system lists a folder in any order; records must come in the same one everywhere.
            found.sort();
            files.extend(found);
        }
        let names = files
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        files.reverse();
        let mut lines = Lines::open(&files.pop().unwrap_or_default(), memory)?;
        lines.further = files;
        Ok((lines, names))
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
