import type { Stage } from "../../stages/core/stage.ts";
import { Series } from "./statistics.ts";

/** How many of the newest times judge a step at most. */
const KEPT = 64;
/** How many times there have to be before they judge a step. */
const ENOUGH = 24;
/**
 * Where ALL_SLOW timed frames in a row exceed the budget by the factor EXCESS, several steps are taken at once: as many as the excess
 * needs.
 */
const ALL_SLOW = 4;
const EXCESS = 1.1;
/** The share of a frame's time that one step leaves, about: it makes the picture's area, or the number of points, smaller by a third. */
const STEP = 0.75;
/** The first time after a step is ignored: stages that were rebuilt are slow at first. */
const SETTLING = 1;
/**
 * Frames that begin more than this, in ms, after the one before ended have a pause between them. The pause and the frame after it do not
 * count.
 */
const PAUSE_MS = 2000;
/** Steps may be taken back when p50 stays below this share of the budget for PATIENCE_MS: as many steps as leave p50 below BUSY. */
const ROOM = 0.7;
/** The governor ignores slow frames that no step cured until p50 exceeds this share of the budget. */
const BUSY = 0.85;
const PATIENCE_MS = 1500;
/** A step that leaves p95 above this share of its value before the step has not helped. */
const NO_GAIN = 0.95;
/** When a step that was taken back has to be given up again, the patience doubles, up to this factor. */
const MOST_PATIENCE = 128;
const NEVER = Number.POSITIVE_INFINITY;

/** A parameter whose used value differs from the value that the user set. */
export interface GivenUp {
  /** The stage. */
  readonly stage: string;
  /** Its parameter. */
  readonly parameter: string;
  /** The value that was set. */
  readonly asked: number;
  /** The value that the stage computes with. */
  readonly used: number;
}

/** How much quality the governor has given up at this moment. */
export interface GovernorSnapshot {
  /** Whether the governor is on. */
  readonly on: boolean;
  /** How many steps of quality are given up. */
  readonly level: number;
  /** How many steps of quality there are. */
  readonly most: number;
  /** The parameters that are lowered now. */
  readonly givenUp: readonly GivenUp[];
  /** The quality that is given up, in words: "half size". */
  readonly says: readonly string[];
}

type Governed = Pick<Stage, "name" | "role" | "schema" | "parameters" | "effective" | "easingSteps" | "ease">;

/**
 * Keeps frames within their budget. It hears of the frames that are timed (`PipelineOptions.timeEvery`). When their times exceed the
 * budget, the stages that make pictures give up steps of quality, in the order that their schemas state; after some time with room to spare
 * they take steps back. Only pictures change, never depth or points.
 *
 *     4 timed frames in a row 10 % over the budget    give up as many steps as the excess asks for, discard the times, judge anew
 *     p95 over the budget                             give up a step, likewise
 *     p95 within the budget, p50 below 70 % for 1.5 s take back the steps that fit; if that does not last, wait 3 s the next time, then 6
 *     p95 over the budget and no better than before   the picture is not the cause (another program uses the processor): ignore p95
 *     the last step, although p50 is below 70 %       and take steps back by p50 alone
 */
export class Governor {
  readonly #stages: readonly Governed[];
  #on: boolean;
  /** Whether the held times come from a GPU; `undefined` before the first frame. */
  #onGpu: boolean | undefined;
  #level = 0;
  #times = new Series(KEPT);
  #newest = new Series(ALL_SLOW);
  #settling = 0;
  #lastMs = Number.NEGATIVE_INFINITY;
  /** Time without pauses, ms: since when there has been room, and since a step was taken back that may turn out too slow. */
  #roomMs = 0;
  #sinceBackMs = NEVER;
  #patience = 1;
  /** p95 before the last step was given up. */
  #p95Before = NEVER;
  /** Giving up quality did not help, so slow frames are ignored. */
  #inVain = false;
  #suspended = false;

  /** `isOnGpu` says where pictures are made now: the steps of CPU and GPU differ, and the CPU may replace a lost GPU. */
  constructor(
    stages: readonly Governed[],
    /** The time that a frame may take, ms. */
    readonly budgetMs: number,
    on = false,
    /** Whether pictures are made on the GPU at this moment. */
    readonly isOnGpu = () => false,
  ) {
    this.#on = on;
    this.#stages = stages.filter(({ role }) => role === "picture");
  }

  /** Whether the governor may lower quality. */
  get on(): boolean {
    return this.#on;
  }

  /** Setting false restores full quality. */
  set on(on: boolean) {
    if (on === this.#on) return;
    this.#on = on;
    this.#begin();
  }

  #begin(): void {
    this.#patience = 1;
    this.#sinceBackMs = NEVER;
    this.#p95Before = NEVER;
    this.#inVain = false;
    this.#go(0);
  }

  /** While true, pictures keep their full quality, whatever time they take. Afterwards pictures are as coarse again as they were before. */
  set suspended(suspended: boolean) {
    this.#suspended = suspended;
    this.#ease();
  }

  get #most(): number {
    return Math.max(0, ...this.#stages.map((stage) => stage.easingSteps(this.isOnGpu())));
  }

  /** Takes the time of a new frame that is timed, in ms; `nowMs` is the current time on any clock. */
  frame(ms: number, nowMs: number): void {
    const passedMs = nowMs - this.#lastMs;
    this.#lastMs = nowMs;
    const onGpu = this.isOnGpu();
    if (onGpu !== (this.#onGpu ?? onGpu)) this.#begin();
    this.#onGpu = onGpu;
    if (!this.#on || this.#suspended || !(passedMs <= PAUSE_MS + ms)) return;
    this.#sinceBackMs += passedMs;
    if (this.#settling > 0) {
      this.#settling--;
      return;
    }
    this.#times.push(ms);
    this.#newest.push(ms);
    if (this.#newest.countAbove(EXCESS * this.budgetMs) === ALL_SLOW && this.#level < this.#most) {
      this.#giveUp(stepsFor(this.#newest.summary().p50Ms / this.budgetMs));
      return;
    }
    if (this.#times.length < ENOUGH) return;
    const { p50Ms, p95Ms } = this.#times.summary();
    const quick = p50Ms < ROOM * this.budgetMs;
    if (p50Ms > BUSY * this.budgetMs) this.#inVain = false;
    else if (quick && p95Ms > Math.max(this.budgetMs, NO_GAIN * this.#p95Before)) this.#inVain = true;
    const isOver = p95Ms > this.budgetMs && !this.#inVain;
    this.#roomMs = quick && !isOver ? this.#roomMs + passedMs : 0;
    const waitMs = PATIENCE_MS * this.#patience;
    if (this.#sinceBackMs > 2 * waitMs && this.#sinceBackMs !== NEVER) {
      this.#patience = Math.max(1, this.#patience / 2);
      this.#sinceBackMs = NEVER;
    }
    if (isOver && this.#level < this.#most) this.#giveUp(1);
    else if (this.#roomMs > waitMs && this.#level > 0) {
      this.#sinceBackMs = 0;
      const fitting = stepsFor((BUSY * this.budgetMs) / p50Ms, Math.floor);
      this.#go(Math.max(0, this.#level - Math.max(1, fitting)));
    }
  }

  /** If steps were taken back before, and that did not last, the next try waits longer. */
  #giveUp(steps: number): void {
    if (this.#sinceBackMs !== NEVER) this.#patience = Math.min(MOST_PATIENCE, this.#patience * 2);
    this.#sinceBackMs = NEVER;
    this.#p95Before = this.#times.summary().p95Ms;
    this.#go(Math.min(this.#most, this.#level + steps));
  }

  /** The quality that is given up at this moment. */
  snapshot(): GovernorSnapshot {
    const givenUp: GivenUp[] = [];
    const says: string[] = [];
    for (const { name, schema, parameters, effective } of this.#stages) {
      for (const [parameter, asked] of Object.entries(parameters)) {
        const used = effective[parameter];
        if (typeof asked !== "number" || typeof used !== "number" || used === asked) continue;
        givenUp.push({ stage: name, parameter, asked, used });
        const words = schema[parameter]?.easing?.says?.(used, asked);
        if (words) says.push(words);
      }
    }
    return { on: this.#on, level: this.#level, most: this.#most, givenUp, says };
  }

  #go(level: number): void {
    this.#level = level;
    this.#times = new Series(KEPT);
    this.#newest = new Series(ALL_SLOW);
    this.#settling = SETTLING;
    this.#roomMs = 0;
    this.#ease();
  }

  #ease(): void {
    for (const stage of this.#stages) stage.ease(this.#suspended ? 0 : this.#level, this.isOnGpu());
  }
}

/** How many steps make frames faster by this factor. */
const stepsFor = (factor: number, round = Math.ceil): number => round(Math.log(factor) / -Math.log(STEP));
