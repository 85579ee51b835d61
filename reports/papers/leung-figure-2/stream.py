"""The test stream of section 4 as a trace: 91 jobs of 2 nodes, 33 of 5, 31 of 25, 33 of 30, by seed.

Four large jobs first, to fill the machine, then all others shuffled, a small one last; released evenly over four hours. How long
a job takes on an empty machine is not published: 900 s each.
"""

import random
import sys

draw = random.Random(int(sys.argv[1]))
sizes = [2] * 90 + [5] * 33 + [25] * 31 + [30] * 29
draw.shuffle(sizes)
sizes = [30] * 4 + sizes + [2]
for i, size in enumerate(sizes):
    submit = i * 4 * 3600 // len(sizes)
    print(i + 1, submit, -1, 900, size, -1, -1, size, 900, -1, 1, *[-1] * 7)
