//! `kueue-tas` puts pods where Kueue does: on recorded cases and streams, and as a plain rule written after the
//! description of Kueue's own; its log lines, its options and their errors.

use std::collections::{BTreeMap, HashMap};

use nodeorder_base::{FreeSet, Ranks, SourceLocation};
use nodeorder_jobs::allocator::kueue::{
    DomainCapacity, Domains, LeafAssignment, PlacementError, PodSetRequest, Slices,
    TopologyRequest, find_topology_assignment, replace_failed_pods,
};
use nodeorder_jobs::allocator::{self, AllocatorContext, PodsOn};
use nodeorder_network::{Context, Topology};
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::rank_distances::RankDistances;
use nodeorder_trace::JobOptions;
use serde_json::{Value, json};

use crate::skip::shared;

mod plain;

type Resources = BTreeMap<String, i64>;

fn resources(value: &Value) -> Resources {
    match value.as_object() {
        Some(map) => map
            .iter()
            .map(|(k, v)| (k.clone(), v.as_i64().unwrap()))
            .collect(),
        None => [("unit".to_string(), value.as_i64().unwrap_or(0))].into(),
    }
}

/// Nodes with their resources, as Kueue counts them.
struct Cluster {
    levels: Vec<String>,
    domains: Domains,
    /// Name or path, labels, capacity, what is in use, whether it is shut, affinity.
    leaves: Vec<Leaf>,
    pods_counted: bool,
}

#[derive(Clone, Default)]
struct Leaf {
    id: String,
    capacity: Resources,
    used: Resources,
    shut: bool,
    affinity: i64,
}

fn texts(value: &Value) -> Vec<String> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v.as_str().unwrap().to_string())
        .collect()
}

impl Cluster {
    fn new(levels: Vec<String>, nodes: &[Value], gone: &dyn Fn(&str) -> bool) -> Cluster {
        let by_host = levels.last().unwrap() == "host";
        let mut at: BTreeMap<Vec<String>, Leaf> = BTreeMap::new();
        let pods_counted = nodes.iter().any(|n| n["capacity"].get("pods").is_some());
        for node in nodes {
            let labels: Option<Vec<String>> = levels
                .iter()
                .map(|l| Some(node["labels"].get(l)?.as_str()?.into()))
                .collect();
            let down = node
                .get("down")
                .is_some_and(|d| !d.is_null() && *d != json!(false));
            let Some(path) = labels.filter(|_| !down && !gone(node["name"].as_str().unwrap()))
            else {
                continue;
            };
            let id = if by_host {
                path.last().unwrap().clone()
            } else {
                path.join(",")
            };
            let leaf = at.entry(path).or_default();
            leaf.id = id;
            for (name, value) in resources(&node["capacity"]) {
                *leaf.capacity.entry(name).or_default() += value;
            }
            for (name, value) in resources(node.get("used").unwrap_or(&json!(0))) {
                *leaf.used.entry(name).or_default() += value;
            }
            if by_host {
                leaf.shut = node.get("excluded").is_some_and(|e| !e.is_null());
                leaf.affinity = node.get("affinity").and_then(Value::as_i64).unwrap_or(0);
            }
        }
        let paths: Vec<Vec<&str>> = at
            .keys()
            .map(|path| path.iter().map(String::as_str).collect())
            .collect();
        let domains = Domains::new(&paths);
        Cluster {
            levels,
            domains,
            leaves: at.into_values().collect(),
            pods_counted,
        }
    }

    fn per_pod(&self, request: &Value) -> Resources {
        let mut per = resources(request.get("per_pod").unwrap_or(&json!(1)));
        if self.pods_counted {
            *per.entry("pods".into()).or_default() += 1;
        }
        per
    }

    fn leaf(&self, id: &str) -> Option<usize> {
        self.leaves.iter().position(|leaf| leaf.id == id)
    }

    fn change(&mut self, id: &str, per: &Resources, pods: i64) {
        if let Some(at) = self.leaf(id) {
            for (name, value) in per {
                *self.leaves[at].used.entry(name.clone()).or_default() += value * pods;
            }
        }
    }

    /// What a request asks for; none where it names what is not there.
    fn ask(&self, request: &Value, gates: &Value) -> Option<PodSetRequest> {
        let on = |gate: &str, usual| gates.get(gate).and_then(Value::as_bool).unwrap_or(usual);
        let level_of = |name: &str| self.levels.iter().position(|level| level == name);
        let mut layers: Vec<(usize, i64)> = Vec::new();
        for layer in request
            .get("slices")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let (level, size) = (level_of(layer["level"].as_str()?)?, layer["size"].as_i64()?);
            let fits = layers
                .last()
                .is_none_or(|(l, s)| level > *l && s % size == 0);
            if size <= 0 || !fits {
                return None;
            }
            layers.push((level, size));
        }
        let mode = match request.get("mode").and_then(Value::as_str) {
            Some("required") => TopologyRequest::Required,
            Some("preferred") => TopologyRequest::Preferred,
            _ => TopologyRequest::Unconstrained,
        };
        let last = self.levels.len() - 1;
        let level = match mode {
            TopologyRequest::Unconstrained if layers.is_empty() => last,
            TopologyRequest::Unconstrained => 0,
            _ => level_of(request["level"].as_str()?)?,
        };
        if level > layers.first().map_or(last, |layer| layer.0) {
            return None;
        }
        let leader = request.get("leader").is_some_and(|l| !l.is_null());
        Some(PodSetRequest {
            pods: request["count"].as_i64()?,
            mode,
            level,
            slices: Slices { layers, leader },
            least_free: mode == TopologyRequest::Unconstrained && on("TASProfileMixed", true),
            top_down: false,
            by_leaf: false,
            balanced: on("TASBalancedPlacement", false),
            slices_only: request.get("mode").is_none_or(Value::is_null),
        })
    }

    fn rooms(&self, request: &Value, gates: &Value, slices: &Slices) -> Vec<DomainCapacity> {
        let gate = gates.get("TASRespectNodeAffinityPreferred") == Some(&json!(true));
        let per = self.per_pod(request);
        let mut rooms = vec![DomainCapacity::default(); self.domains.domain_count()];
        for (at, leaf) in self
            .leaves
            .iter()
            .enumerate()
            .filter(|(_, leaf)| !leaf.shut)
        {
            let free = |name: &str| {
                let all = leaf.capacity.get(name).copied().unwrap_or(0);
                all - leaf.used.get(name).copied().unwrap_or(0)
            };
            let fit = |per: &Resources, less: &Resources| -> i64 {
                let each = per.iter().map(|(name, value)| match value {
                    0 => i64::from(i32::MAX),
                    _ => ((free(name) - less.get(name).unwrap_or(&0)) / value).max(0),
                });
                each.min().unwrap_or(0)
            };
            let room = &mut rooms[self.domains.leaf_of(at) as usize];
            room.affinity = if gate { leaf.affinity } else { 0 };
            room.pods = fit(&per, &Resources::new());
            room.pods_with_leader = room.pods;
            if slices.leader {
                let leader = self.per_pod(&request["leader"]);
                if fit(&leader, &Resources::new()) > 0 {
                    (room.leaders, room.pods_with_leader) = (1, fit(&per, &leader));
                }
            }
        }
        self.domains
            .sum_descendants(&mut rooms, self.domains.domains_of_level(0), slices, true);
        rooms
    }

    fn place(
        &self,
        request: &Value,
        gates: &Value,
    ) -> Result<LeafAssignment, Option<PlacementError>> {
        let ask = self.ask(request, gates).ok_or(None)?;
        if self.leaves.is_empty() {
            return Err(None);
        }
        let rooms = self.rooms(request, gates, &ask.slices);
        let fast = find_topology_assignment(&self.domains, &ask, &rooms, &mut Vec::new());
        let plain = plain::place(&self.domains, &ask, &rooms);
        assert_eq!(fast, plain, "{request}");
        fast.map_err(Some)
    }

    /// The assignment after a node failed, which the cluster no longer has.
    fn replace(
        &self,
        request: &Value,
        held: &BTreeMap<String, i64>,
        failed: &str,
        gates: &Value,
    ) -> Result<LeafAssignment, Option<PlacementError>> {
        let ask = self.ask(request, gates).ok_or(None)?;
        let mut rest = LeafAssignment::new();
        for (id, pods) in held.iter().filter(|(id, _)| *id != failed) {
            let leaf = self.leaf(id).ok_or(Some(PlacementError::Stale))?;
            rest.push((self.domains.leaf_of(leaf), *pods, 0));
        }
        rest.sort_unstable();
        let missing = held.get(failed).copied().unwrap_or(0);
        let rooms = |slices: &Slices| self.rooms(request, gates, slices);
        replace_failed_pods(&self.domains, &ask, &rest, missing, &rooms).map_err(Some)
    }

    fn named(&self, pods: &LeafAssignment, leaders: bool) -> BTreeMap<String, i64> {
        let name = |leaf: u32| {
            let at = (0..self.leaves.len())
                .find(|at| self.domains.leaf_of(*at) == leaf)
                .unwrap();
            self.leaves[at].id.clone()
        };
        let counts = pods
            .iter()
            .map(|(leaf, pods, led)| (*leaf, if leaders { *led } else { *pods }));
        counts
            .filter(|(_, count)| *count > 0)
            .map(|(leaf, count)| (name(leaf), count))
            .collect()
    }

    fn take(&mut self, request: &Value, pods: &LeafAssignment, sign: i64) {
        let per = self.per_pod(request);
        for (id, count) in self.named(pods, false) {
            self.change(&id, &per, sign * count);
        }
        if request.get("leader").is_some_and(|l| !l.is_null()) {
            let per = self.per_pod(&request["leader"]);
            for (id, count) in self.named(pods, true) {
                self.change(&id, &per, sign * count);
            }
        }
    }
}

/// Leaves with counts, as cases list them.
fn listed(value: &Value) -> BTreeMap<String, i64> {
    let all = value.as_array().map_or(&[][..], Vec::as_slice);
    let entry = |d: &Value| {
        (
            d["leaf"].as_str().unwrap().to_string(),
            d["count"].as_i64().unwrap(),
        )
    };
    all.iter().map(entry).collect()
}

type Answer = Option<(BTreeMap<String, i64>, BTreeMap<String, i64>)>;

/// Growth of an elastic job places what is added alone; what it loses goes from the end.
fn resized(cluster: &mut Cluster, case: &Value, gates: &Value) -> Answer {
    let request = &case["request"];
    let previous: Vec<(String, i64)> = case["previous"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| {
            (
                d["leaf"].as_str().unwrap().into(),
                d["count"].as_i64().unwrap(),
            )
        })
        .collect();
    let leaders = listed(&case["previous_leader"]);
    let gone = previous.iter().any(|(id, _)| cluster.leaf(id).is_none())
        || leaders.keys().any(|id| cluster.leaf(id).is_none());
    let answer = |cluster: &Cluster, found: Result<LeafAssignment, Option<PlacementError>>| {
        found
            .ok()
            .map(|pods| (cluster.named(&pods, false), cluster.named(&pods, true)))
    };
    if gone {
        let found = cluster.place(request, gates);
        return answer(cluster, found);
    }
    let had: i64 = previous.iter().map(|(_, count)| count).sum();
    let wanted = request["count"].as_i64().unwrap();
    let (mut old, mut left) = (BTreeMap::new(), wanted.min(had));
    for (id, count) in &previous {
        if left > 0 {
            old.insert(id.clone(), left.min(*count));
            left -= count;
        }
    }
    let mut lead = leaders.clone();
    if wanted > had {
        let per = cluster.per_pod(request);
        old.iter()
            .for_each(|(id, count)| cluster.change(id, &per, *count));
        let mut new = request.clone();
        new["count"] = json!(wanted - had);
        if !leaders.is_empty() {
            let per = cluster.per_pod(&request["leader"]);
            leaders
                .iter()
                .for_each(|(id, count)| cluster.change(id, &per, *count));
            new.as_object_mut().unwrap().remove("leader");
        }
        let found = cluster.place(&new, gates).ok()?;
        for (id, count) in cluster.named(&found, false) {
            *old.entry(id).or_default() += count;
        }
        if leaders.is_empty() {
            lead = cluster.named(&found, true);
        }
    }
    Some((old, lead))
}

fn solve(case: &Value) -> Vec<Answer> {
    let nodes = case["nodes"].as_array().unwrap();
    let mut cluster = Cluster::new(texts(&case["levels"]), nodes, &|_| false);
    let none = json!({});
    let gates = case
        .get("features")
        .filter(|f| !f.is_null())
        .unwrap_or(&none);
    match case["kind"].as_str().unwrap() {
        "several" => {
            let mut all = Vec::new();
            for request in case["requests"].as_array().unwrap() {
                let Ok(found) = cluster.place(request, gates) else {
                    return vec![None];
                };
                cluster.take(request, &found, 1);
                all.push(Some((
                    cluster.named(&found, false),
                    cluster.named(&found, true),
                )));
            }
            all
        }
        "elastic" => vec![resized(&mut cluster, case, gates)],
        kind => {
            let request = &case["request"];
            let found = match kind {
                "replacement" => {
                    let failed = case["failed"].as_str().unwrap();
                    cluster.replace(request, &listed(&case["existing"]), failed, gates)
                }
                _ => cluster.place(request, gates),
            };
            vec![
                found
                    .ok()
                    .map(|p| (cluster.named(&p, false), cluster.named(&p, true))),
            ]
        }
    }
}

fn expected(value: &Value) -> Vec<Answer> {
    if let Some(several) = value.get("several") {
        return several
            .as_array()
            .unwrap()
            .iter()
            .flat_map(expected)
            .collect();
    }
    if value
        .get("failure")
        .is_some_and(|f| *f != json!(false) && !f.is_null())
    {
        return vec![None];
    }
    vec![Some((
        listed(&value["assignments"]),
        listed(&value["leader"]),
    ))]
}

#[test]
fn recorded_cases_are_placed_alike() {
    let Some(file) = shared(
        "kueue::recorded_cases_are_placed_alike",
        "kubernetes/kueue-dev.json",
    ) else {
        return;
    };
    let data: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let cases = data["cases"].as_array().unwrap();
    for case in cases {
        assert_eq!(solve(case), expected(&case["expected"]), "{}", case["name"]);
    }
    assert!(cases.len() >= 103);
}

/// The nodes of a regular cluster, their names as a stream says.
pub(crate) fn nodes_of(shape: &Value) -> Vec<Value> {
    let levels = texts(&shape["levels"]);
    let counts: Vec<usize> = shape["counts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c.as_u64().unwrap() as usize)
        .collect();
    let names = shape["names"].as_str().unwrap();
    let mut all = vec![(String::new(), json!({}))];
    for (depth, (level, count)) in levels.iter().zip(&counts).enumerate() {
        let mut next = Vec::new();
        for (path, labels) in &all {
            for i in 0..*count {
                let digits = (count - 1).to_string().len();
                let number = match names {
                    "unpadded" => i.to_string(),
                    _ => format!("{i:0digits$}"),
                };
                let own = format!("{}{number}", &level[..1]);
                let name = if path.is_empty() {
                    own.clone()
                } else {
                    format!("{path}-{own}")
                };
                let short = names == "short" && depth + 1 < levels.len();
                let mut labels = labels.clone();
                labels[level] = json!(if short { &own } else { &name });
                next.push((name, labels));
            }
        }
        all = next;
    }
    let node =
        |(name, labels)| json!({"name": name, "labels": labels, "capacity": shape["per_node"]});
    all.into_iter().map(node).collect()
}

fn failure(misfit: Option<PlacementError>) -> Value {
    let of = |fits: i64, of: i64| json!({"fits": fits, "of": of});
    json!({"failure": match misfit {
        Some(PlacementError::TooFew(fits, wanted)) => of(fits, wanted),
        _ => json!({}),
    }})
}

/// How many answers of a stream are the same.
fn hold_to_stream(stream: &Value) -> usize {
    let (shape, gates) = (&stream["cluster"], &stream["features"]);
    let nodes = nodes_of(shape);
    let mut gone: Vec<String> = Vec::new();
    let build = |gone: &[String]| {
        Cluster::new(texts(&shape["levels"]), &nodes, &|name| {
            gone.iter().any(|g| g == name)
        })
    };
    // What each job holds, by name: names outlive a cluster that is built anew.
    type Held = (Value, BTreeMap<String, i64>, BTreeMap<String, i64>);
    let mut held: HashMap<String, Held> = HashMap::new();
    let mut cluster = build(&gone);
    let change = |cluster: &mut Cluster, (request, workers, leader): &Held, sign: i64| {
        let per = cluster.per_pod(request);
        workers
            .iter()
            .for_each(|(id, count)| cluster.change(id, &per, sign * count));
        if !leader.is_empty() {
            let per = cluster.per_pod(&request["leader"]);
            leader
                .iter()
                .for_each(|(id, count)| cluster.change(id, &per, sign * count));
        }
    };
    let mut same = 0;
    for event in stream["events"].as_array().unwrap() {
        let job = event["job"].to_string();
        let what = event["do"].as_str().unwrap();
        match what {
            "place" | "replace" => {
                let before = (what == "replace").then(|| held.remove(&job).unwrap());
                let request = before
                    .as_ref()
                    .map_or(&event["request"], |before| &before.0)
                    .clone();
                let found = match &before {
                    None => cluster.place(&request, gates),
                    Some((_, workers, _)) => {
                        let node = event["node"].as_str().unwrap();
                        cluster.replace(&request, workers, node, gates)
                    }
                };
                before
                    .iter()
                    .for_each(|before| change(&mut cluster, before, -1));
                let answer = match found {
                    Ok(pods) => {
                        let (workers, leader) =
                            (cluster.named(&pods, false), cluster.named(&pods, true));
                        let mut answer = json!({"workers": workers});
                        if !leader.is_empty() {
                            answer["leader"] = json!(leader);
                        }
                        let entry = (request, workers, leader);
                        change(&mut cluster, &entry, 1);
                        held.insert(job, entry);
                        answer
                    }
                    Err(Some(PlacementError::TooFewByLayer(layers))) => {
                        let names = request["slices"].as_array().unwrap().iter();
                        let rows = names
                            .zip(layers)
                            .map(|(s, (f, o))| json!([s["level"], f, o]));
                        json!({"failure": {"layers": rows.collect::<Vec<_>>()}})
                    }
                    Err(misfit) => failure(misfit),
                };
                assert_eq!(answer, event["expected"], "{}: {event}", stream["name"]);
                same += 1;
            }
            "end" => {
                let entry = held.remove(&job).unwrap();
                change(&mut cluster, &entry, -1);
            }
            _ => {
                let node = event["node"].as_str().unwrap().to_string();
                match what {
                    "fail" => gone.push(node),
                    _ => gone.retain(|other| *other != node),
                }
                cluster = build(&gone);
                held.values()
                    .for_each(|entry| change(&mut cluster, entry, 1));
            }
        }
    }
    same
}

/// The streams of the folder, unpacked.
fn streams(test: &str) -> Option<Value> {
    let file = shared(test, "kubernetes/kueue-streams-dev.json.gz")?;
    let text = nodeorder_base::input::Text::read(&file, 1 << 30).unwrap();
    Some(
        serde_json::from_str(&text.lines().map(|l| l.text).collect::<Vec<_>>().join("\n")).unwrap(),
    )
}

#[test]
fn recorded_streams_are_placed_alike() {
    let Some(data) = streams("kueue::recorded_streams_are_placed_alike") else {
        return;
    };
    let all: usize = data["streams"]
        .as_array()
        .unwrap()
        .iter()
        .map(hold_to_stream)
        .sum();
    eprintln!("{all} equal choices and refusals");
    assert!(all >= 2030);
}

/// Random machines, rooms and requests: the fast code and the plain rule agree.
#[test]
fn fast_and_plain_rules_agree() {
    let mut random = nodeorder_base::random::seed_generator(39);
    let mut below = |n: i64| nodeorder_base::random::random_below(n as u64, &mut random) as i64;
    let mut scratch = Vec::new();
    for round in 0..6000 {
        let depth = 1 + below(4) as usize;
        let names: Vec<Vec<String>> = (0..1 + below(24))
            .map(|leaf| {
                let mut path: Vec<String> =
                    (1..depth).map(|_| format!("u{}", below(3) * 5)).collect();
                path.push(format!("n{leaf}"));
                path
            })
            .collect();
        let paths: Vec<Vec<&str>> = names
            .iter()
            .map(|path| path.iter().map(String::as_str).collect())
            .collect();
        let domains = Domains::new(&paths);
        assert_eq!(domains.level_count(), depth);
        let mut layers: Vec<(usize, i64)> = Vec::new();
        let mut size = [1, 1, 2, 3, 4, 8][below(6) as usize];
        let mut level = below(depth as i64) as usize;
        while below(3) > 0 && level < depth && layers.len() < 3 {
            layers.push((level, size));
            let divisors: Vec<i64> = (1..=size).filter(|d| size % d == 0).collect();
            size = divisors[below(divisors.len() as i64) as usize];
            level += 1 + below(2) as usize;
        }
        let mode = [
            TopologyRequest::Required,
            TopologyRequest::Preferred,
            TopologyRequest::Unconstrained,
        ][below(3) as usize];
        let most = layers.first().map_or(depth - 1, |layer| layer.0);
        // What if: from the outermost level down, and single pods by leaves.
        let top_down = mode == TopologyRequest::Unconstrained && below(2) == 0;
        let level = match mode {
            TopologyRequest::Unconstrained if layers.is_empty() && !top_down => depth - 1,
            TopologyRequest::Unconstrained => 0,
            _ => below(most as i64 + 1) as usize,
        };
        let slice = layers.first().map_or(1, |layer| layer.1);
        let ask = PodSetRequest {
            pods: slice + if below(4) == 0 { 0 } else { below(20) },
            mode,
            level,
            slices: Slices {
                layers,
                leader: below(3) == 0,
            },
            least_free: top_down || below(2) == 0,
            top_down,
            by_leaf: top_down && below(2) == 0,
            balanced: below(2) == 0,
            slices_only: false,
        };
        let mut rooms = vec![DomainCapacity::default(); domains.domain_count()];
        let spread = 1 + below(6);
        for leaf in 0..paths.len() {
            let pods = below(spread);
            let led = i64::from(ask.slices.leader && below(4) > 0);
            let pods_beside = if led > 0 {
                (pods - below(3)).max(0)
            } else {
                pods
            };
            let affinity = if round % 4 == 0 { below(3) } else { 0 };
            let room = DomainCapacity {
                pods,
                pods_with_leader: pods_beside,
                leaders: led,
                affinity,
                ..DomainCapacity::default()
            };
            rooms[domains.leaf_of(leaf) as usize] = room;
        }
        let leaves = domains.domains_of_level(depth - 1);
        leaves.for_each(|leaf| domains.fill_leaf_capacity(&mut rooms[leaf as usize], &ask.slices));
        domains.sum_descendants(&mut rooms, domains.domains_of_level(0), &ask.slices, true);
        let fast = find_topology_assignment(&domains, &ask, &rooms, &mut scratch);
        let plain = plain::place(&domains, &ask, &rooms);
        assert_eq!(fast, plain, "{ask:?}\n{names:?}\n{rooms:?}");
        if let Ok(found) = fast {
            let pods: i64 = found.iter().map(|(_, pods, _)| pods).sum();
            // Balanced beside a leader Kueue may give up on the way.
            let whole = pods == ask.pods / slice * slice;
            assert!(whole || pods == 0 || ask.balanced, "{ask:?} {found:?}");
        }
    }
}

/// A machine of `nodes`, read as Kubernetes prints them.
fn machine(nodes: &[Value], levels: &str, folder: &std::path::Path) -> String {
    let items: Vec<Value> = nodes
        .iter()
        .map(|node| {
            json!({"metadata": {"name": node["name"], "labels": node["labels"]},
                   "status": {"allocatable": {"nvidia.com/gpu": node["capacity"].to_string()}}})
        })
        .collect();
    let path = folder.join("nodes.json");
    std::fs::write(&path, json!({"items": items}).to_string()).unwrap();
    format!("k8s-nodes:{},levels={levels}", path.display())
}

/// Options of a job in a log that ask for what a request of a stream asks for.
fn words(request: &Value, gates: &Value) -> String {
    let mut words = format!("gpus={}", request["per_pod"]);
    if let Some(mode) = request["mode"].as_str() {
        words += &format!(" mode={mode}");
    }
    if let Some(level) = request["level"].as_str() {
        words += &format!(" level={level}");
    }
    if let Some(layers) = request["slices"]
        .as_array()
        .filter(|layers| !layers.is_empty())
    {
        let sizes: Vec<String> = layers
            .iter()
            .map(|layer| layer["size"].to_string())
            .collect();
        let levels: Vec<&str> = layers
            .iter()
            .map(|l| l["level"].as_str().unwrap())
            .collect();
        words += &format!(
            " slice={} slice_level={}",
            sizes.join("/"),
            levels.join("/")
        );
    }
    if request["leader"].is_object() {
        words += &format!(" leader={}", request["leader"]["per_pod"]);
    }
    if gates["TASProfileMixed"] == json!(false) {
        words += " profile=best-fit";
    }
    if gates["TASBalancedPlacement"] == json!(true) {
        words += " balanced=true";
    }
    words
}

/// The streams again, as the allocator sees them: options of jobs as text, room kept up to date, places of nodes.
#[test]
fn the_allocator_follows_recorded_streams() {
    let test = "kueue::the_allocator_follows_recorded_streams";
    let Some(data) = streams(test) else { return };
    let mut same = 0;
    for stream in data["streams"].as_array().unwrap() {
        let folder = tempfile::tempdir().unwrap();
        let nodes = nodes_of(&stream["cluster"]);
        let spec = machine(&nodes, "block/rack/host", folder.path());
        let topology = Topology::inline(&spec, &Context::default()).unwrap();
        let order = NodeOrder::make(&topology, "random:seed=3").unwrap();
        let distances = RankDistances::new(&topology, &order).unwrap();
        let context = AllocatorContext {
            topology: &topology,
            order: &order,
            distances: &distances,
        };
        let mut kueue = allocator::make("kueue-tas", &context).unwrap();
        let each = stream["cluster"]["per_node"].as_u64().unwrap() as u32;
        let mut free = FreeSet::with_places(vec![each; nodes.len()]);
        let name = |rank: u32| topology.node_name(order.nodes()[rank as usize]);
        let rank = |name: &str| {
            let node = topology.node_named(name).unwrap();
            order
                .nodes()
                .iter()
                .position(|other| *other == node)
                .unwrap() as u32
        };
        let mut held: HashMap<String, (Value, Vec<PodsOn>)> = HashMap::new();
        for event in stream["events"].as_array().unwrap() {
            let job = event["job"].to_string();
            let what = event["do"].as_str().unwrap();
            let before = ["end", "replace"]
                .contains(&what)
                .then(|| held.remove(&job).unwrap());
            let request = before
                .as_ref()
                .map_or(&event["request"], |(request, _)| request)
                .clone();
            let choice = match what {
                "place" | "replace" => {
                    let text = words(&request, &stream["features"]);
                    let location = SourceLocation::option("a stream");
                    kueue
                        .set_options(Some(&JobOptions { text, location }))
                        .unwrap();
                    Some(match &before {
                        None => {
                            let count = request["count"].as_u64().unwrap() as u32;
                            kueue.choose_ranks(&free, count, &mut Ranks::default())
                        }
                        Some((_, pods)) => {
                            let failed = rank(event["node"].as_str().unwrap());
                            kueue.pod_rules().unwrap().replace_pods(&free, pods, failed)
                        }
                    })
                }
                _ => None,
            };
            for on in before.iter().flat_map(|(_, pods)| pods) {
                free.give_places(on.rank, on.places);
            }
            if let Some(choice) = choice {
                assert_eq!(
                    choice.is_placed(),
                    event["expected"].get("workers").is_some(),
                    "{event}"
                );
                if choice.is_placed() {
                    let pods = kueue.pod_rules().unwrap().chosen_pods().to_vec();
                    let counts = |of: fn(&PodsOn) -> u32| -> Value {
                        let some = pods.iter().filter(|on| of(on) > 0);
                        json!(
                            some.map(|on| (name(on.rank), of(on)))
                                .collect::<BTreeMap<_, _>>()
                        )
                    };
                    assert_eq!(
                        counts(|on| on.pods),
                        event["expected"]["workers"],
                        "{event}"
                    );
                    if let Some(leader) = event["expected"].get("leader") {
                        assert_eq!(&counts(|on| on.leaders), leader, "{event}");
                    }
                    pods.iter()
                        .for_each(|on| free.take_places(on.rank, on.places));
                    held.insert(job, (request, pods));
                }
                same += 1;
            }
            if ["fail", "back"].contains(&what) {
                let rank = rank(event["node"].as_str().unwrap());
                kueue
                    .pod_rules()
                    .unwrap()
                    .set_node_state(rank, what == "back");
            }
        }
    }
    assert!(same >= 2030, "{same}");
}

/// Two racks of three nodes with four GPUs each.
fn six(folder: &std::path::Path) -> String {
    let node = |i: usize| {
        let (rack, name) = (format!("r{}", i / 3), format!("n{i}"));
        json!({"name": name, "labels": {"rack": rack}, "capacity": 4})
    };
    machine(&(0..6).map(node).collect::<Vec<_>>(), "rack/host", folder)
}

/// Random clusters with nodes that Kueue leaves out, and limits on pods: jobs of one pod each come until none fits,
/// pods of different sizes, some of which end. As many as fit are placed: each node takes ⌊free GPUs / those of a pod⌋,
/// and no more than its `pods`; nodes that are cordoned, not ready, tainted or full take none.
#[test]
fn nodes_take_as_many_pods_as_kueue_lets_them() {
    let mut random = nodeorder_base::random::seed_generator(52);
    let mut below = |n: i64| nodeorder_base::random::random_below(n as u64, &mut random) as i64;
    for round in 0..60 {
        let count = 2 + below(8) as usize;
        let mut items = Vec::new();
        // Free GPUs and pods still allowed of each node that is in service.
        let mut room: BTreeMap<String, (i64, i64)> = BTreeMap::new();
        for i in 0..count {
            let name = format!("n{i}");
            let gpus = 1 + below(8);
            let pods = below(6);
            let fault = if i == 0 { 9 } else { below(9) };
            let taint =
                json!([{"key": "x", "effect": (["NoSchedule", "NoExecute"][below(2) as usize])}]);
            let taints = if fault == 2 { taint } else { json!([]) };
            let ready = if fault == 1 { "Unknown" } else { "True" };
            let pods = if fault == 9 { 3 } else { pods };
            items.push(json!({
                "metadata": {"name": name, "labels": {"block": "b", "rack": format!("r{}", below(3))}},
                "spec": {"unschedulable": fault == 0, "taints": taints},
                "status": {"allocatable": {"nvidia.com/gpu": gpus.to_string(), "pods": pods.to_string()},
                           "conditions": [{"type": "Ready", "status": ready}]},
            }));
            if fault > 2 && pods > 0 {
                room.insert(name, (gpus, pods));
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nodes.json");
        std::fs::write(&path, json!({"items": items}).to_string()).unwrap();
        let spec = format!("k8s-nodes:{},levels=block/rack/host", path.display());
        let mut log = String::new();
        let mut placed: Vec<(usize, i64)> = Vec::new();
        let mut sizes = Vec::new();
        for job in 0..40 {
            let gpus = 1 + below(3);
            // One block is a level.
            log += &format!("P {job} 1 gpus={gpus} mode=required level=block\n");
            sizes.push(gpus);
            if below(4) == 0 {
                log += &format!("F {job}\n");
                placed.push((job, gpus));
            }
        }
        let (rows, said) = replay(&spec, &log, &["--alloc", "kueue-tas"], folder.path());
        let mut on: BTreeMap<usize, String> = BTreeMap::new();
        for row in &rows {
            let cells: Vec<&str> = row.split(',').collect();
            let (name, pods) = cells[cells.len() - 1].split_once(':').unwrap();
            assert_eq!(pods, "1", "{row}");
            on.insert(cells[1].parse().unwrap(), name.to_string());
        }
        for (job, gpus) in sizes.iter().enumerate() {
            let fits = room.values().any(|(free, pods)| free >= gpus && *pods > 0);
            assert_eq!(
                on.contains_key(&job),
                fits,
                "round {round}, job {job}: {room:?} {said}"
            );
            let Some(name) = on.get(&job) else { continue };
            let at = room
                .get_mut(name)
                .unwrap_or_else(|| panic!("round {round}: job {job} on {name}"));
            *at = (at.0 - gpus, at.1 - 1);
            assert!(at.0 >= 0 && at.1 >= 0, "round {round}: job {job} on {name}");
            if placed.contains(&(job, *gpus)) {
                *at = (at.0 + gpus, at.1 + 1);
            }
        }
    }
}

fn replay(spec: &str, log: &str, more: &[&str], folder: &std::path::Path) -> (Vec<String>, String) {
    let path = folder.join("log").display().to_string();
    std::fs::write(&path, log).unwrap();
    let mut command = crate::command();
    command.args([
        "replay",
        spec,
        "--order",
        "row-major",
        "--log",
        &path,
        "--pods",
    ]);
    let said = command.args(more).output().unwrap();
    let text = String::from_utf8(said.stdout).unwrap();
    (
        text.lines().skip(1).map(String::from).collect(),
        String::from_utf8(said.stderr).unwrap(),
    )
}

#[test]
fn logs_have_pods_leaders_and_nodes_that_fail() {
    let folder = tempfile::tempdir().unwrap();
    let spec = six(folder.path());
    let run = |log: &str, more: &[&str]| {
        let more = [&["--alloc", "kueue-tas"], more].concat();
        let (rows, said) = replay(&spec, log, &more, folder.path());
        let cells = rows.iter().map(|row| {
            let cells: Vec<&str> = row.split(',').collect();
            format!(
                "{} {} {} {}",
                cells[1],
                cells[2],
                cells[3],
                cells[cells.len() - 1]
            )
        });
        (cells.collect::<Vec<_>>(), said)
    };
    // Two pods on one node are 0 hops apart, pods of one rack too, pods of two racks 2.
    let log = "P a 2 gpus=2\nP b 4+1 gpus=2 leader=1 mode=required level=rack\nP c 2 gpus=4\nF b\n\
        P d 5 gpus=2 mode=preferred level=rack slice=2 slice_level=host\nP e 3 gpus=4\nP f 2\n";
    let (rows, said) = run(log, &[]);
    let expected = [
        "a 2 0 n0:2",
        "b 5 0 n3:2 n4:2 n5:1",
        "c 2 0 n1:1 n2:1",
        "d 4 0 n3:2 n4:2",
        "f 2 0 n5:2",
    ];
    assert_eq!(rows, expected, "{said}");
    assert!(
        said.contains("left out 1 pods of 1 jobs") && said.contains("1 refused"),
        "{said}"
    );
    // Pods of two racks are 2 hops apart: 8 pairs.
    let (rows, _) = run(
        "P x 10 gpus=1\nP a 2 gpus=4\nP b 6 gpus=1 mode=preferred level=rack\n",
        &[],
    );
    assert_eq!(rows[0], "x 10 0 n0:4 n1:4 n2:2");
    assert_eq!(rows[1], "a 2 0 n3:1 n4:1");
    assert_eq!(rows[2], "b 6 16 n2:2 n5:4");
    // A node fails: its pods stay in the rack where they must, others go anywhere; it may come back.
    let log = "P a 2 gpus=4 mode=required level=rack\nD n0\nP b 1\nD n3\nU n0\nP c 4\n";
    let (rows, said) = run(log, &[]);
    let expected = [
        "a 2 0 n0:1 n1:1",
        "a 2 0 n1:1 n2:1",
        "b 1 0 n3:1",
        "b 1 0 n4:1",
        "c 4 0 n0:4",
    ];
    assert_eq!(rows, expected, "{said}");
    assert!(
        said.contains("the pods of 2 jobs went to others, 0 jobs ended"),
        "{said}"
    );
    let (_, said) = run(
        "P a 12 gpus=2 mode=preferred level=rack\nD n1\n",
        &["--summary", "/dev/null"],
    );
    assert!(
        said.contains("the pods of 0 jobs went to others, 1 jobs ended"),
        "{said}"
    );
    for (log, error) in [
        (
            "P a 4\nD nine\n",
            "log:2: found node `nine`; expected a node of the ordering",
        ),
        ("D n1\nD n1\n", "log:2: found node `n1` fails again"),
        ("U n1\n", "log:1: found node `n1` returns"),
        (
            "P a 4 level=row mode=required\n",
            "log:1: unknown level `row`",
        ),
        (
            "P a 4 slice=0 slice_level=rack\n",
            "log:1: found slice = `0`",
        ),
        (
            "P a 8\nP b 8 slice=6/4 slice_level=rack/host\n",
            "log:2: found slice = `6/4`",
        ),
        (
            "P a 8 slice=4/2 slice_level=host/rack\n",
            "log:1: found slice_level = `host/rack`",
        ),
        (
            "P a 8 slice=4\n",
            "log:1: found 1 sizes of slices at 0 levels",
        ),
        (
            "P a 8 slice=4 slice_level=rack mode=required level=host\n",
            "log:1: found slice_level",
        ),
        (
            "P a 8 level=rack\n",
            "log:1: found level = `rack`; expected mode=required or",
        ),
        ("P a 8 gpus=0\n", "log:1: found gpus = `0`"),
        ("P a 8 leader=x\n", "log:1: found leader = `x`"),
        ("P a 8 color=red\n", "log:1: unknown"),
    ] {
        let (rows, said) = run(log, &[]);
        assert!(rows.is_empty() && said.contains(error), "{log}: {said}");
    }
    let (_, said) = replay(
        &spec,
        "P a 1\n",
        &["--alloc", "kueue-tas:profile=most-free"],
        folder.path(),
    );
    assert!(said.contains("best-fit"), "{said}");
}

/// kueue#10406: the rack with the least room that holds the job, in it the node; kueue#10878: the fullest node first,
/// of equal ones that of the fullest rack.
#[test]
fn what_if_profiles_choose_a_rack_then_a_node_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let spec = six(folder.path());
    let last = |log: &str, profile: &str| {
        let log = format!("{log} profile={profile}\n");
        let (rows, said) = replay(&spec, &log, &["--alloc", "kueue-tas"], folder.path());
        rows.last()
            .unwrap_or_else(|| panic!("{said}"))
            .rsplit(',')
            .next()
            .unwrap()
            .to_string()
    };
    let (mixed, down, leaf) = ("mixed", "least-free-hierarchical", "tightest-leaf");
    // Rack 0 has its third node free; two nodes of rack 1 have one GPU left.
    let racks = "P a 8 mode=required level=rack\nP b 2 gpus=3 mode=required level=rack\n";
    let one = format!("{racks}P c 1");
    assert_eq!(
        [mixed, down, leaf].map(|p| last(&one, p)),
        ["n3:1", "n2:1", "n3:1"]
    );
    let six = format!("{racks}P c 6");
    assert_eq!(
        [mixed, down, leaf].map(|p| last(&six, p)),
        ["n2:4 n3:1 n4:1", "n3:1 n4:1 n5:4", "n3:1 n4:1 n5:4"]
    );
    // Nodes 0 and 5 have one GPU left, rack 1 nothing else.
    let nodes = "P a 1 gpus=3\nP b 3 gpus=4 mode=required level=rack\nP d 2 gpus=4\nF b\n\
        P e 2 gpus=4 mode=required level=rack\nP f 1 gpus=3\nF d\nP g 1";
    assert_eq!(
        [mixed, down, leaf].map(|p| last(nodes, p)),
        ["n0:1", "n5:1", "n5:1"]
    );
}

#[test]
fn rules_give_options_by_size() {
    let folder = tempfile::tempdir().unwrap();
    let spec = six(folder.path());
    let rules = folder.path().join("rules.csv");
    let path = rules.display().to_string();
    let run = |table: &str, log: &str| {
        std::fs::write(&rules, table).unwrap();
        replay(
            &spec,
            log,
            &["--alloc", "kueue-tas", "--rules", &path],
            folder.path(),
        )
    };
    let table = "from,to,options\n1,2,gpus=4\n3,,gpus=2 mode=required level=rack\n";
    let pods = |(rows, said): (Vec<String>, String)| -> Vec<String> {
        assert!(!rows.is_empty(), "{said}");
        rows.iter()
            .map(|row| row.rsplit(',').next().unwrap().to_string())
            .collect()
    };
    let log = "P a 2\nP b 3\nP c 2 gpus=1\n";
    assert_eq!(pods(run(table, log)), ["n0:1 n1:1", "n3:2 n4:1", "n4:2"]);
    for (table, error) in [
        ("a,b\n", "rules.csv:1: found `a,b`; expected the header"),
        (
            "from,to,options\n4,2,gpus=1\n",
            "rules.csv:2: found sizes from `4` to `2`",
        ),
        (
            "from,to,options\n1,5,gpus=1\n3,9,gpus=2\n",
            "rules.csv:3: found sizes from 3 to 9",
        ),
        ("from,to,options\n1,5,segment=4\n", "rules.csv:2: unknown"),
    ] {
        let (rows, said) = run(table, log);
        assert!(rows.is_empty() && said.contains(error), "{said}");
    }
}
