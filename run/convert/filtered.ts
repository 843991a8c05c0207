import type { RecordedSource } from "../../sources/index.ts";
import { countFrom } from "../replay/frames.ts";
import type { RunRequest } from "../request.ts";
import { firstLook } from "../run.ts";
import { runInto } from "../runInto.ts";
import { Unreadable, watchedPart } from "../unreadable.ts";
import { type ConvertListener, type ConvertRequest, checkCuts, convert } from "./convert.ts";

/**
 * Converts a recording as `convert` does, with filtered depth, as `replay` filters it. Each frame runs through the filters once and in
 * order, so a stopped conversion begins again. All results have one unit, so frames that outgrow it begin them again, too.
 */
export async function convertFiltered(
  recording: RecordedSource,
  request: ConvertRequest,
  filters: Pick<RunRequest, "chosen" | "backend" | "adapter" | "noise">,
  listener: ConvertListener,
): ReturnType<typeof convert> {
  const { start } = request;
  const count = countFrom(recording, start, request.frames);
  const { unreadable = new Unreadable() } = listener;
  const running = { warn() {}, note() {}, progress() {}, stop: listener.signal };
  const first = await firstLook(recording, filters.chosen, { ...running, warn: (line) => listener.warn?.(line) });
  const part = watchedPart(recording, { start, count }, unreadable);
  // The part's own frames are counted from 0.
  const { lerobot } = request;
  checkCuts(lerobot?.cuts ?? [], start, count);
  const own = lerobot && { ...lerobot, cuts: lerobot.cuts.map((cut) => cut - start) };
  const whole = { ...request, start: 0, frames: undefined, ...(own && { lerobot: own }) };
  const write = (filtered: RecordedSource) => convert(filtered, whole, { ...listener, unreadable });
  const { written } = await runInto(part, { ...filters, first, frames: undefined }, running, write, start);
  return written;
}
