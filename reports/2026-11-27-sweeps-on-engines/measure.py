"""Makespan of a sweep of 60 cells, one of them slow, on two local workers of Snakemake, HyperQueue and Dask, one killed on
the way; and what 100,000 cells cost to plan and to emit.

    PYTHONPATH=ENGINES python3 measure.py NODEORDER

ENGINES is a folder with snakemake, hyperqueue and distributed (`pip install --target ENGINES …`); the package nodeorder is
installed. Writes tasks.csv, makespan.csv and emit.csv beside itself.
"""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from pathlib import Path
from typing import Any

import nodeorder as no

HERE = Path(__file__).parent
CELLS = 60
#: Runs of each engine, by the position of the slow cell.
RUNS = {6: 2}
#: The cell whose process is killed when it first runs; of Dask, the number of cells that are done by then.
KILLED = 10

#: What stands in for the command: it writes the processor seconds of the real one into a log, and kills one on the way.
WRAPPER = """#!{python}
import os, signal, subprocess, sys, time
words = sys.argv[1:]
began = time.monotonic()
child = subprocess.Popen(["{real}", *words])
shard = words[words.index("--shard") + 1].split("/")[0] if "--shard" in words else "merge"
killed = False
if shard == "{killed}" and not os.path.exists("{mark}"):
    open("{mark}", "w").close()
    time.sleep(0.1)
    os.kill(child.pid, signal.SIGKILL)
    killed = True
_, status, usage = os.wait4(child.pid, 0)
with open("{log}", "a") as log:
    print(shard, "", began, time.monotonic(), usage.ru_utime + usage.ru_stime, int(killed), sep=",", file=log)
if killed:
    # As a kill of the process itself.
    os.kill(os.getpid(), signal.SIGKILL)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def plan(slow: int) -> dict[str, list[str]]:
    machines = [f"mesh:{16 + i % 8}x{16 + i // 8}x6" for i in range(CELLS)]
    machines[slow] = "mesh:48x48x12"
    return {"topologies": machines, "orderings": ["hilbert"], "seeds": [1]}


def write_plan(folder: Path, lists: dict[str, list[str]]) -> None:
    (folder / "plan.toml").write_text("".join(f"{key} = {value!r}\n" for key, value in lists.items()))


def prepare(folder: Path, command: str, engine: str, slow: int) -> dict[str, str]:
    """Writes the plan, the engine's job file of a shard a cell, and the stand-in. The environment of tasks."""
    write_plan(folder, plan(slow))
    words = ["sweep", "plan.toml", "--out", "out", "--emit", engine, "--tasks", str(CELLS)]
    subprocess.run([command, *words], check=True, cwd=folder, stdout=subprocess.DEVNULL)
    (folder / "bin").mkdir()
    wrapper = folder / "bin" / "nodeorder"
    fields = {"killed": KILLED, "mark": folder / "mark", "log": folder / "log.csv"}
    wrapper.write_text(WRAPPER.format(python=sys.executable, real=command, **fields))
    wrapper.chmod(0o755)
    return {**os.environ, "PATH": f"{wrapper.parent}:{os.path.dirname(sys.executable)}:{os.environ['PATH']}"}


def snakemake(folder: Path, command: str, slow: int) -> None:
    environment = prepare(folder, command, "snakemake", slow)
    words = ["-m", "snakemake", "-s", "out/Snakefile", "--cores", "2", "--retries", "2", "--quiet"]
    subprocess.run([sys.executable, *words], check=True, cwd=folder, env=environment, capture_output=True)


def hyperqueue(folder: Path, command: str, slow: int) -> None:
    import hyperqueue as hq

    environment = prepare(folder, command, "hyperqueue", slow)
    file = tomllib.loads((folder / "out" / "sweep-hyperqueue.toml").read_text())
    with hq.LocalCluster(str(folder / "hq")) as cluster:
        for _ in range(2):
            cluster.start_worker(hq.cluster.WorkerConfig(cores=1))
        client = cluster.client()
        job = hq.Job(max_fails=None, default_workdir=folder, default_env={"PATH": environment["PATH"]})
        tasks: dict[int, Any] = {}
        for task in file["task"]:
            after = [tasks[other] for other in task.get("deps", [])]
            tasks[task["id"]] = job.program(task["command"], deps=after)
        client.wait_for_jobs([client.submit(job)])


def timed(log: str, function: Any, *arguments: Any) -> Any:
    """Runs a task in a worker of Dask and writes its seconds into the log; first a line without an end."""
    from distributed import get_worker

    def write(*values: Any) -> None:
        with open(log, "a") as file:
            print(*values, sep=",", file=file)

    shard, worker = arguments[-1][0], get_worker().name
    began, cpu = time.monotonic(), time.process_time()
    write(shard, worker, began, "", cpu, os.getpid())
    rows = function(*arguments)
    write(shard, worker, began, time.monotonic(), time.process_time() - cpu, 0)
    return rows


def dask(folder: Path, command: str, slow: int) -> None:
    import distributed

    log = folder / "log.csv"
    log.touch()
    lists = plan(slow)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, local_directory=str(folder / "dask")
    ) as cluster, distributed.Client(cluster) as client:

        class Timed:
            def submit(self, *arguments: Any) -> Any:
                return client.submit(timed, str(log), *arguments)

        def kill() -> None:
            while True:
                rows = [line.split(",") for line in log.read_text().splitlines()]
                ended = {row[0] for row in rows if row[3]}
                begun = [row for row in rows if row[0] not in ended and row[0] != str(slow)]
                if len(ended) >= KILLED and begun:
                    break
                time.sleep(0.01)
            shard, worker, began, _, cpu, pid = begun[-1]
            fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            used = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            os.kill(int(pid), signal.SIGKILL)
            with log.open("a") as file:
                print(shard, worker, began, time.monotonic(), max(0.0, used - float(cpu)), 1, sep=",", file=file)

        killer = threading.Thread(target=kill)
        killer.start()
        no.sweep(lists, folder / "out", executor=Timed())
        killer.join()


def workers(tasks: list[dict[str, Any]]) -> None:
    """Names the worker of each task where the engine does not: the one that has been free for longest."""
    free = {"0": 0.0, "1": 0.0}
    for task in sorted(tasks, key=lambda task: task["began"]):
        task["worker"] = task["worker"] or min(free, key=lambda worker: free[worker])
        assert free[task["worker"]] <= task["began"], "more than two at once"
        free[task["worker"]] = task["ended"]


def makespans(command: str) -> None:
    tasks = []
    table = []
    for slow, runs in RUNS.items():
        with tempfile.TemporaryDirectory() as name:
            write_plan(Path(name), plan(slow))
            words = ["sweep", "plan.toml", "--out", "out", "--threads", "1"]
            subprocess.run([command, *words], check=True, cwd=name, capture_output=True)
            expected = (Path(name) / "out" / "results.csv").read_bytes()
        for engine in (snakemake, hyperqueue, dask):
            for run in range(runs):
                with tempfile.TemporaryDirectory() as name:
                    engine(Path(name), command, slow)
                    same = (Path(name) / "out" / "results.csv").read_bytes() == expected
                    lines = [line.split(",") for line in (Path(name) / "log.csv").read_text().splitlines()]
                own = [
                    {"engine": engine.__name__, "slow": slow, "run": run, "shard": shard, "worker": worker}
                    | {"began": float(began), "ended": float(ended), "cpu": float(cpu), "killed": int(killed)}
                    for shard, worker, began, ended, cpu, killed in lines
                    if ended and shard != "merge"
                ]
                workers(own)
                # Dask keeps results in its workers: what the killed one had done is done again.
                last = {task["shard"]: task["ended"] for task in sorted(own, key=lambda task: task["ended"])}
                for task in own:
                    task["lost"] = int(task.pop("killed") or task["ended"] < last[task["shard"]])
                cells = [task["cpu"] for task in own if not task["lost"]]
                assert len(cells) == CELLS
                # No split of the cells has less than half of them, or than the slow one.
                best = max(sum(cells) / 2, max(cells))
                spans = [sum(task["cpu"] for task in own if task["worker"] == worker) for worker in ("0", "1")]
                lost = sum(task["cpu"] for task in own if task["lost"])
                row = {"engine": engine.__name__, "slow": slow, "run": run, "same_bytes": int(same)}
                row |= {"slow_s": max(cells), "cells_s": sum(cells), "lost_s": lost, "best_s": best}
                row |= {"makespan_s": max(spans), "ratio": max(spans) / best}
                table.append({key: round(value, 3) if isinstance(value, float) else value for key, value in row.items()})
                print(table[-1], flush=True)
                start = min(task["began"] for task in own)
                for task in own:
                    task |= {"began": round(task["began"] - start, 2), "ended": round(task["ended"] - start, 2)}
                    tasks.append(task | {"cpu": round(task["cpu"], 3)})
    write("tasks.csv", tasks)
    write("makespan.csv", table)


def emit(command: str) -> None:
    """Plans and emits 100,000 cells for every engine."""
    table = []
    with tempfile.TemporaryDirectory() as name:
        lists = {"topologies": [f"torus:{i}x4" for i in range(4, 104)], "orderings": ["hilbert", "random"]}
        text = "".join(f"{key} = {value!r}\n" for key, value in lists.items())
        (Path(name) / "plan.toml").write_text(text + f"seeds = {list(range(500))}\n")
        for engine in ("slurm", "hyperqueue", "snakemake", "flux", "pbs", "kubernetes", "parallel"):
            words = ["sweep", "plan.toml", "--out", "out", "--emit", engine, "--tasks", "100000"]
            child = subprocess.Popen([command, *words], cwd=name, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            assert child.stdout is not None and child.stdout.read().startswith(b"100000 tasks")
            _, status, usage = os.wait4(child.pid, 0)
            assert status == 0
            size = sum(file.stat().st_size for file in (Path(name) / "out").iterdir())
            row = {"engine": engine, "cpu_s": round(usage.ru_utime + usage.ru_stime, 2)}
            table.append(row | {"memory_mb": usage.ru_maxrss // 1000, "bytes_of_all_files": size})
            print(table[-1], flush=True)
    write("emit.csv", table)


def write(name: str, rows: list[dict[str, Any]]) -> None:
    with (HERE / name).open("w", newline="") as file:
        table = csv.DictWriter(file, rows[0], lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


if __name__ == "__main__":
    emit(sys.argv[1])
    makespans(sys.argv[1])
