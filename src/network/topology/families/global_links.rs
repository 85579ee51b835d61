//! Cables between the groups of a dragonfly, and which of a group's routers each of them ends at.
//!
//! Every group has ports, numbered through its routers. An arrangement says to which group a port leads:
//!
//! ```text
//! absolute, 3 groups of 2 routers with one port each
//! group 0   port 0 → group 1   port 1 → group 2
//! group 1   port 0 → group 0   port 1 → group 2
//! group 2   port 0 → group 0   port 1 → group 1
//! ```

use super::totals::count_pairs;
use crate::topology::network::LinkVisitor;
use nodeorder_base::{Opt, Params, Result};

/// Option that names an [`Arrangement`].
pub const GLOBAL_OPTION: Opt = Opt::one_of(
    "global",
    &ARRANGEMENT_NAMES,
    "which group a global port leads to",
);

/// Option for the number of cables between two groups.
pub const CABLES_OPTION: Opt = Opt::whole(
    "cables",
    "cables between every two groups, dealt over a group's routers in turn",
)
.default_in_words("as many as the ports allow, port by port");

/// Names of the arrangements, in the order of [`Arrangement`].
const ARRANGEMENT_NAMES: [&str; 3] = ["absolute", "relative", "circulant"];

/// Rule for the group that a global port leads to. Port j of group i, of g groups, leads to:
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// Port j of group i leads to group j, or j+1 where j ≥ i.
    Absolute,
    /// Port j of group i leads to group i+j+1 mod g.
    Relative,
    /// Port j of group i leads to group i+(⌊j/2⌋+1) for even j, i-(⌊j/2⌋+1) for odd j, mod g.
    Circulant,
}

impl Arrangement {
    /// Finds the port of group `i` that leads to group `t`: the inverse of the rules above.
    fn port_towards(self, i: u64, t: u64, groups: u64) -> u64 {
        let ahead = (t + groups - i) % groups;
        match self {
            Arrangement::Absolute => t - u64::from(t > i),
            Arrangement::Relative => ahead - 1,
            Arrangement::Circulant if ahead <= groups / 2 => 2 * (ahead - 1),
            Arrangement::Circulant => 2 * (groups - ahead - 1) + 1,
        }
    }

    /// Looks up the name in a specification.
    pub fn name(self) -> &'static str {
        ARRANGEMENT_NAMES[self as usize]
    }
}

/// Groups of routers with ports to other groups: as many cables between each two groups as they all can have,
/// ⌊routers · ports / (groups - 1)⌋, port j of a group at its router ⌊j / ports⌋; or as many as `cables=` says, P
/// ports of a group, port j at its router ⌊j · routers / P⌋, so that no two routers differ by more than one.
#[derive(Clone, Copy, Debug)]
pub struct GlobalLinks {
    /// Number of groups.
    pub groups: u32,
    /// Number of routers of each group that have global ports.
    pub routers: u32,
    /// Number of global ports on each of these routers.
    pub ports: u32,
    pub arrangement: Arrangement,
    /// Number of cables between each pair of groups.
    pub cables: u64,
    /// Number of ports over which a group's routers are spread evenly.
    spread: u64,
}

impl GlobalLinks {
    /// Reads `g` and `global` for groups of `routers` routers with `ports` ports each: as many groups as `g=`
    /// says, else as many as have one cable between each two. Returns the number of groups, too, as it may have
    /// more than 32 bits until it is checked.
    ///
    /// # Errors
    /// More groups than ports allow, or an unknown arrangement.
    pub fn from_params(params: &Params, routers: u32, ports: u32) -> Result<(u64, Self)> {
        let most = u64::from(routers) * u64::from(ports) + 1;
        let groups = params.optional_integer("g", 1, most)?.unwrap_or(most);
        let arrangement = match params.required_choice("global")? {
            "relative" => Arrangement::Relative,
            "circulant" => Arrangement::Circulant,
            _ => Arrangement::Absolute,
        };
        let others = groups - 1;
        let fit = (most - 1).checked_div(others).unwrap_or(0);
        let given = params.optional_integer("cables", 1, fit)?;
        let cables = given.unwrap_or(fit);
        let links = GlobalLinks {
            cables,
            // Evenly over all ports is port by port.
            spread: if given.is_some() {
                cables * others
            } else {
                most - 1
            },
            groups: groups as u32,
            routers,
            ports,
            arrangement,
        };
        Ok((groups, links))
    }

    /// Counts the pairs of groups.
    pub fn count_group_pairs(&self) -> u64 {
        count_pairs(self.groups.into())
    }

    /// Counts the ports that no cable takes.
    pub fn count_idle_ports(&self) -> u64 {
        let [groups, routers, ports] = [self.groups, self.routers, self.ports].map(u64::from);
        groups * (routers * ports - self.cables * (groups - 1))
    }

    /// Writes `,cables=…` of an inline specification where it makes a difference, and `,global=…`.
    pub fn spec_suffix(&self) -> String {
        let name = self.arrangement.name();
        let ports = u64::from(self.routers) * u64::from(self.ports);
        // One port left over is the last router's either way, unless one more cable fits.
        let same = ports - self.spread <= 1 && ports - self.spread < u64::from(self.groups) - 1;
        if same || self.spread == ports {
            format!(",global={name}")
        } else {
            format!(",cables={},global={name}", self.cables)
        }
    }

    /// Computes an upper bound of the links: repeated arrangements step from router to router at most twice as
    /// often as there are routers, for each pair of groups.
    pub fn max_links(&self) -> u64 {
        self.count_group_pairs() * self.cables.min(2 * u64::from(self.routers))
    }

    /// Counts the links: cables between the same two routers are one link.
    pub fn count_links(&self) -> u64 {
        // Without parallel cables there is nothing to walk through.
        if self.cables <= 1 {
            return self.count_group_pairs() * self.cables;
        }
        let mut links = 0;
        (0..self.groups).for_each(|i| self.for_each_from(i, &mut |_, _, _| links += 1));
        links
    }

    /// Visits the links from group `i` to the groups after it; router = group · routers + number within the group. The
    /// router pairs of the repeated arrangement never go back, so a stretch of equal ones is a bundle of parallel
    /// cables.
    pub fn for_each_from(&self, i: u32, visit: &mut LinkVisitor<'_>) {
        let [i, g, a] = [i, self.groups, self.routers].map(u64::from);
        let GlobalLinks { cables, spread, .. } = *self;
        for t in i + 1..g {
            let near = self.arrangement.port_towards(i, t, g);
            let far = self.arrangement.port_towards(t, i, g);
            let mut c = 0;
            while c < cables {
                let u = (c * (g - 1) + near) * a / spread;
                let v = (c * (g - 1) + far) * a / spread;
                // The first repetition at which one of the ends moves on to another router.
                let next = [(u, near), (v, far)]
                    .map(|(router, port)| ((router + 1) * spread).div_ceil(a) - port);
                let moves = next[0].min(next[1]);
                let end = moves.div_ceil(g - 1).min(cables);
                visit((i * a + u) as u32, (t * a + v) as u32, (end - c) as f64);
                c = end;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ports_lead_where_the_arrangements_say() {
        // Hastings et al. draw g = 9 with a = 4, h = 2. Group 0: ports 0, 1 are router 0, 2, 3 router 1.
        for (global, reached) in [
            (Arrangement::Absolute, [1, 2, 3, 4, 5, 6, 7, 8]),
            (Arrangement::Relative, [1, 2, 3, 4, 5, 6, 7, 8]),
            (Arrangement::Circulant, [1, 8, 2, 7, 3, 6, 4, 5]),
        ] {
            for (port, group) in reached.into_iter().enumerate() {
                assert_eq!(global.port_towards(0, group, 9), port as u64, "{global:?}");
            }
        }
        assert_eq!(Arrangement::Absolute.port_towards(5, 3, 9), 3);
        assert_eq!(Arrangement::Absolute.port_towards(5, 7, 9), 6);
        assert_eq!(Arrangement::Relative.port_towards(5, 3, 9), 6);
        assert_eq!(Arrangement::Circulant.port_towards(5, 3, 9), 3);
    }

    proptest! {
        #[test]
        fn ports_are_a_permutation(groups in 2u64..40, which in 0usize..3) {
            let global =
                [Arrangement::Absolute, Arrangement::Relative, Arrangement::Circulant][which];
            for i in 0..groups {
                let mut ports: Vec<u64> =
                    (0..groups).filter(|t| *t != i).map(|t| global.port_towards(i, t, groups)).collect();
                ports.sort_unstable();
                prop_assert_eq!(ports, (0..groups - 1).collect::<Vec<_>>());
            }
        }
    }
}
