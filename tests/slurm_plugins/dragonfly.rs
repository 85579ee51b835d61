//! `TopologyParam=Dragonfly` against the rule written plainly, node by node: random trees and forests, nodes in no
//! leaf, weights, ranges of nodes, `--switches`.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

/// The lines of a file in their order: a switch's leaf nodes, or the switches below it.
struct Lines(Vec<(String, Vec<String>, Vec<String>)>);

impl Lines {
    fn read(text: &str) -> Lines {
        let part = |line: &str, key: &str| -> Vec<String> {
            let words = line.split(' ').find_map(|word| word.strip_prefix(key));
            words.map_or(Vec::new(), |list| {
                list.split(',').map(String::from).collect()
            })
        };
        let lines = text.lines().filter(|line| line.starts_with("SwitchName="));
        let line = |line: &str| {
            (
                part(line, "SwitchName=").remove(0),
                part(line, "Nodes="),
                part(line, "Switches="),
            )
        };
        Lines(lines.map(line).collect())
    }

    fn switch(&self, name: &str) -> &(String, Vec<String>, Vec<String>) {
        self.0.iter().find(|switch| switch.0 == name).unwrap()
    }

    fn level(&self, name: &str) -> usize {
        self.switch(name)
            .2
            .iter()
            .map(|below| 1 + self.level(below))
            .max()
            .unwrap_or(0)
    }

    fn leaves(&self, name: &str) -> BTreeSet<String> {
        match &self.switch(name).2[..] {
            [] => [name.to_string()].into(),
            below => below.iter().flat_map(|below| self.leaves(below)).collect(),
        }
    }
}

/// A job: nodes from `least` to `most`, and its `--switches`.
#[derive(Debug)]
struct Wanted {
    least: usize,
    most: usize,
    switches: Option<u32>,
}

/// The nodes of a job, none where it has to wait.
fn plain(
    lines: &Lines,
    weights: &BTreeMap<String, u32>,
    free: &BTreeSet<String>,
    job: &Wanted,
) -> Option<BTreeSet<String>> {
    let weight = |node: &String| weights.get(node).copied().unwrap_or(1);
    if job.most == 1 {
        let first = free.iter().min_by_key(|node| (weight(node), *node))?;
        return Some([first.clone()].into());
    }
    let mut top: Option<&str> = None;
    for (name, ..) in &lines.0 {
        let leaves = lines.leaves(name);
        let mut nodes = leaves.iter().flat_map(|leaf| &lines.switch(leaf).1);
        let higher = top.is_none_or(|top| lines.level(name) > lines.level(top));
        if higher && nodes.any(|node| free.contains(node)) {
            top = Some(name);
        }
    }
    let below = lines.leaves(top?);
    // Leaf lines in file order, each with its candidates in the order of the table.
    let mut leaves: Vec<Vec<String>> = Vec::new();
    for (name, nodes, _) in lines.0.iter().filter(|switch| below.contains(&switch.0)) {
        assert!(!name.is_empty());
        let mut open: Vec<String> = nodes
            .iter()
            .filter(|n| free.contains(*n))
            .cloned()
            .collect();
        open.sort();
        leaves.push(open);
    }
    let mut tiers: Vec<u32> = leaves.iter().flatten().map(weight).collect();
    tiers.sort();
    // The heaviest tier that is needed holds the last node of the lightest ones.
    let last = *tiers.get(job.least - 1)?;
    let mut got: Vec<(usize, String)> = Vec::new();
    for (at, leaf) in leaves.iter_mut().enumerate() {
        leaf.retain(|node| weight(node) <= last);
        got.extend(
            leaf.iter()
                .filter(|node| weight(node) < last)
                .map(|n| (at, n.clone())),
        );
        leaf.retain(|node| weight(node) == last);
    }
    let mut used: BTreeSet<usize> = got.iter().map(|(at, _)| *at).collect();
    if used.is_empty() {
        let most = leaves.iter().map(Vec::len).max()?;
        used.insert(leaves.iter().position(|leaf| leaf.len() == most)?);
    }
    let only = used.first().copied().filter(|_| used.len() == 1);
    if let Some(at) = only.filter(|at| leaves[*at].len() + got.len() >= job.least) {
        while got.len() < job.most && !leaves[at].is_empty() {
            got.push((at, leaves[at].remove(0)));
        }
    }
    while got.len() < job.most && leaves.iter().any(|leaf| !leaf.is_empty()) {
        for (at, leaf) in leaves.iter_mut().enumerate() {
            if got.len() < job.most && !leaf.is_empty() {
                got.push((at, leaf.remove(0)));
            }
        }
    }
    let touched: BTreeSet<usize> = got.iter().map(|(at, _)| *at).collect();
    let waits = job.switches == Some(1) && touched.len() > 1;
    (!waits).then(|| got.into_iter().map(|(_, node)| node).collect())
}

#[test]
fn the_rule_is_that_of_its_description() {
    let (mut placed, mut refused) = (0, 0);
    for seed in 0..150 {
        let mut draw = Draw(random::seed_generator(7000 + seed));
        let mut site = Site {
            param: "Dragonfly".into(),
            ..site("slurm-tree", &mut draw)
        };
        let lines = Lines::read(&site.text);
        let mut weights = BTreeMap::new();
        let tiers = draw.of(&[1, 1, 2, 3]);
        for name in names().into_iter().filter(|_| tiers > 1) {
            let weight = 1 + draw.below(tiers) as u32;
            site.text += &format!("NodeName={name} Weight={weight}\n");
            weights.insert(name, weight);
        }
        let machine = Machine::new(&site);
        let distances = machine.distances();
        let Machine {
            topology, order, ..
        } = &machine;
        let context = AllocatorContext {
            topology,
            order,
            distances: &distances,
        };
        let mut state = State::new("slurm-tree", &context);
        for job in 0..40 {
            while !state.held.is_empty() && (state.free.free_count() < 14 || draw.below(5) < 2) {
                let mut live: Vec<String> = state.held.keys().cloned().collect();
                live.sort();
                state.end(&live.swap_remove(draw.below(live.len())));
            }
            let most = draw.of(&[1, 2, 3, 5, 8, 9, 12, 14]);
            let least = if draw.below(3) == 0 {
                1 + draw.below(most)
            } else {
                most
            };
            let job_wants = Wanted {
                least,
                most,
                switches: draw.of(&[None, None, Some(1), Some(2)]),
            };
            let mut flags = vec![format!("nodes={least}-{most}")];
            flags.extend(job_wants.switches.map(|most| format!("switches={most}")));
            let (choice, ranks) = state.choose(most as u32, &flags);
            let free: BTreeSet<String> = state
                .free
                .iter()
                .map(|rank| names()[rank as usize].clone())
                .collect();
            let expected = plain(&lines, &weights, &free, &job_wants);
            let got: Option<BTreeSet<String>> = choice
                .is_placed()
                .then(|| ranks.iter().map(|r| names()[*r as usize].clone()).collect());
            assert_eq!(
                got, expected,
                "{seed}: {job_wants:?} of {free:?}\n{}",
                site.text
            );
            match expected {
                Some(_) => state.start(job.to_string(), &ranks),
                None => refused += 1,
            }
            placed += usize::from(got.is_some());
        }
    }
    assert!(placed > 3000 && refused > 300, "{placed} {refused}");
}
