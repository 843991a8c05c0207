import { blockAt } from "./blocks.ts";
import { f, less, more } from "./camera.ts";
import { CPU_TILE_BITS, DISTANCE, FAR, FIELDS, FIRST, LAST, NEAR, RED, X, Y } from "./layout.ts";
import { linear } from "./light.ts";
import { newMade, shape } from "./patch.ts";
import { type Bound, runAt, toView } from "./runs.ts";

/** The splats that touch the picture, in the order of their points: `FIELDS` numbers each (see layout.ts), also readable as words. */
export interface Splats {
  readonly floats: Float32Array;
  readonly words: Int32Array;
  /** The tiles that each splat touches: first and last column and row, x0 | y0 << 8 | x1 << 16 | y1 << 24. */
  readonly tiles: Int32Array;
  /** How many there are. */
  visible: number;
}

export function newSplats(capacity: number): Splats {
  const floats = new Float32Array(capacity * FIELDS);
  return { floats, words: new Int32Array(floats.buffer), tiles: new Int32Array(capacity), visible: 0 };
}

/** Returns a function that writes the splats of all points. */
export function projection(splats: Splats): (bound: Bound) => void {
  const made = newMade();
  return (bound) => {
    splats.visible = 0;
    for (let i = 0; i < bound.points.count; i++) splats.visible += Number(project(i, bound, made, splats));
  };
}

/** Writes the splat of the point `i` behind the others. Returns whether it counts: whether it touches the picture. */
function project(i: number, bound: Bound, made: ReturnType<typeof newMade>, splats: Splats): boolean {
  const { camera } = bound;
  const { floats, words, tiles, visible } = splats;
  const { run, view, reach } = made;
  if (camera.thinning === 1) runAt(run, i, bound);
  else blockAt(run, i, bound);
  if (run.count === 0) return false;
  toView(view, run.place, camera);
  const o = visible * FIELDS;
  shape(made, bound, floats, o);
  const firstX = more(Math.ceil(f(floats[o + X] - reach.x)), 0);
  const firstY = more(Math.ceil(f(floats[o + Y] - reach.y)), 0);
  const lastX = less(Math.floor(f(floats[o + X] + reach.x)), camera.last[0]);
  const lastY = less(Math.floor(f(floats[o + Y] + reach.y)), camera.last[1]);
  // Written so that NaN fails.
  if (!(view.z >= NEAR && firstX <= lastX && firstY <= lastY)) return false;
  linear(floats, o + RED, run.colour);
  floats[o + DISTANCE] = less(view.z, FAR);
  words[o + FIRST] = firstX | (firstY << 16);
  words[o + LAST] = lastX | (lastY << 16);
  const firstTile = (firstX >> CPU_TILE_BITS) | ((firstY >> CPU_TILE_BITS) << 8);
  const lastTile = (lastX >> CPU_TILE_BITS) | ((lastY >> CPU_TILE_BITS) << 8);
  tiles[visible] = firstTile | (lastTile << 16);
  return true;
}
