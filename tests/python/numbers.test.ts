import { describe, expect, test } from "vitest";
import { python, running } from "./python.ts";

// How the Python package takes depth: arrays from a program, and messages from a server.

describe.skipIf(!python)("Python", () => {
  test("takes what a mask or a renderer's background marks as no measurement, and keeps the fine step", async () => {
    const program = `
import warnings, numpy as np
from depthloom.frames import Units
warnings.simplefilter("error")
for depth in (np.ma.array([[1.5, 2.5]], mask=[[True, False]]), np.array([[1e10, 2.5]]), np.array([[3e38, 2.5]], np.float32)):
    numbers, step = Units().of(depth)
    print(numbers.tolist(), step)
`;
    const { stdout, stderr } = await running(program).ended;
    expect([stdout, stderr]).toEqual(["[[0, 10000]] 0.00025\n".repeat(3), ""]);
  });

  test("unpacks no more than an image has, and says of what is no frame that it is none", async () => {
    const program = `
import re, struct, sys, zlib, depthloom
from depthloom.frames import unpack
from depthloom.reading import unpacked
packer = zlib.compressobj(1)
bomb = b"".join([packer.compress(bytes(2**24)) for _ in range(24)]) + packer.flush()
head = lambda width, height, valid: struct.pack("<4sBBHHHI", b"DLD2", 1, 0, 1, width, height, valid)
for data in (head(8, 8, 4) + bomb, head(65535, 65535, 4) + bomb, head(8, 8, 2**32 - 1) + bomb):
    try:
        depthloom.read(data)
    except ValueError as error:
        print(str(error)[:36])
for message in (b"", struct.pack("<I", 2) + b"{}", struct.pack("<I", 2) + b"[]", struct.pack("<I", 9) + b"no"):
    try:
        unpack(message)
    except ValueError as error:
        print("no frame" in str(error))
header = b'{"width":1,"height":1,"depthBytes":16,"fx":1,"fy":1,"cx":0,"cy":0}'
for packing in (1, 7):
    depth = struct.pack("<4sBBHHHI", b"DLD2", packing, 0, 1, 1, 1, 2**32 - 1)
    try:
        unpack(struct.pack("<I", len(header)) + header + depth, unpacked)
    except ValueError as error:
        print(str(error)[:36])
# getrusage's maximum would include the process that started this one.
print(int(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1]) < 250_000)
`;
    expect(await running(program).ended).toMatchObject({
      stdout:
        "packed depth cannot be unpacked: the\npacked depth of 65535 × 65535 pixels\npacked depth contradicts itself: the\n" +
        "True\nTrue\nTrue\nTrue\nthe server sent what is no frame: Va\ndepth is packed in a way 7 that is n\nTrue\n",
      stderr: "",
    });
  });
});
