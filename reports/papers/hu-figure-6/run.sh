# Two benchmarks on a 4 x 2 torus (nodes 0-3 and 4-7 are its rows), by class and pattern of allocation: the same one twice
# (out/CLASS/APP/PATTERN.csv; unlimited/…, without the limit of 800 Mb/s a switch), every two of them (pairs/CLASS/PATTERN.csv, a
# row a pair, the first job's seconds), and the same one twice in all 35 allocations of two times four nodes (all/CLASS/APP.csv).
set -euo pipefail
apps=(bt cg ft is lu mg sp)
declare -A one=([A]="0, 1, 4, 5" [B]="0, 1, 4, 6" [C]="0, 1, 6, 7" [D]="0, 2, 5, 7")
declare -A other=([A]="2, 3, 6, 7" [B]="2, 3, 5, 7" [C]="2, 3, 4, 5" [D]="1, 3, 4, 6")
corun() { # class first-app first-nodes second-app second-nodes options…
  {
    echo 'speed = "1Gf"'
    printf '[[jobs]]\nname = "one"\nnodes = [%s]\nbenchmark = "npb-%s:n=4,class=%s"\n' "$3" "$2" "$1"
    printf '[[jobs]]\nname = "other"\nnodes = [%s]\nbenchmark = "npb-%s:n=4,class=%s"\n' "$5" "$4" "$1"
  } >jobs.toml
  nodeorder corun torus:2x4 --jobs jobs.toml --bandwidth 1Gb/s --latency 50us --node-links free --threads 1 --quiet "${@:6}"
}
for class in S W A B; do
  for app in "${apps[@]}"; do
    mkdir -p {out,unlimited}/$class/$app
    for pattern in A B C D; do
      corun $class $app "${one[$pattern]}" $app "${other[$pattern]}" --switch-bandwidth 800Mb/s -o out/$class/$app/$pattern.csv
      corun $class $app "${one[$pattern]}" $app "${other[$pattern]}" -o unlimited/$class/$app/$pattern.csv
    done
  done
  mkdir -p pairs/$class all/$class
  for pattern in A B C D; do
    echo app,beside,seconds >pairs/$class/$pattern.csv
    for app in "${apps[@]}"; do
      for beside in "${apps[@]}"; do
        corun $class $app "${one[$pattern]}" $beside "${other[$pattern]}" --switch-bandwidth 800Mb/s |
          awk -F, -v pair="$app,$beside" '$1 == "one" { print pair "," $4 }' >>pairs/$class/$pattern.csv
      done
    done
  done
  for app in "${apps[@]}"; do
    echo seconds >all/$class/$app.csv
    # The first job has node 0; the other has the nodes that are left.
    for a in 1 2 3 4 5; do for b in $(seq $((a + 1)) 6); do for c in $(seq $((b + 1)) 7); do
      left=
      for node in $(seq 7); do [[ $node == "$a" || $node == "$b" || $node == "$c" ]] || left+=${left:+, }$node; done
      corun $class $app "0, $a, $b, $c" $app "$left" --switch-bandwidth 800Mb/s |
        awk -F, '$1 != "job" { sum += $4 } END { print sum / 2 }' >>all/$class/$app.csv
    done; done; done
  done
done
