import { LIGHT_STEPS, TABLE_STEPS } from "./layout.ts";

const { fround } = Math;

/** sRGB to linear light, both 0 to 1 (IEC 61966-2-1). */
export const toLinear = (c: number): number => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);

/** Linear light to sRGB, both 0 to 1. */
const toEncoded = (c: number): number => (c <= 0.0031308 ? c * 12.92 : 1.055 * c ** (1 / 2.4) - 0.055);

/** The light of each sRGB byte. */
export const LIGHT = Float32Array.from({ length: 256 }, (_, byte) => toLinear(byte / 255));
/** The light from which on the next byte is nearer. */
export const ENDS = Float32Array.from({ length: 256 }, (_, byte) => toLinear((byte + 0.5) / 255));
/** The byte for each of 4095 equal ranges of light: that of the range's least light. */
export const BYTES = Uint8Array.from({ length: TABLE_STEPS + 1 }, (_, k) =>
  Math.round(toEncoded(k / TABLE_STEPS) * 255),
);
/** For each 65535th of light, its byte, which before rounding is off by at most 0.03. */
export const ENCODED = Uint8Array.from({ length: LIGHT_STEPS + 1 }, (_, c) =>
  Math.round(toEncoded(c / LIGHT_STEPS) * 255),
);

/** Writes the light of a colour's red, green and blue to `light`, from `at` on. */
export function linear(light: Float32Array, at: number, colour: number): void {
  light[at] = LIGHT[colour & 255];
  light[at + 1] = LIGHT[(colour >>> 8) & 255];
  light[at + 2] = LIGHT[(colour >>> 16) & 255];
}

/** The sRGB byte of linear light, without a power: the byte in the table is the right one or, seldom, a smaller one. */
export function encoded(light: number): number {
  let byte = BYTES[Math.trunc(fround(light * TABLE_STEPS))];
  while (light >= ENDS[byte]) byte++;
  return byte;
}

/** The sRGB byte of a picture's light, from the finer table alone. */
export const encodedPixel = (light: number): number =>
  ENCODED[Math.trunc(fround(fround(Math.min(light, 1) * LIGHT_STEPS) + 0.5))];
