import { matcherOf } from "../../pipeline/pair.ts";
import type { Source } from "../../sources/index.ts";
import { uninterrupted } from "../report/failure.ts";
import { openPlace, type PlaceOptions } from "../report/place.ts";
import type { RunListener, RunResult } from "../request.ts";
import { run } from "../run.ts";
import { outputOf } from "./outputs.ts";
import { PoseFile } from "./poseFile.ts";
import type { ReplayRequest } from "./request.ts";

/** Opens the recording or live stream of a request, and replays it. */
export async function replayRecording(
  request: ReplayRequest,
  open: PlaceOptions,
  listener: RunListener,
): Promise<RunResult> {
  // Checks `--out` before anything is opened.
  await destinationsOf(request);
  const { recording: place, chosen } = request;
  // Nobody else looks at the pair.
  const pair = matcherOf(chosen.stages) !== undefined;
  const { stop: signal } = listener;
  const recording = await uninterrupted(signal, () => openPlace(place, { ...open, pair, signal }));
  try {
    return await replay(recording, { ...request, opening: open }, listener);
  } finally {
    await recording.close();
  }
}

/** Runs a source's frames through the stages into the places that the request names. Throws as `run` does. */
export const replay = (source: Source, request: ReplayRequest, listener: RunListener): Promise<RunResult> =>
  // A run that begins again replaces the results of its first attempt.
  run(source, request, listener, (isAgain) => destinationsOf({ ...request, isAgain }));

const destinationsOf = async (request: ReplayRequest) => ({
  output: await outputOf(request),
  poses: await PoseFile.check(request),
});
