"""Guests and mappings from texts, frames, matrices and graphs, as names of files or CSV."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pandas as pd

from ._error import described, path_text, refused

#: A name, and the text that a file of this name would have.
Table = tuple[str, "str | None"]


def guest_text(guest: Any) -> Table:
    """Writes a guest as text: a pattern or file by its name, or messages as a CSV of source, target and volume."""
    if isinstance(guest, (str, os.PathLike)):
        return path_text("guest", guest), None
    if isinstance(guest, pd.DataFrame):
        missing = [column for column in ("source", "target", "volume") if column not in guest.columns]
        if missing:
            raise refused("guest", "no column " + ", ".join(missing), "the columns source, target and volume")
        return "guest", guest[["source", "target", "volume"]].to_csv(index=False)
    if hasattr(guest, "tocoo"):
        matrix = guest.tocoo()
        return "guest", messages(matrix.shape, matrix.row, matrix.col, matrix.data)
    if hasattr(guest, "number_of_nodes") and hasattr(guest, "edges"):
        return "guest", graph(guest)
    if isinstance(guest, np.ndarray) and guest.ndim == 2 and guest.dtype.kind in "iufb":
        rows, columns = np.nonzero(guest)
        return "guest", messages(guest.shape, rows, columns, guest[rows, columns])
    raise refused("guest", described(guest), "a pattern, a file, a frame, a square matrix or a networkx graph")


def messages(shape: tuple[int, ...], sources: Any, targets: Any, volumes: Any) -> str:
    """Writes messages as CSV. A last line without volume names the last process, which may send and receive nothing."""
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] == 0:
        raise refused("guest", f"a matrix of shape {shape}", "a square one")
    last = shape[0] - 1
    table = pd.DataFrame({"source": sources, "target": targets, "volume": np.asarray(volumes, dtype=float)})
    return str(table.to_csv(index=False)) + f"{last},{last},0\n"


def graph(guest: Any) -> str:
    """Lists the edges of a networkx graph as messages; those of an undirected graph go both ways."""
    count = guest.number_of_nodes()
    if set(guest.nodes) != set(range(count)) or count == 0:
        raise refused("guest", f"a graph of {count} vertices", "vertices 0, 1, ...: the processes")
    edges = [(u, v, data.get("weight", 1)) for u, v, data in guest.edges(data=True)]
    if not guest.is_directed():
        edges += [(v, u, weight) for u, v, weight in edges]
    sources, targets, volumes = zip(*edges) if edges else ((), (), ())
    return messages((count, count), sources, targets, volumes)


def mapping_table(where: Any) -> Table | None:
    """Names a mapping's file, or writes a frame as CSV. None where ``where`` is an ordering or makes one."""
    if isinstance(where, os.PathLike) or isinstance(where, str) and where.endswith((".csv", ".csv.gz")):
        return path_text("where", where), None
    if isinstance(where, pd.DataFrame):
        missing = [column for column in ("process", "node") if column not in where.columns]
        if missing:
            raise refused("where", "no column " + ", ".join(missing), "the columns process and node")
        return "mapping", where[["process", "node"]].to_csv(index=False)
    return None
