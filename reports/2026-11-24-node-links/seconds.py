"""Processor seconds and memory: `python3 seconds.py TRACES SACCT FORMER PRESENT`, in this folder.

TRACES has theta_2022.swf.gz; SACCT is accounting of Slurm with 297,199 rows. Pairs of commands run in turn on one thread, many
times; their least seconds of user time count. Theta's year runs once each. Writes seconds.csv.
"""

import csv
import os
import pathlib
import subprocess
import sys
import tempfile

TRACES, SACCT, FORMER, PRESENT = sys.argv[1:]
WORK = pathlib.Path(tempfile.mkdtemp())
LIMIT = 600


def run(argv):
    child = subprocess.Popen(["timeout", str(LIMIT), *argv, "--quiet", "--threads", "1"], cwd=WORK, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    return used.ru_utime, used.ru_stime, used.ru_maxrss // 1024, "" if status == 0 else "failed or unfinished"


def alternate(writer, what, arguments, times):
    found = {FORMER: [], PRESENT: []}
    for _ in range(times):
        for program, all in found.items():
            all.append(run([program, *arguments]))
    for name, all in zip(["former", "present"], found.values()):
        user, system, memory, end = min(all)
        writer.writerow([what, name, times, f"{user:.3f}", f"{system:.3f}", memory, end])


subprocess.run([FORMER, "trace", "generate", "poisson:jobs=60000,rate=1,unit=800,sizes=1x2x3x5x8x13x16x32x50", "--quiet", "-o", "jobs.swf"], cwd=WORK, check=True)
subprocess.run([FORMER, "trace", "convert", "jobs.swf", "--to", "log", "--quiet", "-o", "jobs.log"], cwd=WORK, check=True)
with open("seconds.csv", "w", newline="") as out:
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["what", "build", "runs", "user", "system", "megabytes", "end"])
    for allocator in ["mbs", "mc1x1"]:
        alternate(writer, f"replay torus:32x32 {allocator}", ["replay", "torus:32x32", "--order", "row-major", "--log", "jobs.log", "--alloc", allocator, "-o", "/dev/null"], 9)
    alternate(writer, "trace convert of sacct", ["trace", "convert", SACCT, "--to", "swf", "-o", "/dev/null"], 9)
    out.flush()
    theta = ["schedule", "theta", "--order", "row-major", "--trace", f"{TRACES}/theta_2022.swf.gz", "--policy", "easy", "--alloc", "span-best-fit", "-o", "/dev/null", "--model"]
    speed = "network:speed=1Gf,bandwidth=1Gb/s,latency=50us"
    for model in ["network:share=0.2,guest=stencil3d", f"{speed},guest=npb-mg:class=C"]:
        for name, program in [("former", FORMER), ("present", PRESENT)]:
            user, system, memory, end = run([program, *theta, model])
            writer.writerow([f"Theta's year, {model}", name, 1, f"{user:.1f}", f"{system:.1f}", memory, end])
            out.flush()
