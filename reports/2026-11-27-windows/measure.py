"""Windows of jobs on three networks: `python3 measure.py NODEORDER` writes rows.csv and prints the table."""

import csv
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

MACHINES = {
    # machine: its ordering
    "torus:10x10x10": "gilbert",
    "dragonfly:p=4,a=8,h=4": "row-major",
    "xgft:h=2,m=16x64,w=1x16": "row-major",
}
# EASY takes the lowest free ranks (the baseline of Yang et al.), or windows of least span. Window policies ask no allocator.
BASELINE = ("easy:interval=30", "fifo:0")
SETTINGS = [
    BASELINE,
    ("easy:interval=30", "span-best-fit"),
    ("window-bnb", "fifo:0"),
    ("window-greedy", "fifo:0"),
    ("window-bnb:slots=runs", "fifo:0"),
]
MODELS = ["contiguity:alpha=30,beta=30", "distance:weight=0.5"]
SIZES = "1x2x4x8x16x32x64x128x256x512"
BIG = 256  # nodes
FIGURES = ["mean_wait", "wait_of_big", "mean_response", "makespan", "utilisation_waiting"]
SEEDS = range(1, 11)
T95 = 2.262  # nine degrees of freedom

program = str(Path(sys.argv[1]).resolve())


def run(folder, *arguments):
    subprocess.run([program, *arguments], cwd=folder, check=True, stderr=subprocess.DEVNULL)


def quote(texts):
    return "[" + ", ".join(f'"{text}"' for text in texts) + "]"


rows = []
with tempfile.TemporaryDirectory() as folder:
    for seed in SEEDS:
        run(folder, "trace", "generate", f"poisson:jobs=2000,rate=1,sizes={SIZES},seed={seed}", "-o", f"{seed}.swf")
    for machine, ordering in MACHINES.items():
        for policy, allocator in SETTINGS:
            plan = {
                "name": '"windows"',
                "topologies": quote([machine]),
                "orderings": quote([ordering]),
                "traces": quote(f"{seed}.swf" for seed in SEEDS),
                "transforms": '["load=1"]',
                "allocators": quote([allocator]),
                "policies": quote([policy]),
                "models": quote(MODELS),
            }
            Path(folder, "plan.toml").write_text("".join(f"{key} = {value}\n" for key, value in plan.items()))
            run(folder, "sweep", "plan.toml", "--out", "out", "--quiet")
            for row in csv.DictReader(open(Path(folder, "out", "results.csv"))):
                kept = {"machine": machine, "ordering": ordering, "policy": policy, "allocator": allocator}
                kept |= {"model": row["model"], "seed": row["trace"].removesuffix(".swf"), "left_out": int(row["left_out"]) + int(row["never_placed"])}
                kept |= {figure: row[figure] for figure in FIGURES if figure != "wait_of_big"}
                big = [size for size in json.loads(row["by_size"]) if size["from"] >= BIG]
                waits = sum(size["mean_wait"] * size["jobs"] for size in big)
                rows.append(kept | {"wait_of_big": waits / max(1, sum(size["jobs"] for size in big))})
            subprocess.run(["rm", "-r", "out"], cwd=folder, check=True)
with open("rows.csv", "w", newline="") as file:
    writer = csv.DictWriter(file, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)

value = {
    (r["machine"], r["model"], r["policy"], r["allocator"], int(r["seed"]), figure): float(r[figure])
    for r in rows
    for figure in FIGURES
}
print("| machine | model | policy and allocator | mean wait, h | change in % | wait of jobs of 256 nodes or more | mean response | makespan | utilisation while jobs wait |")
print("|---|---|---|---|---|---|---|---|---|")
for machine in MACHINES:
    for model in MODELS:
        for policy, allocator in SETTINGS:
            cells = []
            left_out = [
                int(r["left_out"])
                for r in rows
                if (r["machine"], r["model"], r["policy"], r["allocator"]) == (machine, model, policy, allocator)
            ]
            if any(left_out):
                print(f"| `{machine}` | `{model}` | `{policy}`, `{allocator}` | leaves out {sum(left_out) / 10:.0f} of 2,000 jobs | | | | | |")
                continue
            for figure in FIGURES:
                mine = [value[machine, model, policy, allocator, seed, figure] for seed in SEEDS]
                base = [value[machine, model, *BASELINE, seed, figure] for seed in SEEDS]
                if figure == "mean_wait":
                    cells.append(f"{sum(mine) / 36000:.2f}")
                changes = [100 * (m / b - 1) for m, b in zip(mine, base)]
                mean = sum(changes) / 10
                half = T95 * math.sqrt(sum((c - mean) ** 2 for c in changes) / 9 / 10)
                cells.append("0" if (policy, allocator) == BASELINE else f"{mean:+.1f} ± {half:.1f}")
            print(f"| `{machine}` | `{model}` | `{policy}`, `{allocator}` | {' | '.join(cells)} |")
