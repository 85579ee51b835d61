"""Machines: networks with their schedulable nodes."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Union, overload

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._curves import Curves
from ._error import among, described, flag, node_array, path_text, refused, text, texts, whole
from ._ordering import Ordering
from ._progress import shown
from ._tables import frame

if TYPE_CHECKING:
    import networkx as nx

    from ._compare import Comparison

#: An ordering, or what makes one: a text as the command takes it, node ids, or names of nodes.
Order = Union[Ordering, str, "os.PathLike[str]", ArrayLike, Sequence[str]]
#: Several of them.
Orders = Union[Order, Sequence[Order]]

#: Axes that have no name.
NOTHING: tuple[str, ...] = ()


def memory_limit(memory: int | None) -> int:
    """Bytes that one data structure may take: as given, else four fifths of the free memory, as the command has it."""
    if memory is not None:
        return whole("memory", memory, 1)
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            free = next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:"))
        return free * 1024 // 5 * 4
    except (OSError, StopIteration, ValueError, IndexError):
        return 8_000_000_000


def topology(spec: str | os.PathLike[str], *, seed: int = 1, memory: int | None = None) -> Topology:
    """The machine that a spec names.

    Args:
        spec: ``kind:options`` such as ``torus:15x6x16,per_router=2``, the name of a shipped machine (:func:`machines`),
            or a TOML file; ``entries("topologies")`` lists the kinds.
        seed: of everything random on this machine that has no ``seed=`` of its own, from 0.
        memory: bytes that one data structure may take; four fifths of the free memory unless given.

    Returns:
        The machine. Nothing is built that is not asked for: one of 2³¹ nodes takes a few hundred bytes.

    Raises:
        NodeorderError: an unknown kind or option, a value out of range, a file that cannot be read.
    """
    named = path_text("spec", spec)
    seed, limit = whole("seed", seed, 0), memory_limit(memory)
    return Topology(_native.Topology.from_spec(named, seed, limit), ("spec", (named, seed, memory)))


class Topology:
    """A machine: routers, links, schedulable nodes and their names.

    Made by :func:`topology` and :func:`from_networkx`. It is immutable and pickles by its spec (a spec that names a file
    is read again) or by its links.
    """

    def __init__(self, native: _native.Topology, source: tuple[str, tuple[Any, ...]]) -> None:
        self._native = native
        self._source = source
        self._vertices: list[Any] | None = source[1][0]["vertices"] if source[0] == "links" else None

    # What it is.

    @property
    def name(self) -> str:
        """What it is called."""
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
        """What a reader of the file should know: what was guessed, what another program will not take."""
        return self._native.remarks()

    @cached_property
    def nodes(self) -> NDArray[np.int64]:
        """The schedulable nodes in id order: shape (n,), int64, read-only. A node's id is router · per_router + slot."""
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
        return NOTHING if self._lattice is None else tuple(self._lattice[2])

    @property
    def links(self) -> pd.DataFrame:
        """The links: a frame of ``u``, ``v`` (routers) and ``capacity`` (1 is an ordinary link), a row a link. O(links)."""
        ends, capacities = self._native.links()
        return pd.DataFrame({"u": ends[:, 0], "v": ends[:, 1], "capacity": capacities})

    @property
    def vertices(self) -> list[Any] | None:
        """Of a machine from networkx, the vertex that each router is; else None."""
        return None if self._vertices is None else list(self._vertices)

    def info(self, *, histogram: bool = False) -> dict[str, Any]:
        """Size, links, distances (hops), bisection and levels, as ``nodeorder topology --json`` has them.

        Args:
            histogram: add ``distance_histogram``, the pairs of nodes at each distance.

        Raises:
            NodeorderError: more memory than allowed.
        """
        return dict(json.loads(self._native.figures(flag("histogram", histogram))))

    # Nodes.

    def names_of(self, nodes: ArrayLike) -> list[str]:
        """The names of nodes.

        Raises:
            NodeorderError: a node that the machine does not have or that is not schedulable.
        """
        return self._native.names_of(node_array("nodes", nodes))

    def nodes_named(self, names: str | Iterable[str]) -> NDArray[np.int64]:
        """The nodes of names, or of names with a domain: shape (names,), int64.

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
        """The router of each node: shape (nodes,), int64.

        Raises:
            NodeorderError: a node that the machine does not have.
        """
        return self._native.routers_of(node_array("nodes", nodes))

    def coordinates_of(self, nodes: ArrayLike) -> NDArray[np.int64]:
        """Coordinates of nodes: shape (nodes, axes), int64.

        Raises:
            NodeorderError: a machine without coordinates; a node that it does not have.
        """
        found = self._native.coordinates(node_array("nodes", nodes))
        if found is None:
            raise refused("coordinates", self.name, "a machine with coordinates")
        return found[0]

    def host_list(self, nodes: ArrayLike) -> str:
        """The names of nodes as a host list in their order, such as ``n[000-003,7]``.

        Raises:
            NodeorderError: a node that the machine does not have.
        """
        return self._native.host_list(node_array("nodes", nodes))

    def distances(self, nodes: ArrayLike | None = None, to: ArrayLike | None = None) -> NDArray[np.int32]:
        """Hops between nodes: the links of a shortest path between their routers.

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

    def place(self, nodes: ArrayLike, order: Order | None = None) -> dict[str, Any]:
        """The metrics of one allocation.

        Args:
            nodes: its nodes, each once; for ``ring_hops`` in the order of its ranks.
            order: an ordering, to add ``linear_span`` and ``ring_span`` (ranks).

        Returns:
            ``size``, ``total_distance`` and ``mind`` (hops; None where no path joins some), ``components``,
            ``diameter`` (hops), the bounding box on grids, ``ring_hops`` (of the closed walk through the nodes) and
            ``units_LEVEL``, the units that it touches at each level.

        Raises:
            NodeorderError: no node, a node twice, one that the machine or the ordering does not have.
        """
        given = node_array("nodes", nodes)
        ordering = None if order is None else self.order(order)._native
        return dict(json.loads(self._native.place(given, ordering)))

    # Orderings.

    def orderings(self) -> list[str]:
        """The orderings that suit the machine: what :meth:`compare` starts from."""
        return self._native.suiting()

    def order(self, by: Order, *, label: str | None = None, progress: bool | None = None) -> Ordering:
        """Makes an ordering.

        Args:
            by: a text as ``nodeorder order --by`` takes it (``hilbert``, ``snake:axes=zxy``, a file), node ids in rank
                order (any integer array; int64 is not copied by numpy), or names of nodes.
            label: what tables call it; the text, or ``array``, unless given.
            progress: show a bar; in notebooks and on terminals unless given.

        Returns:
            The ordering. Nodes left out are not schedulable under it.

        Raises:
            NodeorderError: an unknown method, bad options, a method that does not suit the machine, a bad file; a
                node that is unknown, not schedulable or there twice.
        """
        called = None if label is None else text("label", label)
        if isinstance(by, Ordering):
            same = by.topology is self or by.topology.spec == self.spec
            if same and called in (None, by.label):
                return by
            return self.order(by.nodes, label=called or by.label)
        if isinstance(by, (str, os.PathLike)):
            wanted = path_text("by", by)
            with shown(progress, wanted, "step") as show:
                made = Ordering(self, _native.Ordering.make(self._native, wanted, show))
            return made if called is None else self.order(made.nodes, label=called)
        named = isinstance(by, Sequence) and len(by) > 0 and all(isinstance(name, str) for name in by)
        nodes = self.nodes_named([str(name) for name in by]) if named else node_array("by", by)  # type: ignore[union-attr]
        return Ordering(self, _native.Ordering.of_nodes(self._native, called or "array", nodes))

    def _orders(self, orders: Orders) -> list[Ordering]:
        """One ordering or several, each label once."""
        several = isinstance(orders, (list, tuple)) and not (
            orders and all(isinstance(order, (int, np.integer)) for order in orders)
        )
        listed: Sequence[Any] = orders if several else [orders]  # type: ignore[assignment]
        if not listed:
            raise refused("orders", "none", "an ordering or several")
        made = [self.order(order) for order in listed]
        labels = [order.label for order in made]
        again = next((label for i, label in enumerate(labels) if label in labels[:i]), None)
        if again is not None:
            raise refused("orders", f"two orderings called {again}", "each label once (label=)")
        return made

    def mpc(self, orders: Orders, sizes: str | ArrayLike | None = None, *, progress: bool | None = None) -> Curves:
        """Exact Mean Placement Calculation curves: the mean distance inside windows of consecutive ranks.

        Args:
            orders: one ordering or several, or what makes them.
            sizes: job sizes from 2 to the number of nodes: an array, a text such as ``"2,64,100-110"`` or ``"log"``
                (eight an octave); all unless given.
            progress: show a bar; in notebooks and on terminals unless given.

        Returns:
            A frame with the index ``size`` (nodes) and a column of mean hops an ordering; it draws itself.

        Raises:
            NodeorderError: a size out of range; what :meth:`order` refuses; more memory than allowed.

        The definition is that of Albing, "Evaluating Node Orderings for Improved Compactness". Sums are whole numbers up
        to one division, so results do not depend on the number of threads.
        """
        chosen = sizes_text(sizes)
        made = self._orders(orders)
        curves = {}
        for i, order in enumerate(made):
            with shown(progress, f"MPC {i + 1}/{len(made)}", "step") as show:
                found, values = _native.curve(self._native, order._native, chosen, show)
            curves[order.label] = pd.Series(values, index=pd.Index(found, name="size"), copy=False)
        frame = Curves(curves)
        frame.index.name = "size"
        frame.machine = self.name
        return frame

    def compare(
        self,
        orders: Orders | None = None,
        *,
        trace: Any = None,
        alloc: str | Sequence[str] = (),
        policy: str | None = None,
        model: str | None = None,
        guest: str | None = None,
        routing: str | None = None,
        procs_per_node: int | None = None,
        progress: bool | None = None,
    ) -> Comparison:
        """Ranks orderings by their exact MPC curves, and with a trace also by what its jobs get.

        Args:
            orders: several orderings; those that suit the machine unless given.
            trace: a placement log or a trace to replay and to schedule: a path or a frame (see :func:`replay`).
            alloc: allocators of the replay.
            policy: of the schedule, or ``none``; ``easy`` unless given.
            model: the runtime model of the schedule.
            guest: a pattern in which jobs talk, and ``routing`` its routing.
            procs_per_node: processors of a node, in SWF traces.
            progress: show a bar; in notebooks and on terminals unless given.

        Returns:
            The comparison: ``.table``, ``.curves``, ``.save(folder)``; a summary in a notebook.

        Raises:
            NodeorderError: orderings of different nodes, and whatever is wrong with the trace and its settings.
        """
        from ._compare import compared

        return compared(
            self, orders, trace, texts("alloc", alloc), policy, model, guest, routing, procs_per_node, progress
        )

    @overload
    def map(
        self,
        guest: Any,
        where: Any,
        *,
        routing: str = ...,
        method: str | None = ...,
        out: Literal["summary"] = ...,
        progress: bool | None = ...,
    ) -> dict[str, Any]: ...
    @overload
    def map(
        self,
        guest: Any,
        where: Any,
        *,
        routing: str = ...,
        method: str | None = ...,
        out: Literal["links", "mapping"],
        progress: bool | None = ...,
    ) -> pd.DataFrame: ...
    def map(
        self,
        guest: Any,
        where: Any,
        *,
        routing: str = "ecmp-hop",
        method: str | None = None,
        out: str = "summary",
        progress: bool | None = None,
    ) -> dict[str, Any] | pd.DataFrame:
        """Analyses how far an application's traffic goes and which links carry it.

        Args:
            guest: the traffic: a pattern or file as the command takes it (``stencil:8x8x8``), a frame of ``source``,
                ``target``, ``volume``, a square matrix (numpy or scipy.sparse; row is source), or a networkx DiGraph of
                processes 0, 1, … with ``weight``.
            where: process i runs on rank i of an ordering (or what makes one); or a mapping: a path ending in ``.csv``, a
                ``pathlib.Path`` or a frame of ``process``, ``node``.
            routing: which links traffic takes; ``entries("routings")``.
            method: put the processes on the same nodes anew; ``entries("methods")``.
            out: ``summary``, the document of ``nodeorder map --json`` as a dict; ``links``, a frame of the load of every
                directed link; ``mapping``, a frame of process and node.
            progress: show a bar; in notebooks and on terminals unless given.

        Raises:
            NodeorderError: an unknown name, fewer nodes than processes, a routing that does not suit the machine.
        """
        from ._guests import guest_text, place_of

        wanted = among("out", out, ["summary", "links", "mapping"])
        with shown(progress, "mapping", "step") as show:
            found = _native.map(
                self._native,
                guest_text(guest),
                place_of(self, where),
                text("routing", routing),
                None if method is None else text("method", method),
                wanted,
                show,
            )
        return dict(json.loads(found)) if wanted == "summary" else frame(found)

    # Elsewhere.

    def to_networkx(self) -> nx.Graph[int]:
        """The routers and links as a networkx graph.

        Vertices are routers with ``nodes`` (ids of their schedulable nodes), ``names`` and, where the machine has them,
        ``coordinates``; edges have ``capacity``. The graph has the machine's ``name`` and ``spec``.
        """
        from ._networkx import to_networkx

        return to_networkx(self)

    def plot(self, order: Order | None = None, ax: Any = None) -> Any:
        """Draws the nodes at their coordinates, coloured by rank in ``order`` or by id; slices stand side by side.

        Returns:
            The matplotlib axes.
        """
        from ._plot import draw_machine

        return draw_machine(self, None if order is None else self.order(order), ax)

    def __len__(self) -> int:
        """The number of schedulable nodes."""
        return self._native.node_count

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, self._source

    def __repr__(self) -> str:
        return f"<Topology {self.name!r}: {len(self)} nodes on {self.routers} routers>"

    def _repr_html_(self) -> str:
        figures: dict[str, Any] = {"spec": self.spec, "nodes": f"{len(self):,}", "routers": f"{self.routers:,}"}
        figures["nodes a router"] = self.per_router
        if self.components > 1:
            figures["components"] = self.components
        if self.source:
            figures["source"] = self.source
        rows = "".join(
            f"<tr><th style='text-align:left'>{key}</th><td style='text-align:left'>{html.escape(str(value))}</td></tr>"
            for key, value in figures.items()
        )
        return f"<table><caption><b>{html.escape(self.name)}</b></caption>{rows}</table>"


def _again(kind: str, arguments: tuple[Any, ...]) -> Topology:
    if kind == "spec":
        spec, seed, memory = arguments
        return topology(spec, seed=seed, memory=memory)
    return linked(*arguments)


def linked(network: dict[str, Any], seed: int, memory: int | None) -> Topology:
    """The machine of links in memory, as :func:`from_networkx` collects them."""
    native = _native.Topology.from_links(
        network["name"],
        network["routers"],
        network["hosts"],
        network["per_router"],
        network["links"],
        network["capacities"],
        network["names"],
        network["coordinates"],
        network["wrap"],
        whole("seed", seed, 0),
        memory_limit(memory),
    )
    return Topology(native, ("links", (network, seed, memory)))


def sizes_text(sizes: object) -> str:
    """Job sizes as ``--sizes`` takes them."""
    if sizes is None:
        return "all"
    if isinstance(sizes, str):
        return text("sizes", sizes)
    try:
        array = np.asarray(sizes)
    except ValueError:
        raise refused("sizes", described(sizes), "whole numbers") from None
    if array.dtype.kind not in "iu" or array.ndim != 1 or array.size == 0:
        raise refused("sizes", described(sizes), "whole numbers, all, log or a list such as 2,64,100-110")
    return ",".join(map(str, array.tolist()))
