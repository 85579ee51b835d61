"""Is a snake the best order of a small torus? snakes.py NODEORDER > snakes.csv

Geometric weights, K = 4: the optimum by the dynamic program, beside the best snake of all orders of the axes.
"""

import itertools
import json
import subprocess
import sys

program = sys.argv[1]
LAGS = [1, 1 / 2, 1 / 4, 1 / 8]
MACHINES = ["5x3", "7x3", "5x5", "5x4", "6x4", "4x4", "3x3x3", "4x3x2", "6x2x2", "5x2x2", "3x3x2", "3x2x2x2", "2x2x2x2"]


def run(*words):
    return subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout


def nodes(text):
    return [int(line) for line in text.split("\n") if line and not line.startswith("#")]


def objective(dims, order):
    def place(node):
        at = []
        for extent in reversed(dims):
            at.insert(0, node % extent)
            node //= extent
        return at

    at = [place(node) for node in order]
    far = lambda a, b: sum(min(abs(x - y), n - abs(x - y)) for x, y, n in zip(a, b, dims))
    return sum(w * far(at[p], at[p + k]) for k, w in enumerate(LAGS, 1) for p in range(len(at) - k))


print("torus,nodes,best_snake,optimum,proved,snake_is_optimal")
for spec in MACHINES:
    dims = [int(n) for n in spec.split("x")]
    letters = "xyzwv"[: len(dims)]
    axes = ["".join(a) for a in itertools.permutations(letters)]
    snakes = [objective(dims, nodes(run("order", f"torus:{spec}", "--by", f"snake:axes={a}"))) for a in axes]
    found = json.loads(run("order", f"torus:{spec}", "--by", "ilp:weights=geometric,window=4,time=60", "--json"))
    best, optimum = min(snakes), found["objective"]
    print(spec, len(nodes(run("order", f"torus:{spec}", "--by", "row-major"))), best, optimum, found["optimal"],
          abs(best - optimum) < 1e-9, sep=",", flush=True)
