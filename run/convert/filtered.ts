import { createPipeline } from "../../pipeline/index.ts";
import { framesToMeasure } from "../../pipeline/noise.ts";
import type { RecordedSource } from "../../sources/index.ts";
import { FrameSource } from "../batch/job/frames.ts";
import type { ChosenStages } from "../replay/settings.ts";
import { inOneUnit } from "../replay/unitWatch.ts";
import type { RunRequest } from "../request.ts";
import { type ConvertListener, type ConvertRequest, convert } from "./convert.ts";

/** What filters a recording on its way into a file. */
export interface Filtering extends Pick<RunRequest, "backend" | "adapter" | "noise"> {
  /** Makes the filters anew, without memory. */
  choose(): ChosenStages;
}

/**
 * Converts a recording as `convert` does, with filtered depth, as `replay` filters it. Each frame runs through the filters once and in
 * order, so what was stopped begins again; and all results have one unit, so frames that outgrow it begin them again, too.
 */
export async function convertFiltered(
  recording: RecordedSource,
  request: ConvertRequest,
  { choose, backend, adapter, noise }: Filtering,
  listener: ConvertListener,
): ReturnType<typeof convert> {
  const { start, frames = Infinity } = request;
  const count = Math.min(frames, recording.length - start);
  // Says what is wrong with the start.
  if (count <= 0) return convert(recording, request, listener);
  const [first] = await framesToMeasure(recording);
  return inOneUnit(first, async (unitFrom) => {
    const { stages } = choose();
    const pipeline = await createPipeline({ stages, backend, adapter, noise: noise === "auto" ? "follow" : "none" });
    let lost: Error | undefined;
    const watcher = {
      see() {},
      lost(error: Error) {
        lost ??= error;
      },
    };
    const source = new FrameSource(recording, { start, count }, pipeline, watcher, unitFrom);
    const filtered: RecordedSource = {
      ...recording,
      length: count,
      read: (index) => source.read(index),
      timestampOf: (index) => recording.timestampOf(start + index),
    };
    try {
      const done = await convert(filtered, { ...request, start: 0, frames: undefined }, listener);
      return lost
        ? { ...done, lost: [...done.lost, `frames that cannot be read are left out: ${lost.message}`] }
        : done;
    } finally {
      await source.close();
      await pipeline.destroy();
    }
  });
}
