"""Jobs of 64 nodes fill five networks: throughput by ordering and traffic, by `map` alone, so that `compare --throughput` can
be held to it. Usage: windows.py NODEORDER; writes windows.csv."""
import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = sys.argv[1]
SIZE = 64
SEARCH = "ideal:gap=0.02,time=8"
NETWORKS = {
    "torus:8x8x8": ["row-major", "snake", "hilbert"],
    "hyperx:8x8,per_router=8": ["row-major", "hilbert"],
    "dragonfly:p=4,a=8,h=4": ["row-major", "rcm"],
    "fat-tree:k=12": ["row-major"],
    "slim-fly:q=7,per_router=5": ["row-major", "rcm"],
}


def grid(i):
    """The neighbours of process i in a 4 x 4 x 4 grid without wrap."""
    at = [i // 16, i // 4 % 4, i % 4]
    for axis, step in enumerate((16, 4, 1)):
        for side in (-1, 1):
            if 0 <= at[axis] + side < 4:
                yield i + side * step


def pairs(guest):
    """Messages of one job, in which a node sends 1 on the mean."""
    if guest == "all-to-all":
        return [(i, j, 1 / (SIZE - 1)) for i in range(SIZE) for j in range(SIZE) if i != j]
    if guest == "ring":
        return [(i, (i + d) % SIZE, 0.5) for i in range(SIZE) for d in (1, -1)]
    found = [(i, j) for i in range(SIZE) for j in grid(i)]
    return [(i, j, SIZE / len(found)) for i, j in found]


def run(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout


folder = Path(tempfile.mkdtemp())
with open("windows.csv", "w", newline="") as file:
    out = csv.writer(file, lineterminator="\n")
    names = "network,ordering,size,jobs,traffic,alone,mean_hops,throughput,throughput_at_most,routing_gap,throughput_bound"
    out.writerow(names.split(","))
    for network, orderings in NETWORKS.items():
        nodes = json.loads(run("topology", network, "--json"))
        jobs = nodes["nodes"] // SIZE
        for order in orderings + [f"random:seed={seed}" for seed in range(1, 11)]:
            curve = run("mpc", network, "--order", order, "--sizes", str(SIZE))
            mpc = float(curve.splitlines()[-1].rsplit(",", 1)[1])
            for guest in ("all-to-all", "ring", "stencil3d"):
                for alone in (False, True):
                    if alone and (guest != "all-to-all" or order not in orderings + ["random:seed=1"]):
                        continue
                    messages = [
                        (SIZE * w + a, SIZE * w + b, v) for w in range(1 if alone else jobs) for a, b, v in pairs(guest)
                    ]
                    text = folder / "guest.csv"
                    text.write_text("source,target,volume\n" + "".join(f"{a},{b},{v!r}\n" for a, b, v in messages))
                    found = json.loads(
                        run("map", network, "--guest", str(text), "--order", order, "--routing", SEARCH, "--json")
                    )
                    # Cables of capacity 1: each is a link both ways.
                    bound = 2 * nodes["links"] / (jobs * SIZE * mpc) if guest == "all-to-all" and not alone else ""
                    fixed = json.loads(
                        run("map", network, "--guest", str(text), "--order", order, "--routing", "ecmp-hop", "--json")
                    )
                    out.writerow(
                        [network, order, SIZE, 1 if alone else jobs, guest, "yes" if alone else "no", fixed["dilation_mean"]]
                        + [found[key] for key in ("throughput", "throughput_at_most", "routing_gap")]
                        + [bound]
                    )
                    file.flush()
