import type { Bytes } from "./codec.ts";
import type { DecodedColor } from "./png.ts";

/** Uncompressed pixel formats that cameras give. */
export type RawKind = "yuy2" | "nv12" | "bgra" | "rgb" | "bgr";

const BYTES_A_PIXEL: Record<RawKind, number> = { yuy2: 2, nv12: 1.5, bgra: 4, rgb: 3, bgr: 3 };

/** The bytes of an image in a pixel format. */
export const rawSize = (kind: RawKind, width: number, height: number): number => width * height * BYTES_A_PIXEL[kind];

/** Converts raw colour to RGBA, with BT.601's luma and chroma in video range. `bytes` has at least `rawSize` bytes. */
export function rawToRgba(kind: RawKind, bytes: Uint8Array, width: number, height: number): DecodedColor {
  const data: Bytes = new Uint8Array(4 * width * height);
  if (kind === "yuy2") fromYuy2(bytes, data);
  else if (kind === "nv12") fromNv12(bytes, width, height, data);
  else {
    const [step, red, blue] = { bgra: [4, 2, 0], bgr: [3, 2, 0], rgb: [3, 0, 2] }[kind];
    for (let at = 0, to = 0; to < data.length; at += step, to += 4) {
      data[to] = bytes[at + red];
      data[to + 1] = bytes[at + 1];
      data[to + 2] = bytes[at + blue];
      data[to + 3] = 255;
    }
  }
  return { width, height, data };
}

/** A pair of pixels is y u y v. */
function fromYuy2(bytes: Uint8Array, out: Bytes): void {
  for (let at = 0, to = 0; to < out.length; at += 4, to += 8) {
    const u = bytes[at + 1];
    const v = bytes[at + 3];
    pixel(out, to, bytes[at], u, v);
    pixel(out, to + 4, bytes[at + 2], u, v);
  }
}

/** All y values come first, then u and v for each 2 × 2 pixels. */
function fromNv12(bytes: Uint8Array, width: number, height: number, out: Bytes): void {
  for (let y = 0, to = 0; y < height; y++) {
    const chroma = width * height + (y >> 1) * width;
    for (let x = 0; x < width; x++, to += 4) {
      const at = chroma + (x & ~1);
      pixel(out, to, bytes[y * width + x], bytes[at], bytes[at + 1]);
    }
  }
}

function pixel(out: Bytes, at: number, y: number, u: number, v: number): void {
  // Fixed-point arithmetic in 256ths.
  const luma = 298 * (y - 16) + 128;
  const blue = u - 128;
  const red = v - 128;
  out[at] = clamp((luma + 409 * red) >> 8);
  out[at + 1] = clamp((luma - 100 * blue - 208 * red) >> 8);
  out[at + 2] = clamp((luma + 516 * blue) >> 8);
  out[at + 3] = 255;
}

const clamp = (value: number) => Math.min(Math.max(value, 0), 255);
