#!/bin/bash
# `bash FILE` runs all shards on this computer, or with `bash FILE --sshloginfile HOSTS` on others that have this folder, then
# merges them; what stands after FILE goes to GNU parallel.
seq 0 @last@ | parallel "$@" @quoted@ --shard '{}/@n@' && exec @merge@
