import { firstValueFrom, take, toArray } from "rxjs";
import { buffersOf, depthOf, plainOf } from "../../../core/plainFrame.ts";
import { framesToMeasure, LOOKED_AT } from "../../../pipeline/noise.ts";
import type { DepthFrame, Recording } from "../../../sources/index.ts";
import type { FoundNoise } from "../../../stages/core/noise.ts";
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
  const { noise } = await inWorker({
    frames: sound.map(matcher ? plainOf : depthOf),
    matcher: matcher && { ...matcher.parameters },
  });
  return noise;
}

/** Measures, in the worker, the noise that the filters are to follow: see `NoiseFollower.elsewhere`. */
export async function noiseElsewhere(frames: readonly DepthFrame[], isKnown: boolean): Promise<FoundNoise | undefined> {
  const plain = frames.map(depthOf);
  const answer = await inWorker({ frames: plain, isKnown }, plain.flatMap(buffersOf)).catch(() => undefined);
  answer?.frames.forEach(({ depth }, i) => {
    frames[i].depth.data = depth;
  });
  return answer?.noise ?? undefined;
}

let worker: Worker | undefined;
let asked = 0;
const waiting = new Map<number, (answer: Omit<NoiseAnswer, "id">) => void>();

/** Asks the page's one worker for noise. Without a worker the noise stays unknown. */
async function inWorker(question: Omit<NoiseQuestion, "id">, transfer: ArrayBuffer[] = []) {
  worker ??= start();
  const id = asked++;
  const answer = new Promise<Omit<NoiseAnswer, "id">>((resolve) => waiting.set(id, resolve));
  worker.postMessage({ ...question, id } satisfies NoiseQuestion, transfer);
  return await answer;
}

function start(): Worker {
  const made = new Worker(new URL("./noiseWorker.ts", import.meta.url), { type: "module", name: "noise" });
  const take = ({ id, ...answer }: NoiseAnswer) => {
    waiting.get(id)?.(answer);
    waiting.delete(id);
  };
  made.addEventListener("message", ({ data }: MessageEvent<NoiseAnswer>) => take(data));
  made.addEventListener("error", () => {
    // The worker may never have begun; the next question gets another one.
    worker = undefined;
    for (const id of waiting.keys()) take({ id, noise: null, frames: [] });
  });
  return made;
}
