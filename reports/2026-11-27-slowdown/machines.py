"""What shipped machines lose and gain in bursts: machines.py NODEORDER. Writes machines.csv, a machine's traffic a row, and
machines-by-size.csv, a job size a row: `mixed` of row-major (taken for the present order), of the closest order by hops, and of
the order that is best for the traffic."""

import csv
import json
import os
import subprocess
import sys
import tempfile

from networks import HERE

MACHINES = ["theta", "edison", "derecho", "polaris", "frontier", "archer2", "titan", "hopper", "hector", "cplant", "lassen",
            "fat-tree-hdr"]
ANSWERS = {"all-to-all": "all_to_all", "stencil3d": "stencil", "ring": "ring"}


def main():
    nodeorder = os.path.abspath(sys.argv[1])
    sums = csv.writer(open(os.path.join(HERE, "machines.csv"), "w", newline=""), lineterminator="\n")
    sums.writerow(["machine", "guest", "routing", "closest", "best", "best_from_size", "row_major", "closest_mixed", "best_mixed",
                   "gain_percent", "sizes_lost"])
    by_size = csv.writer(open(os.path.join(HERE, "machines-by-size.csv"), "w", newline=""), lineterminator="\n")
    by_size.writerow(["machine", "guest", "size", "row_major", "closest", "best"])
    for machine in MACHINES:
        with tempfile.TemporaryDirectory() as folder:
            out = subprocess.run([nodeorder, "compare", machine, "--out", folder, "--json"], capture_output=True, text=True)
            if out.returncode:
                raise SystemExit(f"{machine}: {out.stderr}")
            answer = json.loads(out.stdout)["answer"]
            rows = list(csv.DictReader(open(os.path.join(folder, "slowdown.csv"))))
        means = {(row["guest"], row["ordering"]): row["mixed"] for row in answer["slowdown"]["means"]}
        closest = answer["distance"]["order"]
        for guest, key in ANSWERS.items():
            best = answer[key]["order"]
            curve = {(row["ordering"], int(row["size"])): float(row["mixed"]) for row in rows if row["guest"] == guest}
            sizes = sorted({size for _, size in curve})
            lost = [size for size in sizes if curve["row-major", size] > 1.05 * curve[best, size]]
            present, near, good = (means[guest, order] for order in ("row-major", closest, best))
            sums.writerow([machine, guest, answer["slowdown"]["routing"], closest, best, answer[key]["from_size"],
                           f"{present:.4f}", f"{near:.4f}", f"{good:.4f}", f"{100 * (1 - good / present):.1f}",
                           " ".join(map(str, lost))])
            for size in sizes:
                by_size.writerow([machine, guest, size, *(f"{curve[order, size]:.4f}" for order in ("row-major", closest, best))])
        print(machine, file=sys.stderr, flush=True)


main()
