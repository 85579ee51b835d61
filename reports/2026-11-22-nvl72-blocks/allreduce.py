"""All-reduce times of the jobs that run at one time, by block and segment sizes.

python3 allreduce.py NODEORDER    writes allreduce.csv, and allreduce-jobs.csv.gz with a row a job

The traces, seeds and settings are those of blocks-16.toml and blocks-18.toml. Of each schedule the jobs that run when half of
all node-hours have been used run ring all-reduces of 10 GB side by side: each node sends 2 (n-1)/n of that to the next.
"""

import csv
import gzip
import io
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

BINARY, DATA, BANDWIDTH = sys.argv[1], 1e10, "200GB/s"


def nodeorder(*arguments):
    command = [BINARY, *map(str, arguments), "--threads", "1", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"nodeorder {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def ranges(text):
    for part in text.split():
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def running(rows):
    """The jobs that run when half of the node-seconds are used."""
    events = sorted([(float(r["start"]), int(r["nodes"])) for r in rows] + [(float(r["end"]), -int(r["nodes"])) for r in rows])
    half = sum(int(r["nodes"]) * (float(r["end"]) - float(r["start"])) for r in rows) / 2
    used = busy = 0
    for (time, change), (then, _) in zip(events, events[1:]):
        busy += change
        used += busy * (then - time)
        if used >= half:
            return [r for r in rows if float(r["start"]) <= time < float(r["end"])]
    return []


def main():
    with open("allreduce.csv", "w", newline="") as file, gzip.open("allreduce-jobs.csv.gz", "wt", newline="") as jobs_file:
        out, each = csv.writer(file, lineterminator="\n"), csv.writer(jobs_file, lineterminator="\n")
        out.writerow(["nodes_a_rack", "allocator", "seed", "jobs", "nodes", "seconds_mean", "alone_mean", "slowdown_mean"])
        each.writerow(["nodes_a_rack", "allocator", "seed", "job", "nodes", "seconds", "alone"])
        for per in (16, 18):
            plan = tomllib.loads(Path(f"blocks-{per}.toml").read_text())
            with tempfile.TemporaryDirectory() as folder:
                folder = Path(folder)
                for seed in plan["seeds"]:
                    made, trace = folder / "made.swf", folder / "jobs.swf"
                    nodeorder("trace", "generate", plan["traces"][0], "--seed", seed, "-o", made)
                    nodeorder("trace", "transform", made, "--load", "0.85", "--nodes", 2304, "--seed", seed, "-o", trace)
                    for allocator in plan["allocators"]:
                        rows = list(csv.DictReader(io.StringIO(nodeorder(
                            "schedule", "nvl72", "--order", "row-major", "--trace", trace, "--policy", "easy", "--alloc",
                            allocator, "--ranks"))))
                        text = ""
                        found = running(rows)
                        for row in found:
                            n = int(row["nodes"])
                            text += (f'[[jobs]]\nname = "{row["job"]}"\nguest = "ring:n={n}"\nnodes = {list(ranges(row["ranks"]))}\n'
                                     f"bytes = {2 * (n - 1) / n * DATA}\ncompute = 0\n")
                        (folder / "jobs.toml").write_text(text)
                        table = list(csv.DictReader(io.StringIO(nodeorder(
                            "corun", "nvl72", "--jobs", folder / "jobs.toml", "--bandwidth", BANDWIDTH, "--iterations", 3))))
                        took = [float(r["seconds"]) for r in table]
                        alone = [float(r["alone"]) for r in table]
                        for row, job in zip(table, found):
                            each.writerow([per, allocator, seed, row["job"], job["nodes"], row["seconds"], row["alone"]])
                        count = len(table)
                        out.writerow([per, allocator, seed, count, sum(int(r["nodes"]) for r in found), sum(took) / count,
                                      sum(alone) / count, sum(a / b for a, b in zip(took, alone)) / count])
                    print(per, seed, flush=True)


main()
