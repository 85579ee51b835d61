"""Mapped guests: loads of links against betweenness."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import random_array

import nodeorder as no


@pytest.mark.parametrize("spec", ["torus:5x4", "mesh:3x4", "hyperx:3x3", "random-regular:n=16,d=3", "slim-fly:q=5"])
def test_loads_of_all_to_all_are_betweenness(spec: str) -> None:
    machine = no.topology(spec)
    graph = machine.to_networkx()
    links = machine.map(
        f"all-to-all:n={len(machine)}", "row-major" if machine.axes else machine.nodes, routing="ecmp-path", out="links"
    )
    loads = links.set_index(["u", "v"])["load"]
    # Both directions of a link carry each unordered pair twice; networkx counts it once.
    for (u, v), between in nx.edge_betweenness_centrality(graph, normalized=False).items():
        assert loads[u, v] + loads[v, u] == pytest.approx(2 * between, rel=1e-9)


@given(st.integers(6, 16), st.integers(0, 10**6))
def test_loads_on_random_graphs_are_betweenness(size: int, seed: int) -> None:
    graph = nx.connected_watts_strogatz_graph(size, 4, 0.4, seed=seed)
    machine = no.from_networkx(graph)
    loads = machine.map(np.ones((size, size)), machine.nodes, routing="ecmp-path", out="links").set_index(["u", "v"])[
        "load"
    ]
    for (u, v), between in nx.edge_betweenness_centrality(graph, normalized=False).items():
        assert loads[u, v] + loads[v, u] == pytest.approx(2 * between, rel=1e-9)


@given(st.integers(2, 20), st.integers(0, 10**6))
def test_hop_bytes_are_volumes_times_distances(processes: int, seed: int) -> None:
    machine = no.topology("torus:4x5")
    rng = np.random.default_rng(seed)
    traffic = random_array(
        (processes, processes), density=0.4, rng=rng, data_sampler=lambda size: rng.integers(1, 9, size)
    )
    nodes = rng.permutation(20)[:processes]
    dense = traffic.toarray() * ~np.eye(processes, dtype=bool)
    expected = (dense * machine.distances(nodes)).sum()
    for guest in (traffic, traffic.toarray()):
        found = machine.map(guest, nodes)
        assert found["processes"] == processes
        assert found["hop_bytes"] == pytest.approx(expected)
        assert machine.map(guest, nodes, out="links")["load"].sum() == pytest.approx(expected)


def test_a_guest_may_be_a_frame_a_graph_or_a_pattern(torus: no.Topology) -> None:
    ring = nx.cycle_graph(8)
    frame = pd.DataFrame(
        [(i, j, 1) for i in range(8) for j in ((i + 1) % 8, (i - 1) % 8)], columns=["source", "target", "volume"]
    )
    matrix = nx.to_numpy_array(ring)
    figures = [torus.map(guest, "snake")["hop_bytes"] for guest in (ring, frame, matrix, ring.to_directed())]
    assert len(set(figures)) == 1
    assert torus.map("stencil:8x8", "row-major")["dilation_max"] == 1


def test_a_mapping_may_be_nodes_a_frame_or_a_file(tmp_path: Path, torus: no.Topology) -> None:
    nodes = [5, 0, 9, 63]
    frame = pd.DataFrame({"process": range(4), "node": nodes})
    path = tmp_path / "mapping.csv"
    frame.to_csv(path, index=False)
    found = [torus.map("all-to-all:n=4", where)["hop_bytes"] for where in (nodes, frame, path, str(path))]
    assert len(set(found)) == 1
    assert torus.map("all-to-all:n=4", nodes, out="mapping")["node"].tolist() == nodes


def test_a_method_puts_processes_anew(torus: no.Topology) -> None:
    found = torus.map("stencil:4x4", "random:seed=3", method="tabu")
    assert found["hop_bytes"] <= torus.map("stencil:4x4", "random:seed=3")["hop_bytes"]
    assert found["method"] == "tabu"


@given(st.lists(st.integers(0, 63), min_size=1, max_size=20, unique=True))
def test_a_placement_is_measured(nodes: list[int]) -> None:
    machine = no.topology("torus:8x8")
    found = machine.place(nodes)
    matrix = machine.distances(nodes)
    assert found["size"] == len(nodes) and found["total_distance"] == matrix.sum() / 2
    assert found["diameter"] == matrix.max()
    assert found["ring_hops"] == sum(matrix[i, (i + 1) % len(nodes)] for i in range(len(nodes)))
    graph = machine.to_networkx().subgraph(nodes)
    assert found["components"] == nx.number_connected_components(graph)
    assert (found["mind"] is None) == (len(nodes) == 1)


def test_a_placement_over_components_has_no_distance() -> None:
    machine = no.from_networkx(nx.Graph([(0, 1), (2, 3)]))
    found = machine.place([0, 2])
    assert found["total_distance"] is None and found["ring_hops"] is None and found["components"] == 2


def test_units_are_counted() -> None:
    machine = no.topology("fat-tree:k=4")
    found = machine.place([0, 1, 2])
    assert (
        found["units_leaf switch" if "units_leaf switch" in found else next(k for k in found if k.startswith("units_"))]
        == 2
    )
