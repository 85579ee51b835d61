"""Prints the tables of README.md from rows.csv: means over ten seeds, differences paired by seed, 95 % intervals."""

import csv
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "papers"))
import stats

NAMES = {"torus:8x8x4": "torus", "dragonfly:p=4,a=8,h=1,g=8": "dragonfly", "xgft:m=16x16,w=1x4": "tree, 4:1"}
rows = {}
for row in csv.DictReader(open(HERE / "rows.csv")):
    key = row["network"], row["load"], row["allocator"], row["sharing"]
    rows.setdefault(key, []).append({k: float(v) for k, v in row.items() if k not in ("network", "load", "allocator", "sharing")})


def told(values, unit=1.0):
    values = [v / unit for v in values]
    digits = 0 if abs(stats.mean(values)) >= 100 else 1
    return f"{stats.mean(values):,.{digits}f} ± {stats.half_width(values):,.{digits}f}"


def column(key, name):
    return [row[name] for row in rows[key]]


print("| network | load | allocator | mean wait, min: without | with | more, min | response: more, % | node-hours: more, % | by own links, % | by sharing, % |")
print("|---|---|---|---|---|---|---|---|---|---|")
for network in NAMES:
    for load in sorted({key[1] for key in rows}):
        for allocator in ("fifo:0", "span-best-fit"):
            none, shared = ((network, load, allocator, s) for s in ("none", "shared"))
            wait, waits = column(none, "mean_wait"), column(shared, "mean_wait")
            cells = [told(wait, 60), told(waits, 60), told(stats.paired(waits, wait, False), 60)]
            cells += [told(stats.paired(column(shared, f), column(none, f), True)) for f in ("mean_response", "node_hours")]
            hours = stats.mean(column(none, "node_hours"))
            cells += [told([100 * v / hours for v in column(shared, f)]) for f in ("hours_lost_links", "hours_lost_sharing")]
            print("|", " | ".join([NAMES[network], load, f"`{allocator}`", *cells]), "|")

print("\nWhat `span-best-fit` saves, % of `fifo:0`, paired by seed:\n")
print("| network | load | wait: without | with | response: without | with | node-hours: with |")
print("|---|---|---|---|---|---|---|")
for network in NAMES:
    for load in sorted({key[1] for key in rows}):
        cells = []
        for figure in ("mean_wait", "mean_response", "node_hours"):
            for sharing in ("none", "shared") if figure != "node_hours" else ("shared",):
                by = [column((network, load, a, sharing), figure) for a in ("span-best-fit", "fifo:0")]
                cells.append(told([-v for v in stats.paired(*by, True)]))
        print("|", " | ".join([NAMES[network], load, *cells]), "|")
