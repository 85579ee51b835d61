//! Terms that pages explain: every page lists those that it uses.

/// A term and its explanation.
#[derive(Clone, Copy)]
pub struct Term {
    /// Name of the term, as HTML.
    pub name: &'static str,
    /// Explanation, as HTML.
    pub meaning: &'static str,
}

/// Makes a term.
const fn term(name: &'static str, meaning: &'static str) -> Term {
    Term { name, meaning }
}

/// Terms of distances between nodes.
pub const DISTANCES: [Term; 3] = [
    term(
        "Ordering, rank",
        "A list of the nodes. A scheduler that allocates nodes along the list gives a job consecutive entries; the \
         position of a node in the list is its rank.",
    ),
    term(
        "Distance, hops",
        "Links on a shortest path between the routers of two nodes; 0 for two nodes on one router.",
    ),
    MPC,
];
/// Terms of audits.
pub const AUDIT: [Term; 3] = [
    term(
        "Mean distance",
        "The mean distance of two nodes of a job, over all pairs; for several jobs the mean of these, each job counting once.",
    ),
    term(
        "Ring step",
        "The hops from one node of a job to the next, in the order of the record or of the ranks, and from the last to the \
         first: what a ring of processes, one a node, sends over.",
    ),
    term(
        "Units spanned, fewest",
        "How many units of a level (leaf switches, groups) the nodes of a job are in; and how few units of the machine \
         have as many schedulable nodes, were they all free.",
    ),
];
/// Terms of networks.
pub const NETWORK: [Term; 2] = [
    term(
        "Router",
        "A switch that nodes sit on, or that only joins others.",
    ),
    term(
        "Diameter, mean distance",
        "The largest and the mean distance between two nodes of the machine.",
    ),
];
pub const SLOT: Term = term(
    "Slot",
    "A position for a node on a router. Not every slot holds a node that the scheduler may use.",
);
/// Terms of machines side by side.
pub const CABLES: [Term; 2] = [
    term(
        "Links, cables a node",
        "Cables between routers, in all and for each node. A node’s own cable to its router comes on top.",
    ),
    term(
        "Bisection bandwidth",
        "The fewest links between two halves of the nodes, each link in one direction; “≤” marks the best cut found \
         where a cut with fewer links is not ruled out.",
    ),
];
pub const THROUGHPUT: Term = term(
    "Throughput",
    "The multiple of some traffic that the links carry under the routing found: 1 over the highest load of a link over its \
     capacity. Where every node sends 1, it is the number of link \
     capacities that each can send. “At most” is proved: no \
     routing carries more. Two figures are told apart only where one’s \
     throughput is above the other’s “at most”. Nodes’ own \
     links do not count.",
);
pub const SLOWDOWN: Term = term(
    "Slowdown",
    "How many times as long the communication of a job takes as \
    on a network that never blocks, where only nodes’ own links \
     count: the largest load over capacity of a link that the job \
     uses, at least 1. The other jobs add their load for \
     the share φ of the time in which they send. A statement about \
     bandwidth under the routing named; latency is \
     what hops are for.",
);
/// Terms of what machines cost.
pub const BOUGHT: Term = term(
    "Electrical and optical cables; a unit of throughput",
    "A cable inside a unit (a group, a pod) is electrical, one between units optical. A unit of throughput is a link’s \
     capacity that one node can send to all others at once.",
);
pub const MPC: Term = term(
    "Mean placement calculation, MPC(<var>S</var>)",
    "The mean distance between the nodes of a job of <var>S</var> nodes, averaged over all \
     <var>N</var> − <var>S</var> + 1 positions at which it \
     can start in the list: MPC(<var>S</var>) = \
     <var>T</var>(<var>S</var>) / ((<var>N</var> − <var>S</var> + \
     1) · <var>S</var>(<var>S</var> − 1)/2), where \
     <var>T</var>(<var>S</var>) adds up the distances of all pairs in all \
     windows of <var>S</var> consecutive ranks. Source: C. \
     Albing, “Evaluating Node Orderings for Improved Compactness”, \
     6th International Workshop on Performance Modeling, \
     Benchmarking and Simulation of High Performance Computer Systems (PMBS), 2015.",
);
pub const LOG_UNIFORM: Term = term(
    "Log-uniform mean",
    "The mean of MPC(<var>S</var>) over <var>S</var> = 2 … <var>N</var> with weight 1/<var>S</var>, so that jobs of 8 \
     to 16 nodes count as much as jobs of 512 to 1,024. The plain \
     mean weighs all sizes the same and is dominated by \
     jobs of half a machine.",
);
pub const BEST_AT: Term = term(
    "Best at",
    "The share of sizes, each with weight 1/<var>S</var>, at which no other ordering is better. Ties count for all, so \
     shares may add up to more than 100 %.",
);
pub const STEP: Term = term(
    "Mean step",
    "The mean distance between neighbours in rank, which is MPC(2); 1 if every step of the ordering goes to a \
     neighbouring router.",
);
pub const RANDOM: Term = term(
    "Random placement",
    "Nodes chosen at random. For every job size, their mean distance is on average that of the machine.",
);
pub const FLOOR: Term = term(
    "Proved floor",
    "A distance that no ordering of this machine can be below at that job size.",
);
pub const SPANNING: Term = term(
    "Windows left out",
    "The share of windows of consecutive ranks that lie on both sides of a gap in the network, so that some of their \
     nodes have no path to the others. The mean placement is that of the other windows; sizes weigh 1/<var>S</var>.",
);
pub const COMPACT: Term = term(
    "Compact sets found",
    "The mean distance within the most compact set of that many nodes that a search has found: one job, if it had the \
     whole machine to choose from.",
);
pub const ALLOCATOR: Term = term(
    "Allocator",
    "The rule that chooses the nodes of a job among those that are free: <code>nodeorder list allocators NAME</code> \
     says how each does.",
);
pub const MIND: Term = term(
    "MIND, mean distance of a job",
    "Mean internode distance: the mean distance between the nodes that a job really got, over all pairs of them. Means \
     are over the jobs of two nodes or more.",
);
pub const IMPROVEMENT: Term = term(
    "Improvement over fifo:0",
    "By how many per cent the mean distance of a job size is below that of fifo:0 on the same ordering, averaged over \
     the sizes that occur more than 30 times. Use it to compare \
     allocators; use the mean distance to compare \
     orderings.",
);
/// Terms of replays beside forecasts.
pub const FORECAST: [Term; 2] = [
    term(
        "Weighted MPC",
        "The mean of MPC over the job sizes of the workload, each size with as much weight as it has jobs: what the \
         ordering alone lets expect for these jobs.",
    ),
    term(
        "Spearman’s and Kendall’s rank correlation",
        "How alike two rankings are: 1 for the same, 0 for no relation, −1 for the reverse.",
    ),
];
/// Terms of schedules.
pub const QUEUE: [Term; 3] = [
    term(
        "Wait, response",
        "The time from a job’s submission to its start, and to its end. Means are over all jobs scheduled.",
    ),
    term(
        "Bounded slowdown",
        "A job’s response time over its run time, where run times below 10 s count as 10 s; at least 1. The mean is \
         over all jobs.",
    ),
    term(
        "Policy",
        "The rule that decides which waiting job starts when: <code>nodeorder list policies NAME</code> says how.",
    ),
];
/// Terms of run times in schedules.
pub const RUNTIMES: [Term; 3] = [
    term(
        "Runtime model",
        "How long a job runs on the nodes it got, as the trace’s run time and the distance between these nodes have \
         it: <code>nodeorder list models NAME</code>.",
    ),
    term(
        "Utilisation",
        "Node-seconds used over nodes times makespan. It is high where jobs run longer, too: neither side is better.",
    ),
    term(
        "Makespan",
        "The time from the first submission to the last end.",
    ),
];
pub const GUEST: Term = term(
    "Mapping, guest, routing",
    "A mapping puts each process of a guest, the traffic pattern of a job, on a node; the routing says which links the \
     traffic takes.",
);
pub const DILATION: Term = term(
    "Dilation",
    "The mean number of hops of a job’s traffic, weighted by volume.",
);
pub const CONTENTION: Term = term(
    "Contention",
    "The load of the busiest directed link, divided by its capacity.",
);
pub const INTERVAL: Term = term(
    "95 % interval",
    "Where the difference of the first two machines would lie in 95 of 100 draws: jobs or whole weeks of the workload \
     are drawn again with replacement (a bootstrap), random \
     networks are made again with other seeds. Where it holds \
     zero, the jobs do not tell the machines apart.",
);
/// Terms of snapshots.
pub const SNAPSHOT: [Term; 3] = [
    term(
        "Unit, level",
        "A leaf switch, chassis or group of the machine; all units of one kind are a level.",
    ),
    term(
        "Held, out",
        "A node that jobs run on is held; one that is down, drained or reserved is out.",
    ),
    term(
        "Largest job within one unit",
        "The free nodes of the unit that has the most: a job of more nodes has to span several.",
    ),
];
