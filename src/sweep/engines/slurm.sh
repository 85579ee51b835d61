#!/bin/bash
#SBATCH --job-name=@name@
#SBATCH --array=0-@last@
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
# `bash FILE` submits all shards and, behind them, the merge; what stands after FILE goes to sbatch, as in `bash FILE -A ours`.
# `sbatch --array=3,5 FILE` runs some of the shards again.
if [[ -z $SLURM_ARRAY_TASK_ID ]]; then
  job=$(sbatch --parsable "$@" "$0") || exit
  exec sbatch "$@" --job-name=@name@-merge --dependency="afterok:${job%%;*}" --wrap "$(cat <<'MERGE'
exec @merge@
MERGE
)"
fi
exec @run@ --shard "$SLURM_ARRAY_TASK_ID/@n@"
