import type { Stage } from "../../stages/stage.ts";
import { Series } from "./statistics.ts";

/** Times by which a step is judged: the newest, and at least so many of them. */
const KEPT = 64;
const ENOUGH = 24;
/** Times that are left out after a step: what is built anew is slow at first. */
const SETTLING = 3;
/** Frames farther apart than this have a pause between them, which does not count; nor does the frame after it. ms. */
const PAUSE_MS = 2000;
/** There is room for a step back where p95 has been under this share of the budget for so long, ms. */
const ROOM = 0.7;
const PATIENCE_MS = 4000;
/** A step back that had to be undone is waited for twice as long the next time, up to so many times as long. */
const MOST_PATIENCE = 32;
const NEVER = Number.POSITIVE_INFINITY;

/** One number that is not what it was set to. */
export interface GivenUp {
  readonly stage: string;
  readonly parameter: string;
  readonly asked: number;
  readonly used: number;
}

export interface GovernorSnapshot {
  readonly on: boolean;
  /** Steps of quality that are given up, and how many there are. */
  readonly level: number;
  readonly most: number;
  readonly givenUp: readonly GivenUp[];
}

type Governed = Pick<Stage, "name" | "role" | "parameters" | "inForce" | "easingSteps" | "ease">;

/**
 * Keeps frames within their budget. Where p95 of their times passes it, the stages that make pictures give up a step of quality, in
 * the order that their schemas say; where there has been room for a while they take one back. What is measured is never touched.
 *
 *     p95 over the budget        a step given up, and a new judgement by the times after it
 *     under 70% of it for 4 s    a step taken back; if that is soon undone, 8 s the next time, then 16
 */
export class Governor {
  readonly #stages: readonly Governed[];
  #on: boolean;
  /** Where the times are from. */
  #onGpu: boolean | undefined;
  #level = 0;
  #times = new Series(KEPT);
  #settling = 0;
  #lastMs = Number.NEGATIVE_INFINITY;
  /** How long there has been room, and how long ago a step was taken back of which it is not known yet if it lasts: ms without pauses. */
  #roomMs = 0;
  #sinceBackMs = NEVER;
  #patience = 1;

  /** `isOnGpu` says where pictures are made now: a CPU gives up more than a GPU, and may take its place. */
  constructor(
    stages: readonly Governed[],
    readonly budgetMs: number,
    on = false,
    readonly isOnGpu = () => false,
  ) {
    this.#on = on;
    this.#stages = stages.filter(({ role }) => role === "picture");
  }

  get on(): boolean {
    return this.#on;
  }

  /** Off, nothing is given up. */
  set on(on: boolean) {
    if (on === this.#on) return;
    this.#on = on;
    this.#begin();
  }

  #begin(): void {
    this.#patience = 1;
    this.#sinceBackMs = NEVER;
    this.#go(0);
  }

  get #most(): number {
    return Math.max(0, ...this.#stages.map((stage) => stage.easingSteps(this.isOnGpu())));
  }

  /** Takes a new frame's time; `nowMs` says when, on any clock. */
  frame(ms: number, nowMs: number): void {
    const passedMs = nowMs - this.#lastMs;
    this.#lastMs = nowMs;
    const onGpu = this.isOnGpu();
    if (onGpu !== (this.#onGpu ?? onGpu)) this.#begin();
    this.#onGpu = onGpu;
    if (!this.#on || !(passedMs <= PAUSE_MS)) return;
    this.#sinceBackMs += passedMs;
    if (this.#settling > 0) {
      this.#settling--;
      return;
    }
    this.#times.push(ms);
    if (this.#times.length < ENOUGH) return;
    const { p95Ms } = this.#times.summary();
    this.#roomMs = p95Ms < ROOM * this.budgetMs ? this.#roomMs + passedMs : 0;
    const waitMs = PATIENCE_MS * this.#patience;
    if (this.#sinceBackMs > 2 * waitMs && this.#sinceBackMs !== NEVER) {
      this.#patience = Math.max(1, this.#patience / 2);
      this.#sinceBackMs = NEVER;
    }
    if (p95Ms > this.budgetMs && this.#level < this.#most) {
      if (this.#sinceBackMs !== NEVER) this.#patience = Math.min(MOST_PATIENCE, this.#patience * 2);
      this.#sinceBackMs = NEVER;
      this.#go(this.#level + 1);
    } else if (this.#roomMs > waitMs && this.#level > 0) {
      this.#sinceBackMs = 0;
      this.#go(this.#level - 1);
    }
  }

  snapshot(): GovernorSnapshot {
    const givenUp = this.#stages.flatMap(({ name, parameters, inForce }) =>
      Object.entries(parameters).flatMap(([parameter, asked]) => {
        const used = inForce[parameter];
        const same = typeof asked !== "number" || typeof used !== "number" || used === asked;
        return same ? [] : [{ stage: name, parameter, asked, used }];
      }),
    );
    return { on: this.#on, level: this.#level, most: this.#most, givenUp };
  }

  #go(level: number): void {
    this.#level = level;
    this.#times = new Series(KEPT);
    this.#settling = SETTLING;
    this.#roomMs = 0;
    for (const stage of this.#stages) stage.ease(level, this.isOnGpu());
  }
}
