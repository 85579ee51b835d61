"""Means and paired differences of the rows of this report, with 95 % intervals, as Markdown.

python3 summary.py windows.csv
"""

import csv
import math
import sys

# Student's t for 95 %, by degrees of freedom.
T = {9: 2.262}


def interval(values):
    n = len(values)
    mean = sum(values) / n
    deviation = math.sqrt(sum((v - mean) ** 2 for v in values) / (n - 1))
    return mean, T[n - 1] * deviation / math.sqrt(n)


def text(values, digits):
    mean, half = interval(values)
    return f"{mean:.{digits}f} ± {half:.{digits}f}"


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def groups(table, keys):
    found = {}
    for row in table:
        found.setdefault(tuple(row[k] for k in keys), {})[row["seed"]] = row
    return found


def differences(a, b, column, sign):
    """sign · (a - b) of the same seeds."""
    assert a.keys() == b.keys()
    return [sign * (float(a[s][column]) - float(b[s][column])) for s in a]


def windows(table):
    found = groups(table, ["alpha", "load_percent", "policy"])
    print("| alpha | load % | policy | wait | wait, 64 nodes and more | longest wait | response | utilisation | connected |")
    print("|---|---|---|---|---|---|---|---|---|")
    for (alpha, load, policy), ours in found.items():
        base = found[(alpha, load, "easy:interval=30")]
        cells = []
        for column in ["wait", "big_wait", "max_wait", "response", "utilisation", "connected"]:
            scale = 100 if column in ("utilisation", "connected") else 1
            if ours is base:
                cells.append(text([scale * float(r[column]) for r in ours.values()], 1))
            elif column in ("utilisation", "connected"):
                cells.append(text([scale * d for d in differences(ours, base, column, 1)], 1))
            else:
                change = [100 * (float(ours[s][column]) / float(base[s][column]) - 1) for s in ours]
                cells.append(text(change, 1) + " %")
        print(f"| {alpha} | {load} | `{policy}` | " + " | ".join(cells) + " |")
    print()


if __name__ == "__main__":
    windows(rows(sys.argv[1]))
