"""Wrong arguments of every kind: a NodeorderError that says what and where, never a panic."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import nodeorder as no

MACHINE = no.topology("torus:4x4")
SNAKE = MACHINE.order("snake")
LOG = pd.DataFrame({"event": ["P"], "job": ["a"], "nodes": [4]})
JOBS = pd.DataFrame({"submit": [0], "run": [5], "nodes": [4]})
JOB = {"name": "a", "nodes": [0, 1], "guest": "ring:n=2", "bytes": 10}
OTHER: Any = no.topology("torus:9x9").order("snake")

WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    # Type.
    "spec is a number": (lambda: no.topology(3), "`spec`: found 3 \\(int\\); expected a text"),
    "spec is no UTF-8": (lambda: no.topology("torus:\ud800"), "surrogates"),
    "seed is a text": (lambda: no.topology("torus:4", seed="1"), "`seed`"),
    "seed is a bool": (lambda: no.topology("torus:4", seed=True), "`seed`"),
    "memory is a float": (lambda: no.topology("torus:4", memory=1e9), "`memory`"),
    "machine is a text": (lambda: no.replay("torus:4", "snake", LOG, "fifo:0"), "a Topology"),
    "nodes are floats": (lambda: MACHINE.order([0.5, 1.0]), "whole numbers"),
    "nodes are a matrix": (lambda: MACHINE.order(np.zeros((2, 2), dtype=int)), "one dimension"),
    "nodes are nothing": (lambda: MACHINE.order(None), "whole numbers"),
    "nodes are ragged": (lambda: MACHINE.order([[1], [2, 3]]), "node ids"),
    "nodes are bools": (lambda: MACHINE.order(np.array([True, False])), "whole numbers"),
    "label is a number": (lambda: MACHINE.order("snake", label=4), "`label`"),
    "sizes are texts": (lambda: MACHINE.mpc("snake", sizes=["a"]), "`sizes`"),
    "sizes are none": (lambda: MACHINE.mpc("snake", sizes=[]), "`sizes`"),
    "log is a number": (lambda: no.replay(MACHINE, "snake", 3, "fifo:0"), "a path or a DataFrame"),
    "alloc is a number": (lambda: no.replay(MACHINE, "snake", LOG, 3), "`alloc`"),
    "flag is a text": (lambda: no.replay(MACHINE, "snake", LOG, "fifo:0", ranks="yes"), "True or False"),
    "progress is a text": (lambda: MACHINE.mpc("snake", progress="yes"), "`progress`"),
    "guest is a number": (lambda: MACHINE.map(3, "snake"), "`guest`"),
    "jobs are texts": (lambda: no.corun(MACHINE, ["a"]), "list of dicts"),
    "job holds an object": (lambda: no.corun(MACHINE, [{**JOB, "bytes": object()}]), "a text, a number or a list"),
    "path is a number": (lambda: SNAKE.save(3), "`path`"),
    "nodes of now are a frame": (lambda: no.snapshot(MACHINE, {"jobs": []}, LOG), "`nodes`"),
    "duty is a text": (lambda: MACHINE.slowdown("snake", duty="1"), "`duty`.*a number from 0 to 1"),  # type: ignore[call-overload]
    # Range.
    "duty above 1": (lambda: no.slowdown(MACHINE, "snake", duty=1.5), "`duty`.*a number from 0 to 1"),
    "three tilings": (lambda: MACHINE.slowdown("snake", tilings=3), "1, 2 or 4"),
    "job above the machine": (lambda: MACHINE.slowdown("snake", sizes=[17]), "sizes from 2 to 16"),
    "extent of 0": (lambda: no.topology("torus:0x4"), "torus:0x4"),
    "seed below 0": (lambda: no.topology("torus:4", seed=-1), "from 0"),
    "seed above 64 bits": (lambda: no.topology("torus:4", seed=2**64), "from 0"),
    "too many nodes": (lambda: no.topology("torus:100000x100000"), "nodes"),
    "too little memory": (lambda: no.topology("torus:64x64x64", memory=1000).order("hilbert"), "memory"),
    "size of 1": (lambda: MACHINE.mpc("snake", sizes=[1]), "sizes from 2 to 16"),
    "size above the machine": (lambda: MACHINE.mpc("snake", sizes=[17]), "sizes from 2 to 16"),
    "one node has no curve": (lambda: MACHINE.mpc(MACHINE.order([3])), "."),
    "no node": (lambda: MACHINE.place([]), "at least one"),
    "iterations of 0": (lambda: no.corun(MACHINE, [JOB], iterations=0), "`iterations`"),
    "bandwidth of 0": (lambda: no.corun(MACHINE, [JOB], bandwidth=0), "bandwidth"),
    "threads of 0": (lambda: no.set_threads(0), "`count`"),
    "processors of 0": (lambda: no.replay(MACHINE, "snake", LOG, "fifo:0", procs_per_node=0), "`procs_per_node`"),
    "threshold below 0": (lambda: no.replay(MACHINE, "snake", LOG, "fifo:0", threshold=-1), "`threshold`"),
    # Unknown names.
    "unknown kind": (lambda: no.topology("tors:4x4"), "did you mean `torus`"),
    "unknown machine": (lambda: no.topology("titam"), "did you mean `titan`"),
    "unknown option": (lambda: no.topology("torus:4x4,per_ruoter=2"), "per_ruoter"),
    "unknown method": (lambda: MACHINE.order("hilbrt"), "did you mean `hilbert`"),
    "unsuited method": (lambda: no.topology("fat-tree:k=4").order("hilbert"), "no coordinates"),
    "unknown allocator": (lambda: no.replay(MACHINE, "snake", LOG, "frist-fit:4"), "first-fit"),
    "unknown policy": (lambda: no.schedule(MACHINE, "snake", JOBS, policy="eazy"), "did you mean `easy`"),
    "unknown model": (lambda: no.schedule(MACHINE, "snake", JOBS, model="fixd"), "fixed"),
    "unknown routing": (lambda: MACHINE.map("ring:n=4", "snake", routing="ecmp"), "ecmp-path"),
    "unknown pattern of bursts": (lambda: MACHINE.slowdown("snake", "rign"), "did you mean `ring`"),
    "unknown routing of bursts": (lambda: MACHINE.slowdown("snake", routing="ecmp"), "ecmp-path"),
    "slowdown of a text": (lambda: no.slowdown("torus:4", "snake"), "a Topology"),  # type: ignore[arg-type]
    "unknown pattern": (lambda: MACHINE.map("rign:n=4", "snake"), "ring"),
    "unknown mapping method": (lambda: MACHINE.map("ring:n=4", "snake", method="tabo"), "tabu"),
    "unknown output": (lambda: MACHINE.map("ring:n=4", "snake", out="lnks"), "summary, links, mapping"),
    "unknown table": (lambda: no.entries("ordering"), "orderings"),
    "unknown name of a node": (lambda: MACHINE.nodes_named(["n99"]), "n99"),
    "unknown fairness": (lambda: no.corun(MACHINE, [JOB], fair="max"), "flow, rtt"),
    "unknown guest of jobs": (lambda: no.replay(MACHINE, "snake", LOG, "fifo:0", guest="rong"), "ring"),
    "routing without guest": (lambda: no.replay(MACHINE, "snake", LOG, "fifo:0", routing="one-path"), "guest="),
    # Foreign nodes.
    "node beyond the machine": (lambda: MACHINE.order([0, 16]), "node 16; expected a node id from 0 to 15"),
    "node below 0": (lambda: MACHINE.order([0, -1]), "node -1"),
    "node of 2**63": (lambda: MACHINE.order(np.array([2**63], dtype=np.uint64)), "node 9223372036854775808"),
    "node of 2**32": (lambda: MACHINE.order([2**32]), "node 4294967296"),
    "node twice": (lambda: MACHINE.order([1, 1]), r"node 1 \(n01\) again"),
    "node left out": (lambda: no.topology("torus:4x4,exclude=3").order([3]), "exclude"),
    "distance of a foreign node": (lambda: MACHINE.distances([16]), "node 16"),
    "place of a foreign node": (lambda: MACHINE.place([16]), "node 16"),
    "place of a node twice": (lambda: MACHINE.place([1, 1]), r"node 1 \(n01\) again"),
    "place outside the ordering": (lambda: MACHINE.place([3], order=[0, 1]), "a node of the ordering"),
    "name of a foreign node": (lambda: MACHINE.names_of([99]), "node 99"),
    "ordering of another machine": (lambda: MACHINE.mpc(OTHER), "node"),
    "mapping on a foreign node": (lambda: MACHINE.map("ring:n=2", [0, 77]), "node 77"),
    "job on a foreign node": (lambda: no.corun(MACHINE, [{**JOB, "nodes": [0, 77]}]), "77"),
    # What does not go together.
    "the same ordering twice": (lambda: MACHINE.mpc(["snake", "snake"]), "two orderings called snake"),
    "the same allocator twice": (lambda: no.replay(MACHINE, "snake", LOG, ["fifo:0", "fifo:0"]), "each once"),
    "orderings of different nodes": (lambda: MACHINE.compare(["snake", [0, 1, 2]]), "."),
    "more processes than nodes": (lambda: MACHINE.map("ring:n=17", "snake"), "."),
    "a matrix that is not square": (lambda: MACHINE.map(np.ones((2, 3)), "snake"), "square"),
    "a negative volume": (lambda: MACHINE.map(np.array([[0, -1], [1, 0]]), "snake"), "-1"),
    "columns missing": (lambda: no.replay(MACHINE, "snake", LOG[["event", "job"]], "fifo:0"), "no column nodes"),
    "columns unknown": (lambda: no.schedule(MACHINE, "snake", pd.DataFrame({"x": [1]})), "columns x"),
    "too few columns": (lambda: no.schedule(MACHINE, "snake", JOBS[["nodes"]]), "too few columns"),
    "an event that is none": (lambda: no.replay(MACHINE, "snake", LOG.assign(event="Q"), "fifo:0"), "log:1"),
    "a size that is none": (lambda: no.replay(MACHINE, "snake", LOG.assign(nodes="x"), "fifo:0"), "log:1"),
    "a job without nodes": (lambda: no.corun(MACHINE, [{"name": "a"}]), "nodes"),
    "no jobs": (lambda: no.corun(MACHINE, []), "no jobs"),
    "a policy for a log": (lambda: MACHINE.compare(["snake"], trace=LOG, policy="easy"), "placement log"),
    "no orderings": (lambda: MACHINE.mpc([]), "`orders`"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_argument_is_a_nodeorder_error(case: str) -> None:
    call, message = WRONG[case]
    with pytest.raises(no.NodeorderError, match=message) as caught:
        call()
    assert "internal error" not in str(caught.value) and "\n" not in str(caught.value)


def test_the_error_is_a_value_error_with_the_text_of_the_command(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text('kind = "torus"\ndims = [4, 0]\n')
    with pytest.raises(ValueError, match=r"bad\.toml:2: "):
        no.topology(path)
    with pytest.raises(no.NodeorderError, match="no-such.swf: opening: "):
        no.schedule(MACHINE, "snake", tmp_path / "no-such.swf")


def test_a_panic_is_an_exception() -> None:
    with pytest.raises(no.NodeorderError, match="internal error, please report it: asked for"):
        no._native.panic()
    # The interpreter and the library go on.
    assert len(MACHINE.mpc("snake")) == 15


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(no.NodeorderError, match="a folder that may be written"):
        MACHINE.compare(["snake", "hilbert"]).save(tmp_path / "file")
    with pytest.raises(no.NodeorderError, match="a folder that may be written"):
        SNAKE.save(tmp_path / "file" / "order.txt")
