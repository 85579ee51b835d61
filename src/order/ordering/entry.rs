//! Entries of the tables of orderings: the needs of a method, the reading of its options, and the making of an
//! ordering.
//!
//! A text takes two steps: `hilbert:bits=5` → [`RequestedOrdering`], whose options are read and checked, which takes
//! no time → [`NodeOrder`], which may take a search.

use std::path::Path;

use super::NodeOrder;
use super::file::read_file;
use super::search_result::SearchResult;
use nodeorder_base::observer::NoObserver;
use nodeorder_base::{Entry, NodeId, Observer, Params, Registry, Result};
use nodeorder_network::Topology;

/// Family of orderings: an entry of [`super::ORDERINGS`].
pub type OrderingEntry = Entry<Method>;

/// Constructor of a family's orderings, and the machines that it works on.
#[derive(Clone, Copy)]
pub struct Method {
    /// What the ordering needs of a topology.
    pub needs: Needs,
    /// Whether the nodes of a router stand together in rank order, unless an option says otherwise.
    pub keeps_routers: bool,
    /// Parser of the options for a topology that meets the need.
    pub(super) options: ParseOptions,
}

/// Parser that reads and checks options; it takes no time and reads no file.
pub type ParseOptions = fn(&Topology, &Params) -> Result<Box<dyn OrderNodes>>;

/// Options of one method, read for one topology, whose nodes they can order.
pub trait OrderNodes: Send {
    /// Puts the nodes in rank order.
    ///
    /// # Errors
    /// More memory than allowed, a file that cannot be read, a search that its options do not let begin.
    fn order_nodes(&self, topology: &Topology, observer: &dyn Observer) -> Result<OrderedNodes>;

    /// Checks what can only be seen beside the options: files that they name, and whether there is a clock.
    ///
    /// # Errors
    /// As [`OrderNodes::order_nodes`] would say before it takes time.
    fn check_inputs(&self, _topology: &Topology, _observer: &dyn Observer) -> Result<()> {
        Ok(())
    }
}

/// Nodes in rank order.
pub enum OrderedNodes {
    /// Nodes of a construction.
    Constructed(Vec<NodeId>),
    /// Result of a search: nodes, objective and bound.
    Searched(SearchResult),
}

impl Method {
    /// Makes a method that keeps the nodes of a router together.
    pub(super) const fn new(needs: Needs, options: ParseOptions) -> Self {
        Method {
            needs,
            keeps_routers: true,
            options,
        }
    }

    /// Marks a method that parts the nodes of a router.
    pub(super) const fn parting_routers(mut self) -> Self {
        self.keeps_routers = false;
        self
    }

    /// Checks whether the method works on `topology`.
    pub fn works_on(&self, topology: &Topology) -> bool {
        self.needs.are_met_by(topology)
    }
}

/// What a method needs that not every topology has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Nothing: works everywhere.
    Nothing,
    /// Integer coordinates where an option names axes, else nothing.
    LatticeForAxes,
    /// Integer coordinates.
    Lattice,
    /// A hierarchy of units, or coordinates to cut blocks from.
    Levels,
    /// Links.
    Links,
}

impl Needs {
    /// Checks whether `topology` meets the need.
    pub fn are_met_by(self, topology: &Topology) -> bool {
        match self {
            Needs::Nothing | Needs::LatticeForAxes => true,
            Needs::Lattice => topology.lattice().is_some(),
            Needs::Links => !topology.has_distances_alone(),
            Needs::Levels => {
                !topology.network().levels().is_empty() || topology.lattice().is_some()
            }
        }
    }
}

/// An ordering of one topology as a text asks for it, its options read and checked.
pub struct RequestedOrdering {
    text: String,
    /// The options of a method; `None` where the text names a file.
    method: Option<Box<dyn OrderNodes>>,
}

impl RequestedOrdering {
    /// Reads `text`: the name of a method of `table` with options, or that of an ordering file, which is not opened.
    ///
    /// # Errors
    /// An unknown name, bad options, a method that does not suit the topology.
    pub fn parse(table: &Registry<Method>, topology: &Topology, text: &str) -> Result<Self> {
        let method = match table.get(text) {
            Some(entry) => Some(parse_options(table, entry, topology, text)?),
            None if text == "-" || Path::new(text).exists() => None,
            None => return Err(table.no_entry_error(text, "an ordering file")),
        };
        Ok(RequestedOrdering {
            text: text.to_string(),
            method,
        })
    }

    /// Makes the ordering; where a search found it, also returns how good it is.
    ///
    /// # Errors
    /// More memory than allowed, a bad file, a search that its options do not let begin.
    pub fn make_order(
        &self,
        topology: &Topology,
        observer: &dyn Observer,
    ) -> Result<(NodeOrder, Option<SearchResult>)> {
        let Some(method) = &self.method else {
            return Ok((read_file(topology, &self.text)?, None));
        };
        match method.order_nodes(topology, observer)? {
            OrderedNodes::Constructed(nodes) => {
                Ok((NodeOrder::new(topology, &self.text, nodes)?, None))
            }
            OrderedNodes::Searched(found) => {
                let mut order = NodeOrder::new(topology, &self.text, found.nodes.clone())?;
                order.notes.clone_from(&found.notes);
                Ok((order, Some(found)))
            }
        }
    }

    /// Checks the files that the options name and returns the ordering of a file, which is read.
    ///
    /// # Errors
    /// A bad file; options that want a clock.
    pub fn check_inputs(&self, topology: &Topology) -> Result<Option<NodeOrder>> {
        let Some(method) = &self.method else {
            return read_file(topology, &self.text).map(Some);
        };
        method.check_inputs(topology, &NoObserver)?;
        Ok(None)
    }
}

/// Reads the options that `text` gives an entry, for a topology that must suit it.
fn parse_options(
    table: &Registry<Method>,
    entry: &OrderingEntry,
    topology: &Topology,
    text: &str,
) -> Result<Box<dyn OrderNodes>> {
    let params = table.read_options(entry, text, topology.context().seed)?;
    let names_axes = params.has_key("axes") || params.has_key("reverse");
    let lacks_lattice =
        entry.parse.needs == Needs::LatticeForAxes && names_axes && topology.lattice().is_none();
    if lacks_lattice || !entry.parse.works_on(topology) {
        let needy = if lacks_lattice { "axes" } else { entry.name };
        let lacks = match entry.parse.needs {
            Needs::Levels => "no hierarchy of groups, chassis or leaf switches",
            Needs::Links => "no links",
            _ => "no coordinates",
        };
        return Err(params.unsuited_error(
            format!("{} has {lacks}, which `{needy}` needs", topology.name()),
            format!(
                "what works here: {}",
                list_suitable(table, topology).join(", ")
            ),
        ));
    }
    (entry.parse.options)(topology, &params)
}

/// Lists the names of the methods of `table` that suit a topology.
pub fn list_suitable(table: &Registry<Method>, topology: &Topology) -> Vec<&'static str> {
    table
        .iter()
        .filter(|entry| entry.parse.works_on(topology))
        .map(|entry| entry.name)
        .collect()
}
