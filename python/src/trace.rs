//! Traces and placement logs: made, described, converted and changed.

use nodeorder_trace::records::placements;
use nodeorder_trace::{Changes, GeneratedWorkload, Options, Trace, Transformed, convert, open};
use pyo3::prelude::*;

use crate::error::Failure;
use crate::job;
use crate::source::Source;

/// Processors of a node, and the largest job that is kept, in nodes.
type Limits = (Option<u32>, Option<u32>);

fn options((procs_per_node, nodes): Limits, memory: u64) -> Options {
    Options {
        procs_per_node: procs_per_node.unwrap_or(1),
        processors_stated: procs_per_node.is_some(),
        nodes,
        memory,
        ..Options::default()
    }
}

/// Generates a workload.
#[pyfunction]
pub fn trace_generate(py: Python<'_>, spec: String, seed: u64) -> PyResult<String> {
    job::run(py, None, move |job| {
        let pieces = GeneratedWorkload::generate_workload(&spec, seed)?;
        Ok(pieces.inspect(|_| job.check()).collect())
    })
}

/// Writes the document of `trace info`.
#[pyfunction]
pub fn trace_info(py: Python<'_>, source: Source, limits: Limits, memory: u64) -> PyResult<String> {
    job::run(py, None, move |_| {
        let (lines, form) = source.form(memory)?;
        let options = options(limits, memory);
        let made = nodeorder_present::report::trace::document(lines, Vec::new(), form, &options)?;
        Ok(made.0.to_string())
    })
}

/// Writes a trace as `log`, `swf` or `placements`.
#[pyfunction]
pub fn trace_convert(
    py: Python<'_>,
    source: Source,
    to: String,
    limits: Limits,
    memory: u64,
) -> PyResult<Vec<u8>> {
    job::run(py, None, move |_| {
        if to == "placements" {
            let (mut records, mut out) = (source.records(memory)?, Vec::new());
            return match placements::write_placements::<Failure>(&mut records, &mut out)? {
                0 => Err(Failure::Text(format!(
                    "{}: no job with a list of nodes",
                    source.name
                ))),
                _ => Ok(out),
            };
        }
        let trace: Trace = source.trace(&options(limits, memory))?;
        let text = if to == "swf" {
            convert::write_swf(&trace)
        } else {
            convert::write_log(&trace, true)
        };
        Ok(text.into_bytes())
    })
}

/// Changes a trace in time and writes it as SWF; `changes` as `transforms` of a sweep takes them.
#[pyfunction]
pub fn trace_transform(
    py: Python<'_>,
    source: Source,
    changes: String,
    seed: u64,
    limits: Limits,
    memory: u64,
) -> PyResult<Vec<u8>> {
    job::run(py, None, move |job| {
        let changes = Changes::parse(&changes, seed)?;
        let options = options(limits, memory);
        let (lines, form) = source.form(memory)?;
        let lines = match form {
            Some(_) => open::write_as_swf(&source.trace(&options)?, &options).0,
            None => lines,
        };
        let made = Transformed::read_and_change(lines, &options, changes)?;
        Ok(made
            .swf_pieces()
            .inspect(|_| job.check())
            .flatten()
            .collect())
    })
}
