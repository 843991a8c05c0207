import type { Intrinsics } from "../../core/frame.ts";
import { pointAt } from "../../core/geometry.ts";
import type { Chain } from "./chains.ts";
import { type CurvedScene, THINGS, type Thing } from "./curvedScene.ts";
import type { Depth } from "./image.ts";

/** A filter's errors on a curved object, away from its outline. */
interface CurvedFigures {
  /** RMSE to the truth, mm. */
  readonly rms: number;
  /** How much more the normals of pixels 4 px apart differ than the true ones do, 95th percentile, degrees: creases, facets and grain. */
  readonly bend: number;
}

export interface CurvedRow {
  readonly camera: string;
  readonly chain: string;
  readonly kind: Chain["kind"];
  readonly things: Readonly<Record<Thing, CurvedFigures>>;
}

const FRAMES = 16;
/** Pixels nearer than this to another thing are not measured. */
const INSIDE_PX = 12;
/** Normals are taken over this many pixels to each side, and compared at this distance, px. */
const SIDE_PX = 2;
const APART_PX = 4;

/** Each filter's figures on the last frame of a scene. */
export function measureCurved(chains: readonly Chain[], scene: CurvedScene): CurvedRow[] {
  const raw = Array.from({ length: FRAMES }, (_, t) => scene.look(t));
  return chains.map((chain) => {
    const filter = chain.start(scene, raw);
    let out = scene.truth;
    for (let t = chain.remembers ? 0 : FRAMES - 1; t < FRAMES; t++) {
      out = filter(raw[t], { index: t, timestamp: t * 33, fresh: true, follows: t > 0 });
    }
    return { camera: scene.name, chain: chain.name, kind: chain.kind, things: figuresOf(scene, out) };
  });
}

/** The errors of a filter's output `out` on each object. */
export function figuresOf({ truth, things, intrinsics }: CurvedScene, out: Depth): Record<Thing, CurvedFigures> {
  const [own, real] = [normalsOf(out, intrinsics), normalsOf(truth, intrinsics)];
  const each = THINGS.map((thing, number): [Thing, CurvedFigures] => {
    const inside = insideOf(things, number, truth.width);
    const bends: number[] = [];
    let [squares, count] = [0, 0];
    inside.forEach((isInside, i) => {
      if (!isInside || Number.isNaN(own[3 * i])) return;
      squares += (out.mm[i] - truth.mm[i]) ** 2;
      count++;
      const j = i + APART_PX;
      if (inside[j] && !Number.isNaN(own[3 * j])) bends.push(Math.abs(angle(own, i, j) - angle(real, i, j)));
    });
    const sorted = Float64Array.from(bends).sort();
    return [thing, { rms: Math.sqrt(squares / count), bend: sorted[Math.floor(0.95 * (sorted.length - 1))] }];
  });
  return Object.fromEntries(each) as Record<Thing, CurvedFigures>;
}

/** The pixels around which a square of `INSIDE_PX` to each side sees the same thing. */
function insideOf(things: Uint8Array, thing: number, width: number): Uint8Array {
  const height = things.length / width;
  const shrunk = (
    from: ArrayLike<number>,
    isOne: (value: number) => boolean,
    step: number,
    at: (i: number) => number,
    end: number,
  ) =>
    Uint8Array.from(from, (_, i) => {
      if (at(i) < INSIDE_PX || at(i) >= end - INSIDE_PX) return 0;
      for (let k = -INSIDE_PX; k <= INSIDE_PX; k++) if (!isOne(from[i + k * step])) return 0;
      return 1;
    });
  const across = shrunk(
    things,
    (value) => value === thing,
    1,
    (i) => i % width,
    width,
  );
  return shrunk(
    across,
    (value) => value === 1,
    width,
    (i) => Math.floor(i / width),
    height,
  );
}

/** Unit normals, three numbers a pixel; NaN where a pixel that is needed is invalid or outside. */
function normalsOf({ width, height, mm }: Depth, lens: Intrinsics): Float32Array {
  const normals = new Float32Array(3 * mm.length).fill(Number.NaN);
  const point = (x: number, y: number) => pointAt(lens, x, y, mm[y * width + x]);
  for (let y = SIDE_PX; y < height - SIDE_PX; y++) {
    for (let x = SIDE_PX; x < width - SIDE_PX; x++) {
      const [a, b] = [point(x - SIDE_PX, y), point(x + SIDE_PX, y)];
      const [c, d] = [point(x, y - SIDE_PX), point(x, y + SIDE_PX)];
      if (Math.min(mm[y * width + x], a[2], b[2], c[2], d[2]) <= 0) continue;
      const [p, q] = [b.map((value, k) => value - a[k]), d.map((value, k) => value - c[k])];
      const n = [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]];
      const length = Math.hypot(...n);
      normals.set(
        n.map((value) => value / length),
        3 * (y * width + x),
      );
    }
  }
  return normals;
}

/** The angle between the normals of two pixels, degrees. */
function angle(normals: Float32Array, i: number, j: number): number {
  let dot = 0;
  for (let k = 0; k < 3; k++) dot += normals[3 * i + k] * normals[3 * j + k];
  return (Math.acos(Math.max(-1, Math.min(1, dot))) * 180) / Math.PI;
}
