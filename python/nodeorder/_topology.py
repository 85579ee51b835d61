"""Machines with their orderings, and orderings side by side."""

from __future__ import annotations

import html
import json
import os
import warnings
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Union, overload

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._compare import command_line, jobs_of
from ._curves import Curves, draw_curves, picture
from ._error import among, flag, memory_limit, node_array, path_text, refused, share, sizes_text, text, texts, whole
from ._files import Page, write_files
from ._graphs import to_networkx
from ._guests import guest_text, mapping_table
from ._machine import Machine
from ._plot import draw_machine
from ._progress import shown
from ._tables import frame

if TYPE_CHECKING:
    import networkx as nx

#: Rows of the table of a comparison that a notebook shows; the others are in ``.table``.
SHOWN = 30
#: Its columns there, and the curves of the picture above it; ``table`` and ``draw()`` have all.
COLUMNS, CURVES = 8, 5


class Ordering:
    """A sequence of distinct schedulable nodes of one machine; a node's rank is its index, from 0.

    Made by :meth:`Topology.order`. It is immutable, equal to another of the same machine and nodes, and pickles by its
    nodes. ``numpy.asarray(o)`` is ``o.nodes``.
    """

    def __init__(self, topology: Topology, native: _native.Ordering) -> None:
        self._topology = topology
        self._native = native

    @property
    def topology(self) -> Topology:
        """The machine."""
        return self._topology

    @property
    def label(self) -> str:
        """The ordering's name in tables: the text that it was made from, or the label given."""
        return self._native.label

    @cached_property
    def nodes(self) -> NDArray[np.int64]:
        """The nodes in rank order: shape (n,), int64, read-only."""
        nodes = self._native.nodes()
        nodes.flags.writeable = False
        return nodes

    @property
    def names(self) -> list[str]:
        """The names of the nodes in rank order."""
        return self._topology.names_of(self.nodes)

    @property
    def hosts(self) -> str:
        """The names in rank order as one host list, such as ``n[000-003,7]``."""
        return self._native.host_list(self._topology._native)

    @property
    def search(self) -> dict[str, Any] | None:
        """Outcome of the search that made it (``ilp``, ``optimise``): objective, lower_bound, gap, optimal, solver,
        status and steps; None for other orderings."""
        return None if self._native.found is None else dict(json.loads(self._native.found))

    def ranks(self) -> NDArray[np.int64]:
        """The rank of every node id: shape (largest id + 1,), int64; -1 for nodes that are not in it. O(n)."""
        ranks = np.full(int(self.nodes.max(initial=-1)) + 1, -1, dtype=np.int64)
        ranks[self.nodes] = np.arange(len(self))
        return ranks

    def save(self, path: str | os.PathLike[str], *, names: bool = False) -> None:
        """Writes its file, as ``nodeorder order -o`` does: one node a line after a header of comments.

        Args:
            path: the file; it is there whole or not at all.
            names: write names in the place of ids.

        Raises:
            NodeorderError: a file that cannot be written, names that would not read back.
        """
        target = path_text("path", path)
        written = self._native.text(self._topology._native, flag("names", names))
        write_files(os.path.dirname(target) or ".", {os.path.basename(target): written})

    def plot(self, **settings: Any) -> Any:
        """Draws the machine with its nodes coloured by rank; see :meth:`Topology.plot`."""
        return self._topology.plot(self, **settings)

    def __len__(self) -> int:
        return len(self._native)

    def __iter__(self) -> Iterator[int]:
        return iter(self.nodes.tolist())

    @overload
    def __getitem__(self, rank: int) -> int: ...
    @overload
    def __getitem__(self, rank: slice) -> NDArray[np.int64]: ...
    def __getitem__(self, rank: int | slice) -> int | NDArray[np.int64]:
        found = self.nodes[rank]
        return int(found) if isinstance(rank, (int, np.integer)) else found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy or dtype is not None and np.dtype(dtype) != np.int64:
            return np.array(self.nodes, dtype=dtype)
        return self.nodes

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ordering):
            return NotImplemented
        return self._topology.spec == other._topology.spec and np.array_equal(self.nodes, other.nodes)

    def __hash__(self) -> int:
        return hash((self._topology.spec, self.nodes.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return _ordered, (self._topology, self.label, self.nodes)

    def __repr__(self) -> str:
        return f"<Ordering {self.label!r} of {len(self)} nodes of {self._topology.name}>"


#: An ordering, or what makes one: a text as the command takes it, node ids, or names of nodes.
Order = Union[Ordering, str, "os.PathLike[str]", ArrayLike, Sequence[str]]
#: Several of them.
Orders = Union[Order, Sequence[Order]]


class Topology(Machine):
    """A machine: routers, links, schedulable nodes and their names.

    Made by :func:`topology` and :func:`from_networkx`. It is immutable and pickles by its spec (a spec that names a
    file is read again) or by its links.
    """

    def __init__(self, native: _native.Topology, source: tuple[str, tuple[Any, ...]]) -> None:
        super().__init__(native, source[1][0]["vertices"] if source[0] == "links" else None)
        self._source = source

    def place(self, nodes: ArrayLike, order: Order | None = None) -> dict[str, Any]:
        """Measures one allocation.

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
        return dict(json.loads(_native.place(self._native, given, ordering)))

    def orderings(self) -> list[str]:
        """Lists the orderings that suit the machine: what :meth:`compare` starts from."""
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

        Warns:
            UserWarning: a file or an ordering made for another machine; a file that leaves nodes out.

        Raises:
            NodeorderError: an unknown method, bad options, a method that does not suit the machine, a bad file; a
                node that is unknown, not schedulable or there twice.
        """
        called = None if label is None else text("label", label)
        if isinstance(by, Ordering):
            theirs = by.topology
            same = theirs is self or theirs.spec == self.spec
            if same and called in (None, by.label):
                return by
            if theirs._native.network != self._native.network:
                used = f"used on {self.name} ({self.spec})"
                warnings.warn(f"{by.label}: made for {theirs.name} ({theirs.spec}), {used}", stacklevel=2)
            return self.order(by.nodes, label=called or by.label)
        if isinstance(by, (str, os.PathLike)):
            wanted = path_text("by", by)
            with shown(progress, wanted, "step") as show:
                made = Ordering(self, _native.Ordering.make(self._native, wanted, show))
            for remark in made._native.remarks(self._native):
                warnings.warn(remark, stacklevel=2)
            return made if called is None else self.order(made.nodes, label=called)
        named = isinstance(by, Sequence) and len(by) > 0 and all(isinstance(name, str) for name in by)
        nodes = self.nodes_named([str(name) for name in by]) if named else node_array("by", by)  # type: ignore[union-attr]
        return Ordering(self, _native.Ordering.of_nodes(self._native, called or "array", nodes))

    def _orders(self, orders: Orders) -> list[Ordering]:
        """Makes the orderings; refuses two of one label."""
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
        """Computes exact Mean Placement Calculation curves: the mean distance inside windows of consecutive ranks.

        Args:
            orders: one ordering or several, or what makes them.
            sizes: job sizes from 2 to the number of nodes: an array, a text such as ``"2,64,100-110"`` or ``"log"``
                (eight an octave); all unless given.
            progress: show a bar; in notebooks and on terminals unless given.

        Returns:
            A frame with the index ``size`` (nodes) and a column of mean hops an ordering; it draws itself.

        Raises:
            NodeorderError: a size out of range; what :meth:`order` refuses; more memory than allowed.

        The definition is that of Albing, "Evaluating Node Orderings for Improved Compactness". Sums are whole numbers
        up to one division, so results do not depend on the number of threads.
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

    @overload
    def slowdown(
        self,
        orders: Orders,
        guest: str | Sequence[str] = ...,
        *,
        routing: str | None = ...,
        duty: float = ...,
        tilings: int = ...,
        sizes: str | ArrayLike = ...,
        out: Literal["rows"] = ...,
        progress: bool | None = ...,
    ) -> pd.DataFrame: ...
    @overload
    def slowdown(
        self,
        orders: Orders,
        guest: str | Sequence[str] = ...,
        *,
        routing: str | None = ...,
        duty: float = ...,
        tilings: int = ...,
        sizes: str | ArrayLike = ...,
        out: Literal["summary"],
        progress: bool | None = ...,
    ) -> dict[str, Any]: ...
    def slowdown(
        self,
        orders: Orders,
        guest: str | Sequence[str] = (),
        *,
        routing: str | None = None,
        duty: float = 0.2,
        tilings: int = 2,
        sizes: str | ArrayLike = "log",
        out: str = "rows",
        progress: bool | None = None,
    ) -> pd.DataFrame | dict[str, Any]:
        """Measures how many times as long jobs communicate as on a network that never blocks, as ``nodeorder slowdown``
        does: jobs of every size, side by side along the ordering.

        Args:
            orders: one ordering or several, or what makes them.
            guest: what the nodes of a job send to each other: a pattern or several that exist for any number of nodes;
                ``all-to-all``, ``stencil3d`` and ``ring`` unless given.
            routing: which links traffic takes (``entries("routings")``); ``dimension-order`` on grids, else
                ``ecmp-hop``, unless given.
            duty: the share of the time in which the other jobs send, from 0 to 1.
            tilings: ways to cut the ranks into jobs of one size: 1, 2 or 4.
            sizes: job sizes: an array, a text such as ``"2,64,100-110"``, or ``"log"``, the powers of two and all nodes.
            out: ``rows``, a row for each ordering, guest and size; ``summary``, the document of ``--json`` as a dict,
                with means over sizes and where one ordering becomes better than another.
            progress: show a bar; in notebooks and on terminals unless given.

        Returns:
            A frame with the columns of the command's CSV (slowdowns of at least 1; ``mixed`` is what ranks), or a dict.

        Warns:
            UserWarning: jobs and sizes that are left out.

        Raises:
            NodeorderError: an unknown pattern, a routing that does not suit the machine, a size out of range.
        """
        made = self._orders(orders)
        wanted: _native.SlowdownWanted = {
            "guests": texts("guest", guest),
            "routing": None if routing is None else text("routing", routing),
            "duty": share("duty", duty),
            "tilings": whole("tilings", tilings, 1, 4),
            "sizes": sizes_text(sizes),
            "out": among("out", out, ["rows", "summary"]),
        }
        with shown(progress, "slowdown", "step") as show:
            found, remarks = _native.slowdown(self._native, [order._native for order in made], wanted, show)
        for remark in remarks:
            warnings.warn(remark, stacklevel=2)
        return frame(found) if out == "rows" else dict(json.loads(found))

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
            where: process i runs on rank i of an ordering (or what makes one); or a mapping: a path ending in
                ``.csv``, a ``pathlib.Path`` or a frame of ``process``, ``node``.
            routing: which links traffic takes; ``entries("routings")``.
            method: put the processes on the same nodes anew; ``entries("methods")``. Where the time of ``best`` did not
                reach the end of some, the summary names them in ``unfinished``.
            out: ``summary``, the document of ``nodeorder map --json`` as a dict; ``links``, a frame of the load of
                every directed link; ``mapping``, a frame of process and node.
            progress: show a bar; in notebooks and on terminals unless given.

        Raises:
            NodeorderError: an unknown name, fewer nodes than processes, a routing that does not suit the machine.
        """
        wanted = among("out", out, ["summary", "links", "mapping"])
        with shown(progress, "mapping", "step") as show:
            found = _native.map(
                self._native,
                guest_text(guest),
                mapping_table(where) or self.order(where)._native,
                text("routing", routing),
                None if method is None else text("method", method),
                wanted,
                show,
            )
        return dict(json.loads(found)) if wanted == "summary" else frame(found)

    def to_networkx(self) -> nx.Graph[int]:
        """Makes a networkx graph of the routers and links.

        Vertices are routers with ``nodes`` (ids of their schedulable nodes), ``names`` and, where the machine has them,
        ``coordinates``; edges have ``capacity``. The graph has the machine's ``name`` and ``spec``.
        """
        return to_networkx(self)

    def plot(self, order: Order | None = None, ax: Any = None) -> Any:
        """Draws the nodes at their coordinates, coloured by rank in ``order`` or by id; slices stand side by side.

        Returns:
            The matplotlib axes.
        """
        if order is None:
            return draw_machine(self, self.nodes, None, ax)
        made = self.order(order)
        return draw_machine(self, made.nodes, made.label, ax)

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


class Comparison(Page):
    """Orderings ranked by the log-uniform mean of their exact MPC curves, best first; made by :meth:`Topology.compare`.

    In a notebook it shows the sentences and the table of the command's page; :meth:`save` writes that page.
    """

    def __init__(self, topology: Topology, orders: list[Ordering], native: _native.Comparison) -> None:
        self._topology = topology
        self._orders = orders
        self._native: _native.Comparison = native

    @property
    def topology(self) -> Topology:
        """The machine."""
        return self._topology

    @property
    def orders(self) -> list[Ordering]:
        """The orderings as given."""
        return list(self._orders)

    @cached_property
    def table(self) -> pd.DataFrame:
        """The ranked table, with the columns of ``table.csv``; distances in hops."""
        return frame(self._native.table())

    @cached_property
    def curves(self) -> Curves:
        """The curves: index ``size`` (nodes), a column of mean hops an ordering, best first."""
        rows = frame(self._native.curves())
        curves = Curves(rows.pivot(index="size", columns="ordering", values="mpc")[list(self.table["ordering"])])
        curves.columns.name = None
        curves.machine = self._topology.name
        return curves

    @property
    def best(self) -> Ordering:
        """The ordering that is ranked first."""
        return self._orders[self._native.slots()[0]]

    def plot(self, ax: Any = None) -> Any:
        """Draws the curves against job size, each ordering in the colour that the page gives it.

        Returns:
            The matplotlib axes.
        """
        return draw_curves(self.curves, self._native.slots(), self._topology.name, ax)

    def __reduce__(self) -> tuple[Any, ...]:
        return _compared, (self._topology, self._orders, self._request)

    _request: tuple[Any, ...] = ()

    def __repr__(self) -> str:
        return f"<Comparison of {len(self._orders)} orderings of {self._topology.name}: {self.best.label} is the best>"

    def _repr_html_(self) -> str:
        sentences = "".join(f"<p>{sentence}</p>" for sentence in self._native.sentences())
        name = self._topology.name
        best = self.table.head(SHOWN).iloc[:, :COLUMNS]
        table = best.to_html(index=False, float_format="{:.3f}".format, border=0)
        drawn = picture(self.curves.iloc[:, :CURVES], name)
        return f"<h3>Node orderings of {html.escape(name)}</h3>{sentences}{drawn}{table}"


def topology(spec: str | os.PathLike[str], *, seed: int = 1, memory: int | None = None) -> Topology:
    """Builds the machine that a spec names.

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


def linked(network: dict[str, Any], seed: int, memory: int | None) -> Topology:
    """Builds the machine of links in memory, as :func:`from_networkx` collects them."""
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


def compared(
    topology: Topology,
    orders: Orders | None,
    trace: Any,
    alloc: list[str],
    policy: str | None,
    model: str | None,
    guest: str | None,
    routing: str | None,
    procs_per_node: int | None,
    progress: bool | None,
) -> Comparison:
    """Makes the comparison that :meth:`Topology.compare` returns."""
    made = distinct(topology) if orders is None else topology._orders(orders)
    jobs = jobs_of(trace, alloc, policy, model, guest, routing, procs_per_node)
    given = {"--alloc": alloc, "--policy": policy, "--model": model, "--guest": guest}
    options = {"--trace": None if jobs is None else jobs["trace"]["name"], **given, "--routing": routing}
    command = command_line(topology, [] if orders is None else [order.label for order in made], options)
    with shown(progress, "comparing", "ordering") as show:
        native = _native.Comparison.make(topology._native, [order._native for order in made], jobs, command, show)
    comparison = Comparison(topology, made, native)
    comparison._request = (trace, alloc, policy, model, guest, routing, procs_per_node)
    return comparison


def distinct(topology: Topology) -> list[Ordering]:
    """Lists the orderings that suit the machine, the first of those that are equal."""
    made: list[Ordering] = []
    for name in topology.orderings():
        order = topology.order(name)
        if order not in made:
            made.append(order)
    return made


def _again(kind: str, arguments: tuple[Any, ...]) -> Topology:
    """Rebuilds the machine of a pickle."""
    if kind == "spec":
        spec, seed, memory = arguments
        return topology(spec, seed=seed, memory=memory)
    return linked(*arguments)


def _ordered(topology: Topology, label: str, nodes: NDArray[np.int64]) -> Ordering:
    """Rebuilds the ordering of a pickle."""
    return topology.order(nodes, label=label)


def _compared(topology: Topology, orders: list[Ordering], request: tuple[Any, ...]) -> Comparison:
    """Rebuilds the comparison of a pickle."""
    trace, alloc, policy, model, guest, routing, procs_per_node = request
    return compared(topology, list(orders), trace, alloc, policy, model, guest, routing, procs_per_node, False)
