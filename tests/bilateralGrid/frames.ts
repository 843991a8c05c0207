import fc from "fast-check";
import type { DepthArray } from "../../core/frame.ts";
import { image } from "../gpu.ts";
import { uniform } from "../random.ts";

/** A depth image from a function of its pixels. */
export const painted = (width: number, height: number, depthAt: (x: number, y: number) => number): DepthArray =>
  image(
    Array.from({ length: width * height }, (_, i) => depthAt(i % width, Math.floor(i / width))),
    width,
  );

/** Normally distributed numbers (Box and Muller). */
export function normalFrom(seed: number): () => number {
  const random = uniform(seed);
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Slanted walls with steps between them, and holes of a few pixels. */
export interface Room {
  readonly width: number;
  readonly height: number;
  /** Nearest and farthest depth, in units. */
  readonly near: number;
  readonly far: number;
  /** The share of chance in a pixel's depth: 0 for smooth walls, 1 for any depth from near to far. */
  readonly roughness: number;
  readonly holeShare: number;
  readonly seed: number;
}

export function furnish({ width, height, near, far, roughness, holeShare, seed }: Room): DepthArray {
  const random = uniform(seed);
  const walls = Array.from({ length: 4 }, () => [random(), (random() - 0.5) / width, (random() - 0.5) / height]);
  const [splitX, splitY] = [random() * width, random() * height];
  const frame = painted(width, height, (x, y) => {
    const [at, slopeX, slopeY] = walls[Number(x > splitX) + 2 * Number(y > splitY)];
    const smooth = at + slopeX * x + slopeY * y;
    const share = Math.min(1, Math.max(0, smooth + roughness * (random() - smooth)));
    return Math.round(near + (far - near) * share);
  });
  for (let left = holeShare * frame.data.length; left > 0; ) {
    const length = 1 + Math.floor(random() * 9);
    const at = Math.floor(random() * frame.data.length);
    frame.data.fill(0, at, at + length);
    left -= length;
  }
  return frame;
}

const content = {
  roughness: fc.constantFrom(0, 0.01, 0.1, 1),
  holeShare: fc.constantFrom(0, 0.05, 0.5, 1.5),
  seed: fc.nat(),
};

/** Rooms of the sizes given (a GPU compiles its kernels again for each), past the end of a 10 m axis in millimetres too. */
export function rooms(sizes: readonly (readonly [width: number, height: number])[]): fc.Arbitrary<Room> {
  return fc
    .tuple(fc.constantFrom(...sizes), fc.constantFrom([1, 300], [800, 4000], [1, 65535]), fc.record(content))
    .map(([[width, height], [near, far], rest]) => ({ width, height, near, far, ...rest }));
}
