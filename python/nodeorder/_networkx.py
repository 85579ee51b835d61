"""Machines from networkx graphs."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

from ._graphs import network_of
from ._topology import Topology, linked

if TYPE_CHECKING:
    import networkx as nx


def from_networkx(
    graph: nx.Graph[Any],
    *,
    name: str | None = None,
    per_router: int = 1,
    hosts: str | Iterable[Hashable] | None = None,
    capacity: str = "capacity",
    coordinates: str = "coordinates",
    seed: int = 1,
    memory: int | None = None,
) -> Topology:
    """Makes a machine of a graph whose vertices are routers and whose edges are links.

    Args:
        graph: undirected; may be in several components. Parallel edges of a multigraph are one link whose capacity is
            the sum of theirs.
        name: what the machine is called; the graph's name, else ``networkx``.
        per_router: nodes on each vertex that carries nodes, from 1.
        hosts: which vertices carry nodes: an attribute that is true for them, or the vertices. Unless given: all, or
            those whose attribute ``nodes`` is not empty, as :meth:`Topology.to_networkx` makes them.
        capacity: the edges' attribute with the capacity (1 where it is missing).
        coordinates: the vertices' attribute with coordinates, whole numbers from 0; where no vertex has it and all
            are tuples of whole numbers from 0 (as in ``networkx.grid_graph``), the vertices themselves.
        seed: as in :func:`topology`.
        memory: as in :func:`topology`.

    Returns:
        The machine. Node ids go by the order of the graph's vertices, those with nodes first; ``vertices[router]`` is
        the vertex. Nodes are called as the vertices' attribute ``name`` says (or ``names``, one a node), else as the
        vertex.

    Raises:
        NodeorderError: a directed graph, a link from a vertex to itself, a capacity that is not above 0, coordinates
            that are none, a vertex that is not there.
    """
    return linked(network_of(graph, name, per_router, hosts, capacity, coordinates), seed, memory)
