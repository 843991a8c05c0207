import { firstValueFrom, take, toArray } from "rxjs";
import { depthOf, plainOf } from "../../../core/plainFrame.ts";
import { framesToMeasure, LOOKED_AT } from "../../../pipeline/noise.ts";
import type { Recording } from "../../../sources/index.ts";
import type { Stage } from "../../../stages/core/stage.ts";
import type { NoiseAnswer, NoiseQuestion } from "./noiseWorker.ts";
import type { Player } from "./player.ts";

/** How long the source plays, ms, before its frames are read once more to be measured. */
const AFTER_MS = 700;

/**
 * Measures how noisy the sensor is, once for each source, in a worker: from the frames of a recording that `replay` measures, or from the
 * next frames of a live stream; with a `matcher`, the noise of the depth that it matches from their pairs. Resolves with the noise `null`
 * if it cannot be measured, and with `undefined` if another source was opened meanwhile.
 */
export async function measureNoise(player: Player, matcher?: Stage): Promise<NoiseAnswer | undefined> {
  const { source, recording } = player;
  await new Promise((resolve) => setTimeout(resolve, AFTER_MS));
  if (source !== player.source) return undefined;
  // The player reports frames that cannot be read.
  const measured = await measure(player, recording, matcher).catch(() => ({ noise: null }));
  return source === player.source ? measured : undefined;
}

async function measure({ frames$ }: Player, recording: Recording | null, matcher: Stage | undefined) {
  const frames = recording
    ? await framesToMeasure(recording)
    : await firstValueFrom(frames$.pipe(take(LOOKED_AT), toArray()), { defaultValue: [] });
  const sound = frames.filter(({ fault }) => !fault);
  return inWorker({
    frames: sound.map(matcher ? plainOf : depthOf),
    matcher: matcher && { ...matcher.parameters },
  });
}

/** Without a worker the noise stays unknown. */
async function inWorker(question: NoiseQuestion): Promise<NoiseAnswer> {
  const worker = new Worker(new URL("./noiseWorker.ts", import.meta.url), { type: "module", name: "noise" });
  const answer = new Promise<NoiseAnswer>((resolve) => {
    worker.onmessage = ({ data }: MessageEvent<NoiseAnswer>) => resolve(data);
    worker.onerror = () => resolve({ noise: null });
  });
  worker.postMessage(question);
  return answer.finally(() => worker.terminate());
}
