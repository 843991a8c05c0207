import { deflateRawSync, gzipSync } from "node:zlib";
import { depthPng, depthValues, tarHeader, tarPart, zipOf } from "../../sources/fixtures.ts";
import { Bytes } from "../../sources/makers/bytes.ts";
import { type Crafted, MiB, repeated } from "./crafted.ts";

const good = depthPng(depthValues(0));
const end = Buffer.alloc(1024);
const tgz = (...parts: readonly Uint8Array[]) => gzipSync(Buffer.concat(parts));

/** A zip whose directory names `count` files, which all share the same bytes. */
function overlapping(count: number, name: (i: number) => string, unpacked: number): Uint8Array {
  const packed = deflateRawSync(new Uint8Array(unpacked), { level: 9 });
  const local = new Bytes()
    .u32(0x04034b50)
    .u16(20)
    .u16(0)
    .u16(8)
    .u32(0)
    .u32(0)
    .u32(packed.length)
    .u32(unpacked)
    .u16(0)
    .u16(0);
  const data = local.bytes(packed).done();
  const directory = Array.from({ length: count }, (_, i) => {
    const entry = new Bytes()
      .u32(0x02014b50)
      .u16(20)
      .u16(20)
      .u16(0)
      .u16(8)
      .u32(0)
      .u32(0)
      .u32(packed.length)
      .u32(unpacked);
    return entry.u16(name(i).length).u16(0).u16(0).u16(0).u16(0).u32(0).u32(0).text(name(i)).done();
  });
  const list = Buffer.concat(directory);
  const tail = new Bytes()
    .u32(0x06054b50)
    .u16(0)
    .u16(0)
    .u16(count & 0xffff)
    .u16(count & 0xffff)
    .u32(list.length)
    .u32(data.length)
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
  {
    file: "names.zip",
    told: "opened",
    make: () => overlapping(18_000, (i) => `${i}.png`, MiB),
  },
  {
    file: "bomb.zip",
    slow: true,
    told: "opened",
    make: () => overlapping(1, () => "0.png", 250 * MiB),
  },
  { file: "description.zip", told: "refused", make: () => overlapping(1, () => "recording.json", 90 * MiB) },
  {
    file: "longNames.zip",
    told: "refused",
    make: () => overlapping(15, (i) => `${i}/${"a/".repeat(32_000)}0.png`, 10),
  },
  { file: "deepNames.zip", told: "refused", make: () => overlapping(240, (i) => `${i}/${"a/".repeat(2000)}0.png`, 10) },
  {
    file: "digits.zip",
    told: "opened",
    make: () => overlapping(240, (i) => `${"1".repeat(4000)}${i}.png`, 10),
  },
  {
    file: "heads.zip",
    told: "opened",
    make: () => overlapping(64, (i) => `${String.fromCharCode(97 + (i % 26)).repeat(1 + i / 26)}.png`, 95 * MiB),
  },
  {
    file: "numbers.zip",
    told: "opened",
    make: () => {
      const names = Array.from({ length: 110 }, (_, i) => [`depth/${"1".repeat(4000)}${i}x.png`, good] as const);
      return zipOf({ "odometry.csv": "1,1,0,0,0,0,0,0,1", ...Object.fromEntries(names) });
    },
  },
  {
    file: "stars.tgz",
    slow: true,
    told: "refused",
    make: () => {
      const json = JSON.stringify({ depth: `${"*a".repeat(400)}b.png` });
      const names = Array.from({ length: 5000 }, (_, i) =>
        Buffer.concat([named(`${"a".repeat(3900)}${i}.png`), tarHeader("0.png", 0)]),
      );
      return tgz(tarPart("recording.json", json), ...names, end);
    },
  },
  {
    file: "stars.zip",
    told: "refused",
    make: () => {
      const json = JSON.stringify({ depth: `${"*a".repeat(400)}b.png` });
      const names = Array.from({ length: 2500 }, (_, i) => [`${"a".repeat(80)}${i}.png`, good] as const);
      return zipOf({ "recording.json": json, ...Object.fromEntries(names) });
    },
  },
  {
    file: "empty.tgz",
    told: "refused",
    make: () => Buffer.concat([repeated(gzipSync(new Uint8Array(0)), 50_000), tgz(tarPart("0.png", good), end)]),
  },
  {
    file: "zeros.tgz",
    slow: true,
    told: "refused",
    make: () => tgz(tarHeader("0.png", 300 * MiB), new Uint8Array(300 * MiB)),
  },
  { file: "files.tgz", told: "refused", make: () => tgz(repeated(tarHeader("0.png", 0), 300_000)) },
  {
    file: "manyFiles.tgz",
    slow: true,
    told: "refused",
    make: () => tgz(...Array.from({ length: 100_000 }, (_, i) => tarHeader(`${i}.png`, 0)), end),
  },
  {
    file: "attributes.tgz",
    slow: true,
    told: "opened",
    make: () => tgz(repeated(attributes(repeated(Buffer.from("6 a=b\n"), 170_000)), 250), tarPart("0.png", good), end),
  },
  {
    file: "longNames.tgz",
    slow: true,
    told: "refused",
    make: () =>
      tgz(
        ...Array.from({ length: 200 }, (_, i) =>
          Buffer.concat([named(`${i}/${"a/".repeat(500_000)}`), tarPart("0.png", good)]),
        ),
        end,
      ),
  },
  {
    file: "largeFile.tgz",
    slow: true,
    told: "refused",
    make: () => tgz(tarHeader("recording.json", 250 * MiB), new Uint8Array(250 * MiB), end),
  },
  {
    file: "headers.tar",
    told: "opened",
    make: () => Buffer.concat([repeated(tarHeader("0.png", 0, "5"), 2000), tarPart("0.png", good), end]),
  },
];
