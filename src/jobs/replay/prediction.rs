//! MPC as a predictor of a replay: mean distances that a workload's job sizes have on random windows of an ordering,
//! against those that allocators give its jobs.

use serde::Serialize;

use super::by_size::{SizeMean, size_means};
use super::figures::FigureSet;
use super::set::{ReplaySet, ReplaySettings, Summaries};
use super::traffic::TrafficSettings;
use nodeorder_base::{Error, Result};
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::correlation::{kendall, spearman};
use nodeorder_order::metric::mpc::Curve;
use nodeorder_order::metric::rank_distances::RankDistances;
use nodeorder_trace::Log;

/// Allocators of a comparison if none is given.
pub const DEFAULT_ALLOCATORS: [&str; 4] =
    ["fifo:0", "first-fit:1", "span-best-fit", "slurm-best-fit"];

/// Weighted MPC and replays of a workload on some orderings.
#[derive(Clone, Debug, Serialize)]
pub struct Prediction {
    /// Name of the workload.
    pub workload: String,
    /// Allocators with their options, as given.
    pub allocators: Vec<String>,
    /// Number of jobs that the first allocator placed; the same for all on one ordering that refuse no jobs.
    pub placed: u64,
    /// Number of jobs that the first allocator skipped because too few nodes were free.
    pub skipped: u64,
    /// Allocators that refused jobs, with the number on the ordering where they refused most.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<(String, u64)>,
    /// Prediction and means of each ordering, in the order given.
    pub rows: Vec<OrderingPrediction>,
    /// Pattern and routing of the traffic of jobs, if it is simulated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guest: Option<(String, String)>,
    /// Rank correlation of weighted MPC and replay, for each allocator.
    pub agreement: Vec<Agreement>,
}

/// Prediction and replays of a workload on one ordering.
#[derive(Clone, Debug, Serialize)]
pub struct OrderingPrediction {
    /// Name of the ordering.
    pub ordering: String,
    /// Weighted MPC: `Σ p(S)·MPC(S)` over the workload's job sizes from 2 nodes, in hops.
    pub weighted_mpc: f64,
    /// Mean MIND over all jobs from 2 nodes, in hops, for each allocator; `None` without such jobs.
    pub mean_mind: Vec<Option<f64>>,
    /// Sizes of more than a few jobs beside the curve, ascending, for each allocator.
    #[serde(skip)]
    pub by_size: Vec<Vec<SizeMean>>,
    /// Mean dilation and contention of the traffic of jobs, for each allocator; empty if it is not simulated.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub traffic: Vec<MeanTraffic>,
}

/// Means of traffic figures over the jobs of a replay; `None` without jobs of two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MeanTraffic {
    /// Mean over jobs of the mean path length, in hops.
    pub mean_dilation: Option<f64>,
    /// Mean over jobs of the highest contention on a job's links, all live jobs counted.
    pub mean_contention: Option<f64>,
}

/// Rank correlations over orderings between weighted MPC and mean MIND of a replay; `None` if one of them is the same
/// for all.
#[derive(Clone, Debug, Serialize)]
pub struct Agreement {
    /// Allocator with its options.
    pub allocator: String,
    /// Spearman's ρ.
    pub spearman: Option<f64>,
    /// Kendall's τ-b.
    pub kendall: Option<f64>,
}

/// Computes `Σ p(S)·MPC(S)`, in hops; `shares` are (S, p(S)) with 2 ≤ S ≤ nodes of the curve.
pub fn weighted_mpc(curve: &Curve, shares: &[(u32, f64)]) -> f64 {
    shares
        .iter()
        .map(|(size, share)| share * curve.mpc(*size as usize))
        .sum()
}

/// Replays `log` with every allocator on every ordering and compares mean distances with the curves. `shares` gives
/// the shares of the log's job sizes, from 2 up to a number of nodes; with `settings` the traffic of every job is
/// simulated.
///
/// # Errors
/// Fails on a bad log or allocator, without any ordering or allocator, or if more memory is needed than allowed.
///
/// # References
/// Albing, "Evaluating Node Orderings for Improved Compactness", PMBS 2015 ("reality check").
pub fn predict(
    topology: &Topology,
    orders: &[NodeOrder],
    curves: &[&Curve],
    allocators: &[String],
    log: &mut Log,
    shares: &dyn Fn(u32) -> Result<Vec<(u32, f64)>>,
    settings: Option<TrafficSettings<'_>>,
) -> Result<Prediction> {
    let workload = log.name().to_string();
    let distances: Vec<RankDistances> = orders
        .iter()
        .map(|o| RankDistances::new(topology, o))
        .collect::<Result<_>>()?;
    let replayed = ReplaySettings {
        allocators,
        figures: FigureSet::default(),
        traffic: settings,
        summaries: Summaries::Alone,
        rules: None,
    };
    let mut replays = ReplaySet::new(topology, orders, &distances, replayed)?;
    replays.run_log(log)?;
    let results = replays.list_results();
    // Numbers of jobs are the same for all replays that refuse none: the first speaks for them.
    let Some(first) = results.first() else {
        return Err(Error::option(
            "--trace",
            "no ordering or no allocator",
            "at least one of each",
        ));
    };
    let mut prediction = Prediction {
        workload,
        allocators: allocators.to_vec(),
        placed: first.counts.placed,
        skipped: first.counts.skipped,
        refused: Vec::new(),
        rows: Vec::new(),
        guest: settings.map(|t| (t.pattern.to_string(), t.routing.name().to_string())),
        agreement: Vec::new(),
    };
    for ((order, curve), results) in orders
        .iter()
        .zip(curves)
        .zip(results.chunks(allocators.len()))
    {
        prediction.rows.push(OrderingPrediction {
            ordering: order.label().to_string(),
            weighted_mpc: weighted_mpc(curve, &shares(order.len() as u32)?),
            mean_mind: results.iter().map(|r| r.summary.mean_mind()).collect(),
            by_size: results
                .iter()
                .map(|r| size_means(r.summary, curve))
                .collect(),
            traffic: results
                .iter()
                .filter_map(|result| {
                    let totals = result.traffic?;
                    Some(MeanTraffic {
                        mean_dilation: totals.mean_over_jobs(totals.dilation),
                        mean_contention: totals.mean_over_jobs(totals.contention_met),
                    })
                })
                .collect(),
        });
    }
    for (i, allocator) in allocators.iter().enumerate() {
        // Results are ordering by ordering, each with all allocators.
        let own = results.iter().skip(i).step_by(allocators.len());
        let refused = own.map(|r| r.counts.count_refused()).max().unwrap_or(0);
        if refused > 0 {
            prediction.refused.push((allocator.clone(), refused));
        }
        let known = prediction
            .rows
            .iter()
            .filter_map(|row| Some((row.weighted_mpc, row.mean_mind[i]?)));
        let (x, y): (Vec<f64>, Vec<f64>) = known.unzip();
        prediction.agreement.push(Agreement {
            allocator: allocator.clone(),
            spearman: spearman(&x, &y),
            kendall: kendall(&x, &y),
        });
    }
    Ok(prediction)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_order::metric::mpc;

    /// Jobs of two nodes that come and go one at a time: the replay gives each the first two ranks, the
    /// weighted MPC is MPC(2).
    #[test]
    fn one_size_at_a_time() {
        let topology = Topology::inline("torus:4x6", &Default::default()).unwrap();
        let orders: Vec<NodeOrder> = ["snake", "row-major", "random:seed=2"]
            .iter()
            .map(|text| NodeOrder::make(&topology, text).unwrap())
            .collect();
        let curves: Vec<Curve> = orders
            .iter()
            .map(|o| mpc::curve(&topology, o).unwrap())
            .collect();
        let text = "P a 2\nF a\nP b 2\nF b\nP c 99\nF c\n";
        let prediction = predict(
            &topology,
            &orders,
            &curves.iter().collect::<Vec<_>>(),
            &["fifo:0".into(), "fifo:9".into()],
            &mut Log::new("log", text),
            &|_| Ok(vec![(2, 1.0)]),
            None,
        )
        .unwrap();
        assert_eq!((prediction.placed, prediction.skipped), (2, 1));
        for (row, (order, curve)) in prediction.rows.iter().zip(orders.iter().zip(&curves)) {
            assert_eq!(row.weighted_mpc, curve.mpc(2));
            let ends = [&order.nodes()[..2], &order.nodes()[22..]];
            let distance = ends.map(|pair| Some(f64::from(topology.distance(pair[0], pair[1]))));
            assert_eq!(row.mean_mind, distance);
        }
    }
}
