//! How finished rows are kept: shards, and the table that they make.
//!
//! A shard is written whole: comments that say whose it is, the table's header, the rows in order of their cells, and an
//! end mark with a checksum.

use super::Shard;
use super::fingerprint::Fingerprint;
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_base::input::Text;

/// The checksum of a table: a manifest has it, and tells by it whether the table was changed.
pub fn checksum(bytes: &[u8]) -> String {
    Fingerprint::of(bytes).to_string()
}

/// The table of all cells, from the rows in order.
pub fn table<'r>(header: &str, rows: impl IntoIterator<Item = &'r str>) -> String {
    let mut text = header.to_string();
    rows.into_iter().for_each(|row| text.push_str(row));
    text
}

/// A finished part of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Which part of the sweep it is.
    pub shard: Shard,
    /// The version of the tool that made it.
    pub version: String,
    /// The plan's name.
    pub name: String,
    /// The plan's hash.
    pub hash: String,
    /// Cells of the whole plan.
    pub cells: usize,
    /// The cells whose rows it has, ascending.
    pub dealt: Vec<usize>,
    /// Seeds of the plan.
    pub seeds: String,
    /// The command line that makes it again.
    pub command: String,
    /// What is assumed of links, a sentence a machine.
    pub assumed: Vec<String>,
    /// Seconds it took.
    pub seconds: f64,
    /// The table's header line.
    pub header: String,
    /// Its rows, by cell.
    pub rows: Vec<String>,
}

const TITLE: &str = "# nodeorder sweep shard";
const END: &str = "# end ";

impl Part {
    /// The shard's file.
    pub fn to_file(&self) -> String {
        let mut text = format!(
            "{TITLE}\n# version: {}\n# name: {}\n# plan: {}\n# shard: {}\n# cells: {}\n# dealt: {}\n\
             # seeds: {}\n# command: {}\n# assumed: {}\n# seconds: {}\n{}",
            self.version,
            self.name,
            self.hash,
            self.shard,
            self.cells,
            serde_json::Value::from(self.dealt.clone()),
            self.seeds,
            self.command,
            serde_json::Value::from(self.assumed.clone()),
            self.seconds,
            self.header
        );
        self.rows.iter().for_each(|row| text.push_str(row));
        let sum = Fingerprint::of(text.as_bytes());
        text + &format!("{END}{sum}\n")
    }

    /// Reads a shard's file.
    ///
    /// # Errors
    /// No shard, or one that is damaged or incomplete.
    pub fn read(text: &Text) -> Result<Self> {
        let wrong = |found: &str| {
            let expected = "a whole shard; remove it and run it again";
            Error::input(SourceLocation::File(text.name().into()), found, expected)
        };
        let whole = text.as_str();
        if !whole.starts_with(TITLE) {
            return Err(wrong("no shard of a sweep"));
        }
        // The last one: a row may hold the same words.
        let at = whole.rfind(END).ok_or_else(|| wrong("no end mark"))?;
        let (body, end) = whole.split_at(at);
        if end[END.len()..] != format!("{}\n", Fingerprint::of(body.as_bytes())) {
            return Err(wrong("a checksum that does not fit: the file is damaged"));
        }
        let mut lines = body.split_inclusive('\n').skip(1);
        let mut value = |key: &str| {
            let line = lines.next()?.trim_end_matches('\n');
            line.strip_prefix("# ")?
                .strip_prefix(key)?
                .strip_prefix(": ")
                .map(str::to_string)
        };
        let mut read = || -> Option<Part> {
            Some(Part {
                version: value("version")?,
                name: value("name")?,
                hash: value("plan")?,
                shard: Shard::parse(&value("shard")?).ok()?,
                cells: value("cells")?.parse().ok()?,
                dealt: serde_json::from_str(&value("dealt")?).ok()?,
                seeds: value("seeds")?,
                command: value("command")?,
                assumed: serde_json::from_str(&value("assumed")?).ok()?,
                seconds: value("seconds")?.parse().ok()?,
                header: String::new(),
                rows: Vec::new(),
            })
        };
        let mut part = read().ok_or_else(|| wrong("a head of another form"))?;
        part.header = lines.next().unwrap_or_default().to_string();
        part.rows = lines.map(str::to_string).collect();
        let (rows, dealt) = (part.rows.len(), &part.dealt);
        if rows != dealt.len() || !dealt.is_sorted_by(|a, b| a < b) {
            return Err(wrong(&format!("{rows} rows of {} cells", dealt.len())));
        }
        Ok(part)
    }

    /// Refuses a shard of another plan.
    ///
    /// # Errors
    /// It is not of the plan of `other`, which is called `other_name`.
    pub fn same_plan(&self, name: &str, other: &Part, other_name: &str) -> Result<()> {
        if self.hash != other.hash || self.header != other.header || self.cells != other.cells {
            let found = format!("a shard of plan {} ({})", self.hash, self.name);
            let expected = format!("plan {} as in {other_name}", other.hash);
            return Err(Error::input(
                SourceLocation::File(name.into()),
                found,
                expected,
            ));
        }
        Ok(())
    }

    /// Refuses a shard of another plan, or of the same one cut differently.
    ///
    /// # Errors
    /// It does not belong to `other`, which is called `other_name`.
    pub fn belongs(&self, name: &str, other: &Part, other_name: &str) -> Result<()> {
        self.same_plan(name, other, other_name)?;
        if self.shard.of != other.shard.of {
            let found = format!("shard {}", self.shard);
            let expected = format!("one of {} as {other_name} is", other.shard.of);
            return Err(Error::input(
                SourceLocation::File(name.into()),
                found,
                expected,
            ));
        }
        Ok(())
    }
}

/// Puts shards together: the whole table. Each comes with its file's name.
///
/// # Errors
/// None at all; shards that do not belong together; missing ones, with the commands that make them.
pub fn merge(parts: &[(String, Part)], folder: &str) -> Result<String> {
    let location = || SourceLocation::File(folder.into());
    let Some((first_name, first)) = parts.first() else {
        return Err(Error::input(
            location(),
            "no shards",
            "files called shard-I-of-N.csv",
        ));
    };
    let mut by_index: Vec<Option<&Part>> = vec![None; first.shard.of as usize];
    for (name, part) in parts {
        part.belongs(name, first, first_name)?;
        if by_index[part.shard.index as usize].replace(part).is_some() {
            let location = SourceLocation::File(name.as_str().into());
            return Err(Error::input(
                location,
                format!("shard {} again", part.shard),
                "each shard once",
            ));
        }
    }
    let missing: Vec<u32> = (0..)
        .zip(&by_index)
        .filter(|(_, part)| part.is_none())
        .map(|(i, _)| i)
        .collect();
    if !missing.is_empty() {
        return Err(Error::unsuited(
            location(),
            format!(
                "shards {} of {} are missing",
                ranges(&missing),
                first.shard.of
            ),
            format!(
                "run `sbatch --array={} sweep.sbatch`, or `{}`{}",
                ranges(&missing),
                rerun(first, missing[0]),
                if missing.len() > 1 { " and so on" } else { "" }
            ),
        ));
    }
    let rows = parts
        .iter()
        .flat_map(|(_, part)| part.dealt.iter().copied().zip(&part.rows));
    let mut rows: Vec<(usize, &String)> = rows.collect();
    // A cell that two shards computed has the same row in both.
    rows.sort_unstable();
    rows.dedup();
    if rows.len() != first.cells || rows.iter().enumerate().any(|(i, (cell, _))| i != *cell) {
        let found = format!("shards with {} rows for {} cells", rows.len(), first.cells);
        let expected = "each cell once: run all shards again in an empty folder";
        return Err(Error::input(location(), found, expected));
    }
    Ok(table(
        &first.header,
        rows.into_iter().map(|(_, row)| row.as_str()),
    ))
}

/// The command of a sibling of `part`.
fn rerun(part: &Part, index: u32) -> String {
    let other = Shard {
        index,
        ..part.shard
    };
    part.command.replace(
        &format!("--shard {}", part.shard),
        &format!("--shard {other}"),
    )
}

/// `0-2,5`.
fn ranges(numbers: &[u32]) -> String {
    let runs = numbers.chunk_by(|a, b| a + 1 == *b);
    let run = |run: &[u32]| match run {
        [one] => one.to_string(),
        run => format!("{}-{}", run[0], run[run.len() - 1]),
    };
    runs.map(run).collect::<Vec<_>>().join(",")
}
