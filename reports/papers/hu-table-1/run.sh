# Each benchmark alone on the eleven networks of Table 1, then the runs that test explanations.
# Writes out/STUDY/NETWORK/APP/SEED.csv; networks without chance are copied for every seed.
set -euo pipefail

apps="ft is cg bt sp mg mm"
declare -A times=([ft]=20 [is]=10 [cg]=75 [bt]=200 [sp]=400 [mg]=20 [mm]=1)
# As published: 40 Gb/s a cable, 60 ns a switch, 100 Gf a node.
alone() { # study network app seed spec dilation routing
  mkdir -p "out/$1/$2/$3"
  nodeorder corun "$5" --jobs "$1-$3.toml" --bandwidth 40Gb/s --node-links free --latency "$((60 * $6))ns" --routing "$7" \
    --iterations "${times[$3]}" --seed "$4" --threads 1 --quiet -o "out/$1/$2/$3/$4.csv"
}
job() { # study app nodes class
  if [ "$2" = mm ]; then
    # Blocks of 512 x 512 numbers of a matrix of 4096 x 4096 to the row, then to the column.
    cat <<END
speed = "100Gf"

[[jobs]]
name = "mm"
nodes = $3

[[jobs.phases]]
guest = "rows.csv"
bytes = "2MiB"
compute = "21.47483648ms"

[[jobs.phases]]
guest = "columns.csv"
bytes = "2MiB"
END
  else
    printf 'speed = "100Gf"\n\n[[jobs]]\nname = "%s"\nnodes = %s\nbenchmark = "npb-%s:n=64,class=%s"\n' "$2" "$3" "$2" "$4"
  fi >"$1-$2.toml"
}
for line in rows columns; do
  echo source,target,volume
  for i in $(seq 0 63); do
    for k in $(seq 0 7); do
      j=$([ $line = rows ] && echo $((i / 8 * 8 + k)) || echo $((k * 8 + i % 8)))
      if [ "$i" != "$j" ]; then echo "$i,$j,1"; fi
    done
  done
done | awk -F, '/source/ { file = file == "" ? "rows.csv" : "columns.csv" } { print > file }'

regular() { # study app name=spec…
  local study=$1 app=$2 s
  shift 2
  for pair in "$@"; do
    alone "$study" "${pair%%=*}" "$app" 1 "${pair#*=}" 1 one-path
    for s in $(seq 2 10); do cp "out/$study/${pair%%=*}/$app/1.csv" "out/$study/${pair%%=*}/$app/$s.csv"; done
  done
}

for app in $apps; do
  job "as published" "$app" '"0-63"' B
  regular "as published" "$app" mesh2d=mesh:8x8 mesh3d=mesh:4x4x4 torus3d=torus:4x4x4
  for degree in 4 6; do
    for s in $(seq 10); do
      for d in 1 2 3 4; do
        alone "as published" "random${degree}_d$d" "$app" "$s" "random-regular:n=64,d=$degree" "$d" one-path
      done
    done
  done
done

# Other problem sizes; another 2-D mesh.
for class in A C; do
  for app in bt sp; do
    job "class $class" "$app" '"0-63"' "$class"
    regular "class $class" "$app" torus3d=torus:4x4x4 mesh3d=mesh:4x4x4
    for degree in 4 6; do
      for s in $(seq 10); do
        alone "class $class" "random${degree}_d1" "$app" "$s" "random-regular:n=64,d=$degree" 1 one-path
      done
    done
  done
done
for app in bt sp; do
  job "other mesh" "$app" '"0-63"' B
  regular "other mesh" "$app" mesh2d=mesh:4x16 torus3d=torus:4x4x4
done

# Processes on nodes drawn by chance.
for s in $(seq 10); do
  nodes=$(awk -v s="$s" 'BEGIN { srand(s); for (i = 0; i < 64; i++) a[i] = i; for (i = 63; i > 0; i--) { j = int(rand() * (i + 1));
    t = a[i]; a[i] = a[j]; a[j] = t } printf "["; for (i = 0; i < 64; i++) printf "%d%s", a[i], i < 63 ? ", " : "]" }')
  for app in mg ft; do
    job shuffled "$app" "$nodes" B
    for pair in mesh2d=mesh:8x8 mesh3d=mesh:4x4x4 torus3d=torus:4x4x4; do
      alone shuffled "${pair%%=*}" "$app" "$s" "${pair#*=}" 1 one-path
    done
  done
done

# All messages of an exchange at once, not pairwise.
for app in ft is; do
  printf '[[jobs]]\nname = "%s"\nnodes = "0-63"\nguest = "npb-%s:n=64,class=B"\nbytes = 1\n' "$app" "$app" >"at once-$app.toml"
  regular "at once" "$app" mesh2d=mesh:8x8 mesh3d=mesh:4x4x4 torus3d=torus:4x4x4
  for degree in 4 6; do
    for s in $(seq 10); do
      for d in 1 4; do
        alone "at once" "random${degree}_d$d" "$app" "$s" "random-regular:n=64,d=$degree" "$d" one-path
      done
    done
  done
done
