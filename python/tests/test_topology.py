"""Machines against networkx and scipy, which compute the same from the links alone."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import shortest_path

import nodeorder as no


def hops(machine: no.Topology) -> np.ndarray:
    """Distances of all nodes by scipy, from the links."""
    links = machine.links
    size = machine.routers
    matrix = coo_array((np.ones(len(links)), (links["u"], links["v"])), shape=(size, size)).tocsr()
    routers = machine.routers_of(machine.nodes)
    return shortest_path(matrix, directed=False, unweighted=True)[np.ix_(routers, routers)]


def test_distances_are_those_of_scipy(machine: no.Topology) -> None:
    assert np.array_equal(machine.distances(), hops(machine))


def test_distances_are_those_of_networkx(machine: no.Topology) -> None:
    graph = machine.to_networkx()
    lengths = dict(nx.all_pairs_shortest_path_length(graph))
    routers = machine.routers_of(machine.nodes).tolist()
    expected = [[lengths[u][v] for v in routers] for u in routers]
    assert machine.distances().tolist() == expected


def test_the_mean_distance_and_the_diameter_are_those_of_the_matrix(machine: no.Topology) -> None:
    info, matrix = machine.info(histogram=True), hops(machine)
    n = len(machine)
    assert info["nodes"] == n
    assert info["diameter"] == matrix.max()
    assert info["total_distance"] == matrix.sum() / 2
    assert info["mean_distance"] == pytest.approx(matrix.sum() / (n * (n - 1)), rel=1e-14)
    counts = np.bincount(matrix[np.triu_indices(n, 1)].astype(int))
    assert info["distance_histogram"] == counts.tolist()


def test_the_mean_distance_is_that_of_networkx() -> None:
    for spec in ["torus:5x6", "random-regular:n=24,d=3", "hyperx:3x4"]:
        machine = no.topology(spec)
        expected = nx.average_shortest_path_length(machine.to_networkx())
        assert machine.info()["mean_distance"] == pytest.approx(expected, rel=1e-14)


def test_degrees_and_links_are_those_of_networkx(machine: no.Topology) -> None:
    graph, info = machine.to_networkx(), machine.info()
    degrees = [degree for _, degree in graph.degree()]
    assert (info["degree_min"], info["degree_max"]) == (min(degrees), max(degrees))
    assert (info["routers"], info["links"]) == (graph.number_of_nodes(), graph.number_of_edges())
    assert len(machine.links) == graph.number_of_edges()


@given(st.lists(st.integers(2, 6), min_size=1, max_size=3))
def test_a_torus_is_the_grid_graph_of_networkx(extents: list[int]) -> None:
    machine = no.topology("torus:" + "x".join(map(str, extents)))
    graph = nx.grid_graph(dim=extents[::-1], periodic=True)
    # Vertices of grid_graph are tuples in the order of the extents, or numbers where there is one.
    places = [tuple(row) if len(extents) > 1 else int(row[0]) for row in machine.coordinates.tolist()]
    lengths = dict(nx.all_pairs_shortest_path_length(graph))
    expected = [[lengths[u][v] for v in places] for u in places]
    assert machine.distances().tolist() == expected


@given(st.integers(4, 24), st.integers(0, 2**32 - 1))
def test_a_random_graph_keeps_its_distances_and_components(size: int, seed: int) -> None:
    graph = nx.gnm_random_graph(size, size, seed=seed)
    machine = no.from_networkx(graph)
    assert machine.components == nx.number_connected_components(graph)
    lengths = dict(nx.all_pairs_shortest_path_length(graph))
    expected = [[lengths[u].get(v, -1) for v in graph] for u in graph]
    assert machine.distances().tolist() == expected


def test_rows_and_columns_of_distances_may_differ(machine: no.Topology) -> None:
    nodes = machine.nodes
    part = machine.distances(nodes[:3], nodes[2:7])
    assert part.dtype == np.int32
    assert np.array_equal(part, machine.distances()[:3, 2:7])


def test_nodes_have_ids_names_and_routers() -> None:
    machine = no.topology("torus:2x3,per_router=2,limit=11,exclude=4,names=nid{:03}")
    assert machine.nodes.tolist() == [0, 1, 2, 3, 5, 6, 7, 8, 9, 10]
    assert machine.names[4] == "nid005"
    assert machine.nodes_named(["nid005", "nid010"]).tolist() == [5, 10]
    assert machine.routers_of([5, 10]).tolist() == [2, 5]
    assert machine.host_list([5, 6, 7]) == "nid[005-007]"
    assert not machine.nodes.flags.writeable
    assert len(machine) == 10 and machine.per_router == 2 and machine.routers == 6


def test_coordinates_are_those_of_the_routers() -> None:
    machine = no.topology("mesh:2x3,per_router=2")
    assert machine.axes == ("x", "y")
    expected = [(x, y) for x in range(2) for y in range(3) for _ in range(2)]
    assert [tuple(row) for row in machine.coordinates.tolist()] == expected
    assert machine.coordinates_of([11]).tolist() == [[1, 2]]
    assert no.topology("fat-tree:k=4").coordinates is None


def test_shipped_machines_are_there() -> None:
    assert {"titan", "hector"} <= set(no.machines())
    assert len(no.topology("titan")) > 18_000
    assert no.topology("titan").source


def test_a_seed_chooses_a_random_machine() -> None:
    spec = "random-regular:n=20,d=3"
    one, again, other = no.topology(spec, seed=1), no.topology(spec, seed=1), no.topology(spec, seed=2)
    assert one.links.equals(again.links)
    assert not one.links.equals(other.links)


def test_a_notebook_shows_a_machine(torus: no.Topology) -> None:
    html = torus._repr_html_()
    assert "torus:8x8" in html and "64" in html
    assert "<script" not in no.topology("mesh:2,name=<script>")._repr_html_()


def test_entries_are_listed() -> None:
    assert "hilbert" in no.entries("orderings").index
    assert no.entries("allocators").loc["first-fit", "about"]
