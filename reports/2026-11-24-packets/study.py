"""Bursts in caminos beside what nodeorder computes of them: study.py NODEORDER CAMINOS [NETWORK…].

Writes figures.csv (one row an ordering of a case: what nodeorder computes) and cycles.csv (one row a seed: what caminos finds)."""
import csv, json, os, re, subprocess, sys, tempfile

NODEORDER, CAMINOS = map(os.path.abspath, sys.argv[1:3])
HERE = os.path.dirname(os.path.abspath(__file__))
RANDOM = [f"random:seed={seed}" for seed in (1, 2, 3, 4)]
WALKS = ["row-major", "bfs", "dfs", "rcm", "spectral", "nearest"]
NETWORKS = {
    "torus:4x4,per_router=4": ["row-major", "snake", "hilbert", "gray", "morton", "spectral", "helical"] + RANDOM[:3],
    "random-regular:n=16,d=4,seed=3,per_router=4": WALKS + RANDOM,
    "dragonfly:p=4,a=4,h=2": WALKS + RANDOM,
    "xgft:h=2,m=8x8,w=1x4": WALKS + RANDOM,
}
# Processes send 32 messages of 8 phits each, or nearly so: volume in messages of a pair.
PATTERNS = {
    "all-to-all": lambda n: f"all-to-all:n={n},volume={round(32 / (n - 1))}",
    "stencil": lambda n: f"stencil:{n // 4}x4,wrap=true,volume=8",
    "ring": lambda n: f"ring:n={n},volume=16",
    "random": lambda n: f"random:n={n},degree=4,seed=7,volume=8",
}
JOBS = {"one job of 32": [32], "four jobs of 16": [16] * 4}
ROUTINGS = ["ecmp-hop", "ecmp-path", "one-path", "minimal-adaptive", "adaptive", "ideal"]
PACKETS = ["shortest", "valiant", "ugal"]
SEEDS = range(1, 11)


def nodeorder(*arguments, cwd):
    out = subprocess.run([NODEORDER, *arguments], cwd=cwd, capture_output=True, text=True)
    if out.returncode:
        raise SystemExit(f"{arguments}: {out.stderr}")
    return out.stdout


def number(value):
    return f"{value:.10g}"


def case(folder, spec, order, sizes, guest):
    """The figures of jobs of these sizes on consecutive ranks, and the configuration that `export` writes for each routing."""
    nodes = [int(row["node"]) for row in csv.DictReader(nodeorder("export", spec, "--order", order, "--to", "csv", cwd=folder).splitlines())]
    first, toml, parts, pairs, mapping = 0, "", [], [], []
    for i, size in enumerate(sizes):
        mine = nodes[first:first + size]
        toml += f"[[jobs]]\nname = 'j{i}'\nguest = '{guest(size)}'\nbytes = 8\nnodes = {mine}\n"
        mapping += [f"{first + p},{node}\n" for p, node in enumerate(mine)]
        pairs += [f"{first + a},{first + b},1\n" for a in range(size) for b in range(size) if a != b]
        first += size
    write = lambda name, text: open(os.path.join(folder, name), "w").write(text)
    write("jobs.toml", toml), write("map.csv", "".join(mapping)), write("pairs.csv", "".join(pairs))
    configs = {}
    for routing in PACKETS:
        to = f"caminos:phit=1,message=8,cycles=1000000,routing={routing}"
        nodeorder("export", spec, "--order", order, "--to", to, "--jobs", "jobs.toml", "-o", "run", cwd=folder)
        configs[routing] = open(os.path.join(folder, "run/main.cfg")).read()
    # The guest of all jobs together, from the bursts that caminos gets: process, receiver and messages.
    together, first = [], 0
    for job in configs["shortest"].split("TrafficMap")[1:]:
        size = 0
        for text, tasks, messages in re.findall(r"map: \[([\d,]+)\] }, tasks: (\d+), messages_per_task: (\d+)", job):
            size = int(tasks)
            together += [(first + p, first + q, int(messages) * 8) for p, q in enumerate(map(int, text.split(","))) if p != q]
        first += size
    write("guest.csv", "".join(f"{p},{q},{volume}\n" for p, q, volume in together))
    def analyse(guest, routing, on=spec, placed=("--mapping", "map.csv")):
        return json.loads(nodeorder("map", on, "--guest", guest, *placed, "--routing", routing, "--json", cwd=folder))
    row = {"mean_distance": number(analyse("pairs.csv", "ecmp-hop")["dilation_mean"])}
    for routing in ROUTINGS:
        # A tree has no detours over one intermediate.
        if routing == "adaptive" and spec.startswith("xgft"):
            row["contention adaptive"] = ""
            continue
        found = analyse("guest.csv", routing)
        row.setdefault("hop_bytes", number(found["hop_bytes"]))
        # Shares that are searched for are exact to about 1e-4.
        searched = routing in ("minimal-adaptive", "adaptive", "ideal")
        row["contention " + routing] = f"{found['contention_max']:.4g}" if searched else number(found["contention_max"])
        row["node_load"] = number(found["node_load_max"])
    # Valiant as caminos has it: each message by way of a router drawn from all, the ends included; on the network that
    # caminos gets, where each router has nodes. Process = node; the first node of a router stands for the router.
    per = int(re.search(r"servers_per_router: (\d+)", configs["shortest"])[1])
    network = f"caminos:run/network.adj,per_router={per}"
    routers = int(open(os.path.join(folder, "run/network.adj")).readline().split()[1])
    legs = {}
    for p, q, volume in together:
        p, q = nodes[p], nodes[q]
        if p // per != q // per:
            for leg in [(p, r * per) for r in range(routers)] + [(r * per, q) for r in range(routers)]:
                legs[leg] = legs.get(leg, 0) + volume
    write("legs.csv", "".join(f"{p},{q},{volume}\n" for (p, q), volume in sorted(legs.items()) if p != q))
    found = analyse("legs.csv", "ecmp-hop", network, ("--order", "row-major"))
    row["contention valiant"] = number(found["contention_max"] / routers)
    row["valiant_hop_bytes"] = number(found["hop_bytes"] / routers)
    # Over third groups, as `map` has it.
    dragonfly = spec.startswith("dragonfly")
    row["contention valiant over groups"] = number(analyse("guest.csv", "valiant")["contention_max"]) if dragonfly else ""
    row["corun valiant over groups"] = ""
    for routing in ["one-path", "ecmp-hop"] + ["valiant"] * dragonfly:
        table = nodeorder("corun", spec, "--jobs", "jobs.toml", "--routing", routing, "--bandwidth", "1B/s", "--iterations", "1", cwd=folder)
        row["corun " + routing.replace("valiant", "valiant over groups")] = number(max(float(job["seconds"]) for job in csv.DictReader(table.splitlines())))
    return row, configs


def cycles(folder, config, seed):
    run = os.path.join(folder, "run")
    open(os.path.join(run, "main.cfg"), "w").write(re.sub(r"random_seed: \d+", f"random_seed: {seed}", config))
    out = subprocess.run([CAMINOS, "main.cfg", "--results=out"], cwd=run, capture_output=True, text=True)
    found = re.search(r"Traffic consumed before cycle (\d+)", out.stdout)
    hops = re.search(r"average_packet_hops:\s*([\d.]+)", out.stdout + (open(os.path.join(run, "out")).read() if os.path.exists(os.path.join(run, "out")) else ""))
    if not found:
        raise SystemExit(out.stdout[-2000:] + out.stderr[-2000:])
    return int(found[1]), hops[1] if hops else ""


def main():
    chosen = sys.argv[3:] or list(NETWORKS)
    keys = ["network", "jobs", "pattern", "ordering"]
    figures, times = (open(os.path.join(HERE, name), "w", newline="") for name in ("figures.csv", "cycles.csv"))
    table, runs = None, csv.writer(times, lineterminator="\n")
    runs.writerow(keys + ["routing", "seed", "cycles", "hops"])
    for spec in chosen:
        for jobs, sizes in JOBS.items():
            for pattern, guest in PATTERNS.items():
                for order in NETWORKS[spec]:
                    with tempfile.TemporaryDirectory() as folder:
                        row, configs = case(folder, spec, order, sizes, guest)
                        name = [spec, jobs, pattern, order]
                        if table is None:
                            table = csv.writer(figures, lineterminator="\n")
                            table.writerow(keys + list(row))
                        table.writerow(name + list(row.values()))
                        for routing, config in configs.items():
                            for seed in SEEDS:
                                runs.writerow(name + [routing, seed, *cycles(folder, config, seed)])
                print(spec, jobs, pattern, file=sys.stderr, flush=True)


main()
