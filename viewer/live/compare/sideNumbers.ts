import { spellSpread } from "../../../measure/reading.ts";
import type { ProcessedFrame } from "../../../pipeline/index.ts";
import type { DepthFrame } from "../../../sources/index.ts";
import { inUnits } from "../../../write/units.ts";
import type { Gauge, Origin, Shown } from "../show/shown.ts";
import type { Comparison } from "./compareSides.ts";
import type { CompareAnswer, CompareRequest, PlainImage } from "./compareWorker.ts";

/** Two frames are compared once in this time, ms. */
const EVERY_MS = 1000;
/** Frames that are farther apart do not count as one scene, ms. */
const APART_MS = 1000;

/** The numbers of both sides, and the unit of their depths in mm. */
export interface MeasuredSides {
  readonly comparison: Comparison;
  readonly mmPerUnit: number;
  /** Whether two frames were compared. Two frames tell noise from relief better than one frame does. */
  readonly pair: boolean;
}

/** A frame, and the origin of numbers that are measured on it. */
interface MeasuredFrame {
  readonly frame: ProcessedFrame;
  readonly origin: Origin;
}

/**
 * Measures raw and filtered depth while the user sees both, or a plot of their numbers: about once a second it reads back two consecutive
 * frames and compares them in a worker; of a frame that stands still, only that frame. Otherwise nothing is read back and nothing runs.
 */
export class SideNumbers {
  readonly #measured: Gauge<MeasuredSides>;
  #worker: Worker | undefined;
  #lastMs = Number.NEGATIVE_INFINITY;
  /** The first frame of a pair, which the worker has got. */
  #first: MeasuredFrame | undefined;
  #isBusy = false;
  /** The origin of the frame that was measured last. */
  #measuredLast: Origin | undefined;

  constructor(
    readonly shown: Shown,
    /** Whether the user sees both sides, or a plot of their numbers. */
    readonly wanted: () => boolean,
    show: (measured: MeasuredSides | undefined) => void,
    /** Gets the numbers with their frame, as soon as they are measured. */
    readonly onMeasured: (measured: MeasuredSides, frame: DepthFrame) => void = () => {},
  ) {
    this.#measured = shown.gauge("moment", show);
  }

  /** Whether the frame on the screen has neither numbers nor a pending answer, so that it has to be handed out again. */
  get isBehind(): boolean {
    const { origin } = this.shown;
    const known = this.#measured.value !== undefined || origin === this.#measuredLast;
    return origin !== undefined && !known && !this.#isBusy && this.wanted();
  }

  /** Call this with every frame when it is handed out. */
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
    // One frame tells less than two, and while frames play the second one will come.
    if (!follows && this.#measured.value?.pair && this.shown.player.playing) return;
    const measured = { comparison: answer, mmPerUnit, pair: follows };
    if (this.#measured.holds(origin)) this.onMeasured(measured, origin.frame);
    this.#measured.put(origin, measured);
  }

  async #measure(
    frame: ProcessedFrame,
    origin: Origin,
    about: Pick<CompareRequest, "mmPerUnit" | "follows">,
  ): Promise<CompareAnswer | undefined> {
    const before = this.#measuredLast;
    const { source, shape } = frame;
    // Depth may be matched from the pair, in the place of the camera's.
    const reading = source.pair ? frame.readRaw() : inUnits(source, shape.metresPerUnit);
    const [raw, filtered] = await Promise.all([reading, frame.readDepth()]).catch(() => []);
    if (!raw || !filtered) return undefined;
    this.#measuredLast = origin;
    const images = { raw: plain(raw), filtered: plain(filtered) };
    const cameras = { sensorCamera: source.intrinsics, filteredCamera: shape.intrinsics };
    return this.#compare({ ...images, ...cameras, ...about, begins: !before || !alike(before, origin) });
  }

  #compare(request: CompareRequest): Promise<CompareAnswer | undefined> {
    this.#worker ??= new Worker(new URL("./compareWorker.ts", import.meta.url), { type: "module", name: "numbers" });
    const worker = this.#worker;
    return new Promise((resolve) => {
      worker.onmessage = ({ data }: MessageEvent<CompareAnswer>) => resolve(data);
      worker.onerror = () => {
        // The worker may never have begun; the next question gets another one.
        worker.terminate();
        this.#worker = undefined;
        resolve(undefined);
      };
      worker.postMessage(request);
    });
  }
}

/** Whether two frames come from one source and went through the same filters. */
const alike = (a: Origin, b: Origin): boolean => a.source === b.source && a.settings === b.settings;

function follow(first: MeasuredFrame, { frame, origin }: MeasuredFrame): boolean {
  const { index, timestamp, source } = frame;
  const same = alike(first.origin, origin) && source.depth.data.length === first.frame.source.depth.data.length;
  // A filter with a memory is not steady yet in the first frame: the change from that one would count as noise of filtered depth.
  const isRun = !source.jump && !first.frame.source.jump && index > first.frame.index;
  return same && isRun && timestamp - first.frame.timestamp <= APART_MS;
}

const plain = ({ data, shape: [height, width] }: DepthFrame["depth"]): PlainImage => ({ data, width, height });

const CROPPED =
  "Cropped by lens correction: pixels that have a depth, but lie outside of the image once the lens distortion is undone.";
const SHAPES_KEPT =
  "Small shapes kept: how much the filters left of the bumps and hollows that are taller than the noise and stand in the same place in two raw frames. Some of them may be the sensor’s own error, so less than 100 % need not be a loss.";

/**
 * The texts of both sides, "74.8 % valid, noise 3.2 mm", with the small shapes kept on the filtered side, and an explanation of the words.
 */
export function spellSides({
  comparison: { raw, filtered, over, lost, cut },
  mmPerUnit,
}: Omit<MeasuredSides, "pair">): { raw: string; filtered: string; hint: string } {
  // No-break spaces keep a number with its unit and its word.
  const valid = (share: number) => `${(share * 100).toFixed(1)}\u00a0%\u00a0valid`;
  const off = cut < 0.0005 ? [] : [`${(cut * 100).toFixed(1)}\u00a0%\u00a0cropped\u00a0by lens\u00a0correction`];
  // Rounding to whole units can hide a deviation of this size.
  const least = mmPerUnit / Math.sqrt(12);
  const noise = (x: number | undefined) =>
    x === undefined ? [] : [`noise\u00a0${x < least ? "<\u00a0" : ""}${spellSpread(Math.max(x, least))}\u00a0mm`];
  const kept = lost === undefined ? [] : [`small\u00a0shapes ${((1 - lost) * 100).toFixed(0)}\u00a0%\u00a0kept`];
  const how =
    over === "time"
      ? "Here: its standard deviation from frame to frame, where nothing moves."
      : "Here: its standard deviation from pixel to pixel on smooth surfaces, since the camera moves, the sensor’s steps are coarser than its noise, or there is one frame only.";
  return {
    raw: [valid(raw.validShare), ...noise(raw.noiseMm)].join(", "),
    filtered: [valid(filtered.validShare), ...off, ...noise(filtered.noiseMm), ...kept].join(", "),
    hint: [
      "Valid: the share of the sensor’s own pixels that have a depth.",
      ...(off.length > 0 ? [CROPPED] : []),
      `Noise: how much a pixel’s depth varies. ${how}`,
      ...(lost === undefined ? [] : [SHAPES_KEPT]),
    ].join("\n"),
  };
}
