import { type FrameShape, type Intrinsics, sameLens } from "../core/frame.ts";
import { around, boundsOf } from "../core/mask.ts";
import type { BoxReading } from "./boxReading.ts";
import { withBumps } from "./bumps.ts";
import { heightAt, type PlaneFit } from "./plane.ts";
import { eachPixel, type Rect, type Scene, sigmaAt } from "./scene.ts";
import { nearOf, type Thing } from "./thing.ts";

/** Noise and bumps are measured again after this many calls, and a resting thing after this many and up to half as many more. */
const CALLS = 24;
/** The earlier floor stays if at least this share of the pixels that lay on it still lie on it. One pixel in so many is looked at. */
const STILL = 0.95;
const EVERY = 61;
/**
 * A thing rests if its pixels have moved by less than the share SHIFT of the noise in the mean, and if around it fewer pixels than JUMPED
 * times the root of how many it has see another depth, and fewer than FLIPPED times that root have got or lost theirs. Where a box moves by
 * a pixel, twice the root see another depth; a Kinect's rims flicker in three times the root. A pixel sees another depth if its depth
 * differs by more than CHANGED times the noise and by more than the share BESIDE.
 */
const SHIFT = 0.1;
const JUMPED = 2.4;
const FLIPPED = 4;
const CHANGED = 5;
const BESIDE = 0.006;
/** At this distance beside a thing, m, the depth of what it stands on is measured. */
const AROUND = 0.1;

/** A thing that was measured. */
interface Known {
  readonly reading: BoxReading;
  /** The depths in which it was measured. */
  readonly z: Float32Array;
  readonly around: Rect;
  /** How many pixels saw it. */
  readonly count: number;
  /** The call in which it is measured again. */
  readonly until: number;
}

/** What a call leaves to the next. */
interface Kept {
  readonly asked: string;
  readonly call: number;
  /** The call in which noise and bumps were measured. */
  since: number;
  scene?: Pick<Scene, "noise" | "bumps" | "intrinsics">;
  floor?: PlaneFit | undefined;
  /** The share of the pixels looked at that lay on the floor when it was found. */
  share: number;
  readonly things: Map<number, Known>;
}

/**
 * The newest answers keep the depths in which their things were measured. Older ones do not: a program that logs all its answers would
 * otherwise hold all those frames.
 */
const ANSWERS = 16;
const newest: WeakRef<Kept>[] = [];
/** What a call has kept, by its answer. */
const memory = new WeakMap<object, Kept>();

/**
 * What a camera that stands still sees as it was is not measured again: one call of `findThings` leaves to the next, which gets its answer
 * as `known`, the floor, the noise, and the readings of things that rest.
 */
export class Resting {
  #before: Kept | undefined;
  readonly #now: Kept;

  /** `known` is the answer of the call before, `question` all that the answer depends on beside what is seen. */
  constructor(known: object | undefined, question: unknown) {
    const asked = JSON.stringify(question);
    const before = known && memory.get(known);
    if (before?.asked === asked) this.#before = before;
    const { call, since, share } = this.#before ?? { call: 0, since: 0, share: 0 };
    this.#now = { asked, call: call + 1, since, share, things: new Map() };
  }

  /** Keeps this for the call that gets `answer` as `known`. */
  keep(answer: object): void {
    if (!this.#now.floor) return;
    memory.set(answer, this.#now);
    newest.push(new WeakRef(this.#now));
    if (newest.length > ANSWERS) newest.shift()?.deref()?.things.clear();
  }

  /** The scene of the call before, if it is of the same camera and not so long ago that noise is to be measured again. */
  #recent(intrinsics: Intrinsics): Kept["scene"] {
    const scene = this.#before?.scene;
    // By another lens the same depths are of another size.
    if (scene && !sameLens(scene.intrinsics, intrinsics)) this.#before = undefined;
    return this.#before && this.#now.call - this.#now.since < CALLS ? scene : undefined;
  }

  /** The noise of a frame's camera, where it is known. */
  noiseOf({ intrinsics }: FrameShape): Scene["noise"] {
    return this.#recent(intrinsics)?.noise;
  }

  /** The scene with its bumps. */
  withBumps(seen: Scene): Scene {
    const recent = this.#recent(seen.intrinsics);
    if (!recent) this.#now.since = this.#now.call;
    const scene = recent ? { ...seen, ...(recent.bumps && { bumps: recent.bumps }) } : withBumps(seen);
    this.#now.scene = { noise: scene.noise, bumps: scene.bumps, intrinsics: scene.intrinsics };
    return scene;
  }

  /** The floor from before, or the one that `find` finds. */
  floor(scene: Scene, find: () => PlaneFit | undefined): PlaneFit | undefined {
    const before = this.#before?.floor;
    const { call, since, share } = this.#now;
    // With the noise the floor is found anew, too: a drift below the noise would otherwise add up.
    const isStill = before && call > since && shareOn(scene, before) >= STILL * share;
    const floor = isStill ? before : find();
    this.#now.floor = floor;
    if (floor && !isStill) this.#now.share = shareOn(scene, floor);
    return floor;
  }

  /** The earlier reading of the thing with this id if the thing rests, else what `measure` measures. */
  reading(id: number, scene: Scene, floor: PlaneFit, thing: Thing, measure: () => BoxReading): BoxReading {
    const known = this.#before?.things.get(id);
    const around = rectAround(scene, floor, thing);
    const { call, things } = this.#now;
    const isKnown = known && call < known.until && rests(scene, thing, around, known);
    const until = call + CALLS + (id % (CALLS / 2));
    const now = isKnown ? known : { reading: measure(), z: scene.z, around, count: thing.pixels.length, until };
    things.set(id, now);
    return now.reading;
  }
}

function shareOn(scene: Scene, floor: PlaneFit): number {
  const near = nearOf(floor);
  let on = 0;
  for (let i = 0; i < scene.z.length; i += EVERY)
    if (scene.z[i] > 0 && Math.abs(heightAt(scene, floor, i)) < near) on++;
  return (on * EVERY) / scene.z.length;
}

const rectAround = (scene: Scene, { offset }: PlaneFit, { pixels }: Thing): Rect =>
  around(boundsOf(scene.width, pixels), Math.ceil((AROUND * scene.intrinsics.fx) / offset));

function rests(scene: Scene, { pixels }: Thing, around: Rect, known: Known): boolean {
  const { z } = scene;
  if (known.z.length !== z.length) return false;
  const root = Math.sqrt(pixels.length);
  // Another one in its place may be larger by what flickers.
  if (Math.abs(pixels.length - known.count) > root) return false;
  const isOther = (i: number, sigma: number) => Math.abs(z[i] - known.z[i]) > CHANGED * sigma + BESIDE * z[i];
  let [shift, some] = [0, 0];
  for (const i of pixels) {
    const sigma = sigmaAt(scene, z[i]);
    if (known.z[i] === 0 || isOther(i, sigma)) continue;
    shift += (z[i] - known.z[i]) / sigma;
    some++;
  }
  if (Math.abs(shift) > SHIFT * some) return false;
  for (const rect of [around, known.around]) {
    let [flipped, jumped] = [0, 0];
    eachPixel(scene, rect, (i) => {
      if (z[i] === known.z[i]) return;
      if (z[i] === 0 || known.z[i] === 0) flipped++;
      else if (isOther(i, sigmaAt(scene, z[i]))) jumped++;
    });
    if (jumped > JUMPED * root || flipped > FLIPPED * root) return false;
  }
  return true;
}
