//! The type of orderings: sequences of distinct schedulable nodes of one topology.

use fixedbitset::FixedBitSet;

use nodeorder_base::error::sanitize;
use nodeorder_base::{Error, NodeId, Result, SourceLocation};
use nodeorder_network::Topology;

/// Sequence of distinct schedulable nodes of one topology.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeOrder {
    /// Name that the user gave it.
    pub(super) label: String,
    /// Nodes in rank order.
    pub(super) nodes: Vec<NodeId>,
    /// Lines for the header of the ordering's file that say how it was found.
    pub(super) notes: Vec<String>,
    /// Name and spec of the machine that its file says it was made for, where that is another network.
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
        let mut check = NodeCheck::new(topology);
        for node in &nodes {
            check.add_node(*node, || SourceLocation::option(&label))?;
        }
        Ok(NodeOrder {
            label,
            nodes,
            notes: Vec::new(),
            made_for: None,
        })
    }

    /// Computes the bytes that making an ordering of `topology` takes at least: the nodes, their cells, and a bit
    /// a slot to find nodes that stand twice.
    pub fn memory_needed(topology: &Topology) -> u64 {
        8 * topology.node_count() as u64 + u64::from(topology.nodes().slot_count()) / 8
    }

    /// Returns lines for a file's header that say how a search found it; none for other orderings.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Writes a remark if the ordering's file was made for another network: both by name and specification.
    pub fn machine_remark(&self, topology: &Topology) -> Option<String> {
        Some(format!(
            "{}: made for {}, used on {} ({})",
            self.label,
            sanitize(self.made_for.as_deref()?),
            topology.name(),
            topology.spec()
        ))
    }

    /// Returns the name that the user gave the ordering.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Returns the nodes in rank order.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Checks whether the ordering has no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}

/// Check of the nodes of one ordering, one by one.
pub struct NodeCheck<'a> {
    topology: &'a Topology,
    /// Nodes added so far, by id.
    seen: FixedBitSet,
}

impl<'a> NodeCheck<'a> {
    /// Begins with no nodes.
    pub fn new(topology: &'a Topology) -> Self {
        let slots = topology.nodes().slot_count() as usize;
        NodeCheck {
            topology,
            seen: FixedBitSet::with_capacity(slots),
        }
    }

    /// Adds a node. Fails if it is unknown, not schedulable, or there already.
    pub fn add_node(&mut self, node: NodeId, location: impl Fn() -> SourceLocation) -> Result<()> {
        self.topology.check_node(node, &location)?;
        if self.seen.put(node.index()) {
            return Err(Error::input(
                location(),
                format!("{} again", self.topology.describe_node(node)),
                "each node once",
            ));
        }
        Ok(())
    }
}
