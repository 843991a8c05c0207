import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { InflateError } from "../../../sources/decode/codec.ts";
import { gunzip } from "../../../sources/decode/gunzip.ts";
import { randomOf } from "../../fault/mutate.ts";

// gzip data with names in the header, in several members, with bytes behind the end; damaged data ends with an InflateError.

const random = randomOf(4);
/** Half noise, half zeros, so that pieces unpack to very different lengths. */
const data = Buffer.from(Array.from({ length: 160_000 }, (_, i) => (i < 80_000 ? random(256) : 0)));

async function unpacked(bytes: Uint8Array, step = 1000): Promise<Buffer> {
  async function* source() {
    for (let at = 0; at < bytes.length; at += step) yield Uint8Array.from(bytes.subarray(at, at + step));
  }
  const pieces: Buffer[] = [];
  for await (const piece of gunzip(source())) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

const plain = gzipSync(data);

const members = (count: number) =>
  Buffer.concat(
    Array.from({ length: count }, (_, i) =>
      gzipSync(data.subarray((data.length / count) * i, (data.length / count) * (i + 1))),
    ),
  );

describe.each([1, 997, 2 ** 18])("gunzip in pieces of %d bytes", (step) => {
  // Byte by byte is slow, so the data is short there.
  const [bytes, whole] = step === 1 ? [gzipSync("short"), Buffer.from("short")] : [plain, data];
  test.each<[string, Buffer, Buffer]>([
    ["without extras", bytes, whole],
    ["with bytes behind it", Buffer.concat([bytes, Buffer.from("and more, which is no gzip")]), whole],
    ["with zeros behind it", Buffer.concat([bytes, Buffer.alloc(3000)]), whole],
    ["with one byte behind it", Buffer.concat([bytes, Buffer.from([0x1f])]), whole],
    ["in two members", Buffer.concat([bytes, bytes]), Buffer.concat([whole, whole])],
    ["with an empty member first", Buffer.concat([gzipSync(""), bytes]), whole],
  ])("unpacks data %s", async (_, packed, expected) => {
    expect((await unpacked(packed, step)).equals(expected)).toBe(true);
  });
});

const changed = (at: number) => {
  const bytes = Buffer.from(plain);
  bytes[at < 0 ? bytes.length + at : at] ^= 0x55;
  return bytes;
};
test.each<[string, Buffer, RegExp]>([
  ["cut in its data", plain.subarray(0, 5000), /ends too early/],
  ["cut in its checksum", plain.subarray(0, -3), /ends too early/],
  ["cut in its header", plain.subarray(0, 5), /ends too early/],
  ["cut in its second member", members(2).subarray(0, -100), /ends too early/],
  ["stored with a wrong checksum", changed(-6), /is damaged/],
  ["stored with a wrong length", changed(-2), /is damaged/],
  ["damaged in the middle", changed(40_000), /is damaged/],
  ["packed by another method", changed(2), /is damaged/],
])("gunzip refuses data that is %s", async (_, bytes, message) => {
  await expect(unpacked(bytes)).rejects.toThrow(InflateError);
  await expect(unpacked(bytes)).rejects.toThrow(message);
});
