"""Replays of logs, schedules of traces, jobs side by side."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, overload

import numpy as np
import pandas as pd

from . import _native
from ._error import among, described, flag, path_text, processors, refused, talking, text, texts, whole
from ._progress import shown
from ._tables import frame, source
from ._topology import Order, Ordering, Orders, Topology

def machine(m: object) -> Topology:
    """Checks for a machine, the first argument of every call here."""
    if isinstance(m, Topology):
        return m
    raise refused("m", described(m), "a Topology")


def slowdown(m: Topology, orders: Orders, guest: str | Sequence[str] = (), **settings: Any) -> Any:
    """Measures how many times as long jobs communicate as on a network that never blocks: :meth:`Topology.slowdown` of
    the machine ``m``, with its settings and results."""
    return machine(m).slowdown(orders, guest, **settings)


@overload
def replay(
    m: Topology,
    orders: Orders,
    log: Any,
    alloc: str | Sequence[str],
    *,
    out: Literal["rows", "sizes", "totals"] = ...,
    ranks: bool = ...,
    names: bool = ...,
    extent: bool = ...,
    shape: bool = ...,
    room: bool = ...,
    guest: str | None = ...,
    routing: str | None = ...,
    threshold: int = ...,
    whole_hops: bool = ...,
    procs_per_node: int | None = ...,
    progress: bool | None = ...,
) -> pd.DataFrame: ...
@overload
def replay(
    m: Topology,
    orders: Orders,
    log: Any,
    alloc: str | Sequence[str],
    *,
    out: Literal["summary"],
    ranks: bool = ...,
    names: bool = ...,
    extent: bool = ...,
    shape: bool = ...,
    room: bool = ...,
    guest: str | None = ...,
    routing: str | None = ...,
    threshold: int = ...,
    whole_hops: bool = ...,
    procs_per_node: int | None = ...,
    progress: bool | None = ...,
) -> dict[str, Any]: ...
def replay(
    m: Topology,
    orders: Orders,
    log: Any,
    alloc: str | Sequence[str],
    *,
    out: str = "rows",
    ranks: bool = False,
    names: bool = False,
    extent: bool = False,
    shape: bool = False,
    room: bool = False,
    guest: str | None = None,
    routing: str | None = None,
    threshold: int = 30,
    whole_hops: bool = False,
    procs_per_node: int | None = None,
    progress: bool | None = None,
) -> pd.DataFrame | dict[str, Any]:
    """Replays a placement log through allocators on orderings, as ``nodeorder replay`` does.

    Args:
        m: the machine.
        orders: one ordering or several, or what makes them.
        log: a placement log or a trace: a path (plain or .gz), a frame of ``event`` (P or F), ``job`` and ``nodes``,
            or a frame with a row a job (``job``, ``submit``, ``start``, ``end``, ``run``, ``limit``, ``nodes``;
            seconds).
        alloc: one allocator or several, such as ``first-fit:8``; ``entries("allocators")``.
        out: ``rows``, a row for every placed job; ``sizes``, means by size; ``totals``, a row a replay; ``summary``,
            the document of ``--json`` as a dict. The last three compare with ``fifo:0``.
        ranks: add a column with each job's ranks.
        names: add a column with the names of each job's nodes.
        extent: add the diameter and the bounding box.
        shape: add the units spanned at each level beside the fewest possible, the steps of the ring in rank order,
            links cut by halvings, and on tori the closed rings; in the summary their means.
        room: add the largest job that could still be placed, and Slurm's own fragmentation.
        guest: a pattern in which jobs talk (``all-to-all``, ``ring``, ``stencil2d``, ``stencil``): adds path length and
            contention.
        routing: of that traffic; the first that suits the machine unless given.
        threshold: only sizes with more placements than this count in improvements.
        whole_hops: cut each job's mean distance to whole hops in what is summed up.
        procs_per_node: processors of a node, in SWF traces; 1 unless given.
        progress: show a bar; in notebooks and on terminals unless given.

    Returns:
        A frame with the columns of the command's CSV (distances in hops), or a dict.

    Raises:
        NodeorderError: a bad log with its line, an unknown allocator, more memory than allowed.
    """
    topology = machine(m)
    made = topology._orders(orders)
    chosen = texts("alloc", alloc)
    if not chosen or len(set(chosen)) < len(chosen):
        raise refused("alloc", repr(chosen), "an allocator or several, each once")
    wanted: _native.ReplayWanted = {
        "out": among("out", out, ["rows", "sizes", "totals", "summary"]),
        "ranks": flag("ranks", ranks),
        "names": flag("names", names),
        "extent": flag("extent", extent),
        "shape": flag("shape", shape),
        "room": flag("room", room),
        "threshold": whole("threshold", threshold, 0),
        "whole_hops": flag("whole_hops", whole_hops),
    }
    jobs, talk, per_node = source("log", log), talking(guest, routing), processors(procs_per_node)
    with shown(progress, "replay", "B") as show:
        found = _native.replay(
            topology._native, [order._native for order in made], jobs, chosen, talk, per_node, wanted, show
        )
    return dict(json.loads(found)) if out == "summary" else frame(found)


@overload
def schedule(
    m: Topology,
    order: Order,
    jobs: Any,
    *,
    policy: str = ...,
    alloc: str = ...,
    model: str = ...,
    out: Literal["rows"] = ...,
    ranks: bool = ...,
    names: bool = ...,
    extent: bool = ...,
    shape: bool = ...,
    guest: str | None = ...,
    routing: str | None = ...,
    partitions: Sequence[int] = ...,
    procs_per_node: int | None = ...,
    progress: bool | None = ...,
) -> pd.DataFrame: ...
@overload
def schedule(
    m: Topology,
    order: Order,
    jobs: Any,
    *,
    policy: str = ...,
    alloc: str = ...,
    model: str = ...,
    out: Literal["summary"],
    ranks: bool = ...,
    names: bool = ...,
    extent: bool = ...,
    shape: bool = ...,
    guest: str | None = ...,
    routing: str | None = ...,
    partitions: Sequence[int] = ...,
    procs_per_node: int | None = ...,
    progress: bool | None = ...,
) -> dict[str, Any]: ...
def schedule(
    m: Topology,
    order: Order,
    jobs: Any,
    *,
    policy: str = "easy",
    alloc: str = "span-best-fit",
    model: str = "fixed",
    out: str = "rows",
    ranks: bool = False,
    names: bool = False,
    extent: bool = False,
    shape: bool = False,
    guest: str | None = None,
    routing: str | None = None,
    partitions: Sequence[int] = (),
    procs_per_node: int | None = None,
    progress: bool | None = None,
) -> pd.DataFrame | dict[str, Any]:
    """Schedules a trace: when and where jobs run and how long they wait, as ``nodeorder schedule`` does.

    Args:
        m: the machine.
        order: the ordering whose nodes are the machine, or what makes one.
        jobs: a trace: a path (SWF or another format; plain or .gz), or a frame with a row a job: ``submit``, ``run``
            (or ``start`` and ``end``), ``nodes``, and ``job``, ``limit`` where known; seconds. What this returns is
            one.
        policy: which job starts when; ``entries("policies")``.
        alloc: where jobs run; ``entries("allocators")``.
        model: how long they run; ``entries("models")``.
        out: ``rows``, a row a job in the order of starts; ``summary``, the document of ``--json`` as a dict.
        ranks: add a column with each job's ranks.
        names: add a column with the names of each job's nodes.
        extent: add the diameter and the bounding box.
        shape: add the units spanned at each level beside the fewest possible, the steps of the ring in rank order,
            links cut by halvings, and on tori the closed rings; in the summary their means.
        guest: a pattern in which jobs talk, and ``routing`` its routing: adds path length and contention.
        partitions: keep only jobs of these partitions.
        procs_per_node: processors of a node, in SWF traces; 1 unless given.
        progress: show a bar; in notebooks and on terminals unless given.

    Returns:
        A frame with the columns of the command's CSV (times in seconds), or a dict.

    Raises:
        NodeorderError: a bad trace with its line, an unknown policy, allocator or model.
    """
    topology = machine(m)
    made = topology.order(order)
    wanted: _native.ScheduleWanted = {
        "policy": text("policy", policy),
        "alloc": text("alloc", alloc),
        "model": text("model", model),
        "partitions": [whole("partitions", number, -1, 2**31 - 1) for number in partitions],
        "out": among("out", out, ["rows", "summary"]),
        "ranks": flag("ranks", ranks),
        "names": flag("names", names),
        "extent": flag("extent", extent),
        "shape": flag("shape", shape),
    }
    trace, talk, per_node = source("jobs", jobs), talking(guest, routing), processors(procs_per_node)
    with shown(progress, "schedule", "job") as show:
        found = _native.schedule(topology._native, made._native, trace, talk, per_node, wanted, show)
    return dict(json.loads(found)) if out == "summary" else frame(found)


@overload
def corun(
    m: Topology,
    jobs: Any,
    *,
    routing: str = ...,
    bandwidth: str | float | None = ...,
    latency: str | float | None = ...,
    node_links: str = ...,
    node_bandwidth: str | float | None = ...,
    switch_bandwidth: str | float | None = ...,
    links_file: str | os.PathLike[str] | None = ...,
    fair: Literal["flow", "rtt"] = ...,
    level: Literal["flow", "job"] = ...,
    iterations: int = ...,
    speed: str | None = ...,
    out: Literal["rows", "links"] = ...,
    progress: bool | None = ...,
) -> pd.DataFrame: ...
@overload
def corun(
    m: Topology,
    jobs: Any,
    *,
    routing: str = ...,
    bandwidth: str | float | None = ...,
    latency: str | float | None = ...,
    node_links: str = ...,
    node_bandwidth: str | float | None = ...,
    switch_bandwidth: str | float | None = ...,
    links_file: str | os.PathLike[str] | None = ...,
    fair: Literal["flow", "rtt"] = ...,
    level: Literal["flow", "job"] = ...,
    iterations: int = ...,
    speed: str | None = ...,
    out: Literal["summary"],
    progress: bool | None = ...,
) -> dict[str, Any]: ...
def corun(
    m: Topology,
    jobs: Any,
    *,
    routing: str = "one-path",
    bandwidth: str | float | None = None,
    latency: str | float | None = None,
    node_links: str = "shared",
    node_bandwidth: str | float | None = None,
    switch_bandwidth: str | float | None = None,
    links_file: str | os.PathLike[str] | None = None,
    fair: str = "flow",
    level: str = "flow",
    iterations: int = 30,
    speed: str | None = None,
    out: str = "rows",
    progress: bool | None = None,
) -> pd.DataFrame | dict[str, Any]:
    """Simulates jobs that share links, as ``nodeorder corun`` does.

    Args:
        m: the machine.
        jobs: a TOML file, or a list of dicts or a frame with a row a job: ``name``, ``nodes`` (ids in process order, an
            :class:`Ordering`, names or host lists), and ``guest``, ``bytes``, ``compute``, ``messages``, ``spread`` or
            ``phases`` or ``benchmark`` as in the file.
        routing: which links messages take.
        bandwidth: of a link of capacity 1, each way: bytes a second, or a text such as ``10GB/s``; ``1.25GB/s`` unless
            given.
        latency: of a hop: seconds, or a text such as ``1us``; 0 unless given.
        node_links: ``shared`` by all that a node sends, and by all that it receives, or ``free``: each message is
            bounded by itself.
        node_bandwidth: of a node link, each way; ``bandwidth`` unless given.
        switch_bandwidth: of all that passes through a switch; no limit unless given.
        links_file: a TOML file with these figures, for those that are not given.
        fair: how messages share a link, ``flow`` or ``rtt``.
        level: follow each message (``flow``) or the links that jobs share (``job``, faster).
        iterations: go on until every job has done so many.
        speed: of a process that runs a benchmark, such as ``100Gf``; for jobs that are no file.
        out: ``rows``, a row a job (seconds an iteration beside the others, alone, slowdown); ``links``, the mean
            utilisation of every directed link; ``summary``, the document of ``--json`` as a dict.
        progress: show a bar; in notebooks and on terminals unless given.

    Raises:
        NodeorderError: whatever is wrong with the jobs; a node that the machine does not have.
    """
    topology = machine(m)
    given = [
        ("bandwidth", bandwidth, "B/s"),
        ("node_bandwidth", node_bandwidth, "B/s"),
        ("switch_bandwidth", switch_bandwidth, "B/s"),
        ("latency", latency, "s"),
    ]
    figures = [
        (f"--{name.replace('_', '-')}", quantity(name, value, unit))
        for name, value, unit in given
        if value is not None
    ]
    figures.append(("--node-links", among("node_links", node_links, ["shared", "free"])))
    wanted: _native.CorunWanted = {
        "routing": text("routing", routing),
        "figures": figures,
        "links_file": None if links_file is None else path_text("links_file", links_file),
        "fair": among("fair", fair, ["flow", "rtt"]),
        "level": among("level", level, ["flow", "job"]),
        "iterations": whole("iterations", iterations, 1, 1_000_000_000),
        "out": among("out", out, ["rows", "links", "summary"]),
    }
    name, written = named_jobs(jobs, speed)
    with shown(progress, "jobs side by side", "iteration") as show:
        found = _native.corun(topology._native, name, written, wanted, show)
    return dict(json.loads(found)) if out == "summary" else frame(found)


def named_jobs(jobs: object, speed: str | None = None) -> tuple[str, str | None]:
    """Names a file of jobs, or writes jobs as the text of one."""
    if isinstance(jobs, (str, os.PathLike)):
        return path_text("jobs", jobs), None
    return "jobs", jobs_text(jobs, speed)


def quantity(name: str, value: object, unit: str) -> str:
    """Writes a quantity as text: a bare number is in ``unit``."""
    if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool):
        return f"{float(value)!r}{unit}"
    return text(name, value)


def jobs_text(jobs: object, speed: str | None) -> str:
    """Writes jobs in the format of a file of jobs (TOML)."""
    if isinstance(jobs, pd.DataFrame):
        jobs = [{k: v for k, v in row.items() if not missing(v)} for row in jobs.to_dict("records")]
    if not isinstance(jobs, (list, tuple)) or not all(isinstance(job, Mapping) for job in jobs):
        raise refused("jobs", described(jobs), "a file, a list of dicts or a frame")
    lines = [] if speed is None else [f"speed = {json.dumps(text('speed', speed))}"]
    for job in jobs:
        lines.append("[[jobs]]")
        lines += pairs(job, skip="phases")
        for phase in job.get("phases", ()):
            if not isinstance(phase, Mapping):
                raise refused("phases", described(phase), "a dict")
            lines += ["[[jobs.phases]]", *pairs(phase)]
    return "\n".join(lines) + "\n"


def missing(value: object) -> bool:
    """Checks whether a cell of a frame is empty."""
    return value is None or isinstance(value, float) and np.isnan(value)


def pairs(table: Mapping[Any, Any], skip: str = "") -> list[str]:
    """Writes keys and values as TOML."""
    return [f"{json.dumps(text('key', key))} = {toml(key, value)}" for key, value in table.items() if key != skip]


def toml(key: str, value: Any) -> str:
    """Writes a value as TOML."""
    if isinstance(value, Ordering):
        value = value.nodes
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(text(key, value), ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (list, tuple, range)):
        return "[" + ", ".join(toml(key, item) for item in value) + "]"
    raise refused(key, described(value), "a text, a number or a list")
