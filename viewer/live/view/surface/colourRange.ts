import type { DepthFrame } from "../../../../sources/core/frame.ts";
import { type Survey, surveyOf } from "../camera/sceneSurvey.ts";

/** So often a frame is looked at, ms. */
const EVERY_MS = 250;
/** In so long a range goes two thirds of the way to what is seen, s. */
const SLOW_S = 2;
/** What the stages are told changes in such steps: a little more or less is no news, and colours that crawl would be. */
const STEP = 1.03;

/** Within what the stages that colour can be told, m: a camera's frames may be nearer, or farther. */
const [LEAST_M, MOST_M] = [0.011, 99];
/** The least that the far end is over the near one. */
const FLAT = 1.2;

/** The range of depth that colours go over: begins with what a first frame has, then follows slowly what is seen. */
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

  /** Looks at a frame, if it is time. Says whether the range is another then. */
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

/** Evenly in its ratio, as the colours are. A flat scene has a range, too. */
function logsOf({ nearM, farM }: Survey): [near: number, far: number] {
  const near = Math.min(Math.max(nearM, LEAST_M), MOST_M / FLAT);
  return [Math.log(near), Math.log(Math.min(Math.max(farM, near * FLAT), MOST_M))];
}
