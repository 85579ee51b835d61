//! The training of a model that is split over processes in three or four ways.

use super::MAX_PROCESSES;
use super::collective::{GROUP, inner};
use super::kit::*;

/// `parallel:tp=8,pp=4,dp=16[,ep=4]`: an iteration of tensor, pipeline, data and expert parallel training. Process
/// `(d·pp + p)·tp + t` has part t of stage p of copy d: tensor groups innermost, then pipelines, then copies.
///
/// - tensor: an all-reduce of `tp_volume` in each group of tp consecutive processes;
/// - pipeline: `pp_volume` from each stage to the next (activations) and as much back (gradients), at the same t and d;
/// - data: an all-reduce of `dp_volume` (gradients) among the dp processes of one t and p;
/// - expert: ep consecutive copies of one t and p swap tokens, an all-to-all of `ep_volume` there and one back.
///
/// `volume` multiplies all four; the volumes are the buffers of an iteration, which depend on the model and are not
/// worked out here. `collective` is the algorithm of both all-reduces; with `hierarchical` that of the copies has
/// inner groups, and tensor groups, which are inside a node, take rings.
///
/// # References
/// Shoeybi et al., "Megatron-LM: Training Multi-Billion Parameter Language Models Using Model Parallelism", 2019,
/// section 3 (tensor); Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters Using
/// Megatron-LM", SC'21, section 2 (all three). Which of them stands innermost is a choice: pipelines here, as
/// operators of racks with fast links inside ask for; Megatron has copies before stages by default.
pub(super) const GUEST: GuestEntry = GuestEntry {
    name: "parallel",
    about: "training: all-reduces in tensor groups and among copies, pipelines, all-to-alls of experts",
    example: "parallel:tp=8,pp=4,dp=16",
    options: &[
        Opt::whole("tp", "processes of a tensor group").or("1"),
        Opt::whole("pp", "stages of a pipeline").or("1"),
        Opt::whole("dp", "copies of the model").or("1"),
        Opt::whole("ep", "copies that share experts; divides dp").or("1"),
        Opt::one_of(
            "collective",
            &["ring", "tree", "hierarchical"],
            "how all-reduces are done",
        ),
        GROUP,
        TP,
        PP,
        DP,
        EP,
        Opt::number("volume", "what all four volumes are multiplied by").or("1"),
    ],
    parse: Pattern {
        make,
        benchmark: None,
        sized: &[Sized {
            name: "parallel",
            spec: sized,
        }],
    },
};

const TP: Opt = Opt::number("tp_volume", "the buffer of a tensor group's all-reduces").or("1");
const PP: Opt = Opt::number("pp_volume", "what a stage sends to the next, and back").or("1");
const DP: Opt = Opt::number("dp_volume", "the buffer of the all-reduce among copies").or("1");
const EP: Opt = Opt::number(
    "ep_volume",
    "the buffer of each of the experts' all-to-alls",
)
.or("1");

/// Tensor groups of up to eight, the rest copies.
fn sized(count: u32) -> String {
    let tp = (1..=count.clamp(1, 8))
        .rev()
        .find(|tp| count.is_multiple_of(*tp))
        .unwrap_or(1);
    format!("parallel:tp={tp},dp={}", count / tp)
}

fn make(params: &Params, context: &Context) -> Result<(u32, Traffic)> {
    let ways = |key| params.whole(key, 1, MAX_PROCESSES);
    let (tp, pp, dp, ep) = (ways("tp")?, ways("pp")?, ways("dp")?, ways("ep")?);
    if !dp.is_multiple_of(ep) {
        return Err(params.wrong("ep", format!("a divisor of dp = {dp}")));
    }
    let n = [pp, dp]
        .iter()
        .fold(u64::from(tp), |n, ways| n.saturating_mul(u64::from(*ways)));
    let mut messages = Messages::new(params, context, n, 10 + u64::from(ep))?;
    let (collective, group, times) = (
        params.choice("collective")?,
        inner(params, dp)?,
        volume(params)?,
    );
    let buffer =
        |key| Ok::<f64, nodeorder_base::error::Error>(params.number(key, 0.0, 1e200)? * times);
    let [for_tp, for_pp, for_dp, for_ep] = [
        buffer("tp_volume")?,
        buffer("pp_volume")?,
        buffer("dp_volume")?,
        buffer("ep_volume")?,
    ];
    let process = |d: u32, p: u32, t: u32| (d * pp + p) * tp + t;
    for stage in 0..dp * pp {
        let members: Vec<u32> = (0..tp).map(|t| stage * tp + t).collect();
        match collective {
            "tree" => messages.tree_all_reduce(&members, for_tp),
            _ => messages.ring_all_reduce(&members, for_tp),
        }
    }
    for d in 0..dp {
        for (p, t) in (1..pp).flat_map(|p| (0..tp).map(move |t| (p, t))) {
            messages.send(process(d, p - 1, t), process(d, p, t), for_pp);
            messages.send(process(d, p, t), process(d, p - 1, t), for_pp);
        }
    }
    for (p, t) in (0..pp).flat_map(|p| (0..tp).map(move |t| (p, t))) {
        let copies: Vec<u32> = (0..dp).map(|d| process(d, p, t)).collect();
        match collective {
            "tree" => messages.tree_all_reduce(&copies, for_dp),
            "hierarchical" => messages.hierarchical_all_reduce(&copies, group, for_dp),
            _ => messages.ring_all_reduce(&copies, for_dp),
        }
        copies
            .chunks(ep as usize)
            .for_each(|experts| messages.all_to_all(experts, 2.0 * for_ep));
    }
    messages.done(params, n as u32)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{make, messages};
    use proptest::prelude::*;

    fn volumes(text: &str) -> Vec<(u32, u32, f64)> {
        messages(&make(text).unwrap())
    }

    #[test]
    fn each_way_alone_is_its_pattern() {
        assert_eq!(volumes("parallel:tp=6"), volumes("all-reduce:ring,n=6"));
        assert_eq!(
            volumes("parallel:dp=6,collective=tree"),
            volumes("all-reduce:tree,n=6")
        );
        let grouped = "all-reduce:hierarchical,n=6,group=3";
        assert_eq!(
            volumes("parallel:dp=6,collective=hierarchical,group=3"),
            volumes(grouped)
        );
        assert_eq!(
            volumes("parallel:pp=3,volume=5"),
            volumes("stencil:3,volume=5")
        );
        let experts = "parallel:dp=4,ep=4,dp_volume=0,ep_volume=2";
        assert_eq!(volumes(experts), volumes("all-to-all:n=4"));
        assert_eq!(volumes("parallel:tp=1"), []);
    }

    proptest! {
        #[test]
        fn the_whole_has_a_closed_form(
            tp in 1u32..6, pp in 1u32..5, groups in 1u32..4, ep in 1u32..4,
            v in [0u32..9, 0u32..9, 0u32..9, 0u32..9],
        ) {
            let dp = groups * ep;
            let spec = format!(
                "parallel:tp={tp},pp={pp},dp={dp},ep={ep},tp_volume={},pp_volume={},dp_volume={},ep_volume={}",
                v[0], v[1], v[2], v[3],
            );
            let guest = make(&spec).unwrap();
            prop_assert_eq!(guest.processes(), tp * pp * dp);
            let sum: f64 = volumes(&spec).iter().map(|m| m.2).sum();
            // Σ over tensor groups, stages, copies, experts of what all members of one send.
            let all = dp * pp * 2 * (tp - 1) * v[0]
                + dp * tp * 2 * (pp - 1) * v[1]
                + tp * pp * 2 * (dp - 1) * v[2]
                + tp * pp * groups * 2 * (ep - 1) * v[3];
            prop_assert!((sum - f64::from(all)).abs() <= 1e-9 * f64::from(all), "{sum} {all}");
        }

        #[test]
        fn messages_stay_within_the_groups(tp in 1u32..5, pp in 1u32..5, dp in 1u32..5) {
            let split = |i: u32| [i % tp, i / tp % pp, i / tp / pp];
            for (a, b, _) in volumes(&format!("parallel:tp={tp},pp={pp},dp={dp}")) {
                let (a, b) = (split(a), split(b));
                prop_assert_eq!((0..3).filter(|i| a[*i] != b[*i]).count(), 1);
                prop_assert!(a[1].abs_diff(b[1]) <= 1);
            }
        }
    }
}
