"""A Ray task for each part of the recordings: python ray_batch.py RECORDINGS RESULTS [PARTS]"""
import subprocess
import sys

import ray


@ray.remote(num_cpus=2)
def part(i: int, n: int, recordings: str, results: str) -> int:
    command = ["npx", "depthloom@0.1.0", "batch", recordings, "--out", results, "--to", "mcap", "--jobs", "2"]
    return subprocess.run([*command, "--shard", f"{i}/{n}"]).returncode


if __name__ == "__main__":
    recordings, results, n = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 8
    ray.init()
    statuses = ray.get([part.remote(i, n, recordings, results) for i in range(1, n + 1)])
    sys.exit(max(statuses))  # 1: some recordings failed, 3: some fall short, 4: all of a part failed
