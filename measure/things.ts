import type { Vec3 } from "../core/geometry.ts";
import { middleIn } from "../core/mask.ts";
import { axesOn, flatOf } from "./axes.ts";
import { readThing } from "./box.ts";
import type { BoxReading } from "./boxReading.ts";
import { highestOf } from "./cuboid.ts";
import { type PlaneFit, planeOf } from "./plane.ts";
import type { Reading } from "./reading.ts";
import type { Flat } from "./rectangle.ts";
import type { Resting } from "./resting.ts";
import { meanPoint, type Scene } from "./scene.ts";
import { heightsOver, type Thing, thingFrom } from "./thing.ts";

/** A thing on the floor that was found by itself. */
export interface FoundThing extends BoxReading {
  /** The number by which the thing is known from frame to frame. */
  readonly id: number;
  /** The middle of what is seen of it, in metres in the camera's axes. */
  readonly middle: readonly [number, number, number];
  /** The floor that it covers as it is seen, m². */
  readonly areaM2: number;
  /** How high its highest part is over the floor, mm: told of every thing, whatever its form and wherever the picture cuts it off. */
  readonly highest: Reading;
}

/** All things on the floor. */
export interface FoundThings {
  /** The things, the largest first. */
  readonly things: readonly FoundThing[];
  /** The id that the next new thing gets. */
  readonly nextId: number;
  /** Where no floor is found: the things that were found last, which keep their ids for when the floor is seen again. */
  readonly last?: readonly FoundThing[];
}

/** Things are looked for at every `STEP`th pixel. */
const STEP = 4;
/** A thing covers at least this many m² of the floor, and this many pixels; what is smaller is noise, or litter. */
const LEAST_M2 = 0.0025;
const LEAST_PX = 150;
/** A thing is the one of before if it moved by less than this many metres, or by less than this share of the side of what it covers. */
const FAR_M = 0.15;
const FAR = 0.6;

/** Finds each thing that rises from the floor, the largest first. A thing that lies where a thing of `before` lay keeps that thing's id. */
export function thingsOn(
  scene: Scene,
  floor: PlaneFit,
  accuracy: number,
  before: FoundThings | undefined,
  resting: Resting,
): FoundThings {
  const heights = heightsOver(scene, floor);
  const { width, height, intrinsics } = scene;
  const seen = new Uint8Array(heights.length);
  const found: { readonly thing: Thing; readonly areaM2: number; readonly middle: Vec3 }[] = [];
  for (let y = 0; y < height; y += STEP)
    for (let x = 0; x < width; x += STEP) {
      const seed = y * width + x;
      if (seen[seed] === 1) continue;
      const thing = thingFrom(scene, floor, heights, seed);
      if (!thing) continue;
      for (const i of thing.pixels) seen[i] = 1;
      const areaM2 = thing.pixels.reduce((sum, i) => sum + scene.z[i] ** 2, 0) / (intrinsics.fx * intrinsics.fy);
      if (areaM2 < LEAST_M2 || thing.pixels.length < LEAST_PX) continue;
      found.push({ thing, areaM2, middle: meanPoint(scene, thing.pixels) });
    }
  found.sort((a, b) => b.areaM2 - a.areaM2);
  let nextId = before?.nextId ?? 1;
  const ids = sameAs(floor, found, before?.last ?? before?.things ?? []);
  const things = found.map(({ thing, areaM2, middle }, k) => {
    const id = ids.get(k) ?? nextId++;
    const reading = resting.reading(id, scene, floor, thing, () => {
      const { x, y, seed } = askAt(scene, thing);
      return readThing(scene, floor, { ...thing, seed }, { x, y }, accuracy);
    });
    return {
      ...reading,
      id,
      areaM2,
      middle,
      highest: highestOf(scene, floor, thing.heights, thing.pixels, accuracy).reading,
    };
  });
  return { things, nextId };
}

/** What is found without a floor. */
export const nothingAfter = (before?: FoundThings): FoundThings => ({
  things: [],
  nextId: before?.nextId ?? 1,
  ...(before && { last: before.last ?? before.things }),
});

/** The thing's pixel next to the middle of its higher half: on its top, where it has one. */
function askAt({ width }: Scene, { heights, pixels }: Thing) {
  const count = Math.max(1, pixels.length >> 1);
  const sorted = Float32Array.from(pixels, (i) => heights[i]).sort();
  const least = sorted[sorted.length - count];
  // Of the pixels that are exactly as high as the half's lowest one, only the first belong to the half.
  let level = count - pixels.reduce((higher, i) => higher + (heights[i] > least ? 1 : 0), 0);
  const high = pixels.filter((i) => heights[i] > least || (heights[i] === least && level-- > 0));
  const { x, y } = middleIn(width, high);
  let [seed, nearest] = [high[0], Infinity];
  for (const i of high) {
    const far = Math.hypot((i % width) - x, Math.floor(i / width) - y);
    if (far < nearest || (far === nearest && heights[i] > heights[seed])) [seed, nearest] = [i, far];
  }
  return { x: seed % width, y: Math.floor(seed / width), seed };
}

/** Finds which earlier thing each thing is: pairs that lie nearest on the floor come first, and each thing is used once. */
function sameAs(
  floor: PlaneFit,
  found: readonly { readonly areaM2: number; readonly middle: Vec3 }[],
  before: readonly FoundThing[],
): ReadonlyMap<number, number> {
  const axes = axesOn(planeOf(floor.q));
  const [now, then] = [found, before].map((list) => list.map(({ middle }): Flat => flatOf(axes, middle)));
  const pairs = found.flatMap(({ areaM2 }, k) =>
    before.flatMap(({ id }, n) => {
      const far = Math.hypot(now[k][0] - then[n][0], now[k][1] - then[n][1]);
      return far < Math.max(FAR_M, FAR * Math.sqrt(areaM2)) ? [{ k, id, far }] : [];
    }),
  );
  const ids = new Map<number, number>();
  const taken = new Set<number>();
  for (const { k, id } of pairs.sort((a, b) => a.far - b.far)) {
    if (ids.has(k) || taken.has(id)) continue;
    ids.set(k, id);
    taken.add(id);
  }
  return ids;
}
