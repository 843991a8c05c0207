import { expect, test } from "vitest";
import type { ByteFile } from "../../../sources/files/files.ts";
import { FileWindow } from "../../../sources/files/window.ts";

/** A FileWindow over a file whose bytes follow from their offsets, and the length of each read. */
function watched(size: number) {
  const bytes = new Uint8Array(size).map((_, i) => i % 251);
  const reads: number[] = [];
  const file: ByteFile = {
    name: "watched",
    size,
    async read(offset, length) {
      const piece = bytes.slice(offset, offset + length);
      reads.push(piece.length);
      return piece;
    },
    close: async () => {},
  };
  return { bytes, reads, window: new FileWindow(file) };
}

test("FileWindow reads many consecutive small records at a time", async () => {
  const { bytes, reads, window } = watched(2_000_000);
  // One `expect` at the end: an `expect` per record takes ten times as long as reading the records.
  const wrong: number[] = [];
  for (let at = 0; at < bytes.length; at += 20) {
    const record = await window.read(at, 20);
    if (Buffer.compare(record, bytes.subarray(at, at + 20)) !== 0) wrong.push(at);
  }
  expect(wrong).toEqual([]);
  expect(reads.length).toBeLessThan(20);
  expect(reads.reduce((sum, length) => sum + length)).toBeLessThan(1.01 * bytes.length);
});

test("FileWindow reads only 4096 bytes of each large record whose first bytes are requested", async () => {
  const { bytes, reads, window } = watched(2_000_000);
  for (let at = 0; at < bytes.length; at += 100_000) await window.read(at, 20);
  expect(reads).toEqual(new Array(20).fill(4096));
});
