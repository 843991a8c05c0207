import type { DepthArray } from "../../sources/frame.ts";
import {
  EDGE,
  FIRST_Z,
  LIGHT,
  MEAN_COLOUR,
  MEAN_X,
  MEAN_Y,
  MEAN_Z,
  PIXEL,
  POINTS,
  RUN_DISTANCE,
  RUN_FIELDS,
  type Runs,
} from "./runs.ts";
import {
  APERTURE_AREA,
  BLUR,
  CENTRE_X,
  CENTRE_Y,
  FOCAL_X,
  FOCAL_Y,
  f,
  INVERSE_FOCUS,
  LAST_COLUMN,
  LAST_ROW,
  less,
  MAX_REACH,
  more,
  POINT_SCALE,
  STEP_X,
  STEP_Y,
  UNIT,
} from "./view.ts";

const NEAR = 0.03125;
const FAR = 2047;

/** A tile is 1 << TILE_BITS pixels wide and high: they and the splats on its list stay in a processor's cache. */
export const TILE_BITS = 6;

/**
 * A splat's numbers: its centre, how far it reaches and the slopes of its edges (negative for a disc) in px; peak coverage,
 * negative where the aperture is upside down; metres along the optical axis; its light; and the pixels of the picture that it
 * may touch.
 */
export const [X, Y, REACH_X, REACH_Y, SLOPE_X, SLOPE_Y, PEAK, DISTANCE, RED, GREEN, BLUE] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
];
export const [FIRST, TOP, LAST, BOTTOM, FIELDS] = [12, 13, 14, 15, 16];

/** `FIELDS` numbers a splat, those that touch the picture, in the order of their points. The same memory as words. */
export interface Splats {
  readonly floats: Float32Array;
  readonly words: Int32Array;
  /** The tiles that each touches: first and last column and row, x0 | y0 << 8 | x1 << 16 | y1 << 24. */
  readonly tiles: Int32Array;
  /** The bits of each one's distance: of floats that are not negative they are in the same order as they. */
  readonly keys: Uint32Array;
}

export function newSplats(capacity: number): Splats {
  const floats = new Float32Array(capacity * FIELDS);
  return {
    floats,
    words: new Int32Array(floats.buffer),
    tiles: new Int32Array(capacity),
    keys: new Uint32Array(capacity),
  };
}

/**
 * Takes each run to the picture: see shaders/dofSplat/project.wgsl for the shapes. Returns how many touch it. In the steps of
 * place.wat (as far as a patch's area) and shape.wat, which take four at a time.
 */
export function project({ data, shape }: DepthArray, count: number, runs: Runs, view: Float32Array, splats: Splats) {
  const [m0, m1, m2, , m4, m5, m6, , m8, m9, m10, , m12, m13] = view;
  const [rows, columns] = shape;
  const [pointScale, maxReach, inverseFocus] = [view[POINT_SCALE], view[MAX_REACH], view[INVERSE_FOCUS]];
  const halfScale = f(0.5 * pointScale);
  const halfReach = f(0.5 * maxReach);

  /** How many metres deeper than `z` a pixel of the depth image is; 0 if it is not of the same surface. */
  const rise = (u: number, v: number, z: number) => {
    const units = u >= 0 && v >= 0 && u < columns && v < rows ? data[v * columns + u] : 0;
    const difference = f(f(units * view[UNIT]) - z);
    return Math.abs(difference) < f(EDGE * z) ? difference : 0;
  };

  let visible = 0;
  for (let n = 0; n < count; n++) {
    const o = n * RUN_FIELDS;
    const [x, y, z] = [runs.floats[o + MEAN_X], runs.floats[o + MEAN_Y], runs.floats[o + MEAN_Z]];
    const distance = runs.floats[o + RUN_DISTANCE];
    const members = runs.floats[o + POINTS];
    const inverse = f(1 / distance);
    // The view's x and y over its z; then in px what one sensor pixel right, one down, and a metre deeper move.
    const px = f(f(f(f(f(m0 * x) + f(m4 * y)) + f(m8 * z)) + m12) / distance);
    const py = f(f(f(f(f(m1 * x) + f(m5 * y)) + f(m9 * z)) + m13) / distance);
    const perX = f(view[FOCAL_X] * inverse);
    const perY = f(view[FOCAL_Y] * inverse);
    const stepX = f(z * view[STEP_X]);
    const stepY = f(z * view[STEP_Y]);
    const rightX = f(f(perX * f(m0 - f(px * m2))) * stepX);
    const rightY = f(f(perY * f(m1 - f(py * m2))) * stepX);
    const downX = f(f(perX * f(m4 - f(px * m6))) * stepY);
    const downY = f(f(perY * f(m5 - f(py * m6))) * stepY);
    const rayX = f(x / z);
    const rayY = f(y / z);
    const rayZ = f(f(f(m2 * rayX) + f(m6 * rayY)) + m10);
    const deeperX = f(perX * f(f(f(f(m0 * rayX) + f(m4 * rayY)) + m8) - f(px * rayZ)));
    const deeperY = f(perY * f(f(f(f(m1 * rayX) + f(m5 * rayY)) + m9) - f(py * rayZ)));
    let [toLeft, toRight, toUp, toDown] = [0, 0, 0, 0];
    if (f(f(more(Math.abs(deeperX), Math.abs(deeperY)) * z) * EDGE) > f(0.02)) {
      const pixel = runs.words[o + PIXEL];
      const u = (pixel << 16) >> 16;
      const v = (pixel - u) >> 16;
      const firstZ = runs.floats[o + FIRST_Z];
      toLeft = rise(u - 1, v, firstZ);
      toRight = rise(u + 1, v, firstZ);
      toUp = rise(u, v - 1, firstZ);
      toDown = rise(u, v + 1, firstZ);
    }
    const acrossX = more(Math.abs(f(rightX + f(deeperX * toRight))), Math.abs(f(rightX - f(deeperX * toLeft))));
    const acrossY = more(Math.abs(f(rightY + f(deeperY * toRight))), Math.abs(f(rightY - f(deeperY * toLeft))));
    const alongX = more(Math.abs(f(downX + f(deeperX * toDown))), Math.abs(f(downX - f(deeperX * toUp))));
    const alongY = more(Math.abs(f(downY + f(deeperY * toDown))), Math.abs(f(downY - f(deeperY * toUp))));
    const slopeU = f(0.5 * f(toRight - toLeft));
    const slopeV = f(0.5 * f(toDown - toUp));
    const [ux, uy] = [f(rightX + f(deeperX * slopeU)), f(rightY + f(deeperY * slopeU))];
    const [vx, vy] = [f(downX + f(deeperX * slopeV)), f(downY + f(deeperY * slopeV))];
    const patch = Math.abs(f(f(ux * vy) - f(uy * vx)));
    const area = f(f(members * f(pointScale * pointScale)) * patch);
    const centreX = f(f(view[FOCAL_X] * px) + view[CENTRE_X]);
    const centreY = f(f(view[FOCAL_Y] * py) + view[CENTRE_Y]);
    const bx = less(more(f(halfScale * f(f(members * acrossX) + alongX)), 0.03125), halfReach);
    const by = less(more(f(halfScale * f(f(members * acrossY) + alongY)), 0.03125), halfReach);

    const w = more(f(Math.sqrt(f(0.5 * f(f(bx * bx) + f(by * by))))), 0.5);
    const radius = f(view[BLUR] * Math.abs(f(inverseFocus - inverse)));
    const r = less(radius, f(f(maxReach - w) - 0.5));
    const disc = members > 1 || r > f(f(3 * w) + 0.5);
    const q = disc ? f(Math.sqrt(f(f(r * r) + 0.25))) : f(0.5 + f(f(0.8660254) * r));
    const halfX = disc ? w : bx;
    const halfY = disc ? w : by;
    let peak = f(less(f(bx / q), 1) * less(f(by / q), 1));
    if (disc) {
      peak = less(f(area / f(view[APERTURE_AREA] * f(f(q * q) + f(f(w * w) * f(1 / 3))))), 1);
      if (inverseFocus <= inverse) peak = -peak;
    }
    const reachX = f(halfX + q);
    const reachY = f(halfY + q);
    const left = Math.ceil(f(centreX - reachX));
    const top = Math.ceil(f(centreY - reachY));
    const right = Math.floor(f(centreX + reachX));
    const bottom = Math.floor(f(centreY + reachY));
    // Written so that NaN fails.
    const across = left <= view[LAST_COLUMN] && right >= 0 && left <= right;
    const along = top <= view[LAST_ROW] && bottom >= 0 && top <= bottom;
    if (!(distance >= NEAR && across && along)) continue;

    const s = visible * FIELDS;
    const { floats, words, tiles, keys } = splats;
    floats[s + X] = centreX;
    floats[s + Y] = centreY;
    floats[s + REACH_X] = reachX;
    floats[s + REACH_Y] = reachY;
    const slopeX = f(0.5 / less(halfX, q));
    const slopeY = f(0.5 / less(halfY, q));
    floats[s + SLOPE_X] = disc ? -slopeX : slopeX;
    floats[s + SLOPE_Y] = disc ? -slopeY : slopeY;
    floats[s + PEAK] = peak;
    floats[s + DISTANCE] = less(distance, FAR);
    const colour = runs.words[o + MEAN_COLOUR];
    floats[s + RED] = LIGHT[colour & 255];
    floats[s + GREEN] = LIGHT[(colour >>> 8) & 255];
    floats[s + BLUE] = LIGHT[(colour >>> 16) & 255];
    words[s + FIRST] = more(left, 0);
    words[s + TOP] = more(top, 0);
    words[s + LAST] = less(right, view[LAST_COLUMN]);
    words[s + BOTTOM] = less(bottom, view[LAST_ROW]);
    const tileOf = (field: number) => words[s + field] >> TILE_BITS;
    tiles[visible] = tileOf(FIRST) | (tileOf(TOP) << 8) | (tileOf(LAST) << 16) | (tileOf(BOTTOM) << 24);
    keys[visible++] = words[s + DISTANCE];
  }
  return visible;
}
