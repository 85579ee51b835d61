//! Machines and orderings that the benches share.

// Each bench is a crate of its own and uses a part.
#![allow(dead_code)]

use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;

/// Cubes of 10³, 20³, 40³ and 100³ routers.
pub const SIDES: [u32; 4] = [10, 20, 40, 100];

/// The topology of an inline specification.
pub fn machine(spec: &str) -> Topology {
    let context = nodeorder_network::topology::Context {
        memory: 20_000_000_000,
        ..Default::default()
    };
    Topology::inline(spec, &context).expect("bench specifications are valid")
}

/// The ordering called `text`.
pub fn order(topology: &Topology, text: &str) -> NodeOrder {
    NodeOrder::make(topology, text).expect("bench orderings suit their topology")
}

/// Runs `work` on `threads` threads.
pub fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("threads can be started").install(work)
}
