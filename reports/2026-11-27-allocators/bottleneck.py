"""Windows by their busiest link against others: `python3 bottleneck.py NODEORDER` writes bottleneck.csv and prints the table."""

import csv
import math
import subprocess
import sys
import tempfile

CASES = [
    # machine, ordering, level, nodes
    ("hector-dragonfly-worst", "row-major", "group", 2816),
    ("dragonfly:p=4,a=8,h=4", "row-major", "group", 1056),
    ("archer2", "row-major", "group", 5860),
    ("xgft:h=2,m=32x32,w=1x16", "row-major", "leaf", 1024),
]
PARENTS = ["closest-mind", "closest-fit", "first-fit:8"]
FIGURES = ["contention_alone", "contention_met", "mind"]
LOAD = 0.75
PLACEMENTS = 100
SEEDS = range(1, 11)
T95 = 2.262  # nine degrees of freedom

program = sys.argv[1]
rows = []
with tempfile.TemporaryDirectory() as folder:
    for machine, ordering, level, nodes in CASES:
        child = f"bottleneck-fit:level={level}"
        for seed in SEEDS:
            log, placed = f"{folder}/{seed}.log", f"{folder}/placed.csv"
            sizes = f"log:sizes=log-uniform,nodes={nodes},placements={PLACEMENTS},load={LOAD},seed={seed}"
            subprocess.run([program, "trace", "generate", sizes, "-o", log], check=True, stderr=subprocess.DEVNULL)
            command = [program, "replay", machine, "--order", ordering, "--trace", log, "--guest", "all-to-all"]
            command += ["--routing", "ecmp-hop", "-o", placed]
            for allocator in [*PARENTS, child]:
                command += ["--alloc", allocator]
            subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
            jobs = {}
            for row in csv.DictReader(open(placed)):
                if int(row["size"]) > 1:
                    jobs.setdefault(row["allocator"], []).append([float(row[figure]) for figure in FIGURES])
            for allocator, figures in jobs.items():
                means = [sum(column) / len(figures) for column in zip(*figures)]
                kept = {"machine": machine, "ordering": ordering, "allocator": allocator.split(":level")[0], "seed": seed}
                rows.append(kept | {"jobs": len(figures)} | dict(zip(FIGURES, means)))
with open("bottleneck.csv", "w", newline="") as file:
    writer = csv.DictWriter(file, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)

value = {(r["machine"], r["allocator"], r["seed"], figure): r[figure] for r in rows for figure in FIGURES}
print("| machine | against | contention alone | change in % | contention met | change in % | MIND | change in % |")
print("|---|---|---|---|---|---|---|---|")
for machine, *_ in CASES:
    for parent in PARENTS:
        cells = []
        for figure in FIGURES:
            base = [value[machine, parent, seed, figure] for seed in SEEDS]
            mine = [value[machine, "bottleneck-fit", seed, figure] for seed in SEEDS]
            changes = [100 * (m / b - 1) for m, b in zip(mine, base)]
            mean = sum(changes) / 10
            half = T95 * math.sqrt(sum((c - mean) ** 2 for c in changes) / 9 / 10)
            cells.append(f"{sum(base) / 10:.3f} | {mean:+.1f} ± {half:.1f}")
        print(f"| `{machine}` | `{parent}` | {' | '.join(cells)} |")
