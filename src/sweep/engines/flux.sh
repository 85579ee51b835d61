#!/bin/bash
# `bash FILE` submits all shards and, behind them, the merge; what stands after FILE goes to flux, as in `bash FILE -q ours`.
jobs=$(seq 0 @last@ | flux bulksubmit "$@" -n1 -c1 --job-name='@name@-{}' @run@ --shard '{}/@n@') || exit
# Dependencies as lines: thousands of them are more than a command line takes.
exec flux submit "$@" -n1 --job-name=@name@-merge --flags=waitable $(printf -- '--dependency=afterok:%s ' $jobs) @merge@
