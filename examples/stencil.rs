//! Maps a stencil onto the nodes that a job holds and reads how its messages share the links.
//!
//! `cargo run --release --example stencil`

use nodeorder::mapping::{self, Analysis, Fabric, FixedRouting, Guest, ProcessMapping};
use nodeorder::{NodeOrder, Result, Topology};

/// Process i of a periodic 4 x 4 x 4 stencil on the node of rank `first` + i.
pub fn analysed(machine: &Topology, order: &str, first: usize) -> Result<Analysis> {
    let guest = Guest::make("stencil:4x4x4,wrap=true", &Default::default())?;
    // The allocation: 64 nodes that follow each other in the ordering.
    let order = NodeOrder::make(machine, order)?;
    let nodes = order.nodes()[first..first + guest.processes() as usize].to_vec();
    let placed = ProcessMapping::new(machine, order.label(), nodes)?;
    // The directed links of the machine, and all shortest paths with equal shares.
    let fabric = Fabric::new(machine)?;
    mapping::analyse(
        &fabric,
        &guest,
        &placed,
        FixedRouting::find_by_name("ecmp-path")?,
    )
}

pub fn main() -> Result<()> {
    let machine = Topology::inline("torus:8x8x8", &Default::default())?;
    let fabric = Fabric::new(&machine)?;
    for order in ["row-major", "hilbert", "brick:size=4x4x4,inner=row"] {
        let found = analysed(&machine, order, 0)?;
        let (far, load) = (found.dilation.mean, &found.contention);
        println!(
            "{order}: {far:.3} hops a message, {:.2} on the busiest link",
            load.max
        );
        if let Some(busiest) = load.busiest_links(fabric.links, 1).first() {
            let (from, to) = fabric.links.link_ends(*busiest);
            println!(
                "  which goes from router {from} to router {to}; {} links are used",
                load.used
            );
        }
    }
    Ok(())
}
