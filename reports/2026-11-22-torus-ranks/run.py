"""Ranks inside the boxes of Slurm's topology/torus3d: ring hops by shape, and seconds of rings side by side.

python3 run.py NODEORDER    writes shapes.csv, seconds.csv, jobs.csv.gz
"""

import csv
import gzip
import io
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

BINARY = sys.argv[1]
ORDERS = ["morton", "hilbert", "gilbert", "snake", "row-major:axes=zyx"]
MACHINES = {
    "torus:8x8x8": ["2x2x2", "2x2x4", "2x4x4", "4x4x4", "4x4x8", "8x8x4"],
    "torus:12x12x12": ["3x3x3", "3x3x6", "3x6x6", "6x6x6", "6x6x12"],
}
BYTES, BANDWIDTH, LATENCY = 1e8, "10GB/s", "1us"


def nodeorder(*arguments):
    done = subprocess.run([BINARY, *map(str, arguments), "--threads", "1", "--quiet"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"nodeorder {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def morton(shape):
    """Slurm's order of ranks inside a job: bits of x, y and z in turn, those of x lowest."""
    x, y, z = (int(d) for d in shape.split("x"))
    key = lambda cell: sum((cell[axis] >> bit & 1) << 3 * bit + axis for bit in range(5) for axis in range(3))
    return sorted(((i, j, k) for i in range(x) for j in range(y) for k in range(z)), key=key)


def inside(shape, order, known={}):
    """The cells of a box in the order of its ranks, relative to its corner."""
    if order == "morton":
        return morton(shape)
    if (shape, order) not in known:
        y, z = (int(d) for d in shape.split("x")[1:])
        lines = nodeorder("order", f"mesh:{shape}", "--by", order).splitlines()
        cells = [int(line) for line in lines if line and not line.startswith("#")]
        known[shape, order] = [(c // (y * z), c // z % y, c % z) for c in cells]
    return known[shape, order]


def nodes_of(corner, shape, order, dims):
    x, y, z = corner
    return [((x + i) % dims[0] * dims[1] + (y + j) % dims[1]) * dims[2] + (z + k) % dims[2]
            for i, j, k in inside(shape, order)]


def hops(a, b, dims):
    total = 0
    for extent in reversed(dims):
        d = abs(a % extent - b % extent)
        total += min(d, extent - d)
        a //= extent
        b //= extent
    return total


def ring(nodes, dims):
    steps = [hops(a, b, dims) for a, b in zip(nodes, nodes[1:] + nodes[:1])]
    return sum(steps), max(steps)


def shapes():
    with open("shapes.csv", "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["machine", "shape", "nodes", "order", "ring_mean", "ring_longest", "contention"])
        for machine, all_shapes in MACHINES.items():
            dims = [int(d) for d in machine.split(":")[1].split("x")]
            for shape in all_shapes:
                for order in ORDERS:
                    nodes = nodes_of((0, 0, 0), shape, order, dims)
                    total, longest = ring(nodes, dims)
                    with tempfile.TemporaryDirectory() as folder:
                        path = Path(folder) / "mapping.csv"
                        rows = "".join(f"{p},{n}\n" for p, n in enumerate(nodes))
                        path.write_text("process,node\n" + rows)
                        found = json.loads(nodeorder("map", machine, "--guest", f"ring:n={len(nodes)}", "--mapping", path,
                                                     "--routing", "dimension-order", "--json"))
                    # The command and this script must agree.
                    assert abs(found["dilation_mean"] - total / len(nodes)) < 1e-9, (machine, shape, order)
                    out.writerow([machine, shape, len(nodes), order, total / len(nodes), longest, found["contention_max"]])


def snapshot(machine, all_shapes, seed):
    """The boxes that jobs hold on a full machine: jobs come and go at random under slurm-torus3d."""
    dims = [int(d) for d in machine.split(":")[1].split("x")]
    sizes = {}
    for shape in all_shapes:
        x, y, z = map(int, shape.split("x"))
        sizes[x * y * z] = shape
    draw = random.Random(seed)
    lines = []
    for job in range(400):
        lines.append(f"P {job} {draw.choice(list(sizes))}")
        if job >= 8:
            lines.append(f"F {draw.randrange(job)}" if draw.random() < 0.5 else f"F {job - 8}")
    freed, log = set(), []
    for line in lines:
        if line[0] == "F":
            if line in freed:
                continue
            freed.add(line)
        log.append(line)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "jobs.log"
        path.write_text("\n".join(log) + "\n")
        placements = "/".join(all_shapes)
        rows = nodeorder("replay", machine, "--order", "row-major", "--log", path, "--alloc",
                         f"slurm-torus3d:placements={placements}", "--ranks")
    placed = {row["job"]: row for row in csv.DictReader(io.StringIO(rows))}
    jobs = []
    for job, row in placed.items():
        if f"F {job}" in freed:
            continue
        shape = sizes[int(row["size"])]
        held = set()
        for part in row["ranks"].split():
            first, _, last = part.partition("-")
            held.update(range(int(first), int(last or first) + 1))
        corner = next(c for c in ((x, y, z) for x in range(dims[0]) for y in range(dims[1]) for z in range(dims[2]))
                      if set(nodes_of(c, shape, "row-major:axes=zyx", dims)) == held)
        jobs.append((job, shape, corner))
    return dims, jobs


def seconds():
    with open("seconds.csv", "w", newline="") as file, gzip.open("jobs.csv.gz", "wt", newline="") as all_jobs:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["machine", "seed", "order", "jobs", "nodes", "ring_mean", "seconds_mean", "alone_mean", "slowdown_mean"])
        each = csv.writer(all_jobs, lineterminator="\n")
        each.writerow(["machine", "seed", "order", "job", "shape", "corner", "ring_mean", "seconds", "alone"])
        for machine, all_shapes in MACHINES.items():
            for seed in range(1, 11):
                dims, jobs = snapshot(machine, all_shapes, seed)
                for order in ORDERS:
                    text, means = "", []
                    for job, shape, corner in jobs:
                        nodes = nodes_of(corner, shape, order, dims)
                        means.append(ring(nodes, dims)[0] / len(nodes))
                        text += (f'[[jobs]]\nname = "{job}"\nguest = "ring:n={len(nodes)}"\nnodes = {nodes}\n'
                                 f"bytes = {BYTES}\ncompute = 0\n")
                    with tempfile.TemporaryDirectory() as folder:
                        path = Path(folder) / "jobs.toml"
                        path.write_text(text)
                        table = nodeorder("corun", machine, "--jobs", path, "--bandwidth", BANDWIDTH, "--latency", LATENCY,
                                          "--iterations", 3)
                    rows = list(csv.DictReader(io.StringIO(table)))
                    for (job, shape, corner), mean, row in zip(jobs, means, rows):
                        place = " ".join(map(str, corner))
                        each.writerow([machine, seed, order, job, shape, place, mean, row["seconds"], row["alone"]])
                    count = len(rows)
                    took = [float(row["seconds"]) for row in rows]
                    alone = [float(row["alone"]) for row in rows]
                    slow = [a / b for a, b in zip(took, alone)]
                    held = sum(int(row["processes"]) for row in rows)
                    out.writerow([machine, seed, order, count, held, sum(means) / count, sum(took) / count,
                                  sum(alone) / count, sum(slow) / count])
                print(machine, seed, len(jobs), "jobs", flush=True)


shapes()
seconds()
