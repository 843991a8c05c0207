import { deflateSync, inflateSync } from "node:zlib";
import { zipOf } from "../../sources/fixtures.ts";
import { Bytes } from "../../sources/makers/bytes.ts";
import { exrOf } from "../../sources/makers/exr.ts";
import { npyOf, tiffOf } from "../../sources/makers/still.ts";
import { chunk as pngChunk, pngOf } from "../png.ts";
import { type Crafted, opened, refused, repeated, tooMuch } from "./crafted.ts";

const SIDE = 4096;
/** A depth PNG of 16 megapixels, all 0. */
const blank = (filter = 0) => {
  const rows = new Uint8Array(SIDE * (2 * SIDE + 1));
  for (let y = 0; y < SIDE; y++) rows[y * (2 * SIDE + 1)] = filter;
  return pngOf(SIDE, SIDE, deflateSync(rows));
};

/** A TIFF of `tags` behind `data`. */
function tiff(tags: readonly (readonly [tag: number, kind: number, count: number, value: number])[], data: Uint8Array) {
  const head = new Bytes().text("II").u16(42);
  const out = head
    .u32(8 + data.length)
    .bytes(data)
    .u16(tags.length);
  for (const [tag, kind, count, value] of tags) out.u16(tag, kind).u32(count, value);
  return out.u32(0).done();
}
const described = (width: number, height: number, compression = 1, bits = 16) =>
  [
    [256, 4, 1, width],
    [257, 4, 1, height],
    [258, 3, 1, bits],
    [259, 3, 1, compression],
    [277, 3, 1, 1],
    [339, 3, 1, bits === 64 ? 3 : 1],
  ] as const;

/** `count` LONGs of one value. */
const longs = (value: number, count: number) => repeated(new Bytes().u32(value).done(), count);

/** An OpenEXR file with the header of `small`, another size, and the same block `packed` for all its rows. */
function exr(small: Uint8Array, width: number, height: number, rows: number, packed: Uint8Array): Uint8Array {
  const view = new DataView(small.buffer, small.byteOffset, small.length);
  // The offset of the file's only block stands right before the block.
  let begin = small.length - 8;
  while (view.getUint32(begin, true) !== begin + 8 || view.getUint32(begin + 4, true) !== 0) begin--;
  const header = small.slice(0, begin);
  const window = Buffer.from(header).indexOf("dataWindow") + "dataWindow\0box2i\0".length + 4;
  new DataView(header.buffer).setInt32(window + 8, width - 1, true);
  new DataView(header.buffer).setInt32(window + 12, height - 1, true);
  const count = Math.ceil(height / rows);
  const start = header.length + 8 * count;
  const table = new Bytes();
  const blocks = new Bytes();
  for (let i = 0; i < count; i++) {
    table.u64(start + i * (8 + packed.length));
    blocks.u32(i * rows, packed.length).bytes(packed);
  }
  return new Bytes().bytes(header).bytes(table.done()).bytes(blocks.done()).done();
}

/** An OpenEXR file of `height` blocks, each one row of eight pixels. */
const oneRow = (height: number) =>
  exr(exrOf(1, 1, { Z: [1] }, 2), 8, height, 1, deflateSync(new Uint8Array(32), { level: 9 }));

/** A PIZ block, deflated, of 32 rows of 2,000 pixels in a hundred channels of zeros. */
const WAVELETS = `${"eNrtx7EJgDAARcGvCGmzgc7hcs6SyVxCSCURsoLtveLgjT05n8yWJGuSo5X5W73u/g4".padEnd(186, "A")}DgBx/CZtKO`;

/** An OpenEXR file of `count` such blocks. */
function wavelets(count: number): Uint8Array {
  const names = Array.from({ length: 99 }, (_, i) => [`C${i}`, [0]] as const);
  const small = exrOf(1, 1, { ...Object.fromEntries(names), Z: [1] }, 4);
  return exr(small, 2000, 32 * count, 32, new Uint8Array(inflateSync(Buffer.from(WAVELETS, "base64"))));
}

/** An OpenEXR file of `count` deflated blocks, each 16 rows of 10,000 pixels in a hundred channels. */
function manyChannels(count: number): Uint8Array {
  const names = Array.from({ length: 99 }, (_, i) => [`C${i}`, [0]] as const);
  const small = exrOf(1, 1, { ...Object.fromEntries(names), Z: [1] }, 3);
  return exr(small, 10_000, 16 * count, 16, deflateSync(new Uint8Array(64_000_000), { level: 9 }));
}

const size = (side: number) => [side >> 8, side & 255];
const segment = (marker: number, ...bytes: readonly number[]) => [0xff, marker, ...size(bytes.length + 2), ...bytes];

/** A JPEG of `side` × `side` grey pixels with more segments before its end. */
function jpeg(side: number, kind: number, more: Uint8Array, components = 1): Uint8Array {
  const each = (make: (i: number) => readonly number[]) =>
    Array.from({ length: components }, (_, i) => make(i + 1)).flat();
  const tables = [
    ...segment(0xdb, 0, ...new Array(64).fill(1)),
    ...segment(kind, 8, ...size(side), ...size(side), components, ...each((i) => [i, 0x11, 0])),
  ];
  const codes = [0, 0x10].flatMap((table) => segment(0xc4, table, 1, ...new Array(15).fill(0), 0));
  return Buffer.concat([Uint8Array.from([0xff, 0xd8, ...tables, ...codes]), more, Uint8Array.of(0xff, 0xd9)]);
}
const scan = (from: number, to: number, bits: number, ...data: number[]) =>
  Uint8Array.from([...segment(0xda, 1, 1, 0, from, to, bits), ...data]);
/** A scan of all pixels of a baseline JPEG, in codes of one bit. */
const baseline = (side: number, components = 1) => {
  const tables = Array.from({ length: components }, (_, i) => [i + 1, 0]).flat();
  const head = Uint8Array.from(segment(0xda, components, ...tables, 0, 63, 0));
  return Buffer.concat([head, new Uint8Array((components * (side / 8) ** 2) / 4)]);
};

/** A zip of a small depth image and its colour in a JPEG. */
const colored = (bytes: Uint8Array, side: number) =>
  zipOf({
    "recording.json": '{"depth":"depth/*.png","color":"color/*.jpg","registered":true}',
    "depth/0.png": pngOf(side, side, deflateSync(new Uint8Array(side * (2 * side + 1)))),
    "color/0.jpg": bytes,
  });

const npz = (name: string, bytes: Uint8Array) => zipOf({ [name]: bytes });

/** A recording whose colour is such a JPEG. */
const inJpeg = (side: number, kind: number, parts: readonly Uint8Array[], components?: number) =>
  colored(jpeg(side, kind, Buffer.concat(parts), components), side);

/** A recording whose colour has `count` equal tables of codes. */
const manyTables = (count: number, ...codes: readonly number[]) =>
  inJpeg(64, 0xc0, [repeated(Uint8Array.from(segment(0xc4, 0, ...codes)), count), baseline(64)]);

export const images: readonly Crafted[] = [
  opened("blank.png", { frames: 32 }, () => blank()),
  opened("paeth.png", { frames: 32 }, () => blank(4)),
  opened("chunks.png", () => {
    const good = pngOf(1, 1, deflateSync(new Uint8Array(3)));
    const texts = repeated(pngChunk("tEXt", new Uint8Array(0)), 85_000);
    return Buffer.concat([good.subarray(0, 33), texts, good.subarray(33)]);
  }),
  opened("parts.png", () => {
    const data = deflateSync(new Uint8Array(3));
    const good = pngOf(1, 1, new Uint8Array(0));
    const parts = [...data].map((byte) => pngChunk("IDAT", Uint8Array.of(byte)));
    const empty = repeated(pngChunk("IDAT", new Uint8Array(0)), 80_000);
    return Buffer.concat([good.subarray(0, 33), empty, ...parts, good.subarray(-12)]);
  }),
  opened("scans.zip", () => inJpeg(1024, 0xc2, [repeated(scan(0, 0, 0, 0), 40_000)])),
  opened("refined.zip", () =>
    inJpeg(1024, 0xc2, [scan(0, 0, 0, ...new Array(2048).fill(0)), repeated(scan(1, 63, 0x10, 0), 250)]),
  ),
  opened("large.zip", { slow: true, frames: 96 }, () => inJpeg(SIDE, 0xc0, [baseline(SIDE, 3)], 3)),
  opened("headers.zip", { slow: true }, () =>
    inJpeg(1024, 0xc0, [repeated(Uint8Array.from(segment(0xc0, 8, 16, 0, 16, 0, 1, 1, 0x11, 0)), 70_000)]),
  ),
  opened("tables.zip", () => manyTables(45_000, 1, ...new Array(15).fill(0), 0)),
  opened("deepTables.zip", () => manyTables(3700, ...new Array(15).fill(0), 255, ...new Array(255).fill(0))),
  refused("tags.tiff", () =>
    tiff(
      [...described(64, 64), ...Array.from({ length: 20_000 }, (_, i) => [1000 + i, 4, 100_000, 8] as const)],
      new Uint8Array(500_000),
    ),
  ),
  refused("sharedStrips.tiff", () =>
    tiff(
      [...described(1, 100_000), [278, 4, 1, 1], [273, 4, 100_000, 8], [279, 4, 100_000, 400_008]],
      Buffer.concat([longs(8, 100_000), longs(2, 100_000)]),
    ),
  ),
  opened("deflated.tiff", () => {
    const part = deflateSync(new Uint8Array(2));
    const lists = Buffer.concat([longs(8, 16_000), longs(part.length, 16_000)]);
    const places = [
      [278, 4, 1, 1],
      [273, 4, 16_000, 8 + part.length],
      [279, 4, 16_000, 8 + part.length + 64_000],
    ] as const;
    return tiff([...described(1, 16_000, 8), ...places], Buffer.concat([part, lists]));
  }),
  tooMuch("tiles.tiff", { slow: true }, () => {
    const part = deflateSync(new Uint8Array(2 ** 25));
    const at = 8 + part.length;
    const places = [
      [322, 4, 1, 4096],
      [323, 4, 1, 4096],
      [324, 4, 4096, at],
      [325, 4, 4096, at + 4 * 4096],
    ] as const;
    return tiff(
      [...described(1, 4096 * 4096, 8), ...places],
      Buffer.concat([part, longs(8, 4096), longs(part.length, 4096)]),
    );
  }),
  opened("doubles.tiff", { slow: true, frames: 32 }, () => {
    const part = deflateSync(new Uint8Array(2 ** 27));
    return tiff([...described(SIDE, SIDE, 8, 64), [278, 4, 1, SIDE], [273, 4, 1, 8], [279, 4, 1, part.length]], part);
  }),
  opened("good.tiff", () => tiffOf({ width: 2, height: 1, bits: 16, values: new Uint8Array(4) })),
  opened("rows.exr", () => oneRow(35_000)),
  refused("wavelets.exr", { slow: true }, () => wavelets(12)),
  tooMuch("channels.exr", { slow: true }, () => manyChannels(15)),
  refused("many.npy", () => npyOf("<u2", [500_000, 1, 1], new Uint8Array(1_000_000))),
  refused("lies.npy", () => npyOf("<u2", [500_000, 4096, 4096], new Uint8Array(1000))),
  refused("header.npy", () => {
    const head = Uint8Array.of(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 2, 0, 0, 0, 15, 0);
    return Buffer.concat([head, new Uint8Array(2 ** 20 - 64).fill(32)]);
  }),
  opened("zeros.npz", { slow: true, frames: 100 }, () =>
    npz("depth.npy", npyOf("<u2", [150, 480, 640], new Uint8Array(150 * 480 * 640 * 2))),
  ),
  refused("keys.zip", () => {
    const keys = Array.from({ length: 4000 }, (_, i) => [`depth_${i}.npy`, npyOf("<u2", [5, 5], new Uint8Array(50))]);
    const first = zipOf(Object.fromEntries(keys));
    return zipOf(Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`${i}.npz`, i ? "PK" : first])));
  }),
  refused("bomb.npz", { slow: true }, () =>
    npz("depth.npy", npyOf("<u2", [220, 480, 640], new Uint8Array(220 * 480 * 640 * 2))),
  ),
];
