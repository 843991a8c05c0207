import type { DepthFrame } from "../../../../core/frame.ts";
import { type Survey, surveyOf } from "../camera/sceneSurvey.ts";

/** A frame is sampled once in this time, ms. */
const EVERY_MS = 250;
/** The range covers 63% of its way to a new range in this time, s. */
const SLOW_S = 2;
/** The range that the stages get changes in steps of this factor, so that colours do not crawl. */
const STEP = 1.03;

/** The limits of the range that `paint` accepts, m. */
const LEAST_M = 0.011;
const MOST_M = 99;
/** The far end is at least this many times the near end. */
const FLAT = 1.2;

/** The range of depth that the colours spread over: the first frame's at once, later ones' slowly. */
export class ColourRange {
  nearM = 0.5;
  farM = 5;
  #near = 0;
  #far = 0;
  #lastMs = Number.NEGATIVE_INFINITY;

  begin(survey: Survey, nowMs = performance.now()): void {
    [this.#near, this.#far] = logsOf(survey);
    this.nearM = Math.exp(this.#near);
    this.farM = Math.exp(this.#far);
    this.#lastMs = nowMs;
  }

  /** Samples a frame, if it is time. Returns whether the range changed. */
  see(frame: DepthFrame, nowMs = performance.now()): boolean {
    const seconds = (nowMs - this.#lastMs) / 1000;
    if (seconds * 1000 < EVERY_MS) return false;
    const survey = surveyOf(frame);
    if (survey.blank) return false;
    this.#lastMs = nowMs;
    const share = 1 - Math.exp(-Math.min(seconds, SLOW_S) / SLOW_S);
    const [near, far] = logsOf(survey);
    this.#near += (near - this.#near) * share;
    this.#far += (far - this.#far) * share;
    const [nearM, farM] = [Math.exp(this.#near), Math.exp(this.#far)];
    const isFar = (a: number, b: number) => Math.max(a / b, b / a) > STEP;
    if (!isFar(nearM, this.nearM) && !isFar(farM, this.farM)) return false;
    Object.assign(this, { nearM, farM });
    return true;
  }
}

/** Logarithms of the range, since the colours are logarithmic. A flat scene gets a range of the least ratio. */
function logsOf({ nearM, farM }: Survey): [near: number, far: number] {
  const near = Math.min(Math.max(nearM, LEAST_M), MOST_M / FLAT);
  return [Math.log(near), Math.log(Math.min(Math.max(farM, near * FLAT), MOST_M))];
}
