import { type FrameShape, image } from "../../sources/frame.ts";
import { wordsOf } from "../compact/cpu.ts";
import type { Twin } from "../stage.ts";
import { differencePainter } from "./difference.ts";

const { fround } = Math;
/** The kernel's. As all that is said of surfaces here it is rounded as the kernel, and WebAssembly's vectors, round. */
export const JUMP = fround(0.0403);
/** Neighbours are no farther away than this, px. */
export const MAX_REACH = 16;

/** The stage's parameters; later changes show in them. */
export interface PaintParameters {
  readonly by: "depth" | "normal" | "clay" | "lit" | "difference";
  readonly nearM: number;
  readonly farM: number;
  readonly rangeMm: number;
  readonly reachPx: number;
}

/** What colours an image by its surfaces. */
export interface Shader {
  /** Its colours, a word a pixel. */
  readonly words: Uint32Array<ArrayBuffer>;
  /** How light clay is at each depth, seen straight on: to be filled in. */
  readonly lights: Float32Array;
  /** `colors`, a word a pixel, are what is lit; those whose alpha is 0, and where there are none, clay is. */
  shade(depth: Uint16Array, by: Shading, reach: number, colors: Uint32Array | undefined): void;
}
export type Shading = "normal" | "clay" | "lit";

/** shaders/paint.wgsl on the CPU: there is the method. Makes `color`, shape `[height, width, 4]`. */
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

/** Fills a table with what `of` gives for each depth, 0 at nearM to 1 at farM, if that has changed: once a pixel would cost most. */
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

/** The pixels' directions, 1 along the optical axis. */
export function raysOf({ width, height, fx, fy, cx, cy }: FrameShape["intrinsics"]) {
  return {
    x: Float32Array.from({ length: width }, (_, x) => (x - cx) / fx),
    y: Float32Array.from({ length: height }, (_, y) => (y - cy) / fy),
  };
}

/**
 * Distances are the depths as they are: a surface's direction is the same in any unit. And since a neighbour's ray is the pixel's
 * own but for a step to one side, the kernel's normal comes down to sums and differences of the neighbours' distances:
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

  /** The neighbour's distance, 0 where it is of another surface or there is none. */
  const beside = (there: number, z: number) => (Math.abs(there - z) <= fround(JUMP * z) ? there : 0);

  const colorOf = (depth: Uint16Array, x: number, y: number, by: Shading, reach: number, own: number) => {
    const at = y * width + x;
    const z = depth[at];
    if (z === 0) return 0;
    const right = x + reach < width ? beside(depth[at + reach], z) : 0;
    const left = x >= reach ? beside(depth[at - reach], z) : 0;
    const below = y + reach < height ? beside(depth[at + reach * width], z) : 0;
    const above = y >= reach ? beside(depth[at - reach * width], z) : 0;
    // Where neither neighbour tells, a surface lies across the way there.
    const across = fround(fround(reach / fx) * (right + left || z));
    const down = fround(fround(reach / fy) * (below + above || z));
    // Where a neighbour does not tell, the pixel's own place stands for it.
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
    // −area is the normal times the ray.
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

/** Clay's light from all around and from the lamp. */
const AMBIENT = fround(0.12);
const LAMP = fround(0.88);
/** What is lit has this light from all around, and this from a lamp that it turns to. */
const RAKED = fround(0.25);
const RAKE = fround(0.75);
/** The way to that lamp. */
const TO_LAMP = { x: fround(-0.48), y: fround(-0.6), z: fround(-0.64) };
/** Clay's colour in the brightest light, of 255. */
const RED = fround(0.96 * 255);
const GREEN = fround(0.91 * 255);
const BLUE = fround(0.85 * 255);

// Both half a step up, since fractions go.
const shineOf = (tint: number, light: number) => Math.min(255, fround(fround(tint * light) + 0.5));
const byteOf = (n: number, scale: number) => fround(fround(fround(n * scale) * 127.5) + 128);

const clayIn = (light: number) => wordOf(shineOf(RED, light), shineOf(GREEN, light), shineOf(BLUE, light));

/** The colour map's red, green and blue, from the highest power on: shaders/paint.wgsl says whose it is. */
const TURBO = [
  [59.28637943, 2.82956604, 27.34824973],
  [-152.94239396, 4.27729857, -89.90310912],
  [132.13108234, -14.18503333, 110.36276771],
  [-42.66032258, 4.84296658, -60.58204836],
  [4.6153926, 2.19418839, 12.64194608],
  [0.13572138, 0.09140261, 0.1066733],
] as const;

/** From 0 (violet) to 1 (red), as a colour word. */
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

/** Of bytes, whose fractions go. */
const wordOf = (r: number, g: number, b: number) => (r | (g << 8) | (b << 16) | 0xff000000) >>> 0;
