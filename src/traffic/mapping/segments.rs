//! Segments: equal blocks of a job's hosts, each within one unit of a level of the machine.

use std::collections::HashSet;

use super::guest::{Guest, Traffic};
use nodeorder_base::NodeId;
use nodeorder_network::Topology;
use nodeorder_network::topology::Level;

/// Number of units up to which roles are divided among them exactly.
const EXACT_UNITS: usize = 20;

/// Part of a job whose hosts come in segments of one size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    /// Name of the role; empty for a job that is not divided into roles.
    pub name: String,
    /// Number of hosts of a segment.
    pub segment: u32,
    /// Number of segments wanted.
    pub segments: u32,
}

/// Segments dealt out to units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DealtSegments {
    /// Number of segments of each role that each unit holds, by unit.
    pub of_unit: Vec<Vec<u32>>,
    /// Number of segments of each role that found no place.
    pub left: Vec<u32>,
    /// Whether it is proved, where segments are left, that no other division places all.
    pub exact: bool,
}

/// State of a search that deals segments out.
struct SegmentSearch<'a> {
    /// Number of hosts of each unit.
    hosts: &'a [u32],
    /// Units in the order in which they are filled.
    units: Vec<usize>,
    roles: &'a [Role],
    /// Roles in the order in which they are placed.
    order: Vec<usize>,
    /// Whether to go back where segments are left over.
    searches: bool,
    /// Units filled and segments left from which no division places all.
    failed: HashSet<(usize, Vec<u32>)>,
    dealt: DealtSegments,
}

/// Deals the segments of `roles` out to units, given by their numbers of `hosts`: fullest units first, in each the
/// largest segments first. This places all of one role exactly where the units hold enough whole segments, Σ
/// ⌊hosts/segment⌋; so it does where each size of segment divides the next. Else a search over up to 20 units is exact,
/// too.
///
/// # Complexity
/// O(units · roles); of the search, the numbers of segments that may be left, multiplied, times the units.
pub fn deal_segments(hosts: &[u32], roles: &[Role]) -> DealtSegments {
    let mut units: Vec<usize> = (0..hosts.len()).collect();
    units.sort_by_key(|unit| std::cmp::Reverse(hosts[*unit]));
    let mut order: Vec<usize> = (0..roles.len()).collect();
    order.sort_by_key(|role| std::cmp::Reverse(roles[*role].segment));
    let nested = order.windows(2).all(|pair| {
        let next = roles[pair[1]].segment;
        roles[pair[0]].segment.is_multiple_of(next)
    });
    let mut dealing = SegmentSearch {
        hosts,
        units,
        roles,
        order,
        searches: false,
        failed: HashSet::new(),
        dealt: DealtSegments {
            of_unit: vec![vec![0; roles.len()]; hosts.len()],
            left: roles.iter().map(|role| role.segments).collect(),
            exact: nested || hosts.len() <= EXACT_UNITS,
        },
    };
    let start = dealing.dealt.clone();
    if dealing.fill_unit(0, 0, dealing.free_hosts(0)) || nested || !start.exact {
        return dealing.dealt;
    }
    let first = std::mem::replace(&mut dealing.dealt, start);
    dealing.searches = true;
    if dealing.fill_unit(0, 0, dealing.free_hosts(0)) {
        dealing.dealt
    } else {
        first
    }
}

impl SegmentSearch<'_> {
    /// Looks up the hosts of the unit that is filled at this step; 0 after the last.
    fn free_hosts(&self, step: usize) -> u32 {
        self.units.get(step).map_or(0, |unit| self.hosts[*unit])
    }

    /// Fills the unit of a step, whose `free` hosts are left, with roles from the one given on, and the units after
    /// it. Returns whether all segments have a place; what was dealt is taken back where not, if this searches.
    fn fill_unit(&mut self, step: usize, place: usize, free: u32) -> bool {
        if self.dealt.left.iter().all(|left| *left == 0) {
            return true;
        }
        let Some(unit) = self.units.get(step).copied() else {
            return false;
        };
        let Some(role) = self.order.get(place).copied() else {
            let next = step + 1;
            return (!self.searches || self.failed.insert((next, self.dealt.left.clone())))
                && self.fill_unit(next, 0, self.free_hosts(next));
        };
        let segment = self.roles[role].segment;
        let most = self.dealt.left[role].min(free / segment);
        let least = if self.searches { 0 } else { most };
        for count in (least..=most).rev() {
            self.dealt.of_unit[unit][role] = count;
            self.dealt.left[role] -= count;
            if self.fill_unit(step, place + 1, free - count * segment) {
                return true;
            }
            if self.searches {
                self.dealt.left[role] += count;
                self.dealt.of_unit[unit][role] = 0;
            }
        }
        false
    }
}

/// Adds up, for each level of the machine from the leaf up, the volume of pairs of processes on nodes of different
/// units: those whose lowest common unit lies above the level. `nodes` are those of the processes.
///
/// # Complexity
/// O(levels · messages).
pub fn volumes_between_units(
    topology: &Topology,
    guest: &Guest,
    nodes: &[NodeId],
) -> Vec<(String, f64)> {
    let levels = topology.measured_levels().into_iter();
    levels
        .map(|level| (level.name.to_string(), volume_between(&level, guest, nodes)))
        .collect()
}

/// Adds up the volume of pairs of processes on nodes of different units of a level.
fn volume_between(level: &Level, guest: &Guest, nodes: &[NodeId]) -> f64 {
    let mut units: Vec<u32> = nodes.iter().map(|node| level.unit_of(*node)).collect();
    match guest.traffic() {
        Traffic::Messages(messages) => messages
            .iter()
            .filter(|m| units[m.source as usize] != units[m.target as usize])
            // A sum of nothing would be -0.
            .fold(0.0, |sum, m| sum + m.volume),
        Traffic::AllToAll { volume } => {
            units.sort_unstable();
            let others = units.chunk_by(|a, b| a == b);
            let pairs = others.map(|unit| unit.len() as f64 * (units.len() - unit.len()) as f64);
            volume * pairs.sum::<f64>()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::build;
    use nodeorder_base::random::{random_below, seed_generator};

    fn role(segment: u32, segments: u32) -> Role {
        Role {
            name: String::new(),
            segment,
            segments,
        }
    }

    /// Whether segments fit, by putting them one by one wherever they may lie.
    fn fits(hosts: &mut Vec<u32>, segments: &[u32]) -> bool {
        let Some((first, rest)) = segments.split_first() else {
            return true;
        };
        (0..hosts.len()).any(|unit| {
            if hosts[unit] < *first {
                return false;
            }
            hosts[unit] -= first;
            let all = fits(hosts, rest);
            hosts[unit] += first;
            all
        })
    }

    #[test]
    fn one_role_fits_exactly_where_units_hold_enough_whole_segments() {
        let mut random = seed_generator(58);
        let mut draw = |bound: u64| random_below(bound, &mut random) as u32;
        let mut feasible = 0;
        for _ in 0..500 {
            let hosts: Vec<u32> = (0..=draw(40)).map(|_| draw(19)).collect();
            let segment = 1 + draw(9);
            let wanted = draw(60);
            let dealt = deal_segments(&hosts, &[role(segment, wanted)]);
            let formed: u32 = hosts.iter().map(|hosts| hosts / segment).sum();
            assert_eq!(
                dealt.left,
                [wanted.saturating_sub(formed)],
                "{hosts:?} {segment}"
            );
            assert!(dealt.exact);
            let held: u32 = dealt.of_unit.iter().map(|unit| unit[0]).sum();
            assert_eq!(held, wanted.min(formed));
            assert!(
                dealt
                    .of_unit
                    .iter()
                    .zip(&hosts)
                    .all(|(unit, hosts)| unit[0] * segment <= *hosts)
            );
            feasible += u32::from(dealt.left == [0]);
        }
        assert!((100..400).contains(&feasible), "{feasible}");
    }

    #[test]
    fn roles_fit_where_any_division_fits() {
        let mut random = seed_generator(59);
        let mut draw = |bound: u64| random_below(bound, &mut random) as u32;
        let mut feasible = 0;
        for _ in 0..500 {
            let mut hosts: Vec<u32> = (0..1 + draw(4)).map(|_| draw(12)).collect();
            let roles: Vec<Role> = (0..3).map(|_| role(1 + draw(5), draw(4))).collect();
            let dealt = deal_segments(&hosts, &roles);
            let segments: Vec<u32> = roles
                .iter()
                .flat_map(|r| vec![r.segment; r.segments as usize])
                .collect();
            let all = dealt.left.iter().all(|left| *left == 0);
            assert_eq!(all, fits(&mut hosts, &segments), "{hosts:?} {roles:?}");
            assert!(dealt.exact);
            feasible += u32::from(all);
        }
        assert!((100..400).contains(&feasible), "{feasible}");
    }

    /// Two leaves of four nodes: 0 to 1 stays, 3 to 4 crosses; of all-to-all 2·4·4 pairs cross.
    #[test]
    fn volumes_above_a_level_are_those_of_pairs_in_two_units() {
        let tree = build("xgft:m=4x2,w=1x1");
        let nodes: Vec<NodeId> = tree.nodes().iter().collect();
        let guest = Guest::new("g", 8, [(0, 1, 3.0), (3, 4, 5.0), (7, 0, 2.0)]).unwrap();
        let all = Guest::make("all-to-all:n=8,volume=2", &Default::default()).unwrap();
        let of = |guest| volumes_between_units(&tree, guest, &nodes)[0].1;
        assert_eq!((of(&guest), of(&all)), (7.0, 64.0));
    }
}
