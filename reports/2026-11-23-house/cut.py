#!/usr/bin/env python3
"""The library as five crates: lines of each, names that one takes from another, and those of them that are not public
today. Run in the project's root; writes CSV to standard output. Names are those of `use crate::…` outside of tests."""
import pathlib
import re
from collections import Counter, defaultdict

CRATES = {
    "base": "ids error ratio random observer partition ranks blocks input params registry",
    "network": "topology pair_sums",
    "orders": "ordering metric trace",
    "placing": "allocator mapping replay corun throughput schedule audit",
    "top": "columns machines export layout plot report catalog reference sweep",
}
CRATE_OF = {room: crate for crate, rooms in CRATES.items() for room in rooms.split()}
ITEM = re.compile(r"^\s*pub(\([^)]*\))? (?:const |async )*(?:fn|struct|enum|trait|type|const|static) (\w+)", re.M)
USE = re.compile(r"use crate::(\w+)((?:::\w+)*)(?:::\{([^}]*)\})?;")

lines, public, taken = Counter(), set(), defaultdict(set)
for path in sorted(pathlib.Path("src").rglob("*.rs")):
    room = path.parts[1].removesuffix(".rs")
    if room not in CRATE_OF:
        continue
    text = path.read_text(encoding="utf8")
    lines[CRATE_OF[room]] += text.count("\n")
    public |= {(room, name) for within, name in ITEM.findall(text) if not within}
    for source, way, names in USE.findall(text.split("\n#[cfg(test)]\nmod tests")[0]):
        crate = CRATE_OF.get(source)
        if source == "error" or crate in (None, CRATE_OF[room]):
            continue
        names = [name.strip().split("::")[-1].split(" as ")[0] for name in names.split(",")] if names else [way.split("::")[-1]]
        taken[CRATE_OF[room], crate] |= {(source, name) for name in names if name and name != "self"}

print("crate,from,lines,names,not_public")
for crate in CRATES:
    print(f"{crate},,{lines[crate]},,")
for (crate, source), names in sorted(taken.items()):
    print(f"{crate},{source},,{len(names)},{len(names - public)}")
