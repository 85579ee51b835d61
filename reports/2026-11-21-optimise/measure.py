"""Objective, bound and time of searched orderings: measure.py NODEORDER PART > PART.csv

PART: small (proofs), ten (ten seconds on two cores), large (60 s and 600 s).
"""

import json
import subprocess
import sys
import time

program, part = sys.argv[1], sys.argv[2]
GEOMETRIC, HARMONIC = "weights=geometric,window=16", "weights=harmonic,window=64"
CASES = {
    "small": [
        (spec, f"ilp:weights=geometric,window=4,{ring}time=60")
        for spec, ring in [
            ("mesh:3x3x3", ""), ("torus:3x3x3", ""), ("torus:5x5", ""), ("torus:4x6", ""), ("mesh:4x4", ""),
            ("mesh:2x2x2", ""), ("mesh:2x2x2", "ring=true,"),
        ]
    ] + [("torus:8x8", "ilp:weights=path"), ("torus:15x6x16", "ilp:weights=path")],
    "ten": [
        ("torus:8x8", f"optimise:{GEOMETRIC},time=10"), ("mesh:8x8x5", f"optimise:{GEOMETRIC},time=10"),
        ("torus:15x6x16", f"optimise:{GEOMETRIC},time=10"), ("torus:15x6x16", f"optimise:{HARMONIC},time=10"),
        ("torus:17x8x24", f"optimise:{GEOMETRIC},time=10"), ("torus:17x8x24", f"optimise:{HARMONIC},time=10"),
        ("torus:11x8x4x4x2", f"optimise:{GEOMETRIC},time=10"), ("torus:11x8x4x4x2", f"optimise:{HARMONIC},time=10"),
    ],
    "large": [
        ("torus:25x32x24,limit=18944", "optimise:weights=workload,sizes=log-uniform,time=60"),
        ("torus:32x64x64", "optimise:weights=workload,sizes=log-uniform,time=600"),
    ],
}
print("machine,ordering,objective,lower_bound,gap,optimal,solver,seconds,process_seconds,cpu_seconds")
for spec, order in CASES[part]:
    start = time.monotonic()
    run = subprocess.run(["/usr/bin/time", "-f", "%U %S", program, "order", spec, "--by", order, "--json"],
                         capture_output=True, text=True)
    wall = time.monotonic() - start
    if run.returncode:
        sys.exit(run.stderr)
    cpu = sum(map(float, run.stderr.split()[-2:]))
    found = json.loads(run.stdout)
    cells = [str(found[key]) for key in "objective lower_bound gap optimal solver seconds".split()]
    cells[4] = f'"{cells[4]}"'
    print(",".join([spec, f'"{order}"', *cells, f"{wall:.2f}", f"{cpu:.2f}"]), flush=True)
