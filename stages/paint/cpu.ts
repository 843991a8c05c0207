import { type FrameShape, image } from "../../sources/core/frame.ts";
import { wordsOf } from "../compact/cpu.ts";
import type { Twin } from "../core/stage.ts";
import { differencePainter } from "./difference.ts";
import * as layout from "./layout.ts";

const { fround } = Math;
/**
 * Neighbours whose depths differ by more than this share lie on another surface. This constant and all computations on surfaces here round
 * to f32, as the kernel and WebAssembly's vectors do.
 */
export const JUMP = fround(0.0403);
/** The largest distance to the neighbours that give a surface's direction, px. */
export const MAX_REACH = 16;

/** The stage's parameters. The object is live: later changes show in it. */
export interface PaintParameters {
  readonly by: "depth" | "normal" | "clay" | "lit" | "difference";
  readonly nearM: number;
  readonly farM: number;
  readonly rangeMm: number;
  readonly reachPx: number;
}

/** Colours an image by its surfaces. */
export interface Shader {
  /** The resulting colours, one RGBA word per pixel. */
  readonly words: Uint32Array<ArrayBuffer>;
  /** The brightness of clay at each depth, where the surface faces the camera. The caller fills this table. */
  readonly lights: Float32Array;
  /** Lights `colors`, one RGBA word per pixel; pixels whose alpha is 0, and all pixels without `colors`, get the colour of clay. */
  shade(depth: Uint16Array, by: Shading, reach: number, colors: Uint32Array | undefined): void;
}
export type Shading = "normal" | "clay" | "lit";

/** The twin of shaders/paint.wgsl, whose comments explain the method. Makes `color`, shape `[height, width, 4]`. */
export function paintTwin(
  { intrinsics, metresPerUnit }: FrameShape,
  parameters: PaintParameters,
  { words, lights, shade }: Shader = shaderTwin(intrinsics),
): Twin {
  const { width, height } = intrinsics;
  const color = image(new Uint8Array(words.buffer, words.byteOffset, words.byteLength), [height, width, 4]);
  const colors = new Uint32Array(DEPTHS);
  const fillColors = filler(metresPerUnit, colors, (far) => turbo(0.95 - 0.9 * far));
  const fillLights = filler(metresPerUnit, lights, (far) => 1 - 0.55 * far);
  const paintDifference = differencePainter(metresPerUnit * 1000);
  return {
    run(frame) {
      const { data } = frame.shown ?? frame.depth;
      const { by, rangeMm, reachPx } = parameters;
      if (by === "depth") {
        fillColors(parameters);
        for (let i = 0; i < data.length; i++) words[i] = colors[data[i]];
      } else if (by === "difference") {
        paintDifference(words, data, frame.depth, frame.raw ?? frame.depth, rangeMm);
      } else {
        if (by !== "normal") fillLights(parameters);
        shade(data, by, reachPx, by === "lit" && frame.color ? wordsOf(frame.color) : undefined);
      }
      frame.color = color;
    },
  };
}

const DEPTHS = 65536;

/**
 * Returns a function that fills the table with `of(x)` for each depth, x from 0 at nearM to 1 at farM in the logarithm of depth. It fills
 * only after a change of the range. A table per depth is much cheaper than `of` per pixel.
 */
function filler(metresPerUnit: number, table: Float32Array | Uint32Array, of: (far: number) => number) {
  const range = { nearM: Number.NaN, farM: Number.NaN };
  return ({ nearM, farM }: PaintParameters) => {
    if (range.nearM === nearM && range.farM === farM) return;
    Object.assign(range, { nearM, farM });
    const span = Math.max(Math.log(farM / nearM), 1e-3);
    for (let value = 1; value < DEPTHS; value++) {
      table[value] = of(Math.min(1, Math.max(0, Math.log((value * metresPerUnit) / nearM) / span)));
    }
  };
}

/** The x and y of each pixel's ray, whose z along the optical axis is 1. */
export function raysOf({ width, height, fx, fy, cx, cy }: FrameShape["intrinsics"]) {
  return {
    x: Float32Array.from({ length: width }, (_, x) => (x - cx) / fx),
    y: Float32Array.from({ length: height }, (_, y) => (y - cy) / fy),
  };
}

/**
 * Distances are in depth units, since a surface's direction does not depend on the unit. A neighbour's ray is the pixel's own ray plus a
 * step to one side, so the kernel's normal reduces to sums and differences of the neighbours' distances:
 *
 *     right − left = (across + ray.x · dx, ray.y · dx, dx)     across = step.x · (right + left), dx = right − left
 *     down − up = (ray.x · dy, down + ray.y · dy, dy)          down = step.y · (below + above), dy = below − above
 *     (down − up) × (right − left) = (dx · down, dy · across, −(area + ray.x · n.x + ray.y · n.y)), area = across · down
 */
function shaderTwin(intrinsics: FrameShape["intrinsics"]): Shader {
  const { width, height, fx, fy } = intrinsics;
  const words = new Uint32Array(width * height);
  const lights = new Float32Array(DEPTHS);
  const { x: raysX, y: raysY } = raysOf(intrinsics);

  /** The neighbour's distance; 0 if it lies on another surface or is invalid. */
  const beside = (there: number, z: number) => (Math.abs(there - z) <= fround(JUMP * z) ? there : 0);

  const colorOf = (depth: Uint16Array, x: number, y: number, by: Shading, reach: number, own: number) => {
    const at = y * width + x;
    const z = depth[at];
    if (z === 0) return 0;
    const right = x + reach < width ? beside(depth[at + reach], z) : 0;
    const left = x >= reach ? beside(depth[at - reach], z) : 0;
    const below = y + reach < height ? beside(depth[at + reach * width], z) : 0;
    const above = y >= reach ? beside(depth[at - reach * width], z) : 0;
    // Without a valid neighbour on either side, the surface is taken to be perpendicular in this direction.
    const across = fround(fround(reach / fx) * (right + left || z));
    const down = fround(fround(reach / fy) * (below + above || z));
    // A missing neighbour is replaced by the pixel itself.
    const nx = fround(((right || z) - (left || z)) * down);
    const ny = fround(((below || z) - (above || z)) * across);
    const area = fround(across * down);
    const rayX = raysX[x];
    const rayY = raysY[y];
    const nz = -fround(area + fround(fround(rayX * nx) + fround(rayY * ny)));
    const length2 = fround(fround(fround(nx * nx) + fround(ny * ny)) + fround(nz * nz));
    if (by === "normal") {
      const scale = length2 > 0 ? fround(1 / fround(Math.sqrt(length2))) : 0;
      return wordOf(byteOf(nx, scale), byteOf(-ny, scale), byteOf(-nz, scale));
    }
    if (by === "lit") {
      const along = fround(fround(fround(nx * TO_LAMP.x) + fround(ny * TO_LAMP.y)) + fround(nz * TO_LAMP.z));
      const facing = length2 > 0 ? Math.max(0, fround(along / fround(Math.sqrt(length2)))) : 0;
      const light = fround(RAKED + fround(RAKE * facing));
      if (own >>> 24 === 0) return clayIn(fround(light * lights[z]));
      return wordOf(shineOf(own & 255, light), shineOf((own >> 8) & 255, light), shineOf((own >> 16) & 255, light));
    }
    // −area is the dot product of normal and ray.
    const ray2 = fround(fround(rayX * rayX) + fround(fround(rayY * rayY) + 1));
    const facing = length2 > 0 ? Math.max(0, fround(area / fround(Math.sqrt(fround(length2 * ray2))))) : 0;
    return clayIn(fround(fround(AMBIENT + fround(LAMP * facing)) * lights[z]));
  };

  return {
    words,
    lights,
    shade(depth, by, reach, colors) {
      for (let y = 0, at = 0; y < height; y++) {
        for (let x = 0; x < width; x++, at++) words[at] = colorOf(depth, x, y, by, reach, colors?.[at] ?? 0);
      }
    },
  };
}

/** The kernel's constants, rounded to f32 as the kernel rounds them. */
const [AMBIENT, LAMP, RAKED, RAKE] = [layout.AMBIENT, layout.LAMP, layout.RAKED, layout.RAKE].map(fround);
const TO_LAMP = { x: fround(layout.TO_LAMP_X), y: fround(layout.TO_LAMP_Y), z: fround(layout.TO_LAMP_Z) };
const [RED, GREEN, BLUE] = [layout.RED, layout.GREEN, layout.BLUE].map(fround);

// Both add a half to round, because `wordOf` drops the fraction.
const shineOf = (tint: number, light: number) => Math.min(255, fround(fround(tint * light) + 0.5));
const byteOf = (n: number, scale: number) => fround(fround(fround(n * scale) * 127.5) + 128);

const clayIn = (light: number) => wordOf(shineOf(RED, light), shineOf(GREEN, light), shineOf(BLUE, light));

/** The coefficients of the colour map's red, green and blue, from the highest power down; shaders/paint.wgsl names the source. */
const TURBO = [
  [59.28637943, 2.82956604, 27.34824973],
  [-152.94239396, 4.27729857, -89.90310912],
  [132.13108234, -14.18503333, 110.36276771],
  [-42.66032258, 4.84296658, -60.58204836],
  [4.6153926, 2.19418839, 12.64194608],
  [0.13572138, 0.09140261, 0.1066733],
] as const;

/** The colour word of the map at t, from 0 (violet) to 1 (red). */
export function turbo(t: number): number {
  let [red, green, blue] = [0, 0, 0];
  for (const [r, g, b] of TURBO) {
    red = red * t + r;
    green = green * t + g;
    blue = blue * t + b;
  }
  return pack(red, green, blue);
}

function pack(r: number, g: number, b: number): number {
  const byte = (c: number) => Math.min(1, Math.max(0, c)) * 255 + 0.5;
  return wordOf(byte(r), byte(g), byte(b));
}

/** Packs three bytes, and alpha 255, into a word; drops their fractions. */
const wordOf = (r: number, g: number, b: number) => (r | (g << 8) | (b << 16) | 0xff000000) >>> 0;
