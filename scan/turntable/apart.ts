import { pointAt } from "../../core/geometry.ts";
import { connected } from "../../core/mask.ts";
import { type Look, lookBy } from "../place/look.ts";

/** A frame as a small image, without its brightness: the light stands while a thing turns in it. */
export type TurnLook = Omit<Look, "light" | "turn">;

/** A copy of the look that has depth only where `isKept` returns true. `isKept` gets the pixel, and its depth in metres. */
export function masked(look: TurnLook, isKept: (pixel: number, depthM: number) => boolean): TurnLook {
  const { across, down, lens, depths } = look;
  const depthAt = (_: unknown, x: number, y: number) => {
    const at = y * across + x;
    return depths[at] > 0 && isKept(at, depths[at]) ? depths[at] : 0;
  };
  return lookBy({ ...lens, width: across, height: down }, across, down, 1, depthAt);
}

/** Gives `use` the pixels of a look that have depth, and where they lie in the camera's axes, m. */
export function eachPoint(look: TurnLook, use: (pixel: number, x: number, y: number, z: number) => void): void {
  for (const [i, depth] of look.depths.entries())
    if (depth > 0) use(i, ...pointAt(look.lens, i % look.across, Math.floor(i / look.across), depth));
}

/** The most looks of a recording that are compared with each other. */
const COMPARED = 48;
/** A pixel is judged if at least this share of the compared looks has depth there. */
const SEEN = 0.4;
/**
 * A pixel changes if its depths, from the 10th to the 90th hundredth, spread by more than this many times its noise, and by more than this,
 * m.
 */
const SPREAD = 5;
const LEAST_M = 0.004;
/** A pixel whose depths spread by more than `STEP_M`, m, sees the thing and the background by turns: the farthest quarter is background. */
const STEP_M = 0.1;
const BEHIND = 0.25;
/** A pixel moves if at least this many of the 5 × 5 pixels around it change: outlines of things that stand flicker along a line. */
const TOGETHER = 13;

/** What changes before a camera that stands. */
export interface Moving {
  /** 1 for each pixel of the small image that shows something that moves. */
  readonly pixels: Uint8Array;
  /** Nearer than this, m, a pixel shows what moves and not what stands behind. */
  readonly untilM: Float32Array;
  /** The share of the pixels with depth that show something that moves. */
  readonly share: number;
}

/** Tells what moves in a recording from what stands: noise goes to and fro from look to look, and what turns comes and goes slowly. */
export function movingIn(looks: readonly TurnLook[]): Moving {
  const [{ across, down }] = looks;
  const size = across * down;
  const taken = Math.min(looks.length, COMPARED);
  const at = Array.from({ length: taken }, (_, k) => Math.floor((k * (looks.length - 1)) / Math.max(1, taken - 1)));
  const [changes, untilM] = [new Uint8Array(size), new Float32Array(size)];
  const [depths, steps] = [new Float32Array(taken), new Float32Array(taken)];
  let judged = 0;
  for (let i = 0; i < size; i++) {
    let [seen, stepped] = [0, 0];
    for (const k of at) {
      const [one, next] = [looks[k].depths[i], looks[Math.min(k + 1, looks.length - 1)].depths[i]];
      if (one > 0) depths[seen++] = one;
      if (one > 0 && next > 0) steps[stepped++] = Math.abs(next - one);
    }
    if (seen < Math.max(3, SEEN * taken)) continue;
    judged++;
    const noise = hundredth(steps.subarray(0, stepped), 50);
    const [near, far] = [hundredth(depths.subarray(0, seen), 10), hundredth(depths.subarray(0, seen), 90)];
    if (far - near > Math.max(SPREAD * noise, LEAST_M)) changes[i] = 1;
    untilM[i] = far - Math.max(3 * noise, LEAST_M, far - near > STEP_M ? BEHIND * (far - near) : 0);
  }
  const pixels = largest(together(changes, across), across);
  return { pixels, untilM, share: pixels.reduce((sum, moves) => sum + moves, 0) / Math.max(1, judged) };
}

/** The value below which this many hundredths of the values lie; sorts the values, and gives 0 if there are none. */
export function hundredth(values: Float32Array, share: number): number {
  values.sort();
  return values[Math.min(values.length - 1, Math.floor((share / 100) * values.length))] ?? 0;
}

/** The pixels around which most others change as well. */
function together(changes: Uint8Array, across: number): Uint8Array {
  const kept = new Uint8Array(changes.length);
  for (let i = 2 * across + 2; i < changes.length - 2 * across - 2; i++) {
    let count = 0;
    for (let y = -2; y <= 2; y++) for (let x = -2; x <= 2; x++) count += changes[i + y * across + x];
    if (count >= TOGETHER) kept[i] = 1;
  }
  return kept;
}

/** The largest connected component of the pixels. */
function largest(pixels: Uint8Array, across: number): Uint8Array {
  const left = pixels.slice();
  const size = { width: across, height: pixels.length / across };
  let best: ReturnType<typeof connected> = { mask: new Uint8Array(pixels.length), pixels: [] };
  for (const start of pixels.keys()) {
    if (left[start] === 0) continue;
    const part = connected(
      size,
      start,
      () => false,
      (_, next) => left[next] === 1,
    );
    for (const pixel of part.pixels) left[pixel] = 0;
    if (part.pixels.length > best.pixels.length) best = part;
  }
  return best.mask;
}
