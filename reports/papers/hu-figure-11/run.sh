# n jobs of 4 or 16 nodes, n/20 a second, a benchmark each (class W), 1 Gf a node, 1 Gb/s and 50 us a cable, 800 Mb/s a switch,
# one path a pair, on hosts of 64 nodes. Writes SETTING/JOBS/CASE/SEED.json; a case is a host and a mapping.
set -euo pipefail
for class in S W A; do
  echo app,weight,guest
  for app in bt cg ft is lu mg sp; do echo "$app,1,npb-$app:class=$class"; done
done | split -l 8 --numeric-suffixes=1 -a 1 --additional-suffix=.csv - apps
# out: as published, messages that share links followed job by job. small, large: classes S and A. unlimited: switches without
# a limit. flow: that, too, and message by message.
base=network:speed=1Gf,node_links=free,bandwidth=1Gb/s,latency=50us,routing=one-path
limit=level=job,switch_bandwidth=800Mb/s
declare -A model=([out]=$base,apps=apps2.csv,$limit [small]=$base,apps=apps1.csv,$limit [large]=$base,apps=apps3.csv,$limit
  [unlimited]=$base,apps=apps2.csv,level=job [flow]=$base,apps=apps2.csv,level=flow)
declare -A machine=([t2]=torus:8x8 [t3]=torus:4x4x4 [r4]=random-regular:n=64,d=4 [r6]=random-regular:n=64,d=6)
# Regular jobs wait for a place whose neighbours are one hop apart (tori), or that hangs together (random hosts); random jobs
# take any nodes; nearest ones do not wait, but are as near together as they can.
declare -A regular=([t2]=dilation:max=1,guest=2d [t3]=dilation:max=1,guest=3d [r4]=bfs:contiguous [r6]=bfs:contiguous)
declare -A nearest=([t2]=dilation:guest=2d [t3]=dilation:guest=3d [r4]=bfs [r6]=bfs)
run() { # setting jobs host mapping allocator seed
  mkdir -p "$1/$2/$3-$4"
  nodeorder schedule "${machine[$3]}" --order row-major --trace "$2-$6.swf" --policy easy --alloc "$5" --model "${model[$1]}" \
    --seed "$6" --threads 1 --quiet --json >"$1/$2/$3-$4/$6.json"
}
for s in $(seq 10); do
  for n in 20 60 100 140 200; do
    nodeorder trace generate "poisson:jobs=$n,rate=$n,unit=20,sizes=4x16,runtime=fixed,mean=5" --seed "$s" --quiet -o "$n-$s.swf"
    for host in t2 t3 r4 r6; do
      run out $n $host regular "${regular[$host]}" "$s"
      run out $n $host random random "$s"
      if [ $n = 200 ]; then
        run out $n $host nearest "${nearest[$host]}" "$s"
        for mapping in regular nearest; do
          declare -n rules=$mapping
          run unlimited $n $host $mapping "${rules[$host]}" "$s"
        done
      fi
    done
  done
  for case in "t2 regular" "t3 regular" "r6 nearest"; do
    read -r host mapping <<<"$case"
    declare -n rules=$mapping
    run small 200 "$host" "$mapping" "${rules[$host]}" "$s"
    run large 200 "$host" "$mapping" "${rules[$host]}" "$s"
  done
  # Where messages hardly meet, so that this takes seconds.
  for case in "t3 regular" "r6 nearest"; do
    read -r host mapping <<<"$case"
    declare -n rules=$mapping
    run flow 200 "$host" "$mapping" "${rules[$host]}" "$s"
  done
done
