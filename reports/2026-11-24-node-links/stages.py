"""Schedules of benchmarks against corun at flow level: `python3 stages.py NODEORDER`, in this folder.

A case is a set of jobs that begin together on given nodes. `schedule` runs them to their ends with the model `network:speed=…`.
What they should take is put together from `corun` alone: the seconds of an iteration of every job beside the others; when the first
job ends, `corun` again with those that are left, and so on. Writes stages.csv, a row for each job.
"""

import csv
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1]
WORK = pathlib.Path(tempfile.mkdtemp())
FIGURES = {"bandwidth": "1Gb/s", "latency": "50us"}
APPS = ["bt", "cg", "ft", "is", "lu", "mg", "sp"]
FAR = 10**9  # Seconds between submits of jobs that shall not meet.


def run(*arguments):
    done = subprocess.run([PROGRAM, *arguments, "--quiet", "--threads", "1"], cwd=WORK, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{arguments}: {done.stderr}")
    return done.stdout


def corun(spec, jobs, iterations=30):
    """Seconds of an iteration of each job, beside the others and alone."""
    text = 'speed = "1Gf"\n'
    for i, (guest, nodes) in enumerate(jobs):
        text += f'[[jobs]]\nname = "{i}"\nnodes = {nodes}\nbenchmark = "{guest}"\n'
    (WORK / "jobs.toml").write_text(text)
    figures = [text for key, value in FIGURES.items() for text in (f"--{key}", value)]
    out = run("corun", spec, "--jobs", "jobs.toml", *figures, "--iterations", str(iterations))
    rows = list(csv.DictReader(out.splitlines()))
    return [(float(row["seconds"]), float(row["alone"])) for row in rows]


def schedule(spec, nodes, sizes, guest, seed, apart=0):
    """Run times of jobs on the nodes, one job after the other in the list, and the schedule's JSON document."""
    (WORK / "order.txt").write_text("\n".join(map(str, nodes)) + "\n")
    line = "{0} {1} 0 9 {2} -1 -1 {2} 9 -1 1 1 1 1 1 1 -1 -1\n"
    (WORK / "jobs.swf").write_text("".join(line.format(i + 1, i * apart, size) for i, size in enumerate(sizes)))
    figures = ",".join(f"{key}={value}" for key, value in FIGURES.items())
    model = f"network:speed=1Gf,{figures},routing=one-path,{guest},seed={seed}"
    common = ["schedule", spec, "--order", "order.txt", "--trace", "jobs.swf", "--policy", "fcfs", "--alloc", "fifo:0"]
    rows = csv.DictReader(run(*common, "--model", model).splitlines())
    times = {int(row["job"]): (float(row["start"]), float(row["end"])) for row in rows}
    times = [times[i + 1] for i in range(len(sizes))]
    assert all(start == i * apart for i, (start, _) in enumerate(times)), times
    return [end - start for start, end in times], json.loads(run(*common, "--model", model, "--json"))


def expected(spec, jobs, iterations):
    """Seconds that each job should take, by corun on every set of jobs that run together."""
    left, took, now = {i: float(n) for i, n in enumerate(iterations)}, {}, 0.0
    alone = [a for job in jobs for _, a in corun(spec, [job])]
    while left:
        keys = list(left)
        seconds = {k: s for k, (s, _) in zip(keys, corun(spec, [jobs[k] for k in keys]))}
        ends = {k: left[k] * seconds[k] for k in keys}
        step = min(ends.values())
        now += step
        for k in keys:
            left[k] -= step / seconds[k]
            if ends[k] <= step * (1 + 1e-9):
                took[k] = now
                del left[k]
    return [took[i] for i in range(len(jobs))], alone


def case(writer, group, name, spec, nodes, sizes, guests, mix, seed):
    """One case; `guests` are those that the schedule's jobs have, in words of corun."""
    places, at = [], 0
    for size in sizes:
        places.append(nodes[at : at + size])
        at += size
    jobs = list(zip(guests, places))
    iterations = [ITERATIONS[guest.split(":")[0], guest.split("class=")[1]] for guest in guests]
    took, document = schedule(spec, nodes, sizes, mix, seed)
    should, alone = expected(spec, jobs, iterations)
    # Two runs of one benchmark do the same number of iterations: corun can do just these.
    whole = [s * iterations[0] for s, _ in corun(spec, jobs, iterations[0])] if group == "figure 6" else None
    for i, (guest, size) in enumerate(zip(guests, sizes)):
        seconds = [took[i], should[i], whole[i] if whole else math.nan, alone[i] * iterations[i]]
        writer.writerow([group, name, i, guest, size, *("" if math.isnan(s) else f"{s:.9g}" for s in seconds), document["hours_lost_sharing"]])


def iterations():
    """Iterations of every benchmark and class: a run alone over an iteration alone."""
    found = {}
    for app in APPS:
        for name in "SWABCD":
            took, _ = schedule("torus:2x2", [0, 1, 2, 3], [4], f"guest=npb-{app}:class={name}", 1)
            [(_, alone)] = corun("torus:2x2", [(f"npb-{app}:n=4,class={name}", [0, 1, 2, 3])])
            count = round(took[0] / alone)
            assert abs(took[0] / alone - count) < 1e-3 * count, (app, name, took[0] / alone)
            found[f"npb-{app}", name] = count
    return found


# Hu's Fig. 6: two jobs of four processes on a 2 x 4 torus, in four patterns of nodes.
PATTERNS = {
    "A": [0, 1, 4, 5, 2, 3, 6, 7],
    "B": [0, 1, 4, 6, 2, 3, 5, 7],
    "C": [0, 1, 6, 7, 2, 3, 4, 5],
    "D": [0, 2, 5, 7, 1, 3, 4, 6],
}
# Crowded networks of 64 nodes: all nodes in use, every job on nodes drawn at random.
CROWDED = ["torus:4x4x4", "mesh:8x8", "dragonfly:p=2,a=4,h=2,g=8", "xgft:m=8x4x2,w=1x2x2", "random-regular:n=64,d=5,seed=1"]

ITERATIONS = iterations()


def drawn(spec, nodes, sizes, classes, seed):
    """The mix as the schedule draws it: jobs apart from each other tell by their seconds what they run."""
    apps = [(f"npb-{app}", classes) for app in APPS]
    text = "app,weight,guest\n" + "".join(f'{i},1,"{app}:class={name}"\n' for i, (app, name) in enumerate(apps))
    (WORK / "apps.csv").write_text(text)
    took, _ = schedule(spec, nodes, sizes, "apps=apps.csv", seed, FAR)
    guests = []
    for size, seconds in zip(sizes, took):
        # A job that is apart from all others runs on the lowest ranks.
        apart = []
        for app, name in apps:
            for alone, guest in alone_on(spec, app, name, nodes[:size]):
                apart.append((abs(seconds / (alone * ITERATIONS[app, name]) - 1), app, guest))
        near, app, guest = min(apart)
        assert near < 1e-4 < min(other for other in apart if other[1] != app)[0], (apart, seconds)
        guests.append(guest)
    return guests


def alone_on(spec, app, name, nodes):
    """Seconds of an iteration on as many of the nodes as the benchmark may take, and its words."""
    size = len(nodes)
    for count in {size, math.isqrt(size) ** 2, 2 ** (size.bit_length() - 1), 2 ** (size.bit_length() - 2)}:
        idle = f",idle={size - count}" if count < size else ""
        guest = f"{app}:n={count}{idle},class={name}"
        try:
            [(_, alone)] = corun(spec, [(guest, nodes)])
        except RuntimeError:
            continue
        yield alone, guest


with open("stages.csv", "w", newline="") as out:
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["group", "case", "job", "guest", "nodes", "schedule", "corun", "corun_whole", "alone", "hours_lost_sharing"])
    for name in "SWABCD":
        for app in APPS:
            for pattern, nodes in PATTERNS.items():
                guest = f"npb-{app}:n=4,class={name}"
                case(writer, "figure 6", f"{name} {app} {pattern}", "torus:2x4", nodes, [4, 4], [guest] * 2,
                     f"guest=npb-{app}:class={name}", 1)
    print("crowded", file=sys.stderr)
    jobs, seed = 0, 0
    while jobs < 160:
        seed += 1
        spec = CROWDED[seed % len(CROWDED)]
        dice = random.Random(seed)
        count = int(json.loads(run("topology", spec, "--json"))["nodes"])
        nodes = list(range(count))
        dice.shuffle(nodes)
        sizes, free = [], count
        while free >= 4:
            size = dice.choice([s for s in (4, 8, 9, 16, 16) if s <= free])
            sizes.append(size)
            free -= size
        classes = dice.choice(["W", "A"])
        guests = drawn(spec, nodes, sizes, classes, seed)
        case(writer, spec, f"{seed} {classes}", spec, nodes, sizes, guests, "apps=apps.csv", seed)
        jobs += len(sizes)
