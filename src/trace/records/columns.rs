//! The meaning of the columns of a table of jobs.

use crate::error::{Error, Result, SourceLocation};

/// Meanings of columns: the keys of `--columns`.
pub const ROLES: [&str; 12] = [
    "job",
    "submit",
    "start",
    "end",
    "run",
    "limit",
    "limit-minutes",
    "nodes",
    "list",
    "user",
    "partition",
    "state",
];

/// A public trace, by the columns of its table.
pub(crate) struct Preset {
    /// Its name.
    pub name: &'static str,
    /// As `--columns` takes it.
    pub columns: &'static str,
}

/// Tables that are recognised by their header.
pub(crate) const PRESETS: [Preset; 3] = [
    Preset {
        name: "pm100",
        // Jobs of Marconi100 (PM100).
        columns: "job=job_id,submit=submit_time,start=start_time,end=end_time,limit-minutes=time_limit,\
                  nodes=num_nodes_alloc,list=nodes",
    },
    Preset {
        name: "helios",
        // Jobs of SenseTime's GPU clusters (Helios).
        columns: "job=job_id,submit=submit_time,start=start_time,end=end_time,nodes=node_num,state=state,user=user",
    },
    Preset {
        name: "lassen",
        // Allocations of Lassen.
        columns: "job=allocation_id,submit=job_submit_time,start=begin_time,end=end_time,nodes=num_nodes",
    },
];

/// The columns of recorded placements, [`super::placements`].
const PLACEMENTS: &str =
    "job=job,submit=submit,start=start,end=end,limit=limit,nodes=nodes,list=node_list";

/// Names of columns by what they say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    names: Vec<(usize, String)>,
}

impl Columns {
    /// Reads `submit=NAME,start=NAME,…`, or the name of a preset.
    ///
    /// # Errors
    /// An unknown key or preset, a key twice, an empty name; too few columns to make a job of.
    pub fn parse(text: &str) -> Result<Columns> {
        let location = || SourceLocation::option(format!("--columns {text}"));
        if !text.contains('=') {
            let preset = PRESETS.iter().find(|preset| preset.name == text);
            let known = PRESETS.iter().map(|preset| preset.name);
            let preset = preset.ok_or_else(|| Error::unknown(location(), "table", text, known))?;
            return Ok(Columns::of(preset.columns));
        }
        let mut names: Vec<(usize, String)> = Vec::new();
        for pair in text.split(',') {
            let (key, name) = pair.split_once('=').unwrap_or((pair, ""));
            let Some(role) = ROLES.iter().position(|role| *role == key.trim()) else {
                return Err(Error::unknown(location(), "key", key, ROLES));
            };
            if name.trim().is_empty() {
                return Err(Error::input(
                    location(),
                    format!("`{pair}`"),
                    "KEY=NAME, the name of a column",
                ));
            }
            if names.iter().any(|(other, _)| *other == role) {
                return Err(Error::input(location(), format!("`{key}` again"), "each key once"));
            }
            names.push((role, name.trim().to_string()));
        }
        let columns = Columns { names };
        let has = |key| columns.name(key).is_some();
        if !has("submit") && !has("start")
            || !has("end") && !has("run")
            || !has("nodes") && !has("list")
        {
            let expected = "submit or start, end or run, and nodes or list";
            return Err(Error::input(location(), "too few columns to make a job of", expected));
        }
        Ok(columns)
    }

    /// Reads a text of this file.
    fn of(text: &str) -> Columns {
        let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
        let role = |key| ROLES.iter().position(|role| *role == key);
        let names = pairs.filter_map(|(key, name)| Some((role(key)?, name.to_string())));
        Columns { names: names.collect() }
    }

    /// The columns of recorded placements.
    pub(super) fn of_placements() -> Columns {
        Columns::of(PLACEMENTS)
    }

    /// The columns of the known table that a header line belongs to; columns that say who and in what state, and those
    /// that name jobs, may be missing.
    pub(crate) fn of_header(header: &[u8]) -> Option<Columns> {
        let header = std::str::from_utf8(header).ok()?;
        let present: Vec<&str> =
            header.split(',').map(|name| name.trim().trim_matches('"')).collect();
        let fits = |preset: &&Preset| {
            let columns = Columns::of(preset.columns);
            // Sites leave these columns out; a job can be made without them.
            let optional = ["job", "user", "state", "partition", "list", "limit", "limit-minutes"];
            columns.names.iter().all(|(role, name)| {
                present.contains(&name.as_str()) || optional.contains(&ROLES[*role])
            })
        };
        let mut columns = PRESETS.iter().find(fits).map(|preset| Columns::of(preset.columns))?;
        columns.names.retain(|(_, name)| present.contains(&name.as_str()));
        Some(columns)
    }

    /// The column of a role.
    pub(super) fn name(&self, key: &str) -> Option<&str> {
        let found = self.names.iter().find(|(role, _)| ROLES[*role] == key);
        found.map(|(_, name)| name.as_str())
    }
}
