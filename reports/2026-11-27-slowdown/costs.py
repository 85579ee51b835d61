"""What slowdowns cost: costs.py NODEORDER. Writes costs.csv, a command a row: processor seconds (user and system) and the most memory
of the least of three runs."""

import csv
import os
import subprocess
import sys

from networks import HERE

GRID = "--order gilbert --guest all-to-all"
DRAGONFLY = ["row-major", "bfs", "dfs", "rcm", "spectral", "nearest", "hierarchical:scatter=1"]
DRAGONFLY += [f"random:seed={seed}" for seed in (1, 2, 3)]
COMMANDS = [f"slowdown torus:{n}x{n}x{n} {GRID}" for n in (13, 25, 50, 100)]
COMMANDS += [f"slowdown random-regular:n={n},d=6 --order rcm --guest all-to-all" for n in (256, 1024, 4096)]
COMMANDS.append(
    "slowdown dragonfly:p=8,a=16,h=8 --guest all-to-all --guest stencil3d --guest ring"
    + "".join(f" --order {order}" for order in DRAGONFLY)
)


def measure(program, command):
    """Processor seconds and KiB of one run. A process of its own, as the most memory is that of all children so far."""
    code = "import resource,subprocess,sys; subprocess.run(sys.argv[1:], check=True); u = resource.getrusage(resource.RUSAGE_CHILDREN);"
    code += "print(u.ru_utime + u.ru_stime, u.ru_maxrss)"
    asked = [sys.executable, "-c", code, program, *command.split(), "-o", os.devnull, "--quiet"]
    seconds, memory = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.split()
    return float(seconds), int(memory)


def main():
    program = os.path.abspath(sys.argv[1])
    with open(os.path.join(HERE, "costs.csv"), "w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["command", "processor_seconds", "memory_mb"])
        for command in COMMANDS:
            seconds, memory = min(measure(program, command) for _ in range(3))
            rows.writerow([command, f"{seconds:.2f}", f"{memory * 1024 / 1e6:.0f}"])
            file.flush()


main()
