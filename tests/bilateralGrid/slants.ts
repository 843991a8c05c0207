import fc from "fast-check";
import { expectImage } from "../gpu.ts";
import { uniform } from "../random.ts";

/** A plane in space seen by a camera, with holes in it. */
interface Slant {
  readonly width: number;
  readonly height: number;
  /** Metres to a depth unit. */
  readonly unit: number;
  /** Distance in the middle of the frame, in metres. */
  readonly away: number;
  /** Between the plane and the picture, degrees. */
  readonly slant: number;
  /** The direction in which the plane slants, degrees. */
  readonly turn: number;
  readonly holeShare: number;
  readonly seed: number;
}

/** Focal length of the camera, px. */
const FOCAL = 525;

/** A plane's depth in units, not rounded; 0 in holes and past 9.9 m (or past what 16 bits hold). */
export function slanted({ width, height, unit, away, slant, turn, holeShare, seed }: Slant): number[] {
  const random = uniform(seed);
  const [toRight, down] = [Math.cos((turn * Math.PI) / 180), Math.sin((turn * Math.PI) / 180)];
  const steepness = Math.tan((slant * Math.PI) / 180);
  const depth = Array.from({ length: width * height }, (_, i) => {
    const [x, y] = [(i % width) - width / 2, Math.floor(i / width) - height / 2];
    const closer = 1 - (steepness * (toRight * x + down * y)) / FOCAL;
    const metres = away / closer;
    const hides = random() < holeShare / 2;
    return hides || closer <= 0 || metres > 9.9 || metres / unit > 60000 ? 0 : metres / unit;
  });
  for (let left = (holeShare / 2) * depth.length; left > 0; ) {
    const [across, along] = [1 + Math.floor(random() * 20), 1 + Math.floor(random() * 20)];
    const [x, y] = [Math.floor(random() * width), Math.floor(random() * height)];
    for (let row = y; row < Math.min(height, y + along); row++) {
      depth.fill(0, row * width + x, row * width + Math.min(width, x + across));
    }
    left -= across * along;
  }
  return depth;
}

/** Planes at hand and far away, up to 70°. */
export const planes: fc.Arbitrary<Slant> = fc.record({
  width: fc.constant(96),
  height: fc.constant(72),
  unit: fc.constantFrom(0.001, 0.0002),
  away: fc.constantFrom(0.4, 0.7, 1, 1.6, 2.5, 4, 6),
  slant: fc.constantFrom(0, 10, 30, 50, 60, 65, 70),
  turn: fc.integer({ min: 0, max: 359 }),
  holeShare: fc.constantFrom(0, 0.1, 0.4, 0.8),
  seed: fc.nat(),
});

/** Holds a filtered plane against the exact one: within one unit, and holes are holes. */
export function expectPlane(got: Uint16Array, exact: readonly number[], plane: Slant): void {
  const name = JSON.stringify(plane);
  expectImage(got, exact, { width: plane.width, tolerance: 1, name });
  const isHole = (values: ArrayLike<number>) => Array.from(values, (value) => Number(value === 0));
  expectImage(isHole(got), isHole(exact), { width: plane.width, name: `holes, ${name}` });
}
