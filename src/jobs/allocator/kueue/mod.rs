//! Kueue's topology-aware scheduling.

use std::collections::HashMap;

use super::entry::{AllocatorContext, JobRules, PodRules, PodsOn};
use super::kit::*;
use super::units::levels;
use nodeorder_base::error::Error;
use nodeorder_trace::JobOptions;

mod anywhere;
mod balanced;
mod choice;
mod domains;
mod placement;
mod replacement;

use anywhere::Index;
pub use choice::place;
pub use domains::{Domains, Room, Slices};
pub use placement::{Ask, Misfit, Mode, Pods};
pub use replacement::replace;

/// The level of nodes.
const HOST: &str = "host";

const OPTIONS: &[Opt] = &[
    Opt::one_of(
        "mode",
        &["unconstrained", "preferred", "required"],
        "required: one domain of the level; preferred: else of a level above, else several; unconstrained: anywhere",
    ),
    Opt::text("level", "level that a job asks for, or `host`")
        .or_else("the innermost with units of several nodes"),
    Opt::text(
        "slice",
        "pods that share a domain of slice_level; up to three layers, as in 16/4/1",
    )
    .or_else("none"),
    Opt::text(
        "slice_level",
        "levels of the slices, the outermost first, as in block/rack/host",
    )
    .or_else("none"),
    Opt::one_of(
        "profile",
        &[
            "mixed",
            "best-fit",
            "least-free",
            "least-free-hierarchical",
            "tightest-leaf",
        ],
        "domains that are taken first: the fullest (least-free), those with most room (best-fit); mixed: least-free for unconstrained jobs; what if: these from the outermost level down (least-free-hierarchical, kueue#10406), single pods by the fullest node (tightest-leaf, kueue#10878)",
    ),
    Opt::flag(
        "balanced",
        "preferred jobs are put evenly over few domains (TASBalancedPlacement)",
    ),
    Opt::whole("gpus", "GPUs of a pod, on machines with several a node").or("1"),
    Opt::text(
        "leader",
        "a leader beside the pods: its GPUs, or `same`: as many as theirs",
    )
    .or_else("none"),
    TIES,
    SWAP,
];

const TIES: Opt = Opt::one_of(
    "ties",
    &["names", "ranks"],
    "equal domains by their labels, as bytes; or units (not nodes) by their lowest rank, as labelled by `export --to kueue`",
);
const SWAP: Opt = Opt::one_of(
    "swap",
    &["on", "off"],
    "on: pods of a node that fails go to others; off: the job ends",
);

/// Options of jobs: all but `ties`.
const JOBS: &[Opt] = OPTIONS.split_at(8).0;

/// `kueue-tas[:mode=M,level=L,slice=A/B/C,slice_level=X/Y/Z,profile=P,balanced=true,gpus=G,leader=G,ties=T,swap=off]`: pods
/// on nodes, level by level, as Kueue's topology-aware scheduling puts them. A pod takes `gpus` of the GPUs of a node;
/// where the machine's nodes have none, a node. The levels are the machine's, but for one called `all`, and nodes (`host`).
///
/// # Limits
/// GPUs are the only resource. Taints, selectors and preferred nodes are left out; quotas, priorities and preemption
/// are Kueue's, not of its placement. Schedules know nodes only: there a pod takes a node.
///
/// # Complexity
/// O(GPUs/64 + domains of the level asked for + domains below those chosen · log of these).
///
/// # References
/// Kueue 0.20 in development, commit ff69552e: KEP-2724 "Topology Aware Scheduling", `pkg/cache/scheduler`; held to
/// recorded placements of it.
pub(super) const KUEUE_TAS: AllocatorEntry = AllocatorEntry::new(
    "kueue-tas",
    "Kueue's topology-aware scheduling: levels, slices, leaders, pods that take part of a node",
    OPTIONS,
    |params, context| Ok(Box::new(KueueTas::new(params, context)?)),
);

/// The options of a job as texts, by key.
type Texts = HashMap<&'static str, String>;

/// Options of a job with those of the allocator, and where they were read.
struct Asked<'t> {
    params: &'t Params,
    texts: &'t Texts,
}

impl Asked<'_> {
    fn text(&self, key: &str) -> Option<&str> {
        self.texts.get(key).map(String::as_str)
    }

    fn wrong(&self, key: &'static str, expected: &str) -> Error {
        let found = format!("{key} = `{}`", self.text(key).unwrap_or_default());
        Error::input(self.params.location_of(key), found, expected)
    }

    /// The number of the level of this name.
    fn level(&self, key: &'static str, name: &str, levels: &[String]) -> Result<usize> {
        levels
            .iter()
            .position(|level| level == name)
            .ok_or_else(|| {
                let names = levels.iter().map(String::as_str);
                Error::unknown(self.params.location_of(key), "level", name, names)
            })
    }
}

/// What a job asks for; `ask.pods` is not yet known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Request {
    ask: Ask,
    gpus: u32,
    leader: Option<u32>,
}

/// The room for pods of one kind, and the free set that it was counted on.
struct Counted {
    gpus: u32,
    leader: Option<u32>,
    slices: Slices,
    seen: FreeSet,
    rooms: Vec<Room>,
    /// Its leaves in order, once an unconstrained job asked.
    index: Option<Index>,
}

/// Kinds of pods whose room is kept up to date.
const KINDS: usize = 8;

struct KueueTas {
    domains: Domains,
    /// Names of the levels, the outermost first.
    levels: Vec<String>,
    /// The level that jobs ask for which name none.
    level: usize,
    /// The leaf of each rank, and the rank of each leaf, counted from the first.
    leaves: Vec<u32>,
    ranks: Vec<u32>,
    usual: Texts,
    swap: bool,
    request: Request,
    usual_request: Request,
    counted: Vec<Counted>,
    down: Vec<bool>,
    never: HashMap<(u32, Request), bool>,
    chosen: Vec<PodsOn>,
    scratch: Vec<Room>,
}

impl KueueTas {
    fn new(params: &Params, context: &AllocatorContext<'_>) -> Result<Self> {
        if params.has("profile") && params.word("profile")?.as_deref() == Some("most-free") {
            return Err(params.wrong(
                "profile",
                "mixed, best-fit (as most-free was called) or least-free",
            ));
        }
        let by_rank = params.choice("ties")? == "ranks";
        let network = context.topology.network();
        // A level `all` only joins what stands apart: no label says it.
        let joins = |name: &str| name == "all";
        let skip = usize::from(
            network
                .levels()
                .first()
                .is_some_and(|level| joins(&level.name)),
        );
        let mut names: Vec<String> = network
            .levels()
            .iter()
            .skip(skip)
            .map(|level| level.name.to_string())
            .collect();
        let hosts: Vec<String> = context
            .order
            .nodes()
            .iter()
            .map(|node| context.topology.node_name(*node))
            .collect();
        let mut labels: Vec<Vec<String>> = vec![Vec::new(); hosts.len()];
        let mut level = 0;
        for (at, (units, of)) in levels(context)
            .iter()
            .zip(network.levels())
            .enumerate()
            .skip(skip)
        {
            for (number, unit) in (0..).zip(units) {
                let name = of.unit_name(number);
                let label = match by_rank {
                    true => format!("{:010}", unit.ranks.first().copied().unwrap_or(0)),
                    // Units of one name in several others are called by their paths.
                    false => name.rsplit('/').next().unwrap_or(&name).to_string(),
                };
                unit.ranks
                    .iter()
                    .for_each(|rank| labels[*rank as usize].push(label.clone()));
                if unit.ranks.len() > 1 {
                    level = at - skip;
                }
            }
        }
        names.push(HOST.into());
        let paths: Vec<Vec<&str>> = labels
            .iter()
            .zip(&hosts)
            .map(|(labels, host)| {
                labels
                    .iter()
                    .map(String::as_str)
                    .chain([host.as_str()])
                    .collect()
            })
            .collect();
        let domains = Domains::new(&paths);
        let leaves: Vec<u32> = (0..hosts.len()).map(|rank| domains.leaf(rank)).collect();
        let first = domains.level(domains.depth() - 1).start;
        let mut ranks = vec![0; hosts.len()];
        (0..)
            .zip(&leaves)
            .for_each(|(rank, leaf)| ranks[(leaf - first) as usize] = rank);
        let request = Request {
            ask: Ask::default(),
            gpus: 1,
            leader: None,
        };
        let mut made = KueueTas {
            domains,
            levels: names,
            level,
            down: vec![false; leaves.len()],
            leaves,
            ranks,
            usual: Texts::new(),
            swap: params.choice("swap")? == "on",
            request: request.clone(),
            usual_request: request,
            counted: Vec::new(),
            never: HashMap::new(),
            chosen: Vec::new(),
            scratch: Vec::new(),
        };
        made.usual = made.texts(params)?;
        made.request = made.read(params, &made.usual)?;
        made.usual_request = made.request.clone();
        Ok(made)
    }

    /// The options that a job has, its own before those of the allocator.
    fn texts(&self, params: &Params) -> Result<Texts> {
        let mut texts = self.usual.clone();
        for option in JOBS {
            let value = match option.key {
                // Checked against their words.
                "mode" | "profile" => Some(params.choice(option.key)?.to_string()),
                "balanced" => Some(params.flag("balanced")?.to_string()),
                "gpus" => Some(params.whole::<u32>("gpus", 1, 1 << 16)?.to_string()),
                key => params.word(key)?,
            };
            texts.extend(
                value
                    .filter(|_| params.has(option.key))
                    .map(|value| (option.key, value)),
            );
        }
        Ok(texts)
    }

    /// Level and pods of the slices that a job asks for.
    fn layers(&self, asked: &Asked<'_>) -> Result<Vec<(usize, i64)>> {
        let list = |key| {
            asked
                .text(key)
                .map_or(Vec::new(), |text| text.split('/').collect())
        };
        let (sizes, at): (Vec<&str>, Vec<&str>) = (list("slice"), list("slice_level"));
        if sizes.len() != at.len() || sizes.len() > 3 {
            let found = format!("{} sizes of slices at {} levels", sizes.len(), at.len());
            let expected = "up to three of both, as in slice=16/4 slice_level=rack/host";
            return Err(Error::input(
                asked.params.location().clone(),
                found,
                expected,
            ));
        }
        let mut layers: Vec<(usize, i64)> = Vec::new();
        for (size, name) in sizes.iter().zip(&at) {
            let size: Option<u32> = size.parse().ok().filter(|size| *size > 0);
            let expected = "whole numbers above 0, each a divisor of the one before, as in 16/4/1";
            let size = i64::from(size.ok_or_else(|| asked.wrong("slice", expected))?);
            let level = asked.level("slice_level", name, &self.levels)?;
            if let Some((outer, more)) = layers.last() {
                if level <= *outer {
                    return Err(asked.wrong("slice_level", "levels from the outermost in"));
                }
                if more % size != 0 {
                    return Err(asked.wrong("slice", expected));
                }
            }
            layers.push((level, size));
        }
        Ok(layers)
    }

    fn read(&self, params: &Params, texts: &Texts) -> Result<Request> {
        let asked = Asked { params, texts };
        let layers = self.layers(&asked)?;
        let mode = match asked.text("mode") {
            Some("required") => Mode::Required,
            Some("preferred") => Mode::Preferred,
            _ => Mode::Unconstrained,
        };
        let free = mode == Mode::Unconstrained;
        let profile = asked.text("profile").unwrap_or("mixed");
        let by_leaf = free && profile == "tightest-leaf";
        let top_down = by_leaf || free && profile == "least-free-hierarchical";
        let level = match (mode, asked.text("level")) {
            (Mode::Unconstrained, Some(name)) => {
                asked.level("level", name, &self.levels)?;
                return Err(asked.wrong("level", "mode=required or mode=preferred with it"));
            }
            (Mode::Unconstrained, None) if layers.is_empty() && !top_down => self.levels.len() - 1,
            (Mode::Unconstrained, None) => 0,
            (_, Some(name)) => asked.level("level", name, &self.levels)?,
            (_, None) => self.level,
        };
        if layers
            .first()
            .is_some_and(|(outermost, _)| *outermost < level)
        {
            let own = &self.levels[level];
            let expected = format!("levels not above {own}, which the job asks for");
            return Err(asked.wrong("slice_level", &expected));
        }
        let gpus: u32 = asked
            .text("gpus")
            .and_then(|text| text.parse().ok())
            .unwrap_or(1);
        let number = |text: &str| text.parse().ok().filter(|gpus: &u32| *gpus <= 1 << 16);
        let expected = "`same`, or a whole number of GPUs from 0 to 65536";
        let leader = match asked.text("leader") {
            Some("same") => Some(gpus),
            Some(text) => Some(number(text).ok_or_else(|| asked.wrong("leader", expected))?),
            None => None,
        };
        let least_free = profile != "best-fit" && (free || profile == "least-free");
        let bare = asked.text("mode").is_none();
        let slices = Slices {
            layers,
            leader: leader.is_some(),
        };
        let balanced = asked.text("balanced") == Some("true");
        let ask = Ask {
            pods: 0,
            mode,
            level,
            slices,
            least_free,
            top_down,
            by_leaf,
            balanced,
            bare,
        };
        Ok(Request { ask, gpus, leader })
    }

    /// The room of a leaf with so many places free.
    fn leaf_room(&self, rank: u32, places: u32, slices: &Slices) -> Room {
        let Request { gpus, leader, .. } = self.request;
        let mut room = Room::default();
        if self.down[rank as usize] {
            return room;
        }
        room.pods = i64::from(places / gpus);
        room.pods_beside = room.pods;
        if let Some(leader) = leader.filter(|leader| *leader <= places) {
            (room.leaders, room.pods_beside) = (1, i64::from((places - leader) / gpus));
        }
        self.domains.slice_leaf(&mut room, slices);
        room
    }

    /// Counts the room for such pods on these free ranks. O(places/64 + changes since the last time · levels), but
    /// O(domains) for pods of a new kind.
    fn count(&mut self, free: &FreeSet, slices: &Slices) -> usize {
        let Request { gpus, leader, .. } = self.request;
        let same = |c: &Counted| (c.gpus, c.leader, &c.slices) == (gpus, leader, slices);
        let at = self
            .counted
            .iter()
            .position(same)
            .unwrap_or(self.counted.len());
        if at == self.counted.len() {
            let mut rooms = vec![Room::default(); self.domains.count()];
            for (rank, leaf) in (0..).zip(&self.leaves) {
                rooms[*leaf as usize] = self.leaf_room(rank, free.places(rank), slices);
            }
            let all = self.domains.level(0);
            self.domains.sum_below(&mut rooms, all, slices, true);
            let (seen, slices) = (free.clone(), slices.clone());
            self.counted.truncate(KINDS - 1);
            self.counted.insert(
                0,
                Counted {
                    gpus,
                    leader,
                    slices,
                    seen,
                    rooms,
                    index: None,
                },
            );
            return 0;
        }
        let mut rooms = std::mem::take(&mut self.counted[at].rooms);
        let mut index = self.counted[at].index.take();
        let mut changed = Vec::new();
        free.changes(&self.counted[at].seen, |rank| {
            let leaf = self.leaves[rank as usize];
            let before = rooms[leaf as usize].pods;
            let room = self.leaf_room(rank, free.places(rank), slices);
            rooms[leaf as usize] = room;
            index
                .iter_mut()
                .for_each(|index| index.change(leaf, before, room.pods));
            changed.push(leaf);
        });
        if !changed.is_empty() {
            self.domains.sum_above(&mut rooms, changed, slices);
            self.counted[at].seen.clone_from(free);
        }
        (self.counted[at].rooms, self.counted[at].index) = (rooms, index);
        at
    }

    fn on(&self, (leaf, pods, leaders): (u32, i64, i64)) -> PodsOn {
        let first = self.domains.level(self.domains.depth() - 1).start;
        let Request { gpus, leader, .. } = self.request;
        let (pods, leaders) = (pods as u32, leaders as u32);
        let places = pods * gpus + leaders * leader.unwrap_or(0);
        PodsOn {
            rank: self.ranks[(leaf - first) as usize],
            pods,
            leaders,
            places,
        }
    }

    fn answer(&mut self, free: &FreeSet, count: u32) -> Result<Pods, Misfit> {
        let ask = Ask {
            pods: count.into(),
            ..self.request.ask.clone()
        };
        if ask.pods < ask.slices.outermost(self.domains.depth()).1 {
            return Err(Misfit::BelowSlice);
        }
        let at = self.count(free, &ask.slices);
        let plain = ask.slices.layers.is_empty() && !ask.slices.leader && !ask.top_down;
        if ask.mode == Mode::Unconstrained && plain {
            let Counted { index, rooms, .. } = &mut self.counted[at];
            let index = index.get_or_insert_with(|| Index::new(&self.domains, rooms));
            return index.place(ask.pods, ask.least_free);
        }
        place(
            &self.domains,
            &ask,
            &self.counted[at].rooms,
            &mut self.scratch,
        )
    }
}

impl Allocator for KueueTas {
    fn choose(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) -> Choice {
        let choice = match self.answer(free, count) {
            Ok(pods) => {
                self.chosen = pods.into_iter().map(|pods| self.on(pods)).collect();
                self.chosen
                    .iter()
                    .for_each(|pods| chosen.push_rank(pods.rank));
                Choice::Placed
            }
            Err(misfit) => {
                let key = (count, self.request.clone());
                let never = match self.never.get(&key) {
                    Some(never) => *never,
                    None => {
                        let down =
                            std::mem::replace(&mut self.down, vec![false; self.leaves.len()]);
                        let counted = std::mem::take(&mut self.counted);
                        let never = self.answer(&free.emptied(), count).is_err();
                        (self.down, self.counted) = (down, counted);
                        self.never.insert(key, never);
                        never
                    }
                };
                let reason = misfit.reason();
                if never {
                    Choice::Never(reason.into())
                } else {
                    Choice::NotNow(reason.into())
                }
            }
        };
        self.request.clone_from(&self.usual_request);
        choice
    }

    fn may_refuse(&self) -> bool {
        true
    }

    fn jobs(&mut self) -> Option<&mut dyn JobRules> {
        Some(self)
    }

    fn pods(&mut self) -> Option<&mut dyn PodRules> {
        Some(self)
    }
}

impl JobRules for KueueTas {
    fn set_options(&mut self, options: Option<&JobOptions>) -> Result<()> {
        self.request.clone_from(&self.usual_request);
        let Some(options) = options else {
            return Ok(());
        };
        let params = Params::words(&options.text, &options.location, JOBS)?;
        let texts = self.texts(&params)?;
        self.request = self.read(&params, &texts)?;
        params.finish()
    }

    fn sizes(&mut self, count: u32) -> (u32, u32) {
        (0, count)
    }
}

impl PodRules for KueueTas {
    fn chosen(&self) -> &[PodsOn] {
        &self.chosen
    }

    fn replace(&mut self, free: &FreeSet, held: &[PodsOn], failed: u32) -> Choice {
        let mut rest: Pods = held
            .iter()
            .filter(|pods| pods.rank != failed)
            .map(|on| {
                (
                    self.leaves[on.rank as usize],
                    on.pods.into(),
                    on.leaders.into(),
                )
            })
            .collect();
        rest.sort_unstable();
        let missing = held
            .iter()
            .filter(|on| on.rank == failed)
            .map(|on| i64::from(on.pods))
            .sum();
        let ask = self.request.ask.clone();
        let mut found = Err(Misfit::NoReplacement);
        if self.swap {
            let rooms = |slices: &Slices| {
                let mut rooms = vec![Room::default(); self.domains.count()];
                for (rank, leaf) in (0..).zip(&self.leaves) {
                    rooms[*leaf as usize] = self.leaf_room(rank, free.places(rank), slices);
                }
                self.domains
                    .sum_below(&mut rooms, self.domains.level(0), slices, true);
                rooms
            };
            found = replace(&self.domains, &ask, &rest, missing, &rooms);
        }
        let choice = match found {
            Ok(pods) => {
                self.chosen = pods.into_iter().map(|pods| self.on(pods)).collect();
                Choice::Placed
            }
            Err(misfit) => Choice::NotNow(misfit.reason().into()),
        };
        self.request.clone_from(&self.usual_request);
        choice
    }

    fn set_node(&mut self, rank: u32, up: bool) {
        self.down[rank as usize] = !up;
        self.counted.clear();
    }
}
