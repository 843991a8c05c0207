"""Reads depth that depthloom.depth.v2 packs (docs/depthV2.md). As a program: prints what packed images hold.

    python3 read_depth_v2.py frame.dld2

It needs numpy, and zstandard or the program zstd where a frame is packed by zstd.
"""

import struct
import subprocess
import sys
import zlib

import numpy as np


def unzstd(data):
    try:
        import zstandard
    except ImportError:
        return subprocess.run(["zstd", "-dcq"], input=data, stdout=subprocess.PIPE, check=True).stdout
    return zstandard.ZstdDecompressor().decompress(data)


def read_depth(data):
    """The depth image, a numpy array of u16 of shape (height, width); 0 is no measurement."""
    magic, packing, _, count, width, height, valid = struct.unpack_from("<4sBBHHHI", data)
    if magic != b"DLD2":
        raise ValueError("this is no depthloom.depth.v2")
    block = (bytes, zlib.decompress, unzstd)[packing](data[16:])
    block = np.frombuffer(block, np.uint8).astype(np.int64)
    low, high, block = block[:count], block[count : 2 * count], block[2 * count :]
    values = np.cumsum((low | high << 8) + 1)
    size = (width * height + 7) // 8
    mask = np.unpackbits(block[:size].astype(np.uint8), bitorder="little")[: width * height]
    zigzag = block[size : size + valid] | block[size + valid : size + 2 * valid] << 8
    difference = iter(((zigzag >> 1) ^ -(zigzag & 1)).tolist())
    numbers = [[0] * width for _ in range(height)]
    for y, (row, measured) in enumerate(zip(numbers, mask.reshape(height, width).tolist())):
        above = numbers[y - 1] if y else None
        for x in range(width):
            a = row[x - 1] if x else above[0] if y else 0
            b = above[x] if y else a
            d = above[x - 1] if x and y else b if y else a
            guess = max(min(a, b), min(max(a, b), a + b - d))
            row[x] = (guess + next(difference)) & 0xFFFF if measured[x] else guess
    mask = mask.reshape(height, width).astype(bool)
    depth = np.zeros((height, width), np.uint16)
    depth[mask] = values[np.array(numbers)[mask]]
    return depth


if __name__ == "__main__":
    for path in sys.argv[1:]:
        with open(path, "rb") as file:
            image = read_depth(file.read())
        print(path, image.shape[1], image.shape[0], np.count_nonzero(image), int(image.astype(np.uint64).sum()))
