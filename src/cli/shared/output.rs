//! Where results go: standard output, or a file that appears only when it is complete; compressed where its
//! name ends in `.gz`.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use flate2::Compression;
use flate2::write::GzEncoder;
use tempfile::NamedTempFile;

use super::{files, interrupt};
use nodeorder_base::Error;
use nodeorder_base::error::escape_controls;
use nodeorder_base::input::is_packed;

/// An output being written. Nothing is visible at a file's path before [`Output::finish`].
pub struct Output {
    writer: Writer,
    /// The file that is written beside its target, and the target.
    unfinished: Option<UnfinishedFile>,
    /// Name of the output in messages.
    name: String,
}

type FileWriter = BufWriter<Box<dyn Write>>;

enum Writer {
    Plain(FileWriter),
    /// Compressed. The bytes depend on the text alone: no name, no time.
    Packed(Box<GzEncoder<FileWriter>>),
}

impl Output {
    /// Opens `path`, or standard output for `None` and `-`.
    pub fn open(path: Option<&Path>) -> anyhow::Result<Output> {
        let (target, unfinished): (Box<dyn Write>, _) = match named_file(path) {
            None => (to_stdout(), None),
            Some(path) => open_file(path)?,
        };
        let target = BufWriter::with_capacity(1 << 16, target);
        let writer = if path.is_some_and(is_packed) {
            Writer::Packed(Box::new(GzEncoder::new(target, Compression::default())))
        } else {
            Writer::Plain(target)
        };
        Ok(Output {
            writer,
            unfinished,
            name: describe_output(path),
        })
    }

    /// Completes the output: flushes it and moves a file to its path.
    pub fn finish(self) -> anyhow::Result<()> {
        finish_all(vec![self])
    }

    /// Flushes the output, and returns the file that is to be moved, with its name in messages.
    fn complete(self) -> anyhow::Result<Option<(UnfinishedFile, String)>> {
        let Output {
            writer,
            unfinished,
            name,
        } = self;
        let mut target = match writer {
            Writer::Plain(target) => target,
            // `flush` would leave out the checksum that ends a gzip file.
            Writer::Packed(encoder) => encoder.finish().context("compressing")?,
        };
        // Before the file is moved: a full disk may show only here, and the old file must then stay.
        target.flush().with_context(|| name.clone())?;
        drop(target);
        Ok(unfinished.map(|unfinished| (unfinished, name)))
    }
}

/// Completes outputs as a set: the first is moved to its path when all are complete, and an interruption comes before
/// all of them are or after.
fn finish_all(outputs: Vec<Output>) -> anyhow::Result<()> {
    let complete: Vec<_> = outputs
        .into_iter()
        .filter_map(|output| output.complete().transpose())
        .collect::<anyhow::Result<_>>()?;
    let (files, names): (Vec<UnfinishedFile>, Vec<String>) = complete.into_iter().unzip();
    interrupt::move_to_targets(files).map_err(|(i, error)| {
        let name = names[i].clone();
        anyhow::Error::from(error).context(name)
    })
}

/// Writes files that belong together, as a set.
pub fn write_set<T: AsRef<[u8]>>(
    files: impl IntoIterator<Item = (PathBuf, T)>,
) -> anyhow::Result<()> {
    let mut outputs = Vec::new();
    for (path, text) in files {
        let mut out = Output::open(Some(&path))?;
        let written = out.write_all(text.as_ref());
        written.with_context(|| describe_output(Some(&path)))?;
        outputs.push(out);
    }
    finish_all(outputs)
}

/// A temporary file, and the path it is moved to when it is complete.
type UnfinishedFile = (NamedTempFile, PathBuf);

/// Opens a file to write: a temporary one beside it with the path to move it to, or the target itself where that
/// is a device or a pipe.
fn open_file(path: &Path) -> anyhow::Result<(Box<dyn Write>, Option<UnfinishedFile>)> {
    let fail = || describe_output(Some(path));
    files::may_write(path)?;
    // A link is kept: the file that it points to is replaced.
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    if let Ok(meta) = std::fs::metadata(&target)
        && !meta.is_file()
    {
        if meta.is_dir() {
            anyhow::bail!(
                "{}: found a directory; expected a file to write",
                path.display()
            );
        }
        // A device or a pipe cannot be replaced by a finished file: it is written as it is.
        let file = File::options()
            .write(true)
            .open(&target)
            .with_context(fail)?;
        return Ok((Box::new(file), None));
    }
    let folder = match target.parent() {
        // Beside the target, not in /tmp: only within a file system is a rename one step.
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    // The system's message would name the temporary file.
    let file = create_beside(folder, &target)
        .map_err(|e: io::Error| match e.kind() {
            io::ErrorKind::NotFound => io::Error::new(e.kind(), "its folder does not exist"),
            kind => io::Error::from(kind),
        })
        .with_context(fail)?;
    let writer = file.as_file().try_clone().with_context(fail)?;
    Ok((
        Box::new(SizeLimitedWriter {
            target: writer,
            room: largest_file(),
        }),
        Some((file, target)),
    ))
}

/// A file or standard output with the bytes that the system still lets it grow: one that grows on ends the program
/// without a word (SIGXFSZ).
struct SizeLimitedWriter<W> {
    target: W,
    room: u64,
}

impl<W: Write> Write for SizeLimitedWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() as u64 > self.room {
            let text = "the file would be larger than `ulimit -f` allows";
            // Refused whole before the system sees it: the signal would leave no time for a message.
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
        }
        let written = self.target.write(bytes)?;
        self.room -= written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.target.flush()
    }
}

/// Looks up the largest size that a file may have, in bytes: the system's limit, if it tells one.
fn largest_file() -> u64 {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max file size"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok())
        .unwrap_or(u64::MAX)
}

/// Opens standard output, which may be a file.
fn to_stdout() -> Box<dyn Write> {
    // Where the shell redirects into a file the limit holds as well, less what `>>` finds there.
    let file = std::fs::metadata("/dev/stdout")
        .ok()
        .filter(std::fs::Metadata::is_file);
    let room = file.map_or(u64::MAX, |file| largest_file().saturating_sub(file.len()));
    let stdout = SizeLimitedWriter {
        target: io::stdout().lock(),
        room,
    };
    // Files and other programs get the text as it is.
    if io::stdout().is_terminal() {
        Box::new(EscapedText::new(stdout))
    } else {
        Box::new(stdout)
    }
}

/// A terminal, on which names from outside may not move the cursor, change colours or turn text round: all but line
/// breaks and tabs that steers it is written as escapes.
struct EscapedText<W> {
    target: W,
    /// The first bytes of a character whose other bytes have not arrived yet.
    begun: Vec<u8>,
}

impl<W: Write> EscapedText<W> {
    fn new(target: W) -> Self {
        EscapedText {
            target,
            begun: Vec::new(),
        }
    }
}

impl<W: Write> Write for EscapedText<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut held = std::mem::take(&mut self.begun);
        held.extend(bytes);
        let end = match std::str::from_utf8(&held) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => held.len(),
        };
        self.begun = held.split_off(end);
        let mut escaped = String::new();
        for piece in String::from_utf8_lossy(&held).split_inclusive(['\n', '\t']) {
            let plain = piece.trim_end_matches(['\n', '\t']);
            escaped += &escape_controls(plain);
            escaped += &piece[plain.len()..];
        }
        self.target.write_all(escaped.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.target.flush()
    }
}

/// Creates a temporary file in `folder` with the permissions of `target`, or those of a plain new file.
fn create_beside(folder: &Path, target: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder
        .prefix(interrupt::TEMPORARY.0)
        .suffix(interrupt::TEMPORARY.1);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Temporary files are private by default; the umask takes from these bits what it takes from any new file.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    interrupt::remove_abandoned(folder);
    let file = interrupt::watch_file(|| builder.tempfile_in(folder))?;
    if let Ok(meta) = std::fs::metadata(target) {
        // A file that is replaced keeps who may read it.
        file.as_file().set_permissions(meta.permissions())?;
    }
    Ok(file)
}

/// Moves a complete file over `path`: a link is kept and the file that it points to is replaced, with its permissions.
pub fn move_over(complete: &Path, path: &Path) -> io::Result<()> {
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    if let Ok(meta) = std::fs::metadata(&target) {
        if meta.is_dir() {
            return Err(io::Error::new(
                io::ErrorKind::IsADirectory,
                "found a directory",
            ));
        }
        std::fs::set_permissions(complete, meta.permissions())?;
    }
    std::fs::rename(complete, &target)
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.writer {
            Writer::Plain(target) => target.write(bytes),
            Writer::Packed(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.writer {
            Writer::Plain(target) => target.flush(),
            Writer::Packed(encoder) => encoder.flush(),
        }
    }
}

/// Completes what `write` writes to `path` or standard output.
pub fn write_by<E>(
    path: Option<&Path>,
    write: impl FnOnce(&mut Output) -> Result<(), E>,
) -> anyhow::Result<()>
where
    Result<(), E>: anyhow::Context<(), E>,
{
    let mut out = Output::open(path)?;
    write(&mut out).with_context(|| describe_output(path))?;
    out.finish()
}

/// Writes a whole text to `path` or standard output.
pub fn write_text(path: Option<&Path>, bytes: impl AsRef<[u8]>) -> anyhow::Result<()> {
    write_by(path, |out| out.write_all(bytes.as_ref()))
}

/// Writes a JSON document to `path` or standard output, indented.
pub fn write_json(path: Option<&Path>, document: &serde_json::Value) -> anyhow::Result<()> {
    write_text(path, format!("{document:#}\n"))
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
    files
        .into_iter()
        .try_for_each(|(name, text)| write_text(Some(&folder.join(name)), text))
}

/// Chooses which of `forms` an option's file has, by the ending of its name; `plain` for a name without an ending, such
/// as a device's.
pub fn form_by_ending(
    option: &str,
    path: &Path,
    forms: &[&'static str],
    plain: Option<&'static str>,
) -> Result<&'static str, Error> {
    path.extension()
        .map_or(plain, |ending| {
            forms.iter().copied().find(|form| ending == *form)
        })
        .ok_or_else(|| {
            let expected = format!("a file name that ends in .{}", forms.join(" or ."));
            Error::option(option, path.display().to_string(), expected)
        })
}

/// Tells a file that an option names from `-`, which is standard output and gives `None`.
pub fn named_file(path: Option<&Path>) -> Option<&Path> {
    path.filter(|path| *path != Path::new("-"))
}

/// Checks whether people read an output: `path` names none, and standard output is a terminal.
pub fn is_for_people(path: Option<&Path>) -> bool {
    path.is_none() && io::stdout().is_terminal()
}

/// Says where the page of a command stands, where it wrote one.
pub fn say_page(out: &mut impl Write, folder: Option<&Path>) -> io::Result<()> {
    let page = folder.map(|folder| folder.join("index.html"));
    page.map_or(Ok(()), |page| writeln!(out, "\nPage: {}", page.display()))
}

/// Describes an output in a message.
pub fn describe_output(path: Option<&Path>) -> String {
    named_file(path).map_or_else(
        || "standard output".into(),
        |p| format!("{}: writing", p.display()),
    )
}

/// Checks whether an error only means that the reader of our output has closed it.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    // Writers and libraries wrap the system's error in texts of their own.
    error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_gz_asks_for_compression() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv.gz");
        write_text(Some(&path), b"a,b\n1,2\n").unwrap();
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(bytes[..2], [0x1f, 0x8b]);
        // No time of writing: the same text, the same bytes.
        assert_eq!(bytes[4..8], [0; 4]);
        assert_eq!(
            nodeorder_base::input::Text::read(&path, 100)
                .unwrap()
                .as_str(),
            "a,b\n1,2\n"
        );
        let mut out = Output::open(Some(&path)).unwrap();
        out.write_all(b"half").unwrap();
        drop(out);
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn devices_are_written_straight_and_directories_refused() {
        write_text(Some(Path::new("/dev/null")), b"x").unwrap();
        assert!(write_text(Some(Path::new("/")), b"x").is_err());
    }

    /// Names cannot steer a terminal, however the text is cut into pieces; line breaks and tabs stay.
    #[test]
    fn what_steers_a_terminal_is_escaped() {
        let text = "a\tb\u{1b}[31m é\n\u{202e}c\u{85}d\u{9b}0m\r\n";
        let wanted = "a\tb\\u{1b}[31m é\n\\u{202e}c\\u{85}d\\u{9b}0m\\r\n";
        for size in 1..text.len() {
            let mut out = EscapedText::new(Vec::new());
            for piece in text.as_bytes().chunks(size) {
                out.write_all(piece).unwrap();
            }
            assert_eq!(String::from_utf8(out.target).unwrap(), wanted, "{size}");
        }
    }
}
