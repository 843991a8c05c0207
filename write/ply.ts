import type { NdArray } from "ndarray";

const BYTES = 15;

/**
 * Encodes points as a binary little-endian PLY: x, y, z in metres in the sensor's frame (x right, y down, z forward), red, green, blue.
 * `points` has the shape `[n, 4]`; the fourth value is the colour's word. `colours` is a comment for the file's header on where the colours
 * come from.
 */
export function pointsPly({ data, shape: [count] }: NdArray<Float32Array>, colours?: string): Uint8Array<ArrayBuffer> {
  const properties = ["x", "y", "z"].map((name) => `property float ${name}\n`);
  const colors = ["red", "green", "blue"].map((name) => `property uchar ${name}\n`);
  const axes = "comment metres; x right, y down, z forward, from the sensor\n";
  const whose = colours === undefined ? "" : `comment colours: ${colours}\n`;
  const top = `ply\nformat binary_little_endian 1.0\n${axes}${whose}element vertex ${count}\n`;
  const header = new TextEncoder().encode(`${top}${properties.join("")}${colors.join("")}end_header\n`);
  const ply = new Uint8Array(header.length + count * BYTES);
  ply.set(header);
  const words = new Uint32Array(data.buffer, data.byteOffset, data.length);
  const view = new DataView(ply.buffer, header.length);
  for (let i = 0; i < count; i++) {
    for (let axis = 0; axis < 3; axis++) view.setFloat32(i * BYTES + axis * 4, data[i * 4 + axis], true);
    const word = words[i * 4 + 3];
    for (let channel = 0; channel < 3; channel++)
      view.setUint8(i * BYTES + 12 + channel, (word >> (8 * channel)) & 255);
  }
  return ply;
}
