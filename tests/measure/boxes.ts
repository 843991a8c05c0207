import type { Vec3 } from "../../core/geometry.ts";
import { measure, type Reading } from "../../measure/index.ts";
import { randomBy } from "../../measure/propose.ts";
import { FULL as CAMERA, cameraAt, cast, floor, framesOf, parcel, type Seer } from "./world.ts";

/** The reading of a box beside its truth, mm. */
interface Tried {
  readonly truth: number;
  readonly read: Reading;
}

/** Boxes from 10 to 120 cm, turned any way, .6 to 1.5 m from the camera, which is tilted up to 35 degrees, and whole in the picture. */
export function* randomBoxes(count: number, seed: number) {
  const random = randomBy(seed);
  const between = (low: number, high: number) => low + (high - low) * random();
  const { width, height } = CAMERA;
  for (let made = 0; made < count; ) {
    const size: Vec3 = [between(0.1, 1.2), between(0.1, 1.2), between(0.1, 1.2)];
    const camera = cameraAt([0, -size[1], 0], between(0.6, 1.5), between(0, 0.6), between(-3, 3));
    const things = [floor, parcel(size, between(-3, 3))];
    const { ids } = cast(things, camera);
    let [cut, seen] = [false, 0];
    for (let i = 0; i < ids.length; i++) {
      if (ids[i] !== 1) continue;
      seen++;
      const [x, y] = [i % width, Math.floor(i / width)];
      cut ||= x < 14 || y < 14 || x >= width - 14 || y >= height - 14;
    }
    if (cut || seen > 0.6 * ids.length) continue;
    made++;
    yield { size, things, camera };
  }
}

type Boxed = ReturnType<typeof randomBoxes> extends Generator<infer B> ? B : never;

/** Length, width and height of a box as they are read in frames of a sensor, beside the truth. */
export function tryBox(
  { size: [a, height, b], things, camera }: Boxed,
  sensor: Seer,
  count: number,
  seed: number,
): Tried[] {
  const { boxes } = measure(framesOf(things, camera, { sensor, count, seed, lens: CAMERA }), {
    boxes: [{ x: 320, y: 240 }],
  });
  return boxes.flatMap((found) => [
    { truth: 1000 * Math.max(a, b), read: found.length },
    { truth: 1000 * Math.min(a, b), read: found.width },
    { truth: 1000 * height, read: found.height },
  ]);
}

/** The largest error that is promised for a camera, mm. */
export const PROMISED: Readonly<Record<string, number>> = {
  "kinect-v2": 5,
  "azure-kinect": 5,
  d455: 5,
  realsense: 8,
  "kinect-v1": 10,
};

/** What many boxes show: how large the errors are, and how many truths lie within the ±. */
export function summaryOf(tried: readonly Tried[]) {
  const told = tried.filter(({ read }) => read.value !== null);
  const errors = Float64Array.from(told, ({ truth, read }) => Math.abs((read.value ?? 0) - truth)).sort();
  const inside = told.filter(({ truth, read }) => Math.abs((read.value ?? 0) - truth) <= (read.plusMinus ?? 0)).length;
  const at = (share: number) => errors[Math.min(errors.length - 1, Math.floor(share * errors.length))];
  return {
    told: told.length,
    all: tried.length,
    median: at(0.5),
    p95: at(0.95),
    most: at(1),
    inside: inside / told.length,
  };
}
