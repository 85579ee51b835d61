"""Nodes, names, coordinates, links and distances of a machine, as arrays and frames."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._error import flag, node_array, refused, texts

#: The axes of a machine without coordinates.
NO_AXES: tuple[str, ...] = ()


class Machine:
    """Routers, links, schedulable nodes and their names; :class:`Topology` adds the orderings of these nodes."""

    def __init__(self, native: _native.Topology, vertices: list[Any] | None = None) -> None:
        self._native = native
        self._vertices = vertices

    @property
    def name(self) -> str:
        """The machine's name."""
        return self._native.name

    @property
    def spec(self) -> str:
        """The canonical spec, such as ``torus:8x8``."""
        return self._native.spec

    @property
    def source(self) -> str | None:
        """Where the description comes from, if it says."""
        return self._native.source

    @property
    def seed(self) -> int:
        """The seed of everything random on it."""
        return self._native.seed

    @property
    def routers(self) -> int:
        """The number of routers (switches), those without nodes included."""
        return self._native.routers

    @property
    def per_router(self) -> int:
        """Nodes on each router that carries nodes, schedulable or not."""
        return self._native.per_router

    @property
    def components(self) -> int:
        """Components that hold schedulable nodes: 1 where every node reaches every other."""
        return self._native.components

    @property
    def remarks(self) -> list[str]:
        """Remarks on the file that describes it: guesses, and lines that other programs refuse."""
        return self._native.remarks()

    @cached_property
    def nodes(self) -> NDArray[np.int64]:
        """The schedulable nodes in id order: shape (n,), int64, read-only. A node's id: router · per_router + slot."""
        nodes = self._native.nodes()
        nodes.flags.writeable = False
        return nodes

    @property
    def names(self) -> list[str]:
        """The names of :attr:`nodes`."""
        return self._native.names_of(self.nodes)

    @cached_property
    def _lattice(self) -> tuple[NDArray[np.int64], list[bool], list[str]] | None:
        return self._native.coordinates(self.nodes)

    @property
    def coordinates(self) -> NDArray[np.int64] | None:
        """Coordinates of :attr:`nodes`: shape (n, axes), int64; None where the machine has none."""
        return None if self._lattice is None else self._lattice[0]

    @property
    def axes(self) -> tuple[str, ...]:
        """The names of the axes of :attr:`coordinates`; empty without coordinates."""
        return NO_AXES if self._lattice is None else tuple(self._lattice[2])

    @property
    def links(self) -> pd.DataFrame:
        """The links: a frame of ``u``, ``v`` (routers) and ``capacity`` (ordinary: 1), a row a link. O(links)."""
        ends, capacities = self._native.links()
        return pd.DataFrame({"u": ends[:, 0], "v": ends[:, 1], "capacity": capacities})

    @property
    def vertices(self) -> list[Any] | None:
        """The vertex of each router, for a machine from networkx; else None."""
        return None if self._vertices is None else list(self._vertices)

    def info(self, *, histogram: bool = False) -> dict[str, Any]:
        """Size, links, distances (hops), bisection and levels, as ``nodeorder topology --json`` has them.

        Args:
            histogram: add ``distance_histogram``, the pairs of nodes at each distance.

        Raises:
            NodeorderError: more memory than allowed.
        """
        return dict(json.loads(self._native.figures(flag("histogram", histogram))))

    def names_of(self, nodes: ArrayLike) -> list[str]:
        """Looks up the names of nodes.

        Raises:
            NodeorderError: a node that the machine does not have or that is not schedulable.
        """
        return self._native.names_of(node_array("nodes", nodes))

    def nodes_named(self, names: str | Iterable[str]) -> NDArray[np.int64]:
        """Looks up the nodes of names, or of names with a domain: shape (names,), int64.

        Raises:
            NodeorderError: a name that no node has.
        """
        wanted = texts("names", names)
        found = self._native.nodes_named(wanted)
        missing = next((name for name, node in zip(wanted, found) if node is None), None)
        if missing is not None:
            raise refused("names", repr(missing), f"the name of a node of {self.name}")
        return np.array(found, dtype=np.int64)

    def routers_of(self, nodes: ArrayLike) -> NDArray[np.int64]:
        """Looks up the router of each node: shape (nodes,), int64.

        Raises:
            NodeorderError: a node that the machine does not have.
        """
        return self._native.routers_of(node_array("nodes", nodes))

    def coordinates_of(self, nodes: ArrayLike) -> NDArray[np.int64]:
        """Looks up the coordinates of nodes: shape (nodes, axes), int64.

        Raises:
            NodeorderError: a machine without coordinates; a node that it does not have.
        """
        found = self._native.coordinates(node_array("nodes", nodes))
        if found is None:
            raise refused("coordinates", self.name, "a machine with coordinates")
        return found[0]

    def host_list(self, nodes: ArrayLike) -> str:
        """Writes the names of nodes as a host list in their order, such as ``n[000-003,7]``.

        Raises:
            NodeorderError: a node that the machine does not have.
        """
        return self._native.host_list(node_array("nodes", nodes))

    def distances(self, nodes: ArrayLike | None = None, to: ArrayLike | None = None) -> NDArray[np.int32]:
        """Finds the hops between nodes: the links of a shortest path between their routers.

        Args:
            nodes: the rows; all schedulable nodes unless given.
            to: the columns; the same as the rows unless given.

        Returns:
            A matrix of shape (rows, columns), int32; -1 where no path joins two nodes.

        Raises:
            NodeorderError: a node that the machine does not have; a matrix that would not fit in memory.
        """
        rows = self.nodes if nodes is None else node_array("nodes", nodes)
        return self._native.distances(rows, rows if to is None else node_array("to", to))

    def __len__(self) -> int:
        """Counts the schedulable nodes."""
        return self._native.node_count
