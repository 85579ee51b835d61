"""Bursts in caminos: packets.py NODEORDER CAMINOS. Writes cycles.csv, a run a row.

A run is one job alone on the network (three windows of the ordering, one after the other: seed s is the s-th) or the whole
network tiled with jobs that all begin at once. Cycles are those until all messages have arrived."""

import csv
import os
import re
import subprocess
import sys
import tempfile

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


def main():
    nodeorder, caminos = map(os.path.abspath, sys.argv[1:3])
    table = open(os.path.join(HERE, "cycles.csv"), "w", newline="")
    rows = csv.writer(table, lineterminator="\n")
    rows.writerow(["network", "jobs", "size", "pattern", "ordering", "routing", "seed", "first", "cycles"])
    for spec, how, size, pattern in cases():
        for order in orderings(spec):
            nodes = nodes_in_order(nodeorder, spec, order)
            runs = window_starts(len(nodes), size, how)
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
                        rows.writerow([spec, how, size, pattern, order, routing, seed, first, cycles])
        table.flush()
        print(spec, how, size, pattern, file=sys.stderr, flush=True)


main()
