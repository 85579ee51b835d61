# 2,000 jobs of 4, 16, 64 and 64 nodes, two a second, on hosts of 3,072 nodes. Run times are not published: 10 s each keep
# a quarter of the machine busy. Writes out/HOST/GUEST/SEED.csv.
set -euo pipefail
place() { # host guest seed machine allocator
  mkdir -p "out/$1/$2"
  nodeorder schedule "$4" --order row-major --trace "$3.swf" --policy easy --alloc "$5" --extent --seed "$3" --threads 1 \
    --quiet -o "out/$1/$2/$3.csv"
}
for s in $(seq 10); do
  nodeorder trace generate poisson:jobs=2000,rate=2,sizes=4x16x64x64,runtime=fixed,mean=10 --seed "$s" --quiet -o "$s.swf"
  place torus 2d-mesh "$s" hu-torus dilation:max=1,guest=2d
  place torus 3d-mesh "$s" hu-torus dilation:max=1,guest=3d
  place torus random "$s" hu-torus bfs:contiguous
  place ws random "$s" hu-ws bfs:contiguous
  place random random "$s" hu-random bfs:contiguous
done
