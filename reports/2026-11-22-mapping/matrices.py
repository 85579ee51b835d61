"""Rows of matrices.csv: python3 matrices.py NODEORDER FOLDER > matrices.csv (needs Debian's scotch; FOLDER holds the
matrices of 64 ranks from CNCA-CeNAT/comm-patterns-clustering as CSV, source,target,volume)."""
import csv, json, math, os, subprocess, sys, tempfile
from itertools import product

tool, matrices = sys.argv[1:]
NAMES = "AMG2013 CloverLeaf NPB_bt NPB_cg NPB_lu NPB_mg lulesh miniAMR miniFE miniMD".split()
folder = tempfile.mkdtemp()


def messages(path):
    sums = {}
    with open(path) as file:
        for row in csv.DictReader(file):
            a, b, volume = int(row["source"]), int(row["target"]), float(row["volume"])
            if a != b and volume > 0:
                sums[a, b] = sums.get((a, b), 0) + volume
    return sums


def scotch(sums, target, n=64):
    """The node of every process by scotch_gmap's default strategy; weights scaled to at most 10^5."""
    both = {}
    for (a, b), volume in sums.items():
        key = (min(a, b), max(a, b))
        both[key] = both.get(key, 0) + volume
    scale = max(1, max(both.values()) / 1e5)
    near = [[] for _ in range(n)]
    for (a, b), volume in both.items():
        weight = max(1, round(volume / scale))
        near[a].append((b, weight))
        near[b].append((a, weight))
    lines = [f"{len(x)} " + " ".join(f"{w} {b}" for b, w in x) for x in near]
    graph, machine, mapping = (os.path.join(folder, name) for name in ("g.grf", "t.tgt", "m.map"))
    with open(graph, "w") as file:
        file.write(f"0\n{n} {sum(map(len, near))}\n0 010\n" + "\n".join(lines) + "\n")
    with open(machine, "w") as file:
        file.write(target + "\n")
    subprocess.run(["scotch_gmap", graph, machine, mapping], check=True, capture_output=True)
    with open(mapping) as file:
        pairs = dict(map(int, line.split()) for line in file.read().split("\n")[1:] if line.strip())
    assert sorted(pairs.values()) == list(range(n)), "one process a node"
    return [pairs[i] for i in range(n)]


def hops(dims, a, b):
    total = 0
    for extent in reversed(dims):
        apart = abs(a % extent - b % extent)
        total += min(apart, extent - apart)
        a, b = a // extent, b // extent
    return total


print("machine,matrix,scotch,best,ratio,method")
for dims, name in product(([4, 4, 4], [8, 8]), NAMES):
    path = os.path.join(matrices, name + ".csv")
    sums = messages(path)
    spec = "torus:" + "x".join(map(str, dims))
    at = scotch(sums, f"torusXD {len(dims)} " + " ".join(map(str, reversed(dims))))
    theirs = sum(volume * hops(dims, at[a], at[b]) for (a, b), volume in sums.items())
    words = [tool, "map", spec, "--guest", path, "--order", "row-major", "--map", "best", "--json"]
    ours = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    volume = sum(sums.values())
    row = [theirs / volume, ours["hop_bytes"] / volume, ours["hop_bytes"] / theirs]
    print(spec, name, *(f"{x:.4f}" for x in row), ours["method"], sep=",", flush=True)
