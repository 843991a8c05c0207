import { expect, test } from "vitest";
import { readAhead } from "../../../sources/files/ahead.ts";

// readAhead turns reads in order into larger requests; each read gives the file's bytes, in memory of the caller's own.

const SIZE = 5_000_000;
const file = Uint8Array.from({ length: SIZE }, (_, i) => (i * 2654435761) >>> 24);

function open() {
  const asked: [start: number, end: number][] = [];
  const read = readAhead(async (start, end) => {
    asked.push([start, end]);
    return file.slice(start, end);
  }, SIZE);
  return { asked, read };
}

test("readAhead serves 48 reads in turn from two parts of a file with 8 requests at most", async () => {
  const { asked, read } = open();
  for (let i = 0; i < 24; i++) {
    for (const part of [0, 2_600_000]) {
      const start = part + i * 100_000;
      // Each read overlaps the next by 300 bytes, as reads of a zip's files do.
      const got = await read(start, start + 100_300);
      expect(Buffer.compare(got, file.subarray(start, start + 100_300))).toBe(0);
      // The memory is the caller's own, so the caller may overwrite and transfer the memory.
      got.fill(0);
      structuredClone(got, { transfer: [got.buffer] });
    }
  }
  expect(asked.length).toBeLessThanOrEqual(8);
});

test("readAhead does not keep a large read, and requests the rest of the file for the read after it", async () => {
  const { asked, read } = open();
  for (const [start, end] of [
    [0, 4_500_000],
    [4_500_000, 4_600_000],
    [4_600_000, SIZE],
    [0, 4_500_000],
  ] as const) {
    expect(Buffer.compare(await read(start, end), file.subarray(start, end))).toBe(0);
  }
  expect(asked).toEqual([
    [0, 4_500_000],
    [4_500_000, SIZE],
    [0, 4_500_000],
  ]);
});
