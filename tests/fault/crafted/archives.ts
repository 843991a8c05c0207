import { createHash } from "node:crypto";
import { deflateRawSync, gzipSync } from "node:zlib";
import { depthPng, depthValues, tarHeader, tarPart, zipOf } from "../../sources/fixtures.ts";
import { Bytes } from "../../sources/makers/bytes.ts";
import { type Crafted, MiB, opened, refused, repeated } from "./crafted.ts";

const good = depthPng(depthValues(0));
const end = Buffer.alloc(1024);
const tgz = (...parts: readonly Uint8Array[]) => gzipSync(Buffer.concat(parts));

/** A zip whose directory names `count` files, which all share the same bytes. */
function overlapping(count: number, name: (i: number) => string, unpacked: number): Uint8Array {
  const packed = deflateRawSync(new Uint8Array(unpacked), { level: 9 });
  const local = new Bytes().u32(0x04034b50).u16(20, 0, 8).u32(0, 0, packed.length, unpacked).u16(0, 0);
  const data = local.bytes(packed).done();
  const directory = Array.from({ length: count }, (_, i) => {
    const entry = new Bytes().u32(0x02014b50).u16(20, 20, 0, 8).u32(0, 0, packed.length, unpacked);
    return entry.u16(name(i).length, 0, 0, 0, 0).u32(0, 0).text(name(i)).done();
  });
  const list = Buffer.concat(directory);
  const tail = new Bytes()
    .u32(0x06054b50)
    .u16(0, 0, count & 0xffff, count & 0xffff)
    .u32(list.length, data.length)
    .u16(0);
  return Buffer.concat([data, list, tail.done()]);
}

/** A pax header with attributes of the file after it. */
const attributes = (text: string | Uint8Array) => tarPart("PaxHeader", text, "x");
const named = (name: string) => {
  const record = ` path=${name}\n`;
  const length = record.length + 7;
  return attributes(`${length}${record}`.padEnd(length, "\n"));
};

export const archives: readonly Crafted[] = [
  opened("names.zip", () => overlapping(18_000, (i) => `${i}.png`, MiB)),
  opened("bomb.zip", { slow: true }, () => overlapping(1, () => "0.png", 250 * MiB)),
  refused("description.zip", () => overlapping(1, () => "recording.json", 90 * MiB)),
  refused("longNames.zip", () => overlapping(15, (i) => `${i}/${"a/".repeat(32_000)}0.png`, 10)),
  refused("deepNames.zip", () => overlapping(240, (i) => `${i}/${"a/".repeat(2000)}0.png`, 10)),
  // Photographs that are named by hashes, each a kind of name of its own.
  opened("kinds.zip", () => {
    const hash = (i: number) => createHash("md5").update(`${i}`).digest("hex");
    const depth = Array.from({ length: 500 }, (_, i) => [`depth/${1e6 + i}.png`, good] as const);
    const photos = Array.from({ length: 4000 }, (_, i) => [`stuff/${hash(i)}.jpg`, ""] as const);
    return zipOf(Object.fromEntries([...depth, ...photos]));
  }),
  opened("digits.zip", () => overlapping(240, (i) => `${"1".repeat(4000)}${i}.png`, 10)),
  opened("heads.zip", () =>
    overlapping(64, (i) => `${String.fromCharCode(97 + (i % 26)).repeat(1 + i / 26)}.png`, 95 * MiB),
  ),
  opened("numbers.zip", () => {
    const names = Array.from({ length: 110 }, (_, i) => [`depth/${"1".repeat(4000)}${i}x.png`, good] as const);
    return zipOf({ "odometry.csv": "1,1,0,0,0,0,0,0,1", ...Object.fromEntries(names) });
  }),
  refused("stars.tgz", { slow: true }, () => {
    const json = JSON.stringify({ depth: `${"*a".repeat(400)}b.png` });
    const names = Array.from({ length: 5000 }, (_, i) =>
      Buffer.concat([named(`${"a".repeat(3900)}${i}.png`), tarHeader("0.png", 0)]),
    );
    return tgz(tarPart("recording.json", json), ...names, end);
  }),
  refused("stars.zip", () => {
    const json = JSON.stringify({ depth: `${"*a".repeat(400)}b.png` });
    const names = Array.from({ length: 2500 }, (_, i) => [`${"a".repeat(80)}${i}.png`, good] as const);
    return zipOf({ "recording.json": json, ...Object.fromEntries(names) });
  }),
  refused("empty.tgz", () =>
    Buffer.concat([repeated(gzipSync(new Uint8Array(0)), 50_000), tgz(tarPart("0.png", good), end)]),
  ),
  refused("zeros.tgz", { slow: true }, () => tgz(tarHeader("0.png", 300 * MiB), new Uint8Array(300 * MiB))),
  refused("files.tgz", () => tgz(repeated(tarHeader("0.png", 0), 300_000))),
  refused("manyFiles.tgz", { slow: true }, () =>
    tgz(...Array.from({ length: 100_000 }, (_, i) => tarHeader(`${i}.png`, 0)), end),
  ),
  opened("attributes.tgz", { slow: true }, () =>
    tgz(repeated(attributes(repeated(Buffer.from("6 a=b\n"), 170_000)), 250), tarPart("0.png", good), end),
  ),
  refused("longNames.tgz", { slow: true }, () =>
    tgz(
      ...Array.from({ length: 200 }, (_, i) =>
        Buffer.concat([named(`${i}/${"a/".repeat(500_000)}`), tarPart("0.png", good)]),
      ),
      end,
    ),
  ),
  refused("largeFile.tgz", { slow: true }, () =>
    tgz(tarHeader("recording.json", 250 * MiB), new Uint8Array(250 * MiB), end),
  ),
  opened("headers.tar", () => Buffer.concat([repeated(tarHeader("0.png", 0, "5"), 2000), tarPart("0.png", good), end])),
];
