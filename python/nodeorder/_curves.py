"""MPC curves as a frame that draws itself as the page does."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import Any

import pandas as pd

from . import _native
from ._plot import axes_of, draw_curve


class Curves(pd.DataFrame):
    """MPC curves: a frame with the index ``size`` (nodes) and a column of mean hops an ordering.

    All that pandas can do with a frame, it can. :meth:`draw` draws with the colours, dashes and marks of the page of
    ``nodeorder compare``; ``plot`` is that of pandas.
    """

    _metadata = ["machine"]
    #: The machine's name.
    machine: str = ""

    @property
    def _constructor(self) -> type[Curves]:
        return Curves

    def draw(self, ax: Any = None, *, log: bool = True) -> Any:
        """Draws MPC against job size.

        Args:
            ax: the axes to draw into; new ones unless given.
            log: sizes on a logarithmic axis.

        Returns:
            The axes.
        """
        return draw_curves(self, range(len(self.columns)), self.machine, ax, log=log)

    def _repr_html_(self) -> str | None:
        table = pd.DataFrame(self)._repr_html_()  # type: ignore[operator]
        sizes = self.index
        if len(sizes) < 2 or self.columns.has_duplicates or list(sizes[:1]) != [2] or sizes[-1] != len(sizes) + 1:
            return str(table)
        return f"<details><summary>{html.escape(self.machine)}</summary>{picture(self, self.machine)}</details>{table}"


def picture(curves: pd.DataFrame, machine: str) -> str:
    """Draws the curves of all sizes as SVG."""
    values = [(str(label), curve.to_numpy(dtype=float)) for label, curve in curves.items()]
    return str(_native.curves_svg(f"MPC on {machine}", values))


def draw_curves(curves: pd.DataFrame, slots: Iterable[int], machine: str, ax: Any, *, log: bool = True) -> Any:
    """Draws a curve for each column, in the colour of its slot."""
    axes = axes_of(ax)
    sizes = curves.index.to_numpy()
    for slot, (label, values) in zip(slots, curves.items()):
        draw_curve(axes, slot, str(label), sizes, values.to_numpy(dtype=float))
    if log:
        axes.set_xscale("log", base=2)
    axes.set_xlabel("job size (nodes)")
    axes.set_ylabel("MPC: mean distance (hops)")
    axes.set_title(f"MPC on {machine}" if machine else "MPC")
    axes.legend()
    return axes
