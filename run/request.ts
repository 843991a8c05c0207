import type { DepthFrame, FrameShape } from "../core/frame.ts";
import type { Orbit, Size } from "../core/view.ts";
import type { Pipeline, PipelineOptions, Policy } from "../pipeline/index.ts";
import type { Noise } from "../stages/core/noise.ts";
import type { LiveDocument } from "./replay/liveWatch.ts";
import type { OutputLog } from "./replay/outputLog.ts";
import type { ChosenStages } from "./replay/settings.ts";

/** What a recording's first frames say of all of its frames, whichever of them are played. */
export interface FirstLook {
  /** The frame whose range decides the unit of depth. */
  readonly frame: DepthFrame | undefined;
  readonly noise: Noise | undefined;
  /** Whether one of them has colour: the very first may lack it. */
  readonly hasColour?: boolean;
}

/** The stages of a run, its device, and which frames it takes. */
export interface RunRequest extends Required<Pick<PipelineOptions, "backend" | "adapter">> {
  readonly chosen: ChosenStages;
  /** "auto": parameters that the user has not set come from the noise of the first frames. */
  readonly noise: "auto" | "off";
  /** What `firstLook` (run.ts) found; default: the run looks itself, where it has to know. */
  readonly first?: FirstLook;
  /** Default: "lossless". */
  readonly policy?: Policy;
  /** The first frame of a recording; default: 0. */
  readonly start?: number;
  /** The most frames; default: all. */
  readonly frames: number | undefined;
  /** How often a recording runs; default: once. */
  readonly loop?: number;
  /** Whether a frame that a recording cannot read ends the run; default: it is left out. */
  readonly isStrict?: boolean;
  /** Default: every 30th. */
  readonly timeEvery?: number;
  /** Whether the results of every frame are wanted in the log, not only times. */
  readonly outputs?: boolean;
  readonly viewSize?: Size | undefined;
  readonly orbit?: Orbit | undefined;
}

/** A request with its defaults. */
export type WholeRequest = RunRequest &
  Required<Pick<RunRequest, "policy" | "start" | "loop" | "timeEvery" | "outputs">>;

/** How a run reports to its caller. */
export interface RunListener {
  /** Called when something is amiss, and the run goes on. */
  warn(line: string): void;
  /** The choices that the run made by itself; `option` names the option that decides about them, if one does. */
  note(line: string, option?: "noise"): void;
  /** `done` frames have been handled, and written if asked for; `of` is Infinity for a source without an end. */
  progress(done: number, of: number): void;
  /** Aborting it stops cleanly: the frames in flight are finished, no further one begins. */
  readonly stop: AbortSignal;
}

/** In how many frames the camera stood, moved or was lost, and in how many of these `toWorld` began anew, as the report tells. */
export interface CameraCounts {
  still: number;
  moved: number;
  lost: number;
  anew: number;
}

/** The result of a run, also of one that ended early. */
export interface RunResult {
  readonly format: string;
  /** Absent where no stage found poses, or nobody asked for results. */
  readonly camera?: CameraCounts | undefined;
  /** The source's nominal frames per second. */
  readonly fps: number;
  /** From the first frame; `null` if there was none. */
  readonly shape: FrameShape | null;
  /** The unit of filtered depth; `null` if there was no frame. */
  readonly metresPerUnit: number | null;
  /** The number of processed frames without a valid pixel. */
  readonly empty: number;
  /** Its statistics contain every timed frame of this run. */
  readonly pipeline: Pipeline;
  readonly outputs: OutputLog;
  /** The number of frames completely handled, and written if asked for. */
  readonly done: number;
  /** How many frames could not be read, and were left out. */
  readonly unreadable: number;
  /** The report of a live stream; `null` for a recording. */
  readonly live: LiveDocument | null;
  /** Whether the run came to the source's end. If not, its files keep the name that they have while they are written, OUT.partial. */
  readonly isWhole: boolean;
  /** The error that ended the run before the end of the source, if any. */
  readonly error: unknown;
}
