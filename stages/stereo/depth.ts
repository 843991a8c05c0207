import type { Size } from "./census.ts";
import { BACK, HIDDEN, PARTS, STEP } from "./layout.ts";

/** `scale` / (disparity + `shift`), both in parts of a px, is depth in its units. */
interface Scale {
  readonly scale: number;
  readonly shift: number;
}

/** The depth of disparities in parts of a px, 0 for none. What a thing hides from the right camera gets the depth of what is behind. */
export function depths(disparities: Uint32Array, { width }: Size, { scale, shift }: Scale, into: Uint16Array) {
  for (let at = 0; at < into.length; at++) {
    const found = disparities[at] || behind(disparities, at, at - (at % width), width);
    const parts = found + shift;
    const z = found > 0 && parts > 0 ? Math.floor((scale + (parts >>> 1)) / parts) : 0;
    into[at] = z > 65535 ? 0 : z;
  }
}

/**
 * The disparity of what is behind the thing right of an invalid pixel, 0 if no thing hides the pixel: from where a surface ends to where a
 * nearer one begins, the right camera sees nothing of as many px as their disparities differ (Hirschmüller 2008, section 2.5).
 */
function behind(disparities: Uint32Array, at: number, first: number, width: number): number {
  let [left, right] = [at, at];
  while (left >= first && disparities[left] === 0 && at - left < HIDDEN) left--;
  while (right < first + width && disparities[right] === 0 && right - at < HIDDEN) right++;
  if (left < first || right >= first + width || right - left > HIDDEN) return 0;
  let least = disparities[left];
  for (let i = left - 1; i >= first && i > left - BACK; i--) {
    if (disparities[i] === 0 || Math.abs(disparities[i] - disparities[i + 1]) >= STEP) break;
    least = Math.min(least, disparities[i]);
  }
  const nearer = disparities[right] - least;
  return nearer >= STEP && (right - left - 1) * PARTS <= nearer ? least : 0;
}
