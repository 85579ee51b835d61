"""Each new option against its parent: `python3 measure.py NODEORDER` writes rows.csv and prints the table."""

import csv
import math
import subprocess
import sys
import tempfile

CASES = [
    # machine, ordering, parent, child
    ("cplant", "gilbert", "span-sum-of-squares", "span-sum-of-squares:scattered=true"),
    ("hector", "gilbert", "span-sum-of-squares", "span-sum-of-squares:scattered=true"),
    ("archer2", "row-major", "span-sum-of-squares", "span-sum-of-squares:scattered=true"),
    ("archer2", "row-major", "first-fit:1", "first-fit:1:level=group"),
    ("archer2", "row-major", "first-fit:8", "first-fit:8:level=group"),
    ("archer2", "row-major", "first-fit:8", "first-fit:8:level=router"),
    ("frontier", "row-major", "first-fit:8", "first-fit:8:level=group"),
]
NODES = {"cplant": 320, "hector": 2816, "archer2": 5860, "frontier": 9856}
LOAD = 0.75
PLACEMENTS = 1000
SEEDS = range(1, 11)
T95 = 2.262  # nine degrees of freedom

program = sys.argv[1]
rows = []
with tempfile.TemporaryDirectory() as folder:
    for machine, ordering, parent, child in CASES:
        for seed in SEEDS:
            log, totals = f"{folder}/{machine}-{seed}.log", f"{folder}/totals.csv"
            sizes = f"log:sizes=log-uniform,nodes={NODES[machine]},placements={PLACEMENTS},load={LOAD},seed={seed}"
            subprocess.run([program, "trace", "generate", sizes, "-o", log], check=True, stderr=subprocess.DEVNULL)
            command = [program, "replay", machine, "--order", ordering, "--log", log, "--alloc", parent]
            command += ["--alloc", child, "--totals", totals, "-o", f"{folder}/placed.csv"]
            subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
            for row in csv.DictReader(open(totals)):
                keep = ("allocator", "placed", "mean_mind", "mean_components")
                rows.append({"machine": machine, "ordering": ordering, "seed": seed} | {k: row[k] for k in keep})
with open("rows.csv", "w", newline="") as file:
    writer = csv.DictWriter(file, rows[0], lineterminator="\n")
    writer.writeheader()
    seen = []
    for row in rows:
        if row not in seen:
            writer.writerow(row)
        seen.append(row)
print("| machine | parent | option | MIND of the parent | change in % | components of the parent | change in % |")
print("|---|---|---|---|---|---|---|")
for machine, _, parent, child in CASES:
    cells = []
    for column in ("mean_mind", "mean_components"):
        value = {
            (r["allocator"], r["seed"]): float(r[column]) for r in rows if r["machine"] == machine
        }
        parents = [value[parent, seed] for seed in SEEDS]
        changes = [100 * (value[child, seed] / value[parent, seed] - 1) for seed in SEEDS]
        mean = sum(changes) / 10
        deviation = math.sqrt(sum((c - mean) ** 2 for c in changes) / 9)
        cells.append(f"{sum(parents) / 10:.3f} | {mean:+.2f} ± {T95 * deviation / math.sqrt(10):.2f}")
    print(f"| {machine} | `{parent}` | `{child.removeprefix(parent)[1:]}` | {' | '.join(cells)} |")
