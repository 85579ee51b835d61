"""Node links free against the former build: `python3 free.py FORMER PRESENT`, in this folder. Writes free.csv, a row for each pair
of commands: whether outputs are the same, byte for byte, and what differs.
"""

import csv
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

FORMER, PRESENT = sys.argv[1:]
WORK = pathlib.Path(tempfile.mkdtemp())
NETWORKS = {
    "torus:4x4x4": ["one-path", "dimension-order", "minimal", "valiant"],
    "mesh:8x8": ["one-path", "dimension-order", "ecmp-hop"],
    "dragonfly:p=2,a=4,h=2": ["one-path", "minimal", "valiant", "ecmp-path"],
    "fat-tree:k=8": ["one-path", "up-down", "ecmp-path", "ecmp-hop"],
    "random-regular:n=64,d=5,seed=1": ["one-path", "ecmp-path", "ecmp-hop"],
    "hyperx:8x8": ["one-path", "ecmp-path"],
    "xgft:m=4x4x4,w=1x2x2": ["one-path", "up-down", "ecmp-path"],
    "multi-rail:rails=2,domains=16,units=4,spines=2": ["one-path", "rail", "ecmp-path"],
}


def run(program, arguments):
    for old in WORK.glob("out-*"):
        old.unlink()
    done = subprocess.run([program, *arguments, "--quiet"], cwd=WORK, capture_output=True, text=True)
    files = {path.name: path.read_text() for path in sorted(WORK.glob("out-*"))}
    return done.returncode, done.stdout, files, done.stderr


def numbers(a, b, at=""):
    """The largest relative difference of what both documents have, and the keys that one of them lacks."""
    if isinstance(a, dict) and isinstance(b, dict):
        missing = {f"{at}{key}" for key in a.keys() ^ b.keys()}
        found = [numbers(a[key], b[key], f"{at}{key}.") for key in a.keys() & b.keys()]
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        missing, found = set(), [numbers(x, y, at) for x, y in zip(a, b)]
    elif all(isinstance(x, (int, float)) for x in (a, b)):
        return abs(a - b) / max(abs(a), abs(b)) if a != b else 0.0, set()
    else:
        return 0.0, (set() if a == b else {f"{at} {a} | {b}".strip()[:200]})
    return max([0.0, *(f[0] for f in found)]), missing.union(*(f[1] for f in found))


def words(out):
    """Standard output and files as numbers and words."""
    text = re.split(r"[,\s]+", "\n".join([out[1], *out[2].values()]))
    number = re.compile(r"-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?")
    return [float(word) if number.fullmatch(word) else word for word in text]


def pair(writer, subject, spec, what, before, after):
    one, other = run(FORMER, before), run(PRESENT, after)
    if one[0] or other[0]:
        same, gap, keys = "refused" if one[0] == other[0] else "EXIT", "", (one[3] + " | " + other[3]).strip()[:200]
    elif one[1:3] == other[1:3]:
        same, gap, keys = "yes", 0, ""
    else:
        same, gap, keys = "no", "", ""
        try:
            gap, keys = numbers(json.loads(one[1]), json.loads(other[1]))
            keys = " ".join(sorted(keys))
        except ValueError:
            texts = ["\n".join([out[1], *out[2].values()]).splitlines() for out in (one, other)]
            only = [[line for line in text if line not in set(rest)] for text, rest in (texts, texts[::-1])]
            same_length = len(words(one)) == len(words(other)) and subject != "export"
            gap = numbers(words(one), words(other))[0] if same_length else ""
            keys = "" if same_length else " | ".join(" / ".join(lines[:3]) for lines in only)[:300]
    writer.writerow([subject, spec, what, same, gap if gap in ("", 0) else f"{gap:.2g}", keys])


def jobs(count, dice):
    nodes = list(range(count))
    dice.shuffle(nodes)
    text, at = "", 0
    for i in range(4):
        size = dice.choice([4, 8, 9])
        place, at = nodes[at : at + size], at + size
        guest = dice.choice([f"all-to-all:n={size}", f"ring:n={size}", f"random:n={size},degree=3,seed={i}"])
        text += f'[[jobs]]\nname = "{i}"\nguest = "{guest}"\nnodes = {place}\nbytes = "{dice.choice([1, 5, 20])}MB"\ncompute = "{dice.choice([1, 10])}ms"\nspread = {dice.choice([0, 0.2])}\n'
    (WORK / "jobs.toml").write_text(text)


def trace(dice, most):
    time, text = 0, ""
    for i in range(60):
        time += dice.randrange(60)
        size, seconds = dice.choice([1, 2, 4, 5, 8, 12, 16]), dice.randrange(50, 900)
        text += f"{i + 1} {time} 0 {seconds} {min(size, most)} -1 -1 {min(size, most)} {seconds} -1 1 1 1 1 1 1 -1 -1\n"
    (WORK / "jobs.swf").write_text(text)


with open("free.csv", "w", newline="") as out:
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["command", "machine", "what", "same_bytes", "largest_relative_difference", "what_differs"])
    for at, (spec, routings) in enumerate(NETWORKS.items()):
        dice = random.Random(at)
        count = int(json.loads(run(PRESENT, ["topology", spec, "--json"])[1])["nodes"])
        for routing in routings:
            for level in ["flow", "job"]:
                for seed in range(3):
                    jobs(count, random.Random(100 * at + seed))
                    for latency, fair in [("0s", "flow"), ("1us", "flow"), ("1us", "rtt")]:
                        common = ["corun", spec, "--jobs", "jobs.toml", "--routing", routing, "--level", level, "--latency", latency, "--fair", fair]
                        for form, what in [(["--json"], "json"), (["--links", "out-links.csv"], "csv and links")]:
                            pair(writer, "corun", spec, f"{routing} {level} {latency} {fair} {seed} {what}", common + form, common + form + ["--node-links", "free"])
            for guest in ["all-to-all:n=32", "stencil:4x4x2", "random:n=32,degree=4,seed=1"]:
                common = ["map", spec, "--guest", guest, "--order", "row-major", "--routing", routing]
                for form, what in [(["--json"], "json"), (["--links", "out-links.csv", "-o", "out-map.csv"], "links and mapping")]:
                    pair(writer, "map", spec, f"{routing} {guest} {what}", common + form, common + form)
            trace(random.Random(at), count)
            for model in ["share=0.3,guest=stencil3d", "share=0.5,guest=all-to-all", "compute=20ms,bytes=1MB,guest=ring,bandwidth=1GB/s,latency=1us"]:
                common = ["schedule", spec, "--order", "row-major", "--trace", "jobs.swf", "--policy", "easy", "--alloc", "fifo:0"]
                text = f"network:{model},routing={routing}"
                for form in [["--json"], []]:
                    pair(writer, "schedule", spec, f"{routing} {model} {'json' if form else 'csv'}", common + ["--model", text, *form],
                         common + ["--model", text + ",node_links=free,level=job", *form])
        for figures in [[], ["--bandwidth", "10GB/s", "--latency", "1us"]]:
            common = ["export", spec, "--order", "row-major", "--to", "simgrid", *figures]
            pair(writer, "export", spec, " ".join(["simgrid", *figures]), common, [*common, "--node-links", "free"])
