//! The tree of domains of a Kueue Topology, and how many pods, slices and leaders of a job fit into each.
//!
//! A leaf is a node; what fits into it is counted from its free GPUs. What fits into any other domain is summed up
//! from the domains right below it (Kueue's `fillInCounts`), for one kind of pods at a time.

use std::ops::Range;

/// Domains, numbered level by level, the outermost level first; within a level in the order of their labels, compared
/// as bytes, level by level. The domains of the last level are leaves.
#[derive(Clone, Debug, Default)]
pub struct Domains {
    /// By domain: the domain that it is in; 0 on the outermost level.
    parent: Vec<u32>,
    /// By domain: the domains right below it.
    children: Vec<Range<u32>>,
    /// Range of the domains of each level.
    levels: Vec<Range<u32>>,
    /// Leaf of each path that [`Domains::new`] was given, in its order.
    leaf: Vec<u32>,
}

impl Domains {
    /// Builds the tree of leaves with these labels: one label for each level, the outermost first.
    ///
    /// # Complexity
    /// O(leaves · levels · log leaves).
    pub fn new(paths: &[Vec<&str>]) -> Self {
        let depth = paths.first().map_or(0, Vec::len);
        let mut sorted: Vec<usize> = (0..paths.len()).collect();
        sorted.sort_by(|a, b| paths[*a].cmp(&paths[*b]));
        let mut domains = Domains {
            leaf: vec![0; paths.len()],
            ..Domains::default()
        };
        for level in 0..depth {
            let first = domains.parent.len() as u32;
            let above = level
                .checked_sub(1)
                .map(|level| domains.levels[level].clone());
            let mut parent = above.map_or(0, |above| above.start);
            let mut last: Option<&[&str]> = None;
            for at in &sorted {
                let path = &paths[*at][..=level];
                if last != Some(path) {
                    // Paths are sorted, so domains above come in the order of their numbers.
                    let moved = last.is_some_and(|last| last[..level] != path[..level]);
                    parent += u32::from(moved);
                    let own = domains.parent.len() as u32;
                    domains.parent.push(parent);
                    domains.children.push(0..0);
                    if level > 0 {
                        let range = &mut domains.children[parent as usize];
                        let first = if range.end == 0 { own } else { range.start };
                        *range = first..own + 1;
                    }
                    last = Some(path);
                }
                domains.leaf[*at] = domains.parent.len() as u32 - 1;
            }
            domains.levels.push(first..domains.parent.len() as u32);
        }
        domains
    }

    /// Returns the number of levels.
    pub fn level_count(&self) -> usize {
        self.levels.len()
    }

    /// Returns the number of domains, leaves included.
    pub fn domain_count(&self) -> usize {
        self.parent.len()
    }

    /// Lists the domains of a level.
    pub fn domains_of_level(&self, level: usize) -> Range<u32> {
        self.levels[level].clone()
    }

    /// Lists the domains right below `domain`.
    pub fn children_of(&self, domain: u32) -> Range<u32> {
        self.children[domain as usize].clone()
    }

    /// Lists the domains right below those of a row of neighbours on one level; an empty row below leaves.
    pub fn children_of_row(&self, row: &Range<u32>) -> Range<u32> {
        self.children_of(row.start).start..self.children_of(row.end - 1).end
    }

    /// Looks up the leaf of the path that was given as number `index`.
    pub fn leaf_of(&self, index: usize) -> u32 {
        self.leaf[index]
    }

    /// Finds the domain of `level` that a leaf is in.
    pub fn ancestor_at(&self, leaf: u32, level: usize) -> u32 {
        (level + 1..self.level_count()).fold(leaf, |at, _| self.parent[at as usize])
    }
}

/// Number of pods, slices and leaders of one kind that fit into a domain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DomainCapacity {
    /// Number of pods that fit where no leader is.
    pub pods: i64,
    /// Number of pods that fit beside a leader.
    pub pods_with_leader: i64,
    /// Number of slices of the outermost layer; 0 below the level of these slices.
    pub slices: i64,
    /// Number of slices of the outermost layer that fit beside a leader.
    pub slices_with_leader: i64,
    /// Number of leaders that fit: 0 or 1.
    pub leaders: i64,
    /// Sum of the weights of preferred nodes; 0 unless Kueue's own cases are replayed.
    pub affinity: i64,
    /// Number of pods that fit into the leaf with the least room, of those that have some; 0 if none has.
    pub min_leaf_pods: i64,
    /// Number of pods that fit into the leaf with the most room.
    pub max_leaf_pods: i64,
}

impl DomainCapacity {
    /// Counts the slices, or pods, that fit into the domain, alone or beside a leader.
    pub fn count_fitting(&self, slices: bool, leader: bool) -> i64 {
        match (slices, leader) {
            (true, false) => self.slices,
            (true, true) => self.slices_with_leader,
            (false, false) => self.pods,
            (false, true) => self.pods_with_leader,
        }
    }

    /// Checks whether `need` slices, or pods, fit into the domain, with the leader if there is one.
    pub fn holds_whole(&self, need: i64, slices: bool, leader: bool) -> bool {
        (!leader || self.leaders > 0) && self.count_fitting(slices, leader) >= need
    }
}

/// How the pods of a job are sliced: with the GPUs of a pod, all that the room in domains depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Slices {
    /// Level and number of pods of the slices of each layer, the outermost first; each size divides the one before.
    pub layers: Vec<(usize, i64)>,
    /// Whether there is a leader.
    pub leader: bool,
}

impl Slices {
    /// Looks up the level and the number of pods of the outermost slices in a tree of `depth` levels; single pods on
    /// leaves if there are none.
    pub fn outermost_layer(&self, depth: usize) -> (usize, i64) {
        self.layers.first().copied().unwrap_or((depth - 1, 1))
    }

    /// Looks up the number of pods in multiples of which domains of `level`, below the outermost slices, get pods.
    pub fn inner_slice_size(&self, level: usize) -> i64 {
        let within = self
            .layers
            .windows(2)
            .find(|w| w[0].0 < level && level <= w[1].0);
        within.map_or(1, |pair| pair[1].1)
    }
}

impl Domains {
    /// Sets the figures that follow from the pods of a leaf: its slices, where slices lie in leaves, and its least and
    /// most pods.
    pub fn fill_leaf_capacity(&self, room: &mut DomainCapacity, slices: &Slices) {
        let (level, size) = slices.outermost_layer(self.level_count());
        room.min_leaf_pods = room.pods;
        room.max_leaf_pods = room.pods;
        if level + 1 == self.level_count() {
            room.slices = room.pods / size;
            room.slices_with_leader = room.pods_with_leader / size;
        }
    }

    /// Sums up the room in a domain of `level` from that in those right below it; `layered`: in multiples of
    /// inner layers.
    pub fn sum_children(
        &self,
        rooms: &mut [DomainCapacity],
        domain: u32,
        level: usize,
        slices: &Slices,
        layered: bool,
    ) {
        let unit = if layered {
            slices.inner_slice_size(level + 1)
        } else {
            1
        };
        let mut sum = DomainCapacity::default();
        // What the leader costs is least in the child that it suits best; without a leader the children are all alike.
        let mut less_pods = i64::MAX;
        let mut less_slices = i64::MAX;
        for child in self.children_of(domain) {
            let child = &rooms[child as usize];
            let mut pods = child.pods;
            let mut beside = child.pods_with_leader;
            // A part of an inner slice holds no pod. Most jobs have no inner slices, and divisions are slow.
            if unit > 1 {
                pods -= pods % unit;
                beside -= beside % unit;
            }
            sum.pods += pods;
            sum.slices += child.slices;
            sum.affinity += child.affinity;
            sum.max_leaf_pods = sum.max_leaf_pods.max(child.max_leaf_pods);
            if child.min_leaf_pods > 0
                && (sum.min_leaf_pods == 0 || child.min_leaf_pods < sum.min_leaf_pods)
            {
                sum.min_leaf_pods = child.min_leaf_pods;
            }
            sum.leaders = sum.leaders.max(child.leaders);
            if !slices.leader || child.leaders > 0 {
                less_pods = less_pods.min(pods - beside);
                less_slices = less_slices.min(child.slices - child.slices_with_leader);
            }
        }
        if less_pods < i64::MAX {
            sum.pods_with_leader = sum.pods - less_pods;
            sum.slices_with_leader = sum.slices - less_slices;
        }
        let (own, size) = slices.outermost_layer(self.level_count());
        if level == own {
            sum.slices = sum.pods / size;
            sum.slices_with_leader = sum.pods_with_leader / size;
        } else if level > own {
            // Slices are not counted below their own level: no domain there holds one.
            sum.slices = 0;
            sum.slices_with_leader = 0;
        }
        rooms[domain as usize] = sum;
    }

    /// Sums up the room in `domains`, all of a level or neighbours on it, and in all domains below them, from the
    /// leaves up.
    pub fn sum_descendants(
        &self,
        rooms: &mut [DomainCapacity],
        domains: Range<u32>,
        slices: &Slices,
        layered: bool,
    ) {
        let level = self
            .levels
            .iter()
            .position(|level| level.contains(&domains.start))
            .unwrap_or(0);
        let mut rows = vec![domains];
        while rows.len() + level < self.level_count() {
            rows.push(self.children_of_row(&rows[rows.len() - 1]));
        }
        for (below, row) in rows.into_iter().enumerate().rev() {
            for domain in row {
                if level + below + 1 == self.level_count() {
                    self.fill_leaf_capacity(&mut rooms[domain as usize], slices);
                } else {
                    self.sum_children(rooms, domain, level + below, slices, layered);
                }
            }
        }
    }

    /// Sums up the room in the domains above leaves whose room has changed. O(leaves · levels · domains right below).
    pub fn sum_ancestors(
        &self,
        rooms: &mut [DomainCapacity],
        mut changed: Vec<u32>,
        slices: &Slices,
    ) {
        for level in (0..self.level_count().saturating_sub(1)).rev() {
            for domain in &mut changed {
                *domain = self.parent[*domain as usize];
            }
            changed.sort_unstable();
            changed.dedup();
            for domain in &changed {
                self.sum_children(rooms, *domain, level, slices, true);
            }
        }
    }
}
