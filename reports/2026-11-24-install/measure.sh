#!/usr/bin/env bash
# measure.sh NODEORDER: user seconds of one schedule under each allocator, policy and model, one thread; CSV on stdout.
# A development build (opt-level 1) was measured.
set -euo pipefail
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$program" trace generate poisson:jobs=600,rate=1,unit=60,sizes=4x16x64x64,nodes=1024 -o t.swf
seconds() {
  local TIMEFORMAT=%U
  { time timeout 60 "$program" --threads 1 schedule torus:16x8x8 --order hilbert --trace t.swf "$@" >/dev/null 2>err; } 2>&1
}
row() { printf '%s,"%s",%s\n' "$1" "$2" "$(seconds "${@:3}")"; }
echo "kind,name,user_seconds"
for name in $("$program" list allocators --json | python3 -c '
import json, sys
found = json.load(sys.stdin)
print(*(entry["name"] for entry in (found if isinstance(found, list) else found["entries"])))'); do
  row alloc "$name" --policy easy --alloc "$name"
done
for name in fcfs easy conservative size-first window-bnb window-greedy; do
  row policy "$name" --policy "$name" --alloc span-best-fit
done
for name in fixed network:share=0.3,guest=stencil3d network:share=0.3,guest=stencil3d,level=flow distance; do
  row model "$name" --policy easy --alloc span-best-fit --model "$name"
done
