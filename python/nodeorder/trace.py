"""Traces and placement logs: generate, describe, convert and change them, as ``nodeorder trace`` does.

Traces are frames with a row a job (``job``, ``submit``, ``wait``, ``run``, ``nodes``, ``limit``; seconds), placement
logs frames of ``event`` (P or F), ``job`` and ``nodes``: what :func:`nodeorder.replay` and :func:`nodeorder.schedule`
take.
"""

from __future__ import annotations

import io
import json
import os
from typing import Any

import pandas as pd

from . import _native
from ._error import among, memory_limit, path_text, processors, refused, text, whole
from ._files import write_files
from ._sites import with_columns
from ._tables import frame

__all__ = ["convert", "generate", "info", "transform"]

#: The fields of an SWF line that a frame has, by their place.
FIELDS = {"job": 0, "submit": 1, "wait": 2, "run": 3, "nodes": 4, "limit": 8}


def generate(spec: str, path: str | os.PathLike[str] | None = None, *, seed: int = 1) -> pd.DataFrame:
    """Generates a trace or a placement log.

    Args:
        spec: the generator with its options, such as ``poisson:jobs=2000,sizes=4x16x64``; ``entries("generators")``.
        path: also write it to this file, as the command does.
        seed: where the spec has no ``seed=``.

    Returns:
        A frame of jobs, or of the events of a placement log.

    Raises:
        NodeorderError: an unknown generator, an option out of range, a file that cannot be written.
    """
    return kept(_native.trace_generate(text("spec", spec), whole("seed", seed, 0)).encode(), path)


def info(
    trace: Any,
    *,
    columns: str | None = None,
    procs_per_node: int | None = None,
    nodes: int | None = None,
    memory: int | None = None,
) -> dict[str, Any]:
    """Describes a trace, a placement log, accounting records or a table of sizes.

    Args:
        trace: a file, plain or .gz, or a frame.
        columns: of a CSV file: the name of a known set, or ``key=column`` with commas between.
        procs_per_node: processors of a node, in SWF traces; 1 unless given.
        nodes: leave out jobs of more nodes.
        memory: bytes that one data structure may take; four fifths of the free memory unless given.

    Returns:
        The document of ``nodeorder trace info --json``: kind, jobs, times (seconds), sizes (nodes), what was left out.

    Raises:
        NodeorderError: a file that cannot be read or is of no kind; a bad line.
    """
    given = with_columns("trace", trace, columns)
    return dict(json.loads(_native.trace_info(given, limits(procs_per_node, nodes), memory_limit(memory))))


def convert(
    trace: Any,
    to: str = "log",
    path: str | os.PathLike[str] | None = None,
    *,
    columns: str | None = None,
    procs_per_node: int | None = None,
    nodes: int | None = None,
    memory: int | None = None,
) -> pd.DataFrame:
    """Turns a trace or accounting records into a placement log, an SWF trace or recorded placements.

    Args:
        trace: a file, plain or .gz, or a frame.
        to: ``log`` (at one time jobs end before others start), ``swf`` (a processor is a node) or ``placements`` (a
            row a job with its times and nodes).
        path: also write it to this file, as the command does.
        columns: as in :func:`info`; ``procs_per_node``, ``nodes`` and ``memory`` too.

    Returns:
        A frame of events, of jobs, or of placements.

    Raises:
        NodeorderError: a bad line; for ``placements``, records without lists of nodes.
    """
    given, wanted = with_columns("trace", trace, columns), among("to", to, ["log", "swf", "placements"])
    made = _native.trace_convert(given, wanted, limits(procs_per_node, nodes), memory_limit(memory))
    return kept(made, path)


def transform(
    trace: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    scale_time: float | None = None,
    scale_runtime: float | None = None,
    replicate: int | None = None,
    jitter: float | None = None,
    after: int | None = None,
    before: int | None = None,
    load: float | None = None,
    nodes: int | None = None,
    seed: int = 1,
    columns: str | None = None,
    procs_per_node: int | None = None,
    memory: int | None = None,
) -> pd.DataFrame:
    """Changes a trace in time.

    Args:
        trace: a file, plain or .gz, or a frame.
        path: also write it to this file as SWF.
        scale_time: multiply the times between arrivals.
        scale_runtime: multiply run times and requested times, rounded to seconds, at least 1.
        replicate: have each job so many times in all.
        jitter: submit each copy up to so many seconds earlier or later, drawn by ``seed``.
        after: keep the jobs submitted at this second of the trace or later, and ``before``: before that.
        load: scale the times between arrivals so that node-seconds over ``nodes`` times the seconds from first to last
            submit are this.
        nodes: of the machine; larger jobs are left out.
        columns: as in :func:`info`; ``procs_per_node`` and ``memory`` too.

    Returns:
        A frame of jobs.

    Raises:
        NodeorderError: a change out of range, ``load`` without ``nodes``, a bad line.
    """
    if load is not None and nodes is None:
        raise refused("load", repr(load), "nodes=, the nodes of the machine")
    given = {
        "after": after,
        "before": before,
        "scale-runtime": scale_runtime,
        "scale-time": scale_time,
        "load": load,
        "replicate": replicate,
        "jitter": jitter,
    }
    changes = ",".join(f"{key}={value}" for key, value in given.items() if value is not None) or "none"
    made = _native.trace_transform(
        with_columns("trace", trace, columns),
        changes,
        whole("seed", seed, 0),
        limits(procs_per_node, nodes),
        memory_limit(memory),
    )
    return kept(made, path)


def limits(procs_per_node: int | None, nodes: int | None) -> tuple[int | None, int | None]:
    """Checks the processors of a node and the largest job, in nodes."""
    return processors(procs_per_node), None if nodes is None else whole("nodes", nodes, 1, 2**32 - 1)


def kept(made: bytes, path: str | os.PathLike[str] | None) -> pd.DataFrame:
    """Reads the frame of a log, a trace or a CSV; written to `path`, where there is one."""
    if path is not None:
        target = path_text("path", path)
        write_files(os.path.dirname(target) or ".", {os.path.basename(target): made})
    lines = [line for line in made.decode().splitlines() if line.strip() and line[0] not in "#;"]
    first = lines[0] if lines else ""
    if "," in first:
        return frame(made)
    if first[:2] in ("P ", "F "):
        rows = [(line.split() + [None])[:3] for line in lines]
        log = pd.DataFrame(rows, columns=["event", "job", "nodes"])
        log["nodes"] = pd.to_numeric(log["nodes"]).astype("Int64")
        return log
    numbers = pd.read_csv(io.StringIO("\n".join(lines)), sep=r"\s+", header=None, usecols=list(FIELDS.values()))
    swf: pd.DataFrame = numbers[list(FIELDS.values())].set_axis(list(FIELDS), axis=1).astype("Int64")
    # -1 says that it is not known.
    return swf.where(swf >= 0)
