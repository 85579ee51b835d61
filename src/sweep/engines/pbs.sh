#!/bin/bash
#PBS -N @name@
#PBS -J 0-@last@
#PBS -l select=1:ncpus=1
#PBS -j oe
# `bash FILE` submits all shards and, behind them, the merge; what stands after FILE goes to qsub, as in `bash FILE -q ours`.
# `qsub -J 3-5 FILE` runs some of the shards again.
if [[ -z $PBS_JOBID ]]; then
  job=$(qsub "$@" "$0") || exit
  exec qsub "$@" -N @name@-merge -W depend=afterok:"$job" <<'MERGE'
cd "$PBS_O_WORKDIR" || exit
exec @merge@
MERGE
fi
cd "$PBS_O_WORKDIR" || exit
exec @run@ --shard "$PBS_ARRAY_INDEX/@n@"
