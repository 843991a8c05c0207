import { type DepthArray, type FrameShape, image } from "../../core/frame.ts";
import type { Twin } from "../core/stage.ts";
import { wordsOf } from "../core/words.ts";
import * as layout from "./layout.ts";

const { fround } = Math;
/**
 * The kernel's constants. All computations on surfaces here round to f32, as the kernel and WebAssembly's vectors do; layout.ts has the
 * constants of clay and its lamps, which WebAssembly shares.
 */
export const JUMP = fround(0.0403);
const FILL_REACH = 8;
const FILL_JUMP = fround(0.0101);
const [AMBIENT, LAMP, RAKED, RAKE] = [layout.AMBIENT, layout.LAMP, layout.RAKED, layout.RAKE].map(fround);
const TO_LAMP = { x: fround(layout.TO_LAMP_X), y: fround(layout.TO_LAMP_Y), z: fround(layout.TO_LAMP_Z) };
const [RED, GREEN, BLUE] = [layout.RED, layout.GREEN, layout.BLUE].map(fround);
const [NEARER, SAME, FARTHER] = [
  [0.84, 0.15, 0.12],
  [0.93, 0.93, 0.93],
  [0.12, 0.35, 0.85],
] as const;
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
export type Range = Pick<PaintParameters, "nearM" | "farM">;

/** The kernel's input. `colors` has one RGBA word per pixel. */
export interface Images {
  readonly depth: Uint16Array;
  readonly filtered: DepthArray;
  readonly raw: DepthArray;
  readonly colors: Uint32Array | undefined;
}

/** The twin of shaders/paint.wgsl, whose comments explain the method. Makes `color`, shape `[height, width, 4]`. */
export function paintTwin(shape: FrameShape, parameters: PaintParameters): Twin {
  const { width, height } = shape.intrinsics;
  const color = image(new Uint8Array(width * height * 4), [height, width, 4]);
  const words = wordsOf(color);
  const paint = painter(shape, parameters);
  return {
    run(frame) {
      const { depth: filtered, raw = filtered } = frame;
      const colors = parameters.by === "lit" && frame.color ? wordsOf(frame.color) : undefined;
      const images = { depth: (frame.shown ?? filtered).data, filtered, raw, colors };
      for (let y = 0, at = 0; y < height; y++) {
        for (let x = 0; x < width; x++, at++) words[at] = paint(images, x, y);
      }
      frame.color = color;
    },
  };
}

/** The twin of the kernel's `paint`: gives one pixel its colour word. */
export function painter({ intrinsics, metresPerUnit }: FrameShape, parameters: PaintParameters) {
  const { width, height, fx, fy, cx, cy } = intrinsics;
  const mmPerUnit = metresPerUnit * 1000;
  return paint;

  function paint(images: Images, x: number, y: number): number {
    const { by } = parameters;
    const { depth, filtered, raw, colors } = images;
    const z = depthAt(depth, x, y);
    if (z === 0) return 0;
    const after = filtered.data[y * width + x];
    const before = rawAt(raw, x, y);
    if (by === "difference") return differenceOf(before, after);
    const far = farOf(z * metresPerUnit, parameters);
    if (by === "depth") return distanceColor(far);
    const isInvented = after === 0 && before !== z;
    const reach = isInvented ? FILL_REACH : parameters.reachPx;
    const limit = fround((isInvented ? FILL_JUMP : JUMP) * z);
    const right = beside(depthAt(depth, x + reach, y), z, limit);
    const left = beside(depthAt(depth, x - reach, y), z, limit);
    const below = beside(depthAt(depth, x, y + reach), z, limit);
    const above = beside(depthAt(depth, x, y - reach), z, limit);
    const across = fround(fround(reach / fx) * orOwn(right + left, z));
    const down = fround(fround(reach / fy) * orOwn(below + above, z));
    const nx = fround((orOwn(right, z) - orOwn(left, z)) * down);
    const ny = fround((orOwn(below, z) - orOwn(above, z)) * across);
    const area = fround(across * down);
    const rayX = fround((x - cx) / fx);
    const rayY = fround((y - cy) / fy);
    const nz = -fround(area + fround(fround(rayX * nx) + fround(rayY * ny)));
    const length2 = fround(fround(fround(nx * nx) + fround(ny * ny)) + fround(nz * nz));
    if (by === "normal") {
      const scale = inverse(length2);
      return wordOf(byteOf(nx, scale), byteOf(-ny, scale), byteOf(-nz, scale));
    }
    if (by === "lit") {
      const along = fround(fround(fround(nx * TO_LAMP.x) + fround(ny * TO_LAMP.y)) + fround(nz * TO_LAMP.z));
      const light = fround(RAKED + fround(RAKE * facing(along, length2)));
      const own = colors ? colors[y * width + x] : 0;
      if (own >>> 24 === 0) return clayIn(fround(light * fround(fadeOf(far))));
      return wordOf(shineOf(own & 255, light), shineOf((own >> 8) & 255, light), shineOf((own >> 16) & 255, light));
    }
    const ray2 = fround(fround(rayX * rayX) + fround(fround(rayY * rayY) + 1));
    const light = fround(AMBIENT + fround(LAMP * facing(area, fround(length2 * ray2))));
    return clayIn(fround(light * fround(fadeOf(far))));
  }

  function rawAt({ data, shape: [rows, columns] }: DepthArray, x: number, y: number): number {
    const ownX = Math.floor(((2 * x + 1) * columns) / (2 * width));
    const ownY = Math.floor(((2 * y + 1) * rows) / (2 * height));
    return data[ownY * columns + ownX];
  }

  function differenceOf(before: number, after: number): number {
    if (after === 0) return TAKEN;
    if (before === 0) return MADE;
    return differenceColor(((before - after) * mmPerUnit) / parameters.rangeMm);
  }

  function depthAt(depth: Uint16Array, x: number, y: number): number {
    const isInside = x >= 0 && y >= 0 && x < width && y < height;
    return isInside ? depth[y * width + x] : 0;
  }
}

/** The colour word of a difference, from −1 (the sensor's own depth is nearer) to 1. */
export function differenceColor(share: number): number {
  const end = share > 0 ? FARTHER : NEARER;
  const t = Math.min(1, Math.abs(share));
  const mix = (i: 0 | 1 | 2) => SAME[i] + (end[i] - SAME[i]) * t;
  return pack(mix(0), mix(1), mix(2));
}

const beside = (there: number, z: number, limit: number) => (Math.abs(there - z) <= limit ? there : 0);

const orOwn = (there: number, z: number) => there || z;

const inverse = (length2: number) => (length2 > 0 ? fround(1 / fround(Math.sqrt(length2))) : 0);

// A division is one rounding less than the kernel's product with the inverse, and WebAssembly has both.
const facing = (along: number, length2: number) =>
  length2 > 0 ? Math.max(0, fround(along / fround(Math.sqrt(length2)))) : 0;

export const farOf = (metres: number, { nearM, farM }: Range) =>
  Math.min(1, Math.max(0, Math.log(metres / nearM) / Math.max(Math.log(farM / nearM), 1e-3)));

export const fadeOf = (far: number) => 1 - 0.55 * far;

export const distanceColor = (far: number) => turbo(0.95 - 0.9 * far);

/** The colour word of the map at t, from 0 (violet) to 1 (red). */
export function turbo(t: number): number {
  let [red, green, blue] = [59.28637943, 2.82956604, 27.34824973];
  [red, green, blue] = [red * t - 152.94239396, green * t + 4.27729857, blue * t - 89.90310912];
  [red, green, blue] = [red * t + 132.13108234, green * t - 14.18503333, blue * t + 110.36276771];
  [red, green, blue] = [red * t - 42.66032258, green * t + 4.84296658, blue * t - 60.58204836];
  [red, green, blue] = [red * t + 4.6153926, green * t + 2.19418839, blue * t + 12.64194608];
  return pack(red * t + 0.13572138, green * t + 0.09140261, blue * t + 0.1066733);
}

function pack(r: number, g: number, b: number): number {
  const byte = (c: number) => Math.min(1, Math.max(0, c)) * 255 + 0.5;
  return wordOf(byte(r), byte(g), byte(b));
}

// `pack` of surfaces' colours, in the steps of WebAssembly's vectors. Both add a half to round, because `wordOf` drops the fraction.
const shineOf = (tint: number, light: number) => Math.min(255, fround(fround(tint * light) + 0.5));
const byteOf = (n: number, scale: number) => fround(fround(fround(n * scale) * 127.5) + 128);

const clayIn = (light: number) => wordOf(shineOf(RED, light), shineOf(GREEN, light), shineOf(BLUE, light));

/** Packs three bytes, and alpha 255, into a signed word, which is no object to the engine; drops their fractions. */
const wordOf = (r: number, g: number, b: number) => r | (g << 8) | (b << 16) | 0xff000000;

export const MADE = pack(0.85, 0, 0.85);
export const TAKEN = pack(1, 0.85, 0.12);
