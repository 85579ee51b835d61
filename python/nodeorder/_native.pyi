"""The compiled part of nodeorder: what the modules beside it call, with all arguments checked."""

from collections.abc import Callable
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

__version__: str
#: What a column of a table of jobs can say.
ROLES: list[str]

_Show = Callable[[int, int], None] | None
_Table = tuple[str, str | None]
_Talk = tuple[str | None, str | None]
_Limits = tuple[int | None, int | None]

class NodeorderError(ValueError):
    """What nodeorder refuses: the message says where, what was found and what was expected, as the command's does."""

class Source(TypedDict):
    """A log or trace: a file's name, or a text, which may be a table of jobs."""

    name: str
    text: bytes | None
    columns: str | None

class ReplayWanted(TypedDict):
    out: str
    ranks: bool
    names: bool
    extent: bool
    shape: bool
    room: bool
    threshold: int
    whole_hops: bool

class ScheduleWanted(TypedDict):
    policy: str
    alloc: str
    model: str
    partitions: list[int]
    out: str
    ranks: bool
    names: bool
    extent: bool
    shape: bool

class CorunWanted(TypedDict):
    routing: str
    figures: list[tuple[str, str]]
    links_file: str | None
    fair: str
    level: str
    iterations: int
    out: str

class SlowdownWanted(TypedDict):
    guests: list[str]
    routing: str | None
    duty: float
    tilings: int
    sizes: str
    out: str

class SnapshotWanted(TypedDict):
    sizes: str | None
    free: str | None
    fixed: str | None
    movable: str | None
    cost: str
    whole_jobs: bool
    seconds: float

class AvailabilityWanted(TypedDict):
    level: str | None
    need: str | None
    node: float | None
    mtbf: str | None
    mttr: str | None
    switch: float | None
    slices: list[int]
    promise: str | None

class CompareJobs(TypedDict):
    trace: Source
    alloc: list[str]
    policy: str | None
    model: str | None
    procs_per_node: int | None
    talk: _Talk

class Topology:
    """A machine."""
    @staticmethod
    def from_spec(spec: str, seed: int, memory: int) -> Topology: ...
    @staticmethod
    def from_links(
        name: str,
        routers: int,
        hosts: int,
        per_router: int,
        links: NDArray[np.uint32],
        capacities: NDArray[np.float64],
        names: list[str],
        coordinates: NDArray[np.uint32] | None,
        wrap: list[bool],
        seed: int,
        memory: int,
    ) -> Topology: ...
    @property
    def name(self) -> str: ...
    @property
    def spec(self) -> str: ...
    @property
    def network(self) -> str: ...
    @property
    def source(self) -> str | None: ...
    @property
    def seed(self) -> int: ...
    @property
    def memory(self) -> int: ...
    @property
    def node_count(self) -> int: ...
    @property
    def routers(self) -> int: ...
    @property
    def per_router(self) -> int: ...
    @property
    def components(self) -> int: ...
    def remarks(self) -> list[str]: ...
    def nodes(self) -> NDArray[np.int64]: ...
    def routers_of(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]: ...
    def names_of(self, nodes: NDArray[np.int64]) -> list[str]: ...
    def nodes_named(self, names: list[str]) -> list[int | None]: ...
    def links(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]: ...
    def coordinates(self, nodes: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[bool], list[str]] | None: ...
    def suiting(self) -> list[str]: ...
    def figures(self, histogram: bool) -> str: ...
    def distances(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.int32]: ...
    def host_list(self, nodes: NDArray[np.int64]) -> str: ...

class Ordering:
    """An ordering."""
    @staticmethod
    def make(topology: Topology, text: str, progress: _Show) -> Ordering: ...
    @staticmethod
    def of_nodes(topology: Topology, label: str, nodes: NDArray[np.int64]) -> Ordering: ...
    @property
    def label(self) -> str: ...
    @property
    def found(self) -> str | None: ...
    def __len__(self) -> int: ...
    def nodes(self) -> NDArray[np.int64]: ...
    def text(self, topology: Topology, names: bool) -> bytes: ...
    def remarks(self, topology: Topology) -> list[str]: ...
    def host_list(self, topology: Topology) -> str: ...

class Comparison:
    """Orderings side by side."""
    @staticmethod
    def make(
        topology: Topology, orders: list[Ordering], jobs: CompareJobs | None, command: str, progress: _Show
    ) -> Comparison: ...
    def files(self) -> list[tuple[str, bytes]]: ...
    def table(self) -> bytes: ...
    def curves(self) -> bytes: ...
    def summary(self) -> str: ...
    def sentences(self) -> list[str]: ...
    def slots(self) -> list[int]: ...
    def floor(self) -> list[float]: ...

class Machines:
    """Machines side by side."""
    @staticmethod
    def make(
        topologies: list[Topology],
        orders: list[str],
        prices: str | None,
        broken: str | None,
        command: str,
        progress: _Show,
    ) -> Machines: ...
    def table(self) -> bytes: ...
    def curves(self) -> bytes: ...
    def summary(self) -> str: ...
    def headline(self) -> str: ...
    def files(self) -> list[tuple[str, bytes]]: ...

def score(topology: Topology, orders: list[Ordering], weights: str, progress: _Show) -> bytes: ...
def export(
    topology: Topology, order: Ordering, target: str, jobs: tuple[str, str | None] | None
) -> tuple[str, str | None, list[tuple[str, bytes]], list[str]]: ...
def hosts(
    topology: Topology, listed: str, order: Ordering | None, form: str, wanted: dict[str, object]
) -> tuple[str, str]: ...
def audit(
    topology: Topology,
    trace: Source,
    orders: list[Ordering],
    alloc: list[str],
    shape: bool,
    guest: str | None,
    out: str,
    progress: _Show,
) -> bytes: ...
def snapshot(
    topology: Topology, jobs: Source, nodes: tuple[str, str | None] | None, wanted: SnapshotWanted
) -> str: ...
def availability(topology: Topology, wanted: AvailabilityWanted) -> str: ...
def sweep_shard(
    text: str | None, file: str, seed: int, memory: int, shard: tuple[int, int] | None
) -> tuple[str, int, list[str], list[str]]: ...
def sweep(text: str | None, file: str, seed: int, memory: int, progress: _Show) -> tuple[str, list[str]]: ...
def trace_generate(spec: str, seed: int) -> str: ...
def trace_info(source: Source, limits: _Limits, memory: int) -> str: ...
def trace_convert(source: Source, to: str, limits: _Limits, memory: int) -> bytes: ...
def trace_transform(source: Source, changes: str, seed: int, limits: _Limits, memory: int) -> bytes: ...
def curve(
    topology: Topology, order: Ordering, chosen: str, progress: _Show
) -> tuple[NDArray[np.int64], NDArray[np.float64]]: ...
def slowdown(
    topology: Topology, orders: list[Ordering], wanted: SlowdownWanted, progress: _Show
) -> tuple[bytes, list[str]]: ...
def curves_svg(title: str, curves: list[tuple[str, NDArray[np.float64]]]) -> str: ...
def place(topology: Topology, nodes: NDArray[np.int64], order: Ordering | None) -> str: ...
def replay(
    topology: Topology,
    orders: list[Ordering],
    log: Source,
    alloc: list[str],
    talk: _Talk,
    procs_per_node: int | None,
    wanted: ReplayWanted,
    progress: _Show,
) -> bytes: ...
def schedule(
    topology: Topology,
    order: Ordering,
    jobs: Source,
    talk: _Talk,
    procs_per_node: int | None,
    wanted: ScheduleWanted,
    progress: _Show,
) -> bytes: ...
def corun(topology: Topology, jobs: str, text: str | None, wanted: CorunWanted, progress: _Show) -> bytes: ...
def map(
    topology: Topology,
    guest: _Table,
    assignment: Ordering | _Table,
    routing: str,
    method: str | None,
    out: str,
    progress: _Show,
) -> bytes: ...
def machines() -> list[str]: ...
def entries() -> list[tuple[str, list[tuple[str, str]]]]: ...
def set_threads(count: int) -> None: ...
def panic() -> None: ...
def looks(count: int) -> tuple[str, list[str]]: ...
