//! Slurm 26.05 does with `slurm-lines` what a replay foretells, and reads and writes the topologies of `slurm-yaml`.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use nodeorder_base::random;
use nodeorder_network::{Context, Topology};
use nodeorder_order::NodeOrder;
use nodeorder_present::export;

use super::cluster::expand;
use super::{Cluster, Conf, Slurm, foretold, stream};
use crate::slurm_plugins::{Draw, Machine, site};

/// A site's tree of `leaves` leaf switches with as many nodes each, four leaves to a switch above, and an ordering that
/// enters each switch once: switches, leaves and nodes are shuffled.
fn tree(leaves: usize, each: usize) -> (Topology, NodeOrder) {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let mut random = random::seed_generator(leaves as u64);
    let (mut conf, mut order) = (String::new(), Vec::new());
    let mut above: Vec<Vec<Vec<String>>> = Vec::new();
    for leaf in 0..leaves {
        let nodes = (leaf * each..).take(each).map(|n| format!("nid{n:05}"));
        let mut nodes: Vec<String> = nodes.collect();
        conf += &format!("SwitchName=leaf{leaf} Nodes={}\n", nodes.join(","));
        random::shuffle(&mut nodes, &mut random);
        if leaf % 4 == 0 {
            above.push(Vec::new());
        }
        above.last_mut().unwrap().push(nodes);
    }
    for (i, switch) in above.iter_mut().enumerate() {
        conf += &format!(
            "SwitchName=mid{i} Switches=leaf[{}-{}]\n",
            4 * i,
            4 * i + switch.len() - 1
        );
        random::shuffle(switch, &mut random);
    }
    conf += &format!("SwitchName=top Switches=mid[0-{}]\n", above.len() - 1);
    random::shuffle(&mut above, &mut random);
    order.extend(above.into_iter().flatten().flatten());
    std::fs::write(at("topology.conf"), conf).unwrap();
    std::fs::write(at("order"), order.join("\n")).unwrap();
    let spec = format!("slurm-topology:{}", at("topology.conf"));
    let topology = Topology::inline(&spec, &Context::default()).unwrap();
    let order = NodeOrder::make(&topology, &at("order")).unwrap();
    (topology, order)
}

/// The nodes of a job by the ranks of its processes, one a node, and in the order of SLURM_JOB_NODELIST.
fn by_rank(cluster: &Cluster, job: &str) -> (Vec<String>, Vec<String>) {
    let script = "echo $SLURM_PROCID $SLURMD_NODENAME $SLURM_JOB_NODELIST";
    let said = cluster.tell("srun", &["--jobid", job, "sh", "-c", script]);
    let mut list = Vec::new();
    let mut ranks = BTreeMap::new();
    for line in said.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [rank, node, nodes] = words[..] else {
            panic!("job {job}: {said}")
        };
        let rank: usize = rank.parse().unwrap_or_else(|_| panic!("job {job}: {said}"));
        assert!(
            ranks.insert(rank, node.to_string()).is_none(),
            "job {job}: {said}"
        );
        list = expand(nodes);
    }
    assert!(
        ranks.keys().copied().eq(0..ranks.len()),
        "job {job}: {said}"
    );
    (ranks.into_values().collect(), list)
}

/// `jobs` jobs under the lines that `target` makes of an ordering: node lists and the order of ranks are those of the
/// replay.
fn hold_lines(slurm: &Slurm, target: &str, topology: &Topology, order: &NodeOrder, jobs: u32) {
    let rule = if target.contains("choose=first") {
        "fifo:0"
    } else {
        "slurm-best-fit:26"
    };
    let made = export::write_order(target, topology, order).unwrap();
    let (lines, settings): (Vec<&str>, Vec<&str>) = made
        .text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .partition(|line| line.starts_with("NodeName="));
    assert_eq!(made.beside[0].0, ".topology.conf");
    let conf = Conf {
        lines: settings.join("\n") + "\n",
        files: [("topology.conf", made.beside[0].1.clone())].into(),
    };
    let cluster = Cluster::start(slurm, &lines, &conf);
    let nodes = topology.node_count();
    let log = stream(nodes as u32, jobs, 11);
    let mut expected = foretold(topology, order, rule, &log).into_iter();
    let (mut live, mut idle) = (HashMap::new(), nodes);
    let mut sorted_otherwise = 0;
    for line in log.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        if words[0] == "F" {
            let (job, nodes): (String, usize) = live.remove(words[1]).unwrap();
            idle += nodes;
            cluster.free(&job, idle);
            continue;
        }
        let (job, mut nodes) = cluster.allocate(words[2].parse().unwrap());
        let names: Vec<String> = expected
            .next()
            .unwrap()
            .into_iter()
            .map(|rank| topology.node_name(order.nodes()[rank as usize]))
            .collect();
        let mut sorted = names.clone();
        sorted.sort();
        nodes.sort();
        assert_eq!(nodes, sorted, "{target}: {line}");
        let (ranks, list) = by_rank(&cluster, &job);
        assert_eq!(list, names, "{target}: {line}: SLURM_JOB_NODELIST");
        assert_eq!(ranks, names, "{target}: {line}: processes");
        sorted_otherwise += usize::from(names != sorted);
        idle -= nodes.len();
        live.insert(words[1].to_string(), (job, nodes.len()));
    }
    assert!(expected.next().is_none());
    // An ordering by name would show nothing; jobs of one node show nothing either.
    assert!(
        sorted_otherwise * 6 >= jobs as usize,
        "{target}: {sorted_otherwise} of {jobs}"
    );
    eprintln!("{target}: {jobs} node lists and orders of ranks equal to the replay's");
}

fn hold_both_lines(slurm: &Slurm, dims: &str, leaves: usize, each: usize, jobs: u32) {
    let text = format!("kind = 'torus'\ndims = {dims}\nnames = 'nid{{:05}}'\n");
    let text = nodeorder_base::input::Text::new("m.toml", &text);
    let torus = Topology::toml(&text, None, &Context::default()).unwrap();
    let order = NodeOrder::make(&torus, "random:seed=5").unwrap();
    hold_lines(slurm, "slurm-lines:leaf=one", &torus, &order, jobs);
    hold_lines(slurm, "slurm-lines:choose=first", &torus, &order, jobs);
    let (site, order) = tree(leaves, each);
    hold_lines(slurm, "slurm-lines:leaf=site", &site, &order, jobs);
}

/// Twelve jobs on 16 nodes in either form.
#[test]
fn lines_in_rank_order_do_what_the_replay_foretells() {
    let test = "exports_26::lines_in_rank_order_do_what_the_replay_foretells";
    let Some((slurm, _turn)) = Slurm::release_26(test) else {
        return;
    };
    hold_both_lines(&slurm, "[4, 2, 2]", 4, 4, 12);
}

/// Sixty jobs on 64 nodes in either form.
#[test]
#[ignore = "minutes: two clusters of 64 nodes each"]
fn lines_in_rank_order_do_what_the_replay_foretells_at_length() {
    let test = "exports_26::lines_in_rank_order_do_what_the_replay_foretells_at_length";
    let Some((slurm, _turn)) = Slurm::release_26(test) else {
        return;
    };
    hold_both_lines(&slurm, "[4, 4, 4]", 8, 8, 60);
}

/// `sites` random sites a plugin: topology.yaml as written is loaded, and what Slurm shows of it is the site.
fn hold_yaml(slurm: &Slurm, sites: usize) {
    let lines: Vec<String> = (0..64).map(|n| format!("NodeName=n{n:03}")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let cluster = Cluster::start(slurm, &lines, &Conf::default());
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let spec = |path: &Path| format!("slurm-topology:{},nodes=n[000-063]", path.display());
    for plugin in ["slurm-tree", "slurm-block", "slurm-torus3d", "slurm-ring"] {
        for seed in 0..sites {
            let mut draw = Draw(random::seed_generator(seed as u64));
            let site = site(plugin, &mut draw);
            let topology = Machine::new(&site).topology;
            let order = NodeOrder::make(&topology, &format!("random:seed={seed}")).unwrap();
            let written = export::write_order("slurm-yaml", &topology, &order)
                .unwrap()
                .text;
            let shown = cluster.reconfigured("topology.yaml", &written, &["show", "topoconf"]);
            let kind = plugin.replace("slurm-", "");
            assert!(
                shown.starts_with("%YAML") && shown.contains(&kind),
                "{plugin}: {shown}"
            );
            std::fs::write(at(site.file), &site.text).unwrap();
            std::fs::write(at("shown.yaml"), &shown).unwrap();
            std::fs::write(at("written.yaml"), &written).unwrap();
            for other in [at("written.yaml"), at(site.file)] {
                let mut command = crate::command();
                command.args([
                    "topology",
                    &spec(&at("shown.yaml")),
                    "--check",
                    &spec(&other),
                ]);
                let said = command.output().unwrap();
                let text = String::from_utf8(said.stdout).unwrap();
                let same = said.status.success();
                let error = String::from_utf8_lossy(&said.stderr);
                assert!(same, "{plugin} {seed}: {text}{error}\n{shown}\n{written}");
            }
        }
    }
}

/// A site of each kind.
#[test]
fn slurm_shows_the_topology_that_slurm_yaml_wrote() {
    let test = "exports_26::slurm_shows_the_topology_that_slurm_yaml_wrote";
    let Some((slurm, _turn)) = Slurm::release_26(test) else {
        return;
    };
    hold_yaml(&slurm, 1);
}

/// Twelve sites of each kind.
#[test]
#[ignore = "a minute: 48 topologies"]
fn slurm_shows_the_topologies_that_slurm_yaml_wrote() {
    let test = "exports_26::slurm_shows_the_topologies_that_slurm_yaml_wrote";
    let Some((slurm, _turn)) = Slurm::release_26(test) else {
        return;
    };
    hold_yaml(&slurm, 12);
}
