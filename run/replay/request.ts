import { adapterOf } from "../../pipeline/device/adapter.ts";
import type { Pipeline } from "../../pipeline/index.ts";
import { settingsOf } from "../../pipeline/settingsFile.ts";
import { isRecording, type OpenOptions, type Source } from "../../sources/index.ts";
import { isLivePlace } from "../report/place.ts";
import { recordingIdentity } from "../report/unfinished.ts";
import type { WholeRequest } from "../request.ts";

/** All that the command line says about a run. */
export interface ReplayRequest extends WholeRequest {
  /** The user's name for the recording: its path, a live stream's address, a camera, or "-". */
  readonly recording: string;
  readonly out: string | undefined;
  /** Whether results of an earlier run in `out` may be removed. */
  readonly force: boolean;
  readonly ply: boolean;
  /** The file for the camera's poses. */
  readonly poses?: string | undefined;
  /** How the recording was opened. */
  readonly opening?: OpenOptions | undefined;
  /** Whether the run begins again, in another unit of depth. */
  readonly isAgain?: boolean;
  /** Whether an .mcap file gets unfiltered depth. */
  readonly raw: boolean;
}

/** The files that a replay reads. */
export const inputsOf = ({ recording }: ReplayRequest): string[] => (isLivePlace(recording) ? [] : [recording]);

/** All that decides about a run's results; `undefined` where no later run can go on with them, since frames do not come again. */
export async function identityOf(
  request: ReplayRequest,
  source: Source,
  pipeline: Pipeline,
): Promise<object | undefined> {
  const { recording, opening, policy = "lossless", noise, start, frames, loop, raw, ply, viewSize, orbit } = request;
  if (!isRecording(source) || policy !== "lossless") return undefined;
  const device = pipeline.gpu ? adapterOf(pipeline.gpu) : "cpu";
  const stages = settingsOf(pipeline);
  const more = { noise, start, frames, loop, raw, ply, viewSize, orbit };
  return { ...(await recordingIdentity(recording, source, opening)), stages, device, ...more };
}
