//! Machines from links that a program has in memory, without a file or a specification.

use petgraph::unionfind::UnionFind;

use super::context::Context;
use super::lattice::Lattice;
use super::link_list::{MOST_CAPACITY, network_of_links, number_sets};
use super::machine::Topology;
use super::machine_options::MachineOptions;
use super::network::Network;
use super::sizes::{check_nodes, require_graph};
use nodeorder_base::{Error, Result, SourceLocation};

/// A network in memory. Routers are `0..routers`; nodes sit on the first `hosts` of them, router by router.
#[derive(Clone, Debug, Default)]
pub struct LinkedRouters {
    /// Name of the machine.
    pub name: String,
    /// Number of routers, at least 1.
    pub routers: u32,
    /// Number of routers that carry nodes, at least 1.
    pub hosts: u32,
    /// Number of nodes on each router that carries nodes, at least 1.
    pub per_router: u32,
    /// Links: two routers each, in any order.
    pub links: Vec<(u32, u32)>,
    /// Capacity of every link, which is one cable; empty if all are 1.
    pub capacities: Vec<f64>,
    /// Name of every node by its id; empty if names are n and the id.
    pub names: Vec<String>,
    /// Coordinates of the routers that carry nodes, by [`Lattice::cells`] of every node id; `None` if there are none.
    pub lattice: Option<Lattice>,
}

impl Topology {
    /// Builds the machine of a network in memory, which may be in several components. Its specification is
    /// `graph:` and its name; no file stands behind it.
    ///
    /// # Errors
    /// A router that is not there, a link from a router to itself, the same link twice, a capacity that is not finite
    /// and above 0; names that are not one a node; more memory than `context` allows.
    ///
    /// # Complexity
    /// O(routers + links · log links).
    ///
    /// # Examples
    /// ```
    /// use nodeorder_base::ids::NodeId;
    /// use nodeorder_network::topology::Topology;
    /// use nodeorder_network::topology::LinkedRouters;
    /// let links = vec![(0, 1), (1, 2), (2, 3), (3, 0)];
    /// let ring =
    ///     LinkedRouters { name: "ring".into(), routers: 4, hosts: 4, per_router: 1, links, ..Default::default() };
    /// let machine = Topology::linked(ring, &Default::default())?;
    /// assert_eq!(machine.distance(NodeId(0), NodeId(2)), 2);
    /// # Ok::<(), nodeorder_base::error::Error>(())
    /// ```
    pub fn linked(network: LinkedRouters, context: &Context) -> Result<Self> {
        let LinkedRouters {
            name,
            routers,
            hosts,
            per_router,
            links,
            capacities,
            names,
            lattice,
        } = network;
        let location = SourceLocation::option(&name);
        check_nodes(&location, u64::from(routers))?;
        let slots = u64::from(hosts) * u64::from(per_router);
        check_nodes(&location, slots)?;
        if hosts > routers {
            let found = format!("{hosts} routers with nodes among {routers}");
            return Err(Error::input(
                location,
                found,
                "routers with nodes among all",
            ));
        }
        if ![0, slots as usize].contains(&names.len()) {
            let found = format!("{} names", names.len());
            return Err(Error::input(location, found, "a name for each node"));
        }
        if ![0, links.len()].contains(&capacities.len()) {
            let found = format!("{} capacities", capacities.len());
            return Err(Error::input(location, found, "one for each link"));
        }
        require_graph(context, u64::from(routers), links.len() as u64)?;
        let has_capacities = !capacities.is_empty();
        let links = sort_links(routers, links, capacities, &location)?;
        let mut parts = UnionFind::<u32>::new(routers as usize);
        for ((u, v), _) in &links {
            parts.union(*u, *v);
        }
        let component_of = number_sets(parts);
        let is_joined = component_of.iter().all(|component| *component == 0);
        let (links, capacities): (Vec<_>, _) = links.into_iter().unzip();
        let spec = format!("graph:{name}");
        let network = Network {
            cable_counts: has_capacities.then(|| vec![1; links.len()]),
            hosts,
            names,
            component_of: if is_joined { Vec::new() } else { component_of },
            lattice,
            ..network_of_links(spec, routers, per_router, links, capacities)
        };
        let options = MachineOptions::with_name_only(&name, SourceLocation::option("graph"));
        Topology::new(network, &options, None, context)
    }
}

/// A link, its lower end first, and its capacity.
type Link = ((u32, u32), f64);

/// Sorts links, and checks each and that none comes twice.
fn sort_links(
    routers: u32,
    links: Vec<(u32, u32)>,
    capacities: Vec<f64>,
    location: &SourceLocation,
) -> Result<Vec<Link>> {
    let capacities = capacities.into_iter().chain(std::iter::repeat(1.0));
    let wrong =
        |found: String, expected: String| Err(Error::input(location.clone(), found, expected));
    let mut sorted: Vec<Link> = Vec::with_capacity(links.len());
    for ((u, v), capacity) in links.into_iter().zip(capacities) {
        if u == v {
            let found = format!("a link from router {u} to itself");
            return wrong(found, "two different routers".into());
        }
        if u.max(v) >= routers {
            let found = format!("router {}", u.max(v));
            return wrong(found, format!("routers below {routers}"));
        }
        // Not `<=` and `>`: NaN is neither.
        if !(capacity > 0.0 && capacity <= MOST_CAPACITY) {
            let found = format!("capacity {capacity} of link {u},{v}");
            return wrong(found, "a number above 0, up to 1e15".into());
        }
        sorted.push(((u.min(v), u.max(v)), capacity));
    }
    sorted.sort_by_key(|(ends, _)| *ends);
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        let (u, v) = pair[0].0;
        let found = format!("link {u},{v} again");
        return wrong(found, "each link once, in one direction".into());
    }
    Ok(sorted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::testing;
    use nodeorder_base::NodeId;

    fn machine(network: LinkedRouters) -> Result<Topology> {
        let network = LinkedRouters {
            name: "mine".into(),
            ..network
        };
        Topology::linked(network, &Context::default())
    }

    fn path(links: &[(u32, u32)]) -> LinkedRouters {
        let links = links.to_vec();
        LinkedRouters {
            routers: 4,
            hosts: 4,
            per_router: 1,
            links,
            ..LinkedRouters::default()
        }
    }

    #[test]
    fn a_network_in_memory_is_that_of_a_torus() {
        let torus = Topology::inline("torus:3x5,per_router=2", &Context::default()).unwrap();
        let mut links = Vec::new();
        torus
            .network()
            .for_each_link(&mut |u, v, _| links.push((v, u)));
        let network = LinkedRouters {
            routers: 15,
            hosts: 15,
            per_router: 2,
            links,
            ..Default::default()
        };
        let mine = machine(network).unwrap();
        testing::check_links(&mine);
        assert_eq!((mine.spec(), mine.component_count()), ("graph:mine", 1));
        for (a, b) in (0..30).flat_map(|a| (0..30).map(move |b| (NodeId(a), NodeId(b)))) {
            assert_eq!(mine.distance(a, b), torus.distance(a, b));
        }
    }

    #[test]
    fn names_capacities_and_components_are_kept() {
        let names = ["a", "b", "c"].map(String::from).to_vec();
        let network = LinkedRouters {
            hosts: 3,
            capacities: vec![2.0, 1.0],
            names,
            ..path(&[(3, 0), (2, 1)])
        };
        let mine = machine(network).unwrap();
        assert_eq!((mine.node_count(), mine.component_count()), (3, 2));
        assert_eq!(mine.node_named("c"), Some(NodeId(2)));
        assert_eq!(mine.unreachable_pairs(), 2);
        let mut capacities = Vec::new();
        mine.network()
            .for_each_link(&mut |u, v, c| capacities.push((u, v, c)));
        assert_eq!(capacities, [(0, 3, 2.0), (1, 2, 1.0)]);
    }

    #[test]
    fn faults_are_named() {
        let with = |capacities: &[f64]| LinkedRouters {
            capacities: capacities.to_vec(),
            ..path(&[(0, 1)])
        };
        for (network, expected) in [
            (
                path(&[(0, 4)]),
                "`mine`: found router 4; expected routers below 4",
            ),
            (
                path(&[(1, 1)]),
                "`mine`: found a link from router 1 to itself",
            ),
            (path(&[(0, 1), (1, 0)]), "`mine`: found link 0,1 again"),
            (with(&[0.0]), "`mine`: found capacity 0 of link 0,1"),
            (with(&[1.0, 1.0]), "`mine`: found 2 capacities"),
            (
                LinkedRouters {
                    hosts: 5,
                    ..path(&[])
                },
                "`mine`: found 5 routers with nodes among 4",
            ),
            (
                LinkedRouters {
                    names: vec!["a".into()],
                    ..path(&[])
                },
                "`mine`: found 1 names",
            ),
            (
                LinkedRouters {
                    per_router: 0,
                    ..path(&[])
                },
                "`mine`: found a machine of 0 nodes",
            ),
        ] {
            let error = machine(network).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
