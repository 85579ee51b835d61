//! Entries of the table of orderings: how a family makes an ordering, and what it needs.

use super::optimise::SearchResult;
use nodeorder_base::error::Result;
use nodeorder_base::ids::NodeId;
use nodeorder_base::observer::Observer;
use nodeorder_base::params::Params;
use nodeorder_base::registry::Entry;
use nodeorder_network::topology::Topology;

/// A family of orderings: an entry of [`super::ORDERINGS`].
pub type OrderingEntry = Entry<Method>;

/// How a family makes an ordering, and what for.
#[derive(Clone, Copy)]
pub struct Method {
    /// Its need of a topology.
    pub needs: Needs,
    /// Whether the nodes of a router stand together in rank order, unless an option says otherwise.
    pub keeps_routers: bool,
    pub(super) make: Make,
}

/// How the nodes are found: the options are read and checked first, and what they ask for is then done.
#[derive(Clone, Copy)]
pub(super) enum Make {
    /// From the topology and the options alone.
    Direct(Direct),
    /// By a search that an observer times and may stop, and that says how good its result is.
    Search(Search),
}

/// Work that is left when the options are checked.
pub(super) type Work<'a, T> = Result<Box<dyn FnOnce() -> Result<T> + 'a>>;
/// See [`Make::Direct`].
pub(super) type Direct = for<'a> fn(&'a Topology, &'a Params) -> Work<'a, Vec<NodeId>>;
/// See [`Make::Search`].
pub(super) type Search =
    for<'a> fn(&'a Topology, &'a Params, &'a dyn Observer) -> Work<'a, SearchResult>;

impl Method {
    /// A method that needs nothing but the topology and its options.
    pub(super) const fn direct(needs: Needs, order: Direct) -> Self {
        Method {
            needs,
            keeps_routers: true,
            make: Make::Direct(order),
        }
    }

    /// A method that searches; it works on every topology.
    pub(super) const fn search(search: Search) -> Self {
        Method {
            needs: Needs::Nothing,
            keeps_routers: true,
            make: Make::Search(search),
        }
    }

    /// Returns whether the method works on `topology`.
    pub fn suits(&self, topology: &Topology) -> bool {
        self.needs.met_by(topology)
    }

    /// Marks a method that parts the nodes of a router.
    pub(super) const fn parting_routers(mut self) -> Self {
        self.keeps_routers = false;
        self
    }
}

/// The need of a method that not every topology meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Nothing: works everywhere.
    Nothing,
    /// Integer coordinates.
    Lattice,
    /// A hierarchy of units, or coordinates to cut blocks from.
    Levels,
}

impl Needs {
    /// Whether `topology` has it.
    pub fn met_by(self, topology: &Topology) -> bool {
        match self {
            Needs::Nothing => true,
            Needs::Lattice => topology.lattice().is_some(),
            Needs::Levels => {
                !topology.network().levels().is_empty() || topology.lattice().is_some()
            }
        }
    }
}
