#!/usr/bin/env python3
"""Hostile inputs for the forms that came with node links, records and checked plans, made by rules of each form.

    generate.py BINARY [COUNT] [SEED] > rows.csv

Every form is a command with valid files. An input is the valid one with one part changed: the value of an option, a cell,
a row, a key, or the end of the file. A row says what was changed and how the command answered; a verdict other than `held`
is a fault:

    code     an exit code other than 0, 1 and 2, or a signal
    panic    `panicked` on standard error
    slow     more than 10 s of processor time, or a minute by the clock
    memory   more memory than --memory and what the program itself takes
    bare     a failure without a message
    silent   a change of meaning with the exit code, the output and the messages of the valid input
"""

import csv
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

MEMORY = 200_000_000
#: What the program takes besides: its text, stacks, and what is too small to be asked for.
ALLOWANCE = 80_000_000
SECONDS = 10

NUMBERS = ["0", "-1", "1.5", "1e308", "1e400", "nan", "inf", "-0", "", "0x10", "1_000", "\u0663", "4294967296",
           "18446744073709551616", "99999999999999999999999999999999", "1e-320", "7 7", "+5", "2147483648", "65537"]
WORDS = ["", " ", "=", ",", "\u00a0", "a" * 5000, "[", "]", "{", "n[", "n[9-1]", "n[1-", "../..", "-", "--", "'", '"', "\\",
         "\x1b[31m", "\u202e", "true", "/dev/null", "{:05}", "{}", "*"]

LINKS = ("node_bandwidth = '1GB/s'\nnode_latency = '1us'\nlink_bandwidth = '2GB/s'\nlink_latency = '20ns'\n"
         "switch_bandwidth = '9GB/s'\n")
JOBS = ("[[jobs]]\nname = 'a'\nguest = 'ring:n=4'\nnodes = '0-3'\nbytes = '1MB'\ncompute = '2ms'\n"
        "[[jobs]]\nname = 'b'\nguest = 'all-to-all:n=4'\nnodes = '4-7'\nbytes = 3000000\ncompute = 0.001\n")
FIT = ("pattern,nodes,bytes,seconds\nping-pong,\"[0,1]\",8,4e-6\nping-pong,\"[0,1]\",10000000,0.02\n"
       "ping-pong,\"[0,9]\",8,6e-6\nping-pong,\"[0,9]\",10000000,0.021\nring,0-7,1000000,0.002\n"
       "all-to-all,0-15,1000000,0.04\nall-to-all,0-7,1000000,0.008\n")
TREE = ("SwitchName=leaf0 Nodes=n[01-04] LinkSpeed=100\nSwitchName=leaf1 Nodes=n[05-08] LinkSpeed=200\n"
        "SwitchName=leaf2 Nodes=n[09-12] LinkSpeed=100\nSwitchName=leaf3 Nodes=n[13-16] LinkSpeed=100\n"
        "SwitchName=row0 Switches=leaf[0-1] LinkSpeed=400\nSwitchName=row1 Switches=leaf[2-3] LinkSpeed=400\n"
        "SwitchName=core Switches=row[0-1]\n")
WORKERS = ("job_id,submit_time,start_time,end_time,node_num,nodes\n"
           "7,2024-01-01 00:00:00,2024-01-01 00:01:00,2024-01-01 01:01:00,3,n01\n"
           "7,2024-01-01 00:00:00,2024-01-01 00:01:00,2024-01-01 01:01:00,3,n02\n"
           "8,2024-01-01 00:00:00,2024-01-01 00:01:00,2024-01-01 01:01:00,2,\"n04,n05\"\n"
           "7,2024-01-01 00:00:00,2024-01-01 00:01:00,2024-01-01 01:01:00,3,n09\n")
MILLIS = ("job_id,submit_time,start_time,end_time,node_num,state\n"
          "1,1704067200000,1704067260000,1704070800000,4,COMPLETED\n"
          "2,1704067300000,1704067360000,1704074400000,8,COMPLETED\n")
FRONTIER = ("; Computer: Frontier\n; MaxNodes: 9408\n"
            "1 0 10 3600 280000 -1 -1 280000 7200 -1 1 5 5 -1 1 -1 -1 -1 20000 7200 frontier:excl:2500x112\n"
            "2 60 10 3600 448 -1 -1 448 7200 -1 1 5 5 -1 1 -1 -1 -1 32 7200 frontier:excl:4x112\n"
            "3 70 10 3600 112 -1 -1 112 7200 -1 1 5 5 -1 1 -1 -1 -1 32 7200 frontier:excl:1x112\n")
NUMBERED = "host,rack\n" + "".join(f"{i},r{(i - 1) // 4}\n" for i in range(1, 17))
PLAN = ("name = 'p'\ntopologies = ['torus:4x4', 'xgft:m=4x4,w=1x2']\norderings = ['snake', 'bfs', 'order.txt']\n"
        "allocators = ['first-fit:1', 'span-best-fit']\ntraces = ['jobs.swf']\npolicies = ['easy', 'fcfs']\n"
        "models = ['fixed', 'network:share=0.3,guest=stencil3d']\ntransforms = ['none', 'load=0.5']\n"
        "guests = ['ring:n=4']\nroutings = ['one-path', 'ecmp-hop']\nseeds = [1, 2]\nprocs_per_node = [1]\nshape = true\n")
SWF = "; MaxNodes: 16\n1 0 -1 10 4 -1 -1 4 20 -1 1 1 1 1 1 1 -1 -1\n2 3 -1 9 2 -1 -1 2 20 -1 1 1 1 1 1 1 -1 -1\n"
ORDER = "# nodeorder 0.2.0\n# topology: torus:4x4 (torus:4x4)\n# ordering: mine\n# nodes: 16\n" + "".join(
    f"{i}\n" for i in [0, 1, 2, 3, 7, 6, 5, 4, 8, 9, 10, 11, 15, 14, 13, 12])


class Form:
    """A command with valid files.

    `slots` are texts of the arguments or of a file that carry meaning, each with what takes its place; numbers in
    `cells` files are replaced one by one, and their rows dropped, doubled and swapped.
    """

    def __init__(self, name, args, files=None, slots=(), cells=(), before=None, stdin=None):
        self.name, self.args, self.files = name, args, files or {}
        self.slots, self.cells, self.before, self.stdin = slots, cells, before, stdin


CORUN = "corun xgft:m=8x4,w=1x2 --jobs j.toml --json"
FORMS = [
    Form("node-links", CORUN + " --node-links shared --node-bandwidth 1GB/s --switch-bandwidth 5GB/s --latency 1us",
         {"j.toml": JOBS},
         [("args", "1GB/s", NUMBERS + ["1GB", "1 GB/s", "1Gb/s", "1e400GB/s", "-1GB/s", "0GB/s", "1EB/s"]),
          ("args", "5GB/s", NUMBERS + ["1B/s", "nanGB/s"]), ("args", "1us", NUMBERS + ["1 us", "-1us", "1ks", "1e300s"]),
          ("args", "shared", ["free", "Shared", "", "none", "shared,free"]),
          ("j.toml", "'1MB'", ["'-1MB'", "'1MBB'", "1e400", "''", "[]", "nan", "-0.0", "9223372036854775808", "'1e300GB'"]),
          ("j.toml", "'0-3'", ["'3-0'", "'0-4'", "['0-3', 0]", "[]", "'0-3,99'", "[0,1,2,3.0]", "{}", "'n[00-03]'", "-1"]),
          ("j.toml", "'2ms'", ["'-2ms'", "'2 min'", "inf", "'1e300s'", "true"]),
          ("j.toml", "ring:n=4", ["ring:n=5", "ring:n=0", "ring", "rings:n=4", "ring:n=4,n=4", "j.toml", "ring:n=99999999"])],
         ["j.toml"]),
    Form("links-file", CORUN + " --links-file links.toml", {"j.toml": JOBS, "links.toml": LINKS},
         [("links.toml", v, NUMBERS + ["'1kB/s'", "'3s'", "true", "[1]", "'x'"]) for v in ["'1GB/s'", "'1us'", "'2GB/s'", "'20ns'", "'9GB/s'"]]
         + [("links.toml", "node_bandwidth", ["node_bandwith", "bandwidth", "link_bandwidth", "[node_bandwidth]"])],
         ["links.toml"]),
    Form("fit", "corun xgft:m=8x4,w=1x2 --fit m.csv", {"m.csv": FIT},
         [("m.csv", "pattern,nodes", ["nodes,pattern", "Pattern,nodes", "pattern,node", "pattern,pattern", "nodes"]),
          ("m.csv", "ring,", ["rings,", ",", "all-to-all ,", "RING,"]), ("m.csv", "0-15", WORDS + ["0-32", "0,0", "5", "15-0"]),
          ("m.csv", "0.04", NUMBERS), ("m.csv", "10000000,0.021", ["0,0.021", "-8,0.021", "1e20,0.021", "8 kB,0.021"])],
         ["m.csv"]),
    Form("check", "topology slurm-topology:a.conf --check slurm-topology:b.conf", {"a.conf": TREE, "b.conf": TREE},
         [("b.conf", "row[0-1]", ["row0", "row[0-1],leaf0", "row[1-0]", "row[0-2]", "row[0-1],row0", "core", "*"]),
          ("b.conf", "n[01-04]", ["n[01-03]", "n[01-05]", "n[1-4]", "n[01-04],n01", "n04", "m[01-04]", "ALL", "n[01-04"]),
          ("b.conf", "leaf[2-3]", ["leaf2", "leaf[1-3]", "leaf[2-4]", "Leaf[2-3]", ""]),
          ("b.conf", "LinkSpeed=200", ["LinkSpeed=201", "LinkSpeed=0", "LinkSpeed=-1", "LinkSpeed=x", "LinkSpeed="]),
          ("args", "slurm-topology:b.conf", ["torus:4x4", "tiers:b.conf", "b.conf", "slurm-topology:a.conf,uplinks=2",
           "slurm-topology:a.conf,exclude=n01", "xgft:m=4x2x2,w=1x1x1", "", "slurm-topology:c.conf"])],
         ["b.conf"]),
    Form("hosts", "hosts torus:8x8 --nodes n[00-31] --per-node 2 --guest all-to-all:n=64 --time 0.5", {},
         [("args", "--time 0.5", ["--time " + n for n in NUMBERS + ["1s", "-0.5", "1e9x"]]),
          ("args", "--per-node 2", ["--per-node " + n for n in NUMBERS] + ["--per-node 3"]),
          ("args", "n[00-31]", WORDS + ["n[00-63]", "n00,n00", "0-31", "31-0", "0-99", "-1,2", "n[00-31]x", "64"]),
          ("args", "all-to-all:n=64", ["all-to-all:n=63", "all-to-all:n=65", "ring", "stencil:8x8x8", "parallel:tp=2",
           "parallel:tp=8,pp=8,dp=1", "butterfly:n=63", "all-to-all:n=0", "all-to-all:n=1000000"])]),
    Form("shipped-options", "topology hopper,limit=4 --json", {},
         [("args", "hopper,limit=4", [f"hopper,limit={n}" for n in NUMBERS]
           + ["hopper,limt=4", "hopper,exclude=3", "hopper,exclude=99999999", "hopper,limit=4,limit=5", "hopper,", "hopper,=4",
              "hopper:limit=4", "hopper,name=x", "gb200-nvl72,limit=8", "gb200-nvl72,gpus=false", "titan,limit=4", "hopper,dims=4x4",
              "hopper,kind=mesh", "hopper,per_router=9", "aurora,names=x{:0}", "frontier,p=1", "titan,exclude=0-99", "Hopper,limit=4",
              "alps,seed=3", "fugaku,wrap=0", "hopper ,limit=4", "hopper,exclude=n[0-2", "theta,global=single", "archer2,h=0"])]),
    Form("rows-of-one-job", "trace convert w.csv --to placements", {"w.csv": WORKERS},
         [("w.csv", ",3,n02", [",4,n02", ",-3,n02", ",,n02", ",3,", ",3,n01", ",3,n02 n03", ",3,n[02", ",0,n02", ",x,n02"]),
          ("w.csv", "01:01:00,3,n09", ["01:02:00,3,n09", "00:00:30,3,n09", ",3,n09", "25:01:00,3,n09", "01:01:00,3,n09,x"]),
          ("w.csv", "7,2024-01-01 00:00:00,2024-01-01 00:01:00,2024-01-01 01:01:00,3,n02",
           ["7,2024-01-01 00:00:00,2024-01-01 00:02:00,2024-01-01 01:01:00,3,n02",
            " 7 ,2024-01-01 00:00:00,2024-01-01 00:01:00,2024-01-01 01:01:00,3,n03", "7,,,,3,n02", "7"]),
          ("w.csv", "job_id,submit_time", ["job_id,job_id", "submit_time,job_id", "jobid,submit", "", "id,submit_time"]),
          ("args", "--to placements", ["--to placements --columns job=job_id,start=start_time,end=end_time,nodes=node_num,list=nodes",
           "--to placements --columns job=nope,start=start_time", "--to placements --columns alcf", "--to log", "--to placement"])],
         ["w.csv"]),
    Form("milliseconds", "trace info ms.csv --json", {"ms.csv": MILLIS},
         [("ms.csv", "1704070800000", ["1704070800", "-1", "1704067200000000", "1704070800000.5", "0", "1e12", "", "nan", "2024-01-01"]),
          ("ms.csv", "1704067260000", ["1704067260", "1704067260000000000", "99999999999999999999", "1704070900000", ""]),
          ("args", "--json", ["--json --columns job=job_id,submit=submit_time,start=start_time,end=end_time,nodes=node_num,unit=" + u
           for u in ["s", "ms", "us", "", "min", "MS"]])],
         ["ms.csv"]),
    Form("field-21", "trace convert f.swf --to log", {"f.swf": FRONTIER},
         [("f.swf", "frontier:excl:2500x112", ["frontier:excl:2501x112", "frontier:excl:0x112", "frontier:excl:-1x112",
           "frontier:excl:x", "frontier:excl:2500", "frontier:excl:2500x0", "frontier:excl:99999999999x1", "frontier::2500x112",
           "frontier:share:2500x112", "a:b:c:d", "", "frontier:excl:2500x112 7", "frontier:excl:9409x1", "frontier:excl:1e3x112"]),
          ("f.swf", "; MaxNodes: 9408", ["; MaxNodes: 100", "; MaxNodes: 0", "; MaxNodes: -5", "; MaxNodes: x", "; MaxProcs: 4"])],
         ["f.swf"]),
    Form("uplinks", "map slurm-topology:t.conf,uplinks=8 --guest all-to-all:n=16 --order row-major --json",
         {"t.conf": TREE.replace("200", "100").replace("400", "100")},
         [("args", "uplinks=8", [f"uplinks={n}" for n in NUMBERS] + ["uplink=8", "uplinks=8,uplinks=9", "uplinks", "uplinks=2x4"])]),
    Form("link-speed", "map slurm-topology:t.conf --guest all-to-all:n=16 --order row-major --json", {"t.conf": TREE},
         [("t.conf", "LinkSpeed=200", [f"LinkSpeed={n}" for n in NUMBERS] + ["linkspeed=300", "LinkSpeed=200Gb/s",
           "LinkSpeed=200 LinkSpeed=300", "LinkSped=200", "LinkSpeed", "LinkSpeed 200"]),
          ("t.conf", "row0 Switches", ["row0 Nodes", "row0 switches", "row0  Swiches", "row1 Switches"])], ["t.conf"]),
    Form("prices", "compare torus:4x4x4 xgft:m=16x4,w=1x4 --prices links=300,node_links=100,routers=8000,nodes=10000", {},
         [("args", "links=300,", [f"links={n}," for n in NUMBERS] + ["link=300,", "links=300,links=400,", ",", "links,", "links=300;"]),
          ("args", "node_links=100", [f"node_links={n}" for n in NUMBERS] + ["nodelinks=100", "cables=5"]),
          ("args", "routers=8000", ["routers=8,000", "routers=8k", "switches=8000", "routers=", "routers=-8000"]),
          ("args", "xgft:m=16x4,w=1x4", ["torus:4x4x4", "torus:4x4x4,name=torus:4x4x4", "gnm:n=10,m=3", "graph:/dev/null"])]),
    Form("plan", "sweep p.toml --out out", {"p.toml": PLAN, "jobs.swf": SWF, "order.txt": ORDER},
         [("p.toml", "'torus:4x4'", ["'tours:4x4'", "'torus:4x4,limit=17'", "'torus:4x4', 'torus:4x4'", "4", "[]", "'torus:0x4'",
           "'-'", "'order.txt'", "''", "'graph:order.txt'", "'torus:4x4,exclude=3'"]),
          ("p.toml", "'snake'", ["'snale'", "'snake:axes=xz'", "'no.txt'", "'-'", "'jobs.swf'", "'optimise:time=1'", "'/dev/zero'"]),
          ("p.toml", "'first-fit:1'", ["'first-fit:0'", "'first-fit:1:2'", "'firstfit'", "'mc1x1:linear'", "'slurm-block:sizes=3'"]),
          ("p.toml", "'jobs.swf'", ["'jobs.log'", "'order.txt'", "'/dev/urandom'", "'poisson:jobs=-1'", "'poisson:jobs=5'", "'.'"]),
          ("p.toml", "'easy'", ["'esay'", "'easy:interval=0'", "'window-bnb:window=0'", "'easy:window=5'"]),
          ("p.toml", "'fixed'", ["'fixed:x=1'", "'network:share=2'", "'network:share=0.3,guest=no'", "'network:links=no.toml'",
           "'network:app=bt'", "'network:speed=1Gf,apps=p.toml'"]),
          ("p.toml", "'load=0.5'", ["'load=0'", "'load=nan'", "'after=1e400'", "'replicate=0'", "'before=1,after=5'"]),
          ("p.toml", "'ring:n=4'", ["'ring:n=0'", "'ring'", "'ring:n=99999999999'", "'jobs.swf'", "'stencil:2x'"]),
          ("p.toml", "[1, 2]", ["[1, 1]", "[-1]", "[1.5]", "['a']", "[18446744073709551616]", "[[1]]", "5", "[]", "true"]),
          ("p.toml", "[1]\n", ["[0]\n", "[4294967296]\n", "[-2]\n", "['1', 1]\n", "{}\n", "[1\n"]),
          ("p.toml", "guests =", ["guest =", "[guests]\nx =", "guests = []\nguests2 =", "guests ="]),
          ("p.toml", "shape = true", ["shape = 1", "shape = 'true'", "room = maybe", "shapes = true", "shape = true\nshape = true"]),
          ("order.txt", "# nodes: 16", ["# nodes: 15", "# nodes: 17"]), ("order.txt", "torus:4x4 (torus:4x4)", ["torus:2x8 (torus:2x8)"]),
          ("order.txt", "\n15\n", ["\n16\n", "\n14\n", "\n\n", "\nx\n", "\n-1\n"])], ["p.toml", "order.txt"]),
    Form("multi-rail", "topology multi-rail:rails=4,domain=4,domains=8,units=2,spines=4,gpus=true,nvlink_capacity=18 --json", {},
         [("args", f"{key}={value}", [f"{key}={n}" for n in NUMBERS] + [f"{key}={value},{key}={value}", f"{key}s={value}", f"{key}="])
          for key, value in [("rails", 4), ("domain", 4), ("domains", 8), ("units", 2), ("spines", 4), ("nvlink_capacity", 18)]]
         + [("args", "gpus=true", ["gpus=false", "gpus=1", "gpus", "gpus=TRUE", "nodes=4000", "nodes=0", "nvlink=3"])]),
    Form("report", "report folder", {}, [], [], before="sweep"),
    Form("numeric-names", "hosts tiers:num.csv --nodes 1,3,9 --by row-major", {"num.csv": NUMBERED},
         [("args", "1,3,9", ["0", "17", "1-16", "0-3", "-1,2", "1,1", "01", "1.0", "1,3,n9", "[1,3]", "1, 3", "9-1", "n1", "1,3,17"]),
          ("args", "tiers:num.csv", [f"tiers:num.csv,exclude={x}" for x in ["1", "0", "17", "16", "1-4", "99", "n1", "-1", ""]]
           + ["tiers:num.csv,limit=3", "tiers:num.csv,names=n{:02}"]),
          ("num.csv", "9,r2", ["09,r2", "8,r2", "n9,r2", "9 ,r2", ",r2", "9,", "9,r2,x", "-9,r2", "9.0,r2", "\u0669,r2"]),
          ("num.csv", "host,rack\n", ["", "rack,host\n", "host\n", "host,host\n", "HOST,RACK\n"])], ["num.csv"]),
    Form("numeric-names-order", "mpc tiers:num.csv --order order.txt --sizes 2", {"num.csv": NUMBERED, "order.txt": ORDER},
         [("order.txt", "\n15\n", ["\n16\n", "\n14\n", "\nx\n"]),
          ("order.txt", "# nodes: 16", ["# nodes: 16\n# names: below", "# names: below", "# nodes: 16\n# names"])], ["order.txt"]),
    Form("other-machine", "mpc torus:4x4 --order order.txt --sizes 2,4", {"order.txt": ORDER},
         [("order.txt", "torus:4x4 (torus:4x4)", ["torus:2x8 (torus:2x8)", "x (mesh:4x4)", "(", "torus:4x4", "torus:4x4 (torus:4x4",
           "a" * 4000, "\x1b[31m (x)", "torus:4x4 (torus:4x4,double=true)"]),
          ("args", "torus:4x4", ["torus:2x8", "mesh:4x4", "torus:4x4,limit=15", "torus:4x4,exclude=3", "torus:4x5", "torus:16,per_router=1"])],
         ["order.txt"]),
    Form("names", "order torus:4x4,names=x{4000-4003}c{0-3} --by snake --names", {},
         [("args", "x{4000-4003}c{0-3}", ["x{4000-4003}", "x{4003-4000}c{0-3}", "x{}c{0-3}", "x{:05}c{0-3}", "x{0-1}{0-15}",
           "x{4000-4003}c{0-3", "x4000", "{:05+1000}", "{:05-1}", "{0-99999999999}", "{:99999999}", "x{4000-4003}c{0-4}", "x{1-2,2-3}c{0-3}",
           "x{a-b}c{0-3}", "{:}", "{:05+}", "{}{}", "", "no.csv", "x{00-3}c{0-3}"])]),
    Form("negative-values", "mpc torus:4x4 --order snake --sizes 2,4", {},
         [("args", "--sizes 2,4", ["--sizes -1,2", "--sizes=-1,2", "--sizes -2-4", "--sizes -", "--sizes -.5", "--sizes --", "--threads -1,2",
           "--seed -1", "--memory -5M", "--plot -1.svgx", "-o -1/x", "-1", "-- -1", "--sizes -1 -2", "--json -1"])]),
]

#: Options that read a file: an endless one must end with an error.
ENDLESS = [
    "topology graph:{}", "topology tiers:{}", "topology slurm-topology:{}", "topology k8s-nodes:{}", "topology {}",
    "topology torus:4x4,names={}", "topology torus:4x4,exclude={}", "topology torus:4x4 --check graph:{}",
    "corun torus:4x4 --jobs {}", "corun torus:4x4 --fit {}", "corun torus:4x4 --jobs j.toml --links-file {}",
    "hosts torus:4x4 --nodes {}", "audit torus:4x4 --trace {}", "trace info {}", "trace convert {} --to log", "trace convert {} --to swf",
    "trace convert {} --to placements --from csv", "trace transform {} --replicate 2", "sweep {} --out out", "mpc torus:4x4 --order {}",
    "replay torus:4x4 --order snake --alloc fifo:0 --log {}", "schedule torus:4x4 --order snake --policy easy --alloc fifo:0 --trace {}",
    "map torus:4x4 --guest {} --order snake", "map torus:4x4 --guest ring:n=4 --mapping {}", "compare torus:4x4 --trace {}",
]
#: Changes that keep the meaning: case that does not count, other words for one thing, what is below the unit of the output,
#: or what the answer does not depend on.
ALIKE = {
    ("field-21", "; MaxNodes: 0"), ("field-21", "; MaxNodes: -5"),  # unknown: no job is larger than what is unknown
    ("field-21", "frontier::2500x112"), ("field-21", "frontier:share:2500x112"),  # the mode is not read
    ("rows-of-one-job", ",,n02"), ("rows-of-one-job", ",0,n02"),  # the first row of the job has the count
    ("milliseconds", "1704070800"), ("milliseconds", "1704067260"),  # the same time in seconds: read as such
    ("numeric-names", "09,r2"), ("numeric-names", "9 ,r2"),  # one name, padded
    ("node-links", "[0,1,2,3.0]"), ("hosts", "--time +5"), ("hosts", "--time 1.5"), ("hosts", "--time 5"),
    ("numeric-names", "tiers:num.csv,names=n{:02}"),  # numbers are ids then; hosts come back as they are called there
    ("numeric-names", "tiers:num.csv,exclude=16"), ("numeric-names", "HOST,RACK\n"),
    ("numeric-names", "rack,host\n"),  # the first column holds hosts, whatever its name
    ("numeric-names-order", "# nodes: 16\n# names"),  # without a colon it is a comment
    ("milliseconds", "1704070800000.5"), ("link-speed", "row0 switches"), ("hosts", "--time 65537"),
    ("hosts", "--time 2147483648"), ("hosts", "--time 4294967296"), ("other-machine", "torus:4x4"),
}
SOURCES = ["/dev/zero", "/dev/urandom", "lines", "numbers"]


#: Commands that say something, with nobody to read it.
CLOSED = ["topology torus:nodes=100", "topology tours:4x4", "mpc torus:2x8 --order order.txt", "corun torus:4x4 --jobs j.toml",
          "sweep p.toml --out out", "trace convert f.swf --to log", "hosts torus:4x4 --nodes 0-3", "trace info w.csv --json",
          "topology slurm-topology:t.conf --check torus:4x4", "compare torus:4x4 mesh:4x4"]


def files_of(folder):
    """The bytes of all files below a folder that the command wrote."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def run(binary, args, folder, memory=MEMORY, feed=None, closed=None):
    """Runs the command: exit code or signal, output, messages, bytes of memory."""
    stdin = subprocess.PIPE if feed else subprocess.DEVNULL
    out, err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
    line = [binary, *args, "--memory", str(memory)]
    reader, pipe = os.pipe()
    os.close(reader)
    streams = {"stdout": out, "stderr": err} | ({closed: pipe} if closed else {})
    child = subprocess.Popen(line, cwd=folder, stdin=stdin, **streams)
    os.close(pipe)
    late = []
    timer = threading.Timer(60, lambda: (late.append(1), child.kill()))
    timer.start()
    if feed:
        try:
            while True:
                child.stdin.write(feed)
        except (BrokenPipeError, OSError):
            pass
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    timer.cancel()
    out.seek(0), err.seek(0)
    slow = late or usage.ru_utime + usage.ru_stime > SECONDS
    return ("slow" if slow else child.returncode, out.read(), err.read().decode(errors="replace"),
            usage.ru_maxrss * 1024)


def verdict(result, valid, meaning, memory=MEMORY):
    code, out, err, used = result
    if code == "slow":
        return "slow"
    if "panicked" in err:
        return "panic"
    if code not in (0, 1, 2):
        return "code"
    if used > memory + ALLOWANCE:
        return "memory"
    if code and not err.strip():
        return "bare"
    if meaning and valid and (code, out, err) == valid:
        return "silent"
    return "held"


def split(args):
    """Words of a command line; a word may be empty where nothing stands between two blanks."""
    return args.split(" ")


def write(folder, files):
    for name, text in files.items():
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())


def changed(form, dice):
    """One change of the valid input: what was changed, the arguments, the files, whether the meaning changes."""
    kinds = (["slot"] * 4 if form.slots else []) + (["number", "rows", "end", "bytes"] if form.cells else [])
    kind = dice.choice(kinds)
    files, args = dict(form.files), form.args
    if kind == "slot":
        where, old, new = dice.choice(form.slots)
        value = dice.choice(new)
        text = args if where == "args" else files[where]
        assert old in text, (form.name, old)
        if where == "args":
            args = args.replace(old, value, 1)
        else:
            files[where] = text.replace(old, value, 1)
        return f"{where}: {old} becomes {value[:40]}", args, files, old != value and (form.name, value) not in ALIKE
    name = dice.choice(form.cells)
    text = files[name]
    if kind == "number":
        starts = [i for i in range(len(text)) if text[i].isdigit() and (i == 0 or not text[i - 1].isdigit())
                  and not text[text.rfind("\n", 0, i) + 1:].startswith(("#", ";"))]
        at = dice.choice(starts)
        end = at
        while end < len(text) and text[end].isdigit():
            end += 1
        value = dice.choice(NUMBERS)
        files[name] = text[:at] + value + text[end:]
        return f"{name}: number {text[at:end]} at {at} becomes {value}", args, files, False
    if kind == "rows":
        lines = text.splitlines(keepends=True)
        a, b = dice.randrange(len(lines)), dice.randrange(len(lines))
        way = dice.choice(["dropped", "doubled", "swapped"])
        # A host less that no job asks for changes nothing.
        meaning = way == "dropped" and not lines[a].startswith(("#", ";")) and name != "num.csv"
        if way == "dropped":
            del lines[a]
        elif way == "doubled":
            lines.insert(b, lines[a])
        else:
            lines[a], lines[b] = lines[b], lines[a]
        files[name] = "".join(lines)
        return f"{name}: row {a + 1} {way}", args, files, meaning
    if kind == "end":
        at = dice.randrange(len(text))
        files[name] = text[:at]
        return f"{name}: cut at {at}", args, files, False
    at = dice.randrange(len(text))
    piece = dice.choice([b"\0", b"\xff\xfe", b"\r\n", b"\xef\xbb\xbf", b"\x1b[2J", b"\xe2\x80\xae", b"=", b",", b'"', b"'", b"\t", b"#"])
    raw = text.encode()
    files[name] = raw[:at] + piece + raw[at:]
    return f"{name}: {piece!r} at {at}", args, files, False


def damaged(folder, dice):
    """A change of a sweep's folder, and whether the meaning changes."""
    table, manifest = folder / "results.csv", folder / "manifest.json"
    text = table.read_text()
    lines = text.splitlines(keepends=True)
    way = dice.choice(["rows cut", "row dropped", "cell", "manifest gone", "manifest cut", "manifest changed", "table gone",
                       "table empty", "both cut", "column dropped", "journal beside", "gz beside", "folder in the place"])
    at = dice.randrange(1, len(lines))
    if way == "rows cut":
        table.write_text("".join(lines[:at]))
    elif way == "row dropped":
        table.write_text("".join(lines[:at] + lines[at + 1:]))
    elif way == "cell":
        cells = lines[at].split(",")
        cells[dice.randrange(len(cells))] = dice.choice(NUMBERS + WORDS[:3] + ["abc"])
        table.write_text("".join(lines[:at]) + ",".join(cells).rstrip("\n") + "\n" + "".join(lines[at + 1:]))
        if dice.random() < 0.7:
            manifest.unlink()
    elif way == "manifest gone":
        manifest.unlink()
    elif way == "manifest cut":
        manifest.write_text(manifest.read_text()[: dice.randrange(len(manifest.read_text()))])
    elif way == "manifest changed":
        manifest.write_text(manifest.read_text().replace(dice.choice(["results", "cells", "plan", "0.2.0"]), dice.choice(["x", "[]", "7"]), 1))
    elif way == "table gone":
        table.unlink()
    elif way == "table empty":
        table.write_text("")
    elif way == "both cut":
        table.write_text("".join(lines[:at]))
        manifest.unlink()
    elif way == "column dropped":
        gone = dice.randrange(lines[0].count(",") + 1)
        kept = [",".join(c for i, c in enumerate(row.rstrip("\n").split(",")) if i != gone) for row in lines]
        table.write_text("\n".join(kept) + "\n")
        manifest.unlink()
    elif way == "journal beside":
        (folder / "sweep.journal").write_text("x")
    elif way == "gz beside":
        (folder / "results.csv.gz").write_bytes(b"\x1f\x8b" + bytes(20))
    else:
        table.unlink()
        table.mkdir()
    return f"folder: {way} at {at}", way not in ("journal beside", "gz beside", "manifest changed")


def main():
    binary = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 600
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    dice = random.Random(seed)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["form", "change", "code", "said", "verdict"])
    home = Path(tempfile.mkdtemp())
    # A sweep's folder for `report`.
    made = home / "made"
    made.mkdir()
    write(made, {"p.toml": PLAN, "jobs.swf": SWF, "order.txt": ORDER})
    code, _, said, _ = run(binary, ["sweep", "p.toml", "--out", "folder"], made)
    assert code == 0, said
    valid = {}
    closed = [(line, stream) for line in CLOSED for stream in ("stdout", "stderr")]
    endless = len(ENDLESS) * len(SOURCES) + len(closed)
    for number in range(max(count - endless, 0)):
        form = FORMS[number % len(FORMS)]
        folder = home / "work"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        if form.name not in valid and not form.before:
            write(folder, form.files)
            first = run(binary, split(form.args), folder)
            assert first[0] == 0, (form.name, first[2])
            valid[form.name] = (first[0], first[1] + repr(files_of(folder / "out")).encode() if form.name == "plan" else first[1], first[2])
            shutil.rmtree(folder)
            folder.mkdir()
        if form.before:
            shutil.copytree(made / "folder", folder / "folder")
            change, meaning = damaged(folder / "folder", dice)
            result = run(binary, split(form.args), folder)
            # A table without its manifest is drawn, and the page says that it has none.
            page = folder / "folder" / "index.html"
            drawn = page.read_bytes() if page.exists() else b""
            if "whole" not in valid:
                whole = home / "whole"
                shutil.copytree(made, whole)
                run(binary, split(form.args), whole)
                valid["whole"] = (0, (whole / "folder" / "index.html").read_bytes(), "")
            result = (result[0], drawn, result[2], *result[3:])
            known = valid["whole"]
        else:
            change, args, files, meaning = changed(form, dice)
            write(folder, files)
            result = run(binary, split(args), folder)
            known = valid[form.name]
            if form.name == "plan":
                result = (result[0], result[1] + repr(files_of(folder / "out")).encode(), *result[2:])
        said = " ".join(result[2].split())[:160]
        out.writerow([form.name, change, result[0], said, verdict(result, known, meaning)])
        sys.stdout.flush()
    for line, stream in closed if count >= endless else []:
        folder = home / "work"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        write(folder, {"p.toml": PLAN, "jobs.swf": SWF, "order.txt": ORDER, "j.toml": JOBS, "f.swf": FRONTIER, "w.csv": WORKERS,
                       "t.conf": TREE})
        result = run(binary, split(line), folder, closed=stream)
        said = " ".join(result[2].split())[:160]
        bare = stream == "stderr" and result[0] in (1, 2)
        out.writerow(["closed", f"{line} with {stream} closed", result[0], said, "held" if bare else verdict(result, None, False)])
        sys.stdout.flush()
    for line in ENDLESS if count >= endless else []:
        for source in SOURCES:
            folder = home / "work"
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            write(folder, {"j.toml": JOBS})
            feed = {"lines": b"leaf0 n1,n2\n", "numbers": b"5\n" * 1000}.get(source)
            args = split(line.replace("{}", "/dev/stdin" if feed else source))
            result = run(binary, args, folder, 50_000_000, feed)
            said = " ".join(result[2].split())[:160]
            held = verdict(result, None, False, 50_000_000)
            out.writerow(["endless", f"{line} of {source}", result[0], said, "silent" if held == "held" and result[0] == 0 else held])
            sys.stdout.flush()
    shutil.rmtree(home)


if __name__ == "__main__":
    main()
