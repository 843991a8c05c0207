import { expect, test } from "vitest";
import { Chunks } from "../../../sources/messages/chunks.ts";
import type { ByteFile } from "../../../sources/recorded/files/files.ts";
import { release } from "../../../sources/recorded/files/release.ts";

// Memory is given back as soon as nobody works on it, and never before.

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
/** Three are kept: these push out all that were asked for before. */
const readOthers = async (chunks: Chunks) => {
  for (const number of [7, 8, 9]) await chunks.use(number, () => {});
};

test("large memory is gone when it is given back, small memory is left to be collected", () => {
  const [large, small] = [new Uint8Array(SIZE), new Uint8Array(100)];
  release(large.subarray(5, 9));
  release(small);
  expect([large.byteLength, small.byteLength]).toEqual([0, 100]);
});

test("a chunk's memory is given back when it is forgotten", async () => {
  const chunks = open();
  const bytes = await chunks.use(2, (own) => own);
  expect(bytes[5]).toBe(2);
  await readOthers(chunks);
  await expect.poll(() => bytes.byteLength).toBe(0);
  expect(await chunks.use(2, ([first]) => first)).toBe(2);
});

test("who works on a chunk has it until all are done, however many are read meanwhile", async () => {
  const chunks = open();
  let done = () => {};
  const until = new Promise<void>((resolve) => {
    done = resolve;
  });
  const seen: number[] = [];
  const work = async (bytes: Uint8Array) => {
    await until;
    seen.push(bytes[SIZE - 1]);
    return bytes;
  };
  const both = Promise.all([chunks.use(3, work), chunks.use(3, work)]);
  await readOthers(chunks);
  done();
  const [bytes] = await both;
  expect(seen).toEqual([3, 3]);
  await expect.poll(() => bytes.byteLength).toBe(0);
});
