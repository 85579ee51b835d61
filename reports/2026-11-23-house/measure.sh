#!/usr/bin/env bash
# Cost of a change, in processor seconds (user and system) of cargo.
#
#   measure.sh TREE LABEL ROWS.csv     appends rows: label, what, processor seconds, seconds of the clock
#
# TREE is a clean checkout without a target folder, with its crates fetched. Each edit changes one word that stands in the
# program, or adds a line, and is taken back; what the way back takes is a row, too. Run it where nothing else runs.
set -euo pipefail
tree=$(realpath "$1")
label=$2
rows=$(realpath "$3")
cd "$tree"
export CARGO_TERM_COLOR=never
unset CARGO_INCREMENTAL

row() { # WHAT COMMAND…
  local what=$1 time
  shift
  time=$({ TIMEFORMAT='%U %S %R' && time "$@" >/dev/null 2>&1; } 2>&1)
  read -r user system clock <<<"$time"
  awk -v l="$label" -v w="$what" -v u="$user" -v s="$system" -v c="$clock" \
    'BEGIN { printf "%s,\"%s\",%.1f,%.1f\n", l, w, u + s, c }' | tee -a "$rows"
}
tests() { row "$1" cargo test --no-run --locked; }
# word FILE OLD NEW: a word of FILE that the program prints.
word() {
  grep -q "$2" "$1"
  sed -i "s/$2/$3/" "$1"
  tests "$1: a word"
  git checkout -q "$1"
  tests "$1: back"
}
# line FILE: a line more at its top, which moves all that stands below.
line() {
  sed -i '3i // A line more.' "$1"
  tests "$1: a line more"
  git checkout -q "$1"
  tests "$1: back"
}

[[ -s $rows ]] || echo "build,what,processor_seconds,clock_seconds" >"$rows"
if [[ ! -e target ]]; then
  row "release build, cold" cargo build --release --locked
  tests "test build, after the release build"
fi
tests "nothing changed"
word src/cli/mpc.rs 'MPC on {}' 'MPC curves on {}'
word src/allocator/first_fit.rs 'first run of free ranks' 'lowest run of free ranks'
line src/cli/mpc.rs
line src/allocator/first_fit.rs
