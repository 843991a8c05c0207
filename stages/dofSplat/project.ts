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
 * A splat's numbers: its centre, px; how far it reaches along and across, in patches, a disc in px; what a px to the right and one
 * down are along, and what they are across; peak coverage, negative where the aperture is upside down; metres along the optical axis;
 * the pixels of the picture that it may touch, 16 bits each: first column and row, last column and row; its light; and the slope of a
 * disc's edge, 0 for a patch.
 */
export const [X, Y, ALONG, ACROSS, ALONG_X, ALONG_Y, ACROSS_X, ACROSS_Y] = [0, 1, 2, 3, 4, 5, 6, 7];
export const [PEAK, DISTANCE, FIRST, LAST, RED, GREEN, BLUE, SLOPE, FIELDS] = [8, 9, 10, 11, 12, 13, 14, 15, 16];
/** What is not this large, px, is drawn as if it were. */
const LEAST = 0.0625;
/** Pixels of the depth image: patches go on no farther across a hole. */
const UNDER = 4;

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
 * place.wat, neighbours.wat, patch.wat (as far as a patch's area) and shape.wat, which take four at a time.
 */
export function project({ data, shape }: DepthArray, count: number, runs: Runs, view: Float32Array, splats: Splats) {
  const [m0, m1, m2, , m4, m5, m6, , m8, m9, m10, , m12, m13] = view;
  const [rows, columns] = shape;
  const [pointScale, maxReach, inverseFocus] = [view[POINT_SCALE], view[MAX_REACH], view[INVERSE_FOCUS]];
  const halfReach = f(0.5 * maxReach);

  /** The distance of a pixel of the depth image, 0 if there is none. */
  const depthAt = (u: number, v: number) =>
    u >= 0 && v >= 0 && u < columns && v < rows ? f(data[v * columns + u] * view[UNIT]) : 0;
  /** How much deeper than `z` that is, if it is of the same surface. */
  const rise = (there: number, z: number) => (isSame(there, z) ? f(there - z) : 0);
  /** By how many pixels a patch goes on, towards (du, dv), if what is beyond a hole is nearer. */
  const goesOn = (u: number, v: number, du: number, dv: number, z: number) => {
    for (let step = 2; step <= 2 * UNDER; step++) {
      const there = depthAt(u + step * du, v + step * dv);
      if (there > 0) return f(z - there) >= f(EDGE * z) ? UNDER - Math.abs(UNDER + 1 - step) : 0;
    }
    return 0;
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
    let deeperX = f(perX * f(f(f(f(m0 * rayX) + f(m4 * rayY)) + m8) - f(px * rayZ)));
    let deeperY = f(perY * f(f(f(f(m1 * rayX) + f(m5 * rayY)) + m9) - f(py * rayZ)));
    // As good as from the sensor's own place.
    if (f(f(more(Math.abs(deeperX), Math.abs(deeperY)) * z) * EDGE) <= f(0.02)) [deeperX, deeperY] = [0, 0];
    const pixel = runs.words[o + PIXEL];
    const u = (pixel << 16) >> 16;
    const v = (pixel - u) >> 16;
    const firstZ = runs.floats[o + FIRST_Z];
    const [zLeft, zRight] = [depthAt(u - 1, v), depthAt(u + 1, v)];
    const [zUp, zDown] = [depthAt(u, v - 1), depthAt(u, v + 1)];
    const wayX = members === 1 ? wayOf(zLeft, zRight, z) : 0;
    const wayY = members === 1 ? wayOf(zUp, zDown, z) : 0;
    const besides = wayX === 0 ? 0 : wayX * goesOn(u, v, wayX, 0, z);
    const downwards = wayY === 0 ? 0 : wayY * goesOn(u, v, 0, wayY, z);
    const toRight = besides > 0 ? -rise(zLeft, firstZ) : rise(zRight, firstZ);
    const toLeft = besides < 0 ? -toRight : rise(zLeft, firstZ);
    const toDown = downwards > 0 ? -rise(zUp, firstZ) : rise(zDown, firstZ);
    const toUp = downwards < 0 ? -toDown : rise(zUp, firstZ);
    const [long, high] = [f(members + Math.abs(besides)), f(1 + Math.abs(downwards))];
    // The patch, a run's as long as all of it, from the halves on either side. Its own axis is the shorter of the two ways, the
    // longer half of it; across that it is as high as the higher half of the other.
    const size = f(pointScale * long);
    const size2 = f(pointScale * high);
    const [rightX1, rightY1] = [f(size * f(rightX + f(deeperX * toRight))), f(size * f(rightY + f(deeperY * toRight)))];
    const [rightX2, rightY2] = [f(size * f(rightX - f(deeperX * toLeft))), f(size * f(rightY - f(deeperY * toLeft)))];
    const [downX1, downY1] = [f(size2 * f(downX + f(deeperX * toDown))), f(size2 * f(downY + f(deeperY * toDown)))];
    const [downX2, downY2] = [f(size2 * f(downX - f(deeperX * toUp))), f(size2 * f(downY - f(deeperY * toUp)))];
    const [right1, right2] = [square(rightX1, rightY1), square(rightX2, rightY2)];
    const [down1, down2] = [square(downX1, downY1), square(downX2, downY2)];
    const wide = more(down1, down2) < more(right1, right2);
    const first = wide ? down2 <= down1 : right2 <= right1;
    const length = f(Math.sqrt(wide ? more(down1, down2) : more(right1, right2)));
    const alongX = first ? (wide ? downX1 : rightX1) : wide ? downX2 : rightX2;
    const alongY = first ? (wide ? downY1 : rightY1) : wide ? downY2 : rightY2;
    const along = more(length, LEAST);
    const [axisX, axisY] = length < LEAST ? [1, 0] : [f(alongX / along), f(alongY / along)];
    const height1 = wide ? cross(axisX, axisY, rightX1, rightY1) : cross(axisX, axisY, downX1, downY1);
    const height2 = wide ? cross(axisX, axisY, rightX2, rightY2) : cross(axisX, axisY, downX2, downY2);
    // And as its own way bends, which noise has it do: patches that are turned differently meet all the same.
    const bendX = wide ? f(downX1 - downX2) : f(rightX1 - rightX2);
    const bendY = wide ? f(downY1 - downY2) : f(rightY1 - rightY2);
    const bend = Math.abs(cross(axisX, axisY, bendX, bendY));
    const across = more(f(more(Math.abs(height1), Math.abs(height2)) + bend), LEAST);
    const area = f(
      0.25 * Math.abs(cross(f(rightX1 + rightX2), f(rightY1 + rightY2), f(downX1 + downX2), f(downY1 + downY2))),
    );
    const [middle, middle2] = [f(f(0.5 * besides) / long), f(f(0.5 * downwards) / high)];
    const movedX = f(f(rightX1 * middle) + f(downX1 * middle2));
    const movedY = f(f(rightY1 * middle) + f(downY1 * middle2));
    const centreX = f(f(f(view[FOCAL_X] * px) + view[CENTRE_X]) + movedX);
    const centreY = f(f(f(view[FOCAL_Y] * py) + view[CENTRE_Y]) + movedY);

    const w = less(more(f(Math.sqrt(f(0.125 * square(along, across)))), 0.5), halfReach);
    const radius = f(view[BLUR] * Math.abs(f(inverseFocus - inverse)));
    const r = less(radius, f(f(maxReach - w) - 0.5));
    const disc = members > 1 || r > f(f(3 * w) + 0.5);
    const q = disc ? f(Math.sqrt(f(f(r * r) + 0.25))) : f(0.5 + f(f(0.8660254) * r));
    const softAlong = more(f(q / along), 0.5);
    const softAcross = more(f(q / across), 0.5);
    let peak = f(0.25 / f(softAlong * softAcross));
    if (disc) {
      peak = less(f(area / f(view[APERTURE_AREA] * f(f(q * q) + f(f(w * w) * f(1 / 3))))), 1);
      if (inverseFocus <= inverse) peak = -peak;
    }
    const reachAlong = disc ? f(w + q) : f(softAlong + 0.5);
    const reachAcross = f(softAcross + 0.5);
    const [farAlong, farAcross] = [f(reachAlong * along), f(reachAcross * across)];
    let reachX = f(f(Math.abs(axisX) * farAlong) + f(Math.abs(axisY) * farAcross));
    let reachY = f(f(Math.abs(axisY) * farAlong) + f(Math.abs(axisX) * farAcross));
    // What would reach too far is drawn smaller.
    const fit = less(f(maxReach / more(reachX, reachY)), 1);
    reachX = disc ? reachAlong : f(reachX * fit);
    reachY = disc ? reachAlong : f(reachY * fit);
    const perAlong = f(1 / f(along * fit));
    const perAcross = f(1 / f(across * fit));
    const left = Math.ceil(f(centreX - reachX));
    const top = Math.ceil(f(centreY - reachY));
    const right = Math.floor(f(centreX + reachX));
    const bottom = Math.floor(f(centreY + reachY));
    // Written so that NaN fails.
    const inColumns = left <= view[LAST_COLUMN] && right >= 0 && left <= right;
    const inRows = top <= view[LAST_ROW] && bottom >= 0 && top <= bottom;
    if (!(distance >= NEAR && inColumns && inRows)) continue;

    const s = visible * FIELDS;
    const { floats, words, tiles, keys } = splats;
    floats[s + X] = centreX;
    floats[s + Y] = centreY;
    floats[s + ALONG] = reachAlong;
    floats[s + ACROSS] = reachAcross;
    floats[s + ALONG_X] = f(axisX * perAlong);
    floats[s + ALONG_Y] = f(axisY * perAlong);
    floats[s + ACROSS_X] = -f(axisY * perAcross);
    floats[s + ACROSS_Y] = f(axisX * perAcross);
    floats[s + PEAK] = peak;
    floats[s + DISTANCE] = less(distance, FAR);
    const colour = runs.words[o + MEAN_COLOUR];
    floats[s + RED] = LIGHT[colour & 255];
    floats[s + GREEN] = LIGHT[(colour >>> 8) & 255];
    floats[s + BLUE] = LIGHT[(colour >>> 16) & 255];
    floats[s + SLOPE] = disc ? f(0.5 / less(w, q)) : 0;
    const [x0, y0] = [more(left, 0), more(top, 0)];
    const [x1, y1] = [less(right, view[LAST_COLUMN]), less(bottom, view[LAST_ROW])];
    words[s + FIRST] = x0 | (y0 << 16);
    words[s + LAST] = x1 | (y1 << 16);
    tiles[visible] =
      (x0 >> TILE_BITS) | ((y0 >> TILE_BITS) << 8) | ((x1 >> TILE_BITS) << 16) | ((y1 >> TILE_BITS) << 24);
    keys[visible++] = words[s + DISTANCE];
  }
  return visible;
}

/** Whether two distances are of one surface. */
const isSame = (there: number, z: number) => Math.abs(f(there - z)) < f(EDGE * z);
/** The way to a hole that a surface comes to: 1 onwards, -1 back, 0 if there is none. */
const wayOf = (before: number, after: number, z: number) =>
  Number(after === 0 && isSame(before, z)) - Number(before === 0 && isSame(after, z));
const square = (x: number, y: number) => f(f(x * x) + f(y * y));
const cross = (ax: number, ay: number, bx: number, by: number) => f(f(ax * by) - f(ay * bx));
