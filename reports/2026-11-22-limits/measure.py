#!/usr/bin/env python3
"""Rows of the limits: cpu seconds, wall seconds and memory of commands, program by program in turn.

    measure.py TRACES NAME=PROGRAM [NAME=PROGRAM …] [row=PREFIX] > rows.csv

TRACES is the folder with theta_2022.swf.gz and CEA-Curie-2011-2.1-cln.swf.gz; programs are builds of nodeorder, such as
0.1.0=…, before=…, after=…. Every command runs on one thread unless its row says otherwise, and is ended after
LIMIT seconds of the clock. Standard library only. `value` is the objective that a search reports.
"""
import csv
import os
import re
import signal
import subprocess
import sys
import time

LIMIT = 150


def rows(traces):
    theta = f"schedule theta --order row-major --trace {traces}/theta_2022.swf.gz --policy easy --alloc "
    for allocator in ["closest-mind", "mc1x1", "gen-alg", "dilation"]:
        yield f"theta-{allocator}", theta + allocator
    curie = (f"schedule torus:14x18x22 --procs-per-node 16 --order row-major "
             f"--trace {traces}/CEA-Curie-2011-2.1-cln.swf.gz --alloc span-best-fit --policy ")
    for policy in ["easy", "conservative"]:
        yield f"curie-{policy}", curie + policy
    for n in [16384, 32768, 65536, 131072]:
        yield f"random-regular-{n}", f"mpc random-regular:n={n},d=6 --order bfs"
    for n in [16384, 131072, 196608]:
        yield f"two-random-regular-{n} threads=2", f"mpc random-regular:n={n},d=6 --order bfs"
    for spec in ["torus:16x16x16", "random-regular:n=4096,d=6"]:
        yield f"all-to-all-{spec.split(':')[0]}", f"map {spec} --guest all-to-all:n=4096 --order row-major"
    grid = "map torus:48x48x48 --guest stencil:48x48x48 --order row-major"
    yield "stencil-48", grid
    yield "map-best-36", "map torus:36x36x36 --guest stencil:36x36x36 --order random --map best"
    search = "optimise:weights=harmonic,window=64,time="
    yield "optimise-131072 threads=2", f"order torus:64x64x32 --by {search}20"
    yield "optimise-15x6x16 threads=2", f"order torus:15x6x16 --by {search}10"


def run(program, command, threads):
    argv = ["nice", "-n", "10", program, *command.split(), "--threads", threads, "-o", "/dev/null"]
    if command.startswith("map"):
        argv = argv[:-2]
    began = time.monotonic()
    child = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    signal.signal(signal.SIGALRM, lambda *_: child.kill())
    signal.alarm(LIMIT)
    said = child.stderr.read()
    _, status, used = os.wait4(child.pid, 0)
    signal.alarm(0)
    wall = time.monotonic() - began
    found = re.findall(r"^objective ([0-9.]+)", said, re.M)
    end = "" if status == 0 else "unfinished" if wall >= LIMIT else "failed"
    cpu = used.ru_utime + used.ru_stime
    return [f"{cpu:.3f}", f"{wall:.3f}", used.ru_maxrss // 1024, found[-1] if found else "", end]


def main():
    traces, *arguments = sys.argv[1:]
    programs = [a.split("=", 1) for a in arguments]
    wanted = [value for name, value in programs if name == "row"]
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["row", "program", "cpu_s", "wall_s", "memory_mb", "value", "end"])
    for row, command in rows(traces):
        if wanted and not any(row.startswith(prefix) for prefix in wanted):
            continue
        row, _, threads = row.partition(" threads=")
        for name, program in programs:
            if name != "row":
                out.writerow([row, name, *run(program, command, threads or "1")])
                sys.stdout.flush()


main()
