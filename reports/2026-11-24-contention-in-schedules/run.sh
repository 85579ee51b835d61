#!/usr/bin/env bash
# Makes rows.csv: schedules of Poisson arrivals on three networks of 256 nodes, two loads, two allocators, ten seeds, each with
# the trace's run times (none) and with the model `network` (shared). Needs nodeorder and Python 3.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
here=$(cd "$(dirname "$0")" && pwd)
cd "$scratch"
printf 'app,weight,guest,share\nstencil,2,stencil3d,0.3\nall-to-all,1,all-to-all,0.3\nring,1,ring,0.3\n' >apps.csv
echo network,load,allocator,sharing,seed,mean_wait,mean_response,max_wait,makespan,node_hours,hours_lost_links,hours_lost_sharing >rows.csv
for seed in $(seq 10); do
  for load in 0.5 0.7; do
    # Five sizes, 24.8 nodes on the mean, for an hour each: so many a second.
    rate=$(python3 -c "print($load * 256 / (3600 * 24.8))")
    nodeorder trace generate "poisson:jobs=1500,rate=$rate,sizes=4x8x16x32x64,estimate=2" --seed "$seed" -o t.swf --quiet
    for network in torus:8x8x4 dragonfly:p=4,a=8,h=1,g=8 xgft:m=16x16,w=1x4; do
      for allocator in fifo:0 span-best-fit; do
        for sharing in none shared; do
          case $sharing in
            none) model=fixed ;;
            shared) model=network:apps=apps.csv,routing=one-path ;;
          esac
          nodeorder schedule "$network" --order row-major --trace t.swf --policy easy --alloc $allocator \
            --model $model --seed "$seed" --threads 1 --quiet --json >s.json
          python3 - "$network" $load $allocator $sharing "$seed" <<'P' >>rows.csv
import json, sys
network, load, allocator, sharing, seed = sys.argv[1:]
s = json.load(open("s.json"))
hours = s["utilisation"] * s["nodes"] * s["makespan"] / 3600
figures = [s["mean_wait"], s["mean_response"], s["max_wait"], s["makespan"], hours, s.get("hours_lost_links") or 0, s.get("hours_lost_sharing") or 0]
print(f'"{network}"', load, allocator, sharing, seed, *(f"{f:.10g}" for f in figures), sep=",")
P
        done
      done
    done
  done
done
mv rows.csv "$here/rows.csv"
