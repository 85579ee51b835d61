"""Networks as arrays from networkx graphs, and back."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ._error import NodeorderError, described, refused, text, whole
from ._machine import Machine

if TYPE_CHECKING:
    import networkx as nx

#: Nodes and cells that a machine may have.
MOST = 2**31


def network_of(
    graph: nx.Graph[Any],
    name: str | None,
    per_router: int,
    hosts: str | Iterable[Hashable] | None,
    capacity: str,
    coordinates: str,
) -> dict[str, Any]:
    """Reads a graph's network for :func:`from_networkx`: arrays for the compiled part, and the vertices."""
    if not hasattr(graph, "adj") or not hasattr(graph, "is_directed"):
        raise refused("graph", described(graph), "a networkx graph")
    if graph.is_directed():
        raise refused("graph", "a directed graph", "an undirected one, as G.to_undirected() gives")
    if graph.number_of_nodes() == 0:
        raise refused("graph", "a graph without vertices", "one vertex or more")
    called = text("name", name if name is not None else str(graph.graph.get("name") or "networkx"))
    data: dict[Any, dict[str, Any]] = dict(graph.nodes(data=True))
    carrying, per_router = carriers(data, hosts, whole("per_router", per_router, 1, MOST))
    chosen = set(carrying)
    vertices = [*carrying, *(vertex for vertex in data if vertex not in chosen)]
    number = {vertex: router for router, vertex in enumerate(vertices)}
    if len(vertices) * per_router > MOST:
        raise refused("graph", f"{len(vertices)} vertices", f"a machine of up to {MOST} nodes")
    joined: dict[tuple[int, int], float] = {}
    for u, v, edge in graph.edges(data=True):
        ends = tuple(sorted((number[u], number[v])))
        joined[ends[0], ends[1]] = joined.get((ends[0], ends[1]), 0.0) + capacity_of(edge.get(capacity, 1), u, v)
    network = {
        "name": called,
        "routers": len(vertices),
        "hosts": len(carrying),
        "per_router": per_router,
        "links": np.array(list(joined), dtype=np.uint32).reshape(len(joined), 2),
        "capacities": np.array(list(joined.values()), dtype=np.float64),
        "names": [label for vertex in carrying for label in names_of(vertex, data[vertex], per_router)],
        "coordinates": coordinates_of(carrying, data, coordinates),
        "wrap": [],
        "vertices": vertices,
    }
    if network["coordinates"] is not None:
        network["wrap"] = [False] * network["coordinates"].shape[1]
    names = network["names"]
    if len(set(names)) < len(names):
        again = next(label for i, label in enumerate(names) if label in names[:i])
        raise refused("graph", f"two nodes called {again!r}", "a name for each node")
    return network


def carriers(
    data: dict[Any, dict[str, Any]], hosts: str | Iterable[Hashable] | None, per_router: int
) -> tuple[list[Any], int]:
    """Lists the vertices that carry nodes, and the number of nodes on each."""
    if hosts is None and all("nodes" in attributes for attributes in data.values()):
        counts = {vertex: len(attributes["nodes"]) for vertex, attributes in data.items()}
        carrying = [vertex for vertex, count in counts.items() if count]
        if carrying and len({counts[vertex] for vertex in carrying}) > 1:
            raise refused("graph", "vertices with different numbers of nodes", "the same number on each (hosts=)")
        per_router = counts[carrying[0]] if carrying else per_router
    elif hosts is None:
        carrying = list(data)
    elif isinstance(hosts, str):
        carrying = [vertex for vertex, attributes in data.items() if attributes.get(hosts)]
    elif isinstance(hosts, Iterable):
        carrying = list(dict.fromkeys(hosts))
        missing = next((vertex for vertex in carrying if vertex not in data), None)
        if missing is not None:
            raise refused("hosts", repr(missing), "vertices of the graph")
    else:
        raise refused("hosts", described(hosts), "an attribute or vertices")
    if not carrying:
        raise refused("hosts", "no vertex that carries nodes", "one or more")
    return carrying, per_router


def capacity_of(value: object, u: object, v: object) -> float:
    """Checks the capacity of a link."""
    if isinstance(value, (int, float, np.integer, np.floating)) and 0 < float(value) < float("inf"):
        return float(value)
    raise refused("capacity", f"{described(value)} of {u!r} to {v!r}", "a finite number above 0")


def names_of(vertex: Any, attributes: dict[str, Any], per_router: int) -> list[str]:
    """Lists the names of a vertex's nodes."""
    if len(attributes.get("names", ())) == per_router:
        return [str(name) for name in attributes["names"]]
    plain = "-".join(map(str, vertex)) if isinstance(vertex, tuple) else str(vertex)
    name = str(attributes.get("name", f"n{plain}" if plain.isdecimal() else plain))
    return [name] if per_router == 1 else [f"{name}.{slot}" for slot in range(per_router)]


def coordinates_of(carrying: list[Any], data: dict[Any, dict[str, Any]], key: str) -> Any:
    """Lists the coordinates of the vertices that carry nodes, a row each; None where they have none."""
    rows: list[Any]
    if any(key in data[vertex] for vertex in carrying):
        rows = [data[vertex].get(key) for vertex in carrying]
    elif all(isinstance(vertex, tuple) and all(is_place(x) for x in vertex) for vertex in carrying):
        rows = list(carrying)
        if len({len(row) for row in rows}) > 1 or not rows[0]:
            return None
    else:
        return None
    for vertex, row in zip(carrying, rows):
        sized = hasattr(row, "__len__") and hasattr(rows[0], "__len__") and 0 < len(row) == len(rows[0])
        if not sized or not all(is_place(x) for x in row):
            found = f"{described(row)} of {vertex!r}"
            raise refused(key, found, "as many whole numbers from 0 for each vertex")
    array = np.array(rows, dtype=np.int64)
    cells = 1
    for extent in (array.max(axis=0) + 1).tolist():
        cells *= extent
    if cells > MOST:
        raise refused(key, f"a box of {cells} cells", f"up to {MOST} cells")
    return array.astype(np.uint32)


def is_place(value: object) -> bool:
    """Checks whether a value is a whole number from 0."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and 0 <= int(value) < MOST


def to_networkx(machine: Machine) -> nx.Graph[int]:
    """Makes a graph of the routers and links of a machine: see :meth:`Topology.to_networkx`."""
    try:
        import networkx as nx
    except ImportError as error:
        raise NodeorderError("graphs need networkx: pip install nodeorder[all]") from error
    graph: nx.Graph[int] = nx.Graph(name=machine.name, spec=machine.spec)
    graph.add_nodes_from((router, {"nodes": [], "names": []}) for router in range(machine.routers))
    nodes = machine.nodes
    cells = machine.coordinates
    routers = machine.routers_of(nodes).tolist()
    for i, (node, router, name) in enumerate(zip(nodes.tolist(), routers, machine.names)):
        vertex = graph.nodes[router]
        vertex["nodes"].append(node)
        vertex["names"].append(name)
        if cells is not None:
            vertex["coordinates"] = tuple(cells[i].tolist())
    links = machine.links
    ends = zip(links["u"].tolist(), links["v"].tolist(), links["capacity"].tolist())
    graph.add_edges_from((u, v, {"capacity": capacity}) for u, v, capacity in ends)
    return graph
