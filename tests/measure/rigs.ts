import { type ColorArray, type DepthFrame, type Intrinsics, image } from "../../core/frame.ts";
import { type Frame, lookingAt, toLocal, toWorld, turned, type Vec3, within } from "../../core/geometry.ts";
import { compose, invert, type Rigid, rigid } from "../../core/pose.ts";
import { align } from "../../measure/index.ts";
import { randomBy } from "../../measure/propose.ts";
import { ALL_NOISE } from "../../sources/synthetic/kinect.ts";
import { cast, paint } from "../../sources/synthetic/render.ts";
import { SCENES } from "../../sources/synthetic/scenes/index.ts";
import type { Solid } from "../../sources/synthetic/scenes/scene.ts";
import { makeSensor, type SensorName } from "../../sources/synthetic/sensors/index.ts";
import { box } from "../../sources/synthetic/shapes/box.ts";

// Rigs of several cameras in the furnished room.

const { still, movers } = SCENES.room;
/** A wall and nothing else. */
export const WALL: readonly Solid[] = [{ ...still[0], shape: box([-9, -9, 2], [9, 9, 2.2]) }];
/** A camera like an Azure Kinect's narrow mode, at half its usual size. */
export const LENS: Intrinsics = { fx: 262.5, fy: 262.5, cx: 159.5, cy: 119.5, width: 320, height: 240 };
const SMALL: Intrinsics = { fx: 65.625, fy: 65.625, cx: 39.5, cy: 29.5, width: 80, height: 60 };

const drawn = (solids: readonly Solid[], camera: Frame, lens: Intrinsics) => {
  const { width, height } = lens;
  const layer = { width, metres: new Float32Array(width * height).fill(Infinity), ids: new Uint8Array(width * height) };
  cast(solids, 0, { camera, intrinsics: lens }, layer);
  return layer;
};

interface Taken {
  /** Without a sensor depth is exact. */
  readonly sensor?: SensorName | null;
  readonly count?: number;
  readonly seed?: number;
  /** The scene's time of frame `index`, s, and the camera's clock, ms; nothing moves without them. */
  readonly timeOf?: (index: number) => number;
  readonly clockOf?: (index: number) => number;
  readonly solids?: readonly Solid[];
  readonly lens?: Intrinsics;
  /** What moves, at a time of the scene in s. */
  readonly moving?: (s: number) => readonly Solid[];
}

/** The depth that a sensor at `camera` sees of the room. */
export function roomFrames(
  camera: Frame,
  { sensor = "azure-kinect", count = 6, seed = 1, ...more }: Taken = {},
): DepthFrame[] {
  const {
    timeOf,
    clockOf = (index) => (index * 1000) / 30,
    solids = still,
    lens = LENS,
    moving = (s) => movers(s).solids,
  } = more;
  const behind = drawn(solids, camera, lens);
  const unit = sensor ? 0.001 : 0.0001;
  const made = sensor && makeSensor(sensor, lens, unit, seed, ALL_NOISE);
  const infrared = [...solids, ...(timeOf ? moving(0) : [])].map((one) => one.infrared);
  return Array.from({ length: count }, (_, index) => {
    const layer = { width: lens.width, metres: behind.metres.slice(), ids: behind.ids.slice() };
    if (timeOf) cast(moving(timeOf(index)), solids.length, { camera, intrinsics: lens }, layer);
    const data = made
      ? made.measure(layer.metres, layer.ids, infrared, index).slice()
      : Uint16Array.from(layer.metres, (z) => Math.round(z / unit));
    const depth = image(data, [lens.height, lens.width]);
    return { depth, metresPerUnit: unit, intrinsics: lens, timestamp: clockOf(index), index };
  });
}

/** The picture that a camera takes of the room, registered to its depth, with a multiple of the usual light. */
export function roomColor(camera: Frame, exposure: number, solids: readonly Solid[] = still): ColorArray {
  const { width, height } = LENS;
  const view = { camera, intrinsics: LENS };
  const layer = { width, metres: new Float32Array(width * height).fill(Infinity), ids: new Uint8Array(width * height) };
  const seen = cast(solids, 0, view, layer);
  const { bounce, ambient, lamps } = SCENES.room.lighting;
  const by = ([r, g, b]: Vec3): Vec3 => [r * exposure, g * exposure, b * exposure];
  const lit = lamps.map((lamp) => ({ ...lamp, power: by([...lamp.power]) }));
  const rgba = new Uint8Array(4 * width * height);
  paint(seen, new Map(), { bounce, ambient: by([...ambient]), lamps: lit }, view, layer, rgba);
  return image(rgba, [height, width, 4]);
}

/** The share of what camera `b` sees that camera `a` sees, too. */
function overlapOf(a: Frame, b: Frame, solids = still): number {
  const [first, second] = [a, b].map((camera) => drawn(solids, camera, SMALL));
  const { fx, fy, cx, cy, width, height } = SMALL;
  let seen = 0;
  for (let i = 0; i < second.metres.length; i++) {
    const z = second.metres[i];
    const point: Vec3 = [(((i % width) - cx) / fx) * z, ((Math.floor(i / width) - cy) / fy) * z, z];
    const [x, y, there] = toLocal(a, toWorld(b, point));
    const [u, v] = [Math.round((x / there) * fx + cx), Math.round((y / there) * fy + cy)];
    if (there < 0.1 || u < 0 || v < 0 || u >= width || v >= height) continue;
    if (Math.abs(first.metres[v * width + u] - there) < 0.03 * there) seen++;
  }
  return seen / second.metres.length;
}

/** Rigs of cameras in the room, each of which has a view of 30 to 40 % in common with one before. */
export function* randomRigs(
  count: number,
  cameras: number,
  seed: number,
  overlap: readonly [number, number] = [0.3, 0.4],
  solids: readonly Solid[] = still,
) {
  const random = randomBy(seed);
  const between = (low: number, high: number) => low + (high - low) * random();
  const { lo, hi } = solids[0].shape;
  const placed = (): Frame | undefined => {
    const eye: Vec3 = [between(lo[0] + 0.2, hi[0] - 0.2), between(-2.3, -0.9), between(lo[2] + 0.3, hi[2] - 0.8)];
    const target: Vec3 = [between(lo[0] + 0.5, hi[0] - 0.5), between(-1.2, -0.2), between(lo[2] + 1.7, hi[2] - 0.4)];
    if (Math.hypot(...eye.map((value, k) => value - target[k])) < 1.5) return undefined;
    const camera = within(lookingAt(eye, target), turned([0, 0, 0], [0, 0, 1], between(-0.2, 0.2)));
    const { metres } = drawn(solids, camera, SMALL);
    return metres.some((z) => z < 0.5) ? undefined : camera;
  };
  for (let made = 0; made < count; ) {
    const rig: Frame[] = [];
    for (let tries = 0; rig.length < cameras && tries < 400; tries++) {
      const camera = placed();
      if (!camera) continue;
      const shared = rig.map((other) => overlapOf(other, camera, solids));
      const most = Math.max(...shared);
      if (rig.length === 0 || (most >= overlap[0] && most <= overlap[1])) rig.push(camera);
    }
    if (rig.length < cameras) continue;
    made++;
    yield rig;
  }
}

export const rigidOf = ({ rotation: m, position: p }: Frame): Rigid =>
  Float64Array.of(...m.slice(0, 3), p[0], ...m.slice(3, 6), p[1], ...m.slice(6, 9), p[2]);

/** How wrong a place is: mm, and degrees. */
export function wrongBy(found: readonly number[], first: Frame, camera: Frame) {
  const truth = compose(rigid(), invert(rigid(), rigidOf(first)), rigidOf(camera));
  const m = Float64Array.from(found);
  const off = compose(rigid(), invert(rigid(), truth), m);
  const sine = Math.hypot(off[9] - off[6], off[2] - off[8], off[4] - off[1]) / 2;
  const shift = [3, 7, 11].map((k) => 1000 * (m[k] - truth[k]));
  return {
    mm: Math.hypot(...shift),
    degrees: (Math.atan2(sine, (off[0] + off[5] + off[10] - 1) / 2) * 180) / Math.PI,
    shift,
  };
}

/** Aligns a rig. Tells of each further camera how wrong its place is and which of x, y, z lie within their ±, or why it has no place. */
export async function triedRig(rig: readonly Frame[], seed: number) {
  const { cameras } = await align(rig.map((camera, k) => roomFrames(camera, { seed: 10 * seed + k, count: 10 })));
  return cameras.slice(1).map(({ toFirst, place, why }, k) => {
    if (!toFirst) return { mm: null, degrees: null, inside: [], why };
    const { mm, degrees, shift } = wrongBy(toFirst, rig[0], rig[k + 1]);
    return { mm, degrees, inside: shift.map((off, axis) => Math.abs(off) <= (place[axis].plusMinus ?? 0)) };
  });
}
