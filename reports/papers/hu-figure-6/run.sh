# Two runs of one benchmark on a 4 x 2 torus (nodes 0-3 and 4-7 are its rows), by class and pattern of allocation.
# Writes out/CLASS/APP/PATTERN.csv.
set -euo pipefail
declare -A one=([A]="[0, 1, 4, 5]" [B]="[0, 1, 4, 6]" [C]="[0, 1, 6, 7]" [D]="[0, 2, 5, 7]")
declare -A other=([A]="[2, 3, 6, 7]" [B]="[2, 3, 5, 7]" [C]="[2, 3, 4, 5]" [D]="[1, 3, 4, 6]")
for class in S W A; do
  for app in bt cg ft is lu mg sp; do
    mkdir -p out/$class/$app
    for pattern in A B C D; do
      {
        echo 'speed = "1Gf"'
        printf '[[jobs]]\nname = "one"\nnodes = %s\nbenchmark = "npb-%s:n=4,class=%s"\n' "${one[$pattern]}" $app $class
        printf '[[jobs]]\nname = "other"\nnodes = %s\nbenchmark = "npb-%s:n=4,class=%s"\n' "${other[$pattern]}" $app $class
      } >jobs.toml
      nodeorder corun torus:2x4 --jobs jobs.toml --bandwidth 1Gb/s --latency 50us --node-links free --threads 1 --quiet \
        -o out/$class/$app/$pattern.csv
    done
  done
done
