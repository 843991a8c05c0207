import { expect, test } from "vitest";
import { joinedReads } from "../../../sources/files/dropped.ts";

// joinedReads turns short reads of a page's file that are requested together into one read; each caller gets its own bytes.

const bytes = Uint8Array.from({ length: 70_000 }, (_, i) => i % 251);
const blob = new Blob([bytes]);

/** Joined reads of `blob`, and the size of each read that was made. */
function counted(fails = false) {
  const sizes: number[] = [];
  const read = joinedReads(async (part) => {
    sizes.push(part.size);
    if (fails) throw new Error("moved");
    return new Uint8Array(await part.arrayBuffer());
  });
  return { sizes, read };
}

test("joinedReads joins short reads of one turn, but no long read and no later read", async () => {
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
  // Each result has memory of its own, which the caller may transfer.
  expect(a.buffer.byteLength).toBe(4);
});

test("joinedReads fails every request of a failed read, and still makes the next read", async () => {
  const { sizes, read } = counted(true);
  const reads = await Promise.allSettled([read(blob.slice(0, 4)), read(blob.slice(4, 8))]);
  expect(reads.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await expect(read(blob.slice(0, 4))).rejects.toThrow("moved");
  expect(sizes).toEqual([8, 4]);
});
