//! Hierarchical orders: all of one unit of the machine before the next, or dealt out over the units.

use super::kit::*;
use std::ops::Range;

use super::brick::{self, Bricks};
use nodeorder_network::topology::Level;

/// `hierarchical[:scatter=true,chunk=chassis]` or, on coordinates, `hierarchical:block=3x6x8[,axes=zxy]`.
///
/// Group → chassis → blade → node on dragonflies, pod → leaf → host on trees: units of each level in turn,
/// all of one before the next. Families and imported fabrics number their routers so; on them the order is that of
/// the node ids.
///
/// `block` makes the units of a machine that has coordinates and no levels (racks on a torus): boxes of so
/// many cells along the topology's own axes, row-major, clipped at the far edges, row-major inside; `axes`
/// and `reverse` turn both.
///
/// `scatter=true` is the opposite extreme, as sites use it to spread load over global links: one chunk of
/// each outermost unit in turn, units that are used up passed over. `chunk` says what is dealt at a time: a
/// router's nodes (default) or a unit of a named level, kept whole. O(nodes). Errors: coordinates without levels and no
/// `block`; an unknown `chunk`.
pub const HIERARCHICAL: OrderingEntry = OrderingEntry::new(
    "hierarchical",
    "unit by unit: group, chassis, blade or pod, leaf; block=3x6x8 on grids; scatter=true deals out",
    &[
        AXES.only_with("block=3x6x8"),
        REVERSE.only_with("block=3x6x8"),
        Opt::flag("scatter", "one chunk of each outermost unit in turn"),
        Opt::extents("block", "cells of a unit along each axis, on grids")
            .or_else("the levels of the machine"),
        Opt::text(
            "chunk",
            "what is dealt at a time with scatter: router or the name of a level",
        )
        .or("router"),
    ],
    Method::direct(Needs::Levels, order),
);

/// The chunks of an outermost unit, which `scatter` deals out.
type UnitChunks = Vec<Vec<NodeId>>;

fn order<'a>(topology: &'a Topology, params: &'a Params) -> Work<'a, Vec<NodeId>> {
    let scatter = params.flag("scatter")?;
    let levels = topology.network().levels();
    let Some(outermost) = levels.first().filter(|_| !params.has("block")) else {
        return blocks(topology, params, scatter);
    };
    // Lets `finish` suggest the key.
    params.value("block");
    let mut names = vec!["router"];
    names.extend(levels.iter().map(|l| &*l.name));
    let chunk = chunk(params, &names)?;
    if !scatter {
        return Ok(Box::new(|| Ok(topology.nodes().iter().collect())));
    }
    let (slots, hosts) = (topology.network().slots(), topology.network().hosts());
    topology
        .context()
        .require("the units", 64 * u64::from(hosts) + 4 * u64::from(slots))?;
    let (outermost, inner) = (
        outermost.clone(),
        levels.iter().find(|l| l.name == chunk).cloned(),
    );
    Ok(Box::new(move || {
        Ok(dealt(topology, &outermost, inner.as_ref()))
    }))
}

/// The chunks of each unit of the outermost level, dealt out; they are units of the inner level, or routers.
fn dealt(topology: &Topology, outermost: &Level, inner: Option<&Level>) -> Vec<NodeId> {
    let slots = topology.network().slots();
    let nodes = |slots: Range<u32>| {
        slots
            .map(NodeId)
            .filter(|n| topology.nodes().contains(*n))
            .collect::<Vec<_>>()
    };
    // Ids that follow each other on a router; all of a server's where its GPUs are on a router each.
    let here = match topology.network().dealt_over() {
        1 => topology.network().per_router(),
        over => over,
    };
    // The chunks of a unit: what is in it of each unit of the inner level.
    let chunks = |unit: Range<u32>| {
        let mut chunks = Vec::new();
        let mut at = unit.start;
        while at < unit.end {
            let end = inner.map_or(at + here, |l| l.range(l.unit_of(NodeId(at)), slots).end);
            let end = end.min(unit.end);
            chunks.push(nodes(at..end));
            at = end;
        }
        chunks
    };
    let units = (0..outermost.units(slots)).map(|unit| chunks(outermost.range(unit, slots)));
    deal(units.collect())
}

/// The chunk dealt at a time: one of `names`, a router unless given.
fn chunk<'n>(params: &Params, names: &[&'n str]) -> Result<&'n str> {
    match params.word("chunk")? {
        Some(word) => params.among("chunk", &word, names),
        None => Ok("router"),
    }
}

fn blocks<'a>(topology: &'a Topology, params: &'a Params, scatter: bool) -> Work<'a, Vec<NodeId>> {
    let unsuited = |problem: &str, remedy: &str| {
        let problem = format!("{} has no {problem}", topology.name());
        Err(params.unsuited(problem, remedy))
    };
    if topology.lattice().is_none() {
        return unsuited(
            "coordinates, which `block` needs",
            "what works here: no `block`",
        );
    }
    let view = View::from_params(topology, params)?;
    let Some(size) = brick::size(&view, params, "block")? else {
        // Lets a slip in the key's name be named rather than its absence.
        params.word("chunk")?;
        params.finish()?;
        let remedy =
            "what works here: `block=` with the cells of a rack along each axis, as in block=3x6x8";
        return unsuited("levels such as groups or leaf switches", remedy);
    };
    chunk(params, &["router"])?;
    topology
        .context()
        .require("the blocks", 96 * view.cell_count() as u64)?;
    Ok(Box::new(move || {
        Ok(block_nodes(topology, &view, size, scatter))
    }))
}

/// The nodes of blocks of so many cells, one block after the other or dealt out.
fn block_nodes(topology: &Topology, view: &View<'_>, size: Vec<u32>, scatter: bool) -> Vec<NodeId> {
    let blocks = Bricks::new(&view.extents, size);
    let mut of_cell = vec![0; view.cell_count()];
    let mut cells = Vec::with_capacity(view.cell_count());
    for block in 0..blocks.len() {
        blocks.walk(block, "row", |position| {
            let cell = view.cell(position);
            of_cell[cell as usize] = block;
            cells.push(cell);
        });
    }
    if !scatter {
        return view.nodes(cells);
    }
    let mut units: Vec<UnitChunks> = vec![Vec::new(); blocks.len() as usize];
    let lattice_cells = topology.lattice().and_then(|l| l.cells.as_ref());
    let mut last = None;
    for node in view.nodes(cells) {
        let cell = lattice_cells.map_or_else(|| topology.router_of(node).0, |c| c[node.index()]);
        let unit = &mut units[of_cell[cell as usize] as usize];
        match unit.last_mut() {
            Some(chunk) if last == Some(cell) => chunk.push(node),
            _ => unit.push(vec![node]),
        }
        last = Some(cell);
    }
    deal(units)
}

/// One chunk of each unit in turn.
fn deal(units: Vec<UnitChunks>) -> Vec<NodeId> {
    // Chunks without schedulable nodes take no turn.
    let mut left: Vec<_> = units
        .into_iter()
        .map(|u| u.into_iter().filter(|c| !c.is_empty()))
        .collect();
    let mut nodes = Vec::new();
    while !left.is_empty() {
        left.retain_mut(|unit| match unit.next() {
            Some(chunk) => {
                nodes.extend(chunk);
                true
            }
            None => false,
        });
    }
    nodes
}

#[cfg(test)]
mod tests {
    use super::super::testing::{error, ids};
    use crate::ordering::NodeOrder;
    use crate::testing::from_file;

    #[test]
    fn leaves_of_a_forest_are_dealt_in_the_order_of_their_lines() {
        let text = "SwitchName=r1 Switches=a,c,e\nSwitchName=a Nodes=n[1-2] LinkSpeed=1\n\
                    SwitchName=b Nodes=n3\nSwitchName=c Nodes=n4 # leaf\nSwitchName=d Nodes=n[5-6]\n\
                    SwitchName=e\nSwitchName=r2 Switches=b,d\n";
        let forest = from_file("slurm-topology", text, "").unwrap();
        let order = NodeOrder::make(&forest, "hierarchical:scatter=true").unwrap();
        let dealt: Vec<String> = order.nodes().iter().map(|n| forest.node_name(*n)).collect();
        assert_eq!(dealt.join(" "), "n1 n2 n3 n4 n5 n6");
    }

    #[test]
    fn units_in_turn_are_the_ids_of_a_cascade() {
        let spec = "cascade:3x2x2,per_router=2,limit=23,exclude=4-6";
        assert_eq!(ids(spec, "hierarchical"), ids(spec, "row-major"));
        assert_eq!(
            ids(spec, "hierarchical:chunk=chassis"),
            ids(spec, "row-major")
        );
    }

    #[test]
    fn scatter_deals_chunks_over_the_groups() {
        // Two groups of two chassis of three blades of two nodes; blade 2 of the first group is gone.
        let spec = "cascade:3x2x2,per_router=2,limit=23,exclude=4-5";
        assert_eq!(
            ids(spec, "hierarchical:scatter=true"),
            [
                0, 1, 12, 13, 2, 3, 14, 15, 6, 7, 16, 17, 8, 9, 18, 19, 10, 11, 20, 21, 22
            ]
        );
        assert_eq!(
            ids(spec, "hierarchical:scatter=true,chunk=chassis"),
            [
                0, 1, 2, 3, 12, 13, 14, 15, 16, 17, 6, 7, 8, 9, 10, 11, 18, 19, 20, 21, 22
            ]
        );
        assert_eq!(
            ids(spec, "hierarchical:scatter=true,chunk=group"),
            ids(spec, "hierarchical")
        );
    }

    #[test]
    fn blocks_make_racks_of_a_grid() {
        let racks = [0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 10, 11];
        assert_eq!(ids("torus:3x4", "hierarchical:block=2x2"), racks);
        assert_eq!(ids("torus:3x4", "brick:inner=row,outer=row"), racks);
        assert_eq!(
            ids("torus:3x4", "hierarchical:block=2x2,scatter=true"),
            [0, 2, 8, 10, 1, 3, 9, 11, 4, 6, 5, 7]
        );
        assert_eq!(
            ids("torus:2x4", "hierarchical:block=1x2,axes=yx"),
            [0, 1, 4, 5, 2, 3, 6, 7]
        );
        assert_eq!(
            ids("cascade:2x2x2", "hierarchical:block=2x1x2"),
            [0, 1, 4, 5, 2, 3, 6, 7]
        );
        assert_eq!(
            ids(
                "torus:1x4,per_router=2,exclude=3",
                "hierarchical:block=1x2,scatter=true"
            ),
            [0, 1, 4, 5, 2, 6, 7]
        );
    }

    #[test]
    fn errors_say_what_would_work() {
        assert!(error("torus:4x4", "hierarchical").contains("block=3x6x8"));
        assert!(error("torus:4x4", "hierarchical:blok=2x2").contains("did you mean `block`"));
        assert!(error("torus:4x4", "hierarchical:block=2").contains("2 extents"));
        assert!(error("torus:4x4", "hierarchical:block=2x2,chunk=group").contains("router"));
        let cascade = "cascade:3x2x2";
        assert!(error(cascade, "hierarchical:chunk=chasis").contains("did you mean `chassis`"));
        assert!(error(cascade, "hierarchical:axes=xyz").contains("one of block, chunk, scatter"));
    }
}
