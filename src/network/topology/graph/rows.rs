//! Routers and links in an order that searches read fast.
//!
//! A search over all routers at once reads, for every router, the sets of its neighbours. Two things make that fast:
//! routers are renumbered as rows so that linked ones are close in memory, and all rows have the same width, so that
//! the processor needs no index of where each begins. The few links beyond the width are a list of their own:
//!
//! ```text
//! router 0 linked to 1, 2, 3; others to 0 alone; width 2, rows numbered as the routers:
//! neighbours  [1 2] [0 1] [0 2] [0 3]    rows of fewer links are filled up with themselves
//! overflow    (0, 3)
//! ```

use nodeorder_base::RouterId;

/// Routers and links without capacities. Routers are renumbered as rows, so that linked ones are close in memory. All
/// rows have room for equally many neighbours; the links of the few rows that have more are a list of their own.
#[derive(Debug)]
pub struct Rows {
    /// The row of every router.
    row_of_router: Vec<u32>,
    /// Number of neighbours that each row has room for, even.
    pub row_width: usize,
    /// The first `row_width` rows linked to each row. A row with fewer is filled up with itself: its own set changes
    /// nothing.
    pub neighbours: Vec<u32>,
    /// Links beyond `row_width`, as pairs of a row and a row linked to it, sorted.
    pub overflow: Vec<(u32, u32)>,
}

impl Rows {
    /// Numbers the routers 0 to `n` - 1 in the order of a breadth-first search from router 0, in further
    /// components from their lowest router; or leaves their numbers where linked routers are closer to each other
    /// so. `heads` are the routers linked to each. O(links + routers · log routers).
    pub(super) fn new<'g>(n: u32, heads: impl Fn(u32) -> &'g [u32]) -> Self {
        let mut row_of = vec![u32::MAX; n as usize];
        let mut met = Vec::with_capacity(n as usize);
        for root in 0..n {
            let mut next = met.len();
            if row_of[root as usize] == u32::MAX {
                row_of[root as usize] = met.len() as u32;
                met.push(root);
            }
            while let Some(&u) = met.get(next) {
                next += 1;
                for v in heads(u) {
                    if row_of[*v as usize] == u32::MAX {
                        row_of[*v as usize] = met.len() as u32;
                        met.push(*v);
                    }
                }
            }
        }
        let mut apart_by_id = 0;
        let mut apart_by_search = 0;
        for u in 0..n {
            for v in heads(u) {
                apart_by_id += u64::from(u.abs_diff(*v));
                apart_by_search += u64::from(row_of[u as usize].abs_diff(row_of[*v as usize]));
            }
        }
        // Grids and other regular networks are numbered well already.
        if apart_by_id <= apart_by_search {
            row_of = (0..n).collect();
            met.clone_from(&row_of);
        }
        let each = choose_row_width(met.iter().map(|u| heads(*u).len()).collect());
        let mut linked = Vec::with_capacity(each * met.len());
        let mut more = Vec::new();
        for (row, u) in (0..n).zip(met) {
            let (first, others) = heads(u).split_at(each.min(heads(u).len()));
            linked.extend(first.iter().map(|v| row_of[*v as usize]));
            linked.resize(linked.len() + each - first.len(), row);
            more.extend(others.iter().map(|v| (row, row_of[*v as usize])));
        }
        Rows {
            row_of_router: row_of,
            row_width: each,
            neighbours: linked,
            overflow: more,
        }
    }

    /// Looks up the row of a router.
    pub fn row_of(&self, router: RouterId) -> usize {
        self.row_of_router[router.index()] as usize
    }

    /// Lists the rows linked to a row; the row itself may be among them. O(log links) before the first.
    pub fn linked_to(&self, row: u32) -> impl Iterator<Item = u32> + '_ {
        let first = &self.neighbours[row as usize * self.row_width..][..self.row_width];
        first
            .iter()
            .copied()
            .chain(self.overflow_of(row).iter().map(|(_, u)| *u))
    }

    /// Counts the rows that [`Rows::linked_to`] gives. O(log links).
    pub fn linked_count(&self, row: u32) -> usize {
        self.row_width + self.overflow_of(row).len()
    }

    /// Finds the links of a row beyond the width.
    fn overflow_of(&self, row: u32) -> &[(u32, u32)] {
        let from = self.overflow.partition_point(|(v, _)| *v < row);
        let to = self.overflow.partition_point(|(v, _)| *v <= row);
        &self.overflow[from..to]
    }
}

/// Chooses the number of neighbours that each row gets room for: enough for all but one row in 24. With less room more
/// links would be in the separate list, which is slower to follow than a few useless neighbours are to read.
/// O(routers · log routers).
fn choose_row_width(mut degrees: Vec<usize>) -> usize {
    degrees.sort_unstable();
    let long = degrees.len() / 24;
    let most = degrees.iter().rev().nth(long).copied().unwrap_or(0);
    // A search reads neighbours in groups of 2, 4, 6 or 8, so wide rows must be whole groups.
    most.max(1).next_multiple_of(if most > 8 { 4 } else { 2 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{Context, Topology};

    #[test]
    fn rows_have_the_links_of_their_routers() {
        let specs = [
            "mesh:4x4",
            "random-regular:n=60,d=5",
            "watts-strogatz:n=99,k=4,p=0.2",
        ];
        for spec in specs.into_iter().chain(["xgft:h=2,m=12x9,w=1x1", "mesh:1"]) {
            let topology = Topology::inline(spec, &Context::default()).unwrap();
            let graph = topology.graph().unwrap();
            let rows = graph.rows_for_search();
            assert_eq!(
                rows.neighbours.len(),
                rows.row_width * graph.router_count(),
                "{spec}"
            );
            for router in (0..graph.router_count() as u32).map(RouterId) {
                let row = rows.row_of(router) as u32;
                assert_eq!(rows.linked_count(row), rows.linked_to(row).count());
                let mut linked: Vec<u32> = rows.linked_to(row).filter(|v| *v != row).collect();
                let heads = graph.neighbours(router).iter();
                let mut expected: Vec<u32> =
                    heads.map(|v| rows.row_of(RouterId(*v)) as u32).collect();
                linked.sort_unstable();
                expected.sort_unstable();
                assert_eq!(linked, expected, "{spec}, {router:?}");
            }
        }
    }

    #[test]
    fn a_few_long_rows_do_not_lengthen_all() {
        assert_eq!(choose_row_width(vec![3, 3, 3]), 4);
        assert_eq!(choose_row_width(vec![6, 5, 6, 2]), 6);
        assert_eq!(choose_row_width(vec![9, 10]), 12);
        let mut star = vec![1; 1000];
        star.push(1000);
        assert_eq!(choose_row_width(star), 2);
        assert_eq!(choose_row_width(Vec::new()), 2);
    }
}
