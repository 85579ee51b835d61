#!/usr/bin/env bash
# shards.sh NODEORDER FOLDER: cpu seconds of four shards that run at the same time, of the slow cell alone and of all cells in
# one process; then two shards are killed on the way, and the same commands are given again. CSV on stdout.
set -euo pipefail
program=$(realpath "$1")
mkdir -p "$2" && cd "$2"
allocators=$(printf "'first-fit:%d', " {1..35})
plan() { printf "topologies=['torus:16x8x8']\norderings=['hilbert']\npolicies=['easy']\nallocators=[%s]\ntraces=['jobs.swf']\n" "$1"; }
plan "$allocators'gen-alg'" >plan.toml
plan "'gen-alg'" >slow.toml
"$program" trace generate poisson:jobs=30000,rate=0.44,unit=60,sizes=4x16x64x64,nodes=1024 -o jobs.swf 2>/dev/null
# row KIND RUN SHARD COMMAND…: user and system seconds of a command, and the cells that it did.
row() {
  local seconds TIMEFORMAT="%U %S" out=$4
  seconds=$({ time "$program" --threads 1 --quiet sweep "${@:5}" --out "$out" >/dev/null; } 2>&1 | awk '{print $1 + $2}')
  echo "$1,$2,$3,$seconds,$(grep -c '^torus' "$out/shard-$3-of-4.csv" 2>/dev/null || grep -c '^torus' "$out/results.csv")"
}
echo "kind,run,shard,cpu_seconds,cells"
for run in 1 2 3 4 5; do
  rm -rf four slow whole
  for shard in 0 1 2 3; do row shard "$run" "$shard" four plan.toml --shard "$shard/4" & done
  wait
  "$program" merge four >/dev/null 2>&1
  row slow "$run" - slow slow.toml
  row whole "$run" - whole plan.toml
  cmp whole/results.csv four/results.csv
done
# Kill two shards, that with the slow cell and one that has finished two cells; the others go on. Then the same commands again.
rm -rf killed
for shard in 0 1 2 3; do
  "$program" --threads 1 --quiet sweep plan.toml --out killed --shard "$shard/4" >/dev/null 2>&1 &
  ids[shard]=$!
done
finished() { echo $(($(wc -l <"killed/shard-$1-of-4.$2") - $3)); }
until [[ $(finished 1 journal 1 2>/dev/null) -ge 2 ]]; do sleep 0.02; done
kill -9 "${ids[0]}" "${ids[1]}"
echo "killed,1,0,,$(finished 0 journal 1)"
echo "killed,1,1,,$(finished 1 journal 1)"
wait 2>/dev/null || true
for shard in 2 3; do echo "beside,1,$shard,,$(grep -c '^torus' "killed/shard-$shard-of-4.csv")"; done
for shard in 0 1 2 3; do row again 1 "$shard" killed plan.toml --shard "$shard/4"; done
"$program" merge killed >/dev/null 2>&1
cmp whole/results.csv killed/results.csv
echo "same bytes in all six" >&2
