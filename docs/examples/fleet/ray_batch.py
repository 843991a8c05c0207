"""A Ray task for each part of the recordings: python ray_batch.py RECORDINGS RESULTS [PARTS]"""
import subprocess
import sys

import ray


@ray.remote(num_cpus=2)
def part(i: int, n: int, recordings: str, results: str) -> int:
    command = ["npx", "--yes", "depthloom@0.1.0", "batch", recordings, "--out", results, "--to", "mcap", "--jobs", "2"]
    limits = ["--timeout", "3600", "--max-failed", "10%"]
    status = subprocess.run([*command, *limits, "--shard", f"{i}/{n}"]).returncode
    return status if status >= 0 else 128 - status  # Below 0: a signal ended it.


if __name__ == "__main__":
    recordings, results, n = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 8
    ray.init()
    statuses = ray.get([part.remote(i, n, recordings, results) for i in range(1, n + 1)])
    # 1: some recordings failed, 3: some fall short. Both are in the table. 4: every recording of a part failed, 5: more than a tenth did.
    sys.exit(max(0 if status in (1, 3) else status for status in statuses))
