"""Orderings of a machine's nodes."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._error import flag, path_text, refused

if TYPE_CHECKING:
    from ._topology import Topology


class Ordering:
    """A sequence of distinct schedulable nodes of one machine; a node's rank is its position, from 0.

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
        """What it is called in tables: the text that it was made from, or the label given."""
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
        """Of an ordering that was searched for (``ilp``, ``optimise``): objective, lower_bound, gap, optimal, solver,
        status and steps; else None."""
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
        return _again, (self._topology, self.label, self.nodes)

    def __repr__(self) -> str:
        return f"<Ordering {self.label!r} of {len(self)} nodes of {self._topology.name}>"


def _again(topology: Topology, label: str, nodes: NDArray[np.int64]) -> Ordering:
    return topology.order(nodes, label=label)


def write_files(folder: str, files: dict[str, bytes]) -> None:
    """Writes files into a folder that is made where there is none: each is there whole or not at all."""
    try:
        os.makedirs(folder, exist_ok=True)
        for name, content in files.items():
            handle, unfinished = tempfile.mkstemp(prefix=".nodeorder-", suffix=".tmp", dir=folder)
            try:
                with os.fdopen(handle, "wb") as out:
                    out.write(content)
                mask = os.umask(0)
                os.umask(mask)
                os.chmod(unfinished, 0o666 & ~mask)
                os.replace(unfinished, os.path.join(folder, name))
            except BaseException:
                os.unlink(unfinished)
                raise
    except OSError as error:
        raise refused(folder, str(error), "a folder that may be written") from error
