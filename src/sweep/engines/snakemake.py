# `snakemake -s FILE --cores 8`, or with the profile of a cluster: all shards, then the merge.
out = @out@

rule merge:
    input: [f"{out}/shard-{i}-of-@n@.csv" for i in range(@n@)]
    output: f"{out}/results.csv"
    shell: @merge@

rule shard:
    output: out + "/shard-{i}-of-@n@.csv"
    threads: 1
    shell: @run@
