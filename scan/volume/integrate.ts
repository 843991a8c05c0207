import {
  COLOURED,
  COLOURS,
  DEEPEST,
  DISTANCE_UNITS,
  EDGE,
  ENTRY,
  LEAN_UNITS,
  MOST_COLOUR,
  MOST_WEIGHT,
  NEAREST,
  WEIGHTS,
} from "./layout.ts";

const { fround } = Math;

/** The memory of a volume as the loops see it. Addresses are in bytes. */
export interface Views {
  readonly floats: Float32Array;
  readonly words: Uint32Array;
  readonly distances: Int16Array;
  readonly weights: Uint16Array;
}

/** Where a frame lies in memory: addresses and sizes. */
export interface Seen {
  /** 12 f32, the world's axes and origin in the camera's (row by row), then fx, fy, cx, cy, the voxel's size, and 1 / truncation. */
  readonly values: number;
  /** pixelPlanes.ts, 16 bytes for each pixel. */
  readonly planes: number;
  /** RGBA for each pixel; 0 without colour. */
  readonly colours: number;
  readonly width: number;
  readonly height: number;
  /** The entries of the bricks to update, and their number. */
  readonly list: number;
  readonly count: number;
}

/**
 * Adds a frame to the bricks of a list. Each voxel is moved into the camera and takes the distance to the plane of the pixel onto which it
 * projects, along that plane's normal and cut off at the truncation distance: a running mean by weight (Curless and Levoy 1996). Voxels
 * far behind the surface are left alone; those before it are free space. assembly/integrate.ts is the fast form, with the same bits.
 */
export function integrate({ floats, words, distances, weights }: Views, seen: Seen): void {
  const { planes, colours, width, height, list, count } = seen;
  const at = seen.values >> 2;
  const [xx, xy, xz, xw, yx, yy, yz, yw, zx, zy, zz, zw] = floats.subarray(at, at + 12);
  const [fx, fy, cx, cy, voxel, perTruncation] = floats.subarray(at + 12, at + 18);
  const perLean = fround(perTruncation / LEAN_UNITS);
  for (let entry = list >> 2; entry < (list + count * ENTRY) >> 2; entry += ENTRY >> 2) {
    const brick = words[entry];
    const bx = fround((words[entry + 1] | 0) * EDGE);
    const by = fround((words[entry + 2] | 0) * EDGE);
    const bz = fround((words[entry + 3] | 0) * EDGE);
    for (let row = 0; row < EDGE * EDGE; row++) {
      const y = fround(fround(by + (row & 7)) * voxel);
      const z = fround(fround(bz + (row >> 3)) * voxel);
      const rowX = fround(fround(fround(xy * y) + fround(xz * z)) + xw);
      const rowY = fround(fround(fround(yy * y) + fround(yz * z)) + yw);
      const rowZ = fround(fround(fround(zy * y) + fround(zz * z)) + zw);
      for (let i = 0; i < EDGE; i++) {
        const x = fround(fround(bx + i) * voxel);
        const depth = fround(rowZ + fround(zx * x));
        if (!(depth > fround(NEAREST))) continue;
        const per = fround(1 / depth);
        const u = fround(fround(fround(fround(rowX + fround(xx * x)) * per) * fx) + cx);
        const v = fround(fround(fround(fround(rowY + fround(yx * x)) * per) * fy) + cy);
        const column = Math.floor(fround(u + 0.5));
        const line = Math.floor(fround(v + 0.5));
        if (!(column >= 0 && line >= 0 && column < width && line < height)) continue;
        const pixel = line * width + column;
        const plane = (planes >> 2) + 4 * pixel;
        const packed = words[plane + 3];
        const most = packed >>> 16;
        const slope = fround(
          fround(floats[plane + 1] * fround(u - column)) + fround(floats[plane + 2] * fround(v - line)),
        );
        const along = fround(fround(floats[plane] + slope) - depth);
        const distance = fround(along * fround((packed & 0xffff) * perLean));
        // What lies behind the surface is a guess: weights fade there (Bylow et al. 2013). If weights reached too deep, a surface
        // that nobody saw would remain behind outlines.
        const weight = Math.floor(fround(most * Math.min(1, fround(fround(distance + fround(DEEPEST)) * 4))));
        if (!(weight > 0)) continue;
        const to = (brick >> 1) + EDGE * row + i;
        const had = weights[to + (WEIGHTS >> 1)];
        const share = fround(weight / fround(had + weight));
        const now = distances[to];
        const wanted = fround(Math.min(distance, 1) * DISTANCE_UNITS);
        distances[to] = Math.floor(fround(fround(now + fround(fround(wanted - now) * share)) + 0.5));
        weights[to + (WEIGHTS >> 1)] = Math.min(had + weight, MOST_WEIGHT);
        if (colours === 0 || !(Math.abs(distance) < COLOURED)) continue;
        // A pixel that the colour camera does not see has no colour.
        const rgba = words[(colours >> 2) + pixel];
        if (rgba >>> 24 === 0) continue;
        const colour = ((brick + COLOURS) >> 2) + EDGE * row + i;
        const part =
          had === 0 || words[colour] === 0 ? 1 : fround(weight / fround(Math.min(had, MOST_COLOUR) + weight));
        words[colour] = mixed(words[colour], rgba, part);
      }
    }
  }
}

/** A voxel's colour, of 11, 11 and 10 bits, moved towards a pixel's RGBA by a share. */
function mixed(colour: number, rgba: number, share: number): number {
  const red = colour & 0x7ff;
  const green = (colour >>> 11) & 0x7ff;
  const blue = colour >>> 22;
  return (
    (towards(red, (rgba & 0xff) << 3, share) |
      (towards(green, (rgba >>> 5) & 0x7f8, share) << 11) |
      (towards(blue, (rgba >>> 14) & 0x3fc, share) << 22)) >>>
    0
  );
}

const towards = (from: number, to: number, share: number) =>
  Math.floor(fround(fround(from + fround((to - from) * share)) + 0.5));
