import { deflateSync, inflateSync } from "node:zlib";
import { Bytes } from "./bytes.ts";
import { floats } from "./still.ts";

/**
 * 24 × 40 pixels with PIZ, written by OpenEXR 3.1.5 and deflated here: `View.Depth.Z` of floats behind `View.Combined.R` of halves.
 */
const WRITTEN = [
  "eNor0zdkZGJgYEjOSMzLS80pBjJyMotLGOyAYmGZqeV6zvm5SZl5qSl6QQyMDBDACMVgeZfUgpIMvSgGJjRJhuT83IKi1OLizPw8FDZIkiUlsS",
  "QxPDMvJb+cISm/wiiTQYABAcSBWB2IUzKLC3ISKwmqywG6z78oJbUIiQV2QkFmRWqOY3FBanJJUGJJZj5DWk5+YgkDC1h3g31xclFqah7EeOfU",
  "vBKgtjKjNAYOJCuQlYRnppRkoBnBEAANlHksCE1uzECCnYuDkWFgAeMA2IeK4dCYCaHoMFDuJpTPwujGkNgg/X8UDEXwRybhkMT/+j79P+HpPx",
  "79P5rP/PO9/f0H3zem9n+0FonsNvn/ff/999UiN/7bn//857+h7/x/3///vrHZsR4o/hCk7H/l/3/VYpn/3/+v3/smMv3/3v//vmle/Fc///nP",
  "f0mzGhSASeQH08jMTdjdAIZPGREC+4HsTiiPJdBVxH80WQ5J8OFAy3/2D+f2xP99/O+/3rcSn6MzzzQAAMlyDuM=",
];
export const pizExr = () => new Uint8Array(inflateSync(Buffer.from(WRITTEN.join(""), "base64")));

/** Rows in a block by the number of the compression: none, ZIP of one row, ZIP of 16 rows, PIZ (of which only the header is written). */
const ROWS: Readonly<Record<number, number>> = { 0: 1, 2: 1, 3: 16, 4: 32 };

/** An OpenEXR file of scan lines with channels of floats. */
export function exrOf(
  width: number,
  height: number,
  channels: Readonly<Record<string, readonly number[]>>,
  compression = 3,
): Uint8Array {
  const out = new Bytes().u32(20000630, 2);
  const attribute = (name: string, type: string, value: Bytes) =>
    out.text(`${name}\0${type}\0`).u32(value.length).bytes(value.done());
  const list = new Bytes();
  for (const name of Object.keys(channels)) list.text(`${name}\0`).u32(2, 0, 1, 1);
  const box = () => new Bytes().u32(0, 0, width - 1, height - 1);
  attribute("channels", "chlist", list.u8(0));
  attribute("compression", "compression", new Bytes().u8(compression));
  attribute("dataWindow", "box2i", box());
  attribute("displayWindow", "box2i", box());
  attribute("lineOrder", "lineOrder", new Bytes().u8(0));
  attribute("pixelAspectRatio", "float", new Bytes().f32(1));
  attribute("screenWindowCenter", "v2f", new Bytes().f32(0, 0));
  attribute("screenWindowWidth", "float", new Bytes().f32(1));
  out.u8(0);
  const rows = ROWS[compression];
  const blocks: Uint8Array[] = [];
  const planes = Object.values(channels);
  for (let y = 0; y < height; y += rows) {
    const count = Math.min(rows, height - y);
    const block = Array.from({ length: count }, (_, i) =>
      planes.map((plane) => plane.slice((y + i) * width, (y + i + 1) * width)),
    );
    const raw = floats(block.flat(2));
    const packed = compression === 0 || compression === 4 ? raw : packZip(raw);
    blocks.push(packed.length < raw.length ? packed : raw);
  }
  let at = out.length + 8 * blocks.length;
  for (const block of blocks) {
    out.u64(at);
    at += 8 + block.length;
  }
  for (const [i, block] of blocks.entries()) out.u32(i * rows, block.length).bytes(block);
  return out.done();
}

function packZip(raw: Uint8Array): Uint8Array {
  const half = (raw.length + 1) >> 1;
  const mixed = new Uint8Array(raw.length);
  for (const [i, byte] of raw.entries()) mixed[(i >> 1) + (i & 1 ? half : 0)] = byte;
  for (let i = mixed.length - 1; i > 0; i--) mixed[i] = mixed[i] - mixed[i - 1] + 128;
  return deflateSync(mixed);
}
