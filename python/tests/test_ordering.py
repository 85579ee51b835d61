"""Orderings: Hilbert's curve against another implementation, and arrays in and out."""

from __future__ import annotations

import itertools
import tracemalloc
import warnings
from pathlib import Path

import numpy as np
import pytest
from hilbert import decode
from hypothesis import given
from hypothesis import strategies as st

import nodeorder as no


def symmetries(places: np.ndarray, side: int) -> set[bytes]:
    """The same walk under every exchange of axes and every reflection."""
    axes = places.shape[1]
    found = set()
    for order in itertools.permutations(range(axes)):
        for signs in itertools.product([False, True], repeat=axes):
            turned = places[:, order].copy()
            for axis, sign in enumerate(signs):
                if sign:
                    turned[:, axis] = side - 1 - turned[:, axis]
            found.add(turned.astype(np.int64).tobytes())
    return found


@pytest.mark.parametrize(("axes", "bits"), [(2, 1), (2, 2), (2, 3), (2, 5)])
def test_hilbert_is_the_curve_of_numpy_hilbert_curve(axes: int, bits: int) -> None:
    side = 2**bits
    machine = no.topology("mesh:" + "x".join([str(side)] * axes))
    ours = machine.coordinates_of(machine.order("hilbert").nodes)
    theirs = decode(np.arange(side**axes), axes, bits).astype(np.int64)
    assert ours.astype(np.int64).tobytes() in symmetries(theirs, side)


@pytest.mark.parametrize("bits", [1, 2, 3])
def test_hilbert_in_space_visits_octants_and_takes_single_steps_like_theirs(bits: int) -> None:
    # In three dimensions there are several Hilbert curves: ours and theirs need not be the same one.
    side = 2**bits
    machine = no.topology(f"mesh:{side}x{side}x{side}")
    ours = machine.coordinates_of(machine.order("hilbert").nodes)
    theirs = decode(np.arange(side**3), 3, bits).astype(np.int64)
    for walk in (ours, theirs):
        assert (np.abs(np.diff(walk, axis=0)).sum(axis=1) == 1).all()
        octants = (walk // max(side // 2, 1)).reshape(8, -1, 3)
        assert all(len(np.unique(part, axis=0)) == 1 for part in octants)


@pytest.mark.parametrize(
    "method", ["row-major", "snake", "hilbert", "morton", "gray", "bfs", "dfs", "rcm", "nearest", "random"]
)
def test_a_method_orders_every_node_once(method: str) -> None:
    machine = no.topology("torus:4x6,per_router=2,exclude=7")
    assert sorted(machine.order(method).nodes.tolist()) == machine.nodes.tolist()


@given(st.permutations(range(24)), st.integers(1, 24), st.sampled_from(["int64", "int32", "uint8", "uint64", "list"]))
def test_arrays_come_back_as_they_were(nodes: list[int], count: int, kind: str) -> None:
    machine = no.topology("torus:4x6")
    given_nodes = nodes[:count] if kind == "list" else np.array(nodes[:count], dtype=kind)
    order = machine.order(given_nodes)
    assert order.nodes.tolist() == nodes[:count]
    assert len(order) == count and list(order) == nodes[:count]
    ranks = order.ranks()
    assert all(ranks[node] == rank for rank, node in enumerate(order))


def test_an_ordering_is_an_array(torus: no.Topology) -> None:
    order = torus.order("hilbert")
    assert order.nodes.dtype == np.int64 and not order.nodes.flags.writeable
    assert np.asarray(order) is order.nodes
    assert np.asarray(order, dtype=np.int32).dtype == np.int32
    assert order[0] == order.nodes[0] and order[-1] == order.nodes[-1]
    assert order[2:5].tolist() == order.nodes[2:5].tolist()
    assert torus.order(order) is order


def test_orderings_are_equal_by_machine_and_nodes(torus: no.Topology) -> None:
    order = torus.order("snake")
    assert order == torus.order(order.nodes, label="mine")
    assert hash(order) == hash(torus.order(order.nodes))
    assert order != torus.order("hilbert") and order != no.topology("mesh:8x8").order("snake")
    assert order != "snake"


def test_names_make_an_ordering() -> None:
    machine = no.topology("torus:4,names=c{:02}")
    order = machine.order(["c03", "c01"], label="mine")
    assert order.nodes.tolist() == [3, 1] and order.label == "mine"
    assert order.names == ["c03", "c01"] and order.hosts == "c[03,01]"


@pytest.mark.parametrize("names", [False, True])
def test_a_saved_ordering_reads_back(tmp_path: Path, torus: no.Topology, names: bool) -> None:
    order = torus.order("hilbert")
    path = tmp_path / "order.txt"
    order.save(path, names=names)
    assert torus.order(path) == order
    text = path.read_text()
    assert text.startswith("#") and ("n00" in text) is names
    assert [file.name for file in tmp_path.iterdir()] == ["order.txt"]


def test_a_search_says_how_good_it_is() -> None:
    machine = no.topology("torus:4x4")
    found = machine.order("optimise:steps=200").search
    assert found is not None and found["lower_bound"] <= found["objective"]
    assert machine.order("snake").search is None


def test_a_million_nodes_take_no_python_objects() -> None:
    machine = no.topology("torus:100x100x100")
    nodes = np.random.default_rng(1).permutation(1_000_000)
    machine.order(nodes[:10])
    tracemalloc.start()
    order = machine.order(nodes)
    out = order.nodes
    blocks = sum(stat.count for stat in tracemalloc.take_snapshot().statistics("filename"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert np.array_equal(out, nodes)
    # A list of a million ints has as many objects and takes 36 MB.
    assert blocks < 5_000 and peak < 30_000_000, (blocks, peak)


def test_orderings_of_another_machine_warn(tmp_path: Path) -> None:
    square, flat = no.topology("torus:8x8"), no.topology("torus:16x4")
    order = square.order("hilbert")
    order.save(tmp_path / "o.txt")
    said = r"made for torus:8x8 \(torus:8x8\), used on torus:16x4 \(torus:16x4\)"
    with pytest.warns(UserWarning, match="o.txt: " + said):
        flat.order(tmp_path / "o.txt")
    with pytest.warns(UserWarning, match="hilbert: " + said):
        flat.mpc([order])
    with pytest.warns(UserWarning, match="leaves out 1 of 64 schedulable nodes of torus:8x8: n63"):
        no.topology("torus:8x8,limit=63").order("snake").save(tmp_path / "few.txt")
        square.order(tmp_path / "few.txt")
    # One network with other nodes kept is no other machine.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        square.order(tmp_path / "o.txt")
        square.order(no.topology("torus:8x8,exclude=3").order("snake"))
