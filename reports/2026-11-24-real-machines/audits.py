"""Audits of the real placements at hand: python3 audits.py NODEORDER RECORDS > rows.csv

NODEORDER is the command, RECORDS the folder with the records (README.md says which). A row for each placement of each
audit: machine, records, placement, draw, jobs, skipped, mean hops, change against the recorded placement with its 95 %
interval, and the units of the lowest level spanned and fewest, where the machine has levels.
"""
import csv
import json
import subprocess
import sys
import tempfile

command, records = sys.argv[1:]
oar_columns = "job=job,submit=submit,start=start,end=end,nodes=nodes,list=list,limit=limit"
head = "machine,records,placement,draw,jobs,skipped,mean_hops,change,low,high,level,spanned,fewest,at_fewest".split(",")
rows = csv.writer(sys.stdout, lineterminator="\n")
rows.writerow(head)


def audit(machine, name, trace, more, orders=(), allocators=(), draw=1):
    options = [part for order in orders for part in ("--order", order)]
    options += [part for allocator in allocators for part in ("--alloc", allocator)]
    line = [command, "audit", machine, "--trace", trace, *more, *options, "--seed", str(draw), "--json"]
    found = json.loads(subprocess.run(line, check=True, capture_output=True).stdout)
    for placement in found["placements"]:
        recorded = placement["placement"] == "recorded"
        if recorded and "random" in [*orders, *allocators]:
            continue
        change = placement.get("change") or ["", "", ""]
        level = found["levels"][0] if found["levels"] else ""
        units = placement["levels"].get(level, {})
        rows.writerow([machine, name, placement["placement"], "" if recorded else draw, placement["jobs"],
                       placement["skipped"], placement["mean_hops"], *change, level, units.get("spanned", ""),
                       units.get("fewest", ""), units.get("at_fewest", "")])


with tempfile.TemporaryDirectory() as folder:
    theta = f"{folder}/theta"
    nids = open(f"{records}/theta-job-327220.txt").read().split()
    open(theta, "w").write("04/03/2019 00:35:40;E;327220;ctime=1554249000.1 start=1554251537.81 "
                           f"exec_host=\"{','.join(nids)}\" end=1554251740.2\n")
    oar = f"{records}/oar-g5k-3250.csv.gz"
    for machine, orders in [("torus:8x16", ["row-major", "snake", "gilbert", "brick"]),
                            ("xgft:m=16x8,w=1x1", ["row-major"])]:
        tried = ["slurm-best-fit", "first-fit:1", "closest-mind", "mc1x1"]
        if machine.startswith("xgft"):
            tried = ["slurm-best-fit", "first-fit:1", "closest-mind", "slurm-tree"]
        audit(machine, "oar-g5k-3250", oar, ["--columns", oar_columns], orders, tried)
        for draw in range(1, 11):
            audit(machine, "oar-g5k-3250", oar, ["--columns", oar_columns], ["random"], ["slurm-best-fit"], draw)
            audit(machine, "oar-g5k-3250", oar, ["--columns", oar_columns], ["row-major"], ["random"], draw)
    for name in ["oar_out_jobs", "batsim_out_jobs"]:
        audit("torus:4x8", name, f"{records}/{name}.csv", ["--columns", "oar"], ["row-major"], ["slurm-best-fit"])
    machine = "cascade:16x6x12,per_router=4"
    audit(machine, "theta-327220", theta, [], ["row-major"], ["slurm-best-fit", "dragonfly-pack", "dragonfly-spread"])
    for draw in range(1, 11):
        audit(machine, "theta-327220", theta, [], ["row-major"], ["random"], draw)
