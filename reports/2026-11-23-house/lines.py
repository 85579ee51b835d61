#!/usr/bin/env python3
"""lines.py COMMIT…: code lines of src/ by room at each commit, without tests (tests.rs, tests/, what follows the first
`#[cfg(test)]` of a file), comments and blanks. Run in the project's root; writes CSV to standard output."""
import subprocess
import sys
from collections import Counter


def git(*words):
    return subprocess.run(["git", *words], capture_output=True, check=True, text=True).stdout


print("commit,room,code_lines")
for commit in sys.argv[1:]:
    commit, rooms = git("rev-parse", "--short", commit).strip(), Counter()
    for path in git("ls-tree", "-r", "--name-only", commit, "src").splitlines():
        parts = path.split("/")
        if not path.endswith(".rs") or parts[-1] == "tests.rs" or "tests" in parts[:-1]:
            continue
        for line in git("show", f"{commit}:{path}").splitlines():
            line = line.strip()
            if line.startswith("#[cfg(test)]"):
                break
            rooms[parts[1].removesuffix(".rs")] += bool(line) and not line.startswith("//")
    for room, count in sorted(rooms.items()) + [("all", sum(rooms.values()))]:
        print(f"{commit},{room},{count}")
