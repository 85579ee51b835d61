"""Settings of a comparison: its jobs, and the command line that makes it again."""

from __future__ import annotations

import shlex
from typing import Any

from . import _native
from ._error import processors, talking, text
from ._machine import Machine
from ._tables import source


def jobs_of(
    trace: Any,
    alloc: list[str],
    policy: str | None,
    model: str | None,
    guest: str | None,
    routing: str | None,
    procs_per_node: int | None,
) -> _native.CompareJobs | None:
    """Checks the settings of jobs and puts them together for the compiled part; None without a trace."""
    talk, per_node = talking(guest, routing), processors(procs_per_node)
    if trace is None:
        return None
    return {
        "trace": source("trace", trace),
        "alloc": alloc,
        "policy": None if policy is None else text("policy", policy),
        "model": None if model is None else text("model", model),
        "procs_per_node": per_node,
        "talk": talk,
    }


def command_line(machine: Machine, labels: list[str], options: dict[str, Any]) -> str:
    """Writes the comparison's command line. Frames and arrays, which have no text, are named as in the table."""
    words = ["nodeorder", "compare", machine.spec]
    words += [word for label in labels for word in ("--order", label)]
    for option, value in options.items():
        values = value if isinstance(value, list) else [] if value is None else [value]
        words += [word for item in values for word in (option, str(item))]
    return shlex.join([*words, "--seed", str(machine.seed)])
