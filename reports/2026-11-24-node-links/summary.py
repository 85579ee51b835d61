"""Prints the tables of README.md from stages.csv, simgrid.csv, simgrid-times.csv and free.csv: `python3 summary.py`."""

import collections
import csv


def spread(errors):
    errors = sorted(errors)
    at = lambda part: errors[round((len(errors) - 1) * part)]
    return f"{len(errors)} | {100 * at(0.5):.2g} % | {100 * at(0.9):.2g} % | {100 * at(1):.2g} %"


def stages():
    rows = list(csv.DictReader(open("stages.csv")))
    figure = [r for r in rows if r["group"] == "figure 6"]
    crowded = [r for r in rows if r["group"] != "figure 6"]
    gap = lambda r, key: abs(float(r["schedule"]) / float(r[key]) - 1)
    print("| | jobs | median error | nine in ten below | largest |\n|---|---|---|---|---|")
    print("| Fig. 6 |", spread([gap(r, "corun") for r in figure]), "|")
    print("| Fig. 6, corun with the benchmark's iterations |", spread([gap(r, "corun_whole") for r in figure]), "|")
    print("| crowded |", spread([gap(r, "corun") for r in crowded]), "|")
    for group in sorted({r["group"] for r in crowded}):
        print(f"| crowded, {group} |", spread([gap(r, "corun") for r in crowded if r["group"] == group]), "|")
    cases = collections.defaultdict(list)
    for r in rows:
        cases[r["group"], r["case"]].append(r)
    gaps, small = [], 0
    for jobs in cases.values():
        hours = lambda key: sum(int(r["nodes"]) * float(r[key]) for r in jobs) / 3600
        lost, all_hours = hours("corun") - hours("alone"), hours("schedule")
        if lost > 0.01 * all_hours:
            gaps.append(abs(float(jobs[0]["hours_lost_sharing"]) / lost - 1))
        else:
            small += 1
    print("\nhours_lost_sharing, cases where it is above 1 % of node-hours:", spread(gaps), f"({small} cases are below)")


def simgrid():
    rows = list(csv.DictReader(open("simgrid.csv")))
    times = list(csv.DictReader(open("simgrid-times.csv")))
    print("\n| | jobs | median error | nine in ten below | largest | seconds: SimGrid, here | times as fast |\n|---|---|---|---|---|---|---|")
    for latency in ["0", "0.000001"]:
        of = [r for r in rows if float(r["latency"]) == float(latency)]
        took = [r for r in times if float(r["latency"]) == float(latency)]
        total = lambda key: sum(float(r[key]) for r in took)
        for name, key in [("flow level", "flow"), ("job level", "job_level")]:
            errors = spread([abs(float(r[key]) / float(r["simgrid"]) - 1) for r in of])
            print(f"| {name} against SimGrid, latency {latency} s, {len(took)} cases | {errors} | {total('simgrid'):.3g}, {total(key):.3g} | {total('simgrid') / total(key):.3g} |")
    for network in dict.fromkeys(r["network"] for r in rows):
        of = [r for r in rows if r["network"] == network and float(r["latency"]) == 0]
        print(f"| {network}: flow | {spread([abs(float(r['flow']) / float(r['simgrid']) - 1) for r in of])} |")
        print(f"| {network}: job | {spread([abs(float(r['job_level']) / float(r['simgrid']) - 1) for r in of])} |")


def free():
    count = collections.Counter()
    for r in csv.DictReader(open("free.csv")):
        form = r["what"].split()[-1] if r["command"] != "export" else ""
        count[r["command"], r["machine"].split(":")[0], form, r["same_bytes"], r["largest_relative_difference"], r["what_differs"][:110]] += 1
    print()
    for key, n in sorted(count.items()):
        print(n, *key, sep=" | ")


for part in [stages, simgrid, free]:
    try:
        part()
    except FileNotFoundError as error:
        print(error)
