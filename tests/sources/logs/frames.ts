import { encode } from "fast-png";

export const [WIDTH, HEIGHT] = [6, 4];

/** Depth in millimetres: holes, near, far, and the largest value. */
export const depthUnits = (index: number): Uint16Array<ArrayBuffer> =>
  Uint16Array.from({ length: WIDTH * HEIGHT }, (_, i) =>
    i % 5 === 0 ? 0 : i === 23 ? 65535 : 700 + 13 * i + 101 * index,
  );

export const colorValues = (index: number): Uint8Array<ArrayBuffer> =>
  Uint8Array.from({ length: WIDTH * HEIGHT * 3 }, (_, i) => (i * 7 + index * 31) % 256);

/** RGB as RGBA. */
export const rgbaOf = (rgb: Uint8Array): Uint8Array =>
  Uint8Array.from({ length: (rgb.length / 3) * 4 }, (_, i) =>
    i % 4 === 3 ? 255 : rgb[Math.floor(i / 4) * 3 + (i % 4)],
  );

export const depthPng = (data: Uint16Array): Uint8Array =>
  encode({ width: WIDTH, height: HEIGHT, data, channels: 1, depth: 16 });

export const colorPng = (data: Uint8Array): Uint8Array =>
  encode({ width: WIDTH, height: HEIGHT, data, channels: 3, depth: 8 });

/** Rows of 16-bit values with padding behind each, in either byte order. */
export function rows16(data: Uint16Array, step = WIDTH * 2, bigEndian = false): Uint8Array {
  const bytes = new Uint8Array(step * HEIGHT).fill(0xee);
  const view = new DataView(bytes.buffer);
  data.forEach((value, i) => {
    view.setUint16(Math.floor(i / WIDTH) * step + (i % WIDTH) * 2, value, !bigEndian);
  });
  return bytes;
}

/** Rows of the same values in metres as floats; 0 becomes NaN. */
export function rows32(data: Uint16Array, step = WIDTH * 4, bigEndian = false): Uint8Array {
  const bytes = new Uint8Array(step * HEIGHT).fill(0xee);
  const view = new DataView(bytes.buffer);
  data.forEach((value, i) => {
    const metres = value === 0 ? Number.NaN : value * 0.001;
    view.setFloat32(Math.floor(i / WIDTH) * step + (i % WIDTH) * 4, metres, !bigEndian);
  });
  return bytes;
}

/** An image behind the header of `compressedDepth`. */
export function withHeader(bytes: Uint8Array, a = 0, b = 0): Uint8Array {
  const all = new Uint8Array(12 + bytes.length);
  const view = new DataView(all.buffer);
  view.setFloat32(4, a, true);
  view.setFloat32(8, b, true);
  all.set(bytes, 12);
  return all;
}

export const LENS = { fx: 5.5, fy: 5.25, cx: 2.5, cy: 1.75 };
export const K = [LENS.fx, 0, LENS.cx, 0, LENS.fy, LENS.cy, 0, 0, 1];

/** The frames that a reader gives of `depthUnits`, in millimetres, without colour. */
export const framesAt = (count: number, timeOf: (index: number) => number) =>
  Array.from({ length: count }, (_, i) => ({
    ...{ depth: [...depthUnits(i)], color: undefined, timestamp: timeOf(i), metresPerUnit: 0.001 },
    intrinsics: { ...LENS, width: WIDTH, height: HEIGHT },
  }));
