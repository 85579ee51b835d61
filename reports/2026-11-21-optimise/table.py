"""The results of workload.sh as workload.csv: table.py (in their directory)."""

import csv
import json

with open("workload.csv", "w", newline="") as file:
    out = csv.writer(file, lineterminator="\n")
    out.writerow("machine,ordering,weighted_mpc,allocator,mean_mind".split(","))
    for machine in ("theta", "titan", "hopper"):
        found = json.load(open(f"{machine}.json"))["workload"]
        for row in found["rows"]:
            for allocator, mind in zip(found["allocators"], row["mean_mind"]):
                out.writerow([machine, row["ordering"], row["weighted_mpc"], allocator, mind])
