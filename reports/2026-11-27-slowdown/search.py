"""What a search for the least slowdown gains over the families: search.py NODEORDER. Writes search.csv, a seed a row.

From the best of the families it tries batches of changed orders, as `optimise` changes them (two nodes swapped, a part turned round, a
part moved), and keeps the best of a batch where it is better. The objective is the log-uniform mean of `mixed` over job sizes."""

import csv
import io
import math
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from networks import HERE

WALKS = ["row-major", "bfs", "dfs", "rcm", "spectral", "nearest"]
MACHINES = {
    "torus:8x8,per_router=2": ["row-major", "snake", "gilbert", "gray", "morton", "helical", "spectral"],
    "dragonfly:p=4,a=4,h=2": [*WALKS, "hierarchical:scatter=1", "hierarchical:scatter=2"],
    "xgft:h=3,m=4x4x8,w=1x2x2": [*WALKS, "hierarchical:scatter=1", "hierarchical:scatter=2"],
}
GUESTS = ["all-to-all", "stencil3d"]
BATCH = 40
BATCHES = 100
SEEDS = range(1, 11)
T95 = 2.262  # nine degrees of freedom


def run(program, *arguments, cwd):
    return subprocess.run([program, *arguments], cwd=cwd, check=True, capture_output=True, text=True).stdout


def rate(program, spec, guest, orders, cwd):
    """The objective of each ordering: methods by name, or lists of node ids."""
    names = []
    for i, order in enumerate(orders):
        names.append(order)
        if isinstance(order, list):
            names[-1] = f"{i}.order"
            with open(os.path.join(cwd, names[-1]), "w") as file:
                file.writelines(f"{node}\n" for node in order)
    asked = [part for name in names for part in ("--order", name)]
    text = run(program, "slowdown", spec, *asked, "--guest", guest, "--threads", "1", "--quiet", cwd=cwd)
    values = {}
    for row in csv.DictReader(io.StringIO(text)):
        values.setdefault(row["ordering"], []).append((int(row["size"]), float(row["mixed"])))
    # Powers of two alone: each as frequent as any other.
    means = []
    for name in names:
        mixed = [value for size, value in values[name] if size & (size - 1) == 0]
        means.append(sum(mixed) / len(mixed))
    return means


def change(order, chance):
    order = list(order)
    a, b = sorted(chance.sample(range(len(order)), 2))
    move = chance.randrange(3)
    if move == 0:
        order[a], order[b] = order[b], order[a]
    elif move == 1:
        order[a : b + 1] = reversed(order[a : b + 1])
    else:
        part = order[a : b + 1]
        rest = order[:a] + order[b + 1 :]
        at = chance.randrange(len(rest) + 1)
        order = rest[:at] + part + rest[at:]
    return order


def search(job):
    program, spec, guest, seed = job
    chance = random.Random(f"{spec} {guest} {seed}")
    with tempfile.TemporaryDirectory() as cwd:
        families = [*MACHINES[spec], *(f"random:seed={s}" for s in (1, 2, 3))]
        values = rate(program, spec, guest, families, cwd)
        start = min(values)
        family = families[values.index(start)]
        text = run(program, "order", spec, "--by", family, cwd=cwd)
        order = [int(line) for line in text.splitlines() if not line.startswith("#")]
        best = start
        for _ in range(BATCHES):
            tried = [change(order, chance) for _ in range(BATCH)]
            found = rate(program, spec, guest, tried, cwd)
            if min(found) < best:
                best = min(found)
                order = tried[found.index(best)]
    return {"machine": spec, "guest": guest, "seed": seed, "family": family, "family_mixed": start, "searched_mixed": best}


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
