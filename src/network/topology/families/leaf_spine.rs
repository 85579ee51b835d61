//! Leaf-spine networks: two levels of switches, every leaf switch with cables to every spine switch.
//!
//! # Drawing
//! ```text
//! leaf-spine:leaves=3,down=2,up=4,spines=2
//!
//!   spine      spine        each has two cables to every leaf switch
//! leaf    leaf    leaf
//! 0  1    2  3    4  5      nodes
//! ```

use super::fat_tree::{BLOCKING_OPTION, Blocking, check_tree};
use crate::topology::context::Context;
use crate::topology::family::{BuildNetwork, TopologyEntry, nodes_option};
use nodeorder_base::{Opt, Params, Result};

/// Entry of `leaf-spine:leaves=25,down=32,up=16,spines=16`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "leaf-spine",
    about: "two levels: every leaf switch has up/spines cables to every spine switch",
    example: "leaf-spine:leaves=25,down=32,up=16,spines=16",
    options: &[
        Opt::whole("leaves", "leaf switches"),
        Opt::whole("down", "nodes on each leaf switch"),
        Opt::whole("up", "cables from each leaf switch up"),
        Opt::whole("spines", "spine switches, a divisor of up"),
        BLOCKING_OPTION,
        Opt::whole("radix", "ports of a switch").default_value("64"),
        nodes_option(
            "chooses leaves, down, up, spines: leaf switches of radix= ports, \
             divided as blocking= says, as few as \
             needed, under as few spine switches as have the ports; beside all four the first so many nodes",
        ),
    ],
    parse: parse_options,
};

/// Reads a tree of two levels: XGFT(2; down, leaves; 1, spines) with up/spines cables in each link.
fn parse_options(params: &Params, _: &Context) -> Result<Box<dyn BuildNetwork>> {
    const HIGH: u32 = 1 << 20;
    let leaves = params.required_integer("leaves", 1, HIGH)?;
    let down = params.required_integer("down", 1, HIGH)?;
    let up = params.required_integer("up", 1, HIGH)?;
    let spines = params.required_integer("spines", 1, HIGH)?;
    if !up.is_multiple_of(spines) {
        return Err(params.invalid_value("spines", format!("a divisor of the {up} cables up")));
    }
    let cables = up / spines;
    let ports = u64::from(down + up).max(u64::from(leaves) * u64::from(cables));
    let radix = params.required_integer::<u64>("radix", 1, 1 << 40)?;
    if params.has_key("radix") && ports > radix {
        return Err(params.invalid_value("radix", format!("{ports} ports or more")));
    }
    let blocking = Blocking::parse(params)?;
    if params.has_key("blocking") && blocking.count_uplinks(down.into()) != u64::from(up) {
        return Err(params.invalid_value("blocking", format!("{down}:{up}, as down and up say")));
    }
    let spec = format!("leaf-spine:leaves={leaves},down={down},up={up},spines={spines}");
    let mut tree = check_tree(params, spec, vec![down, leaves], vec![1, spines])?;
    tree.cables = cables;
    Ok(Box::new(tree))
}

#[cfg(test)]
mod tests {
    use crate::topology::testing::{build, check_links, check_metric, check_refused, from_file};

    #[test]
    fn the_offer_of_800_nodes_is_what_a_hand_count_says() {
        let offer = build("leaf-spine:nodes=800,blocking=2:1,radix=48");
        assert_eq!(offer.spec(), "leaf-spine:leaves=25,down=32,up=16,spines=16");
        let tree = build("xgft:m=32x25,w=1x16");
        let [mut ours, theirs] = [&offer, &tree].map(|machine| {
            check_links(machine);
            check_metric(machine);
            machine.statistics().unwrap()
        });
        assert_eq!((ours.routers, ours.cables, ours.nodes), (41, 400, 800));
        assert_eq!(ours.oversubscription, Some(2.0));
        (ours.name, ours.spec) = (theirs.name.clone(), theirs.spec.clone());
        assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
        let cuts = [&offer, &tree].map(|machine| machine.network().cut_bounds());
        assert_eq!(cuts[0], cuts[1]);
        let limited = build("leaf-spine:leaves=25,down=32,up=16,spines=16,nodes=790");
        assert_eq!(limited.node_count(), 790);
    }

    #[test]
    fn the_offer_is_that_of_a_topology_conf_in_what_that_can_say() {
        let leaves =
            (0..25).map(|i| format!("SwitchName=l{i} Nodes=n[{}-{}]\n", 32 * i, 32 * i + 31));
        let text = leaves.collect::<String>() + "SwitchName=top Switches=l[0-24]\n";
        let conf = from_file("slurm-topology", &text, ",uplinks=16").unwrap();
        let offer = build("leaf-spine:nodes=800,blocking=2:1,radix=48");
        let [ours, theirs] = [&offer, &conf].map(|machine| machine.statistics().unwrap());
        assert_eq!(ours.nodes, theirs.nodes);
        assert_eq!(offer.network().hosts(), conf.network().hosts());
        assert_eq!(
            (ours.total_distance, ours.diameter, ours.oversubscription),
            (
                theirs.total_distance,
                theirs.diameter,
                theirs.oversubscription
            )
        );
    }

    #[test]
    fn parallel_cables_are_those_of_one_rail() {
        let offer = build("leaf-spine:leaves=4,down=8,up=4,spines=2");
        let rail = build("multi-rail:rails=1,domains=8,units=4,spines=2,cables=2");
        check_links(&offer);
        let [ours, theirs] = [&offer, &rail].map(|machine| machine.statistics().unwrap());
        assert_eq!(
            (ours.cables, ours.links, ours.ports, ours.oversubscription),
            (
                theirs.cables,
                theirs.links,
                theirs.ports,
                theirs.oversubscription
            )
        );
        assert_eq!(ours.total_distance, theirs.total_distance);
        let cuts = [&offer, &rail].map(|machine| machine.network().cut_bounds());
        assert_eq!(cuts[0], cuts[1]);
    }

    /// All numbers of spine switches that divide the uplinks and have the ports; the smallest is built.
    #[test]
    fn spine_switches_are_the_fewest_with_ports_enough() {
        for nodes in (16..2000).step_by(37) {
            let machine = build(&format!("leaf-spine:nodes={nodes},blocking=3:1,radix=64"));
            let leaves = nodes / 48 + i32::from(nodes % 48 > 0);
            let spines = (1..=16).find(|s| 16 % s == 0 && leaves * 16 / s <= 64);
            let routers = (leaves + spines.unwrap()) as u32;
            assert_eq!(machine.network().routers(), routers, "{nodes}");
        }
    }

    #[test]
    fn wrong_parameters_are_named() {
        check_refused(&[
            ("leaf-spine:leaves=25,down=32,up=16", "no `spines`"),
            (
                "leaf-spine:leaves=2,down=3,up=4,spines=3",
                "a divisor of the 4",
            ),
            ("leaf-spine:nodes=5000,radix=48", "three levels"),
            ("leaf-spine:nodes=50,radix=48,blocking=2", "as in 2:1"),
            ("leaf-spine:nodes=50,leaves=3", "beside `leaves`"),
            (
                "leaf-spine:leaves=9,down=32,up=16,spines=16,radix=40",
                "48 ports",
            ),
            (
                "leaf-spine:leaves=9,down=32,up=16,spines=16,blocking=3:1",
                "32:16",
            ),
        ]);
    }
}
