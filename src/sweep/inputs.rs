//! Entries of a plan's lists: machines and the like with the files in their texts, and workloads.

use std::path::{Path, PathBuf};

use nodeorder_base::{Error, Lines, Result};
use nodeorder_network::Context;
use nodeorder_trace::{Format, GeneratedWorkload, WorkloadKind};

/// A workload of the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanWorkload {
    /// Text of the workload, as the plan writes it.
    pub text: String,
    /// Path of the workload's file.
    pub path: PathBuf,
    /// Whether the workload is an SWF trace, whose processors become nodes.
    pub is_trace: bool,
    /// The checksum of the file's contents; empty for a generator.
    pub(super) contents: String,
    /// The generator that makes it for each seed, in the place of a file.
    pub generator: Option<Spec>,
}

impl PlanWorkload {
    /// Opens the lines of the workload; a generator takes the seed of the cell.
    pub(super) fn open_lines(&self, context: &Context) -> Result<Lines> {
        let Some(spec) = &self.generator else {
            return Lines::open(&self.path, context.memory);
        };
        let mut text = String::new();
        // Piece by piece: options may ask for any number of jobs, and the excess is noticed before it is all there.
        for piece in GeneratedWorkload::generate_workload(&spec.located, context.seed)? {
            text.push_str(&piece);
            if text.len() as u64 > context.memory / 2 {
                let expected = "a smaller one, or a higher --memory";
                return Err(Error::option(
                    &self.text,
                    "a workload beyond the memory",
                    expected,
                ));
            }
        }
        Ok(Lines::new(&self.text, text).with_memory(context.memory))
    }
}

/// A topology, an ordering or a guest of the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// Text of the item, as the plan writes it.
    pub text: String,
    /// The text with its file names resolved: in a plan they are relative to the plan.
    pub located: String,
    /// Paths of the files that `located` names.
    pub files: Vec<PathBuf>,
    /// Checksums of the contents of `files`, one after the other.
    pub(super) contents: String,
}

impl Spec {
    /// Finds the files in `text`: the whole, where its head is no `known` name, else a part after the colon or
    /// the value of a key, where `is_file` says so of the key and the path.
    pub(super) fn resolve_files(
        text: &str,
        base: Option<&Path>,
        known: bool,
        is_file: fn(&str, &Path) -> bool,
    ) -> Self {
        let mut files = Vec::new();
        let mut there = |key: &str, part: &str| -> String {
            let path = nodeorder_base::input::resolve_beside(base, part);
            if !is_file(key, &path) {
                return part.to_string();
            }
            files.push(path.clone());
            path.display().to_string()
        };
        let located = match text.split_once(':') {
            // Without a known head the colon is part of a path.
            // Options may follow a file, as in `topology.conf,limit=4`.
            _ if !known => {
                let (head, options) = text.split_once(',').unwrap_or((text, ""));
                match there("", text) {
                    whole if whole == text && head != text => {
                        format!("{},{options}", there("", head))
                    }
                    whole => whole,
                }
            }
            None => text.to_string(),
            Some((head, rest)) => {
                format!(
                    "{head}:{}",
                    rest.split(',')
                        .map(|part| match part.split_once('=') {
                            Some((key, value)) => format!("{key}={}", there(key, value)),
                            // A value without a key is an entry's first option, such as the file of `graph:FILE`.
                            None => there("", part),
                        })
                        .collect::<Vec<_>>()
                        .join(",")
                )
            }
        };
        Spec {
            text: text.to_string(),
            located,
            files,
            contents: String::new(),
        }
    }
}

/// Refuses a file of another kind than its list is for.
pub fn check_kind(workload: &PlanWorkload, memory: u64) -> Result<()> {
    // By its content, not by its ending: a log among the traces would else fail in the middle of a sweep.
    let kind = nodeorder_trace::detect_kind(&mut Lines::open(&workload.path, memory)?)?;
    let (found, expected) = match (kind, workload.is_trace) {
        (WorkloadKind::Log, false) => return Ok(()),
        (WorkloadKind::Swf | WorkloadKind::Records(_), true) => return Ok(()),
        (WorkloadKind::Log, true) => ("a placement log among the traces", "it under `logs`"),
        (WorkloadKind::Swf, _) => ("an SWF trace among the logs", "it under `traces`"),
        (WorkloadKind::Records(_), _) => ("records of jobs among the logs", "them under `traces`"),
        (WorkloadKind::Table, _) => ("a table of sizes", "a placement log or an SWF trace"),
    };
    Err(Error::option(
        &workload.text,
        format!("`{}`, {found}", workload.text),
        expected,
    ))
}

/// Refuses a generator that makes nothing for this list.
pub fn check_generator(spec: &Spec, is_trace: bool) -> Result<()> {
    // Any seed: only the format is looked at.
    let made = GeneratedWorkload::generate_workload(&spec.located, 1)?;
    let (found, expected) = match (made.format, is_trace) {
        (Format::Log, false) | (Format::Swf, true) => return Ok(()),
        (Format::Log, true) => ("a generator of placement logs", "it under `logs`"),
        (Format::Swf, false) => ("a generator of traces", "it under `traces`"),
    };
    Err(Error::option(
        &spec.text,
        format!("`{}`, {found}", spec.text),
        expected,
    ))
}
