//! Switches of both descriptions in cells of switches that look alike, split until their links tell no more apart.
//!
//! A switch with nodes is known by them: it and its twin in the other description are a cell. Any other is in a cell
//! with all switches, of both descriptions, that have the same links to the cells known so far. Each cell that is new
//! may tell the members of others apart, by how they are linked to it, and so on (colour refinement, as in McKay,
//! "Practical graph isomorphism", 1981). Where leaf switches a and b carry nodes, the same in both descriptions, and
//! s, t, u do not:
//!
//! ```text
//!        u         cells at first:  {a a'}  {b b'}           known by their nodes
//!       / \                         {s s'}  {t t'}           linked to a; linked to b
//!      s   t                        {u u'}                   linked to no known switch
//!      |   |       A cell with more members of one description than of the other, as {u u' v'}, shows a difference.
//!      a   b
//! ```

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::graphs::{LinkLabel, PairedGraphs};

/// Cell of a switch that is in none yet.
const UNPLACED: u32 = u32::MAX;

/// A partition of the switches of both descriptions into cells.
#[derive(Clone)]
pub struct SwitchCells {
    /// Cell of each switch.
    pub cell_of: Vec<u32>,
    /// Cells of a switch and its twin, known by their nodes. They come first, and are never split.
    known: Vec<[u32; 2]>,
    /// Members, ascending, of the other cells, which may be split.
    open: Vec<Vec<u32>>,
}

impl SwitchCells {
    /// Builds a cell for each pair of leaves, and cells of other switches by their links to leaves.
    pub fn new(graphs: &PairedGraphs<'_>) -> Self {
        let first_there = graphs.first_there();
        let pairs = graphs.leaves.iter();
        let mut cells = SwitchCells {
            cell_of: vec![UNPLACED; graphs.switch_count()],
            known: pairs.map(|(a, b)| [*a, first_there + b]).collect(),
            open: Vec::new(),
        };
        for (cell, pair) in (0..).zip(&cells.known) {
            for switch in pair {
                cells.cell_of[*switch as usize] = cell;
            }
        }
        let mut rest = Vec::new();
        for switch in 0..cells.cell_of.len() as u32 {
            if cells.cell_of[switch as usize] != UNPLACED {
                continue;
            }
            // A switch whose nodes no switch of the other description has is like no other.
            let alone = if graphs.has_nodes(switch) {
                1 + switch
            } else {
                0
            };
            let mut links = Vec::new();
            for (to, label) in graphs.links_of(switch) {
                let cell = cells.cell_of[to as usize];
                if cell != UNPLACED {
                    links.push((cell, label));
                }
            }
            links.sort_unstable();
            rest.push(((alone, links), switch));
        }
        rest.sort_unstable();
        for alike in rest.chunk_by(|a, b| a.0 == b.0) {
            cells.add_cell(alike.iter().map(|(_, switch)| *switch).collect());
        }
        cells
    }

    /// Adds a cell and returns its number.
    pub fn add_cell(&mut self, members: Vec<u32>) -> u32 {
        let cell = self.cell_count() as u32;
        for switch in &members {
            self.cell_of[*switch as usize] = cell;
        }
        self.open.push(members);
        cell
    }

    /// Moves two switches of one cell into a cell of their own and returns its number.
    pub fn pair_off(&mut self, here: u32, there: u32) -> u32 {
        let cell = self.cell_of[here as usize] as usize - self.known.len();
        self.open[cell].retain(|switch| *switch != here && *switch != there);
        self.add_cell(vec![here, there])
    }

    /// Removes all members of a cell; the caller adds them to others.
    pub fn remove_members(&mut self, cell: u32) {
        self.open[cell as usize - self.known.len()].clear();
    }

    /// Looks up the members of a cell.
    pub fn members(&self, cell: u32) -> &[u32] {
        match self.known.get(cell as usize) {
            Some(pair) => pair,
            None => &self.open[cell as usize - self.known.len()],
        }
    }

    /// Lists the cells that may be split.
    pub fn open_cells(&self) -> impl Iterator<Item = u32> + use<> {
        (self.known.len() as u32..).take(self.open.len())
    }

    /// Counts all cells.
    pub fn cell_count(&self) -> usize {
        self.known.len() + self.open.len()
    }

    /// Checks whether every cell has equally many members of both descriptions.
    pub fn are_balanced(&self, graphs: &PairedGraphs<'_>) -> bool {
        self.open_cells()
            .all(|cell| graphs.is_balanced(self.members(cell)))
    }

    /// Splits cells by their links to the cells of `splitters`, and to those that this makes, until none splits.
    /// Returns the number of links read.
    pub fn refine_cells(&mut self, graphs: &PairedGraphs<'_>, mut splitters: BTreeSet<u32>) -> u64 {
        let mut links_read = 0;
        while let Some(splitter) = splitters.pop_first() {
            // Links to a cell that differs itself differ, too: one switch too many would tell apart all around it.
            if !graphs.is_balanced(self.members(splitter)) {
                continue;
            }
            let mut links = Vec::new();
            for switch in self.members(splitter) {
                for (to, label) in graphs.links_of(*switch) {
                    links_read += 1;
                    let cell = self.cell_of[to as usize];
                    // A pair stays one: links in which its two differ are reported as such.
                    if self.members(cell).len() > 2 {
                        links.push((cell, to, label));
                    }
                }
            }
            links.sort_unstable();
            for to_one_cell in links.chunk_by(|a, b| a.0 == b.0) {
                self.split_cell(to_one_cell, &mut splitters);
            }
        }
        links_read
    }

    /// Splits a cell by its links (cell, member, label; ascending) to a splitter, and adds the new cells to
    /// `splitters`.
    fn split_cell(&mut self, links: &[(u32, u32, LinkLabel)], splitters: &mut BTreeSet<u32>) {
        let cell = links[0].0;
        let mut linked = Vec::new();
        let mut by_labels: Vec<(Vec<LinkLabel>, u32)> = Vec::new();
        for of_member in links.chunk_by(|a, b| a.1 == b.1) {
            let member = of_member[0].1;
            linked.push(member);
            by_labels.push((of_member.iter().map(|link| link.2).collect(), member));
        }
        by_labels.sort_unstable();
        let alike = by_labels.chunk_by(|a, b| a.0 == b.0);
        let parts = alike.map(|alike| alike.iter().map(|(_, member)| *member).collect());
        let mut parts: Vec<Vec<u32>> = parts.collect();
        let members = self.members(cell);
        if linked.len() < members.len() {
            let mut rest = members.to_vec();
            rest.retain(|member| linked.binary_search(member).is_err());
            parts.push(rest);
        }
        // The largest part keeps the cell, which need not split others again: links into it follow from those into
        // the whole and into the other parts (Hopcroft's "process the smaller half").
        let largest = (0..parts.len()).max_by_key(|i| (parts[*i].len(), Reverse(*i)));
        let kept = parts.swap_remove(largest.unwrap_or(0));
        self.open[cell as usize - self.known.len()] = kept;
        for part in parts {
            splitters.insert(self.add_cell(part));
        }
    }
}
