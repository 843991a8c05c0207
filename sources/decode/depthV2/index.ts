import { type Bytes, InflateError } from "../codec.ts";
import * as twin from "./twin.ts";
import { fast } from "./wasm.ts";

/**
 * Depth as `depthloom.depth.v2` packs it, without loss; docs/depthV2.md describes each byte. All numbers are little-endian.
 *
 *     0  "DLD2"                                   16  the block, packed:
 *     4  u8   how the block is packed                 n bytes, n bytes   gaps of the values, low and high
 *     5  u8   0                                       (w h + 7) / 8      mask: 1 where there is a measurement
 *     6  u16  n, how many values occur                v bytes, v bytes   differences from predictions, low and high
 *     8  u16  w, u16 h
 *    12  u32  v, how many pixels are valid
 */
const PACKINGS = ["none", "deflate", "zstd"] as const;
/** How a block is packed: not at all, in zlib's format, or as a Zstandard frame. */
export type Packing = (typeof PACKINGS)[number];

const MAGIC = 0x32444c44;
const HEADER = 16;
const VALUES = 65536;
/** The pixels of an image of 16,384 × 16,384 would take a GiB. */
const MAX_PIXELS = 2 ** 26;

const maskBytes = (pixels: number) => (pixels + 7) >> 3;

/** Packs depth of `width` × `height`; `pack` compresses the block. `wasm` off takes the slower twin, for tests. */
export function packDepth(
  depth: Uint16Array,
  width: number,
  height: number,
  packing: Packing,
  pack: (block: Uint8Array) => Uint8Array,
  wasm = true,
): Bytes {
  const { block, values, valid } =
    (wasm ? fastBlock(depth, width, height) : undefined) ?? slowBlock(depth, width, height);
  const packed = packing === "none" ? block : pack(block);
  const out = new Uint8Array(HEADER + packed.length);
  const view = new DataView(out.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint8(4, PACKINGS.indexOf(packing));
  view.setUint16(6, values, true);
  view.setUint16(8, width, true);
  view.setUint16(10, height, true);
  view.setUint32(12, valid, true);
  out.set(packed, HEADER);
  return out;
}

interface Block {
  /** Valid until the next image. */
  readonly block: Uint8Array;
  readonly values: number;
  readonly valid: number;
}

function fastBlock(depth: Uint16Array, width: number, height: number): Block | undefined {
  const found = fast();
  if (!found) return undefined;
  const { kernel } = found;
  const at = found.room(depth.length);
  new Uint16Array(at.bytes.buffer, at.depth, depth.length).set(depth);
  const valid = kernel.survey(at.depth, depth.length, at.table);
  const values = kernel.dictionary(at.table, at.block);
  kernel.encode(at.depth, at.table, at.numbers, at.block + 2 * values, width, height, valid);
  const length = 2 * values + maskBytes(depth.length) + 2 * valid;
  return { block: at.bytes.subarray(at.block, at.block + length), values, valid };
}

function slowBlock(depth: Uint16Array, width: number, height: number): Block {
  const table = new Uint16Array(VALUES);
  const valid = twin.survey(depth, table);
  const block = new Uint8Array(2 * VALUES + maskBytes(depth.length) + 2 * valid);
  const values = twin.dictionary(table, block);
  twin.encode(depth, table, block.subarray(2 * values), width, height, valid);
  return { block: block.subarray(0, 2 * values + maskBytes(depth.length) + 2 * valid), values, valid };
}

/** The header of a packed image. */
export interface PackedDepth {
  readonly width: number;
  readonly height: number;
  readonly packing: Packing;
  readonly values: number;
  readonly valid: number;
  /** The packed block, and its length unpacked. */
  readonly packed: Uint8Array;
  readonly length: number;
}

/** Reads the header of packed depth. Throws an `InflateError` where it contradicts itself. */
export function packedDepth(bytes: Uint8Array): PackedDepth {
  if (bytes.length < HEADER) throw InflateError.cut();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [width, height] = [view.getUint16(8, true), view.getUint16(10, true)];
  const [values, valid] = [view.getUint16(6, true), view.getUint32(12, true)];
  const packing = PACKINGS[view.getUint8(4)];
  const pixels = width * height;
  const isSound =
    pixels > 0 && pixels <= MAX_PIXELS && valid <= pixels && values <= valid && (values > 0 || valid === 0);
  if (view.getUint32(0, true) !== MAGIC || packing === undefined || !isSound) throw InflateError.damaged();
  const length = 2 * values + maskBytes(pixels) + 2 * valid;
  return { width, height, packing, values, valid, packed: bytes.subarray(HEADER), length };
}

/** Unpacks depth from its unpacked block. Throws an `InflateError` where it is damaged. */
export function depthOfBlock(block: Uint8Array, about: PackedDepth, wasm = true): Uint16Array<ArrayBuffer> {
  if (block.length !== about.length) throw InflateError.cut();
  const depth = (wasm ? fastDepth(block, about) : undefined) ?? slowDepth(block, about);
  if (depth === "damaged") throw InflateError.damaged();
  return depth;
}

type Found = Uint16Array<ArrayBuffer> | "damaged";

function fastDepth(block: Uint8Array, { width, height, values, valid }: PackedDepth): Found | undefined {
  const found = fast();
  if (!found) return undefined;
  const { kernel } = found;
  const at = found.room(width * height);
  at.bytes.set(block, at.block);
  if (!kernel.values(at.block, values, at.table)) return "damaged";
  const rest = at.block + 2 * values;
  const isSound = kernel.decode(rest, at.table, values, at.numbers, at.depth, width, height, valid);
  return isSound ? new Uint16Array(at.bytes.buffer, at.depth, width * height).slice() : "damaged";
}

function slowDepth(block: Uint8Array, { width, height, values, valid }: PackedDepth): Found {
  const table = new Uint16Array(VALUES);
  const depth = new Uint16Array(width * height);
  if (!twin.values(block, values, table)) return "damaged";
  const isSound = twin.decode(block.subarray(2 * values), table.subarray(0, values), depth, width, height, valid);
  return isSound ? depth : "damaged";
}
