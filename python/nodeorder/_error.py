"""Checks of arguments, and the error for those that are refused."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._native import NodeorderError

__all__ = [
    "NodeorderError",
    "among",
    "described",
    "flag",
    "memory_limit",
    "node_array",
    "path_text",
    "processors",
    "refused",
    "share",
    "sizes_text",
    "talking",
    "text",
    "texts",
    "whole",
]

#: The largest seed and byte count.
MOST = 2**64 - 1

#: The pattern in which jobs talk, and its routing.
Talk = tuple["str | None", "str | None"]


def refused(location: str, found: str, expected: str) -> NodeorderError:
    """Makes an error in the form of the library's: location, what was found, what was expected."""
    return NodeorderError(f"`{location}`: found {found}; expected {expected}")


def described(value: object) -> str:
    """Writes a value and its type for a message, on one line; long values are cut."""
    shown = " ".join(repr(value).split())
    shown = shown if len(shown) <= 60 else shown[:57] + "..."
    return f"{shown} ({type(value).__name__})"


def whole(name: str, value: object, low: int, high: int = MOST) -> int:
    """Checks for a whole number from ``low`` to ``high``, Python's or numpy's, but no bool."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and low <= int(value) <= high:
        return int(value)
    raise refused(name, described(value), f"a whole number from {low} to {high}")


def share(name: str, value: object) -> float:
    """Checks for a number from 0 to 1."""
    if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool) and 0 <= value <= 1:
        return float(value)
    raise refused(name, described(value), "a number from 0 to 1")


def flag(name: str, value: object) -> bool:
    """Checks for a bool."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise refused(name, described(value), "True or False")


def text(name: str, value: object) -> str:
    """Checks for a text that UTF-8 can encode."""
    if not isinstance(value, str):
        raise refused(name, described(value), "a text")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise refused(name, described(value), "a text without lone surrogates") from None
    return str(value)


def path_text(name: str, value: object) -> str:
    """Checks for a text or a path and returns its text."""
    if isinstance(value, os.PathLike):
        return text(name, os.fspath(value))
    return text(name, value)


def texts(name: str, values: object) -> list[str]:
    """Checks for one text or several and returns them as a list."""
    if isinstance(values, str):
        return [text(name, values)]
    if not isinstance(values, Iterable):
        raise refused(name, described(values), "a text or several")
    return [text(name, value) for value in values]


def among(name: str, value: object, choices: Sequence[str]) -> str:
    """Checks for one of ``choices``."""
    if isinstance(value, str) and value in choices:
        return value
    raise refused(name, described(value), "one of " + ", ".join(choices))


def node_array(name: str, values: Any) -> NDArray[np.int64]:
    """Checks for node ids and returns them as an int64 array, not copied where they are one already."""
    try:
        array = np.asarray(values)
    except (TypeError, ValueError) as error:
        raise refused(name, described(values), f"a sequence of node ids ({error})") from None
    if array.size == 0 and array.dtype.kind in "fiu" and array.ndim == 1:
        return np.empty(0, dtype=np.int64)
    if array.dtype.kind not in "iu":
        raise refused(name, f"values of type {array.dtype}", "whole numbers: node ids")
    if array.ndim != 1:
        raise refused(name, f"an array of {array.ndim} dimensions", "one dimension")
    if array.dtype == np.uint64 and array.size and int(array.max()) > np.iinfo(np.int64).max:
        raise refused(name, f"node {array.max()}", "node ids from 0 to 2147483647")
    return np.ascontiguousarray(array, dtype=np.int64)


def memory_limit(memory: int | None) -> int:
    """Finds the bytes that one data structure may take: ``memory``, else four fifths of the free memory."""
    if memory is not None:
        return whole("memory", memory, 1)
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            free = next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:"))
        return free * 1024 // 5 * 4
    except (OSError, StopIteration, ValueError, IndexError):
        return 8_000_000_000


def sizes_text(sizes: object) -> str:
    """Writes job sizes as the text that the option ``--sizes`` takes."""
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


def talking(guest: str | None, routing: str | None) -> Talk:
    """Checks the pattern in which jobs talk and its routing."""
    if guest is None and routing is not None:
        raise refused("routing", repr(routing), "guest=, the pattern in which jobs talk")
    return (None if guest is None else text("guest", guest), None if routing is None else text("routing", routing))


def processors(count: int | None) -> int | None:
    """Checks the number of processors in a node; None where it is not given."""
    return None if count is None else whole("procs_per_node", count, 1, 2**32 - 1)
