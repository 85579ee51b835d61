"""CPU seconds of 100,000 placements on 18,432 nodes, into speed.csv.

python3 speed.py nodeorder

32 blocks of 32 racks of 18 nodes of 4 GPUs; jobs of 1 to 256 nodes (pods), about nine tenths of the machine in use.
"""

import csv
import json
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

BLOCKS, RACKS, NODES, GPUS, JOBS = 32, 32, 18, 4, 100_000
SIZES = [1, 1, 2, 4, 4, 8, 8, 16, 16, 32, 64, 128, 256]
CASES = {
    "slurm": ["slurm-tree:dragonfly=true", "slurm-tree:dragonfly=true,optional=true", "slurm-tree:dragonfly=true,switches=1",
              "slurm-block:sizes=18,rules=rules.csv"],
    "kueue": ["kueue-tas:gpus=4", "kueue-tas:gpus=4,profile=best-fit", "kueue-tas:gpus=4,mode=preferred,level=rack",
              "kueue-tas:gpus=4,mode=required,level=block", "kueue-tas:gpus=4,mode=preferred,level=rack,balanced=true",
              "kueue-tas:gpus=4,slice=4/2,slice_level=rack/host",
              "kueue-tas:gpus=1,mode=preferred,level=block,slice=8/4,slice_level=rack/host",
              "kueue-tas:gpus=1,leader=2,mode=preferred,level=rack",
              "kueue-tas:gpus=4,profile=least-free-hierarchical", "kueue-tas:gpus=4,profile=tightest-leaf"],
}


def machine(kind, folder):
    if kind == "slurm":
        return f"xgft:h=3,m={NODES}x{RACKS}x{BLOCKS},w=1x1x1"
    items = []
    for block in range(BLOCKS):
        for rack in range(RACKS):
            for node in range(NODES):
                names = [f"b{block:02}", f"b{block:02}-r{rack:02}", f"b{block:02}-r{rack:02}-n{node:02}"]
                labels = dict(zip(["block", "rack", "kubernetes.io/hostname"], names))
                items.append({"metadata": {"name": names[2], "labels": labels},
                              "status": {"allocatable": {"nvidia.com/gpu": str(GPUS)}}})
    path = folder / "nodes.json"
    path.write_text(json.dumps({"items": items}))
    return f"k8s-nodes:{path},levels=block/rack/host"


def log():
    """Jobs end at random once nine tenths of the machine are in use."""
    draw, live, used, lines = random.Random(1), [], 0, []
    for job in range(JOBS):
        size = draw.choice(SIZES)
        while used + size > 0.9 * BLOCKS * RACKS * NODES:
            at = draw.randrange(len(live))
            live[at], live[-1] = live[-1], live[at]
            done, nodes = live.pop()
            used -= nodes
            lines.append(f"F {done}")
        lines.append(f"P {job} {size}")
        live.append((job, size))
        used += size
    return "\n".join(lines) + "\n"


def cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(binary):
    with tempfile.TemporaryDirectory() as folder, open("speed.csv", "w", newline="") as out:
        folder = Path(folder)
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(["allocator", "placed", "refused", "cpu_seconds"])
        (folder / "log").write_text(log())
        for kind, allocators in CASES.items():
            spec = machine(kind, folder)
            for allocator in allocators:
                before = cpu()
                done = subprocess.run([binary, "replay", spec, "--order", "row-major", "--log", folder / "log", "--alloc",
                                       allocator, "--json", "--quiet", "--threads", "1"], capture_output=True, text=True)
                if done.returncode != 0:
                    sys.exit(f"{allocator}: {done.stderr}")
                figures = json.loads(done.stdout)["replays"][0]
                rows.writerow([allocator, figures["placed"], figures["refused"], round(cpu() - before, 2)])
                out.flush()


main(sys.argv[1])
