"""Threads, processes, pickles, progress and Ctrl-C."""

from __future__ import annotations

import _thread
import multiprocessing
import os
import pickle
import sys
import threading
import time

import joblib
import networkx as nx
import numpy as np
import pytest

import nodeorder as no
from nodeorder import _progress


def mean(spec: str) -> float:
    machine = no.topology(spec)
    return float(machine.mpc("bfs", progress=False)["bfs"].mean())


def curve(order: no.Ordering) -> list[float]:
    return order.topology.mpc(order, progress=False)[order.label].tolist()


SPECS = ["torus:6x6", "hyperx:5x5", "random-regular:n=40,d=4"]


def test_machines_pickle() -> None:
    graph = nx.Graph(name="mine")
    graph.add_edge("a", "b", capacity=3)
    graph.add_edge("b", "c")
    for machine in [no.topology("random-regular:n=20,d=3", seed=7), no.from_networkx(graph, per_router=2)]:
        again = pickle.loads(pickle.dumps(machine))
        assert (again.spec, again.seed, again.names) == (machine.spec, machine.seed, machine.names)
        assert again.links.equals(machine.links) and again.vertices == machine.vertices


def test_orderings_curves_and_comparisons_pickle(torus: no.Topology) -> None:
    order = torus.order("hilbert")
    again = pickle.loads(pickle.dumps(order))
    assert again == order and again.label == "hilbert"
    curves = torus.mpc([order, "snake"])
    same = pickle.loads(pickle.dumps(curves))
    assert same.equals(curves) and same.machine == curves.machine
    found = torus.compare(["snake", "hilbert"])
    assert pickle.loads(pickle.dumps(found)).table.equals(found.table)


def test_errors_pickle() -> None:
    with pytest.raises(no.NodeorderError) as caught:
        no.topology("tors:4")
    again = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(again, no.NodeorderError) and str(again) == str(caught.value)


@pytest.mark.parametrize("method", [m for m in ("fork", "spawn") if m in multiprocessing.get_all_start_methods()])
def test_multiprocessing_works_after_work_in_the_parent(method: str) -> None:
    expected = [mean(spec) for spec in SPECS]
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map_async(mean, SPECS).get(timeout=60) == expected


def test_joblib_works(torus: no.Topology) -> None:
    orders = [torus.order(name) for name in ("hilbert", "snake", "random")]
    found = joblib.Parallel(n_jobs=2)(joblib.delayed(curve)(order) for order in orders)
    assert found == [curve(order) for order in orders]


def test_other_threads_run_meanwhile() -> None:
    machine = no.topology("random-regular:n=6000,d=4")
    ticks, done = [0], threading.Event()

    def count() -> None:
        while not done.is_set():
            ticks[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    machine.mpc(machine.nodes, progress=False)
    done.set()
    thread.join()
    # A call that holds the lock for its whole time lets the other thread run once or twice.
    assert ticks[0] >= 5


def test_threads_share_one_machine(torus: no.Topology) -> None:
    expected = torus.mpc("hilbert")
    found: list[object] = []
    threads = [threading.Thread(target=lambda: found.append(torus.mpc("hilbert", progress=False))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and all(expected.equals(curves) for curves in found)


def workers() -> int:
    """The threads of this process."""
    return len(os.listdir("/proc/self/task"))


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="needs the list of threads of Linux")
@pytest.mark.parametrize("long", ["search", "curve", "schedule", "corun", "sweep"])
def test_ctrl_c_ends_a_call_and_its_work(long: str) -> None:
    # Each would take minutes at least. Threads end where their work has ended.
    no.topology("torus:4").mpc("row-major")
    before = workers()
    timer = threading.Timer(0.5, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        if long == "search":
            no.topology("torus:40x40").order("optimise:time=6000", progress=False)
        elif long == "curve":
            no.topology("random-regular:n=200000,d=4").mpc("random", progress=False)
        elif long == "schedule":
            jobs = no.trace.generate("poisson:jobs=20000,sizes=4x16x64,rate=1,unit=1")
            no.schedule(no.topology("torus:32x32"), "snake", jobs, alloc="dilation", progress=False)
        elif long == "corun":
            shares = [{"name": f"{i}", "nodes": list(range(i, 256, 4))} for i in range(4)]
            talk = {"guest": "all-to-all:n=64", "bytes": 1e6, "compute": 0.1, "spread": 0.5}
            jobs = [{**share, **talk} for share in shares]
            no.corun(no.topology("torus:16x16"), jobs, iterations=100000, level="flow", progress=False)
        else:
            traces = "poisson:jobs=20000,sizes=4x16x64,rate=1,unit=1"
            plan = {"topologies": "torus:32x32", "orderings": "snake", "allocators": "dilation", "policies": "easy"}
            no.sweep({**plan, "traces": traces}, progress=False)
    timer.join()
    while workers() > before:
        time.sleep(0.05)
    assert len(no.topology("torus:4").mpc("row-major")) == 3


def test_long_calls_show_a_bar(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(_progress, "PATIENCE", 0.0)
    machine = no.topology("torus:30x30")
    machine.order("optimise:time=0.4", progress=True)
    assert "optimise" in capsys.readouterr().err
    machine.order("optimise:time=0.2", progress=False)
    assert capsys.readouterr().err == ""


def test_progress_counts_up() -> None:
    with _progress.shown(True, "work", "step") as show:
        assert show is not None
        show(1, 10)
    assert _progress.wanted(False) is False
    assert _progress.wanted(None) is ("ipykernel" in sys.modules or sys.stderr.isatty())


def test_ranks_of_numpy_types(torus: no.Topology) -> None:
    order = torus.order(np.arange(64, dtype=np.uint16)[::-1])
    assert order.ranks()[63] == 0
