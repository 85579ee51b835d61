//! Routers and links in the order in which searches read them.

use crate::ids::RouterId;

/// Routers and links without capacities, under numbers of their own: rows.
#[derive(Debug)]
pub struct Rows {
    /// The row of every router.
    of: Vec<u32>,
    linked: Linked,
}

/// The rows linked to each row.
#[derive(Debug)]
pub enum Linked {
    /// As many for each row, an even number: where it has fewer, it stands for the rest itself.
    Even {
        /// How many.
        each: usize,
        /// By row.
        rows: Vec<u32>,
    },
    /// Those of row r are `rows[starts[r]..starts[r + 1]]`.
    Uneven {
        /// Where each row begins, and the end.
        starts: Vec<u32>,
        /// By row.
        rows: Vec<u32>,
    },
}

impl Rows {
    /// The routers 0 to `n` - 1 in the order in which a breadth-first search meets them, from router 0 and, where that
    /// leaves some out, from the lowest of those; or as they are, where linked routers are nearer to each other so.
    /// `heads` are the routers linked to each. O(routers + links).
    pub(super) fn new<'g>(n: u32, heads: impl Fn(u32) -> &'g [u32]) -> Self {
        let mut of = vec![u32::MAX; n as usize];
        let mut met = Vec::with_capacity(n as usize);
        for root in 0..n {
            let mut next = met.len();
            if of[root as usize] == u32::MAX {
                of[root as usize] = met.len() as u32;
                met.push(root);
            }
            while let Some(&u) = met.get(next) {
                next += 1;
                for v in heads(u) {
                    if of[*v as usize] == u32::MAX {
                        of[*v as usize] = met.len() as u32;
                        met.push(*v);
                    }
                }
            }
        }
        let apart = |number: &dyn Fn(u32) -> u32| -> u64 {
            let links = (0..n).map(|u| {
                let ends = heads(u).iter();
                ends.map(|v| u64::from(number(u).abs_diff(number(*v)))).sum::<u64>()
            });
            links.sum()
        };
        if apart(&|u| u) <= apart(&|u| of[u as usize]) {
            (0..n).for_each(|u| (of[u as usize], met[u as usize]) = (u, u));
        }
        let of_router = |v: &u32| of[*v as usize];
        let degrees = || met.iter().map(|u| heads(*u).len());
        let (links, most) = (degrees().sum::<usize>(), degrees().max().unwrap_or(0));
        let each = most.next_multiple_of(if most > 8 { 4 } else { 2 }).max(2);
        let linked = if 2 * each * met.len() <= 3 * links {
            let mut rows = Vec::with_capacity(each * met.len());
            for (row, u) in met.iter().enumerate() {
                rows.extend(heads(*u).iter().map(of_router));
                rows.resize(each * (row + 1), row as u32);
            }
            Linked::Even { each, rows }
        } else {
            let (mut starts, mut rows) = (vec![0], Vec::with_capacity(links));
            for u in &met {
                rows.extend(heads(*u).iter().map(of_router));
                starts.push(rows.len() as u32);
            }
            Linked::Uneven { starts, rows }
        };
        Rows { of, linked }
    }

    /// The row of a router.
    #[inline]
    pub fn of(&self, router: RouterId) -> usize {
        self.of[router.index()] as usize
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.of.len()
    }

    /// What is linked to each row.
    pub fn linked(&self) -> &Linked {
        &self.linked
    }
}

impl Linked {
    /// The rows linked to a row; the row itself may be among them.
    #[inline]
    pub fn of(&self, row: usize) -> &[u32] {
        match self {
            Linked::Even { each, rows } => &rows[row * each..][..*each],
            Linked::Uneven { starts, rows } => {
                &rows[starts[row] as usize..starts[row + 1] as usize]
            }
        }
    }
}
