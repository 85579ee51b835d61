"""Whole processes of `nodeorder mpc`, interleaved, into rows.csv: best and median wall time, user+system, peak memory.

Usage: measure.py NODEORDER ROWS.csv REPEATS [BUDGET_SECONDS]
"""

import csv
import os
import statistics
import sys
import tempfile
import time

program, rows, repeats = sys.argv[1], sys.argv[2], int(sys.argv[3])
budget = float(sys.argv[4]) if len(sys.argv) > 4 else float("inf")
CASES = []
for side in (10, 13, 16, 20, 25, 32, 40, 50, 64, 80, 100):
    n = side**3
    for threads in (1, 2):
        for method in ("pairs", "transform", "auto"):
            if method != "pairs" or n <= 70_000:
                CASES.append((f"torus:{side}x{side}x{side}", n, "random", method, threads))
for n in (1024, 4096, 16384):
    for threads in (1, 2):
        CASES.append((f"random-regular:n={n},d=6", n, "row-major", "searches", threads))
CASES += [("torus:20x30x32", 19200, o, "auto", 2) for o in ("row-major", "random")]
CASES += [("torus:25x32x24,limit=18944", 18944, "hilbert", "auto", 2)]
CASES += [("torus:100x100x100", 10**6, o, "auto", 2) for o in ("row-major", "hilbert")]


def run(case):
    spec, _, order, method, threads = case
    out = os.path.join(tempfile.gettempdir(), f"measure-{os.getpid()}.csv")
    command = [program, "mpc", spec, "--order", order, "-o", out]
    if method in ("pairs", "transform"):
        command += ["--method", method]
    # A process starts with the peak memory of the one that launched it: a small launcher, not this one.
    command = ["/usr/bin/time", "-f", "%M", "-o", out + ".kb", *command]
    start = time.perf_counter()
    pid = os.posix_spawn(command[0], command, {**os.environ, "RAYON_NUM_THREADS": str(threads)})
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - start
    if status:
        sys.exit(f"{command}: {status}")
    memory = int(open(out + ".kb").read())
    os.remove(out)
    os.remove(out + ".kb")
    return wall, usage.ru_utime + usage.ru_stime, memory


found = {case: [] for case in CASES}
begin = time.monotonic()
for _ in range(repeats):
    for case in CASES:
        if time.monotonic() - begin < budget or not found[case]:
            found[case].append(run(case))
with open(rows, "w", newline="") as file:
    out = csv.writer(file, lineterminator="\n")
    out.writerow("machine,nodes,ordering,method,threads,repeats,best_s,median_s,least_cpu_s,peak_kb".split(","))
    for case, got in found.items():
        wall, cpu, memory = zip(*got)
        out.writerow([*case, len(got), f"{min(wall):.4f}", f"{statistics.median(wall):.4f}",
                      f"{min(cpu):.4f}", max(memory)])
