"""score, export, hosts, audit, snapshot, sweep, trace and machines side by side: the bytes of the command, without files."""

from __future__ import annotations

import io
import json
import os
import subprocess
from pathlib import Path

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import nodeorder as no
from nodeorder._tables import EXACT


def command(*words: str) -> str:
    """What the command prints."""
    path = os.environ.get("NODEORDER")
    if not path:
        pytest.skip("NODEORDER names no command to compare with")
    return subprocess.run([path, *words], check=True, capture_output=True, text=True).stdout


def table(*words: str) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(command(*words)), keep_default_na=False, na_values=[""], **EXACT)


SACCT = """JobID|State|Submit|Start|End|NNodes|NodeList
1|COMPLETED|2026-01-01T00:00:00|2026-01-01T00:00:00|2026-01-01T01:00:00|4|n[00-03]
2|COMPLETED|2026-01-01T00:10:00|2026-01-01T00:10:00|2026-01-01T02:00:00|3|n[05,10,63]
"""


def test_scores_are_those_of_the_command() -> None:
    m = no.topology("torus:8x8")
    ours = no.score(m, ["snake", "hilbert"], "geometric,window=16")
    theirs = table("score", "torus:8x8", "--order", "snake", "--order", "hilbert", "--weights", "geometric,window=16")
    assert_frame_equal(ours, theirs)
    with pytest.raises(no.NodeorderError, match="weights"):
        no.score(m, "snake", "harmonious")


def test_exports_are_those_of_the_command(tmp_path: Path) -> None:
    m = no.topology("torus:4x4")
    for target in ["csv", "slurm-weights", "flux"]:
        assert no.export(m, "hilbert", target) == command("export", "torus:4x4", "--order", "hilbert", "--to", target)
    no.export(m, "snake", "simgrid", tmp_path / "platform.xml")
    assert {path.name for path in tmp_path.iterdir()} == {"platform.xml", "platform.xml.hosts"}
    no.export(m, "snake", "caminos", tmp_path / "simulated")
    command("export", "torus:4x4", "--order", "snake", "--to", "caminos", "-o", str(tmp_path / "command"))
    texts = [{path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ["simulated", "command"]]
    assert texts[0] == texts[1] and len(texts[0]) > 1
    (tmp_path / "tree.conf").write_text("SwitchName=a Nodes=n[0-1]\nSwitchName=b Nodes=n[2-3]\nSwitchName=c Switches=a,b\n")
    with pytest.warns(UserWarning, match="link"):
        no.export(no.topology(f"slurm-topology:{tmp_path / 'tree.conf'}"), "row-major", "simgrid")
    with pytest.raises(no.NodeorderError, match="did you mean|unknown"):
        no.export(m, "snake", "slurm-weight")


def test_exports_of_jobs_are_those_of_the_command(tmp_path: Path) -> None:
    m = no.topology("torus:4x4")
    jobs = [{"name": "a", "nodes": "0-3", "guest": "ring:n=4", "bytes": 1000}]
    (tmp_path / "jobs.toml").write_text('[[jobs]]\nname = "a"\nnodes = "0-3"\nguest = "ring:n=4"\nbytes = 1000\n')
    file = str(tmp_path / "jobs.toml")
    theirs = command("export", "torus:4x4", "--order", "snake", "--to", "codes", "--jobs", file)
    assert theirs != command("export", "torus:4x4", "--order", "snake", "--to", "codes")
    for given in (jobs, file):
        assert no.export(m, "snake", "codes", jobs=given) == theirs
    with pytest.raises(no.NodeorderError, match="jobs"):
        no.export(m, "snake", "csv", jobs=jobs)


def test_hosts_of_a_job_are_those_of_the_command() -> None:
    m = no.topology("torus:8x8")
    for listed in ["n[00-09]", "n63 n07 n20"]:
        assert no.hosts(m, listed) == command("hosts", "torus:8x8", "--nodes", listed)
    assert no.hosts(m, [63, 7, 20]) == no.hosts(m, ["n63", "n07", "n20"]) == no.hosts(m, "n63 n07 n20")
    ranked = no.hosts(m, "n[00-09]", by="snake", to="rankfile", per_node=2)
    words = ["--by", "snake", "--to", "rankfile", "--per-node", "2"]
    assert ranked == command("hosts", "torus:8x8", "--nodes", "n[00-09]", *words)
    with pytest.raises(no.NodeorderError, match="n64"):
        no.hosts(m, "n64")


def test_hosts_of_a_training_job_are_those_of_the_command() -> None:
    spec = "xgft:m=9x5,w=1x1"
    m = no.topology(spec)
    listed = "0-39"
    guest = "parallel:tp=4,pp=2,dp=20,ep=4"
    found = json.loads(no.hosts(m, listed, guest=guest, objective="spread", per_node=4, to="json"))
    words = ["--guest", guest, "--objective", "spread", "--per-node", "4", "--json"]
    assert found == json.loads(command("hosts", spec, "--nodes", listed, *words))
    assert {group["kind"] for group in found["groups"]} == {"tp", "cp", "dp-cp", "pp", "etp", "ep", "edp"}
    assert no.hosts(m, "0-44", take=40, segment=4) == command(
        "hosts", spec, "--nodes", "0-44", "--take", "40", "--segment", "4"
    )
    with pytest.raises(no.NodeorderError, match="whole segments of 4 can be formed"):
        no.hosts(m, "0-44", take=44, segment=4)
    with pytest.raises(no.NodeorderError, match="ring or spread"):
        no.hosts(m, "0-44", objective="best")


def test_audits_are_those_of_the_command(tmp_path: Path) -> None:
    records = tmp_path / "sacct.txt"
    records.write_text(SACCT)
    m = no.topology("torus:8x8")
    ours = no.audit(m, records, orders="hilbert", alloc="fifo:0")
    theirs = table("audit", "torus:8x8", "--trace", str(records), "--order", "hilbert", "--alloc", "fifo:0")
    assert_frame_equal(ours, theirs)
    assert no.audit(m, records, out="summary")["placements"][0]["jobs"] == 2
    theirs = table("audit", "torus:8x8", "--trace", str(records), "--guest", "ring")
    assert_frame_equal(no.audit(m, records, guest="ring"), theirs)
    command("audit", "torus:8x8", "--trace", str(records), "--out", str(tmp_path / "page"), "--room")
    assert_frame_equal(no.audit(m, records, out="room"), pd.read_csv(tmp_path / "page" / "room.csv"))
    jobs = pd.DataFrame({"job": ["a"], "start": [0], "end": [9], "node_list": ["n[00-03]"]})
    assert no.audit(m, jobs)["size"].tolist() == [4]
    with pytest.raises(no.NodeorderError, match="list"):
        no.audit(m, no.trace.generate("poisson:jobs=5,sizes=4"))


def test_snapshots_are_those_of_the_command(tmp_path: Path) -> None:
    m, jobs, nodes = no.topology("fat-tree:k=4"), tmp_path / "jobs.json", tmp_path / "nodes.json"
    job = {"job_id": 7, "job_state": ["RUNNING"], "submit_time": 5, "start_time": 10, "end_time": 70, "time_limit": 1}
    queue = {"jobs": [{**job, "node_count": 3, "nodes": "n[00-02]"}]}
    names = [f"n{i:02}" for i in range(16)]
    states = {"nodes": [{"name": name, "state": ["DOWN" if name == "n05" else "IDLE"]} for name in names]}
    jobs.write_text(json.dumps(queue))
    nodes.write_text(json.dumps(states))
    theirs = json.loads(command("snapshot", "fat-tree:k=4", "--jobs", str(jobs), "--nodes", str(nodes), "--json"))
    ours = no.snapshot(m, jobs, nodes)
    differ = {key for key in theirs if theirs[key] != ours[key]}
    assert differ <= {"command"} and ours.keys() == theirs.keys()
    assert (ours["free"], ours["held"], ours["out"], ours["levels"][0]["next"][0]["freed"]) == (12, 3, 1, 70)
    kept = no.snapshot(m, queue, states)
    assert {key for key in ours if ours[key] != kept[key]} == {"jobs"}
    frame = pd.DataFrame({"job": ["7"], "start": [10], "end": [None], "limit": [60], "node_list": ["n[00-02]"]})
    assert no.snapshot(m, frame)["free"] == 13
    for wrong in [{"jobs": 3}, {"jobs": [object()]}]:
        with pytest.raises(no.NodeorderError, match="jobs"):
            no.snapshot(m, wrong)
    with pytest.raises(no.NodeorderError, match="sinfo"):
        no.snapshot(m, queue, {"jobs": []})


def test_moves_slots_and_metrics_are_those_of_the_command(tmp_path: Path) -> None:
    m, jobs, metrics = no.topology("fat-tree:k=4"), tmp_path / "jobs.txt", tmp_path / "nodeorder.prom"
    jobs.write_text("JobIDRaw|Submit|Start|End|Timelimit|NNodes|NodeList\n7|5|10|Unknown|1:00|3|n[00-02]\n")
    words = ["--sizes", "2,4:segment=2", "--free", "1,level=pod", "--cost", "jobs", "--fixed", "7"]
    theirs = json.loads(command("snapshot", "fat-tree:k=4", "--jobs", str(jobs), *words, "--json"))
    ours = no.snapshot(m, jobs, sizes="2,4:segment=2", free="1,level=pod", cost="jobs", fixed="7")
    assert {key for key in theirs if theirs[key] != ours[key]} <= {"command"} and ours["moves"] == []
    assert no.snapshot(m, jobs, free="2,level=pod", whole_jobs=True)["moves_bound"] == 0
    with pytest.raises(no.NodeorderError, match="unknown job `8`"):
        no.snapshot(m, jobs, free=1, movable=["8"])
    command("snapshot", "fat-tree:k=4", "--jobs", str(jobs), "--metrics", str(metrics))
    parser = pytest.importorskip("prometheus_client.parser")
    families = {family.name: family for family in parser.text_string_to_metric_families(metrics.read_text())}
    assert families["nodeorder_nodes"].type == "gauge"
    assert [sample.value for sample in families["nodeorder_nodes"].samples] == [13, 3, 0]


def test_availability_is_that_of_the_command() -> None:
    words = ["--need", "3/4", "--node", "0.98", "--switch", "0.999", "--slices", "1,3", "--promise", "31:0.99"]
    theirs = json.loads(command("availability", "fat-tree:k=8", *words, "--json"))
    m = no.topology("fat-tree:k=8")
    ours = no.availability(m, need="3/4", node=0.98, switch=0.999, slices=[1, 3], promise="31:0.99")
    assert ours == {key: value for key, value in theirs.items() if key not in ("topology", "version")}
    assert no.availability(m, mtbf="99d", mttr="1d")["node"] == pytest.approx(0.99)
    for wrong in [{"need": "3"}, {"mtbf": "5y"}, {"promise": "9"}, {"level": "rack"}]:
        with pytest.raises(no.NodeorderError):
            no.availability(m, **wrong)  # type: ignore[arg-type]


def test_sweeps_are_those_of_the_command(tmp_path: Path) -> None:
    keys = {"topologies": ["torus:4x4", "mesh:9"], "orderings": ["snake", "random"], "seeds": [1, 2]}
    text = "".join(f"{key} = {value!r}\n" for key, value in keys.items())
    (tmp_path / "plan.toml").write_text(text)
    command("sweep", str(tmp_path / "plan.toml"), "--out", str(tmp_path / "theirs"))
    ours = no.sweep(keys, tmp_path / "ours")
    results = (tmp_path / "theirs" / "results.csv").read_bytes()
    assert (tmp_path / "ours" / "results.csv").read_bytes() == results
    assert_frame_equal(ours, no.sweep(tmp_path / "plan.toml"))
    with pytest.raises(no.NodeorderError, match="snail"):
        no.sweep({"topologies": ["mesh:3"], "orderings": ["snail"]})


def test_traces_are_those_of_the_command(tmp_path: Path) -> None:
    spec = "poisson:jobs=40,sizes=4x16,rate=1,unit=60"
    made = no.trace.generate(spec, tmp_path / "ours.swf", seed=3)
    command("trace", "generate", spec, "--seed", "3", "-o", str(tmp_path / "theirs.swf"))
    assert (tmp_path / "ours.swf").read_bytes() == (tmp_path / "theirs.swf").read_bytes()
    assert len(made) == 40
    info = no.trace.info(tmp_path / "ours.swf")
    assert (info["kind"], info["jobs"]) == ("SWF trace", 40)
    assert info["largest"] == made["nodes"].max()
    # A frame of jobs is a trace again: the same schedule.
    m = no.topology("torus:8x8")
    columns = ["start", "end", "nodes"]
    assert_frame_equal(no.schedule(m, "snake", made)[columns], no.schedule(m, "snake", tmp_path / "ours.swf")[columns])
    log = no.trace.convert(tmp_path / "ours.swf")
    assert log["event"].value_counts().to_dict() == {"P": 40, "F": 40}
    assert len(no.replay(m, "snake", log, "fifo:0")) > 0
    changed = no.trace.transform(made, scale_runtime=2.0, replicate=2)
    assert len(changed) == 80 and changed["run"].sum() == 4 * made["run"].sum()
    command("trace", "transform", str(tmp_path / "ours.swf"), "--load", "0.5", "--nodes", "64", "-o", str(tmp_path / "b.swf"))
    no.trace.transform(tmp_path / "ours.swf", tmp_path / "a.swf", load=0.5, nodes=64)
    assert (tmp_path / "a.swf").read_bytes() == (tmp_path / "b.swf").read_bytes()
    with pytest.raises(no.NodeorderError, match="nodes"):
        no.trace.transform(made, load=0.5)


def test_machines_side_by_side_are_those_of_the_command(tmp_path: Path) -> None:
    specs = ["torus:8x8", "fat-tree:k=6"]
    found = no.compare(specs, prices={"links": 100, "routers": 5000})
    command("machines", *specs, "--prices", "links=100,routers=5000", "--out", str(tmp_path))
    assert_frame_equal(found.table, pd.read_csv(tmp_path / "machines.csv", keep_default_na=False, na_values=[""], **EXACT))
    assert found.headline in repr(found) and "<table" in found._repr_html_()
    assert {"index.html", "machines.json"} <= {os.path.basename(path) for path in found.save(tmp_path / "ours")}
    assert (tmp_path / "ours" / "machine-curves.csv").read_bytes() == (tmp_path / "machine-curves.csv").read_bytes()
    with pytest.raises(no.NodeorderError, match="two machines"):
        no.compare(["torus:8x8"])


def test_broken_parts_are_drawn_as_by_the_command(tmp_path: Path) -> None:
    specs = ["torus:4x4", "hyperx:4x4"]
    found = no.compare(specs, broken="switches:1").table
    command("machines", *specs, "--broken", "switches:1", "--out", str(tmp_path))
    assert_frame_equal(found, pd.read_csv(tmp_path / "machines.csv", keep_default_na=False, na_values=[""], **EXACT))
    assert (found["unreachable_nodes"] == 1).all()
    assert (found["broken_throughput"] <= found["broken_throughput_at_most"]).all()
    with pytest.raises(no.NodeorderError, match="links:SHARE"):
        no.compare(specs, broken="links:2")

