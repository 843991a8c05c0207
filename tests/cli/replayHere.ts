import { replay } from "../../run/replay/replay.ts";
import type { ReplayRequest } from "../../run/replay/request.ts";
import { chooseStages } from "../../run/replay/settings.ts";
import type { Source } from "../../sources/index.ts";

/** What a replay of the median alone on the CPU is asked for. */
export const requestOf = (more: Partial<ReplayRequest> = {}): ReplayRequest => ({
  ...{ recording: "recording", chosen: chooseStages(["median"], undefined), policy: "lossless", loop: 1 },
  ...{ backend: "cpu", adapter: "auto", noise: "off", timeEvery: 1, start: 0, frames: undefined },
  ...{ out: undefined, force: false, ply: false, raw: false, outputs: true, viewSize: undefined, orbit: undefined },
  ...more,
});

/** Replays a source without the command line. */
export function replayHere(source: Source, request: ReplayRequest, warn = (_: string) => {}) {
  return replay(source, request, { warn, note() {}, progress() {}, stop: new AbortController().signal });
}
