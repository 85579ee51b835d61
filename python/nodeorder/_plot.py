"""Pictures with matplotlib: the colours, dashes and marks are the page's, defined once in the library."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._error import NodeorderError, refused
from ._machine import Machine

#: Marks of the library as matplotlib's.
MARKS = {"disc": "o", "square": "s", "triangle": "^", "diamond": "D", "cross": "x"}
#: Marks on a curve.
MARKED = 9
#: Points that a curve is drawn with at most.
POINTS = 4000


def axes_of(ax: Any) -> Any:
    """Returns the axes given, or makes new ones."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise NodeorderError("plots need matplotlib: pip install nodeorder[all]") from error
    return plt.subplots(figsize=(7, 4.5), layout="constrained")[1]


def look(slot: int) -> dict[str, Any]:
    """Looks up how the curve of slot ``slot`` looks: keywords of matplotlib's ``plot``."""
    found = json.loads(_native.looks(slot + 1)[0])[slot]
    dash = found["dash"]
    style: Any = (0, dash) if dash else "-"
    return {"color": found["colour"], "linestyle": style, "marker": MARKS[found["mark"]]}


def ramp() -> Any:
    """Makes a colour map of the colours of ranks from the first to the last."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("nodeorder", _native.looks(0)[1])


def draw_curve(axes: Any, slot: int, label: str, sizes: NDArray[Any], values: NDArray[Any]) -> None:
    """Draws one curve, with points and marks evenly spaced on a logarithmic axis."""
    known = np.flatnonzero(~np.isnan(values))
    if known.size > POINTS:
        steps = np.geomspace(1, known.size, POINTS).astype(int) - 1
        known = known[np.unique(steps)]
    marked = np.unique(np.geomspace(1, max(known.size, 1), MARKED).astype(int) - 1)
    axes.plot(sizes[known], values[known], label=label, markevery=marked.tolist(), markersize=5, **look(slot))


def draw_machine(machine: Machine, nodes: NDArray[np.int64], ranked_by: str | None, ax: Any) -> Any:
    """Draws nodes where their coordinates are, coloured by their index in ``nodes``: their ranks in the ordering called
    ``ranked_by``, or ids. Slices of the first axes stand side by side."""
    axes = axes_of(ax)
    if machine.coordinates is None:
        wide = int(np.ceil(np.sqrt(len(machine))))
        index = np.searchsorted(machine.nodes, nodes)
        x, y, names = index % wide, index // wide, ("node", "row of nodes")
    else:
        rows = machine.coordinates_of(nodes)
        x, y, names = flattened(rows, machine.axes)
    drawn = axes.scatter(x, y, c=np.arange(len(nodes)), cmap=ramp(), marker="s", s=max(4.0, 4000 / max(len(nodes), 1)))
    axes.set_aspect("equal")
    axes.set_xlabel(names[0])
    axes.set_ylabel(names[1])
    axes.set_title(machine.name if ranked_by is None else f"{ranked_by} on {machine.name}")
    axes.figure.colorbar(drawn, ax=axes, label="node" if ranked_by is None else "rank")
    return axes


def flattened(
    rows: NDArray[np.int64], names: tuple[str, ...]
) -> tuple[NDArray[np.int64], NDArray[np.int64], tuple[str, str]]:
    """Computes coordinates in the plane: the last two axes, with slices along the other axes side by side."""
    if rows.shape[1] == 0:
        raise refused("plot", "coordinates without axes", "one axis or more")
    if rows.shape[1] == 1:
        return rows[:, 0], np.zeros(len(rows), dtype=np.int64), (names[0], "")
    y, x = rows[:, -2], rows[:, -1]
    slices = np.zeros(len(rows), dtype=np.int64)
    for axis in range(rows.shape[1] - 2):
        slices = slices * (int(rows[:, axis].max()) + 1) + rows[:, axis]
    step = int(x.max()) + 2
    title = names[-1] if rows.shape[1] == 2 else f"{names[-1]}, slices along {', '.join(names[:-2])}"
    return x + slices * step, y, (title, names[-2])
