"""Sweeps on executors and engines: the bytes of one process, also where a worker is killed on the way."""

from __future__ import annotations

import concurrent.futures
import json
import multiprocessing
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import nodeorder as no
from nodeorder._sites import run_shard

#: Sixty combinations, of which the seventh takes longer than all others.
PLAN = {
    "topologies": [f"torus:{i}x4" for i in range(4, 10)] + ["torus:24x24x24"] + [f"mesh:{i}x3" for i in range(4, 57)],
    "orderings": ["hilbert"],
}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("whole")
    assert len(no.sweep(PLAN, folder)) == 60
    return (folder / "results.csv").read_text()


def check(executor: Any, folder: Path, expected: str) -> None:
    table = no.sweep(PLAN, folder, executor=executor)
    assert len(table) == 60 and (folder / "results.csv").read_text() == expected


def test_threads_and_processes_make_the_table_of_one_process(tmp_path: Path, expected: str) -> None:
    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        check(threads, tmp_path, expected)
    spawn = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=spawn) as processes:
        check(processes, tmp_path, expected)
        wrong = {"topologies": ["torus:4x"], "orderings": ["hilbert"]}
        with pytest.raises(no.NodeorderError, match="torus:4x"):
            no.sweep(wrong, executor=processes)


def die(*_: Any) -> list[str]:
    os.kill(os.getpid(), signal.SIGKILL)
    return []


class Broken:
    """An executor whose tenth task kills its worker."""

    def __init__(self, executor: concurrent.futures.Executor) -> None:
        self.executor = executor
        self.count = 0

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        self.count += 1
        return self.executor.submit(die if self.count == 10 else function, *arguments)


def test_a_killed_process_of_a_pool_is_an_error_and_no_table(tmp_path: Path, expected: str) -> None:
    spawn = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=spawn) as processes:
        with pytest.raises(concurrent.futures.BrokenExecutor):
            no.sweep(PLAN, tmp_path, executor=Broken(processes))
    assert not (tmp_path / "results.csv").exists()
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=spawn) as processes:
        check(processes, tmp_path, expected)


def test_dask_makes_the_table_of_one_process_though_a_worker_is_killed(tmp_path: Path, expected: str) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, local_directory=str(tmp_path / "dask")
    ) as cluster, distributed.Client(cluster) as client:
        victim = next(iter(client.run(os.getpid).values()))

        class Killing:
            """A client that kills a worker when half of the tasks are submitted."""

            count = 0

            def submit(self, *arguments: Any) -> Any:
                self.count += 1
                if self.count == 30:
                    os.kill(victim, signal.SIGKILL)
                return client.submit(*arguments)

        check(Killing(), tmp_path, expected)
        assert client.submit(run_shard, *("topologies = 'mesh:3'\norderings = 'snake'\n", "p", 1, 1 << 30, (0, 1))).result()


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Callable[[str], dict[str, str]]]:
    """Writes the plan and an engine's job file, with a command whose process is killed when it first runs shard 3."""
    real = os.environ.get("NODEORDER")
    if not real:
        pytest.skip("NODEORDER names no command to run")
    lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in PLAN.items())
    (tmp_path / "plan.toml").write_text(lines)
    wrapper = tmp_path / "bin" / "nodeorder"
    wrapper.parent.mkdir()
    mark = tmp_path / "killed"
    wrapper.write_text(
        f'#!/bin/sh\ncase "$*" in *"--shard 3/"*) [ -e "{mark}" ] || {{ touch "{mark}"; kill -9 $$; }};; esac\nexec "{real}" "$@"\n'
    )
    wrapper.chmod(wrapper.stat().st_mode | stat.S_IXUSR)
    path = os.pathsep.join([str(wrapper.parent), os.path.dirname(sys.executable), os.environ["PATH"]])

    def emit(name: str) -> dict[str, str]:
        words = [real, "sweep", "plan.toml", "--out", "out", "--emit", name, "--tasks", "12"]
        subprocess.run(words, check=True, cwd=tmp_path, capture_output=True)
        return {**os.environ, "PATH": path}

    yield emit
    # A test that was skipped has run nothing.
    assert mark.exists() or not (tmp_path / "out" / "results.csv").exists()


def test_snakemake_runs_what_is_emitted(
    tmp_path: Path, expected: str, engine: Callable[[str], dict[str, str]]
) -> None:
    pytest.importorskip("snakemake")
    environment = engine("snakemake")
    words = [sys.executable, "-m", "snakemake", "-s", "out/Snakefile", "--cores", "2", "--retries", "2", "--quiet"]
    subprocess.run(words, check=True, cwd=tmp_path, env=environment, capture_output=True)
    assert (tmp_path / "out" / "results.csv").read_text() == expected


def test_hyperqueue_runs_what_is_emitted(
    tmp_path: Path, expected: str, engine: Callable[[str], dict[str, str]]
) -> None:
    hyperqueue = pytest.importorskip("hyperqueue")
    tomllib = pytest.importorskip("tomllib")
    environment = {"PATH": engine("hyperqueue")["PATH"]}
    file = tomllib.loads((tmp_path / "out" / "sweep-hyperqueue.toml").read_text())
    with hyperqueue.LocalCluster(str(tmp_path / "hq")) as cluster:
        for _ in range(2):
            cluster.start_worker(hyperqueue.cluster.WorkerConfig(cores=1))
        client = cluster.client()
        # Task by task, as `hq job submit-file` reads them: the package of Python has no such command. A process is killed,
        # and its task runs it again.
        job = hyperqueue.Job(default_workdir=tmp_path, default_env=environment, name=file["name"])
        tasks: dict[int, Any] = {}
        for task in file["task"]:
            after = [tasks[other] for other in task.get("deps", [])]
            tasks[task["id"]] = job.program(task["command"], deps=after)
        assert client.wait_for_jobs([client.submit(job)])
    assert (tmp_path / "out" / "results.csv").read_text() == expected


def test_the_jobs_of_kubernetes_have_what_its_schema_asks_for(
    tmp_path: Path, engine: Callable[[str], dict[str, str]]
) -> None:
    yaml = pytest.importorskip("yaml")
    engine("kubernetes")
    text = (tmp_path / "out" / "sweep-kubernetes.yaml").read_text()
    shards, merge = yaml.safe_load_all(text)
    assert shards["spec"]["completionMode"] == "Indexed"
    assert shards["spec"]["completions"] == 12 and shards["spec"]["parallelism"] == 12
    # batch/v1: backoffLimitPerIndex is for indexed jobs whose pods never restart.
    assert shards["spec"]["template"]["spec"]["restartPolicy"] == "Never"
    for job in (shards, merge):
        pod = job["spec"]["template"]["spec"]
        (container,) = pod["containers"]
        assert {mount["name"] for mount in container["volumeMounts"]} == {volume["name"] for volume in pod["volumes"]}
        assert container["command"] == ["sh", "-c"] and len(container["args"]) == 1
        assert container["image"] == "IMAGE"
        assert pod["volumes"][0]["persistentVolumeClaim"] == {"claimName": "CLAIM"}
    # The schemas that Kubernetes publishes, without fields that they do not know.
    schemas = pytest.importorskip("kubernetes_validate")
    for job in (shards, merge):
        schemas.validate(job, "1.30", strict=True)
        job["spec"]["unknown"] = 1
        with pytest.raises(schemas.ValidationError):
            schemas.validate(job, "1.30", strict=True)
