"""Rows of this report: python3 compare.py NODEORDER > rows.csv (needs Debian's scotch, and networkx)."""
import json, os, random, subprocess, sys, tempfile, time
from itertools import product

tool = sys.argv[1]
folder = tempfile.mkdtemp()


def run(*words):
    return subprocess.run([tool, *words], check=True, capture_output=True, text=True).stdout


def score(spec, guest, *rest, routing="ecmp-hop"):
    return json.loads(run("map", spec, "--guest", guest, *rest, "--routing", routing, "--json"))


def write(name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(text)
    return path


def cells(dims):
    return list(product(*[range(n) for n in dims]))


def stencil(dims, wrap):
    index = {c: i for i, c in enumerate(cells(dims))}
    pairs = set()
    for c, i in index.items():
        for axis, by in product(range(len(dims)), (-1, 1)):
            d = list(c)
            d[axis] += by
            if wrap:
                d[axis] %= dims[axis]
            if tuple(d) in index and index[tuple(d)] != i:
                pairs.add((i, index[tuple(d)]))
    return len(index), sorted(pairs)


def all_to_all(n):
    return n, [(a, b) for a in range(n) for b in range(n) if a != b]


def shuffled(n, pairs, seed):
    name = list(range(n))
    random.Random(seed).shuffle(name)
    return sorted((name[a], name[b]) for a, b in pairs)


CASES = [
    ("8^3 stencil", "torus:8x8x8", "torusXD 3 8 8 8", stencil((8, 8, 8), False)),
    ("8^3 periodic stencil", "torus:8x8x8", "torusXD 3 8 8 8", stencil((8, 8, 8), True)),
    ("64-ring", "torus:4x4x4", "torusXD 3 4 4 4", stencil((64,), True)),
    ("64-ring", "torus:8x8", "torus2D 8 8", stencil((64,), True)),
    ("32 all-to-all", "torus:4x8", "torus2D 8 4", all_to_all(32)),
]

print("part,case,host,method,dilation_mean,contention_max,seconds")


def row(part, case, host, method, found, seconds):
    print(f"{part},{case},{host},{method},{found['dilation_mean']},{found['contention_max']},{seconds:.3f}")
    sys.stdout.flush()


for case, spec, target, (n, pairs) in CASES:
    pairs = shuffled(n, pairs, 7)
    guest = write("g.csv", "source,target,volume\n" + "".join(f"{a},{b},1\n" for a, b in pairs))
    near = [[b for a, b in pairs if a == p] for p in range(n)]
    lines = "".join(" ".join(map(str, [len(v), *v])) + "\n" for v in near)
    graph = write("g.grf", f"0\n{n} {len(pairs)}\n0 000\n{lines}")
    target = write("t.tgt", target + "\n")
    chart = os.path.join(folder, "m.map")
    start = time.time()
    subprocess.run(["scotch_gmap", graph, target, chart], check=True)
    seconds = time.time() - start
    placed = sorted(tuple(map(int, l.split())) for l in open(chart).read().splitlines()[1:])
    mapping = write("m.csv", "process,node\n" + "".join(f"{p},{q}\n" for p, q in placed))
    row("scotch", case, spec, "scotch_gmap", score(spec, guest, "--mapping", mapping), seconds)
    for order, method in product(["row-major", "hilbert"], ["rank", "bisection", "greedy", "refine"]):
        if order == "hilbert" and spec == "torus:4x8":
            continue
        start = time.time()
        found = score(spec, guest, "--order", order, "--map", method)
        row("scotch", case, spec, f"{order} {method}", found, time.time() - start)

# Edge betweenness: all-to-all of one process a router, each path equal, both directions apart.
import networkx

for spec in ["torus:8x8x8", "random-regular:n=512,d=6,seed=1"]:
    edges, links = os.path.join(folder, "e.csv"), os.path.join(folder, "l.csv")
    run("topology", spec, "--edges", edges)
    graph = networkx.Graph(tuple(map(int, l.split(","))) for l in open(edges).read().split()[1:])
    start = time.time()
    theirs = networkx.edge_betweenness_centrality(graph, normalized=False)
    slow = time.time() - start
    start = time.time()
    found = score(spec, "all-to-all:n=512", "--order", "row-major", "--links", links, routing="ecmp-path")
    fast = time.time() - start
    worst, count = 0.0, 0
    for line in open(links).read().split()[1:]:
        u, v, load = line.split(",")
        u, v = int(u), int(v)
        # networkx counts a pair once; a directed link carries one direction of it.
        exact = theirs[(u, v)] if (u, v) in theirs else theirs[(v, u)]
        worst = max(worst, abs(float(load) - exact) / exact)
        count += 1
    assert count == 2 * len(theirs) and worst < 1e-11, worst
    row("networkx", f"equal on {count} links to {worst:.1e}", spec, "networkx", found, slow)
    row("networkx", f"equal on {count} links to {worst:.1e}", spec, "nodeorder (whole process)", found, fast)

# Watts-Strogatz: a contiguous allocation with less dilation and more contention than a scattered one.
best = None
for k, p, seed in product([4, 6], ["0.1", "0.2", "0.3"], range(1, 21)):
    spec = f"watts-strogatz:n=64,k={k},p={p},seed={seed}"
    near = score(spec, "all-to-all:n=16", "--order", "bfs", routing="ecmp-path")
    far = score(spec, "all-to-all:n=16", "--order", "random:seed=1", routing="ecmp-path")
    ratio = near["contention_max"] / far["contention_max"]
    if near["dilation_mean"] < far["dilation_mean"] and (best is None or ratio > best[0]):
        best = (ratio, spec, near, far)
_, spec, near, far = best
row("watts-strogatz", "16 all-to-all", spec, "bfs", near, 0)
row("watts-strogatz", "16 all-to-all", spec, "random:seed=1", far, 0)

# Speed: all-to-all of a process a router, all directed loads.
for spec in ["torus:16x16x16", "random-regular:n=4096,d=6,seed=1"]:
    times = []
    for _ in range(5):
        start = time.time()
        found = score(spec, "all-to-all:n=4096", "--order", "row-major", routing="ecmp-path")
        times.append(time.time() - start)
    row("speed", "4096 all-to-all", spec, "nodeorder (whole process; best of 5)", found, min(times))
