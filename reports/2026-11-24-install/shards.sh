# shards.sh PROGRAM FOLDER: cpu seconds of four shards at the same time, of the slow cell alone, and of all in one process.
set -e
N=$1; D=$2; mkdir -p $D; cd $D
python3 - > plan.toml <<'END'
names=", ".join(f"'first-fit:{i}'" for i in range(1,36))
print(f"topologies=['torus:16x8x8']\norderings=['hilbert']\npolicies=['easy']\nallocators=[{names}, 'gen-alg']\ntraces=['jobs.swf']\n")
END
sed "s/allocators=.*/allocators=['gen-alg']/" plan.toml > slow.toml
$N trace generate poisson:jobs=30000,rate=1,unit=60,sizes=4x16x64x64,nodes=1024 -o jobs.swf
T() { bash -c 'TIMEFORMAT="%U %S"; f=$1; shift; { time "$@" >/dev/null 2>&1; } 2>$f' bash "$@"; }
rm -rf four whole slow
for run in 1 2 3; do
  rm -rf four
  for i in 0 1 2 3; do T t$i $N --threads 1 sweep plan.toml --out four --shard $i/4 & done; wait
  for i in 0 1 2 3; do echo "shards,$run,$i,$(awk '{print $1+$2}' t$i),$(grep -c . four/shard-$i-of-4.csv)"; done
  $N merge four
done
rm -rf slow whole
T ts $N --threads 1 sweep slow.toml --out slow; echo "slow cell alone,,,$(awk '{print $1+$2}' ts),1"
T tw $N --threads 1 sweep plan.toml --out whole; echo "whole,,,$(awk '{print $1+$2}' tw),36"
cmp whole/results.csv four/results.csv && echo "same bytes"
