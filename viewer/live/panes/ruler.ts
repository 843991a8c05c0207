import { History } from "./history.ts";
import { type Pixel, type Point, pointAt } from "./projection.ts";
import { type Sample, type Snapshot, sampleAt } from "./snapshot.ts";

/** Frames over which an end's noise is taken, and how many there must be to speak of one. */
const [KEPT, ENOUGH] = [30, 5];

/** What a ruler says. Metres. */
export interface Measurement {
  readonly from: Point;
  readonly to: Point;
  readonly distanceM: number;
  /**
   * One standard deviation, by how much the sensor's depths at both ends have moved lately: a filter that holds them still knows
   * them no better. NaN while that is not known.
   */
  readonly errorM: number;
}

/** Between what two pixels see, in whatever frame there is. */
export class Ruler {
  readonly ends: Pixel[] = [];
  /** Raw depths at the ends, by frame. */
  readonly #depths = new History(2, KEPT);
  #last: Snapshot["frame"] | undefined;

  /** The first end, the second one, and again a first. */
  put(end: Pixel): void {
    if (this.ends.length === 2) this.ends.length = 0;
    this.ends.push(end);
    this.#depths.clear();
    this.#last = undefined;
  }

  clear(): void {
    this.ends.length = 0;
  }

  /** Measures in a frame; undefined without two ends that were measured. */
  measure(snapshot: Snapshot): Measurement | undefined {
    const [a, b] = this.ends.map((end) => sampleAt(snapshot, end));
    if (!a || !b) return undefined;
    this.#remember(snapshot, a, b);
    return between(a, b, this.#noise(0), this.#noise(1), snapshot);
  }

  #remember({ frame }: Snapshot, a: Sample, b: Sample): void {
    if (frame !== this.#last) this.#depths.begin();
    this.#last = frame;
    this.#depths.set(0, a.rawM || Number.NaN);
    this.#depths.set(1, b.rawM || Number.NaN);
  }

  #noise(end: number): number {
    const { deviation, count } = this.#depths.spread(end);
    return count < ENOUGH ? Number.NaN : deviation;
  }
}

function between(a: Sample, b: Sample, noiseA: number, noiseB: number, { frame }: Snapshot): Measurement | undefined {
  if (!a.point || !b.point) return undefined;
  const way = [0, 1, 2].map((axis) => (b.point?.[axis] ?? 0) - (a.point?.[axis] ?? 0));
  const distanceM = Math.hypot(...way);
  /** How much longer the way gets for a metre more of an end's depth: its pixel's ray along the way. */
  const stretch = (pixel: Pixel) => {
    const ray = pointAt(frame.intrinsics, pixel, 1);
    return way.reduce((sum, along, axis) => sum + along * ray[axis], 0) / Math.max(distanceM, 1e-9);
  };
  const errorM = Math.hypot(stretch(a) * noiseA, stretch(b) * noiseB);
  return { from: a.point, to: b.point, distanceM, errorM };
}
