import type { Size } from "./census.ts";
import { BACK, HIDDEN, PARTS, STEP } from "./layout.ts";

/** `scale` / (disparity + `shift`), both in parts of a px, is depth in its units. */
interface Scale {
  readonly scale: number;
  readonly shift: number;
}

/**
 * The depth of disparities in parts of a px, 0 for none. A pixel that a thing hides from the right camera gets the depth of the surface
 * behind.
 */
export function depths(parts: Uint32Array, size: Size, scale: Scale, into: Uint16Array): void {
  for (let at = 0; at < into.length; at++) into[at] = depthAt(parts, at, size, scale);
}

function depthAt(parts: Uint32Array, at: number, { width }: Size, { scale, shift }: Scale): number {
  const own = parts[at] || behind(parts, at, at - (at % width), width);
  const shifted = own + shift;
  if (own === 0 || shifted <= 0) return 0;
  const z = Math.floor((scale + (shifted >>> 1)) / shifted);
  return z > 65535 ? 0 : z;
}

/**
 * The disparity of what is behind the thing right of an invalid pixel, 0 if no thing hides the pixel: from where a surface ends to where a
 * nearer one begins, the right camera misses a strip of as many px as the difference of the two disparities (Hirschmüller 2008, section
 * 2.5).
 */
function behind(parts: Uint32Array, at: number, first: number, width: number): number {
  let left = at;
  while (left >= first && parts[left] === 0 && at - left < HIDDEN) left--;
  let right = at;
  while (right < first + width && parts[right] === 0 && right - at < HIDDEN) right++;
  if (left < first || right >= first + width || right - left > HIDDEN) return 0;
  let least = parts[left];
  for (let i = 1; i < BACK && left - i >= first; i++) {
    const other = parts[left - i];
    if (other === 0 || Math.abs(other - parts[left - i + 1]) >= STEP) break;
    least = Math.min(least, other);
  }
  return parts[right] >= least + STEP && (right - left - 1) * PARTS <= parts[right] - least ? least : 0;
}
