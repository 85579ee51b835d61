"""Objectives, exports, hosts of a job, recorded placements, the machine of now, sweeps and machines side by side."""

from __future__ import annotations

import html
import json
import os
import queue
import shlex
import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, overload

import pandas as pd
from numpy.typing import ArrayLike

from . import _native
from ._error import among, described, flag, memory_limit, node_array, path_text, refused, share, text, texts, whole
from ._files import Page, write_files
from ._jobs import machine, named_jobs, toml
from ._progress import shown
from ._tables import frame, source
from ._topology import Order, Orders, Topology, topology


def score(
    m: Topology, orders: Orders, weights: str = "geometric", *, progress: bool | None = None
) -> pd.DataFrame:
    """Scores orderings by the objective that the searches ``ilp`` and ``optimise`` minimise, as ``nodeorder score``
    does.

    Args:
        m: the machine.
        orders: one ordering or several, or what makes them.
        weights: of pairs of ranks: ``geometric``, ``harmonic``, ``path`` or ``workload``, with ``window=``, ``ring=``,
            ``sizes=``, ``share=`` after a comma.
        progress: show a bar; in notebooks and on terminals unless given.

    Returns:
        A frame with a row an ordering: ``ordering``, ``objective`` and ``lower_bound`` (weighted hops), ``gap`` (share
        of the objective above the bound).

    Raises:
        NodeorderError: unknown weights, a bad file of sizes, an ordering that does not suit.
    """
    made = machine(m)._orders(orders)
    with shown(progress, "scores", "step") as show:
        found = _native.score(m._native, [order._native for order in made], text("weights", weights), show)
    return frame(found)


def export(
    m: Topology, order: Order, to: str, path: str | os.PathLike[str] | None = None, *, jobs: Any = None
) -> str:
    """Writes an ordering in the format of another program, as ``nodeorder export`` does.

    Args:
        m: the machine.
        order: the ordering, or what makes one.
        to: the target, with its options; ``entries("targets")``.
        path: also write the text to this file, and the files that belong to it beside it, each whole or not at all; a
            folder for targets of several files, such as ``caminos``.
        jobs: jobs on the machine instead of the whole ordering, as :func:`corun` takes them; for ``caminos``, ``sst``,
            ``codes`` and ``mpich-coords``.

    Returns:
        The text of the file, of several the first.

    Warns:
        UserWarning: what the target cannot say, and what is assumed.

    Raises:
        NodeorderError: an unknown target, one that does not suit the machine, a file that cannot be written.
    """
    made = machine(m).order(order)
    found, first, beside, notes = _native.export(
        machine(m)._native, made._native, text("to", to), None if jobs is None else named_jobs(jobs)
    )
    for note in notes:
        warnings.warn(note, stacklevel=2)
    if path is not None:
        target = path_text("path", path)
        name = os.path.basename(target)
        # The files beside it come first, so that the file never lacks them.
        if first is None:
            files = {name + ending: held for ending, held in beside} | {name: found.encode()}
            write_files(os.path.dirname(target) or ".", files)
        else:
            write_files(target, dict(beside) | {first: found.encode()})
    return found


def hosts(
    m: Topology,
    nodes: str | Sequence[str] | ArrayLike,
    *,
    by: Order | None = None,
    to: str = "hosts",
    per_node: int = 1,
    guest: str | None = None,
    objective: str = "ring",
    segment: int | str | None = None,
    take: int | None = None,
    roles: str | None = None,
    time: float = 2.0,
) -> str:
    """Orders the hosts of one job as its ranks should take them, as ``nodeorder hosts`` does.

    Args:
        m: the machine.
        nodes: a host list such as ``n[001-004,7]``, names, or node ids.
        by: the ordering; of those that suit, the one whose ring over these hosts has the fewest hops unless given.
        to: the form; ``entries("host-forms")``, or ``json`` for the document that ``--json`` gives.
        per_node: processes on each host.
        guest: traffic to order for, such as ``parallel:tp=4,pp=2,dp=18,ep=3``.
        objective: ``ring``, or ``spread``: groups of the guest span few units.
        segment: hosts of a block that lies in one unit, or ``"S,level=rack"``.
        take: how many of the hosts to take.
        roles: parts of the job, ``"train=32:segment=16,infer=8:segment=4"``.
        time: seconds after which a search for the guest ends.

    Returns:
        The text in that form: for ``hosts`` a host a line.

    Raises:
        NodeorderError: an unknown host, one that the ordering does not have, an unknown form, segments that units do
            not hold.
    """
    named = machine(m)
    if isinstance(nodes, str):
        listed = nodes
    elif isinstance(nodes, Sequence) and len(nodes) > 0 and all(isinstance(name, str) for name in nodes):
        listed = "\n".join(text("nodes", name) for name in nodes)
    else:
        listed = "\n".join(named.names_of(node_array("nodes", nodes)))
    order = None if by is None else named.order(by)._native
    if objective not in ("ring", "spread"):
        raise refused("objective", repr(objective), "ring or spread")
    wanted: dict[str, object] = {
        "per_node": whole("per_node", per_node, 1, 65536),
        "guest": None if guest is None else text("guest", guest),
        "spread": objective == "spread" and guest is not None,
        "segment": None if segment is None else str(segment),
        "take": None if take is None else whole("take", take, 1, 2**31),
        "roles": None if roles is None else text("roles", roles),
        "time": float(time),
    }
    form, document = _native.hosts(named._native, listed, order, "hosts" if to == "json" else text("to", to), wanted)
    return document if to == "json" else form


@overload
def audit(
    m: Topology,
    trace: Any,
    *,
    orders: Orders | None = ...,
    alloc: str | Sequence[str] = ...,
    columns: str | None = ...,
    shape: bool = ...,
    guest: str | None = ...,
    out: Literal["rows", "room"] = ...,
    progress: bool | None = ...,
) -> pd.DataFrame: ...
@overload
def audit(
    m: Topology,
    trace: Any,
    *,
    orders: Orders | None = ...,
    alloc: str | Sequence[str] = ...,
    columns: str | None = ...,
    shape: bool = ...,
    guest: str | None = ...,
    out: Literal["summary"],
    progress: bool | None = ...,
) -> dict[str, Any]: ...
def audit(
    m: Topology,
    trace: Any,
    *,
    orders: Orders | None = None,
    alloc: str | Sequence[str] = (),
    columns: str | None = None,
    shape: bool = False,
    guest: str | None = None,
    out: str = "rows",
    progress: bool | None = None,
) -> pd.DataFrame | dict[str, Any]:
    """Scores the placements that a scheduler recorded, beside what others would give, as ``nodeorder audit`` does.

    Args:
        m: the machine.
        trace: records that list the nodes of jobs: a file (output of ``sacct -P``, PBS accounting, a CSV table, …), or
            a frame with ``node_list`` and ``job``, ``start``, ``end``, … in seconds.
        orders: place the same jobs on these orderings, too; ``row-major`` unless given, where ``alloc`` is.
        alloc: with these allocators; ``slurm-best-fit`` unless given, where ``orders`` is.
        columns: of a CSV file: the name of a known set, or ``key=column`` with commas between.
        shape: add the steps of each job's ring, the links between two halves of it, and its closed rings.
        guest: traffic of the jobs, such as ``"ring"``: adds the bytes between units of each level.
        out: ``rows``, a row a job and placement; ``summary``, the document of ``--json`` as a dict; ``room``, a row for
            each time at which recorded jobs start: slots, stranded nodes, units by state.
        progress: show a bar; in notebooks and on terminals unless given.

    Returns:
        A frame with the columns of the command's CSV (distances in hops), or a dict.

    Raises:
        NodeorderError: records without lists of nodes, a bad line, an unknown allocator.
    """
    named, allocators = machine(m), texts("alloc", alloc)
    tried = orders is not None or bool(allocators)
    made = named._orders("row-major" if orders is None else orders) if tried else []
    if tried and not allocators:
        allocators = ["slurm-best-fit"]
    wanted = among("out", out, ["rows", "summary", "room"])
    given = with_columns("trace", trace, columns)
    with shown(progress, "audit", "job") as show:
        found = _native.audit(
            named._native, given, [order._native for order in made], allocators, flag("shape", shape), guest, wanted, show
        )
    return dict(json.loads(found)) if wanted == "summary" else frame(found)


def snapshot(
    m: Topology,
    jobs: Any,
    nodes: Any = None,
    *,
    columns: str | None = None,
    sizes: str | None = None,
    free: int | str | None = None,
    fixed: str | Sequence[str] | None = None,
    movable: str | Sequence[str] | None = None,
    cost: str = "nodes",
    whole_jobs: bool = False,
    time: float = 15.0,
) -> dict[str, Any]:
    """Finds what fits on a machine now, what blocks it, and when jobs free it, as ``nodeorder snapshot`` does.

    Args:
        m: the machine.
        jobs: the jobs of now: what ``squeue --json`` prints, as a file or a dict; or records in which jobs that run
            have no end, as a file or a frame with ``node_list``, ``start``, ``limit``, … in seconds.
        nodes: what ``sinfo --json`` prints, as a file or a dict; all that no job holds are free unless given.
        columns: of a CSV file: the name of a known set, or ``key=column`` with commas between.
        sizes: of jobs whose slots are counted, such as ``"4,64:segment=8"``; powers of two unless given.
        free: find the moves of least cost that free so many units, as in ``2`` or ``"2,level=rack"``.
        fixed: names of jobs that stay.
        movable: names of the only jobs that may move.
        cost: of moves: ``nodes``, ``jobs`` (then nodes) or ``node-hours``.
        whole_jobs: a job moves as a whole or not at all, and onto no more units than it has.
        time: seconds after which the search for moves ends with what it has.

    Returns:
        The document of ``--json`` as a dict: nodes that are ``free``, ``held`` and ``out``; jobs ``running`` and
        ``waiting`` (counts); and ``levels``, leaf first, each with its ``largest`` job in nodes, its ``roomiest``
        unit, and ``next``, the units that jobs hold in the order in which they are ``freed`` (seconds since 1970; none
        where a job has no limit); ``slots``, ``units``, ``gains`` and ``fragmentation``; with ``free`` the ``moves``,
        their cost and its bound.

    Raises:
        NodeorderError: records without lists of nodes, a bad line, nodes of another form.
    """
    named = machine(m)
    listed: _native.Source
    if isinstance(jobs, Mapping):
        listed = {"name": "jobs", "text": printed("jobs", jobs).encode(), "columns": None}
    else:
        listed = with_columns("jobs", jobs, columns)
    states: tuple[str, str | None] | None = None
    if isinstance(nodes, Mapping):
        states = ("nodes", printed("nodes", nodes))
    elif nodes is not None:
        states = (path_text("nodes", nodes), None)
    wanted: _native.SnapshotWanted = {
        "sizes": None if sizes is None else text("sizes", sizes),
        "free": None if free is None else text("free", str(free)),
        "fixed": None if fixed is None else ",".join(texts("fixed", fixed)),
        "movable": None if movable is None else ",".join(texts("movable", movable)),
        "cost": text("cost", cost),
        "whole_jobs": flag("whole_jobs", whole_jobs),
        "seconds": float(time),
    }
    return dict(json.loads(_native.snapshot(named._native, listed, states, wanted)))


def availability(
    m: Topology,
    *,
    level: str | None = None,
    need: str | None = None,
    node: float | None = None,
    mtbf: str | None = None,
    mttr: str | None = None,
    switch: float | None = None,
    slices: Iterable[int] = (),
    promise: str | None = None,
) -> dict[str, Any]:
    """Computes how many racks or groups of a machine are up, as ``nodeorder availability`` does.

    Args:
        m: the machine.
        level: the level whose units count; the innermost whose units have several nodes unless given.
        need: ``"M/N"``: nodes that a unit of N needs; all unless given.
        node: the share of the time in which a node is up; 0.995 unless given.
        mtbf: instead of it: mean time between failures, such as ``"5y"``, with
        mttr: the mean time to repair, such as ``"12h"``.
        switch: the share of the time in which a switch is up; each unit of each level has one; 1 unless given.
        slices: units that a job takes: what share of the machine such jobs can use.
        promise: ``"U:P"``: find the fewest units to add so that U are up with probability P.

    Returns:
        A dict: ``level``, ``units``, ``nodes`` and ``need`` of the largest unit, ``unit_availability``,
        ``expected_units``, ``units_at_95``, ``units_at_99``, ``goodput`` (``units``, ``any``, ``fixed``) and ``spares``.

    Raises:
        NodeorderError: an unknown level, a share or number out of range, a promise that cannot be kept.
    """
    if (mtbf is None) != (mttr is None):
        raise refused("mtbf, mttr", "one of them", "both or none")
    wanted: _native.AvailabilityWanted = {
        "level": None if level is None else text("level", level),
        "need": None if need is None else text("need", need),
        "node": None if node is None else share("node", node),
        "mtbf": None if mtbf is None else text("mtbf", mtbf),
        "mttr": None if mttr is None else text("mttr", mttr),
        "switch": None if switch is None else share("switch", switch),
        "slices": [whole("slices", one, 1) for one in slices],
        "promise": None if promise is None else text("promise", promise),
    }
    return dict(json.loads(_native.availability(machine(m)._native, wanted)))


def printed(name: str, document: Mapping[str, Any]) -> str:
    """Writes a document of Slurm's that was read as JSON."""
    try:
        return json.dumps(document)
    except (TypeError, ValueError):
        raise refused(name, described(document), "a dict as json.load gives it") from None


def with_columns(name: str, value: Any, columns: str | None) -> _native.Source:
    """Reads a file or frame of jobs; the columns of a file may be named."""
    given = source(name, value)
    if columns is not None:
        if given["text"] is not None:
            raise refused("columns", described(columns), "them beside a file: a frame has names of its own")
        given["columns"] = text("columns", columns)
    return given


def sweep(
    plan: str | os.PathLike[str] | Mapping[str, Any],
    out: str | os.PathLike[str] | None = None,
    *,
    executor: Any = None,
    seed: int = 1,
    memory: int | None = None,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Runs every combination that a plan lists, as ``nodeorder sweep run`` does. Rows are held in memory until all are
    there: for sweeps of hours, which may be stopped and go on, use the command.

    Args:
        plan: a TOML file, or a dict of its keys (``topologies``, ``orderings``, ``allocators``, ``traces``, …).
        out: write ``results.csv`` there, with the bytes that the command writes; made where there is none.
        executor: whatever has ``submit``, as those of ``concurrent.futures`` and mpi4py, and Dask's ``Client``: its workers
            run the combinations, and the table is the same. They find the plan's files under the same paths.
        seed: where the plan has no ``seeds``.
        memory: bytes that one data structure may take; four fifths of the free memory unless given.
        progress: show a bar; in notebooks and on terminals unless given.

    Returns:
        A frame with a row a combination: its columns, ``group``, the figures of that group, and ``note``.

    Warns:
        UserWarning: what the results rest on: orderings made for another machine, capacities assumed.

    Raises:
        NodeorderError: all that is wrong with the plan, with lines.
    """
    if isinstance(plan, Mapping):
        written = "".join(f"{json.dumps(text('key', key))} = {toml(key, value)}\n" for key, value in plan.items())
        file = os.path.join(os.getcwd(), "plan")
    else:
        written, file = None, path_text("plan", plan)
    given = (written, file, whole("seed", seed, 0), memory_limit(memory))
    with shown(progress, "sweep", "cell") as show:
        if executor is None:
            table, remarks = _native.sweep(*given, show)
        else:
            table, remarks = run_shards(executor, given, show)
    for remark in remarks:
        warnings.warn(remark, stacklevel=2)
    if out is not None:
        write_files(path_text("out", out), {"results.csv": table.encode()})
    return frame(table.encode())


def run_shard(written: str | None, file: str, seed: int, memory: int, shard: tuple[int, int]) -> list[str]:
    """Runs a shard of a plan, in a worker: the lines of its rows. A function of Python, which pickles by name."""
    return _native.sweep_shard(written, file, seed, memory, shard)[3]


def run_shards(executor: Any, plan: tuple[str | None, str, int, int], show: Any) -> tuple[str, list[str]]:
    """Runs a plan on the workers of an executor: its table and remarks."""
    header, cells, remarks, _ = _native.sweep_shard(*plan, None)
    # A shard a combination, as long as there are not very many: the executor's queue balances slow ones.
    count = max(1, min(cells, 1000))
    futures: dict[int, Any] = {}
    ended: queue.SimpleQueue[int] = queue.SimpleQueue()
    shards: list[list[str]] = [[] for _ in range(count)]
    try:
        for index in range(count):
            futures[index] = executor.submit(run_shard, *plan, (index, count))
        for index, future in futures.items():
            future.add_done_callback(lambda _, index=index: ended.put(index))
        done = 0
        for _ in range(count):
            # As they end, and let go: Dask keeps results in its workers, and computes those of a lost one again.
            index = ended.get()
            shards[index] = futures.pop(index).result()
            done += len(shards[index])
            if show is not None:
                show(done, cells)
    except BaseException:
        # Whoever stops waiting, by Ctrl-C too, leaves no work behind.
        for future in futures.values():
            future.cancel()
        raise
    rows = (shards[cell % count][cell // count] for cell in range(cells))
    return header + "".join(rows), remarks


class Machines(Page):
    """Machines side by side, each with its best ordering; made by :func:`compare`.

    In a notebook it shows the headline and the table of the command's page; :meth:`save` writes that page.
    """

    def __init__(self, native: _native.Machines) -> None:
        self._native: _native.Machines = native

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row a machine, best first, with the columns of ``machines.csv``: counts, distances in hops, prices."""
        return frame(self._native.table())

    @cached_property
    def curves(self) -> pd.DataFrame:
        """The curve of each machine's best ordering, a row a size, with the columns of ``machine-curves.csv``."""
        return frame(self._native.curves())

    @property
    def headline(self) -> str:
        """The sentence that the page begins with."""
        return self._native.headline()

    def __repr__(self) -> str:
        return f"<Machines: {self.headline}>"

    def _repr_html_(self) -> str:
        table = self.table.to_html(index=False, float_format="{:.3f}".format, border=0)
        return f"<p>{html.escape(self.headline)}</p>{table}"


def compare(
    machines: Iterable[Topology | str | os.PathLike[str]],
    orders: str | Sequence[str] = (),
    *,
    prices: str | Mapping[str, float] | None = None,
    broken: str | None = None,
    progress: bool | None = None,
) -> Machines:
    """Ranks several machines, each with the best of its orderings, as ``nodeorder machines SPEC SPEC…`` does.

    Args:
        machines: two machines or more, or their specs.
        orders: texts that make orderings; each machine takes those that suit it, or its own where none is given.
        prices: of a cable between routers (``links``), of a node's cable (``node_links``), of a router (``routers``)
            and of a node (``nodes``), in any currency; a dict or a text such as ``links=100,routers=5000``.
        broken: ``links:SHARE`` or ``switches:K``: each machine is measured ten times with so much broken, as with
            ``--broken``: ``broken_throughput`` and ``unreachable_nodes`` of the table, with their intervals.
        progress: show a bar; in notebooks and on terminals unless given.

    Returns:
        The machines: ``.table``, ``.curves``, ``.headline``, ``.save(folder)``; a summary in a notebook.

    Raises:
        NodeorderError: fewer than two machines, one twice, an ordering, price or broken part that is wrong.
    """
    made = [one if isinstance(one, Topology) else topology(one) for one in machines]
    specs = [one.spec for one in made]
    if len(made) < 2 or len(set(specs)) < len(specs):
        raise refused("machines", ", ".join(specs) or "none", "two machines or more, each once")
    by = texts("orders", orders)
    if isinstance(prices, Mapping):
        prices = ",".join(f"{text('prices', key)}={float(value)!r}" for key, value in prices.items())
    words = ["nodeorder", "machines", *specs]
    words += [word for order in by for word in ("--order", order)]
    words += [] if prices is None else ["--prices", text("prices", prices)]
    words += [] if broken is None else ["--broken", text("broken", broken)]
    command = shlex.join([*words, "--seed", str(made[0].seed)])
    with shown(progress, "comparing", "machine") as show:
        natives = [one._native for one in made]
        return Machines(_native.Machines.make(natives, by, prices, broken, command, show))
