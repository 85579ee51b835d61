//! MPC as a predictor: the mean distance that a workload's job sizes would have on a machine filled at random
//! stretches of an ordering, against what a replay gives.

use serde::Serialize;

use super::by_size::{SizeMean, size_means};
use super::figures::FigureSet;
use super::set::{ReplaySet, ReplaySettings, Summaries};
use super::single::Counts;
use super::traffic::{Totals, TrafficSettings};
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_network::topology::Topology;
use nodeorder_order::metric::correlation::{kendall, spearman};
use nodeorder_order::metric::mpc::Curve;
use nodeorder_order::metric::rank_distances::RankDistances;
use nodeorder_order::ordering::NodeOrder;
use nodeorder_trace::Log;

/// The allocators of a comparison where none is given.
pub const DEFAULT_ALLOCATORS: [&str; 4] =
    ["fifo:0", "first-fit:1", "span-best-fit", "slurm-best-fit"];

/// Weighted MPC and replays of a workload on some orderings.
#[derive(Clone, Debug, Serialize)]
pub struct Prediction {
    /// The workload's name.
    pub workload: String,
    /// The allocators replayed.
    pub allocators: Vec<String>,
    /// Jobs placed and skipped, of the first allocator; the same for all on one ordering that refuse no jobs.
    pub placed: u64,
    /// See `placed`.
    pub skipped: u64,
    /// Allocators that refused jobs, and how many on the ordering where they refused most.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<(String, u64)>,
    /// One row an ordering, in the order given.
    pub rows: Vec<OrderingPrediction>,
    /// Pattern and routing of the jobs' traffic, where it is simulated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guest: Option<(String, String)>,
    /// One an allocator: how well the weighted MPC ranks the orderings.
    pub agreement: Vec<Agreement>,
}

/// One ordering under the workload.
#[derive(Clone, Debug, Serialize)]
pub struct OrderingPrediction {
    /// The ordering.
    pub ordering: String,
    /// `Σ p(S)·MPC(S)` over the workload's job sizes from 2 nodes.
    pub weighted_mpc: f64,
    /// Mean MIND of the replay over placements from 2 nodes, one an allocator; none where there was none.
    pub mean_mind: Vec<Option<f64>>,
    /// Each size of more than a few jobs beside the curve, ascending, one list an allocator.
    #[serde(skip)]
    pub by_size: Vec<Vec<SizeMean>>,
    /// Mean dilation and contention of the jobs' traffic, one an allocator; empty where jobs do not send.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub traffic: Vec<MeanTraffic>,
}

/// Means over the jobs of a replay of what their traffic meets; none without jobs of two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MeanTraffic {
    /// Mean over jobs of the mean path length, in hops.
    pub mean_dilation: Option<f64>,
    /// Mean over jobs of the highest contention on a job's links, all live jobs counted.
    pub mean_contention: Option<f64>,
}

/// Rank correlations over orderings between the weighted MPC and the replay's mean MIND; none where one of
/// them is the same for all.
#[derive(Clone, Debug, Serialize)]
pub struct Agreement {
    /// The allocator.
    pub allocator: String,
    /// Spearman's ρ.
    pub spearman: Option<f64>,
    /// Kendall's τ-b.
    pub kendall: Option<f64>,
}

/// `Σ p(S)·MPC(S)`; `shares` are (S, p(S)) with 2 ≤ S ≤ nodes of the curve.
pub fn weighted_mpc(curve: &Curve, shares: &[(u32, f64)]) -> f64 {
    shares
        .iter()
        .map(|(size, share)| share * curve.mpc(*size as usize))
        .sum()
}

/// Replays `log` through every allocator on every ordering and sets the outcome beside the curves.
/// `shares` are the job sizes of the log, from 2 to the number of nodes of the ordering; with `settings` the traffic of
/// every job is simulated.
///
/// # Errors
/// A bad log or allocator; more memory than allowed.
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
    replays.run(log)?;
    let results = replays.results();
    let Some(first) = results.first() else {
        let location = SourceLocation::option("--trace");
        return Err(Error::input(
            location,
            "no ordering or no allocator",
            "at least one of each",
        ));
    };
    let Counts {
        placed, skipped, ..
    } = first.counts;
    let refused = |(i, allocator): (usize, &String)| {
        let counts = results
            .iter()
            .skip(i)
            .step_by(allocators.len())
            .map(|r| r.counts.refused());
        Some((allocator.clone(), counts.max().filter(|most| *most > 0)?))
    };
    let refused = allocators.iter().enumerate().filter_map(refused).collect();
    let means = |totals: &Totals| MeanTraffic {
        mean_dilation: totals.mean(totals.dilation),
        mean_contention: totals.mean(totals.met),
    };
    let mut rows = Vec::new();
    for ((order, curve), results) in orders
        .iter()
        .zip(curves)
        .zip(results.chunks(allocators.len()))
    {
        rows.push(OrderingPrediction {
            ordering: order.label().to_string(),
            weighted_mpc: weighted_mpc(curve, &shares(order.len() as u32)?),
            mean_mind: results.iter().map(|r| r.summary.mean_mind()).collect(),
            by_size: results
                .iter()
                .map(|r| size_means(r.summary, curve))
                .collect(),
            traffic: results
                .iter()
                .filter_map(|r| r.traffic.as_ref().map(means))
                .collect(),
        });
    }
    let agreement = |(a, allocator): (usize, &String)| {
        let known = rows
            .iter()
            .filter_map(|r| Some((r.weighted_mpc, r.mean_mind[a]?)));
        let (x, y): (Vec<f64>, Vec<f64>) = known.unzip();
        let allocator = allocator.clone();
        Agreement {
            allocator,
            spearman: spearman(&x, &y),
            kendall: kendall(&x, &y),
        }
    };
    let agreement = allocators.iter().enumerate().map(agreement).collect();
    let guest = settings.map(|t| (t.pattern().to_string(), t.routing().name().to_string()));
    let allocators = allocators.to_vec();
    Ok(Prediction {
        workload,
        allocators,
        placed,
        skipped,
        refused,
        rows,
        guest,
        agreement,
    })
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
