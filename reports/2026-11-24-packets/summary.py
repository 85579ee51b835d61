"""Rank correlations of caminos' cycles with each figure over the orderings of a case: reads figures.csv and cycles.csv,
writes correlations.csv (a row a routing, case and figure: the mean of ten seeds and its 95 % interval) and table.md."""
import csv, os, statistics
from collections import defaultdict

HERE = os.path.dirname(os.path.abspath(__file__))
T = 2.262  # Student's t of nine degrees of freedom, 97.5 %


def ranks(values):
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


def spearman(a, b):
    """None where all of one are equal, and there is nothing to rank."""
    a, b = ranks(a), ranks(b)
    ma, mb = statistics.mean(a), statistics.mean(b)
    va, vb = sum((x - ma) ** 2 for x in a), sum((y - mb) ** 2 for y in b)
    return None if va == 0 or vb == 0 else sum((x - ma) * (y - mb) for x, y in zip(a, b)) / (va * vb) ** 0.5


def read(name):
    return list(csv.DictReader(open(os.path.join(HERE, name))))


def main():
    rows, runs = read("figures.csv"), read("cycles.csv")
    names = [key for key in rows[0] if key not in ("network", "jobs", "pattern", "ordering", "node_load")]
    cases, cycles = defaultdict(list), defaultdict(dict)
    for row in rows:
        cases[row["network"], row["jobs"], row["pattern"]].append(row)
    for run in runs:
        key = run["routing"], run["network"], run["jobs"], run["pattern"], run["ordering"]
        cycles[key][run["seed"]] = int(run["cycles"])
    out = csv.writer(open(os.path.join(HERE, "correlations.csv"), "w", newline=""), lineterminator="\n")
    out.writerow(["routing", "network", "jobs", "pattern", "spread_percent", "noise_percent", "figure", "correlation", "low", "high"])
    table = open(os.path.join(HERE, "table.md"), "w")
    for routing in dict.fromkeys(run["routing"] for run in runs):
        by, wide = defaultdict(list), defaultdict(list)
        agree, turned = defaultdict(int), defaultdict(int)
        for case, orders in cases.items():
            times = [cycles[(routing, *case, row["ordering"])] for row in orders]
            seeds = sorted(times[0], key=int)
            means = [statistics.mean(t.values()) for t in times]
            spread = 100 * (max(means) / min(means) - 1)
            noise = 100 * statistics.mean(statistics.stdev(t.values()) / statistics.mean(t.values()) for t in times)
            for name in names:
                figure = [float(row[name]) for row in orders if row[name]]
                each = [] if not figure else [spearman([t[seed] for t in times], figure) for seed in seeds]
                each = [c for c in each if c is not None]
                start = [routing, *case, f"{spread:.1f}", f"{noise:.1f}", name]
                if not each:
                    out.writerow([*start, "", "", ""])
                    continue
                mean = statistics.mean(each)
                half = T * statistics.stdev(each) / len(each) ** 0.5 if len(each) > 1 else 0.0
                out.writerow([*start, f"{mean:.3f}", f"{mean - half:.3f}", f"{mean + half:.3f}"])
                agree[name] += mean - half > 0
                turned[name] += mean + half < 0
                for group in ("all", *case):
                    by[group, name].append(mean)
                if spread >= 20:
                    wide[name].append(mean)
        groups = ["all"] + sorted({group for group, _ in by} - {"all"})
        head = ["figure", *groups, "least", "cases", "agree", "turned round", "spread of 20 % or more", "least there"]
        table.write(f"## Routing of the packets: {routing}\n\n| {' | '.join(head)} |\n|{'---|' * len(head)}\n")
        for name in names:
            all = by["all", name]
            cells = [f"{statistics.mean(by[group, name]):.2f}" if by[group, name] else "" for group in groups]
            cells += [f"{min(all):.2f}", str(len(all)), str(agree[name]), str(turned[name])]
            cells += [f"{statistics.mean(wide[name]):.2f} ({len(wide[name])})", f"{min(wide[name]):.2f}"] if wide[name] else ["", ""]
            table.write(f"| {name} | {' | '.join(cells)} |\n")
        table.write("\n")


main()
