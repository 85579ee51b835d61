//! The training of a model that is split over processes in up to six ways.

use super::collective::{AllReduce, GROUP, Messages, largest_divisor, parse_group};
use super::patterns::parse_volume;
use super::rank_groups::{ORDER, RankGrid, RankGroups};
use super::{BuildGuest, Guest, GuestEntry, MAX_PROCESSES, Pattern, SizedPattern};
use nodeorder_base::{Error, Opt, Params, Result};
use nodeorder_network::Context;

/// `parallel:tp=8,pp=4,dp=16[,cp=2,ep=4,etp=1]`: an iteration of training, of `tp·cp·dp·pp` processes, numbered and
/// grouped as Megatron does.
///
/// - tensor: an all-reduce of `tp_volume` in each tensor group;
/// - context: an all-gather of `cp_volume` around the ring of each context group;
/// - data: an all-reduce of `dp_volume` (gradients) among the copies and context parts of each shard;
/// - pipeline: `pp_volume` from each stage to the next (activations) and as much back (gradients);
/// - experts, where `ep` or `etp` is given: an all-reduce of `etp_volume` in the tensor groups of experts, an
///   all-to-all of `ep_volume` there and one back in expert groups, an all-reduce of `edp_volume` among the copies
///   of each expert.
///
/// `volume` multiplies them all; the volumes are the buffers of an iteration, which depend on the model and are not
/// worked out here. `collective` is the algorithm of all-reduces; with `hierarchical` those of copies have inner
/// groups, and tensor groups, which are inside a node, take rings.
///
/// # References
/// Megatron-LM, `megatron/core/parallel_state.py`: `RankGenerator`, `generate_masked_orthogonal_rank_groups` and
/// the checks of `initialize_model_parallel`.
pub const GUEST: GuestEntry = GuestEntry {
    name: "parallel",
    about: "training, numbered as Megatron does: tensor, context, data, pipeline and expert groups",
    example: "parallel:tp=8,pp=4,dp=16",
    options: &[
        Opt::whole("tp", "processes of a tensor group").default_value("1"),
        Opt::whole("cp", "processes that share the tokens of a sequence").default_value("1"),
        Opt::whole("pp", "stages of a pipeline").default_value("1"),
        Opt::whole("dp", "copies of the model").default_value("1"),
        Opt::whole("ep", "processes that share experts").default_value("1"),
        Opt::whole(
            "etp",
            "processes of an expert's tensor group; etp·ep·pp divides tp·cp·dp·pp",
        )
        .default_in_words("tp"),
        ORDER,
        Opt::one_of(
            "collective",
            &["ring", "tree", "hierarchical"],
            "how all-reduces are done",
        ),
        GROUP,
        Opt::number("tp_volume", "the buffer of a tensor group's all-reduces").default_value("1"),
        Opt::number("cp_volume", "the buffer of a context group's all-gather").default_value("1"),
        Opt::number("pp_volume", "what a stage sends to the next, and back").default_value("1"),
        Opt::number("dp_volume", "the buffer of the all-reduce among copies").default_value("1"),
        Opt::number(
            "etp_volume",
            "the buffer of all-reduces in experts' tensor groups",
        )
        .default_value("1"),
        Opt::number(
            "ep_volume",
            "the buffer of each of the experts' all-to-alls",
        )
        .default_value("1"),
        Opt::number(
            "edp_volume",
            "the buffer of the all-reduce among copies of an expert",
        )
        .default_value("1"),
        Opt::number("volume", "what all volumes are multiplied by").default_value("1"),
    ],
    parse: Pattern::new(parse).sized(&[SizedPattern {
        name: "parallel",
        spec: training_of_size,
    }]),
};

/// A kind of groups: its name, the axes along which its ranks differ, and the option of its volume.
type GroupKind = (&'static str, &'static [&'static str], &'static str);

/// Groups of the layers without experts.
const DENSE: [GroupKind; 4] = [
    ("tp", &["tp"], "tp_volume"),
    ("cp", &["cp"], "cp_volume"),
    ("dp-cp", &["dp", "cp"], "dp_volume"),
    ("pp", &["pp"], "pp_volume"),
];

/// Groups of the layers with experts.
const EXPERT: [GroupKind; 3] = [
    ("etp", &["tp"], "etp_volume"),
    ("ep", &["ep"], "ep_volume"),
    ("edp", &["dp"], "edp_volume"),
];

/// Writes the guest for `count` processes: tensor groups of up to eight, the rest copies.
fn training_of_size(count: u32) -> String {
    let tp = largest_divisor(count);
    format!("parallel:tp={tp},dp={}", count / tp)
}

/// The ways in which the training is split, and the buffers of an iteration.
pub struct Training {
    /// Number of all processes.
    processes: u32,
    /// Algorithm of the all-reduces among copies.
    algorithm: AllReduce,
    /// Kinds of groups with their volumes, each with the grid that numbers it.
    kinds: Vec<(RankGrid, Vec<(GroupKind, f64)>)>,
}

/// Reads the options of `parallel`.
fn parse(params: &Params) -> Result<Box<dyn BuildGuest>> {
    Ok(Box::new(Training::parse(params)?))
}

impl Training {
    /// Reads the options. Fails if a guest may not have as many processes, and where Megatron does.
    pub fn parse(params: &Params) -> Result<Self> {
        let tp = params.required_integer("tp", 1, MAX_PROCESSES)?;
        let cp = params.required_integer("cp", 1, MAX_PROCESSES)?;
        let pp = params.required_integer("pp", 1, MAX_PROCESSES)?;
        let dp = params.required_integer("dp", 1, MAX_PROCESSES)?;
        let ep: u32 = params.required_integer("ep", 1, MAX_PROCESSES)?;
        let etp = params.optional_integer("etp", 1, MAX_PROCESSES)?;
        let all = [cp, pp, dp].iter().fold(u64::from(tp), |all, size| {
            all.saturating_mul(u64::from(*size))
        });
        if all > u64::from(MAX_PROCESSES) {
            return Err(Error::input(
                params.location().clone(),
                format!("{all} processes"),
                format!("1 to {MAX_PROCESSES} processes"),
            ));
        }
        let order = RankGrid::parse_order(params)?;
        let dense = RankGrid::with_sizes(params, &order, [tp, cp, 1, dp, pp])?;
        let times = parse_volume(params)?;
        let mut kinds = vec![(dense, read_volumes(params, &DENSE, times)?)];
        let expert_volumes = read_volumes(params, &EXPERT, times)?;
        // Without experts their groups would send what a dense model does not.
        if ep > 1 || etp.is_some() {
            let etp = etp.unwrap_or(tp);
            // Of a stage, which every pipeline has as many of.
            let stage = all as u32 / pp;
            if !u64::from(stage).is_multiple_of(u64::from(etp) * u64::from(ep)) {
                let expected = format!("etp·ep a divisor of tp·cp·dp = {stage}; etp is {etp}");
                return Err(params.invalid_value("ep", expected));
            }
            let edp = stage / etp / ep;
            let expert = RankGrid::with_sizes(params, &order, [etp, 1, ep, edp, pp])?;
            if pp > 1 && order.last() != Some(&"pp") && edp != dp {
                let expected = format!(
                    "pp as the last axis, since copies of experts are {edp} and dp is {dp}"
                );
                return Err(params.invalid_value("order", expected));
            }
            if pp > 1 && kinds[0].0.axis_stride("pp") != expert.axis_stride("pp") {
                let expected = "pipelines of the same processes with and without experts";
                return Err(params.invalid_value("order", expected));
            }
            kinds.push((expert, expert_volumes));
        }
        let name = params.required_choice("collective")?;
        Ok(Training {
            processes: all as u32,
            algorithm: AllReduce::parse_algorithm(name, parse_group(params, dp * cp)?),
            kinds,
        })
    }

    /// Lists all groups, kind by kind.
    pub fn list_groups(&self) -> Vec<RankGroups> {
        let kinds = self.kinds.iter().flat_map(|(grid, kinds)| {
            kinds.iter().map(|((kind, axes, _), _)| RankGroups {
                kind,
                groups: grid.list_groups(axes),
            })
        });
        kinds.collect()
    }
}

/// Reads the volumes of these kinds of groups, each times `times`.
fn read_volumes(params: &Params, kinds: &[GroupKind], times: f64) -> Result<Vec<(GroupKind, f64)>> {
    let volumes = kinds.iter().map(|kind| {
        let volume = params.required_real(kind.2, 0.0, 1e200)?;
        Ok((*kind, volume * times))
    });
    volumes.collect()
}

impl BuildGuest for Training {
    fn build(&self, label: &str, context: &Context) -> Result<Guest> {
        let volumes = self.kinds.iter().flat_map(|(_, kinds)| kinds);
        let all = self.list_groups();
        let experts = all.iter().find(|kind| kind.kind == "ep");
        let largest = experts.map_or(0, |experts| experts.groups[0].len());
        let mut messages = Messages::new(context, self.processes, 18 + largest as u64)?;
        // Tensor groups are inside a node, where inner groups gain nothing.
        let in_group = match self.algorithm {
            AllReduce::Tree => AllReduce::Tree,
            _ => AllReduce::Ring,
        };
        for (RankGroups { kind, groups }, (_, volume)) in all.iter().zip(volumes) {
            for group in groups {
                match *kind {
                    "tp" | "etp" => messages.all_reduce(in_group, group, *volume),
                    "cp" => messages.ring_rounds(group, group.len() as u32 - 1, *volume),
                    "ep" => messages.all_to_all(group, 2.0 * volume),
                    "pp" => {
                        for stages in group.windows(2) {
                            messages.add_message(stages[0], stages[1], *volume);
                            messages.add_message(stages[1], stages[0], *volume);
                        }
                    }
                    _ => {
                        let members = group.len() as u32;
                        messages.all_reduce(self.algorithm.fit_members(members), group, *volume);
                    }
                }
            }
        }
        messages.into_guest(label, self.processes)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_refused, make, messages};
    use proptest::prelude::*;

    fn volumes(text: &str) -> Vec<(u32, u32, f64)> {
        messages(&make(text).unwrap())
    }

    #[test]
    fn each_way_alone_is_its_pattern() {
        assert_eq!(volumes("parallel:tp=6"), volumes("all-reduce:ring,n=6"));
        assert_eq!(
            volumes("parallel:cp=6,dp_volume=0"),
            volumes("all-gather:ring,n=6")
        );
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
        let parts = "parallel:dp=4,etp=4,dp_volume=0,etp_volume=3";
        assert_eq!(volumes(parts), volumes("all-reduce:ring,n=4,volume=3"));
        assert_eq!(volumes("parallel:tp=1"), []);
    }

    #[test]
    fn what_megatron_refuses_is_refused() {
        check_refused(&[
            (
                "parallel:tp=2,dp=3,ep=4",
                "etp·ep a divisor of tp·cp·dp = 6; etp is 2",
            ),
            ("parallel:tp=2,dp=3,etp=4", "etp·ep a divisor of"),
            (
                "parallel:tp=2,pp=2,dp=4,etp=1,order=tp-cp-ep-pp-dp",
                "pp as the last axis",
            ),
            (
                "parallel:tp=2,pp=2,dp=4,ep=2,order=tp-cp-ep-pp-dp",
                "pp as the last axis",
            ),
            (
                "parallel:cp=2,pp=2,dp=2,ep=2,order=tp-ep-pp-cp-dp",
                "pipelines of the same processes",
            ),
            ("parallel:tp=2,order=dp-pp", "an order with tp, which is 2"),
            ("parallel:order=tp-tp", "each axis once"),
            ("parallel:order=tp-xp", "unknown order `xp`"),
        ]);
        // Copies are as many with experts and without.
        assert!(make("parallel:cp=2,pp=2,dp=2,ep=2,order=tp-cp-ep-pp-dp").is_ok());
        assert!(make("parallel:tp=2,pp=2,dp=4,etp=1,ep=2,order=tp-cp-ep-pp-dp").is_ok());
    }

    proptest! {
        #[test]
        fn the_whole_has_a_closed_form(
            tp in 1u32..4, cp in 1u32..4, pp in 1u32..4, etp in 1u32..4, ep in 1u32..4, edp in 1u32..4,
            v in prop::array::uniform7(0u32..9),
        ) {
            // Copies enough for both grids.
            let dp = etp * ep * edp;
            let spec = format!(
                "parallel:tp={tp},cp={cp},pp={pp},dp={dp},ep={ep},etp={etp},tp_volume={},cp_volume={},pp_volume={},\
                 dp_volume={},etp_volume={},ep_volume={},edp_volume={}",
                v[0], v[1], v[2], v[3], v[4], v[5], v[6],
            );
            let guest = make(&spec).unwrap();
            let n = tp * cp * pp * dp;
            prop_assert_eq!(guest.processes(), n);
            let sum: f64 = volumes(&spec).iter().map(|m| m.2).sum();
            // Σ over the groups of each kind of what all members of one send.
            let copies = n / etp / ep / pp;
            let all = n / tp * 2 * (tp - 1) * v[0]
                + n / cp * (cp - 1) * v[1]
                + n / pp * 2 * (pp - 1) * v[2]
                + n / (dp * cp) * 2 * (dp * cp - 1) * v[3]
                + n / etp * 2 * (etp - 1) * v[4]
                + n / ep * 2 * (ep - 1) * v[5]
                + n / copies * 2 * (copies - 1) * v[6];
            prop_assert!((sum - f64::from(all)).abs() <= 1e-9 * f64::from(all), "{sum} {all}");
        }
    }
}
