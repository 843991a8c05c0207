import type { ProcessedFrame } from "../../../pipeline/index.ts";
import type { Comparison } from "./measure.ts";
import type { Answer, Asked, Plain } from "./worker.ts";

/** So often two frames are compared, ms. */
const EVERY_MS = 1000;
/** Frames that are farther apart are not of one scene any more, ms. */
const APART_MS = 1000;

/**
 * Measures raw against filtered depth while somebody looks at both: two frames, one after the other, about once a second, read back
 * from where they are and compared in a worker. Nothing is read and nothing runs while nobody asks.
 */
export class Numbers {
  #worker: Worker | undefined;
  #lastMs = Number.NEGATIVE_INFINITY;
  /** The first of two, handed to the worker. */
  #first: ProcessedFrame | undefined;
  #waits = false;
  /** Something is shown of this scene. */
  #shown = false;
  #begins = true;
  /** Counts the scenes: what comes back of one says nothing of the next. */
  #scene = 0;

  constructor(
    /** Whether anybody looks. */
    readonly wanted: () => boolean,
    readonly playing: () => boolean,
    readonly show: (comparison: Comparison | undefined, mmPerUnit: number) => void,
  ) {}

  /** Another scene: what is known is of the one before. */
  begin(): void {
    this.#scene++;
    this.#first = undefined;
    this.#lastMs = Number.NEGATIVE_INFINITY;
    this.#shown = false;
    this.#begins = true;
    this.show(undefined, 1);
  }

  /** To be called with every frame when it is handed out. */
  async take(frame: ProcessedFrame, nowMs = performance.now()): Promise<void> {
    const first = this.#first;
    if (this.#waits || !this.wanted() || (!first && nowMs - this.#lastMs < EVERY_MS)) return;
    const follows = first !== undefined && follow(first, frame);
    this.#waits = true;
    this.#lastMs = nowMs;
    this.#first = follows ? undefined : frame;
    const scene = this.#scene;
    const mmPerUnit = frame.shape.metresPerUnit * 1000;
    const filtered = await frame.readDepth().catch(() => undefined);
    let answer: Answer | undefined;
    if (filtered && scene === this.#scene) {
      const begins = this.#begins;
      this.#begins = false;
      const images = { raw: plain(frame.source.depth), filtered: plain(filtered) };
      answer = await this.#ask({ ...images, mmPerUnit, follows, begins });
    }
    this.#waits = false;
    if (!answer || "error" in answer || scene !== this.#scene) return;
    // Of one frame less can be said than of two, which will come if frames do.
    if (!follows && this.#shown && this.playing()) return;
    this.#shown = true;
    this.show(answer, mmPerUnit);
  }

  #ask(asked: Asked): Promise<Answer | undefined> {
    this.#worker ??= new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "numbers" });
    const worker = this.#worker;
    return new Promise((resolve) => {
      worker.onmessage = ({ data }: MessageEvent<Answer>) => resolve(data);
      worker.onerror = () => resolve(undefined);
      worker.postMessage(asked);
    });
  }
}

function follow(first: ProcessedFrame, { index, timestamp, source }: ProcessedFrame): boolean {
  const same = source.depth.data.length === first.source.depth.data.length && !source.jump;
  return same && index > first.index && timestamp - first.timestamp <= APART_MS;
}

const plain = ({ data, shape: [height, width] }: ProcessedFrame["source"]["depth"]): Plain => ({ data, width, height });

/** "74.8 % valid · noise 3.2 mm", and of the filtered side what was lost. */
export function spellSides(
  { raw, filtered, over, lost }: Comparison,
  mmPerUnit: number,
): { raw: string; filtered: string; hint: string } {
  // A figure stays in one piece where there is room for half of the line.
  const valid = (share: number) => `${(share * 100).toFixed(1)}\u00a0%\u00a0valid`;
  // What comes in whole units can be off by that much where it shows no change.
  const least = mmPerUnit / Math.sqrt(12);
  const mm = (x: number) => (x < 9.95 ? x.toFixed(x < 0.095 ? 2 : 1) : x.toFixed(0));
  const noise = (x: number | undefined) =>
    x === undefined ? [] : [x < least ? `noise\u00a0<\u00a0${mm(least)}\u00a0mm` : `noise\u00a0${mm(x)}\u00a0mm`];
  const gone = lost === undefined ? [] : [`${(lost * 100).toFixed(0)}\u00a0%\u00a0detail\u00a0lost`];
  const how =
    over === "time"
      ? "from frame to frame, of what is still"
      : "from pixel to pixel on smooth surfaces: the camera moves, or there is one frame";
  return {
    raw: [valid(raw.validShare), ...noise(raw.noiseMm)].join(" · "),
    filtered: [valid(filtered.validShare), ...noise(filtered.noiseMm), ...gone].join(" · "),
    hint: `Noise: standard deviation ${how}. Detail lost: of the relief that stands out of the noise and that two raw frames have in common, the share that filtered depth no longer has.`,
  };
}
