# n jobs of 4 or 16 nodes, n/20 a second, a benchmark each (class W), 1 Gf a node, 1 Gb/s and 50 us a cable, on hosts of 64
# nodes. Writes out/JOBS/CASE/SEED.json; a case is a host and a mapping.
set -euo pipefail
{
  echo app,weight,guest
  for app in bt cg ft is lu mg sp; do echo "$app,1,npb-$app:class=W"; done
} >apps.csv
model=network:speed=1Gf,node_links=free,bandwidth=1Gb/s,latency=50us,apps=apps.csv
declare -A machine=([t2]=torus:8x8 [t3]=torus:4x4x4 [r4]=random-regular:n=64,d=4 [r6]=random-regular:n=64,d=6)
# Regular jobs wait for a place whose neighbours are one hop apart (tori), or that hangs together (random hosts); random jobs
# take any nodes; nearest ones do not wait, but are as near together as they can.
declare -A regular=([t2]=dilation:max=1,guest=2d [t3]=dilation:max=1,guest=3d [r4]=bfs:contiguous [r6]=bfs:contiguous)
declare -A nearest=([t2]=dilation:guest=2d [t3]=dilation:guest=3d [r4]=bfs [r6]=bfs)
run() { # jobs host mapping allocator seed
  mkdir -p "out/$1/$2-$3"
  nodeorder schedule "${machine[$2]}" --order row-major --trace "$1-$5.swf" --policy easy --alloc "$4" --model $model --seed "$5" \
    --threads 1 --quiet --json >"out/$1/$2-$3/$5.json"
}
for s in $(seq 10); do
  for n in 20 60 100 140 200; do
    nodeorder trace generate "poisson:jobs=$n,rate=$n,unit=20,sizes=4x16,runtime=fixed,mean=5" --seed "$s" --quiet -o "$n-$s.swf"
    for host in t2 t3 r4 r6; do
      run $n $host regular "${regular[$host]}" "$s"
      run $n $host random random "$s"
      if [ $n = 200 ]; then run $n $host nearest "${nearest[$host]}" "$s"; fi
    done
  done
done
