import type { NdArray } from "ndarray";
import { imageOf } from "../core/array.ts";
import { checkArgument } from "../core/check.ts";
import type { DepthArray, DepthFrame } from "../core/frame.ts";
import type { Pose } from "../sources/format/format.ts";
import { cloudOf } from "./cloud.ts";
import { quaternionOf } from "./quaternion.ts";
import { bytesOf } from "./ros2.ts";

const numbersRule = imageOf([Uint16Array, Float32Array]);

/**
 * Encodes depth as NumPy's .npy (version 1.0): u16 or f32, little-endian, shape (height, width).
 *
 * @example
 * await writeFile("depth.npy", depthNpy(frame.depth));
 */
export function depthNpy(depth: DepthArray | NdArray<Float32Array>): Uint8Array {
  checkArgument("depthNpy", "the depth", numbersRule, depth);
  const {
    data,
    shape: [height, width],
  } = depth;
  const text = `{'descr': '${data instanceof Float32Array ? "<f4" : "<u2"}', 'fortran_order': False, 'shape': (${height}, ${width}), }`;
  // The numbers begin at a multiple of 64 bytes.
  const padded = `${text.padEnd(Math.ceil((text.length + 11) / 64) * 64 - 11)}\n`;
  const head = Buffer.from(`\x93NUMPY\x01\x00..${padded}`, "latin1");
  head.writeUInt16LE(padded.length, 8);
  return Buffer.concat([head, bytesOf(data)]);
}

const SHORT = 3;
const LONG = 4;

/**
 * Encodes depth as a TIFF (6.0, baseline grey) of 16 bits, or of floats, in one strip, not compressed, which every program reads.
 *
 * @example
 * await writeFile("depth.tiff", depthTiff(frame.depth));
 */
export function depthTiff(depth: DepthArray | NdArray<Float32Array>): Uint8Array {
  checkArgument("depthTiff", "the depth", numbersRule, depth);
  const {
    data,
    shape: [height, width],
  } = depth;
  const head = Buffer.from("II*\0\0\0\0\0", "latin1");
  head.writeUInt32LE(head.length + data.byteLength, 4);
  const tags: readonly (readonly [tag: number, type: number, value: number])[] = [
    [256, LONG, width],
    [257, LONG, height],
    // Bits of a sample, no compression, 0 is black.
    ...[[258, SHORT, 8 * data.BYTES_PER_ELEMENT] as const, [259, SHORT, 1] as const, [262, SHORT, 1] as const],
    [273, LONG, head.length],
    [277, SHORT, 1],
    [278, LONG, height],
    [279, LONG, data.byteLength],
    // Whole numbers without a sign, or IEEE's floats.
    [339, SHORT, data instanceof Float32Array ? 3 : 1],
  ];
  const list = Buffer.alloc(2 + 12 * tags.length + 4);
  list.writeUInt16LE(tags.length, 0);
  for (const [i, [tag, type, value]] of tags.entries()) {
    const at = 2 + 12 * i;
    list.writeUInt16LE(tag, at);
    list.writeUInt16LE(type, at + 2);
    list.writeUInt32LE(1, at + 4);
    list.writeUInt32LE(value, at + 8);
  }
  return Buffer.concat([head, bytesOf(data), list]);
}

/**
 * Encodes a frame's points as an organised binary PCD (0.7): a point for each pixel, NaN where nothing was measured; rgb where there is
 * colour. The camera's pose, where it is known, is the viewpoint.
 */
export function pointsPcd(frame: DepthFrame, pose?: Pose): Uint8Array {
  const [x, y, z, w] = pose ? quaternionOf(pose) : [0, 0, 0, 1];
  const place = pose ? [pose[3], pose[7], pose[11]] : [0, 0, 0];
  const { data, width, height, step } = cloudOf(frame, true);
  const fields = step === 16 ? ["x", "y", "z", "rgb"] : ["x", "y", "z"];
  const each = (text: string) => fields.map(() => text).join(" ");
  const lines = [
    "# .PCD v0.7 - metres; x right, y down, z forward, from the sensor",
    "VERSION 0.7",
    `FIELDS ${fields.join(" ")}`,
    `SIZE ${each("4")}`,
    `TYPE ${each("F")}`,
    `COUNT ${each("1")}`,
    `WIDTH ${width}`,
    `HEIGHT ${height}`,
    `VIEWPOINT ${[...place, w, x, y, z].join(" ")}`,
    `POINTS ${width * height}`,
    "DATA binary",
  ];
  return Buffer.concat([Buffer.from(`${lines.join("\n")}\n`), data]);
}
