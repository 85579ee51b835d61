//! Options of every machine besides those of its family.

use std::path::PathBuf;

use super::name_source::NamesOption;
use super::sizes::MAX_NODES;
use nodeorder_base::error::{Result, SourceLocation};
use nodeorder_base::params::{Opt, Params, Value, Written};

/// Options of every topology besides those of its family.
pub const COMMON: &[Opt] = &[
    Opt::whole("limit", "keep the first so many node ids").or_else("all"),
    Opt::text(
        "exclude",
        "nodes to leave out: ids, ranges, names and host lists, as in 0-3+17+n[20-24], or a file of names or of sinfo -h -N -o \"%N %t\"",
    )
    .or_else("none"),
    Opt::text("names", "names of the nodes: nid{:05}, {:05+1000} from 1000, ranges as in x{4000-4007}c{0-7}, the last the fastest, or a CSV file of node,name[,coordinates]")
        .or_else("the file's own, else n and the id"),
    Opt::text("name", "name of the machine").or_else("the file's or the specification"),
    Opt::text("source", "where the description comes from").or_else("none"),
];

/// The options of [`COMMON`], read; what depends on the number of nodes is checked when the machine is built.
pub(super) struct MachineOptions {
    /// Place of the whole specification.
    pub location: SourceLocation,
    pub name: String,
    /// Where the description comes from.
    pub source: Option<String>,
    pub limit: Option<LimitOption>,
    pub exclude: Option<ExcludeOption>,
    pub names: Option<NamesOption>,
}

/// The option `limit`.
pub(super) struct LimitOption {
    value: u64,
    written: Written,
}

/// The option `exclude`.
pub(super) struct ExcludeOption {
    /// Nodes or files, in the order given.
    pub parts: Vec<ExcludedPart>,
    /// The whole, where it is one text.
    pub text: Option<String>,
    pub written: Written,
}

/// One part of `exclude`: a list of nodes, or a file.
pub(super) struct ExcludedPart {
    pub text: String,
    /// The path that `text` may be.
    pub path: PathBuf,
    pub location: SourceLocation,
}

impl MachineOptions {
    /// Options of a machine called `name` for which nothing is given.
    pub fn named(name: &str, location: SourceLocation) -> Self {
        MachineOptions {
            location,
            name: name.to_string(),
            source: None,
            limit: None,
            exclude: None,
            names: None,
        }
    }

    /// Reads the options of a machine that is called `default_name` unless they name it.
    pub fn parse(params: &Params, default_name: &str) -> Result<Self> {
        let name = params.word("name")?;
        Ok(MachineOptions {
            location: params.location().clone(),
            name: name.unwrap_or_else(|| default_name.to_string()),
            source: params.word("source")?,
            limit: LimitOption::parse(params)?,
            exclude: ExcludeOption::parse(params)?,
            names: NamesOption::parse(params)?,
        })
    }

    /// Returns the number of node ids that are kept of `slots`. Fails if `limit` is 0 or above that.
    pub fn count_kept(&self, slots: u32) -> Result<u32> {
        let Some(limit) = &self.limit else {
            return Ok(slots);
        };
        match u32::try_from(limit.value) {
            Ok(kept) if (1..=slots).contains(&kept) => Ok(kept),
            _ => Err(limit.written.wrong(expected_limit(slots.into()))),
        }
    }
}

fn expected_limit(slots: u64) -> String {
    format!("a whole number from 1 to {slots}")
}

impl LimitOption {
    fn parse(params: &Params) -> Result<Option<Self>> {
        if !params.has("limit") {
            return Ok(None);
        }
        let written = params.written("limit");
        match params.integer("limit", 0, u64::MAX) {
            Ok(Some(value)) => Ok(Some(LimitOption { value, written })),
            _ => Err(written.wrong(expected_limit(MAX_NODES))),
        }
    }
}

impl ExcludeOption {
    /// Reads a TOML list of nodes and files, or inline `exclude=0-3+17+n[20-24]`.
    fn parse(params: &Params) -> Result<Option<Self>> {
        let text = match params.value("exclude") {
            None => return Ok(None),
            Some((Value::Word(text), _)) => Some(text.clone()),
            Some(_) => None,
        };
        let mut parts = Vec::new();
        for (part, location) in params.list("exclude")? {
            let words: Vec<&str> = match text {
                Some(_) => part.split('+').collect(),
                None => vec![&part],
            };
            parts.extend(words.into_iter().map(|word| ExcludedPart {
                text: word.trim().to_string(),
                path: params.beside(word.trim()),
                location: location.clone(),
            }));
        }
        Ok(Some(ExcludeOption {
            parts,
            text,
            written: params.written("exclude"),
        }))
    }
}
