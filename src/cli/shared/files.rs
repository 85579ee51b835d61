//! Which files a command reads and which it writes: no file is both, and none is written twice.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use clap::parser::ValueSource;
use clap::{ArgMatches, ValueHint};

use nodeorder_base::input::resolve_beside;
use nodeorder_base::{Error, Result, Text};
use nodeorder_sweep::reference;

/// The options that name a file to write; `trace info` has one more.
const WRITTEN: [&str; 10] = [
    "output",
    "plot",
    "summary",
    "timeline",
    "totals",
    "edges",
    "links_out",
    "matching_out",
    "metrics",
    "append",
];
/// The option of `trace info` that names a file to write; in other commands an option of this name lists sizes.
const TABLE_OF_SIZES: (&str, &str) = ("info", "sizes");

/// A file that the command line names, or a file that it reads.
struct NamedFile {
    /// The file itself, however it is named.
    file: PathBuf,
    /// Device and inode, where the system has them: hard links are one file under two names.
    inode: Option<(u64, u64)>,
    /// The option with what it was given.
    option: String,
    /// The name as it was given.
    name: String,
}

/// The files that the command reads, as far as the command line tells.
static READ: OnceLock<Vec<NamedFile>> = OnceLock::new();

/// Checks the files that a command line names. Errors: a file to write that is read as well, is written twice or may
/// not be written.
pub fn check_files(command: &clap::Command, matches: &ArgMatches) -> Result<()> {
    let mut command = command;
    let mut matches = matches;
    while let Some((name, inner)) = matches.subcommand()
        && let Some(found) = command.find_subcommand(name)
    {
        (command, matches) = (found, inner);
    }
    let mut read = Vec::new();
    let mut written = Vec::<NamedFile>::new();
    for argument in command.get_arguments() {
        let id = argument.get_id().as_str();
        // A default value names no file of the user's, even if one is called so; a flag names none.
        if matches.value_source(id) != Some(ValueSource::CommandLine)
            || !argument.get_action().takes_values()
        {
            continue;
        }
        let flag = argument.get_long().map(|long| format!("--{long} "));
        for value in matches.get_raw(id).into_iter().flatten() {
            let text = value.to_string_lossy();
            let option = flag.clone().unwrap_or_default() + &text;
            let whole = NamedFile::new(Path::new(value), option.clone(), text.to_string());
            if is_written(command.get_name(), id) {
                written.push(whole);
            } else if argument.get_value_hint() == ValueHint::AnyPath {
                // The hint of all arguments that are paths.
                read.push(whole);
            } else {
                // Other options (SPEC, orderings, allocators) may name files within their texts: each piece that is a
                // file counts.
                let pieces = split_into_names(&text)
                    .filter(|piece| Path::new(piece).is_file() && !is_known(piece));
                read.extend(pieces.map(|piece| {
                    NamedFile::new(Path::new(piece), option.clone(), piece.to_string())
                }));
            }
        }
    }
    read.retain(|named| named.file.is_file());
    // Files that these name in their turn: machines in plans, names in machines.
    let mut next = 0;
    while let Some(named) = read.get(next).filter(|_| read.len() < MOST_FILES) {
        let inner: Vec<NamedFile> = files_named_in(named)
            .into_iter()
            .filter(|inner| read.iter().all(|known| known.file != inner.file))
            .collect();
        read.extend(inner);
        next += 1;
    }
    // Kept for the whole run: names of files in a page's folder are known only when it is written.
    let read = READ.get_or_init(|| read);
    // Standard output takes several results, one after the other.
    written.retain(|named| named.name != "-");
    for (i, named) in written.iter().enumerate() {
        refuse_overwriting(named, read)?;
        // A device takes several.
        let plain = !named.file.exists() || named.file.is_file();
        if let Some(other) = written[..i]
            .iter()
            .find(|other| plain && other.is_same_file(named))
        {
            let found = format!("the file that `{}` writes", other.option);
            return Err(Error::option(&named.option, found, "another file"));
        }
    }
    Ok(())
}

/// Refuses to write a file that is read or may not be written.
pub fn may_write(path: &Path) -> Result<()> {
    let read = READ.get().map_or(&[][..], Vec::as_slice);
    let name = path.display().to_string();
    refuse_overwriting(&NamedFile::new(path, name.clone(), name), read)
}

impl NamedFile {
    fn new(path: &Path, option: String, name: String) -> Self {
        NamedFile {
            file: resolve_path(path),
            inode: device_and_inode(path),
            option,
            name,
        }
    }

    /// Checks whether both are one file, under one name or two.
    fn is_same_file(&self, other: &NamedFile) -> bool {
        self.file == other.file || self.inode.is_some() && self.inode == other.inode
    }
}

#[cfg(unix)]
fn device_and_inode(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let meta = std::fs::metadata(path)
        .ok()
        .filter(std::fs::Metadata::is_file)?;
    Some((meta.dev(), meta.ino()))
}

#[cfg(not(unix))]
fn device_and_inode(_: &Path) -> Option<(u64, u64)> {
    None
}

/// Most files that are looked at for further names.
const MOST_FILES: usize = 1000;
/// The longest TOML file that is looked at, in bytes.
const MOST_TEXT: u64 = 1 << 24;

/// Finds the files that the texts of a TOML file name, relative to it.
fn files_named_in(file: &NamedFile) -> Vec<NamedFile> {
    if file.file.extension() != Some(OsStr::new("toml")) {
        return Vec::new();
    }
    // What is wrong with it is reported where it is read.
    let Ok(text) = Text::read(&file.file, MOST_TEXT) else {
        return Vec::new();
    };
    let mut named = Vec::new();
    for line in text.lines() {
        // Between quotes stand the parts with odd numbers. The others count as well: of a string over several lines
        // the quotes are on other lines.
        for (i, part) in line.text.split(['"', '\'']).enumerate() {
            if i % 2 == 0 && is_number_list(part) {
                continue;
            }
            for word in split_into_names(part) {
                let path = resolve_beside(Some(&file.file), word);
                if path.is_file() && !is_known(word) {
                    let name = format!("{word} in {}", file.name);
                    named.push(NamedFile::new(&path, name.clone(), name));
                }
            }
        }
    }
    named
}

/// Checks whether a part of a line is numbers alone, which name no files: a plan may have a million seeds.
fn is_number_list(part: &str) -> bool {
    let list = part.split_once('=').map_or(part, |(_, list)| list);
    list.chars()
        .all(|c| c.is_ascii_digit() || " \t,[]".contains(c))
}

fn refuse_overwriting(written: &NamedFile, read: &[NamedFile]) -> Result<()> {
    if let Some(other) = read.iter().find(|other| other.is_same_file(written)) {
        let found = format!("a file that this command reads as `{}`", other.name);
        return Err(Error::option(
            &written.option,
            found,
            "another file to write",
        ));
    }
    if let Ok(meta) = std::fs::metadata(&written.file)
        && meta.is_file()
        && meta.permissions().readonly()
    {
        let expected = "a file that may be written";
        return Err(Error::option(&written.option, "a read-only file", expected));
    }
    Ok(())
}

fn is_written(command: &str, id: &str) -> bool {
    WRITTEN.contains(&id) || (command, id) == TABLE_OF_SIZES
}

/// Resolves links and detours in a path; of a file that is not there yet, those of its folder.
fn resolve_path(path: &Path) -> PathBuf {
    let resolved = path.canonicalize().ok().or_else(|| {
        // A file that is not there yet has no canonical form, but its folder has.
        let folder = Path::new(".").join(path.parent()?);
        Some(folder.canonicalize().ok()?.join(path.file_name()?))
    });
    resolved.unwrap_or_else(|| path.to_path_buf())
}

/// Splits a value such as `graph:links.csv,per_router=2` into the parts that may name a file: the whole, the text
/// after the kind, and the pieces between `,`, `:` and `=`.
fn split_into_names(text: &str) -> impl Iterator<Item = &str> {
    let rest = text.split_once(':').map(|(_, rest)| rest);
    let parts = text
        .split([',', ':', '='])
        .filter(move |part| *part != text);
    std::iter::once(text).chain(rest).chain(parts)
}

/// Checks whether a text names an entry of a table, which wins over a file of that name.
fn is_known(text: &str) -> bool {
    // A dot or a slash is in no entry's name: `./hilbert` is the file beside `hilbert`, the ordering.
    !text.contains(['.', '/'])
        && reference::list_tables()
            .iter()
            .any(|t| t.entries.iter().any(|entry| entry.name == text))
}

#[cfg(test)]
mod tests {
    use std::any::TypeId;

    use clap::CommandFactory;

    use super::*;

    /// Every option that says it writes or draws into a file is known here.
    #[test]
    fn written_files_are_known() {
        let mut left = vec![crate::Cli::command()];
        let mut seen = 0;
        while let Some(command) = left.pop() {
            left.extend(command.get_subcommands().cloned());
            for argument in command.get_arguments() {
                let help = argument
                    .get_help()
                    .map(ToString::to_string)
                    .unwrap_or_default();
                let names: Vec<&str> = argument
                    .get_value_names()
                    .into_iter()
                    .flatten()
                    .map(|n| n.as_str())
                    .collect();
                let writes = ["Write", "Draw"].iter().any(|verb| help.starts_with(verb))
                    && names.iter().any(|name| name.contains("FILE"));
                let name = command.get_name();
                let id = argument.get_id().as_str();
                assert_eq!(writes, is_written(name, id), "{name} {id}: {help}");
                // A path with a hint of its own would not count as a file that is read.
                let is_path = argument.get_value_parser().type_id() == TypeId::of::<PathBuf>();
                let hint = argument.get_value_hint();
                assert_eq!(is_path, hint == ValueHint::AnyPath, "{name} {id}");
                seen += usize::from(writes);
            }
        }
        assert!(seen > 10, "{seen}");
    }

    #[test]
    fn values_fall_into_pieces() {
        let found: Vec<&str> = split_into_names("graph:a:b.csv,x=1").collect();
        assert_eq!(
            found,
            [
                "graph:a:b.csv,x=1",
                "a:b.csv,x=1",
                "graph",
                "a",
                "b.csv",
                "x",
                "1"
            ]
        );
        assert!(is_known("hilbert") && is_known("titan") && !is_known("hilbert.txt"));
    }
}
