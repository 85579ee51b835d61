//! Switches of both descriptions in cells: those of a cell have alike links into every other cell.

use std::collections::BTreeSet;

use crate::topology::graph::RouterGraph;
use nodeorder_base::ids::RouterId;

/// Capacity, by its bits, and weight of a link. Capacities are 1 where they are not compared.
pub(super) type Label = (u64, u32);

/// The links of both descriptions. Switches there have the numbers from `first` on.
pub(super) struct Both<'a> {
    pub graphs: [&'a RouterGraph; 2],
    pub first: u32,
    /// Whether capacities count.
    pub widths: bool,
}

impl Both<'_> {
    /// Which description a switch is of: 0 here, 1 there.
    pub fn side(&self, switch: u32) -> usize {
        usize::from(switch >= self.first)
    }

    /// The number that the switch has in its own description.
    pub fn router(&self, switch: u32) -> u32 {
        if switch >= self.first {
            switch - self.first
        } else {
            switch
        }
    }

    /// The switches linked to one, with the labels of the links.
    pub fn links(&self, switch: u32) -> impl Iterator<Item = (u32, Label)> + '_ {
        let (graph, router) = (
            self.graphs[self.side(switch)],
            RouterId(self.router(switch)),
        );
        let base = switch - router.0;
        let links = graph
            .neighbours(router)
            .iter()
            .zip(graph.capacities(router));
        links
            .zip(graph.weights(router))
            .map(move |((to, capacity), weight)| {
                let capacity = if self.widths { *capacity } else { 1.0 };
                (base + to, (capacity.to_bits(), weight))
            })
    }

    /// Members of a cell here and there.
    pub fn counts(&self, members: &[u32]) -> [usize; 2] {
        let here = members
            .iter()
            .filter(|switch| self.side(**switch) == 0)
            .count();
        [here, members.len() - here]
    }

    /// Whether a cell has equally many members on both sides.
    pub fn is_even(&self, members: &[u32]) -> bool {
        let [here, there] = self.counts(members);
        here == there
    }
}

/// Cells of switches: pairs that are known, then cells that may be split.
#[derive(Clone)]
pub(super) struct Cells {
    /// The cell of each switch.
    pub of: Vec<u32>,
    known: Vec<[u32; 2]>,
    /// Members of the cells that may be split, ascending.
    open: Vec<Vec<u32>>,
}

impl Cells {
    /// A cell for each pair (router here, router there); other switches by their links to these.
    pub fn new(both: &Both<'_>, pairs: &[(u32, u32)], carrying: impl Fn(u32) -> bool) -> Self {
        let known: Vec<[u32; 2]> = pairs.iter().map(|(a, b)| [*a, both.first + b]).collect();
        let all = both.first as usize + both.graphs[1].router_count();
        let mut of = vec![u32::MAX; all];
        for (cell, pair) in (0..).zip(&known) {
            pair.iter().for_each(|switch| of[*switch as usize] = cell);
        }
        let mut cells = Cells {
            of,
            known,
            open: Vec::new(),
        };
        let mut rest = Vec::new();
        for switch in (0..all as u32).filter(|switch| cells.of[*switch as usize] == u32::MAX) {
            // A switch whose nodes no switch has there is like no other.
            let alone = if carrying(switch) { 1 + switch } else { 0 };
            let links = both
                .links(switch)
                .map(|(to, label)| (cells.of[to as usize], label));
            let mut links: Vec<_> = links.filter(|(cell, _)| *cell != u32::MAX).collect();
            links.sort_unstable();
            rest.push(((alone, links), switch));
        }
        rest.sort_unstable();
        for run in rest.chunk_by(|a, b| a.0 == b.0) {
            cells.add(run.iter().map(|(_, switch)| *switch).collect());
        }
        cells
    }

    /// Adds a cell.
    pub fn add(&mut self, members: Vec<u32>) -> u32 {
        let cell = (self.known.len() + self.open.len()) as u32;
        members
            .iter()
            .for_each(|switch| self.of[*switch as usize] = cell);
        self.open.push(members);
        cell
    }

    /// Takes a member out of its cell, which may be split.
    pub fn take_out(&mut self, switch: u32) {
        let cell = self.of[switch as usize] as usize - self.known.len();
        self.open[cell].retain(|other| *other != switch);
    }

    /// Takes away all members of a cell that may be split; they are in other cells by now.
    pub fn empty(&mut self, cell: u32) {
        self.open[cell as usize - self.known.len()].clear();
    }

    /// The members of a cell.
    pub fn members(&self, cell: u32) -> &[u32] {
        match self.known.get(cell as usize) {
            Some(pair) => pair,
            None => &self.open[cell as usize - self.known.len()],
        }
    }

    /// The cells that may be split.
    pub fn open_cells(&self) -> impl Iterator<Item = u32> + use<> {
        (self.known.len() as u32..).take(self.open.len())
    }

    /// All cells.
    pub fn count(&self) -> usize {
        self.known.len() + self.open.len()
    }

    /// Splits cells by their links into those of `work`, and by those that this makes, until none splits. Cells with
    /// more members on one side split no other: a difference stays where it is. Returns the links looked at.
    pub fn refine(&mut self, both: &Both<'_>, mut work: BTreeSet<u32>) -> u64 {
        let mut looked_at = 0;
        while let Some(splitter) = work.pop_first() {
            if !both.is_even(self.members(splitter)) {
                continue;
            }
            let mut met = Vec::new();
            for switch in self.members(splitter) {
                let links = both
                    .links(*switch)
                    .map(|(to, label)| (self.of[to as usize], to, label));
                met.extend(
                    links
                        .inspect(|_| looked_at += 1)
                        .filter(|(c, ..)| self.members(*c).len() > 2),
                );
            }
            met.sort_unstable();
            met.chunk_by(|a, b| a.0 == b.0)
                .for_each(|run| self.split(run, &mut work));
        }
        looked_at
    }

    /// Splits a cell by its links to a splitter: cell, member, label.
    fn split(&mut self, met: &[(u32, u32, Label)], work: &mut BTreeSet<u32>) {
        let cell = met[0].0;
        let mut by_member: Vec<&[(u32, u32, Label)]> = met.chunk_by(|a, b| a.1 == b.1).collect();
        let found: Vec<u32> = by_member.iter().map(|links| links[0].1).collect();
        let labels =
            |links: &[(u32, u32, Label)]| -> Vec<Label> { links.iter().map(|l| l.2).collect() };
        by_member.sort_by_cached_key(|links| labels(links));
        let alike = by_member.chunk_by(|a, b| labels(a) == labels(b));
        let mut parts: Vec<Vec<u32>> = alike
            .map(|run| run.iter().map(|l| l[0].1).collect())
            .collect();
        if found.len() < self.members(cell).len() {
            let rest = self
                .members(cell)
                .iter()
                .filter(|m| found.binary_search(m).is_err());
            parts.push(rest.copied().collect());
        }
        // The largest part keeps the cell: links into it follow from those into the whole and the other parts.
        let Some(largest) =
            (0..parts.len()).max_by_key(|i| (parts[*i].len(), std::cmp::Reverse(*i)))
        else {
            return;
        };
        self.open[cell as usize - self.known.len()] = parts.swap_remove(largest);
        for part in parts {
            work.insert(self.add(part));
        }
    }
}
