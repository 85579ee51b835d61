"""Graphs in and out."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nodeorder as no


def test_a_machine_goes_to_networkx_and_back(machine: no.Topology) -> None:
    if not no.topology(machine.spec).info()["places"] == len(machine):
        return
    graph = machine.to_networkx()
    again = no.from_networkx(graph)
    assert np.array_equal(again.distances(), machine.distances())
    assert again.names == machine.names and again.name == machine.name
    if machine.coordinates is None:
        assert again.coordinates is None
    else:
        assert np.array_equal(again.coordinates, machine.coordinates)


def test_vertices_names_and_attributes_are_kept() -> None:
    graph = nx.Graph(name="lab")
    graph.add_node("core")
    graph.add_node("leaf-a", nodes=2, name="alpha")
    graph.add_node("leaf-b", nodes=2)
    graph.add_edge("core", "leaf-a", capacity=2.5)
    graph.add_edge("core", "leaf-b")
    machine = no.from_networkx(graph, hosts="nodes", per_router=2)
    assert machine.name == "lab" and machine.vertices == ["leaf-a", "leaf-b", "core"]
    assert machine.names == ["alpha.0", "alpha.1", "leaf-b.0", "leaf-b.1"]
    assert machine.links["capacity"].tolist() == [2.5, 1.0]
    assert machine.distances([0], [1, 2]).tolist() == [[0, 2]]
    assert no.from_networkx(graph, hosts=["leaf-b"]).names == ["leaf-b"]


def test_tuples_are_coordinates() -> None:
    machine = no.from_networkx(nx.grid_2d_graph(4, 4))
    assert machine.coordinates.tolist() == [[x, y] for x in range(4) for y in range(4)]
    hilbert = machine.order("hilbert").nodes
    assert np.array_equal(hilbert, no.topology("mesh:4x4").order("hilbert").nodes)
    assert machine.names[5] == "1-1"


def test_attributes_are_coordinates() -> None:
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, {0: (0, 1), 1: (1, 1), 2: (1, 0)}, "at")
    machine = no.from_networkx(graph, coordinates="at")
    assert machine.coordinates.tolist() == [[0, 1], [1, 1], [1, 0]]
    assert no.from_networkx(graph).coordinates is None


def test_parallel_edges_are_one_link() -> None:
    graph = nx.MultiGraph([(0, 1), (0, 1), (1, 2)])
    assert no.from_networkx(graph).links["capacity"].tolist() == [2.0, 1.0]


@given(st.integers(3, 16), st.integers(1, 3), st.integers(0, 10**6))
def test_several_nodes_a_router_are_no_hop_apart(size: int, per_router: int, seed: int) -> None:
    graph = nx.connected_watts_strogatz_graph(size, 2, 0.5, seed=seed)
    machine = no.from_networkx(graph, per_router=per_router)
    assert len(machine) == size * per_router
    lengths = dict(nx.all_pairs_shortest_path_length(graph))
    matrix = machine.distances()
    assert all(
        matrix[a, b] == lengths[a // per_router][b // per_router]
        for a in range(len(machine))
        for b in range(0, len(machine), 3)
    )


def test_a_relabelled_graph_has_the_same_curve() -> None:
    graph = nx.random_regular_graph(3, 20, seed=4)
    names = {vertex: f"v{19 - vertex}" for vertex in graph}
    plain, named = no.from_networkx(graph), no.from_networkx(nx.relabel_nodes(graph, names))
    order = np.random.default_rng(2).permutation(20)
    at = {vertex: i for i, vertex in enumerate(named.vertices or [])}
    same = [at[names[(plain.vertices or [])[node]]] for node in order.tolist()]
    assert plain.mpc(plain.order(order)).equals(named.mpc(named.order(same)))


@pytest.mark.parametrize(
    ("graph", "keywords", "message"),
    [
        (nx.DiGraph([(0, 1)]), {}, "a directed graph"),
        (nx.Graph(), {}, "without vertices"),
        (nx.Graph([(0, 0), (0, 1)]), {}, "from router 0 to itself"),
        (nx.Graph([(0, 1, {"capacity": 0})]), {}, "finite number above 0"),
        (nx.Graph([(0, 1, {"capacity": "fast"})]), {}, "finite number above 0"),
        (nx.path_graph(3), {"hosts": [7]}, "vertices of the graph"),
        (nx.path_graph(3), {"hosts": "none"}, "no vertex that carries nodes"),
        (nx.path_graph(3), {"hosts": 3}, "an attribute or vertices"),
        (nx.path_graph(3), {"per_router": 0}, "whole number from 1"),
        (nx.path_graph(3), {"name": 5}, "a text"),
        ([(0, 1)], {}, "a networkx graph"),
    ],
)
def test_what_is_no_machine_is_refused(graph: object, keywords: dict[str, object], message: str) -> None:
    with pytest.raises(no.NodeorderError, match=message):
        no.from_networkx(graph, **keywords)


@pytest.mark.parametrize(
    "places", [{0: (0, 1), 1: (1,)}, {0: (0, -1), 1: (0, 0)}, {0: (0, 0)}, {0: 3, 1: 4}, {0: (0.5, 1), 1: (1, 1)}]
)
def test_what_are_no_coordinates_is_refused(places: dict[int, object]) -> None:
    graph = nx.path_graph(2)
    nx.set_node_attributes(graph, places, "coordinates")
    with pytest.raises(no.NodeorderError, match="whole numbers from 0"):
        no.from_networkx(graph)


def test_a_huge_box_is_refused() -> None:
    graph = nx.Graph()
    graph.add_edge((0, 0, 0), (10**5, 10**5, 10**5))
    with pytest.raises(no.NodeorderError, match="cells"):
        no.from_networkx(graph)
