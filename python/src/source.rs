//! Logs and traces: from files, or from text that Python has in memory.

use std::path::Path;

use nodeorder_base::Lines;
use nodeorder_network::Context;
use nodeorder_trace::open::{self, OpenedLog, read_trace};
use nodeorder_trace::records::columns::Columns;
use nodeorder_trace::records::{CSV, RecordFormat, Records};
use nodeorder_trace::{Options, Trace};
use pyo3::prelude::*;

use crate::error::Failure;

/// Where jobs come from: a file called `name`, or `text`; with `columns` this is a table of jobs.
#[derive(Clone, FromPyObject)]
#[pyo3(from_item_all)]
pub struct Source {
    pub name: String,
    text: Option<Vec<u8>>,
    columns: Option<String>,
}

/// A format of records, and the columns of a table.
pub type Form = (&'static RecordFormat, Option<Columns>);

/// Makes the settings for reading traces.
pub fn options(context: &Context, nodes: usize, procs_per_node: Option<u32>) -> Options {
    Options {
        procs_per_node: procs_per_node.unwrap_or(1),
        processors_stated: procs_per_node.is_some(),
        memory: context.memory,
        nodes: Some(nodes as u32),
        ..Options::default()
    }
}

impl Source {
    /// Opens the source at its first line.
    pub fn lines(&self, memory: u64) -> Result<Lines, Failure> {
        Ok(match &self.text {
            None => Lines::open(Path::new(&self.name), memory)?,
            Some(text) => Lines::new(&self.name, text.clone()).with_memory(memory),
        })
    }

    /// Opens the source and names the format of its records; `None` for traces in SWF, logs and tables of sizes.
    pub fn form(&self, memory: u64) -> Result<(Lines, Option<Form>), Failure> {
        let mut lines = self.lines(memory)?;
        let form = match &self.columns {
            Some(columns) => Some((&CSV, Some(Columns::parse(columns)?))),
            None => open::detect_record_format(&mut lines)?.map(|form| (form, None)),
        };
        Ok((lines, form))
    }

    /// Opens the source as records that list nodes.
    pub fn records(&self, memory: u64) -> Result<Records, Failure> {
        match self.form(memory)? {
            (lines, Some((form, columns))) if form.lists_nodes => {
                Ok(Records::from_lines(lines, form, columns.as_ref())?)
            }
            _ => Err(Failure::Text(format!(
                "{}: found no lists of nodes; expected records that have them, such as the output of sacct -P",
                self.name
            ))),
        }
    }

    /// Reads the source as a trace.
    pub fn trace(&self, options: &Options) -> Result<Trace, Failure> {
        let lines = self.lines(options.memory)?;
        Ok(match &self.columns {
            None => read_trace(lines, options)?,
            Some(columns) => Records::from_lines(lines, &CSV, Some(&Columns::parse(columns)?))?
                .read_trace(options)?,
        })
    }

    /// Reads the source as a placement log; a trace is turned into one.
    pub fn log(&self, options: &Options) -> Result<OpenedLog, Failure> {
        Ok(match (&self.text, &self.columns) {
            (_, Some(_)) => OpenedLog::from_trace(self.trace(options)?),
            (None, None) => OpenedLog::open(Path::new(&self.name), options)?,
            (Some(text), None) => {
                let bytes = Some(text.len() as u64);
                OpenedLog::from_lines(self.lines(options.memory)?, bytes, options)?
            }
        })
    }
}
