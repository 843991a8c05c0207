import type { Pipeline, PipelineOptions, Policy } from "../../pipeline/index.ts";
import type { FrameShape } from "../../sources/frame.ts";
import { isAddress } from "../../sources/index.ts";
import type { LiveDocument } from "./liveWatch.ts";
import type { OutputLog } from "./outputLog.ts";
import type { ChosenStages } from "./settings.ts";
import type { Orbit, Size } from "./view.ts";

/** All that the command line says of how to run. */
export interface ReplayRequest extends Required<Pick<PipelineOptions, "backend" | "adapter" | "timeEvery">> {
  /** What the user calls the recording: its path, or a live stream's address. */
  readonly recording: string;
  readonly chosen: ChosenStages;
  /** "auto": the sigmas of the stages that nobody has set come from the first frames. */
  readonly noise: "auto" | "off";
  readonly policy: Policy;
  readonly start: number;
  readonly frames: number | undefined;
  readonly loop: number;
  readonly out: string | undefined;
  /** Whether `out` may be a folder with results of an earlier run, which goes. */
  readonly force: boolean;
  readonly ply: boolean;
  /** Whether an .mcap file gets depth as it came, not filtered. */
  readonly raw: boolean;
  /** Whether every frame's outputs are wanted (`--json`), not only how long it took. */
  readonly outputs: boolean;
  readonly viewSize: Size | undefined;
  readonly orbit: Orbit | undefined;
}

/** The files that a replay reads. */
export const inputsOf = ({ recording }: ReplayRequest): string[] => (isAddress(recording) ? [] : [recording]);

/** How a replay talks to whoever started it. */
export interface ReplayListener {
  warn(line: string): void;
  /** `of` is Infinity for a source without an end. */
  progress(done: number, of: number): void;
  /** Aborted to stop cleanly: the frames in flight are finished, no further one is begun. */
  readonly stop: AbortSignal;
}

/** What was done, also when it ended early. */
export interface ReplayResult {
  readonly format: string;
  /** Nominal, of the source. */
  readonly fps: number;
  /** Of the first frame; `null` if there was none. */
  readonly shape: FrameShape | null;
  /** Frames that ran and had no valid pixel. */
  readonly empty: number;
  /** Its statistics are over every timed frame of this replay. */
  readonly pipeline: Pipeline;
  readonly outputs: OutputLog;
  /** Frames of which all is done, and written where it is to be. */
  readonly done: number;
  /** How the stream fared, of a live one. */
  readonly live: LiveDocument | null;
  /** Why it ended before the end of the source, if it did. */
  readonly error: unknown;
}
