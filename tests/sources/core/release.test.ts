import { expect, test } from "vitest";
import { release } from "../../../core/release.ts";
import type { ByteFile } from "../../../sources/files/files.ts";
import { Chunks } from "../../../sources/messages/chunks.ts";

// The memory of a chunk is released once no caller works on the chunk, and never before.

const SIZE = 100_000;
const file: ByteFile = {
  name: "a.bag",
  size: 10 * SIZE,
  read: async (offset, length) => new Uint8Array(length).fill(offset / SIZE),
  close: async () => {},
};
const open = () => {
  const list = Array.from({ length: 10 }, (_, i) => ({ start: i * SIZE, length: SIZE, compression: "", size: SIZE }));
  return new Chunks(file, list, () => 0);
};
/** Chunks keeps three chunks in memory: these three push out all earlier ones. */
const readOthers = async (chunks: Chunks) => {
  for (const number of [7, 8, 9]) await chunks.use(number, () => {});
};

test("release() detaches a large buffer, and leaves a small one to the garbage collector", () => {
  const [large, small] = [new Uint8Array(SIZE), new Uint8Array(100)];
  release(large.subarray(5, 9));
  release(small);
  expect([large.byteLength, small.byteLength]).toEqual([0, 100]);
});

test("Chunks releases the memory of a chunk that other chunks have pushed out", async () => {
  const chunks = open();
  const bytes = await chunks.use(2, (own) => own);
  expect(bytes[5]).toBe(2);
  await readOthers(chunks);
  await expect.poll(() => bytes.byteLength).toBe(0);
  expect(await chunks.use(2, ([first]) => first)).toBe(2);
});
