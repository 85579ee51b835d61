//! The table of orderings: constructions, then searches; and the way from a text to an ordering.

use super::constructions::table::ENTRIES;
use super::entry::{Method, OrderingEntry, RequestedOrdering, list_suitable};
use super::search::ilp::ILP;
use super::search::optimise::OPTIMISE;
use super::{NodeOrder, SearchResult};
use nodeorder_base::observer::NoObserver;
use nodeorder_base::{Observer, Registry, Result};
use nodeorder_network::Topology;

/// Table of all families of orderings.
pub static ORDERINGS: Registry<Method> = Registry::new("ordering", "", &list_all());

/// Families whose orderings are searched for.
const SEARCHES: [OrderingEntry; 2] = [ILP, OPTIMISE];

/// Lists the constructions and, after them, the searches.
const fn list_all() -> [OrderingEntry; ENTRIES.len() + SEARCHES.len()] {
    let mut all = [ILP; ENTRIES.len() + SEARCHES.len()];
    let mut i = 0;
    while i < all.len() {
        all[i] = if i < ENTRIES.len() {
            ENTRIES[i]
        } else {
            SEARCHES[i - ENTRIES.len()]
        };
        i += 1;
    }
    all
}

impl NodeOrder {
    /// Makes the ordering that `text` asks for: a method's name with options, or an ordering file.
    ///
    /// # Errors
    /// An unknown name, bad options, a method that does not suit the topology, a bad file.
    ///
    /// # Examples
    /// ```
    /// use nodeorder_order::ordering::NodeOrder;
    /// use nodeorder_network::topology::Topology;
    /// let mesh = Topology::inline("mesh:2x3", &Default::default())?;
    /// let order = NodeOrder::make(&mesh, "snake")?;
    /// let ids: Vec<u32> = order.nodes().iter().map(|n| n.0).collect();
    /// assert_eq!(ids, [0, 1, 2, 5, 4, 3]);
    /// # Ok::<(), nodeorder_base::error::Error>(())
    /// ```
    pub fn make(topology: &Topology, text: &str) -> Result<Self> {
        Ok(NodeOrder::make_observed(topology, text, &NoObserver)?.0)
    }

    /// Makes the ordering as [`NodeOrder::make`] does, under an observer: searches (`ilp`, `optimise`) ask it for
    /// the time and whether to stop, report progress to it, and also return how good their result is.
    ///
    /// # Errors
    /// As [`NodeOrder::make`].
    pub fn make_observed(
        topology: &Topology,
        text: &str,
        observer: &dyn Observer,
    ) -> Result<(Self, Option<SearchResult>)> {
        topology.require_memory("an ordering", NodeOrder::memory_needed(topology))?;
        RequestedOrdering::parse(&ORDERINGS, topology, text)?.make_order(topology, observer)
    }

    /// Checks the ordering that `text` asks for as [`NodeOrder::make`] would, without working it out: its options, and
    /// the files that they name. Returns the ordering of a file.
    ///
    /// # Errors
    /// As [`NodeOrder::make`], as far as options and files show them.
    pub fn check(topology: &Topology, text: &str) -> Result<Option<Self>> {
        RequestedOrdering::parse(&ORDERINGS, topology, text)?.check_inputs(topology)
    }
}

/// Lists the names of the methods that suit a topology.
pub fn suitable(topology: &Topology) -> Vec<&'static str> {
    list_suitable(&ORDERINGS, topology)
}
