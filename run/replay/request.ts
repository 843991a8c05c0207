import type { FrameShape } from "../../core/frame.ts";
import type { Orbit, Size } from "../../core/view.ts";
import type { Pipeline, PipelineOptions, Policy } from "../../pipeline/index.ts";
import { isLivePlace } from "../report/place.ts";
import type { LiveDocument } from "./liveWatch.ts";
import type { OutputLog } from "./outputLog.ts";
import type { ChosenStages } from "./settings.ts";

/** All that the command line says about a run. */
export interface ReplayRequest extends Required<Pick<PipelineOptions, "backend" | "adapter" | "timeEvery">> {
  /** The user's name for the recording: its path, a live stream's address, a camera, or "-". */
  readonly recording: string;
  readonly chosen: ChosenStages;
  /** "auto": parameters that the user has not set come from the noise of the first frames. */
  readonly noise: "auto" | "off";
  readonly policy: Policy;
  readonly start: number;
  readonly frames: number | undefined;
  readonly loop: number;
  readonly out: string | undefined;
  /** Whether results of an earlier run in `out` may be removed. */
  readonly force: boolean;
  readonly ply: boolean;
  /** The file for the camera's poses. */
  readonly poses?: string | undefined;
  /** Whether an .mcap file gets unfiltered depth. */
  readonly raw: boolean;
  /** Whether the results of every frame are wanted (`--json`), not only times. */
  readonly outputs: boolean;
  readonly viewSize: Size | undefined;
  readonly orbit: Orbit | undefined;
}

/** The files that a replay reads. */
export const inputsOf = ({ recording }: ReplayRequest): string[] => (isLivePlace(recording) ? [] : [recording]);

/** How a replay reports to its caller. */
export interface ReplayListener {
  /** Something is amiss, and the run goes on. */
  warn(line: string): void;
  /** The choices that the run made by itself. */
  note(line: string): void;
  /** `done` frames have been handled, and written if asked for; `of` is Infinity for a source without an end. */
  progress(done: number, of: number): void;
  /** Aborting it stops cleanly: the frames in flight are finished, no further one begins. */
  readonly stop: AbortSignal;
}

/** In how many frames the camera stood, moved or was lost, as the report tells. */
export interface CameraCounts {
  still: number;
  moved: number;
  lost: number;
}

/** The result of a replay, also of one that ended early. */
export interface ReplayResult {
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
  /** Its statistics contain every timed frame of this replay. */
  readonly pipeline: Pipeline;
  readonly outputs: OutputLog;
  /** The number of frames completely handled, and written if asked for. */
  readonly done: number;
  /** The report of a live stream; `null` for a recording. */
  readonly live: LiveDocument | null;
  /** Whether the run came to the source's end: results that are not whole keep the name that files have meanwhile, OUT.partial. */
  readonly isWhole: boolean;
  /** The error that ended the replay before the end of the source, if any. */
  readonly error: unknown;
}
