"""Kueue's question of 33 racks (kueue#10406): whole free and part-used racks under three rules, into racks.csv.

python3 racks.py nodeorder [RUNS] [ARRIVALS]

33 racks of 18 nodes of 4 GPUs; unconstrained jobs of 1 to 4 pods of 1 GPU, Poisson arrivals, exponential times. A row is
one rule, load and seed: means over the arrivals of the racks of which no GPU is in use, and of those of which some are.
"""

import csv
import heapq
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

RACKS, NODES, GPUS = 33, 18, 4
LOADS = [0.3, 0.5, 0.7]
PROFILES = ["mixed", "least-free-hierarchical", "tightest-leaf", "best-fit"]


def machine(folder):
    """The nodes as `kubectl get nodes -o json` prints them."""
    items = []
    for rack in range(RACKS):
        for node in range(NODES):
            name = f"r{rack:02}-n{node:02}"
            items.append({"metadata": {"name": name, "labels": {"rack": f"r{rack:02}", "kubernetes.io/hostname": name}},
                          "status": {"allocatable": {"nvidia.com/gpu": str(GPUS)}}})
    path = folder / "nodes.json"
    path.write_text(json.dumps({"items": items}))
    return f"k8s-nodes:{path},levels=rack/host"


def events(load, seed, arrivals):
    """A placement log: mean time of a job 1, arrivals so that GPU-time asked for is `load` of what there is."""
    draw = random.Random(f"{load} {seed}")
    rate = load * RACKS * NODES * GPUS / 2.5
    now, ends, lines = 0.0, [], []
    for job in range(arrivals):
        now += draw.expovariate(rate)
        while ends and ends[0][0] <= now:
            lines.append(f"F {heapq.heappop(ends)[1]}")
        lines.append(f"P {job} {draw.randint(1, 4)}")
        heapq.heappush(ends, (now + draw.expovariate(1.0), job))
    return lines


def measured(lines, placed):
    """Mean racks wholly free and in part used after each arrival, and jobs refused."""
    used, held, free, part, refused, arrivals = [0] * RACKS, {}, 0, 0, 0, 0
    for line in lines:
        word, job = line.split(" ")[:2]
        if word == "F":
            for rack, pods in held.pop(job, []):
                used[rack] -= pods
            continue
        arrivals += 1
        if job in placed:
            held[job] = [(int(host[1:3]), int(pods)) for host, pods in (on.split(":") for on in placed[job].split(" "))]
            for rack, pods in held[job]:
                used[rack] += pods
        else:
            refused += 1
        free += used.count(0)
        part += sum(0 < u < NODES * GPUS for u in used)
    return free / arrivals, part / arrivals, refused


def main(binary, seeds, arrivals):
    with tempfile.TemporaryDirectory() as folder, open("racks.csv", "w", newline="") as out:
        folder = Path(folder)
        spec = machine(folder)
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(["profile", "load", "seed", "arrivals", "refused", "free_racks", "part_used_racks"])
        for load in LOADS:
            for seed in range(1, seeds + 1):
                lines = events(load, seed, arrivals)
                (folder / "log").write_text("\n".join(lines) + "\n")
                allocs = [part for p in PROFILES for part in ("--alloc", f"kueue-tas:profile={p}")]
                done = subprocess.run([binary, "replay", spec, "--order", "row-major", "--log", folder / "log", "--pods",
                                       "--quiet", *allocs, "-o", folder / "rows.csv"], check=True)
                placed = {profile: {} for profile in PROFILES}
                with open(folder / "rows.csv", newline="") as file:
                    for row in csv.DictReader(file):
                        placed[row["allocator"].split("=")[1]][row["job"]] = row["pods"]
                for profile in PROFILES:
                    free, part, refused = measured(lines, placed[profile])
                    rows.writerow([profile, load, seed, arrivals, refused, free, part])


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10, int(sys.argv[3]) if len(sys.argv) > 3 else 12000)
