import { firstValueFrom, take, toArray } from "rxjs";
import { depthOf, plainOf } from "../../../core/plainFrame.ts";
import { framesToMeasure, LOOKED_AT } from "../../../pipeline/noise.ts";
import type { DepthFrame, Recording } from "../../../sources/index.ts";
import type { Stage } from "../../../stages/core/stage.ts";
import type { MeasuredNoise, NoiseAnswer, NoiseQuestion } from "./noiseWorker.ts";
import type { Player } from "./player.ts";

/** How long the source plays, ms, before its frames are read once more to be measured. */
const AFTER_MS = 700;

/**
 * Measures how noisy the sensor is, once for each source, in a worker: from the frames of a recording that `replay` measures, or from the
 * next frames of a live stream; with a `matcher`, the noise of the depth that it matches from their pairs. Resolves with `null` if the
 * noise cannot be measured, and with `undefined` if another source was opened meanwhile.
 */
export async function measureNoise(player: Player, matcher?: Stage): Promise<MeasuredNoise | undefined> {
  const { source, recording } = player;
  await new Promise((resolve) => setTimeout(resolve, AFTER_MS));
  if (source !== player.source) return undefined;
  // The player reports frames that cannot be read.
  const measured = await measure(player, recording, matcher).catch(() => null);
  return source === player.source ? measured : undefined;
}

async function measure(
  { frames$ }: Player,
  recording: Recording | null,
  matcher: Stage | undefined,
): Promise<MeasuredNoise> {
  const frames = recording
    ? await framesToMeasure(recording)
    : await firstValueFrom(frames$.pipe(take(LOOKED_AT), toArray()), { defaultValue: [] });
  const sound = frames.filter(({ fault }) => !fault);
  return await inWorker({
    frames: sound.map(matcher ? plainOf : depthOf),
    matcher: matcher && { ...matcher.parameters },
  });
}

/** Measures, in the worker, the noise that the filters are to follow. */
export const noiseElsewhere = async (frames: readonly DepthFrame[], isKnown: boolean) =>
  (await inWorker({ frames: frames.map(depthOf), isKnown }).catch(() => null)) ?? undefined;

let worker: Worker | undefined;
let asked = 0;
const waiting = new Map<number, (noise: MeasuredNoise) => void>();

/** Asks the page's one worker for noise. Without a worker the noise stays unknown. */
async function inWorker(question: Omit<NoiseQuestion, "id">): Promise<MeasuredNoise> {
  worker ??= start();
  const id = asked++;
  const answer = new Promise<MeasuredNoise>((resolve) => waiting.set(id, resolve));
  worker.postMessage({ ...question, id } satisfies NoiseQuestion);
  return answer;
}

function start(): Worker {
  const made = new Worker(new URL("./noiseWorker.ts", import.meta.url), { type: "module", name: "noise" });
  const answer = (id: number, noise: MeasuredNoise) => {
    waiting.get(id)?.(noise);
    waiting.delete(id);
  };
  made.addEventListener("message", ({ data: { id, noise } }: MessageEvent<NoiseAnswer>) => answer(id, noise));
  made.addEventListener("error", () => {
    for (const id of waiting.keys()) answer(id, null);
  });
  return made;
}
