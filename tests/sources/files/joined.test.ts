import { expect, test } from "vitest";
import { byteFile } from "../../../sources/recorded/files/dropped.ts";
import { joinedReads } from "../../../sources/recorded/files/joined.ts";

// Short reads of a page's file that are asked together become one; whoever asked gets what he would have got alone.

const bytes = Uint8Array.from({ length: 70_000 }, (_, i) => i % 251);
const blob = new Blob([bytes]);

/** Reads that are counted. */
function counted(fails = false) {
  const sizes: number[] = [];
  const read = joinedReads(async (part) => {
    sizes.push(part.size);
    if (fails) throw new Error("moved");
    return new Uint8Array(await part.arrayBuffer());
  });
  return { sizes, read };
}

test("what is short is joined, what is long or asked later is not", async () => {
  const { sizes, read } = counted();
  const [a, b, long] = await Promise.all([
    read(blob.slice(5, 9)),
    read(blob.slice(300, 303)),
    read(blob.slice(0, 40_000)),
  ]);
  const later = await read(blob.slice(7, 9));
  expect(sizes.sort((p, q) => p - q)).toEqual([2, 7, 40_000]);
  expect([a, b, later].map((part) => [...part])).toEqual([
    [5, 6, 7, 8],
    [49, 50, 51],
    [7, 8],
  ]);
  expect(long).toEqual(bytes.slice(0, 40_000));
  // Each in memory of its own, as it may be given away.
  expect(a.buffer.byteLength).toBe(4);
});

test("of very many some go as soon as they are enough", async () => {
  const { sizes, read } = counted();
  const parts = await Promise.all(Array.from({ length: 130 }, (_, i) => read(blob.slice(i, i + 1))));
  expect(sizes).toEqual([64, 64, 2]);
  expect(parts.map(([byte]) => byte)).toEqual([...bytes.slice(0, 130)]);
  await Promise.all(Array.from({ length: 64 }, (_, i) => read(blob.slice(i, i + 1))));
  expect(sizes).toEqual([64, 64, 2, 64]);
});

test("a failure is everybody's, and the next reads go on", async () => {
  const { sizes, read } = counted(true);
  const reads = await Promise.allSettled([read(blob.slice(0, 4)), read(blob.slice(4, 8))]);
  expect(reads.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await expect(read(blob.slice(0, 4))).rejects.toThrow("moved");
  expect(sizes).toEqual([8, 4]);
});

test("a file's reads are joined, those beyond its end have fewer bytes", async () => {
  const file = byteFile(blob, "file");
  const reads = await Promise.all([file.read(69_998, 512), file.read(3, 2), file.read(80_000, 5), file.read(-3, 5)]);
  expect(reads.map((part) => [...part])).toEqual([[bytes[69_998], bytes[69_999]], [3, 4], [], []]);
});
