"""Tables of this report from its rows, with 95 % intervals over the seeds (Student's t), as Markdown.

python3 summary.py
"""

import csv
import math

T9 = 2.262
# kueue#10406 by a plain reference of Kueue's rules; its times and names are not known.
REFERENCE = {("mixed", "0.3"): "23.5, 6.4", ("mixed", "0.5"): "18.0, 8.6", ("mixed", "0.7"): "13.1, 9.0",
             ("least-free-hierarchical", "0.3"): "23.7, 4.2", ("least-free-hierarchical", "0.5"): "18.0, 5.5",
             ("least-free-hierarchical", "0.7"): "13.2, 5.8"}


def interval(values, digits):
    mean = sum(values) / len(values)
    deviation = math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1))
    return f"{mean:.{digits}f} ± {T9 * deviation / math.sqrt(len(values)):.{digits}f}"


def grouped(path, keys):
    """Rows by their keys, those of a key by seed, in the order of the file."""
    groups = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    assert all(len(rows) == 10 for rows in groups.values())
    return groups


def table(header, rows):
    print("| " + " | ".join(header) + " |\n|" + "---|" * len(header))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def column(rows, name, factor=1.0):
    return [factor * float(row[name]) for row in rows]


def setting(text):
    sizes = "18" if "sizes=18," in text + "," else "18, doubled"
    rules = {"rules.csv": "16, 4, 1", "large.csv": "16 from 64 on"}
    return sizes, rules.get(text.partition("rules=")[2], "none")


SEGMENTS = [("mean wait, min", "mean_wait", 1 / 60, 1), ("90 % wait up to, min", "wait_p90", 1 / 60, 1),
            ("use while jobs wait, %", "utilisation_waiting", 100, 1), ("occupancy, %", "occupancy", 100, 1),
            ("whole free racks", "free_racks", 1, 1), ("part-used racks", "part_used_racks", 1, 1),
            ("largest job placeable", "placeable", 1, 0), ("Slurm's fragmentation", "slurm_fragmentation", 1, 0),
            ("racks a job", "racks_of_job", 1, 2), ("over the fewest", "racks_over_fewest", 1, 2),
            ("hops in a job", "mean_mind", 1, 2)]
CHANGES = [SEGMENTS[i] for i in (0, 3, 4, 5, 6)]


def segments():
    groups = grouped("segments.csv", ["mix", "setting"])
    for mix in ("large", "small"):
        own = {text: rows for (of, text), rows in groups.items() if of == mix}
        print(f"### Mix `{mix}`\n")
        table(["blocks", "segments"] + [title for title, *_ in SEGMENTS],
              [[*setting(text)] + [interval(column(rows, name, factor), digits) for _, name, factor, digits in SEGMENTS]
               for text, rows in own.items()])
        print("Change against blocks of 18 without segments, paired by seed:\n")
        base = own["slurm-block:sizes=18"]
        change = lambda rows, name, factor: [a - b for a, b in zip(column(rows, name, factor), column(base, name, factor))]
        table(["blocks", "segments"] + [title for title, *_ in CHANGES],
              [[*setting(text)] + [interval(change(rows, name, factor), digits) for _, name, factor, digits in CHANGES]
               for text, rows in own.items() if rows is not base])


def racks():
    groups = grouped("racks.csv", ["load", "profile"])
    print("### 33 racks\n")
    rows = []
    for (load, profile), own in groups.items():
        base = groups[load, "mixed"]
        cells = [load, profile]
        for name in ("free_racks", "part_used_racks"):
            cells.append(interval(column(own, name), 1))
        for name in ("free_racks", "part_used_racks"):
            less = [a - b for a, b in zip(column(own, name), column(base, name))]
            cells.append("" if own is base else interval(less, 2))
        rows.append(cells + [REFERENCE.get((profile, load), "")])
    table(["load", "profile", "whole free", "part-used", "more whole free than `mixed`", "more part-used", "reference"], rows)


def readings():
    """Means of each reading; a figure of the reference within the range of the seeds, which are single runs, has a star."""
    print("### Readings of the reference's set-up\n")
    print("Pods of a job, the mean that the load is counted with, times, arrivals at each load, mean share of the GPUs in use; whole\n"
          "free and part-used racks, means over ten seeds. A star: the reference's figure lies within the range of the ten runs.\n")
    with open("readings.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    cells, cases = [], len(REFERENCE) * 10
    for start in range(0, len(rows), cases):
        own, row, inside, apart = rows[start:start + cases], [], 0, []
        for (profile, load), text in REFERENCE.items():
            runs = [r for r in own if (r["profile"], r["load"]) == (profile, load)]
            assert len(runs) == 10
            pair = []
            for name, wanted in zip(("free_racks", "part_used_racks"), map(float, text.split(", "))):
                values = column(runs, name)
                within = min(values) <= wanted <= max(values)
                inside += within
                apart.append(sum(values) / 10 - wanted)
                pair.append(f"{sum(values) / 10:.1f}" + "*" * within)
            row.append(", ".join(pair))
        of = own[0]
        arrivals = list(dict.fromkeys(r["arrivals"] for r in own))
        used = "/".join(f"{sum(column([r for r in own if r['load'] == load], 'in_use')) / 20:.2f}" for load in ("0.3", "0.5", "0.7"))
        off = math.sqrt(sum(a * a for a in apart) / len(apart))
        cells.append([of["pods"], f"{float(of['mean']):.2f}", of["times"], "/".join(arrivals), used, *row, str(inside), f"{off:.2f}"])
    of = [f"{'today' if profile == 'mixed' else 'top-down'} at {load}" for profile, load in REFERENCE]
    table(["pods", "counted as", "times", "arrivals", "in use", *of, "inside of 12", "off by"],
          [["**reference**", "", "", "", "", *REFERENCE.values(), "", ""], *cells])


def speed():
    print("### Placements\n")
    with open("speed.csv", newline="") as file:
        table(["allocator", "placed", "refused", "cpu s"],
              [[f"`{row['allocator']}`", row["placed"], row["refused"], row["cpu_seconds"]] for row in csv.DictReader(file)])


segments()
racks()
readings()
speed()
