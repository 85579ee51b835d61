//! The compiled part of the Python package `nodeorder`: the library's types and calls, one file for each kind of
//! object. It computes nothing: tables come as the bytes of the command's CSV, documents as its JSON, numbers as numpy
//! arrays. What users call, with its checks and documentation, is Python, in `nodeorder/`.

#![deny(unsafe_code)]

use pyo3::prelude::*;

mod audit;
mod availability;
mod compare;
mod corun;
mod error;
mod export;
mod job;
mod machines;
mod map;
mod mpc;
mod ordering;
mod place;
mod replay;
mod schedule;
mod score;
mod slowdown;
mod snapshot;
mod source;
mod sweep;
mod topology;
mod trace;

/// Fills the module `nodeorder._native`.
#[pymodule]
fn _native(py: Python<'_>, module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("ROLES", nodeorder_trace::records::columns::ROLES)?;
    module.add("NodeorderError", py.get_type::<error::NodeorderError>())?;
    module.add_class::<topology::Topology>()?;
    module.add_class::<ordering::Ordering>()?;
    module.add_class::<compare::Comparison>()?;
    module.add_class::<machines::Machines>()?;
    module.add_function(wrap_pyfunction!(mpc::curve, module)?)?;
    module.add_function(wrap_pyfunction!(slowdown::slowdown, module)?)?;
    module.add_function(wrap_pyfunction!(place::place, module)?)?;
    module.add_function(wrap_pyfunction!(replay::replay, module)?)?;
    module.add_function(wrap_pyfunction!(schedule::schedule, module)?)?;
    module.add_function(wrap_pyfunction!(corun::corun, module)?)?;
    module.add_function(wrap_pyfunction!(map::map, module)?)?;
    module.add_function(wrap_pyfunction!(score::score, module)?)?;
    module.add_function(wrap_pyfunction!(export::export, module)?)?;
    module.add_function(wrap_pyfunction!(export::hosts, module)?)?;
    module.add_function(wrap_pyfunction!(audit::audit, module)?)?;
    module.add_function(wrap_pyfunction!(snapshot::snapshot, module)?)?;
    module.add_function(wrap_pyfunction!(availability::availability, module)?)?;
    module.add_function(wrap_pyfunction!(sweep::sweep, module)?)?;
    module.add_function(wrap_pyfunction!(sweep::sweep_shard, module)?)?;
    module.add_function(wrap_pyfunction!(trace::trace_generate, module)?)?;
    module.add_function(wrap_pyfunction!(trace::trace_info, module)?)?;
    module.add_function(wrap_pyfunction!(trace::trace_convert, module)?)?;
    module.add_function(wrap_pyfunction!(trace::trace_transform, module)?)?;
    module.add_function(wrap_pyfunction!(topology::machines, module)?)?;
    module.add_function(wrap_pyfunction!(topology::entries, module)?)?;
    module.add_function(wrap_pyfunction!(job::set_threads, module)?)?;
    module.add_function(wrap_pyfunction!(job::panic, module)?)?;
    module.add_function(wrap_pyfunction!(compare::curves_svg, module)?)?;
    module.add_function(wrap_pyfunction!(compare::looks, module)?)?;
    Ok(())
}
