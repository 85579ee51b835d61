"""Curves against the definition, on distances of networkx."""

from __future__ import annotations

import doctest
import json
import os
import subprocess
import time
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nodeorder as no
from nodeorder._tables import frame


def by_definition(matrix: np.ndarray, size: int) -> float:
    """The mean over windows of the mean distance inside."""
    windows = [matrix[i : i + size, i : i + size] for i in range(len(matrix) - size + 1)]
    return float(np.mean([window.sum() / (size * (size - 1)) for window in windows]))


@given(st.sampled_from(["torus:3x5", "mesh:4x3", "fat-tree:k=4", "random-regular:n=14,d=3"]), st.randoms())
def test_mpc_is_its_definition(spec: str, random: object) -> None:
    machine = no.topology(spec)
    nodes = machine.nodes.tolist()
    random.shuffle(nodes)  # type: ignore[attr-defined]
    lengths = dict(nx.all_pairs_shortest_path_length(machine.to_networkx()))
    routers = machine.routers_of(nodes).tolist()
    matrix = np.array([[lengths[u][v] for v in routers] for u in routers])
    curve = machine.mpc(machine.order(nodes))["array"]
    assert curve.index.tolist() == list(range(2, len(nodes) + 1))
    for size, value in curve.items():
        assert value == pytest.approx(by_definition(matrix, int(size)), rel=1e-12)


def test_curves_are_a_frame(torus: no.Topology) -> None:
    curves = torus.mpc(["hilbert", torus.order("snake"), torus.order(torus.nodes, label="ids")])
    assert isinstance(curves, pd.DataFrame) and curves.index.name == "size"
    assert list(curves.columns) == ["hilbert", "snake", "ids"]
    assert curves.index[0] == 2 and curves.index[-1] == 64
    assert curves.loc[64].nunique() == 1
    assert isinstance(curves[["snake"]], no.Curves)
    assert curves.machine == "torus:8x8"


@pytest.mark.parametrize("sizes", ["2,16,30-32", [2, 16, 30, 31, 32], np.array([32, 31, 30, 16, 2])])
def test_chosen_sizes_are_those_of_the_whole_curve(torus: no.Topology, sizes: object) -> None:
    some = torus.mpc("hilbert", sizes=sizes)
    assert some.index.tolist() == [2, 16, 30, 31, 32]
    assert some.equals(torus.mpc("hilbert").loc[[2, 16, 30, 31, 32]])


def test_the_example_of_the_package_is_right() -> None:
    found = doctest.testmod(no, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.attempted >= 3 and found.failed == 0


def test_log_sizes_end_with_the_machine(torus: no.Topology) -> None:
    assert torus.mpc("hilbert", sizes="log").index[-1] == 64


def test_the_number_of_threads_does_not_show(torus: no.Topology) -> None:
    machine = no.topology("random-regular:n=300,d=4")
    all_cores = machine.mpc("bfs")
    no.set_threads(1)
    try:
        one = machine.mpc("bfs")
    finally:
        no.set_threads(None)
    assert one.equals(all_cores)


def test_windows_over_components_are_left_out() -> None:
    graph = nx.disjoint_union(nx.cycle_graph(4), nx.cycle_graph(4))
    machine = no.from_networkx(graph)
    assert machine.components == 2
    curve = machine.mpc(machine.order(list(range(8))))
    assert curve.index[-1] == 4
    assert curve.loc[4, "array"] == pytest.approx(4 / 3)


def command() -> str:
    """The command, where the tests are given one of the same build."""
    path = os.environ.get("NODEORDER")
    if not path:
        pytest.skip("NODEORDER names no command to compare with")
    return path


def test_curves_are_those_of_the_command(tmp_path: Path) -> None:
    out = tmp_path / "mpc.csv"
    subprocess.run([command(), "mpc", "torus:5x4x3", "--order", "hilbert", "-o", out], check=True)
    theirs = frame(out.read_bytes()).set_index("size")["mpc"]
    ours = no.topology("torus:5x4x3").mpc("hilbert")["hilbert"]
    assert ours.tolist() == theirs.tolist() and ours.index.tolist() == theirs.index.tolist()


def test_slowdowns_are_those_of_the_command(tmp_path: Path) -> None:
    out = tmp_path / "slowdown.csv"
    spec = "dragonfly:p=2,a=4,h=2"
    run = [command(), "slowdown", spec, "--order", "row-major", "--order", "random", "--duty", "0.5"]
    subprocess.run([*run, "-o", out], check=True)
    machine = no.topology(spec)
    ours = machine.slowdown(["row-major", "random"], duty=0.5)
    pd.testing.assert_frame_equal(ours, frame(out.read_bytes()), check_exact=True)
    shown = subprocess.run([*run, "--json"], check=True, capture_output=True)
    assert no.slowdown(machine, ["row-major", "random"], duty=0.5, out="summary") == json.loads(shown.stdout)


def test_slowdowns_of_a_ring_by_hand() -> None:
    # T0 is 3, and the middle of four nodes in a row carries 2 x 2 each way.
    four = no.topology("torus:8").slowdown("row-major", "all-to-all", sizes=[4], tilings=1)
    assert four["alone"].tolist() == pytest.approx([4 / 3])


def test_what_slowdowns_leave_out_is_a_warning() -> None:
    machine = no.from_networkx(nx.disjoint_union(nx.cycle_graph(4), nx.cycle_graph(4)))
    with pytest.warns(UserWarning, match="windows left out"):
        machine.slowdown(machine.order(list(range(8))), "ring")


def test_a_curve_of_19200_nodes_takes_no_longer_than_the_command_takes(tmp_path: Path) -> None:
    spec, out = "torus:25x16x24,per_router=2", tmp_path / "mpc.csv"

    def timed(work: object) -> float:
        began = time.perf_counter()
        work()  # type: ignore[operator]
        return time.perf_counter() - began

    run = [command(), "--quiet", "mpc", spec, "--order", "hilbert", "-o", out]
    ours: list[float] = []
    theirs: list[float] = []
    # The best of many, alternately: what else runs on the machine must not show.
    for _ in range(20):
        theirs.append(timed(lambda: subprocess.run(run, check=True)))
        ours.append(timed(lambda: no.topology(spec).mpc("hilbert", progress=False)))
        if len(ours) >= 5 and min(ours) <= 1.2 * min(theirs):
            break
    print(f"19,200 nodes: Python {min(ours):.3f} s, the command {min(theirs):.3f} s")
    assert min(ours) <= 1.2 * min(theirs), (ours, theirs)
