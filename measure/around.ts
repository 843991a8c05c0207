import { axesOn } from "./axes.ts";
import { heightAt } from "./plane.ts";
import type { Rectangle } from "./rectangle.ts";
import type { Scene } from "./scene.ts";
import type { Top } from "./thing.ts";

// What is seen around the rectangle of a top, in four sides and four corners.

/**
 * The surroundings begin FROM_M or FROM_PX beside the top, whichever is farther, and are WIDE_M wide, or the share WIDE of the top's
 * shorter side where that is more. Only the nearest strip of the surroundings is looked at, STRIP_M or STRIP_PX wide.
 */
const FROM_M = 0.015;
const FROM_PX = 4;
const WIDE_M = 0.08;
const WIDE = 0.3;
const STRIP_M = 0.03;
const STRIP_PX = 6;
/** The strip leaves out this share of the pixels seen beside a side: the nearest pixels, which may be mixed. */
const HIDDEN = 0.05;
/** What is higher than the top counts only within this distance of the top's edge, m, since the rim of an open box is thin. */
const RIM_M = 0.03;
/** At each end of a side this share of its length is a corner, which does not count. */
const CORNER = 0.08;
/** Pixels are "right beside" a top up to this far from where its surroundings begin, m. */
const NEXT_M = 0.025;

/** What is seen beside one side of a top (`u` or `v` is 0), or beside one of its corners. */
export interface Cell {
  readonly u: number;
  readonly v: number;
  /** How many pixels are close to the top, and how many of these are higher than the top. */
  readonly rim: number;
  readonly higher: number;
  /** How many pixels are seen farther out than RIM_M, and which of these are higher than the top. */
  readonly beyond: number;
  readonly above: readonly number[];
  /** How many pixels are seen in the strip that is nearest to the top, and which of these are lower than the top. */
  readonly count: number;
  readonly lower: readonly number[];
  /** The distance from where the surroundings begin to the strip, m: the top hides what lies in it. */
  readonly gapM: number;
  /** The pixels right beside the top, which are lower than it. */
  readonly next: readonly number[];
}

/** What is seen beside the four sides and the four corners of a top's rectangle; the cell of the top itself stays empty. */
export function aroundOf(scene: Scene, { plane, mask, near }: Top, { low, high, angle }: Rectangle): readonly Cell[] {
  const { origin, right, down } = axesOn(plane);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const { z, rays } = scene;
  const pixelM = plane.offset / scene.intrinsics.fx;
  const from = Math.max(FROM_M, FROM_PX * pixelM);
  const to = from + Math.max(WIDE_M, WIDE * Math.min(high[0] - low[0], high[1] - low[1]));
  const cells = Array.from(
    { length: 9 },
    () => [] as { readonly i: number; readonly far: number; readonly over: number }[],
  );
  const part = (out: number, at: number, k: 0 | 1) =>
    out < -CORNER * (high[k] - low[k]) ? 1 : out < 0 ? Number.NaN : at < low[k] ? 0 : 2;
  const step = mask.length > 400_000 ? 2 : 1;
  for (let i = 0; i < mask.length; i += step) {
    const d = z[i];
    if (mask[i] === 1 || d === 0) continue;
    // This runs for all pixels, few of which lie near, so it makes no lists. It is `turnedBy(angle, flatOf(axes, pointOf(scene, i)))`.
    const [x, y, w] = [rays.x[i] * d - origin[0], rays.y[i] * d - origin[1], d - origin[2]];
    const across = x * right[0] + y * right[1] + w * right[2];
    const along = x * down[0] + y * down[1] + w * down[2];
    const [u, v] = [cos * across + sin * along, cos * along - sin * across];
    const outU = Math.max(low[0] - u, u - high[0]);
    const outV = Math.max(low[1] - v, v - high[1]);
    const far = Math.max(outU, outV);
    if (far >= 0 && far <= to)
      cells[3 * part(outV, v, 1) + part(outU, u, 0)]?.push({ i, far, over: heightAt(scene, plane, i) });
  }
  return cells.map((pixels, k) => {
    const beside = pixels.filter(({ far }) => far > from);
    // A tall thing hides what is next to its far sides, so the strip begins where something is seen.
    const begin = Float64Array.from(beside, ({ far }) => far).sort()[Math.floor(beside.length * HIDDEN)];
    const strip = beside.filter(({ far }) => far < begin + Math.max(STRIP_M, STRIP_PX * pixelM));
    const rim = pixels.filter(({ far }) => far < RIM_M);
    return {
      u: (k % 3) - 1,
      v: Math.floor(k / 3) - 1,
      rim: rim.length,
      higher: rim.filter(({ over }) => over > near).length,
      beyond: pixels.length - rim.length,
      above: pixels.filter(({ far, over }) => far >= RIM_M && over > near).map(({ i }) => i),
      count: strip.length,
      lower: strip.filter(({ over }) => over < -near).map(({ i }) => i),
      gapM: begin - from,
      next: beside.filter(({ far, over }) => far < from + NEXT_M && over < -near).map(({ i }) => i),
    };
  });
}
