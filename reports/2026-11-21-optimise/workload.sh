#!/bin/sh
# Searched against classic orderings, in MPC and in the replay: workload.sh NODEORDER THETA.swf.gz SECONDS
set -eu
program=$1 trace=$2 seconds=$3
alloc="--alloc first-fit:1 --alloc span-best-fit --alloc slurm-best-fit"
"$program" order theta --by "optimise:weights=workload,sizes=$trace,time=$seconds" -o theta-workload.txt
# Titan as Albing counts it, one place a torus coordinate: what `titan` named then.
spec() { if [ $1 = titan ]; then echo torus:25x32x24,limit=18944; else echo $1; fi; }
for machine in titan hopper; do
  "$program" order $(spec $machine) --by "optimise:weights=workload,sizes=log-uniform,time=$seconds" \
    -o $machine-workload.txt
done
"$program" trace generate log:sizes=log-uniform,placements=30000,nodes=18944,load=0.9 -o titan.log
"$program" trace generate log:sizes=log-uniform,placements=30000,nodes=6528,load=0.9 -o hopper.log
for machine in theta titan hopper; do
  "$program" compare $(spec $machine) --json | python3 -c '
import json, sys
for row in json.load(sys.stdin)["entries"]: print("--order\n" + row["label"])' > orders.txt
  log=$machine.log
  [ $machine = theta ] && log=$trace
  xargs -a orders.txt "$program" compare $(spec $machine) --order $machine-workload.txt --trace "$log" $alloc --json \
    > $machine.json
done
rm orders.txt titan.log hopper.log
