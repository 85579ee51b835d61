//! Links between switches that are known on both sides.

use std::collections::{BTreeMap, BTreeSet};

use super::cells::{Both, Cells, Label};
use super::findings::{Findings, switch_name};
use super::leaves::matched;
use super::proof::{Proof, prove};
use crate::topology::graph::RouterGraph;
use crate::topology::machine::Topology;

/// Most switches named in one difference.
const NAMED: usize = 8;

/// Adds the switches and links that differ to `found`. Switches without nodes are told apart by their links to known
/// ones, then by their links to those, and so on. Of switches that still look alike one here is taken for one there,
/// until all links are accounted for.
pub(super) fn compare(
    machines: [&Topology; 2],
    graphs: [&RouterGraph; 2],
    leaves: &[(u32, u32)],
    widths: bool,
    found: &mut Findings,
) {
    let both = Both {
        graphs,
        first: graphs[0].router_count() as u32,
        widths,
    };
    let carrying = |switch| {
        let (machine, router) = (machines[both.side(switch)], both.router(switch));
        machine
            .nodes_of(nodeorder_base::ids::RouterId(router))
            .next()
            .is_some()
    };
    let mut cells = Cells::new(&both, leaves, carrying);
    let work: BTreeSet<u32> = cells.open_cells().collect();
    cells.refine(&both, work);
    let report = Report {
        machines,
        both: &both,
    };
    let before = found.count;
    let uneven = cells
        .open_cells()
        .any(|cell| !both.is_even(cells.members(cell)));
    if uneven {
        report.pair_rest(&mut cells);
    }
    report.switches(&cells, found);
    report.links(&cells, found);
    if found.count > before {
        return;
    }
    let alike = |count: usize| format!("{count} switches without nodes that look alike");
    // Pairs that were found by likeness are known by now, and may tell others apart.
    let work: BTreeSet<u32> = cells.open_cells().collect();
    cells.refine(&both, work);
    let even = cells
        .open_cells()
        .all(|cell| both.is_even(cells.members(cell)));
    let proof = if even {
        prove(&both, cells)
    } else {
        Proof::Open(cells.count())
    };
    match proof {
        Proof::Same(cells) => report.links(&cells, found),
        Proof::Different(count) => {
            found.add("switch", || {
                [
                    alike(count),
                    "wired one way".into(),
                    "wired another way".into(),
                ]
            });
        }
        Proof::Open(count) => {
            found.remarks.push(format!(
                "{}: whether they are wired alike was not proved",
                alike(count)
            ));
            found.add("unproved", || [alike(count), String::new(), String::new()]);
        }
    }
}

/// Names of switches and links of both descriptions.
struct Report<'a> {
    machines: [&'a Topology; 2],
    both: &'a Both<'a>,
}

impl Report<'_> {
    fn name(&self, switch: u32) -> String {
        switch_name(
            self.machines[self.both.side(switch)],
            self.both.router(switch),
        )
    }

    /// A cell by its first switch here, or there.
    fn cell_name(&self, cells: &Cells, cell: u32) -> String {
        let members = cells.members(cell);
        let [here, there] = self.both.counts(members);
        match here.max(there) {
            0 | 1 => self.name(members[0]),
            several => format!("{} and {} like it", self.name(members[0]), several - 1),
        }
    }

    /// Pairs switches of uneven cells by the cells that they share, their own or linked ones, and by their names. Those
    /// left over get a cell of their own.
    fn pair_rest(&self, cells: &mut Cells) {
        let uneven = cells
            .open_cells()
            .filter(|cell| !self.both.is_even(cells.members(*cell)));
        let uneven: Vec<u32> = uneven.collect();
        let rest: Vec<u32> = uneven
            .iter()
            .flat_map(|cell| cells.members(*cell))
            .copied()
            .collect();
        let (here, there): (Vec<u32>, Vec<u32>) = rest
            .iter()
            .partition(|switch| self.both.side(**switch) == 0);
        let of = &cells.of;
        let near = |switch: u32| {
            let linked = self.both.links(switch).map(|(to, _)| to);
            std::iter::once(switch)
                .chain(linked)
                .map(move |switch| of[switch as usize])
        };
        let mut at: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for b in &there {
            near(*b).for_each(|cell| at.entry(cell).or_default().push(*b));
        }
        let mut shared = Vec::new();
        for (i, a) in here.iter().enumerate() {
            for list in near(*a).filter_map(|cell| at.get(&cell)) {
                // A few of many, others for each.
                let few = list
                    .iter()
                    .cycle()
                    .skip(i % list.len())
                    .take(NAMED.min(list.len()));
                shared.extend(few.map(|b| (*a, *b)));
            }
        }
        // Its own name, where its description has one.
        let name = |switch| {
            let network = self.machines[self.both.side(switch)].network();
            network.switch_names.get(self.both.router(switch) as usize)
        };
        let pairs = matched(shared, |a, b| name(a).is_some() && name(a) == name(b));
        uneven.into_iter().for_each(|cell| cells.empty(cell));
        let paired: BTreeSet<u32> = pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
        let alone = rest.into_iter().filter(|switch| !paired.contains(switch));
        let pairs = pairs.iter().map(|(a, b)| vec![*a, *b]);
        for members in pairs.chain(alone.map(|switch| vec![switch])) {
            cells.add(members);
        }
    }

    /// Adds the switches that only one side has, with what they are linked to.
    fn switches(&self, cells: &Cells, found: &mut Findings) {
        for members in cells.open_cells().map(|cell| cells.members(cell)) {
            let [here, there] = self.both.counts(members);
            if here == there || members.is_empty() {
                continue;
            }
            let linked: Vec<u32> = self.both.links(members[0]).map(|(to, _)| to).collect();
            found.add("switch", || {
                let names = linked.iter().take(NAMED).map(|to| self.name(*to));
                let names = names.collect::<Vec<_>>().join(" ");
                let more = if linked.len() > NAMED { " …" } else { "" };
                let text = match linked.len() {
                    0 => "without links".to_string(),
                    _ => format!("linked to {names}{more}"),
                };
                let name = self.name(members[0]);
                if here > there {
                    [name, text, String::new()]
                } else {
                    [name, String::new(), text]
                }
            });
        }
    }

    /// Adds the links between cells that differ in number or capacity.
    fn links(&self, cells: &Cells, found: &mut Findings) {
        let [here, there] = [0, 1].map(|side| self.table(cells, side));
        let (mut a, mut b) = (here.as_slice(), there.as_slice());
        while let Some(next) = [a.first(), b.first()].into_iter().flatten().min() {
            let (u, v) = (next.0, next.1);
            let run = |list: &[(u32, u32, Label)]| {
                list.partition_point(|link| (link.0, link.1) == (u, v))
            };
            let ((one, rest), (other, others)) = (a.split_at(run(a)), b.split_at(run(b)));
            (a, b) = (rest, others);
            if one != other {
                found.add("link", || {
                    let name = format!(
                        "{} to {}",
                        self.cell_name(cells, u),
                        self.cell_name(cells, v)
                    );
                    [name, self.value(one), self.value(other)]
                });
            }
        }
    }

    /// The links of one side between cells that both have, by cells and labels.
    fn table(&self, cells: &Cells, side: usize) -> Vec<(u32, u32, Label)> {
        let even: Vec<bool> = (0..cells.count() as u32)
            .map(|c| self.both.is_even(cells.members(c)))
            .collect();
        let first = if side == 0 { 0 } else { self.both.first };
        let mut table = Vec::with_capacity(self.both.graphs[side].link_count());
        for from in (first..).take(self.both.graphs[side].router_count()) {
            for (to, label) in self.both.links(from).filter(|(to, _)| *to > from) {
                let (u, v) = (cells.of[from as usize], cells.of[to as usize]);
                if even[u as usize] && even[v as usize] {
                    table.push((u.min(v), u.max(v), label));
                }
            }
        }
        table.sort_unstable();
        table
    }

    /// Links in words: their capacities, or their number where capacities are not compared.
    fn value(&self, links: &[(u32, u32, Label)]) -> String {
        let groups = links.chunk_by(|a, b| a.2 == b.2).map(|group| {
            let (count, (capacity, weight)) = (group.len(), group[0].2);
            let capacity = f64::from_bits(capacity);
            let weight = if weight == 1 {
                String::new()
            } else {
                format!(" of weight {weight}")
            };
            match count {
                1 => format!("{capacity}{weight}"),
                _ if capacity == 1.0 => format!("{count}{weight}"),
                _ => format!("{count} of {capacity}{weight}"),
            }
        });
        let text = groups.collect::<Vec<_>>().join(" and ");
        if text.is_empty() { "0".into() } else { text }
    }
}
