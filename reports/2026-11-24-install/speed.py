#!/usr/bin/env python3
"""speed.py BEFORE AFTER FOLDER: processor seconds of the commands of speed.csv under two builds, the least of three runs, as CSV.
FOLDER has hector.log (`nodeorder trace generate hector`) and the two traces that the commands name."""

import csv
import pathlib
import resource
import subprocess
import sys
import tempfile

builds, folder = [pathlib.Path(path).resolve() for path in sys.argv[1:3]], sys.argv[3]
with open(pathlib.Path(__file__).with_name("speed.csv"), encoding="utf-8") as rows:
    commands = list(dict.fromkeys(row["command"] for row in csv.DictReader(rows)))


def seconds(build, command):
    with tempfile.TemporaryDirectory() as page:
        arguments = [page + "/x" if word == "x" else word for word in command.split()]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([build, *arguments], cwd=folder, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


print("command,before_cpu_seconds,cpu_seconds")
for command in commands:
    runs = [[seconds(build, command) for build in builds] for _ in range(3)]
    print(f'"{command}",' + ",".join(f"{min(times):.3f}" for times in zip(*runs)), flush=True)
