"""Readings of how the reference of Kueue's 33 racks was set up, each run as racks.py runs its rows, into readings.csv.

python3 readings.py nodeorder [SEEDS]

A reading says the pods of jobs, the mean that the load is counted with, the times, and the arrivals at each load. A row is
one reading, rule, load and seed: as in racks.csv, with the mean share of GPUs in use.
"""

import csv
import heapq
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from racks import GPUS, LOADS, NODES, RACKS, machine, measured

CAPACITY = RACKS * NODES * GPUS
UNIFORM, SMALL, POWERS = [1, 2, 3, 4], [1, 1, 2, 4], [1, 2, 4]
TIMES = {
    "exponential": lambda draw: draw.expovariate(1.0),
    "fixed": lambda draw: 1.0,
    "uniform": lambda draw: draw.uniform(0, 2),
    "narrow uniform": lambda draw: draw.uniform(0.5, 1.5),
    "lognormal, sigma 1": lambda draw: draw.lognormvariate(-0.5, 1.0),
    "lognormal, sigma 1.5": lambda draw: draw.lognormvariate(-1.125, 1.5),
}
EACH, THIRD, QUARTER = (dict.fromkeys(LOADS, arrivals) for arrivals in (12_000, 4_000, 3_000))
# 12,000 in all, in the same time at each load.
SHARED = {load: round(8_000 * load) for load in LOADS}
# Pods, mean that the load is counted with, times, arrivals.
READINGS = [
    (UNIFORM, 2.5, "exponential", EACH),
    (UNIFORM, 2.5, "fixed", EACH),
    (UNIFORM, 2.5, "uniform", EACH),
    (UNIFORM, 2.5, "lognormal, sigma 1.5", EACH),
    (UNIFORM, 2.5, "exponential", THIRD),
    (UNIFORM, 2.5, "exponential", SHARED),
    (POWERS, 7 / 3, "exponential", EACH),
    (POWERS, 2.5, "exponential", EACH),
    (POWERS, 7 / 3, "exponential", THIRD),
    (POWERS, 2.5, "exponential", THIRD),
    (POWERS, 2.5, "uniform", QUARTER),
    (POWERS, 2.5, "narrow uniform", QUARTER),
    (POWERS, 7 / 3, "lognormal, sigma 1", SHARED),
    (SMALL, 2, "exponential", EACH),
    (SMALL, 2.5, "exponential", EACH),
    (SMALL, 2, "exponential", THIRD),
    (SMALL, 2, "exponential", SHARED),
    (SMALL, 2, "uniform", SHARED),
]


def events(pods, mean, times, arrivals, load, seed):
    draw = random.Random(f"{load} {seed}")
    rate = load * CAPACITY / mean
    now, ends, lines, used, busy = 0.0, [], [], 0, 0
    for job in range(arrivals):
        now += draw.expovariate(rate)
        while ends and ends[0][0] <= now:
            _, done, size = heapq.heappop(ends)
            lines.append(f"F {done}")
            used -= size
        size = draw.choice(pods)
        lines.append(f"P {job} {size}")
        heapq.heappush(ends, (now + times(draw), job, size))
        used += size
        busy += min(used, CAPACITY)
    return lines, busy / arrivals / CAPACITY


def main(binary, seeds):
    profiles = ["mixed", "least-free-hierarchical"]
    with tempfile.TemporaryDirectory() as folder, open("readings.csv", "w", newline="") as out:
        folder = Path(folder)
        spec = machine(folder)
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(["pods", "mean", "times", "arrivals", "profile", "load", "seed", "in_use", "free_racks", "part_used_racks"])
        for pods, mean, times, arrivals in READINGS:
            for load in LOADS:
                for seed in range(1, seeds + 1):
                    lines, in_use = events(pods, mean, TIMES[times], arrivals[load], load, seed)
                    (folder / "log").write_text("\n".join(lines) + "\n")
                    allocs = [part for p in profiles for part in ("--alloc", f"kueue-tas:profile={p}")]
                    subprocess.run([binary, "replay", spec, "--order", "row-major", "--log", folder / "log", "--pods",
                                    "--quiet", *allocs, "-o", folder / "rows.csv"], check=True)
                    placed = {profile: {} for profile in profiles}
                    with open(folder / "rows.csv", newline="") as file:
                        for row in csv.DictReader(file):
                            placed[row["allocator"].split("=")[1]][row["job"]] = row["pods"]
                    for profile in profiles:
                        free, part, _ = measured(lines, placed[profile])
                        rows.writerow(["/".join(map(str, pods)), round(mean, 3), times, arrivals[load], profile, load, seed,
                                       round(in_use, 4), round(free, 3), round(part, 3)])
                    out.flush()


main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10)
