#!/usr/bin/env bash
# Seconds by the clock of builds and tests, in a fresh clone: measure.sh CLONE CORES > rows
set -u
clone=$1 cores=$2
cd "$clone" || exit 1
pin=()
if [ "$cores" = 1 ]; then pin=(taskset -c 0); fi
row() {
    local name=$1
    shift
    local from to
    from=$(date +%s.%N)
    "${pin[@]}" "$@" >"/dev/null" 2>&1
    local status=$?
    to=$(date +%s.%N)
    echo "$cores,$name,$(echo "$to - $from" | bc | xargs printf %.1f),$status,$(cut -d' ' -f1 /proc/loadavg)"
}
word() { sed -i "1s/\$/ word$RANDOM/" "$1"; }
echo "cores,row,seconds,status,load after"
row build-release cargo build --release --locked
row test-first cargo test
row test-again cargo test -p nodeorder-jobs --lib
for run in 1 2 3; do
    word src/jobs/allocator/first_fit.rs
    row "allocator-$run" cargo test -p nodeorder-jobs --lib
done
row network-again cargo test -p nodeorder-network --lib
for run in 1 2 3; do
    word src/network/topology/families/hyperx.rs
    row "family-$run" cargo test -p nodeorder-network --lib
done
row cli-again cargo build -p nodeorder-cli
for run in 1 2 3; do
    word src/cli/mpc.rs
    row "command-$run" cargo build -p nodeorder-cli
done
