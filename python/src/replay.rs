//! Replays of logs.

use std::sync::atomic::Ordering::Relaxed;

use nodeorder_jobs::replay::set::{ReplaySet, ReplaySettings, Summaries};
use nodeorder_jobs::replay::traffic::TrafficSettings;
use nodeorder_jobs::replay::{BlockResult, FigureSet};
use nodeorder_order::metric::rank_distances::RankDistances;
use nodeorder_present::report::replay::{BlockRows, ReplaySummary};
use nodeorder_trace::open::OpenedLog;
use nodeorder_traffic::mapping::routing::suitable;
use nodeorder_traffic::mapping::{Fabric, FixedRouting};
use pyo3::prelude::*;

use crate::error::Failure;
use crate::job;
use crate::ordering::{Ordering, shared};
use crate::source::{self, Source};
use crate::topology::Topology;

/// How jobs talk: a pattern and a routing.
#[derive(Clone, FromPyObject)]
pub struct Talk(pub Option<String>, pub Option<String>);

impl Talk {
    /// Finds the links that messages take, only where jobs talk.
    pub fn fabric<'t>(
        &self,
        topology: &'t nodeorder_network::topology::Topology,
    ) -> Result<Option<Fabric<'t>>, Failure> {
        Ok(self
            .0
            .is_some()
            .then(|| Fabric::new(topology))
            .transpose()?)
    }

    /// Makes the traffic of the jobs, by default over the first routing that suits the machine; `None` where jobs do
    /// not talk.
    pub fn settings<'a>(
        &'a self,
        fabric: Option<&'a Fabric<'a>>,
    ) -> Result<Option<TrafficSettings<'a>>, Failure> {
        let (Some(pattern), Some(fabric)) = (&self.0, fabric) else {
            return Ok(None);
        };
        let routing = match &self.1 {
            Some(name) => Some(FixedRouting::find_by_name(name)?),
            None => suitable(fabric.topology).into_iter().next(),
        };
        let none = || Failure::Text("no routing suits this machine".into());
        Ok(Some(TrafficSettings::new(
            fabric,
            pattern,
            routing.ok_or_else(none)?,
        )?))
    }
}

/// Options of a replay, and the form of its result.
#[derive(Clone, FromPyObject)]
#[pyo3(from_item_all)]
pub struct Wanted {
    /// `rows`, `summary`, `sizes` or `totals`.
    out: String,
    ranks: bool,
    names: bool,
    extent: bool,
    shape: bool,
    room: bool,
    threshold: u64,
    whole_hops: bool,
}

/// Replays a log: a table as CSV, or the document of `--json`.
#[pyfunction]
#[pyo3(signature = (topology, orders, log, alloc, talk, procs_per_node, wanted, progress))]
#[allow(clippy::too_many_arguments)]
pub fn replay(
    py: Python<'_>,
    topology: &Topology,
    orders: Vec<PyRef<'_, Ordering>>,
    log: Source,
    alloc: Vec<String>,
    talk: Talk,
    procs_per_node: Option<u32>,
    wanted: Wanted,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<u8>> {
    let (topology, orders) = (topology.inner.clone(), shared(&orders));
    job::run(py, progress, move |job| {
        if wanted.names {
            orders
                .iter()
                .try_for_each(|order| topology.check_names(order.nodes()))?;
        }
        let options = source::options(topology.context(), topology.node_count(), procs_per_node);
        let OpenedLog {
            log: mut jobs,
            read,
            bytes,
            ..
        } = log.log(&options)?;
        job.set_total(bytes.unwrap_or(0));
        let fabric = talk.fabric(&topology)?;
        let distances: Vec<RankDistances> = orders
            .iter()
            .map(|o| RankDistances::new(&topology, o))
            .collect::<Result<_, _>>()?;
        let rows = wanted.out == "rows";
        let settings = ReplaySettings {
            allocators: &alloc,
            figures: FigureSet {
                ranks: wanted.ranks,
                hosts: wanted.names,
                extent: wanted.extent,
                shape: wanted.shape,
                room: wanted.room,
                ..FigureSet::default()
            },
            traffic: talk.settings(fabric.as_ref())?,
            summaries: if rows {
                Summaries::None
            } else {
                Summaries::OverBaseline
            },
            rules: None,
        };
        let mut replays = ReplaySet::new(&topology, &orders, &distances, settings)?;
        if wanted.whole_hops {
            replays = replays.with_whole_hops();
        }
        // All rows of the first replay, then those of the second.
        let labels = if rows {
            replays.requested_labels().to_vec()
        } else {
            Vec::new()
        };
        let block = BlockRows::new(replays.figures(), &labels, &topology, &orders);
        let mut texts = vec![Vec::new(); labels.len()];
        let block_done = || {
            job.set(read.load(Relaxed));
            texts
                .iter_mut()
                .zip(block.texts())
                .for_each(|(all, text)| all.extend_from_slice(&text));
            Ok(())
        };
        let write = |step: BlockResult<'_>| Ok::<_, Failure>(block.write(&step)?);
        replays.run_with(&mut jobs, None, write, block_done)?;
        let mut out: Vec<u8> = Vec::new();
        if rows {
            block.write_header(&mut out)?;
            out.extend(texts.concat());
            return Ok(out);
        }
        let summary = ReplaySummary {
            results: &replays.list_results(),
            threshold: wanted.threshold,
            shares: None,
        };
        match wanted.out.as_str() {
            "sizes" => summary.write_sizes(&mut out)?,
            "totals" => summary.write_totals(&mut out)?,
            _ => {
                let guest = talk.0.as_deref();
                let document = summary.document(&topology, &log.name, guest);
                out = document.to_string().into_bytes();
            }
        }
        Ok(out)
    })
}
