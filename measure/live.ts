import type { DepthFrame } from "../core/frame.ts";
import { Checker, type CheckOptions } from "./check.ts";
import type { Checked } from "./checked.ts";
import { type Measurements, type MeasureOptions, measure } from "./measure.ts";
import { cannotTell, type Reading, reading } from "./reading.ts";
import { type RegionReading, readRegion } from "./region.ts";
import { pixelsIn, type Region, type Scene } from "./scene.ts";
import { Standing } from "./standing.ts";

/** The readings that are wanted of each frame; readings that are left out cost nothing. */
export interface Question {
  readonly regions?: readonly Region[];
  readonly measure?: MeasureOptions;
  /** A new number makes the pane remember what stands, for `measured.changes`; without a number nothing is remembered. */
  readonly since?: number | undefined;
  readonly check?: CheckOptions;
}

/** A region of one frame. */
export interface LiveRegion extends RegionReading {
  /** How much a pixel's depth varies from frame to frame, by the median pixel, as one standard deviation, mm. */
  readonly noise: Reading;
  /** How many pixels lie in each of `BINS` steps of depth around the median, evenly spread over ± `reachMm`. */
  readonly histogram: { readonly reachMm: number; readonly counts: readonly number[] } | null;
}

/** The findings, of the frame of this index and time. */
export interface Answer {
  readonly index: number;
  readonly timestamp: number;
  readonly regions?: readonly LiveRegion[];
  /** `held`: something moves, and the readings are those from before. */
  readonly measured?: Measurements & { readonly held: boolean };
  readonly checked?: Checked;
  /** Some readings are of earlier frames, because time was short; a question without a frame after so many ms makes them anew. */
  readonly againMs?: number;
}

export const BINS = 61;
/** Readings take long: the least times between two measurements and between two checks of a scene, ms. */
const MEASURE_MS = 400;
const CHECK_MS = 1500;
/** After a motion readings wait for CALM frames without one; after RESTLESS frames of motion each reading is of a single frame. */
const CALM = 3;
const RESTLESS = 15;

/** Measures in frames as they arrive, from a recording that plays or from a camera. */
export class LiveMeasure {
  #standing = new Standing();
  #checker: { readonly asked: string; readonly checker: Checker } | undefined;
  #measured: Measurements | undefined;
  #checked: Checked | undefined;
  #asked = "";
  #before: { readonly since: number; readonly scene: Scene | undefined } | undefined;
  #doneMs = { measured: Number.NEGATIVE_INFINITY, checked: Number.NEGATIVE_INFINITY };
  #last: DepthFrame | undefined;
  /** When readings that were left out for want of time may be made. */
  #againMs: number | undefined;

  /** Takes a frame and keeps its memory. Without a frame, the question is answered anew for the frames before. */
  take(frame: DepthFrame | undefined, question: Question, nowMs: number): Answer | undefined {
    if (frame) this.#standing.add(frame);
    this.#last = frame ?? this.#last;
    if (!this.#last) return undefined;
    const { index, timestamp } = this.#last;
    this.#againMs = undefined;
    const answer = {
      index,
      timestamp,
      ...(question.regions && { regions: this.#regions(question.regions) }),
      ...(question.measure && { measured: this.#measure(question.measure, question.since, nowMs) }),
      ...(question.check && this.#check(frame, question.check, nowMs)),
    };
    return this.#againMs === undefined ? answer : { ...answer, againMs: this.#againMs - nowMs };
  }

  /** Tells whether `leastMs` have passed since readings were made at `doneMs`; if not, `#againMs` keeps the time at which they have. */
  #isTime(doneMs: number, leastMs: number, nowMs: number): boolean {
    if (nowMs - doneMs >= leastMs) return true;
    this.#againMs = Math.min(this.#againMs ?? Number.POSITIVE_INFINITY, doneMs + leastMs);
    return false;
  }

  #regions(regions: readonly Region[]): readonly LiveRegion[] {
    const scene = this.#standing.single();
    if (!scene) return [];
    return regions.map((rect) => {
      const varies = this.#standing.variesBy(rect) * 1000;
      // The error of a standard deviation of n values is σ / √(2n): n are the frames alone, though a region has many pixels.
      const noise =
        varies >= 0
          ? reading(varies, varies / Math.sqrt(2 * this.#standing.frames), "mm")
          : cannotTell("mm", this.#standing.moving > 0 ? "something moves" : "needs 3 frames: play");
      const found = readRegion(scene, rect);
      return { ...found, noise, histogram: histogramOf(scene, rect, found.distance.value) };
    });
  }

  #measure(options: MeasureOptions, since: number | undefined, nowMs: number): Measurements & { held: boolean } {
    const { frames, moving } = this.#standing;
    if (since === undefined) this.#before = undefined;
    else if (since !== this.#before?.since) this.#before = { since, scene: this.#standing.build() };
    const asked = JSON.stringify([options, since]);
    const isNew = asked !== this.#asked;
    const moves = (moving > 0 || frames < CALM) && moving < RESTLESS;
    const held = this.#measured !== undefined && moves && !isNew && frames < CALM && this.#measured.frames >= CALM;
    if (!this.#measured || isNew || (!held && this.#isTime(this.#doneMs.measured, MEASURE_MS, nowMs))) {
      const scene = this.#standing.build();
      this.#measured = measure(scene ?? [], { ...options, before: this.#before?.scene });
      this.#asked = asked;
      this.#doneMs.measured = nowMs;
    }
    return { ...this.#measured, held };
  }

  #check(frame: DepthFrame | undefined, options: CheckOptions, nowMs: number): { readonly checked?: Checked } {
    const asked = JSON.stringify(options);
    const isNew = this.#checker?.asked !== asked;
    if (isNew) this.#checker = { asked, checker: new Checker(options) };
    const fresh = frame ?? (isNew ? this.#last : undefined);
    if (fresh) this.#checker?.checker.add(fresh);
    if (isNew || this.#isTime(this.#doneMs.checked, CHECK_MS, nowMs)) {
      this.#checked = this.#checker?.checker.result();
      this.#doneMs.checked = nowMs;
    }
    return this.#checked ? { checked: this.#checked } : {};
  }
}

/** The share of pixels that the histogram leaves out at each end. */
const OUTER = 0.02;

function histogramOf(scene: Scene, rect: Region, middleMm: number | null): LiveRegion["histogram"] {
  if (middleMm === null) return null;
  const offs = Float64Array.from(pixelsIn(scene, rect, 40_000).pixels, (i) => scene.z[i] * 1000 - middleMm).sort();
  const cut = Math.floor(OUTER * offs.length);
  const reachMm = Math.max(2, -offs[cut], offs[offs.length - 1 - cut]);
  const counts = new Array<number>(BINS).fill(0);
  for (const off of offs) {
    const bin = Math.round(((off / reachMm + 1) / 2) * (BINS - 1));
    if (bin >= 0 && bin < BINS) counts[bin]++;
  }
  return { reachMm, counts };
}
