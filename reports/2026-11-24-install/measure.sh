#!/usr/bin/env bash
# measure.sh NODEORDER: user seconds of one schedule under each allocator, policy and model, one thread, by load of the
# machine; CSV on stdout. Entries that refuse the machine are left out; what takes more than five minutes is ended there.
set -euo pipefail
program=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# row KIND NAME OPTION…
row() {
  local seconds code TIMEFORMAT=%U
  for rate in 0.4 1; do
    code=0
    seconds=$({ time timeout 300 "$program" --threads 1 schedule torus:16x8x8 --order hilbert --trace "$rate.swf" "${@:3}" \
      >/dev/null 2>err || echo $? >code; } 2>&1)
    [[ -s code ]] && read -r code <code
    rm -f code
    if ((code == 0 || code == 124)); then printf '%s,"%s",%s,%s\n' "$1" "$2" "$rate" "$seconds"; fi
  done
}
for rate in 0.4 1; do
  "$program" trace generate "poisson:jobs=1500,rate=$rate,unit=60,sizes=4x16x64x64,nodes=1024" -o "$rate.swf" 2>/dev/null
done
echo "kind,name,rate,user_seconds"
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
