#!/usr/bin/env python3
"""units.py TIMING.html: seconds by the clock of each unit of `cargo build --timings`, the longest first, as CSV."""

import json
import re
import sys

text = open(sys.argv[1], encoding="utf-8").read()
(found,) = re.findall(r"^const UNIT_DATA = (\[.*?^\]);", text, re.M | re.S)
units = json.loads(found)
print("unit,what,seconds")
for unit in sorted(units, key=lambda unit: -unit["duration"]):
    print(f"{unit['name']} {unit['version']},{(unit.get('target') or '').strip() or 'library'},{unit['duration']:.1f}")
