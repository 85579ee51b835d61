//! Shards of a sweep: the cells of each, the file that keeps its rows, and the table that a complete set makes.
//!
//! A shard's file is written whole: comments that say whose it is, the table's header, the rows in order of their
//! cells, and an end mark with a checksum. It depends on the plan and the shard's number alone.

use super::fingerprint::Fingerprint;
use nodeorder_base::error::quote_word;
use nodeorder_base::{Error, Result, SourceLocation, Text};

/// One part of a sweep: every `of`-th cell, from cell `index` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    /// Number of the part, from 0.
    pub index: u32,
    /// Number of parts.
    pub of: u32,
}

/// Parts that a plan may have at most.
const MOST_SHARDS: u32 = 1_000_000;

impl Shard {
    /// The only part.
    pub const WHOLE: Shard = Shard { index: 0, of: 1 };

    /// Reads `I/N`.
    ///
    /// # Errors
    /// Not two whole numbers with I below N; more parts than any array of jobs has.
    pub fn parse(text: &str) -> Result<Self> {
        let number = |part: &str| part.parse::<u32>().ok();
        let parts = text
            .split_once('/')
            .and_then(|(i, n)| Some((number(i)?, number(n)?)));
        match parts {
            Some((index, of)) if index < of && of <= MOST_SHARDS => Ok(Shard { index, of }),
            _ => {
                let expected = "I/N with I from 0 to N-1 and N up to 1000000, as in 3/8";
                Err(Error::option(
                    format!("--shard {text}"),
                    format!("`{text}`"),
                    expected,
                ))
            }
        }
    }

    /// Lists the numbers of this part's cells, of `count` cells in all, ascending.
    pub fn cell_numbers(self, count: usize) -> impl ExactSizeIterator<Item = usize> {
        // Every N-th, not a stretch: cells of one slow machine or allocator stand together, and are spread over all
        // shards this way.
        (self.index as usize..count).step_by(self.of as usize)
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

/// The file of a finished shard.
#[derive(Clone, Debug, PartialEq)]
pub struct ShardFile {
    /// Part of the sweep that the file holds.
    pub shard: Shard,
    /// Version of the tool that wrote the file.
    pub version: String,
    /// Name of the plan.
    pub name: String,
    /// Hash of the plan.
    pub hash: String,
    /// Number of cells of the whole plan.
    pub cells: usize,
    /// Seeds of the plan, separated by blanks.
    pub seeds: String,
    /// Command line that runs the plan, without its folder and shard.
    pub command: String,
    /// What is assumed of links, a sentence a machine.
    pub assumed: Vec<String>,
    /// Header line of the table.
    pub header: String,
    /// Lines of the table, in the order of the shard's cells.
    pub rows: Vec<String>,
}

const TITLE: &str = "# nodeorder sweep shard";
const END: &str = "# end ";

impl ShardFile {
    /// Writes the text of the file.
    pub fn to_text(&self) -> String {
        let mut text = format!(
            "{TITLE}\n# version: {}\n# name: {}\n# plan: {}\n# shard: {}\n# cells: {}\n# seeds: {}\n# command: {}\n\
             # assumed: {}\n{}",
            self.version,
            self.name,
            self.hash,
            self.shard,
            self.cells,
            self.seeds,
            self.command,
            serde_json::Value::from(self.assumed.clone()),
            self.header
        );
        self.rows.iter().for_each(|row| text.push_str(row));
        let sum = Fingerprint::hash_of_bytes(text.as_bytes());
        text + &format!("{END}{sum}\n")
    }

    /// Reads the file of a shard.
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
        // The end mark is written last and with a checksum: a copy that broke off lacks it, a changed one does not
        // fit it.
        if end[END.len()..] != format!("{}\n", Fingerprint::hash_of_bytes(body.as_bytes())) {
            return Err(wrong("a checksum that does not fit: the file is damaged"));
        }
        let mut lines = body.split_inclusive('\n').skip(1);
        let mut file =
            Self::read_head(&mut lines).ok_or_else(|| wrong("a head of another form"))?;
        file.header = lines.next().unwrap_or_default().to_string();
        file.rows = lines.map(str::to_string).collect();
        let count = file.shard.cell_numbers(file.cells).len();
        if file.rows.len() != count {
            return Err(wrong(&format!("{} rows of {count} cells", file.rows.len())));
        }
        Ok(file)
    }

    /// Reads the comments before the table. `None` if they are others.
    fn read_head<'t>(lines: &mut impl Iterator<Item = &'t str>) -> Option<Self> {
        let mut value = |key: &str| {
            let line = lines
                .next()?
                .trim_end_matches('\n')
                .strip_prefix("# ")?
                .strip_prefix(key)?;
            line.strip_prefix(": ").map(str::to_string)
        };
        Some(ShardFile {
            version: value("version")?,
            name: value("name")?,
            hash: value("plan")?,
            shard: Shard::parse(&value("shard")?).ok()?,
            cells: value("cells")?.parse().ok()?,
            seeds: value("seeds")?,
            command: value("command")?,
            assumed: serde_json::from_str(&value("assumed")?).ok()?,
            header: String::new(),
            rows: Vec::new(),
        })
    }

    /// Checks that this shard, called `name`, and another are of one plan.
    ///
    /// # Errors
    /// They are of different plans.
    pub fn check_plan(&self, name: &str, other: &ShardFile, other_name: &str) -> Result<()> {
        // The hash alone would do for shards of one build; header and number guard the merge below, which puts lines
        // together unread.
        if self.hash == other.hash && self.header == other.header && self.cells == other.cells {
            return Ok(());
        }
        let found = format!("a shard of plan {} ({})", self.hash, self.name);
        let expected = format!("plan {} as in {other_name}", other.hash);
        Err(Error::input(
            SourceLocation::File(name.into()),
            found,
            expected,
        ))
    }
}

/// Puts the shards of a plan together and returns the whole table. Each comes with its file's name; `folder` is where
/// they are.
///
/// # Errors
/// None at all; shards that do not belong together; missing ones, with the commands that make them.
pub fn merge_shards(files: &[(String, ShardFile)], folder: &str) -> Result<String> {
    let location = || SourceLocation::File(folder.into());
    let Some((first_name, first)) = files.first() else {
        let expected = "files called shard-I-of-N.csv";
        return Err(Error::input(location(), "no shards", expected));
    };
    let shards = first.shard.of;
    let mut by_index: Vec<Option<&ShardFile>> = vec![None; shards as usize];
    for (name, file) in files {
        file.check_plan(name, first, first_name)?;
        let refuse = |found: String, expected: String| {
            let location = SourceLocation::File(name.as_str().into());
            Err(Error::input(location, found, expected))
        };
        if file.shard.of != shards {
            let found = format!("shard {}", file.shard);
            return refuse(found, format!("one of {shards} as {first_name} is"));
        }
        let place = &mut by_index[file.shard.index as usize];
        if place.is_some() {
            let found = format!("shard {} again", file.shard);
            return refuse(found, "each shard once".into());
        }
        *place = Some(file);
    }
    let missing: Vec<u32> = (0..shards)
        .filter(|i| by_index[*i as usize].is_none())
        .collect();
    if !missing.is_empty() {
        return Err(report_missing(&missing, first, folder));
    }
    let by_index: Vec<&ShardFile> = by_index.into_iter().flatten().collect();
    let mut table = first.header.clone();
    for cell in 0..first.cells {
        // The reverse of `cell_numbers`: cell c is line c / N of shard c mod N.
        let file = by_index[cell % shards as usize];
        table.push_str(&file.rows[cell / shards as usize]);
    }
    Ok(table)
}

/// Builds the error about missing shards, with the commands that make them.
fn report_missing(missing: &[u32], first: &ShardFile, folder: &str) -> Error {
    let shards = first.shard.of;
    let ranges = write_ranges(missing);
    let again = format!(
        "{} --out {} --shard {}/{shards}",
        first.command,
        quote_word(folder),
        missing[0]
    );
    let more = if missing.len() > 1 { " and so on" } else { "" };
    Error::unsuited(
        SourceLocation::File(folder.into()),
        format!("shards {ranges} of {shards} are missing"),
        format!(
            "run `sbatch --array={ranges} {}/sweep.sbatch`, or `{again}`{more}",
            quote_word(folder)
        ),
    )
}

/// Writes ascending numbers as ranges: `0-2,5`.
fn write_ranges(numbers: &[u32]) -> String {
    // The form that `sbatch --array` takes, so that the command can be pasted.
    let runs = numbers.chunk_by(|a, b| a + 1 == *b);
    runs.map(|run| match run {
        [one] => one.to_string(),
        run => format!("{}-{}", run[0], run[run.len() - 1]),
    })
    .collect::<Vec<_>>()
    .join(",")
}
