import type { ProcessedFrame } from "../../../pipeline/index.ts";
import type { Gauge, Origin, Shown } from "../show/shown.ts";
import type { Comparison } from "./compareSides.ts";
import type { CompareAnswer, CompareRequest, PlainImage } from "./compareWorker.ts";

/** So often two frames are compared, ms. */
const EVERY_MS = 1000;
/** Frames that are farther apart are not of one scene any more, ms. */
const APART_MS = 1000;

/** What was measured, in units of so many mm. */
export interface MeasuredSides {
  readonly comparison: Comparison;
  readonly mmPerUnit: number;
  /** Of two frames, which tell more than one. */
  readonly pair: boolean;
}

/** A frame and what is measured on it belongs to. */
interface MeasuredFrame {
  readonly frame: ProcessedFrame;
  readonly origin: Origin;
}

/**
 * Measures raw against filtered depth while somebody looks at both: two frames, one after the other, about once a second, read back
 * from where they are and compared in a worker; of a frame that stands still, that frame. Nothing is read and nothing runs while
 * nobody asks.
 */
export class SideNumbers {
  readonly #measured: Gauge<MeasuredSides>;
  #worker: Worker | undefined;
  #lastMs = Number.NEGATIVE_INFINITY;
  /** The first of two, handed to the worker. */
  #first: MeasuredFrame | undefined;
  #isBusy = false;
  /** The origin of the frame that was measured last. */
  #measuredLast: Origin | undefined;

  constructor(
    readonly shown: Shown,
    /** Whether anybody looks. */
    readonly wanted: () => boolean,
    show: (measured: MeasuredSides | undefined) => void,
  ) {
    this.#measured = shown.gauge("moment", show);
  }

  /** Nothing is known of what is on the screen, and no answer is on its way: the frame has to be handed out once more. */
  get isBehind(): boolean {
    const { origin } = this.shown;
    const known = this.#measured.value !== undefined || origin === this.#measuredLast;
    return origin !== undefined && !known && !this.#isBusy && this.wanted();
  }

  /** To be called with every frame when it is handed out. */
  async take(frame: ProcessedFrame, origin: Origin, nowMs = performance.now()): Promise<void> {
    if (this.#isBusy || !this.wanted() || this.#measured.origin === origin) return;
    const follows = this.#first !== undefined && follow(this.#first, { frame, origin });
    if (!follows && this.#measured.value && nowMs - this.#lastMs < EVERY_MS) return;
    this.#isBusy = true;
    this.#lastMs = nowMs;
    this.#first = follows ? undefined : { frame, origin };
    const mmPerUnit = frame.shape.metresPerUnit * 1000;
    const answer = await this.#measure(frame, origin, { mmPerUnit, follows });
    this.#isBusy = false;
    if (!answer || "error" in answer) return;
    // Of one frame less can be said than of two, which will come if frames do.
    if (!follows && this.#measured.value?.pair && this.shown.player.playing) return;
    this.#measured.put(origin, { comparison: answer, mmPerUnit, pair: follows });
  }

  async #measure(
    frame: ProcessedFrame,
    origin: Origin,
    about: Pick<CompareRequest, "mmPerUnit" | "follows">,
  ): Promise<CompareAnswer | undefined> {
    const before = this.#measuredLast;
    const filtered = await frame.readDepth().catch(() => undefined);
    if (!filtered) return undefined;
    this.#measuredLast = origin;
    const images = { raw: plain(frame.source.depth), filtered: plain(filtered) };
    const cameras = { sensorCamera: frame.source.intrinsics, filteredCamera: frame.shape.intrinsics };
    return this.#compare({ ...images, ...cameras, ...about, begins: !before || !alike(before, origin) });
  }

  #compare(request: CompareRequest): Promise<CompareAnswer | undefined> {
    this.#worker ??= new Worker(new URL("./compareWorker.ts", import.meta.url), { type: "module", name: "numbers" });
    const worker = this.#worker;
    return new Promise((resolve) => {
      worker.onmessage = ({ data }: MessageEvent<CompareAnswer>) => resolve(data);
      worker.onerror = () => resolve(undefined);
      worker.postMessage(request);
    });
  }
}

/** Frames of one source, filtered alike. */
const alike = (a: Origin, b: Origin): boolean => a.source === b.source && a.settings === b.settings;

function follow(first: MeasuredFrame, { frame, origin }: MeasuredFrame): boolean {
  const { index, timestamp, source } = frame;
  const same = alike(first.origin, origin) && source.depth.data.length === first.frame.source.depth.data.length;
  return same && !source.jump && index > first.frame.index && timestamp - first.frame.timestamp <= APART_MS;
}

const plain = ({ data, shape: [height, width] }: ProcessedFrame["source"]["depth"]): PlainImage => ({
  data,
  width,
  height,
});

const CUT_OFF = "Cut off: pixels that have a depth, but lie outside of the image once the lens distortion is undone.";
const RELIEF_KEPT =
  "Relief kept: how much the filters left of the small bumps and hollows that are taller than the noise and stand in the same place in two raw frames. Some of them may be the sensor’s own error, so less than 100 % need not be a loss.";

/** "74.8 % valid · noise 3.2 mm", and of the filtered side how much of the relief it kept; with what these words mean. */
export function spellSides({
  comparison: { raw, filtered, over, lost, cut },
  mmPerUnit,
}: Omit<MeasuredSides, "pair">): {
  raw: string;
  filtered: string;
  hint: string;
} {
  // A figure stays in one piece where there is room for half of the line.
  const valid = (share: number) => `${(share * 100).toFixed(1)}\u00a0%\u00a0valid`;
  const off = cut < 0.0005 ? [] : [`${(cut * 100).toFixed(1)}\u00a0%\u00a0cut\u00a0off`];
  // What comes in whole units can be off by that much where it shows no change.
  const least = mmPerUnit / Math.sqrt(12);
  const mm = (x: number) => (x < 9.95 ? x.toFixed(x < 0.095 ? 2 : 1) : x.toFixed(0));
  const noise = (x: number | undefined) =>
    x === undefined ? [] : [x < least ? `noise\u00a0<\u00a0${mm(least)}\u00a0mm` : `noise\u00a0${mm(x)}\u00a0mm`];
  const kept = lost === undefined ? [] : [`${((1 - lost) * 100).toFixed(0)}\u00a0%\u00a0of\u00a0relief\u00a0kept`];
  const how =
    over === "time"
      ? "It is the standard deviation of a pixel’s depth from frame to frame, where nothing moves."
      : "It is the standard deviation of depth from pixel to pixel on smooth surfaces, since the camera moves or there is one frame only.";
  return {
    raw: [valid(raw.validShare), ...noise(raw.noiseMm)].join(" · "),
    filtered: [valid(filtered.validShare), ...off, ...noise(filtered.noiseMm), ...kept].join(" · "),
    hint: [
      "Valid: the share of the sensor’s own pixels that have a depth.",
      ...(off.length > 0 ? [CUT_OFF] : []),
      `Noise: how much depth wavers. ${how}`,
      ...(lost === undefined ? [] : [RELIEF_KEPT]),
    ].join("\n"),
  };
}
