//! How the groups of a training job lie in the units of a machine.

use super::guest::RankGroups;

/// Where the groups of one kind lie.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupReport {
    /// Kind, as in [`RankGroups`].
    pub kind: &'static str,
    /// Number of groups.
    pub groups: u64,
    /// Number of groups that lie in one unit.
    pub whole: u64,
    /// Largest number of groups that could lie in one unit each, by the hosts that each unit offers.
    pub whole_at_most: u64,
    /// Most units that a group spans.
    pub max_span: u64,
    /// Number of units that a group spans, on the mean.
    pub mean_span: f64,
    /// Number of steps, of all rings through the ranks of a group, from one unit to another.
    pub crossings: u64,
}

/// Reports where groups lie: `unit_of` are the units of the hosts in rank order, with `per_node` ranks each;
/// `offered` the hosts that each unit offers, of which a job may take some.
///
/// Groups of g ranks are whole at most Σ ⌊offered·per_node/g⌋ times. Where each of the experts' tensor groups, of
/// `etp` ranks, is on one host, `etp` groups of experts take the same hosts: at most etp·Σ ⌊offered·per_node/(g·etp)⌋.
pub fn report_groups(
    kinds: &[RankGroups],
    unit_of: &[u32],
    per_node: u32,
    offered: &[u32],
) -> Vec<GroupReport> {
    let tensor = kinds.iter().find(|kind| kind.kind == "etp");
    let on_one_host = tensor.filter(|tensor| {
        tensor
            .groups
            .iter()
            .all(|g| g.iter().all(|rank| rank / per_node == g[0] / per_node))
    });
    let mut reports = Vec::new();
    for RankGroups { kind, groups } in kinds {
        let size = groups[0].len() as u64;
        let alike = match on_one_host {
            Some(tensor) if *kind == "ep" => tensor.groups[0].len() as u64,
            _ => 1,
        };
        let whole_by_room = offered
            .iter()
            .map(|hosts| alike * (u64::from(*hosts) * u64::from(per_node) / (size * alike)));
        let mut report = GroupReport {
            kind,
            groups: groups.len() as u64,
            whole: 0,
            whole_at_most: whole_by_room.sum::<u64>().min(groups.len() as u64),
            max_span: 0,
            mean_span: 0.0,
            crossings: 0,
        };
        let mut spans = 0;
        for group in groups {
            let mut units: Vec<u32> = group
                .iter()
                .map(|rank| unit_of[(rank / per_node) as usize])
                .collect();
            let next = units.iter().cycle().skip(1);
            report.crossings += units.iter().zip(next).filter(|(a, b)| a != b).count() as u64;
            units.sort_unstable();
            units.dedup();
            let span = units.len() as u64;
            report.whole += u64::from(span == 1);
            report.max_span = report.max_span.max(span);
            spans += span;
        }
        report.mean_span = spans as f64 / groups.len() as f64;
        reports.push(report);
    }
    reports
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::guest::list_training_groups;
    use nodeorder_base::random::{random_below, seed_generator, shuffle};

    fn report(text: &str, unit_of: &[u32], per_node: u32) -> Vec<GroupReport> {
        let kinds = list_training_groups(text).unwrap().unwrap();
        let units = unit_of.iter().max().unwrap() + 1;
        let held = (0..units).map(|unit| unit_of.iter().filter(|u| **u == unit).count() as u32);
        report_groups(&kinds, unit_of, per_node, &held.collect::<Vec<_>>())
    }

    fn experts(reports: Vec<GroupReport>) -> GroupReport {
        reports
            .into_iter()
            .find(|report| report.kind == "ep")
            .unwrap()
    }

    /// Racks of nine hosts of four GPUs.
    fn racks(hosts: u32) -> Vec<u32> {
        (0..hosts).map(|host| host / 9).collect()
    }

    #[test]
    fn racks_of_nine_hosts_hold_28_of_40_expert_groups_and_48_of_48() {
        let found = experts(report("parallel:tp=4,pp=2,dp=20,ep=4", &racks(40), 4));
        assert_eq!(
            (
                found.groups,
                found.whole,
                found.whole_at_most,
                found.max_span
            ),
            (40, 28, 36, 2)
        );
        assert_eq!((found.mean_span, found.crossings), (52.0 / 40.0, 24));
        let found = experts(report("parallel:tp=4,pp=2,dp=18,ep=3", &racks(36), 4));
        assert_eq!(
            (found.groups, found.whole, found.whole_at_most),
            (48, 48, 48)
        );
    }

    /// Whole groups by a plain count of each job's experts, which follow one another along `ep` in Megatron's order.
    #[test]
    fn no_more_groups_are_whole_than_the_bounds_say() {
        let mut random = seed_generator(61);
        for job in 0..500 {
            let mut draw = |bound: u64| 1 + random_below(bound, &mut random) as u32;
            let [etp, ep, edp, pp, rack] = [4, 4, 5, 3, 9].map(&mut draw);
            let per_node = etp * draw(2);
            // Whole hosts: as many copies as fill them.
            let edp = edp * per_node / etp;
            let dp = etp * ep * edp;
            let hosts = dp * pp / per_node;
            let mut unit_of: Vec<u32> = (0..hosts).map(|host| host / rack).collect();
            let in_order = job % 2 == 0;
            if !in_order {
                shuffle(&mut unit_of, &mut random);
            }
            let text = format!("parallel:pp={pp},dp={dp},ep={ep},etp={etp}");
            let found = experts(report(&text, &unit_of, per_node));
            let mut whole = 0;
            for first in 0..dp * pp {
                // Ranks of experts: etp fastest, then ep.
                if first / etp % ep == 0 {
                    let unit = |i: u32| unit_of[((first + i * etp) / per_node) as usize];
                    whole += u64::from((0..ep).all(|i| unit(i) == unit(0)));
                }
            }
            assert_eq!(found.whole, whole, "{text}");
            assert_eq!(found.groups, u64::from(dp * pp / ep));
            let held = |unit| unit_of.iter().filter(|u| **u == unit).count() as u32;
            let racks = hosts.div_ceil(rack);
            let plain: u32 = (0..racks).map(|u| held(u) * per_node / ep).sum();
            let blocks: u32 = (0..racks)
                .map(|u| held(u) * per_node / (ep * etp) * etp)
                .sum();
            assert!(whole <= plain.into() && whole <= blocks.into(), "{text}");
            assert!(found.whole <= found.whole_at_most);
            // Racks that hold whole blocks, in order.
            if in_order && (rack * per_node).is_multiple_of(ep * etp) {
                assert_eq!(
                    (whole, found.whole_at_most),
                    (blocks.into(), blocks.into()),
                    "{text}"
                );
            }
        }
    }
}
