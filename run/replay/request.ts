import { isLivePlace } from "../report/place.ts";
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
  /** Whether an .mcap file gets unfiltered depth. */
  readonly raw: boolean;
}

/** The files that a replay reads. */
export const inputsOf = ({ recording }: ReplayRequest): string[] => (isLivePlace(recording) ? [] : [recording]);
