"""Segments of 16, 4 and 1 by job size against none, on 280 racks of 18 nodes, into segments.csv.

python3 segments.py nodeorder [SEEDS]

A row is a mix of jobs, a setting and a seed; means over time are over the seconds from the first submit to the last.
"""

import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

RACKS, NODES = 280, 18
SPEC = f"xgft:h=2,m={NODES}x{RACKS},w=1x1"
MIXES = {
    # A third of the jobs each: multiples of 16 from 64 on, of 4 from 8 on, and smaller ones.
    "large": [64, 64, 64, 128, 128, 256, 256, 512, 8, 8, 16, 16, 16, 32, 32, 48, 1, 1, 2, 2, 3, 4, 4, 4],
    # Two thirds of the jobs below 8 nodes.
    "small": [1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 4, 4, 4, 4, 8, 8, 16, 32, 64, 64, 128, 256],
}
DOUBLED = "x".join(str(18 * 2**i) for i in range(9))
# None, segments of 16, 4 and 1 by size, and of 16 alone; with base blocks alone, and doubled up to the machine.
SETTINGS = [
    "slurm-block:sizes=18",
    "slurm-block:sizes=18,rules=rules.csv",
    "slurm-block:sizes=18,rules=large.csv",
    f"slurm-block:sizes={DOUBLED}",
    f"slurm-block:sizes={DOUBLED},rules=rules.csv",
    f"slurm-block:sizes={DOUBLED},rules=large.csv",
]
JOBS, LOAD = 2000, 0.9


def trace(binary, sizes, seed, folder):
    text = f"poisson:jobs={JOBS},mean=14400,estimate=1.5,nodes={RACKS * NODES},sizes=" + "x".join(map(str, sizes))
    subprocess.run([binary, "trace", "generate", text, "--seed", str(seed), "-o", folder / "all.swf"], check=True)
    subprocess.run([binary, "trace", "transform", folder / "all.swf", "--load", str(LOAD), "--nodes", str(RACKS * NODES),
                    "-o", folder / "jobs.swf"], check=True, stderr=subprocess.DEVNULL)
    return folder / "jobs.swf"


def ranks(text):
    for run in text.split(" "):
        first, _, last = run.partition("-")
        yield from range(int(first), int(last or first) + 1)


def over_time(rows, end):
    """Means until `end` of racks wholly free and in part used; racks a job spans over the fewest, means over jobs."""
    events, spans = [], []
    for row in rows:
        used = {}
        for rank in ranks(row["ranks"]):
            used[rank // NODES] = used.get(rank // NODES, 0) + 1
        spans.append((len(used), len(used) / -(-int(row["nodes"]) // NODES)))
        events += [(float(row["start"]), 1, used), (float(row["end"]), -1, used)]
    events.sort(key=lambda event: event[:2])
    busy, now, free, part = [0] * RACKS, events[0][0], 0.0, 0.0
    first = now
    for time, sign, used in events:
        step = min(time, end) - min(now, end)
        free += step * busy.count(0)
        part += step * sum(0 < n < NODES for n in busy)
        now = time
        for rack, nodes in used.items():
            busy[rack] += sign * nodes
    mean = lambda at: sum(span[at] for span in spans) / len(spans)
    return free / (end - first), part / (end - first), mean(0), mean(1)


def timeline(rows, end):
    """Means until `end` of nodes in use, of the largest job placeable and of Slurm's fragmentation."""
    sums = [0.0] * 3
    first = float(rows[0]["time"])
    for row, after in zip(rows, rows[1:]):
        step = min(float(after["time"]), end) - min(float(row["time"]), end)
        for at, column in enumerate(["busy", "placeable", "slurm_fragmentation"]):
            sums[at] += step * float(row[column])
    return [total / (end - first) for total in sums]


def main(binary, seeds):
    names = ["mix", "setting", "seed", "jobs", "never_placed", "mean_wait", "wait_p90", "utilisation_waiting", "occupancy",
             "placeable", "slurm_fragmentation", "free_racks", "part_used_racks", "racks_of_job", "racks_over_fewest",
             "mean_mind"]
    with tempfile.TemporaryDirectory() as folder, open("segments.csv", "w", newline="") as out:
        folder = Path(folder)
        table = csv.writer(out, lineterminator="\n")
        table.writerow(names)
        for mix, sizes in MIXES.items():
            for seed in range(1, seeds + 1):
                swf = trace(binary, sizes, seed, folder)
                for setting in SETTINGS:
                    done = subprocess.run(
                        [binary, "schedule", SPEC, "--order", "row-major", "--trace", swf, "--policy", "easy", "--alloc",
                         setting, "--json", "--ranks", "-o", folder / "rows.csv", "--timeline", folder / "time.csv",
                         "--quiet"], check=True, capture_output=True, text=True)
                    figures = json.loads(done.stdout)
                    rows = list(csv.DictReader(open(folder / "rows.csv", newline="")))
                    moments = list(csv.DictReader(open(folder / "time.csv", newline="")))
                    end = max(float(row["submit"]) for row in rows)
                    busy, placeable, broken = timeline(moments, end)
                    table.writerow([mix, setting.replace(DOUBLED, "18x36x…x4608"), seed, figures["jobs"],
                                    figures["never_placed"], figures["mean_wait"], figures["wait_p90"],
                                    figures["utilisation_waiting"], busy / (RACKS * NODES), placeable, broken,
                                    *over_time(rows, end), figures["mean_mind"]])
                    out.flush()


main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10)
