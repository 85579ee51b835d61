"""machines.csv as a table of gains: gains.py < machines.csv (Markdown)."""

import csv
import sys

machines = {}
for row in csv.DictReader(sys.stdin):
    machines.setdefault(row["machine"], []).append(row)


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    out, i = [0.0] * len(values), 0
    while i < len(order):
        j = i
        while j + 1 < len(order) and values[order[j + 1]] - values[order[i]] < 1e-9 * values[order[i]]:
            j += 1
        for k in range(i, j + 1):
            out[order[k]] = (i + j) / 2
        i = j + 1
    return out


def spearman(a, b):
    a, b = ranks(a), ranks(b)
    mean = (len(a) - 1) / 2
    over = sum((x - mean) * (y - mean) for x, y in zip(a, b))
    under = (sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b)) ** 0.5
    return over / under if under else float("nan")


def signed(value):
    text = f"{value:.2f}"
    return "0" if float(text) == 0 else text.replace("-", "−")


SEARCHES = [("geometric", "geometric"), ("harmonic", "harmonic"), ("workload", "mean_log")]
print("| machine (nodes) | searched for | below the best classic (%) | below snake, hilbert, gilbert (%) | gap (%) "
      "| MPC below (%) | `first-fit:1` below (%) | `span-best-fit` below (%) |\n|---|---|---|---|---|---|---|---|")
for machine, rows in machines.items():
    classic = [row for row in rows if row["role"] == "classic"]
    for role, column in SEARCHES:
        found = next((row for row in rows if row["role"] == role), None)
        if not found:
            continue
        value = lambda row, key=column: float(row[key])
        best = min(classic, key=value)
        below = lambda other, key=column: 100 * (1 - value(found, key) / value(other, key))
        named = {row["ordering"]: row for row in classic}
        others = ", ".join(signed(below(named[n])) if n in named else "-" for n in ("snake", "hilbert", "gilbert"))
        gap = 100 * (1 - float(found["bound"]) / value(found)) if float(found["bound"] or 0) > 0 else None
        jobs = [signed(below(min(classic, key=lambda r: value(r, k)), k)) for k in ("mean_log", "first_fit", "span_best_fit")]
        print("|", f"{machine} ({found['nodes']})", "|", role, "|", f"{signed(below(best))} ({best['ordering']})", "|", others, "|",
              f"{gap:.1f}" if gap else "-", "|", " | ".join(jobs), "|")
print("\n| machine | rank correlation with the log-uniform mean of MPC: geometric | harmonic |\n|---|---|---|")
for machine, rows in machines.items():
    column = lambda key: [float(row[key]) for row in rows]
    said = [f"{spearman(column(key), column('mean_log')):.2f}" for key in ("geometric", "harmonic")]
    print("|", machine, "|", " | ".join(said), "|")
