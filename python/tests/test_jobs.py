"""Replays, schedules and jobs side by side."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import nodeorder as no

LOG = pd.DataFrame({"event": ["P", "P", "F", "P", "P"], "job": ["a", "b", "a", "c", "d"], "nodes": [4, 3, None, 5, 99]})
JOBS = pd.DataFrame({"job": [1, 2, 3], "submit": [0, 1, 2], "run": [10, 20, 5], "nodes": [40, 30, 10]})


def test_a_replay_measures_each_allocation(torus: no.Topology) -> None:
    order = torus.order("hilbert")
    rows = no.replay(torus, order, LOG, "first-fit:4", ranks=True, extent=True)
    assert rows["job"].tolist() == ["a", "b", "c"] and rows["size"].tolist() == [4, 3, 5]
    for row in rows.itertuples():
        ranks = [
            rank
            for part in row.ranks.split()
            for first, _, last in [part.partition("-")]
            for rank in range(int(first), int(last or first) + 1)
        ]
        nodes = order.nodes[ranks]
        matrix = torus.distances(nodes)
        assert row.total_distance == matrix.sum() / 2
        assert row.mind == pytest.approx(matrix.sum() / (row.size * (row.size - 1)))
        assert row.diameter == matrix.max()
        place = torus.place(nodes, order)
        for key in ("total_distance", "mind", "linear_span", "ring_span", "components", "diameter"):
            assert getattr(row, key) == pytest.approx(place[key]), key


def test_a_log_may_be_a_file(tmp_path: Path, torus: no.Topology) -> None:
    path = tmp_path / "jobs.log"
    path.write_text("P a 4\nP b 3\nF a\nP c 5\nP d 99\n")
    from_file = no.replay(torus, "hilbert", path, ["first-fit:4", "fifo:0"])
    assert from_file.equals(no.replay(torus, "hilbert", LOG, ["first-fit:4", "fifo:0"]))
    assert from_file["allocator"].tolist() == ["first-fit:4"] * 3 + ["fifo:0"] * 3


def test_several_orderings_have_a_column(torus: no.Topology) -> None:
    rows = no.replay(torus, ["hilbert", "snake"], LOG, "fifo:0", names=True)
    assert rows["ordering"].tolist() == ["hilbert"] * 3 + ["snake"] * 3
    assert rows["hosts"].str.startswith("n[").all()


def test_a_replay_is_summed_up(torus: no.Topology) -> None:
    summary = no.replay(torus, "hilbert", LOG, ["closest-mind"], out="summary", threshold=0)
    assert summary["topology"] == "torus:8x8" and summary["threshold"] == 0
    replay = summary["replays"][0]
    assert (replay["placed"], replay["skipped"]) == (3, 1)
    sizes = no.replay(torus, "hilbert", LOG, ["closest-mind"], out="sizes", threshold=0)
    assert sizes["size"].tolist() == [3, 4, 5]
    totals = no.replay(torus, "hilbert", LOG, ["closest-mind"], out="totals", threshold=0)
    assert totals["placed"].tolist() == [3]


def test_jobs_talk(torus: no.Topology) -> None:
    rows = no.replay(torus, "hilbert", LOG, "fifo:0", guest="all-to-all")
    assert (rows["dilation_mean"] > 0).all()
    # All to all on shortest paths: path length is the mean distance.
    assert rows["dilation_mean"].tolist() == pytest.approx(rows["mind"].tolist())


def test_a_schedule_keeps_first_come_first_served(torus: no.Topology) -> None:
    rows = no.schedule(torus, "hilbert", JOBS, policy="fcfs", alloc="fifo:0")
    # 40 nodes from 0 to 10, 30 wait for them, 10 wait behind those.
    assert rows.set_index("job")["start"].to_dict() == {1: 0, 2: 10, 3: 10}
    easy = no.schedule(torus, "hilbert", JOBS, policy="easy")
    assert easy.set_index("job")["start"].to_dict() == {1: 0, 2: 10, 3: 2}


def test_a_schedule_can_be_scheduled_again(torus: no.Topology) -> None:
    rows = no.schedule(torus, "hilbert", JOBS)
    again = no.schedule(torus, "hilbert", rows)
    assert again["submit"].tolist() == rows["submit"].tolist()
    assert (again["end"] - again["start"]).tolist() == (rows["end"] - rows["start"]).tolist()


def test_a_schedule_is_summed_up(torus: no.Topology) -> None:
    summary = no.schedule(torus, "hilbert", JOBS, out="summary")
    assert (summary["jobs"], summary["policy"], summary["seed"]) == (3, "easy", 1)
    assert summary["makespan"] == 30


def test_a_trace_may_be_a_file(tmp_path: Path, torus: no.Topology) -> None:
    path = tmp_path / "trace.swf"
    lines = [f"{j} {s} 0 {r} {n} -1 -1 {n} {r} -1 1 1 1 1 1 1 -1 -1" for j, s, r, n in JOBS.itertuples(index=False)]
    path.write_text("; MaxNodes: 64\n" + "\n".join(lines) + "\n")
    assert no.schedule(torus, "hilbert", str(path)).equals(no.schedule(torus, "hilbert", JOBS))


def test_jobs_apart_do_not_slow_each_other(torus: no.Topology) -> None:
    jobs = [
        {"name": "a", "nodes": [0, 1], "guest": "ring:n=2", "bytes": "1MB", "compute": "1ms"},
        {"name": "b", "nodes": np.array([32, 33]), "guest": "ring:n=2", "bytes": 10**6, "compute": 0.001},
    ]
    rows = no.corun(torus, jobs)
    assert rows["job"].tolist() == ["a", "b"]
    assert rows["slowdown"].tolist() == pytest.approx([1, 1])
    # 1 ms, then 1 MB over 1.25 GB/s.
    assert rows["seconds"].tolist() == pytest.approx([0.0018, 0.0018])


def test_jobs_on_the_same_links_slow_each_other() -> None:
    line = no.topology("mesh:4")
    jobs = pd.DataFrame(
        {
            "name": ["a", "b"],
            "nodes": [[0, 2], [1, 3]],
            "guest": ["ring:n=2"] * 2,
            "bytes": ["1MB"] * 2,
            "compute": [None, 0.0],
        }
    )
    rows = no.corun(line, jobs, bandwidth=1e9, latency=0.0)
    assert rows["slowdown"].tolist() == pytest.approx([2, 2])
    links = no.corun(line, jobs, bandwidth=1e9, out="links").set_index(["u", "v"])["utilisation"]
    assert links[1, 2] == pytest.approx(1.0)
    summary = no.corun(line, jobs, bandwidth="1GB/s", out="summary")
    assert summary["bandwidth"] == 1e9 and len(summary["jobs"]) == 2


def test_jobs_side_by_side_have_phases_orderings_and_files(tmp_path: Path, torus: no.Topology) -> None:
    phases = [{"guest": "ring:n=4", "bytes": "10kB"}, {"compute": "1ms", "guest": "ring:n=4", "bytes": 5}]
    jobs = [{"name": 'a "quoted" name', "nodes": torus.order("snake")[:4].tolist(), "phases": phases}]
    rows = no.corun(torus, jobs, level="job")
    assert rows["job"].tolist() == ['a "quoted" name']
    path = tmp_path / "jobs.toml"
    path.write_text('[[jobs]]\nname = "x"\nnodes = ["0-3"]\nguest = "ring:n=4"\nbytes = 1000\n')
    assert no.corun(torus, path)["processes"].tolist() == [4]


def test_shapes_and_room_are_columns(tmp_path: Path) -> None:
    """As `--shape` and `--room` have them."""
    machine = no.topology("fat-tree:k=4")
    log = "P 1 4\nP 2 4\n"
    path = tmp_path / "log"
    path.write_text(log)
    plain = no.replay(machine, "row-major", path, "fifo:0")
    more = no.replay(machine, "row-major", path, "fifo:0", shape=True, room=True)
    assert set(plain.columns) < set(more.columns)
    assert (more[plain.columns] == plain).all().all()
    assert {"ring_mean", "placeable", "slurm_fragmentation"} <= set(more.columns)
