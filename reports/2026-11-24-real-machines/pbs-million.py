"""A million PBS E records: python3 pbs-million.py > FILE. Jobs of 1 to 64 hosts on a machine of 4,096, a line each."""
import random
import time

draw = random.Random(1)
start = 1_700_000_000
for job in range(1_000_000):
    start += draw.randrange(60)
    size = 2 ** draw.randrange(7)
    first = draw.randrange(4096 - size)
    run = draw.randrange(60, 86_400)
    hosts = "+".join(f"n{first + i:04}/0*64" for i in range(size))
    nodes = "+".join(f"(n{first + i:04}:ncpus=64)" for i in range(size))
    front = time.strftime("%m/%d/%Y %H:%M:%S", time.gmtime(start + run))
    print(f"{front};E;{job}.server;user=u group=g account=\"a\" project=p jobname=j queue=q ctime={start - 60} "
          f"qtime={start - 60} etime={start - 60} start={start} exec_host={hosts} exec_vnode={nodes} "
          f"Resource_List.ncpus={64 * size} Resource_List.nodect={size} Resource_List.place=scatter:excl "
          f"Resource_List.walltime=24:00:00 session=1 end={start + run} Exit_status=0 run_count=1")
