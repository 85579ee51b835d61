"""What nodeorder says of the runs of packets.py: figures.py NODEORDER. Writes figures.csv, a case's ordering a row.

`slowdown` is `alone` of the same three windows that ran alone (their mean), or `all` of the tiling; `largest` is the largest window's.
`hops` is the mean distance of two nodes of a window. `flow` is `corun --level flow` of a job alone under the same routing, without
latency, over the time that its busiest node link needs."""

import csv
import os
import sys
import tempfile

from networks import HERE, PATTERNS, ROUTINGS, SEEDS, cases, nodes_in_order, orderings, read, rows_of, run, window_starts

UNIT = 8  # bytes of a message


def write_order(path, nodes):
    with open(path, "w") as out:
        out.writelines(f"{node}\n" for node in nodes)


def unblocked_time(pattern, size):
    """Time of the busiest node link at a byte a second: what the process with most to send sends."""
    if pattern == "all-to-all":
        return (size - 1) * max(1, round(32 / (size - 1))) * UNIT
    if pattern == "ring":
        return 2 * 16 * UNIT
    # Neighbours of an inner cell: of 4x2x2 two and one and one, of 4x4x4 two each way.
    return (4 if size == 16 else 6) * 8 * UNIT


def flow_over_unblocked(nodeorder, spec, nodes, pattern, size, routing, folder):
    with open(os.path.join(folder, "jobs.toml"), "w") as jobs:
        jobs.write(f"[[jobs]]\nname = 'j'\nguest = '{PATTERNS[pattern](size)}'\nbytes = {UNIT}\nnodes = {nodes}\n")
    text = run(nodeorder, "corun", spec, "--jobs", "jobs.toml", "--level", "flow", "--routing", routing,
               "--bandwidth", "1B/s", "--latency", "0s", "--iterations", "1", cwd=folder)
    return float(rows_of(text)[0]["seconds"]) / unblocked_time(pattern, size)


def mean_hops(nodeorder, spec, nodes, size, runs):
    """Mean distance of two nodes of each window."""
    hops = []
    with tempfile.TemporaryDirectory() as folder:
        for first in (first for starts in runs for first in starts):
            write_order(os.path.join(folder, "window"), nodes[first:first + size])
            mean = run(nodeorder, "mpc", spec, "--order", "window", "--sizes", str(size), cwd=folder)
            hops.append(float(rows_of(mean)[0]["mpc"]))
    return hops


def main():
    nodeorder = os.path.abspath(sys.argv[1])
    table = open(os.path.join(HERE, "figures.csv"), "w", newline="")
    rows = csv.writer(table, lineterminator="\n")
    rows.writerow(["network", "jobs", "size", "pattern", "ordering", "routing", "hops", "slowdown", "largest", "flow"])
    ran = {(row["network"], row["jobs"], row["size"], row["pattern"]) for row in read("cycles.csv")}
    for spec, how, size, pattern in cases():
        if (spec, how, str(size), pattern) not in ran:
            continue
        for order in orderings(spec):
            nodes = nodes_in_order(nodeorder, spec, order)
            runs = window_starts(len(nodes), size, how)
            if how == "alone":
                runs = [runs[(seed - 1) % len(runs)] for seed in SEEDS]
            hops = mean_hops(nodeorder, spec, nodes, size, runs)
            for routing in ROUTINGS.values():
                found, flows = [], []
                with tempfile.TemporaryDirectory() as folder:
                    for starts in runs:
                        last = starts[-1] + size
                        write_order(os.path.join(folder, "order"), nodes[starts[0]:last])
                        text = run(nodeorder, "slowdown", spec, "--order", "order", "--guest", pattern, "--routing", routing,
                                   "--sizes", str(size), "--tilings", "1", "--duty", "1", cwd=folder)
                        found += rows_of(text)
                        if how == "alone" and routing == "ecmp-hop":
                            flows.append(flow_over_unblocked(nodeorder, spec, nodes[starts[0]:last], pattern, size, routing, folder))
                mean = lambda values: f"{sum(values) / len(values):.6g}" if values else ""
                figure = [float(row[how]) for row in found]
                largest = max(float(row["mixed_max" if how == "all" else "alone"]) for row in found)
                rows.writerow([spec, how, size, pattern, order, routing, mean(hops), mean(figure), f"{largest:.6g}", mean(flows)])
        table.flush()
        print(spec, how, size, pattern, file=sys.stderr, flush=True)


main()
