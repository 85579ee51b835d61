"""What `optimise:objective=slowdown` gains over the best of the families: search.py NODEORDER. Writes search.csv, a seed
a row. Every figure is that of `nodeorder slowdown`: the log-uniform mean of `mixed` over the powers of two and all nodes."""

import csv
import io
import math
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from networks import HERE

WALKS = ["row-major", "bfs", "dfs", "rcm", "spectral", "nearest"]
SCATTERED = ["hierarchical:scatter=1", "hierarchical:scatter=2"]
MACHINES = {
    "torus:8x8,per_router=2": ["row-major", "snake", "gilbert", "gray", "morton", "helical", "spectral"],
    "dragonfly:p=4,a=4,h=2": [*WALKS, *SCATTERED],
    "xgft:h=3,m=4x4x8,w=1x2x2": [*WALKS, *SCATTERED],
}
GUESTS = ["all-to-all", "stencil3d"]
STEPS = 4000
SEEDS = range(1, 11)
T95 = 2.262  # nine degrees of freedom


def run(program, *arguments):
    return subprocess.run([program, *arguments, "--threads", "1", "--quiet"], check=True, capture_output=True, text=True).stdout


def rate(program, spec, guest, orders):
    """The objective of each ordering."""
    asked = [part for order in orders for part in ("--order", order)]
    curves = {}
    for row in csv.DictReader(io.StringIO(run(program, "slowdown", spec, *asked, "--guest", guest))):
        curves.setdefault(row["ordering"], []).append((math.log(int(row["size"])), float(row["mixed"])))
    means = []
    for order in orders:
        curve = curves[order]
        area = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in zip(curve, curve[1:]))
        means.append(area / (curve[-1][0] - curve[0][0]))
    return means


def search(job):
    program, spec, guest, seed = job
    families = [*MACHINES[spec], *(f"random:seed={s}" for s in (1, 2, 3))]
    with tempfile.TemporaryDirectory() as folder:
        found = os.path.join(folder, "found.txt")
        run(program, "order", spec, "--order", f"optimise:objective=slowdown,guest={guest},steps={STEPS},seed={seed}", "-o", found)
        values = rate(program, spec, guest, [*families, found])
    searched = values.pop()
    best = min(values)
    family = families[values.index(best)]
    return {"machine": spec, "guest": guest, "seed": seed, "family": family, "family_mixed": best, "searched_mixed": searched}


def main():
    program = os.path.abspath(sys.argv[1])
    jobs = [(program, spec, guest, seed) for spec in MACHINES for guest in GUESTS for seed in SEEDS]
    with ThreadPoolExecutor(2) as pool:
        rows = list(pool.map(search, jobs))
    with open(os.path.join(HERE, "search.csv"), "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print("| machine | traffic | best family | | searched | less |\n|---|---|---|---|---|---|")
    for spec in MACHINES:
        for guest in GUESTS:
            mine = [row for row in rows if (row["machine"], row["guest"]) == (spec, guest)]
            gains = [100 * (1 - row["searched_mixed"] / row["family_mixed"]) for row in mine]
            mean = sum(gains) / 10
            half = T95 * math.sqrt(sum((gain - mean) ** 2 for gain in gains) / 9 / 10)
            searched = sum(row["searched_mixed"] for row in mine) / 10
            first = mine[0]
            print(f"| `{spec}` | {guest} | `{first['family']}` | {first['family_mixed']:.3f} | {searched:.3f} | {mean:.1f} ± {half:.1f} % |")


main()
