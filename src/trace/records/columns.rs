//! The meaning of the columns of a table of jobs.

use std::borrow::Cow;

use nodeorder_base::input::split_fields;
use nodeorder_base::{Error, Result, SourceLocation};

/// Meanings of columns: the keys of `--columns`, which takes `unit` too.
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

/// A public set of tables, by the columns that it has.
pub struct Preset {
    /// Name of the set.
    pub name: &'static str,
    /// Columns of the set, as `--columns` takes them; names between `|` stand for each other.
    columns: &'static str,
}

const fn known_table(name: &'static str, columns: &'static str) -> Preset {
    Preset { name, columns }
}

/// Known tables: `--columns` takes their names, and a header with their columns is recognised, the first that fits.
pub static PRESETS: [Preset; 8] = [
    // Marconi100.
    known_table(
        "pm100",
        "job=job_id,submit=submit_time,start=start_time,end=end_time,limit-minutes=time_limit,\
         nodes=num_nodes_alloc,list=nodes",
    ),
    // Adastra: as PM100, but for its limits in seconds.
    known_table(
        "adastra",
        "job=job_id,submit=submit_time,start=start_time,end=end_time,limit=time_limit,nodes=num_nodes_alloc,list=nodes",
    ),
    // Helios, the GPU clusters of SenseTime; and the same with a list of nodes.
    known_table(
        "helios",
        "job=job_id,submit=submit_time,start=start_time,end=end_time,nodes=node_num,state=state,user=user,list=nodes",
    ),
    // Lassen: allocations, which may be joined with the table of their nodes.
    known_table(
        "lassen",
        "job=allocation_id,submit=job_submit_time,start=begin_time,end=end_time,nodes=num_nodes,list=node_name",
    ),
    // Kestrel.
    known_table(
        "kestrel",
        "job=job_id,submit=submit_time,start=start_time,end=end_time,nodes=nodes_required,list=nodes,state=job_state",
    ),
    // The machines of the ALCF: DIM_JOB_COMPOSITE.
    known_table(
        "alcf",
        "job=COBALT_JOBID,submit=QUEUED_TIMESTAMP,start=START_TIMESTAMP,end=END_TIMESTAMP,limit=WALLTIME_SECONDS,\
         nodes=NODES_USED,list=LOCATION,user=USERNAME_GENID,partition=QUEUE_NAME",
    ),
    // OAR, and what Batsim writes of the jobs that it ran.
    known_table(
        "oar",
        "job=jobID,submit=submission_time,start=starting_time,end=finish_time,limit=requested_time,\
         nodes=requested_number_of_resources|requested_number_of_processors,list=allocated_resources|allocated_processors",
    ),
    // Lingjun: a row for each worker of a job.
    known_table(
        "lingjun",
        "job=job_name,start=gmt_job_running,end=gmt_job_finished,list=host_ip",
    ),
];

/// Roles whose columns tables of a known set may lack: a job can be made without them.
const OPTIONAL: [&str; 7] = [
    "job",
    "user",
    "state",
    "partition",
    "list",
    "limit",
    "limit-minutes",
];

/// The columns of recorded placements, [`super::placements`].
const PLACEMENTS: &str =
    "job=job,submit=submit,start=start,end=end,limit=limit,nodes=nodes,list=node_list";

/// A column by its role and its name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct NamedColumn {
    role: &'static str,
    name: String,
    /// Whether the column is of a known set, and so may be missing or have one of several names.
    known: bool,
}

/// Finds the character between the fields of a table by its header line.
pub(super) fn find_delimiter(header: &str) -> char {
    let mut known = [',', '|', ';', '\t'].into_iter();
    known.find(|c| header.contains(*c)).unwrap_or(',')
}

/// Finds the role of a key.
fn find_role(key: &str) -> Option<&'static str> {
    ROLES.into_iter().find(|role| *role == key)
}

/// Names of columns by what they say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    names: Vec<NamedColumn>,
    /// Number of time units in a second, for times that are plain numbers; `None` if their size is to tell.
    pub(super) per_second: Option<i64>,
    /// Whether the header alone says that these are the columns.
    pub(super) recognised: bool,
}

impl Columns {
    /// Reads `submit=NAME,start=NAME,…`, or the name of a known set, after which further pairs may follow; `unit=s` or
    /// `unit=ms` among them says what plain numbers of times are.
    ///
    /// # Errors
    /// An unknown key or set, a key twice, an empty name, another unit; too few columns to make a job of.
    pub fn parse(text: &str) -> Result<Columns> {
        let location = || SourceLocation::option(format!("--columns {text}"));
        let wrong = |found: String, expected: &str| Error::input(location(), found, expected);
        let mut pairs = text.split(',').peekable();
        let mut columns = Columns::default();
        if let Some(name) = pairs.next_if(|first| !first.contains('=')) {
            let preset = PRESETS.iter().find(|preset| preset.name == name.trim());
            let known = PRESETS.iter().map(|preset| preset.name);
            let preset = preset.ok_or_else(|| Error::unknown(location(), "table", name, known))?;
            columns = Columns::read_names(preset.columns, true);
        }
        let mut seen: Vec<&str> = Vec::new();
        for pair in pairs {
            let (key, name) = pair.split_once('=').unwrap_or((pair, ""));
            let key = key.trim();
            let name = name.trim();
            if seen.contains(&key) {
                return Err(wrong(format!("`{key}` again"), "each key once"));
            }
            seen.push(key);
            if key == "unit" {
                columns.per_second = match name {
                    "s" => Some(1),
                    "ms" => Some(1000),
                    _ => return Err(wrong(format!("`{pair}`"), "unit=s or unit=ms")),
                };
                continue;
            }
            let Some(role) = find_role(key) else {
                let known = ROLES.into_iter().chain(["unit"]);
                return Err(Error::unknown(location(), "key", key, known));
            };
            if name.is_empty() {
                return Err(wrong(format!("`{pair}`"), "KEY=NAME, the name of a column"));
            }
            // A pair behind the name of a set takes the place of what the set says.
            columns.names.retain(|named| named.role != role);
            columns.names.push(NamedColumn {
                role,
                name: name.into(),
                known: false,
            });
        }
        let has = |key| columns.names.iter().any(|named| named.role == key);
        if !has("submit") && !has("start")
            || !has("end") && !has("run")
            || !has("nodes") && !has("list")
        {
            let expected = "submit or start, end or run, and nodes or list";
            return Err(wrong("too few columns to make a job of".into(), expected));
        }
        Ok(columns)
    }

    /// Reads a text of this file, of columns that are `known` or named by a user.
    fn read_names(text: &str, known: bool) -> Columns {
        let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
        Columns {
            names: pairs
                .filter_map(|(key, name)| {
                    Some(NamedColumn {
                        role: find_role(key)?,
                        name: name.to_string(),
                        known,
                    })
                })
                .collect(),
            ..Columns::default()
        }
    }

    /// Names the columns of recorded placements, whose times are in seconds.
    pub(super) fn for_placements() -> Columns {
        Columns {
            per_second: Some(1),
            // Whoever writes this table writes all of its columns: a missing one is a fault.
            ..Columns::read_names(PLACEMENTS, false)
        }
    }

    /// Finds the known table that a header line belongs to, and returns its columns.
    pub fn from_header(header: &[u8]) -> Option<Columns> {
        let header = std::str::from_utf8(header).ok()?;
        let present = split_fields(header, find_delimiter(header), false)?;
        let present: Vec<&str> = present.iter().map(Cow::as_ref).collect();
        let mut known = PRESETS
            .iter()
            .map(|preset| Columns::read_names(preset.columns, true));
        let found = known.find(|columns| {
            let roles = columns.names.iter().map(|named| named.role);
            let mut needed: Vec<&str> = roles.filter(|role| !OPTIONAL.contains(role)).collect();
            // A list says how many nodes there are.
            if !needed.contains(&"nodes") {
                needed.push("list");
            }
            needed.iter().all(|role| {
                columns
                    .find_column(role, &present)
                    .is_ok_and(|at| at.is_some())
            })
        })?;
        Some(Columns {
            recognised: true,
            ..found
        })
    }

    /// Finds the column of a role in a header. `None` if the table has none. Fails with the name that is missing.
    pub(super) fn find_column(&self, key: &str, header: &[&str]) -> Result<Option<usize>, &str> {
        let Some(named) = self.names.iter().find(|named| named.role == key) else {
            return Ok(None);
        };
        let position = |name: &str| header.iter().position(|column| *column == name);
        let at = if named.known {
            named.name.split('|').find_map(position)
        } else {
            position(&named.name)
        };
        match at {
            None if !named.known || !OPTIONAL.contains(&key) => Err(&named.name),
            at => Ok(at),
        }
    }
}
