"""Rank correlations of caminos' cycles with slowdown and with hops over the orderings of a case: reads figures.csv and cycles.csv,
writes correlations.csv (a row a case, routing of the packets and figure) and table.md."""

import csv
import os
import statistics
from collections import defaultdict

from networks import HERE, ROUTINGS, read

FIGURES = ["slowdown", "largest", "hops"]


def find_ranks(values):
    """Ranks from 0, the mean of them where values are equal."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    found, i = [0.0] * len(values), 0
    while i < len(order):
        j = i
        while j + 1 < len(order) and values[order[j + 1]] == values[order[i]]:
            j += 1
        for k in range(i, j + 1):
            found[order[k]] = (i + j) / 2
        i = j + 1
    return found


def correlate(a, b):
    """Spearman's correlation. None where all of one are equal: there is nothing to rank."""
    a, b = find_ranks(a), find_ranks(b)
    ma, mb = statistics.mean(a), statistics.mean(b)
    va, vb = sum((x - ma) ** 2 for x in a), sum((y - mb) ** 2 for y in b)
    return None if va == 0 or vb == 0 else sum((x - ma) * (y - mb) for x, y in zip(a, b)) / (va * vb) ** 0.5


def main():
    cycles = defaultdict(list)
    for row in read("cycles.csv"):
        cycles[row["routing"], row["network"], row["jobs"], row["size"], row["pattern"], row["ordering"]].append(int(row["cycles"]))
    figures = defaultdict(dict)
    for row in read("figures.csv"):
        figures[row["network"], row["jobs"], row["size"], row["pattern"]][row["ordering"], row["routing"]] = row
    out = csv.writer(open(os.path.join(HERE, "correlations.csv"), "w", newline=""), lineterminator="\n")
    out.writerow(["packets", "network", "jobs", "size", "pattern", "spread_percent", "noise_percent", "figure", "correlation"])
    found = defaultdict(list)
    for packets, routing in ROUTINGS.items():
        for case, rows in figures.items():
            orders = [order for order, of in rows if of == routing and cycles[(packets, *case, order)]]
            if not orders:
                continue
            runs = [cycles[(packets, *case, order)] for order in orders]
            means = [statistics.mean(each) for each in runs]
            spread = 100 * (max(means) / min(means) - 1)
            noise = 100 * statistics.mean(statistics.stdev(each) / statistics.mean(each) for each in runs)
            for figure in FIGURES:
                value = correlate(means, [float(rows[order, routing][figure]) for order in orders])
                out.writerow([packets, *case, f"{spread:.1f}", f"{noise:.1f}", figure, "" if value is None else f"{value:.3f}"])
                found[packets, case[1], figure].append((spread, value))
    with open(os.path.join(HERE, "table.md"), "w") as table:
        table.write("| packets | jobs | figure | cases | mean | least | spread of 20 % or more | mean there | least there | without a rank |\n")
        table.write("|---|---|---|---|---|---|---|---|---|---|\n")
        for (packets, how, figure), pairs in found.items():
            values = [value for _, value in pairs if value is not None]
            wide = [value for spread, value in pairs if value is not None and spread >= 20]
            show = lambda of, how: f"{how(of):.2f}" if of else ""
            table.write(f"| {packets} | {how} | {figure} | {len(values)} | {show(values, statistics.mean)} | {show(values, min)} | "
                        f"{len(wide)} | {show(wide, statistics.mean)} | {show(wide, min)} | {len(pairs) - len(values)} |\n")


main()
