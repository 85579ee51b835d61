"""Lists of machines and entries, and the number of threads."""

from __future__ import annotations

import pandas as pd

from . import _native
from ._error import among, whole


def machines() -> list[str]:
    """Lists the names of the machines that come with the package, sorted; each is a spec of :func:`topology`."""
    return _native.machines()


def entries(table: str) -> pd.DataFrame:
    """Lists the entries of one table, as ``nodeorder list`` shows them.

    Args:
        table: ``topologies``, ``orderings``, ``allocators``, ``policies``, ``models``, ``guests``, ``routings``,
            ``methods``, ``targets``, ``host-forms``, ``generators`` or ``formats``.

    Returns:
        A frame with the index ``name`` and the column ``about``.

    Raises:
        NodeorderError: an unknown table.
    """
    tables = dict(_native.entries())
    rows = tables[among("table", table, list(tables))]
    return pd.DataFrame(rows, columns=["name", "about"]).set_index("name")


def set_threads(count: int | None) -> None:
    """Sets how many threads all further calls of this process use together; results do not depend on it.

    Args:
        count: threads from 1 to 65535; None for all cores, or what ``RAYON_NUM_THREADS`` says. In the workers of
            ``joblib`` or ``multiprocessing`` 1 is a good choice.

    Raises:
        NodeorderError: another count.
    """
    _native.set_threads(0 if count is None else whole("count", count, 1, 65535))
