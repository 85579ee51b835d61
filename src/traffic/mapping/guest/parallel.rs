//! The training of a model that is split over processes in three or four ways.

use super::collective::{AllReduce, GROUP, Messages, largest_divisor, parse_group};
use super::patterns::parse_volume;
use super::{BuildGuest, Guest, GuestEntry, MAX_PROCESSES, Pattern, Sized};
use nodeorder_base::error::{Error, Result};
use nodeorder_base::params::{Opt, Params};
use nodeorder_network::topology::Context;

/// `parallel:tp=8,pp=4,dp=16[,ep=4]`: an iteration of tensor, pipeline, data and expert parallel training. Process
/// `(d·pp + p)·tp + t` has part t of stage p of copy d: tensor groups innermost, then pipelines, then copies.
///
/// - tensor: an all-reduce of `tp_volume` in each group of tp consecutive processes;
/// - pipeline: `pp_volume` from each stage to the next (activations) and as much back (gradients), at the same t and
///   d;
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
        Opt::whole("tp", "processes of a tensor group").default_value("1"),
        Opt::whole("pp", "stages of a pipeline").default_value("1"),
        Opt::whole("dp", "copies of the model").default_value("1"),
        Opt::whole("ep", "copies that share experts; divides dp").default_value("1"),
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
        Opt::number("volume", "what all four volumes are multiplied by").default_value("1"),
    ],
    parse: Pattern::new(parse).sized(&[Sized {
        name: "parallel",
        spec: training_of_size,
    }]),
};

const TP: Opt =
    Opt::number("tp_volume", "the buffer of a tensor group's all-reduces").default_value("1");
const PP: Opt =
    Opt::number("pp_volume", "what a stage sends to the next, and back").default_value("1");
const DP: Opt =
    Opt::number("dp_volume", "the buffer of the all-reduce among copies").default_value("1");
const EP: Opt = Opt::number(
    "ep_volume",
    "the buffer of each of the experts' all-to-alls",
)
.default_value("1");

/// Writes the guest for `count` processes: tensor groups of up to eight, the rest copies.
fn training_of_size(count: u32) -> String {
    let tp = largest_divisor(count);
    format!("parallel:tp={tp},dp={}", count / tp)
}

/// The ways in which the training is split, and the buffers of an iteration.
struct Training {
    /// Number of processes of a tensor group.
    tp: u32,
    /// Number of stages of a pipeline.
    pp: u32,
    /// Number of copies of the model.
    dp: u32,
    /// Number of copies that share experts.
    ep: u32,
    /// Number of all processes.
    processes: u32,
    /// Algorithm of the all-reduce among the copies.
    algorithm: AllReduce,
    /// Volume of the buffer of a tensor group's all-reduce.
    tp_volume: f64,
    /// Volume that a stage sends to the next, and gets back.
    pp_volume: f64,
    /// Volume of the buffer of the all-reduce among copies.
    dp_volume: f64,
    /// Volume of the buffer of each of the experts' all-to-alls.
    ep_volume: f64,
}

/// Reads the options of `parallel`. Fails if a guest may not have as many processes.
fn parse(params: &Params) -> Result<Box<dyn BuildGuest>> {
    let tp = params.required_integer("tp", 1, MAX_PROCESSES)?;
    let pp = params.required_integer("pp", 1, MAX_PROCESSES)?;
    let dp = params.required_integer("dp", 1, MAX_PROCESSES)?;
    let ep = params.required_integer("ep", 1, MAX_PROCESSES)?;
    if !dp.is_multiple_of(ep) {
        return Err(params.invalid_value("ep", format!("a divisor of dp = {dp}")));
    }
    // Two factors are below 2⁴⁹ together; the third may be too much for 64 bits.
    let processes = (u64::from(tp) * u64::from(pp)).saturating_mul(dp.into());
    if processes > u64::from(MAX_PROCESSES) {
        return Err(Error::input(
            params.location().clone(),
            format!("{processes} processes"),
            format!("1 to {MAX_PROCESSES} processes"),
        ));
    }
    let name = params.required_choice("collective")?;
    let algorithm = AllReduce::parse_algorithm(name, parse_group(params, dp)?);
    let times = parse_volume(params)?;
    Ok(Box::new(Training {
        tp,
        pp,
        dp,
        ep,
        processes: processes as u32,
        algorithm,
        tp_volume: params.required_real("tp_volume", 0.0, 1e200)? * times,
        pp_volume: params.required_real("pp_volume", 0.0, 1e200)? * times,
        dp_volume: params.required_real("dp_volume", 0.0, 1e200)? * times,
        ep_volume: params.required_real("ep_volume", 0.0, 1e200)? * times,
    }))
}

impl Training {
    /// Computes the number of the process with part `t` of stage `p` of copy `d`.
    fn process_number(&self, d: u32, p: u32, t: u32) -> u32 {
        (d * self.pp + p) * self.tp + t
    }
}

impl BuildGuest for Training {
    fn build(&self, label: &str, context: &Context) -> Result<Guest> {
        let &Training { tp, pp, dp, .. } = self;
        let mut messages = Messages::new(context, self.processes, 10 + u64::from(self.ep))?;
        // Tensor groups are inside a node, where inner groups gain nothing.
        let in_group = match self.algorithm {
            AllReduce::Tree => AllReduce::Tree,
            _ => AllReduce::Ring,
        };
        for stage in 0..dp * pp {
            let members: Vec<u32> = (stage * tp..(stage + 1) * tp).collect();
            messages.all_reduce(in_group, &members, self.tp_volume);
        }
        for d in 0..dp {
            // Processes of a copy are numbered stage by stage.
            for after in self.process_number(d, 1, 0)..self.process_number(d + 1, 0, 0) {
                messages.add_message(after - tp, after, self.pp_volume);
                messages.add_message(after, after - tp, self.pp_volume);
            }
        }
        // Part t of stage p of the first copy is process p·tp + t.
        for first in 0..pp * tp {
            let copies: Vec<u32> = (0..dp).map(|d| self.process_number(d, 0, first)).collect();
            messages.all_reduce(self.algorithm, &copies, self.dp_volume);
            for experts in copies.chunks(self.ep as usize) {
                messages.all_to_all(experts, 2.0 * self.ep_volume);
            }
        }
        messages.into_guest(label, self.processes)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{make, messages};
    use proptest::prelude::*;

    /// Returns what one process sends to another, pair by pair: with 12, 5, 36 and 6 the volumes of the four ways.
    fn pair_volume(from: u32, to: u32, [tp, pp, dp, ep]: [u32; 4]) -> f64 {
        let part = |process: u32| process % tp;
        let stage = |process: u32| process / tp % pp;
        let copy = |process: u32| process / (tp * pp);
        let [same_part, same_stage, same_copy] = [
            part(from) == part(to),
            stage(from) == stage(to),
            copy(from) == copy(to),
        ];
        // In a ring of n, 2(n-1) pieces of 1/n go to the next.
        let ring = |n: u32, buffer: f64| 2.0 * f64::from(n - 1) / f64::from(n) * buffer;
        let mut volume = 0.0;
        if !same_part && same_stage && same_copy && part(to) == (part(from) + 1) % tp {
            volume += ring(tp, 12.0);
        }
        if same_part && same_copy && stage(from).abs_diff(stage(to)) == 1 {
            volume += 5.0;
        }
        if same_part && same_stage && !same_copy {
            if copy(to) == (copy(from) + 1) % dp {
                volume += ring(dp, 36.0);
            }
            // There and back, a piece of 1/ep to each that shares experts.
            if copy(from) / ep == copy(to) / ep {
                volume += 2.0 * 6.0 / f64::from(ep);
            }
        }
        volume
    }

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
        fn every_pair_sends_what_its_group_asks_for(
            tp in 1u32..5, pp in 1u32..5, groups in 1u32..4, ep in 1u32..4,
        ) {
            let dp = groups * ep;
            let mut expected = Vec::new();
            for (from, to) in (0..tp * pp * dp).flat_map(|a| (0..tp * pp * dp).map(move |b| (a, b))) {
                let volume = pair_volume(from, to, [tp, pp, dp, ep]);
                if volume > 0.0 {
                    expected.push((from, to, volume));
                }
            }
            let text = format!(
                "parallel:tp={tp},pp={pp},dp={dp},ep={ep},tp_volume=12,pp_volume=5,dp_volume=36,ep_volume=6"
            );
            let found = volumes(&text);
            prop_assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(&expected) {
                prop_assert_eq!((found.0, found.1), (expected.0, expected.1));
                prop_assert!((found.2 - expected.2).abs() < 1e-9, "{found:?} {expected:?}");
            }
        }
    }
}
