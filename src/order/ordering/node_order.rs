//! Sequences of nodes that are valid orderings of their topology.

use fixedbitset::FixedBitSet;

use nodeorder_base::error::{Error, Result, SourceLocation, sanitize};
use nodeorder_base::ids::NodeId;
use nodeorder_network::topology::Topology;

/// A sequence of distinct schedulable nodes of one topology.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeOrder {
    pub(super) label: String,
    pub(super) nodes: Vec<NodeId>,
    /// How it was found, a line each, for its file's header.
    pub(super) notes: Vec<String>,
    /// The other machine that its file says it was made for.
    pub(super) made_for: Option<String>,
}

impl NodeOrder {
    /// Accepts `nodes` as an ordering called `label`. Nodes left out are not schedulable under it.
    ///
    /// # Errors
    /// An unknown, unschedulable or repeated node.
    ///
    /// # Examples
    /// ```
    /// use nodeorder_base::ids::NodeId;
    /// use nodeorder_order::ordering::NodeOrder;
    /// use nodeorder_network::topology::Topology;
    /// let ring = Topology::inline("torus:4", &Default::default())?;
    /// let order = NodeOrder::new(&ring, "mine", vec![NodeId(2), NodeId(0)])?;
    /// assert_eq!(order.nodes()[0], NodeId(2));
    /// assert!(NodeOrder::new(&ring, "twice", vec![NodeId(2), NodeId(2)]).is_err());
    /// # Ok::<(), nodeorder_base::error::Error>(())
    /// ```
    pub fn new(topology: &Topology, label: impl Into<String>, nodes: Vec<NodeId>) -> Result<Self> {
        let label = label.into();
        let mut check = Check::new(topology);
        for node in &nodes {
            check.add(*node, || SourceLocation::option(&label))?;
        }
        Ok(NodeOrder {
            label,
            nodes,
            notes: Vec::new(),
            made_for: None,
        })
    }

    /// Bytes that making an ordering of `topology` takes at least: the nodes, their cells and which are there already.
    pub fn memory(topology: &Topology) -> u64 {
        8 * topology.node_count() as u64 + u64::from(topology.nodes().slot_count()) / 8
    }

    /// How it was found, where a search found it: lines for a file's header.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// A remark where its file was made for another network: both by name and specification.
    pub fn machine_remark(&self, topology: &Topology) -> Option<String> {
        let (made_for, label) = (sanitize(self.made_for.as_deref()?), &self.label);
        let (name, spec) = (topology.name(), topology.spec());
        Some(format!(
            "{label}: made for {made_for}, used on {name} ({spec})"
        ))
    }

    /// Name that the user gave it.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The nodes in rank order.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether it has no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}

/// Accepts node ids one by one, refusing what no ordering may hold.
pub struct Check<'a> {
    topology: &'a Topology,
    seen: FixedBitSet,
}

impl<'a> Check<'a> {
    pub fn new(topology: &'a Topology) -> Self {
        let slots = topology.nodes().slot_count() as usize;
        Check {
            topology,
            seen: FixedBitSet::with_capacity(slots),
        }
    }

    pub fn add(&mut self, node: NodeId, location: impl Fn() -> SourceLocation) -> Result<()> {
        self.topology.check_node(node, &location)?;
        if self.seen.put(node.index()) {
            return Err(Error::input(
                location(),
                format!("{} again", self.topology.node_in_words(node)),
                "each node once",
            ));
        }
        Ok(())
    }
}
