#!/usr/bin/env python3
"""Processor seconds of whole commands, the least of three runs, builds in turn, one thread.

    speeds.py TRACES before=PROGRAM now=PROGRAM

TRACES is the folder with theta_2022.swf.gz and CEA-Curie-2011-2.1-cln.swf.gz; the current folder gets a log. Prints rows.
"""

import resource
import subprocess
import sys
from pathlib import Path

traces = sys.argv[1]
builds = dict(argument.split("=") for argument in sys.argv[2:])
if not Path("h.log").exists():
    program = next(iter(builds.values()))
    log = "hector:placements=100000,nodes=2816,load=0.9"
    subprocess.run([program, "trace", "generate", log, "-o", "h.log"], check=True)

SEVEN = "fifo:0 first-fit:8 largest-fit:2 varying-fit closest-fit closest-mind span-best-fit".split()
rows = {
    "mpc-torus": "mpc torus:25x32x24 --order random -o /dev/null",
    "mpc-100": "mpc torus:100x100x100 --order hilbert -o /dev/null",
    "mpc-random-regular": "mpc random-regular:n=16384,d=6 --order rcm -o /dev/null",
    "map-torus": "map torus:16x16x16 --guest all-to-all:n=4096 --order hilbert --json",
    "map-random-regular": "map random-regular:n=4096,d=6 --guest all-to-all:n=4096 --order rcm --json",
    "hector-seven": "replay hector --order hilbert --log h.log -o /dev/null" + "".join(f" --alloc {a}" for a in SEVEN),
    "optimise": "order torus:15x6x16 --by optimise:weights=harmonic,window=63,steps=300000 -o /dev/null",
}
for allocator in "closest-mind gen-alg dilation mc1x1".split():
    rows[f"theta-{allocator}"] = (
        f"schedule theta --order hierarchical --trace {traces}/theta_2022.swf.gz --policy easy "
        f"--alloc {allocator} -o /dev/null"
    )
for policy in "easy conservative".split():
    rows[f"curie-{policy}"] = (
        f"schedule torus:14x18x22 --order row-major --trace {traces}/CEA-Curie-2011-2.1-cln.swf.gz "
        f"--procs-per-node 16 --policy {policy} --alloc span-best-fit -o /dev/null"
    )


def seconds(program: str, command: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program, *command.split(), "--threads", "1", "--quiet"], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


print("row," + ",".join(builds))
for name, command in rows.items():
    least = dict.fromkeys(builds, float("inf"))
    for _ in range(3):
        for build, program in builds.items():
            least[build] = min(least[build], seconds(program, command))
    print(name + "," + ",".join(f"{value:.3f}" for value in least.values()), flush=True)
