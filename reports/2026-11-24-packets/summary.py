"""Rank correlations of caminos' cycles with each figure over the orderings of a case: reads figures.csv and cycles.csv,
writes correlations.csv (a row a case and figure: the mean of ten seeds and its 95 % interval) and prints means."""
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
        cycles[run["network"], run["jobs"], run["pattern"], run["ordering"]][run["seed"]] = int(run["cycles"])
    out = csv.writer(open(os.path.join(HERE, "correlations.csv"), "w", newline=""), lineterminator="\n")
    out.writerow(["network", "jobs", "pattern", "spread_percent", "noise_percent", "figure", "correlation", "low", "high"])
    sums, by = defaultdict(list), defaultdict(list)
    for case, orders in cases.items():
        times = [cycles[(*case, row["ordering"])] for row in orders]
        seeds = sorted(times[0], key=int)
        means = [statistics.mean(t.values()) for t in times]
        spread = 100 * (max(means) / min(means) - 1)
        noise = 100 * statistics.mean(statistics.stdev(t.values()) / statistics.mean(t.values()) for t in times)
        for name in names:
            figure = [float(row[name]) for row in orders]
            each = [spearman([t[seed] for t in times], figure) for seed in seeds]
            each = [c for c in each if c is not None]
            if not each:
                out.writerow([*case, f"{spread:.1f}", f"{noise:.1f}", name, "", "", ""])
                continue
            mean = statistics.mean(each)
            half = T * statistics.stdev(each) / len(each) ** 0.5 if len(each) > 1 else 0.0
            out.writerow([*case, f"{spread:.1f}", f"{noise:.1f}", name, f"{mean:.3f}", f"{mean - half:.3f}", f"{mean + half:.3f}"])
            sums[name].append(mean)
            by[case[0], name].append(mean), by[case[1], name].append(mean), by[case[2], name].append(mean)
    groups = sorted({group for group, _ in by})
    print("| figure | all | " + " | ".join(groups) + " | least |\n|---|" + "---|" * (len(groups) + 2))
    for name in names:
        cells = [f"{statistics.mean(by[group, name]):.2f}" if by[group, name] else "" for group in groups]
        print(f"| {name} | {statistics.mean(sums[name]):.2f} | " + " | ".join(cells) + f" | {min(sums[name]):.2f} |")


main()
