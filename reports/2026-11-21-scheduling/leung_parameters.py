"""Makespans of Leung's Table 1 stream under other weights of the contention model: python3 leung_parameters.py nodeorder"""
import json, random, statistics, subprocess, sys, tempfile, os

STRATEGIES = [("fifo:0", "row-major"), ("span-best-fit", "row-major"), ("fifo:0", "hilbert"),
              ("span-sum-of-squares", "hilbert"), ("span-first-fit", "hilbert"), ("span-best-fit", "hilbert")]
MODELS = ["latency=1,sharing=0", "latency=0.5,sharing=0.1", "latency=1,sharing=0.5,share=load",
          "latency=0.5,sharing=0.2,routing=ecmp-path"]


def stream(seed, path):
    sizes = [2] * 91 + [5] * 33 + [25] * 31 + [30] * 33
    random.Random(seed).shuffle(sizes)
    for _ in range(4):
        sizes.remove(30)
    sizes = [30] * 4 + sizes
    sizes.append(sizes.pop(len(sizes) - 1 - sizes[::-1].index(2)))
    with open(path, "w") as out:
        for i, n in enumerate(sizes):
            out.write(f"{i + 1} {76 * i} -1 900 {n} -1 -1 {n} 900 -1 1 -1 -1 -1 -1 -1 -1 -1\n")


with tempfile.TemporaryDirectory() as folder:
    traces = [os.path.join(folder, f"{seed}.swf") for seed in (1, 2, 3)]
    for seed, path in enumerate(traces, 1):
        stream(seed, path)
    print("model,strategy,ordering,mean_makespan_s")
    for model in MODELS:
        for strategy, ordering in STRATEGIES:
            spans = []
            for path in traces:
                command = [sys.argv[1], "schedule", "cplant-test", "--order", ordering, "--trace", path, "--policy",
                           "size-first", "--alloc", strategy, "--model", f"contention:{model}", "--json"]
                spans.append(json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["makespan"])
            print(f'"{model}",{strategy},{ordering},{statistics.mean(spans):.0f}')
