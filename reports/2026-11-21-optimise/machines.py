"""Searched against classic orderings: machines.py NODEORDER PART FOLDER [STEPS] > PART.csv

PART: machines (every shipped one), growth (cubic tori).
An objective of any ordering is the hop-bytes of a guest whose ranks p and p+k exchange the weight of lag k.
"""

import json
import os
import subprocess
import sys

program, part, folder = sys.argv[1:4]
steps = int(sys.argv[4]) if len(sys.argv) > 4 else 3_000_000
os.makedirs(folder, exist_ok=True)


def run(*words):
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}: {done.stderr}")
    return done.stdout


def guest(name, nodes, window, weight):
    path = f"{folder}/{name}-{nodes}.csv"
    if not os.path.exists(path):
        with open(path, "w") as out:
            out.write("source,target,volume\n")
            for p in range(nodes):
                for k in range(1, min(window, nodes - 1 - p) + 1):
                    out.write(f"{p},{p + k},{weight(k)!r}\n")
    return path


GUESTS = {
    "geometric": (16, lambda k: 2.0 ** (1 - k)),
    "harmonic": (64, lambda k: 1 / k),
}
SEARCHES = {
    "geometric": "weights=geometric,window=16",
    "harmonic": "weights=harmonic,window=64",
    "workload": "weights=workload,sizes=log-uniform",
}
CLASSIC = ["row-major", "snake", "hilbert", "gilbert"]
ALLOCATORS = ["first-fit:1", "span-best-fit"]


def objective(machine, nodes, name, order):
    window, weight = GUESTS[name]
    words = ["map", machine, "--guest", guest(name, nodes, window, weight), "--order", order]
    return json.loads(run(*words, "--routing", "ecmp-hop", "--json"))["hop_bytes"]


def searched(machine, kind, label):
    path = f"{folder}/{label}-{kind}.txt"
    if not os.path.exists(path):
        run("order", machine, "--by", f"optimise:{SEARCHES[kind]},steps={steps}", "-o", path)
    bound = ""
    for line in open(path):
        if line.startswith("# objective:"):
            bound = line.split("bound: ")[1].split(",")[0]
        if not line.startswith("#"):
            break
    return path, bound


def means(machine, orders):
    """Log-uniform and plain mean of MPC by label."""
    words = [word for order in orders for word in ("--order", order)]
    found = json.loads(run("compare", machine, *words, "--json"))["entries"]
    return {entry["label"]: entry for entry in found}


def suits(machine):
    names = [entry["label"] for entry in json.loads(run("compare", machine, "--json"))["entries"]]
    return [name for name in names if not name.startswith("random")]


def machines():
    print("machine,nodes,role,ordering,geometric,harmonic,mean_log,mean_plain,first_fit,span_best_fit,bound")
    rooms = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "topologies")
    for name in sorted(file[:-5] for file in os.listdir(rooms)):
        nodes = json.loads(run("topology", name, "--json"))["nodes"]
        classic = suits(name)
        classic += [order for order in CLASSIC if order not in classic and works(name, order)]
        rows = [("classic", order, "") for order in classic]
        rows += [(kind, *searched(name, kind, name)) for kind in SEARCHES]
        log = f"{folder}/{name}.log"
        run("trace", "generate", f"log:sizes=log-uniform,placements=10000,nodes={nodes},load=0.9", "-o", log)
        orders = [order for _, order, _ in rows]
        entries = means(name, orders)
        replays = {}
        words = [word for order in orders for word in ("--order", order)]
        words += [word for allocator in ALLOCATORS for word in ("--alloc", allocator)]
        for entry in json.loads(run("replay", name, *words, "--log", log, "--json", "-o", "/dev/null"))["replays"]:
            replays[entry["ordering"], entry["allocator"]] = entry["mean_mind"]
        os.remove(log)
        for role, order, bound in rows:
            entry = entries[order]
            cells = [objective(name, nodes, kind, order) for kind in ("geometric", "harmonic")]
            cells += [entry["mean_log"], entry["mean_plain"]]
            cells += [replays[order, allocator] for allocator in ALLOCATORS]
            told = os.path.basename(order) if role != "classic" else order
            print(name, nodes, role, f'"{told}"', *cells, bound, sep=",", flush=True)


def works(machine, order):
    return subprocess.run([program, "order", machine, "--by", order], capture_output=True).returncode == 0


def growth():
    print("machine,nodes,kind,searched,bound,row_major,snake,hilbert,gilbert")
    for side in (4, 6, 8, 10, 12, 16):
        machine, nodes = f"torus:{side}x{side}x{side}", side**3
        for kind in SEARCHES:
            path, bound = searched(machine, kind, f"cube{side}")
            orders = [path, *CLASSIC]
            if kind == "workload":
                entries = means(machine, orders)
                cells = [entries[order]["mean_log"] for order in orders]
            else:
                cells = [objective(machine, nodes, kind, order) for order in orders]
            print(machine, nodes, kind, cells[0], bound, *cells[1:], sep=",", flush=True)


{"machines": machines, "growth": growth}[part]()
