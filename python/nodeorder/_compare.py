"""Orderings of one machine side by side."""

from __future__ import annotations

import html
import json
import os
import shlex
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pandas as pd

from . import _native
from ._curves import Curves
from ._error import path_text, text
from ._jobs import processors, talking
from ._ordering import Ordering, write_files
from ._plot import axes_of, draw_curve
from ._progress import shown
from ._tables import frame, source

if TYPE_CHECKING:
    from ._topology import Orders, Topology

#: Rows of the table that a notebook shows; the others are in ``.table``.
SHOWN = 30


class Comparison:
    """Orderings ranked by the log-uniform mean of their exact MPC curves, best first; made by :meth:`Topology.compare`.

    In a notebook it shows the sentences and the table of the command's page; :meth:`save` writes that page.
    """

    def __init__(self, topology: Topology, orders: list[Ordering], native: _native.Comparison) -> None:
        self._topology = topology
        self._orders = orders
        self._native = native

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

    def summary(self) -> dict[str, Any]:
        """The document of ``nodeorder compare --json``."""
        return dict(json.loads(self._native.summary()))

    def save(self, folder: str | os.PathLike[str]) -> list[str]:
        """Writes the page ``index.html``, its figures as SVG and the data as CSV.

        Args:
            folder: made where there is none.

        Returns:
            The paths of the files.

        Raises:
            NodeorderError: a folder that cannot be written, a figure that cannot be drawn.
        """
        target = path_text("folder", folder)
        files = dict(self._native.files())
        write_files(target, files)
        return [os.path.join(target, name) for name in files]

    def plot(self, ax: Any = None) -> Any:
        """Draws the curves against job size, each ordering in the colour that the page gives it.

        Returns:
            The matplotlib axes.
        """
        axes = axes_of(ax)
        sizes = self.curves.index.to_numpy()
        for slot, label in zip(self._native.slots(), self.curves.columns):
            draw_curve(axes, slot, str(label), sizes, self.curves[label].to_numpy(dtype=float))
        axes.set_xscale("log", base=2)
        axes.set_xlabel("job size (nodes)")
        axes.set_ylabel("MPC: mean distance (hops)")
        axes.set_title(f"MPC on {self._topology.name}")
        axes.legend()
        return axes

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self._topology, self._orders, self._request)

    _request: tuple[Any, ...] = ()

    def __repr__(self) -> str:
        return f"<Comparison of {len(self._orders)} orderings of {self._topology.name}: {self.best.label} is the best>"

    def _repr_html_(self) -> str:
        sentences = "".join(f"<p>{sentence}</p>" for sentence in self._native.sentences())
        table = self.table.head(SHOWN).to_html(index=False, float_format="{:.3f}".format, border=0)
        return f"<h3>Node orderings of {html.escape(self._topology.name)}</h3>{sentences}{table}"


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
    """What :meth:`Topology.compare` does."""
    made = distinct(topology) if orders is None else topology._orders(orders)
    talk, per_node = talking(guest, routing), processors(procs_per_node)
    jobs: _native.CompareJobs | None = None
    if trace is not None:
        jobs = {
            "trace": source("trace", trace),
            "alloc": alloc,
            "policy": None if policy is None else text("policy", policy),
            "model": None if model is None else text("model", model),
            "procs_per_node": per_node,
            "talk": talk,
        }
    given = {"--alloc": alloc, "--policy": policy, "--model": model, "--guest": guest}
    options = {"--trace": None if jobs is None else jobs["trace"]["name"], **given, "--routing": routing}
    command = command_line(topology, [] if orders is None else made, options)
    with shown(progress, "comparing", "ordering") as show:
        native = _native.Comparison.make(topology._native, [order._native for order in made], jobs, command, show)
    comparison = Comparison(topology, made, native)
    comparison._request = (trace, alloc, policy, model, guest, routing, procs_per_node)
    return comparison


def _again(topology: Topology, orders: list[Ordering], request: tuple[Any, ...]) -> Comparison:
    trace, alloc, policy, model, guest, routing, procs_per_node = request
    return compared(topology, list(orders), trace, alloc, policy, model, guest, routing, procs_per_node, False)


def distinct(topology: Topology) -> list[Ordering]:
    """The orderings that suit the machine, the first of those that are equal."""
    made: list[Ordering] = []
    for name in topology.orderings():
        order = topology.order(name)
        if order not in made:
            made.append(order)
    return made


def command_line(topology: Topology, orders: list[Ordering], options: dict[str, Any]) -> str:
    """The command that makes the same comparison, for what has a text."""
    words = ["nodeorder", "compare", topology.spec]
    words += [word for order in orders for word in ("--order", order.label)]
    for option, value in options.items():
        values = value if isinstance(value, list) else [] if value is None else [value]
        words += [word for item in values for word in (option, str(item))]
    return shlex.join([*words, "--seed", str(topology.seed)])
