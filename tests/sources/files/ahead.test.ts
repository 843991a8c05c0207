import { expect, test } from "vitest";
import { readAhead } from "../../../sources/recorded/files/ahead.ts";

// What is read in order comes in larger pieces, whose bytes are the file's, whatever the order is and whatever is done to them.

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

test("two parts of a file that are read by turns are asked for seldom", async () => {
  const { asked, read } = open();
  for (let i = 0; i < 24; i++) {
    for (const part of [0, 2_600_000]) {
      const start = part + i * 100_000;
      // A little of what is next comes along, as with a zip's files.
      const got = await read(start, start + 100_300);
      expect(Buffer.compare(got, file.subarray(start, start + 100_300))).toBe(0);
      // The caller's own: it may be given away.
      got.fill(0);
      structuredClone(got, { transfer: [got.buffer] });
    }
  }
  expect(asked.length).toBeLessThanOrEqual(8);
});

test("what is read here and there is asked for as it is, to the file's end", async () => {
  const { asked, read } = open();
  const places = [4_000_000, 1_000_000, 3_000_000, 2_000_000, 500_000, 4_900_000].map(
    (at) => [at, at + 100_000] as const,
  );
  for (const [start, end] of places) {
    expect(Buffer.compare(await read(start, end), file.subarray(start, end))).toBe(0);
  }
  expect(asked).toEqual(places);
});

test("a large part is not kept, and what comes after it is read on to the file's end", async () => {
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
