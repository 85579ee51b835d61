"""Bursts in caminos: packets.py NODEORDER CAMINOS [WORKERS]. Writes cycles.csv, a run a row.

A run is one job alone on the network (three windows of the ordering, one after the other: seed s is the s-th) or the whole
network tiled with jobs that all begin at once. Cycles are those until all messages have arrived."""

import csv
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from networks import HERE, PATTERNS, ROUTINGS, SEEDS, cases, nodes_in_order, orderings, run, window_starts


def find_cycles(caminos, folder, seed):
    path = os.path.join(folder, "run", "main.cfg")
    text = open(path).read()
    open(path, "w").write(re.sub(r"random_seed: \d+", f"random_seed: {seed}", text))
    out = subprocess.run([caminos, "main.cfg", "--results=out"], cwd=os.path.dirname(path), capture_output=True, text=True)
    found = re.search(r"Traffic consumed before cycle (\d+)", out.stdout)
    if not found:
        raise SystemExit(out.stdout[-2000:] + out.stderr[-2000:])
    return int(found[1])


HEADER = ["network", "jobs", "size", "pattern", "ordering", "routing", "seed", "first", "cycles"]


def run_ordering(nodeorder, caminos, case, order):
    """Rows of one ordering of a case: a run for each seed and routing."""
    spec, how, size, pattern = case
    nodes = nodes_in_order(nodeorder, spec, order)
    runs = window_starts(len(nodes), size, how)
    rows = []
    for seed in SEEDS:
        starts = runs[(seed - 1) % len(runs)]
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "jobs.toml"), "w") as jobs:
                for first in starts:
                    jobs.write(f"[[jobs]]\nname = 'j{first}'\nguest = '{PATTERNS[pattern](size)}'\nbytes = 8\n")
                    jobs.write(f"nodes = {nodes[first:first + size]}\n")
            for routing in ROUTINGS:
                to = f"caminos:phit=1,message=8,cycles=1000000,routing={routing}"
                run(nodeorder, "export", spec, "--order", order, "--to", to, "--jobs", "jobs.toml", "-o", "run", cwd=folder)
                cycles = find_cycles(caminos, folder, seed)
                first = starts[0] if how == "alone" else ""
                rows.append([spec, how, size, pattern, order, routing, seed, first, cycles])
    return rows


def main():
    nodeorder, caminos = map(os.path.abspath, sys.argv[1:3])
    workers = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    path = os.path.join(HERE, "cycles.csv")
    # A study that was interrupted goes on with its next case.
    done = {tuple(row[:4]) for row in csv.reader(open(path))} if os.path.exists(path) else set()
    table = open(path, "a", newline="")
    rows = csv.writer(table, lineterminator="\n")
    if not done:
        rows.writerow(HEADER)
    with ThreadPoolExecutor(workers) as pool:
        for case in cases():
            if tuple(map(str, case)) in done:
                continue
            found = pool.map(lambda order: run_ordering(nodeorder, caminos, case, order), orderings(case[0]))
            # All of a case at once, or none.
            rows.writerows([row for of_ordering in list(found) for row in of_ordering])
            table.flush()
            print(*case, file=sys.stderr, flush=True)


main()
