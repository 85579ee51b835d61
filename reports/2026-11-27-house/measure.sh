#!/usr/bin/env bash
# Builds by the clock, on this machine's cores and on one: measure.sh CLONE, a fresh clone of the commit. Prints CSV.
set -euo pipefail
clone=$(cd "$1" && pwd)
cd "$clone"
export CARGO_TERM_COLOR=never
echo "what,cores,seconds"
# timed WHAT CORES COMMAND…
timed() {
  local what=$1 cores=$2 began ended
  shift 2
  began=$(date +%s.%N)
  if [[ $cores == 1 ]]; then taskset -c 0 "$@" >/dev/null 2>&1; else "$@" >/dev/null 2>&1; fi
  ended=$(date +%s.%N)
  echo "$what,$cores,$(echo "$ended $began" | awk '{printf "%.1f", $1 - $2}')"
}
# word FILE: adds a word to a comment of the file, so that it is compiled again.
word() { sed -i '1s/$/ Once more./' "$1"; }

for cores in ${CORES:-2 1}; do
  rm -rf target
  timed "cold release build" "$cores" cargo build --release --locked
  rm -rf target
  timed "first cargo test" "$cores" cargo test --locked
  word src/jobs/allocator/first_fit.rs
  timed "a word in an allocator, unit tests of its crate" "$cores" cargo test -p nodeorder-jobs --lib --locked
  word "$(find src/network/topology -name hyperx.rs)"
  timed "a word in a topology family, unit tests of its crate" "$cores" cargo test -p nodeorder-network --lib --locked
  cargo build -p nodeorder-cli --locked >/dev/null 2>&1
  word src/cli/mpc.rs
  timed "a word in a command, the command" "$cores" cargo build -p nodeorder-cli --locked
done
