"""Makes the two Parquet tables of this folder: invented rows in the columns of PM100. Needs pyarrow."""

import datetime

import pyarrow as pa
import pyarrow.parquet as pq


def time(seconds):
    return datetime.datetime.fromtimestamp(1_590_000_000 + seconds, datetime.timezone.utc)


# job, submit, start, end, limit in minutes, nodes; the end of the last is not known.
ROWS = [
    (11, 0, 10, 610, 30, [4, 5, 6, 7]),
    (12, 60, 60, 120, 5, [9]),
    (13, 90, 700, 1300, 10, [0, 1]),
    (14, 95, 800, None, 10, [2]),
]


def write(name, compression, unit, host):
    at = pa.timestamp(unit, tz="UTC")
    columns = {
        "job_id": pa.array([r[0] for r in ROWS], pa.int64()),
        "name": pa.array(["a, b", 'c "d"', "e\nf", None], pa.string()),
        "submit_time": pa.array([time(r[1]) for r in ROWS], at),
        "start_time": pa.array([time(r[2]) for r in ROWS], at),
        "end_time": pa.array([None if r[3] is None else time(r[3]) for r in ROWS], at),
        "time_limit": pa.array([r[4] for r in ROWS], pa.float64()),
        "num_nodes_alloc": pa.array([len(r[5]) for r in ROWS], pa.int32()),
        "nodes": pa.array([[host(node) for node in r[5]] for r in ROWS]),
    }
    pq.write_table(pa.table(columns), name, compression=compression, row_group_size=3, version="2.6")


write("micro.parquet", "snappy", "us", lambda node: node)
write("nano.parquet", "zstd", "ns", lambda node: f"r{node}")
