//! Hierarchical orders: all of one unit of the machine before the next, or dealt out over the units.
//!
//! Of two units with routers a b and c d the orders are `a b c d`, and with `scatter=true` `a c b d`.

use super::axes::{AXES, AxisOptions, LatticeView, REVERSE};
use super::brick::{Bricks, parse_size};
use crate::ordering::entry::{Method, Needs, OrderNodes, OrderedNodes, OrderingEntry};
use nodeorder_base::error::Result;
use nodeorder_base::ids::NodeId;
use nodeorder_base::observer::Observer;
use nodeorder_base::params::{Opt, Params};
use nodeorder_network::topology::{Level, Topology};

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
/// router's nodes (default) or a unit of a named level, kept whole. O(nodes). Errors: coordinates without levels and
/// no `block`; an unknown `chunk`.
pub const HIERARCHICAL: OrderingEntry = OrderingEntry::new(
    "hierarchical",
    "unit by unit: group, chassis, blade or pod, leaf; block=3x6x8 on grids; scatter=true deals out",
    &[
        AXES.only_with("block=3x6x8"),
        REVERSE.only_with("block=3x6x8"),
        Opt::flag("scatter", "one chunk of each outermost unit in turn"),
        Opt::extents("block", "cells of a unit along each axis, on grids")
            .default_in_words("the levels of the machine"),
        Opt::text(
            "chunk",
            "what is dealt at a time with scatter: router or the name of a level",
        )
        .default_value("router"),
    ],
    Method::new(Needs::Levels, parse_options),
);

/// Chunks of an outermost unit, which `scatter` deals out.
type UnitChunks = Vec<Vec<NodeId>>;

/// Options on a machine that has levels.
struct Hierarchical {
    /// Whether chunks of the outermost units are dealt out in turn.
    scatter: bool,
    /// Level whose units are dealt; `None` for routers.
    chunk: Option<Level>,
}

/// Options of blocks on a machine that has coordinates.
struct Blocks {
    axes: AxisOptions,
    /// Number of cells of a block along each axis of the view.
    size: Vec<u32>,
    /// Whether cells of the blocks are dealt out in turn.
    scatter: bool,
}

/// Reads the options for levels, or for blocks where there are none. Fails if they do not suit the machine.
fn parse_options(topology: &Topology, params: &Params) -> Result<Box<dyn OrderNodes>> {
    let scatter = params.is_set("scatter")?;
    let levels = topology.network().levels();
    if levels.is_empty() || params.has_key("block") {
        return parse_blocks(topology, params, scatter);
    }
    params.refuse_unread(&["axes", "reverse"])?;
    let mut names = vec!["router"];
    names.extend(levels.iter().map(|l| &*l.name));
    let chunk = parse_chunk(params, &names)?;
    let chunk = levels.iter().find(|l| l.name == chunk).cloned();
    if scatter {
        let slots = u64::from(topology.network().slots());
        let hosts = u64::from(topology.network().hosts());
        topology
            .context()
            .require_memory("the units", 64 * hosts + 4 * slots)?;
    }
    Ok(Box::new(Hierarchical { scatter, chunk }))
}

impl OrderNodes for Hierarchical {
    fn order_nodes(&self, topology: &Topology, _: &dyn Observer) -> Result<OrderedNodes> {
        let levels = topology.network().levels();
        let nodes = match levels.first().filter(|_| self.scatter) {
            Some(outermost) => deal_units(topology, outermost, self.chunk.as_ref()),
            None => topology.nodes().iter().collect(),
        };
        Ok(OrderedNodes::Constructed(nodes))
    }
}

/// Deals out the chunks of each unit of the outermost level; they are units of the inner level, or routers.
fn deal_units(topology: &Topology, outermost: &Level, inner: Option<&Level>) -> Vec<NodeId> {
    let slots = topology.network().slots();
    // Ids that follow each other on a router; all of a server's where its GPUs are on a router each.
    let here = match topology.network().dealt_over() {
        1 => topology.network().per_router(),
        over => over,
    };
    let mut units = Vec::new();
    for unit in 0..outermost.unit_count(slots) {
        let unit = outermost.node_ids_of(unit, slots);
        let mut chunks = Vec::new();
        let mut at = unit.start;
        while at < unit.end {
            let end = inner.map_or(at + here, |l| {
                l.node_ids_of(l.unit_of(NodeId(at)), slots).end
            });
            // Units of the inner level may reach over several of the outermost.
            let end = end.min(unit.end);
            let ids = (at..end).map(NodeId);
            chunks.push(ids.filter(|n| topology.nodes().contains(*n)).collect());
            at = end;
        }
        units.push(chunks);
    }
    deal_chunks(units)
}

/// Reads the chunk dealt at a time: one of `names`, a router unless given.
fn parse_chunk<'n>(params: &Params, names: &[&'n str]) -> Result<&'n str> {
    match params.optional_word("chunk")? {
        Some(word) => params.find_choice("chunk", &word, names),
        None => Ok("router"),
    }
}

/// Reads the options of blocks. Fails if the machine has no coordinates, or the blocks do not suit it.
fn parse_blocks(
    topology: &Topology,
    params: &Params,
    scatter: bool,
) -> Result<Box<dyn OrderNodes>> {
    if topology.lattice().is_none() {
        return Err(params.unsuited_error(
            format!(
                "{} has no coordinates, which `block` needs",
                topology.name()
            ),
            "what works here: no `block`",
        ));
    }
    let axes = AxisOptions::parse(topology, params)?;
    let view = axes.lattice_view(topology)?;
    let Some(size) = parse_size(&view, params, "block")? else {
        return Err(params.unsuited_error(
            format!(
                "{} has no levels such as groups or leaf switches",
                topology.name()
            ),
            "what works here: `block=` with the cells of a rack along each axis, as in block=3x6x8",
        ));
    };
    parse_chunk(params, &["router"])?;
    topology
        .context()
        .require_memory("the blocks", 96 * view.cell_count() as u64)?;
    Ok(Box::new(Blocks {
        axes,
        size,
        scatter,
    }))
}

impl OrderNodes for Blocks {
    fn order_nodes(&self, topology: &Topology, _: &dyn Observer) -> Result<OrderedNodes> {
        let view = self.axes.lattice_view(topology)?;
        let nodes = list_block_nodes(topology, &view, self.size.clone(), self.scatter);
        Ok(OrderedNodes::Constructed(nodes))
    }
}

/// Lists the nodes of blocks of so many cells, one block after the other or dealt out.
fn list_block_nodes(
    topology: &Topology,
    view: &LatticeView<'_>,
    size: Vec<u32>,
    scatter: bool,
) -> Vec<NodeId> {
    let blocks = Bricks::new(&view.extents, size);
    let mut of_cell = vec![0; view.cell_count()];
    let mut cells = Vec::with_capacity(view.cell_count());
    for block in 0..blocks.len() {
        blocks.visit_cells(block, "row", |position| {
            let cell = view.cell_at(position);
            of_cell[cell as usize] = block;
            cells.push(cell);
        });
    }
    if !scatter {
        return view.list_nodes(cells);
    }
    let mut units: Vec<UnitChunks> = vec![Vec::new(); blocks.len() as usize];
    let lattice_cells = topology.lattice().and_then(|l| l.cells.as_ref());
    let mut last = None;
    for node in view.list_nodes(cells) {
        let cell = lattice_cells.map_or_else(|| topology.router_of(node).0, |c| c[node.index()]);
        let unit = &mut units[of_cell[cell as usize] as usize];
        // The nodes of a cell stand together and are one chunk.
        match unit.last_mut() {
            Some(chunk) if last == Some(cell) => chunk.push(node),
            _ => unit.push(vec![node]),
        }
        last = Some(cell);
    }
    deal_chunks(units)
}

/// Deals out the nodes of one chunk of each unit in turn, until all are used up.
fn deal_chunks(units: Vec<UnitChunks>) -> Vec<NodeId> {
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
    use crate::ordering::NodeOrder;
    use crate::testing::{error, from_file, ids};

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
