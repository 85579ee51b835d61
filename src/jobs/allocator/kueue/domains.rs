//! The tree of domains of a Kueue Topology, and the room in them.

use std::ops::Range;

/// Domains level by level, the outermost first; within a level in the order of their labels, compared as bytes, level by
/// level. Domains of the last level are leaves.
#[derive(Clone, Debug, Default)]
pub struct Domains {
    /// The domain below which each domain is; none on the first level.
    parent: Vec<u32>,
    /// The domains right below each domain.
    children: Vec<Range<u32>>,
    /// The domains of each level.
    levels: Vec<Range<u32>>,
    /// The leaf domain of each path given.
    leaf: Vec<u32>,
}

impl Domains {
    /// The domains that leaves with these labels are in, outermost level first; each leaf has a label a level.
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
                    // The next domain above, where the labels above it are others.
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

    /// How many levels there are.
    pub fn depth(&self) -> usize {
        self.levels.len()
    }

    /// How many domains there are.
    pub fn count(&self) -> usize {
        self.parent.len()
    }

    /// The domains of a level.
    pub fn level(&self, level: usize) -> Range<u32> {
        self.levels[level].clone()
    }

    /// The domains right below one.
    pub fn below(&self, domain: u32) -> Range<u32> {
        self.children[domain as usize].clone()
    }

    /// The domain of the leaf given as number `index`.
    pub fn leaf(&self, index: usize) -> u32 {
        self.leaf[index]
    }

    /// The domain of `level` that a leaf is in.
    pub fn above(&self, leaf: u32, level: usize) -> u32 {
        (level + 1..self.depth()).fold(leaf, |at, _| self.parent[at as usize])
    }

    fn level_of(&self, domain: u32) -> usize {
        self.levels
            .iter()
            .position(|level| level.contains(&domain))
            .unwrap_or(0)
    }
}

/// How many pods and slices of a job fit into a domain, the same beside its leader, and how many leaders (0 or 1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Room {
    /// Pods.
    pub pods: i64,
    /// Pods beside a leader.
    pub pods_beside: i64,
    /// Slices, of the outermost layer.
    pub slices: i64,
    /// Slices beside a leader.
    pub slices_beside: i64,
    /// Leaders.
    pub leaders: i64,
    /// Sum of the weights of preferred nodes.
    pub affinity: i64,
    /// Pods that fit into the leaf with the least room of those that have some; 0 where none has.
    pub least: i64,
    /// Pods that fit into the leaf with the most room.
    pub most: i64,
}

/// How the pods of a job are sliced: what the room in domains depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Slices {
    /// Levels and pods of the slices, the outermost first; each size divides the one before.
    pub layers: Vec<(usize, i64)>,
    /// Whether there is a leader.
    pub leader: bool,
}

impl Slices {
    /// Level and pods of the outermost slices, in a tree of so many levels.
    pub fn outermost(&self, depth: usize) -> (usize, i64) {
        self.layers.first().copied().unwrap_or((depth - 1, 1))
    }

    /// Pods come to domains of `level`, below the outermost slices, in multiples of this.
    pub fn inner(&self, level: usize) -> i64 {
        let within = self
            .layers
            .windows(2)
            .find(|w| w[0].0 < level && level <= w[1].0);
        within.map_or(1, |pair| pair[1].1)
    }
}

impl Domains {
    /// Slices of a leaf, where leaves are what slices lie in.
    pub fn slice_leaf(&self, room: &mut Room, slices: &Slices) {
        let (level, size) = slices.outermost(self.depth());
        (room.least, room.most) = (room.pods, room.pods);
        if level + 1 == self.depth() {
            (room.slices, room.slices_beside) = (room.pods / size, room.pods_beside / size);
        }
    }

    /// The room in a domain of `level` from that in those right below it; `layered`: in multiples of inner layers.
    pub fn sum(
        &self,
        rooms: &mut [Room],
        domain: u32,
        level: usize,
        slices: &Slices,
        layered: bool,
    ) {
        let unit = if layered { slices.inner(level + 1) } else { 1 };
        let mut sum = Room::default();
        let (mut less_pods, mut less_slices) = (i64::MAX, i64::MAX);
        for child in self.below(domain) {
            let child = &rooms[child as usize];
            let (pods, beside) = match unit {
                1 => (child.pods, child.pods_beside),
                _ => (child.pods / unit * unit, child.pods_beside / unit * unit),
            };
            sum.pods += pods;
            sum.slices += child.slices;
            sum.affinity += child.affinity;
            sum.most = sum.most.max(child.most);
            if child.least > 0 && (sum.least == 0 || child.least < sum.least) {
                sum.least = child.least;
            }
            sum.leaders = sum.leaders.max(child.leaders);
            if !slices.leader || child.leaders > 0 {
                less_pods = less_pods.min(pods - beside);
                less_slices = less_slices.min(child.slices - child.slices_beside);
            }
        }
        if less_pods < i64::MAX {
            sum.pods_beside = sum.pods - less_pods;
            sum.slices_beside = sum.slices - less_slices;
        }
        let (own, size) = slices.outermost(self.depth());
        if level == own {
            (sum.slices, sum.slices_beside) = (sum.pods / size, sum.pods_beside / size);
        } else if level > own {
            (sum.slices, sum.slices_beside) = (0, 0);
        }
        rooms[domain as usize] = sum;
    }

    /// Sums up the room below `domains`, which are those of a level or some in a row of it.
    pub fn sum_below(
        &self,
        rooms: &mut [Room],
        domains: Range<u32>,
        slices: &Slices,
        layered: bool,
    ) {
        let level = self.level_of(domains.start);
        let mut rows = vec![domains];
        while rows.len() + level < self.depth() {
            let last = &rows[rows.len() - 1];
            let (first, end) = (self.below(last.start).start, self.below(last.end - 1).end);
            rows.push(first..end);
        }
        for (below, row) in rows.into_iter().enumerate().rev() {
            for domain in row {
                match level + below + 1 == self.depth() {
                    true => self.slice_leaf(&mut rooms[domain as usize], slices),
                    false => self.sum(rooms, domain, level + below, slices, layered),
                }
            }
        }
    }

    /// Sums up the room in the domains above leaves whose room has changed. O(leaves · levels · domains right below).
    pub fn sum_above(&self, rooms: &mut [Room], mut changed: Vec<u32>, slices: &Slices) {
        for level in (0..self.depth().saturating_sub(1)).rev() {
            changed
                .iter_mut()
                .for_each(|domain| *domain = self.parent[*domain as usize]);
            changed.sort_unstable();
            changed.dedup();
            changed
                .iter()
                .for_each(|domain| self.sum(rooms, *domain, level, slices, true));
        }
    }
}
