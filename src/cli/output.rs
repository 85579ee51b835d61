//! Where results go: standard output, or a file that appears whole or not at all; compressed where its name
//! ends in `.gz`.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use flate2::Compression;
use flate2::write::GzEncoder;
use tempfile::NamedTempFile;

use super::interrupt;
use crate::input::is_packed;

/// An output being written. Nothing is visible at a file's path before [`Output::finish`].
pub enum Output {
    /// As it is.
    Plain(Target),
    /// Compressed. The bytes depend on the text alone: no name, no time.
    Packed(Box<GzEncoder<Target>>),
}

/// Where bytes go.
pub enum Target {
    /// Standard output.
    Stdout(BufWriter<io::StdoutLock<'static>>),
    /// A device, pipe or other target that cannot be renamed onto.
    Straight(PathBuf, BufWriter<File>),
    /// A file beside its target.
    Beside(PathBuf, BufWriter<NamedTempFile>),
}

impl Output {
    /// Opens `path`, or standard output for `None` and `-`.
    pub fn open(path: Option<&Path>) -> anyhow::Result<Output> {
        let target = Target::open(path)?;
        Ok(match path.is_some_and(is_packed) {
            true => Output::Packed(Box::new(GzEncoder::new(target, Compression::default()))),
            false => Output::Plain(target),
        })
    }

    /// Makes the output complete: flushed, and at its place.
    pub fn finish(self) -> anyhow::Result<()> {
        match self {
            Output::Plain(target) => target.finish(),
            Output::Packed(encoder) => encoder.finish().context("compressing")?.finish(),
        }
    }
}

impl Target {
    fn open(path: Option<&Path>) -> anyhow::Result<Target> {
        let Some(path) = path.filter(|p| *p != Path::new("-")) else {
            return Ok(Target::Stdout(BufWriter::with_capacity(1 << 16, io::stdout().lock())));
        };
        let fail = || format!("{}: writing", path.display());
        // A link keeps pointing where it does: the file behind it is replaced.
        let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        if let Ok(meta) = std::fs::metadata(&target)
            && !meta.is_file()
        {
            if meta.is_dir() {
                anyhow::bail!("{}: found a directory; expected a file to write", path.display());
            }
            let file = File::options().write(true).open(&target).with_context(fail)?;
            return Ok(Target::Straight(target, BufWriter::with_capacity(1 << 16, file)));
        }
        let folder = match target.parent() {
            Some(parent) if parent != Path::new("") => parent.to_path_buf(),
            _ => PathBuf::from("."),
        };
        // The system's text would name the temporary file.
        let plainly = |e: io::Error| match e.kind() {
            io::ErrorKind::NotFound => io::Error::new(e.kind(), "its folder does not exist"),
            kind => io::Error::from(kind),
        };
        let beside = beside(&folder, &target).map_err(plainly).with_context(fail)?;
        Ok(Target::Beside(target, BufWriter::with_capacity(1 << 16, beside)))
    }

    fn finish(self) -> anyhow::Result<()> {
        match self {
            Target::Stdout(mut out) => Ok(out.flush()?),
            Target::Straight(path, mut out) => {
                out.flush().with_context(|| format!("{}: writing", path.display()))
            }
            Target::Beside(path, out) => {
                let fail = || format!("{}: writing", path.display());
                let file = out.into_inner().map_err(|e| e.into_error()).with_context(fail)?;
                interrupt::persist(file, &path).with_context(fail)
            }
        }
    }
}

/// A new file in `folder` with the permissions that `target` has, or that a plain new file would get.
fn beside(folder: &Path, target: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".nodeorder-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let file = interrupt::watched(|| builder.tempfile_in(folder))?;
    if let Ok(meta) = std::fs::metadata(target) {
        file.as_file().set_permissions(meta.permissions())?;
    }
    Ok(file)
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Output::Plain(target) => target.write(bytes),
            Output::Packed(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::Plain(target) => target.flush(),
            Output::Packed(encoder) => encoder.flush(),
        }
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Target::Stdout(out) => out.write(bytes),
            Target::Straight(_, out) => out.write(bytes),
            Target::Beside(_, out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Target::Stdout(out) => out.flush(),
            Target::Straight(_, out) => out.flush(),
            Target::Beside(_, out) => out.flush(),
        }
    }
}

/// Writes a whole text to `path` or standard output.
pub fn write(path: Option<&Path>, bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = Output::open(path)?;
    out.write_all(bytes).with_context(|| name(path))?;
    out.finish()
}

/// Makes a folder where there is none.
pub fn create_folder(folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("{}: creating the folder", folder.display()))
}

/// Writes files by name into a folder, which is made where there is none.
pub fn write_folder<N: AsRef<Path>, T: AsRef<[u8]>>(
    folder: &Path,
    files: impl IntoIterator<Item = (N, T)>,
) -> anyhow::Result<()> {
    create_folder(folder)?;
    files.into_iter().try_for_each(|(name, text)| write(Some(&folder.join(name)), text.as_ref()))
}

/// A word as a shell takes it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+".contains(c);
    if word.chars().all(plain) { word.into() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// What messages call an output.
pub fn name(path: Option<&Path>) -> String {
    path.map_or_else(|| "standard output".into(), |p| format!("{}: writing", p.display()))
}

/// Whether an error is only that the reader of our output has gone.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let closed = |e: &io::Error| e.kind() == io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(closed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_appears_only_when_finished() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        let mut out = Output::open(Some(&path)).unwrap();
        out.write_all(b"half").unwrap();
        out.flush().unwrap();
        assert!(!path.exists());
        drop(out);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        write(Some(&path), b"whole").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"whole");
        write(Some(&path), b"again").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"again");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_name_in_gz_asks_for_compression() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv.gz");
        write(Some(&path), b"a,b\n1,2\n").unwrap();
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(bytes[..2], [0x1f, 0x8b]);
        // No time of writing: the same text, the same bytes.
        assert_eq!(bytes[4..8], [0; 4]);
        assert_eq!(crate::input::Text::read(&path, 100).unwrap().as_str(), "a,b\n1,2\n");
        let mut out = Output::open(Some(&path)).unwrap();
        out.write_all(b"half").unwrap();
        drop(out);
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn devices_are_written_straight_and_directories_refused() {
        write(Some(Path::new("/dev/null")), b"x").unwrap();
        assert!(write(Some(Path::new("/")), b"x").is_err());
    }
}
