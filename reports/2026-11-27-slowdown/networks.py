"""Networks, orderings and traffic of the comparison with packets, and what the scripts share."""

import csv
import io
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
RANDOM = [f"random:seed={seed}" for seed in (1, 2, 3, 4)]
WALKS = ["row-major", "bfs", "dfs", "rcm", "spectral", "nearest"]
TORUS = ["row-major", "snake", "gilbert", "gray", "morton", "spectral", "helical"]
# At most 300 nodes, and one at full size, whose nine groups of the same routers are the small one.
NETWORKS = {
    "torus:8x8x4": TORUS + RANDOM[:3],
    "random-regular:n=64,d=6,seed=3,per_router=4": WALKS + RANDOM,
    "dragonfly:p=4,a=8,h=4,g=9": WALKS + RANDOM,
    "xgft:h=2,m=16x16,w=1x8": WALKS + RANDOM,
}
FULL_SIZE = "dragonfly:p=4,a=8,h=4"
SIZES = [16, 64]
# Guests by the names that `slowdown` knows. Of each, the messages of eight phits between two processes: about 32 a process.
PATTERNS = {
    "all-to-all": lambda n: f"all-to-all:n={n},volume={max(1, round(32 / (n - 1)))}",
    "stencil3d": lambda n: f"stencil:{'4x2x2' if n == 16 else '4x4x4'},volume=8",
    "ring": lambda n: f"ring:n={n},volume=16",
}
# The packets' routing, and the routing of `slowdown` that is held against it.
ROUTINGS = {"shortest": "ecmp-hop", "valiant": "valiant:over=routers", "ugal": "ugal"}
SEEDS = (1, 2, 3)


def run(command, *arguments, cwd=None):
    """What a command prints on standard output. Ends the study where it fails."""
    out = subprocess.run([command, *arguments], cwd=cwd, capture_output=True, text=True)
    if out.returncode:
        raise SystemExit(f"{arguments}: {out.stderr}")
    return out.stdout


def nodes_in_order(nodeorder, spec, order):
    """The node ids of an ordering, by rank."""
    text = run(nodeorder, "order", spec, "--by", order)
    return [int(line) for line in text.splitlines() if not line.startswith("#")]


def window_starts(count, size, how):
    """First ranks of the jobs of a run: three windows, each alone, or all of a tiling at once."""
    windows = count // size
    if how == "all":
        return [[size * k for k in range(windows)]]
    return [[size * k] for k in (0, windows // 2, windows - 1)]


def read(name):
    return list(csv.DictReader(open(os.path.join(HERE, name))))


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def cases():
    """Network, jobs (`alone` or `all`), size and pattern of every case."""
    for pattern in PATTERNS:
        for size in SIZES:
            for how in ("alone", "all"):
                for spec in NETWORKS:
                    yield spec, how, size, pattern
    # At full size one case shows whether the small network misleads.
    yield FULL_SIZE, "all", 64, "all-to-all"


def orderings(spec):
    return NETWORKS.get(spec, NETWORKS["dragonfly:p=4,a=8,h=4,g=9"])
