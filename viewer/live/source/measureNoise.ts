import { firstValueFrom, take, toArray } from "rxjs";
import type { DepthFrame, Recording } from "../../../sources/index.ts";
import { framesToMeasure, LOOKED_AT } from "../../replay/noise.ts";
import type { MeasuredNoise, NoiseFrame } from "./noiseWorker.ts";
import type { Player } from "./player.ts";

/** A recording has time to begin before its frames are read once more. */
const AFTER_MS = 700;

/**
 * Finds out how noisy the sensor is, once per source, from the frames that `replay` looks at, or of a live stream
 * from those that come; in a worker. Gives `null` where nothing can be said, and nothing where another source has been opened.
 */
export async function measureNoise(player: Player): Promise<MeasuredNoise | undefined> {
  const { source, recording } = player;
  await new Promise((resolve) => setTimeout(resolve, AFTER_MS));
  if (source !== player.source) return undefined;
  // What went wrong is beside the point; whatever cannot be read is told where it is played.
  const measured = await measure(player, recording).catch(() => null);
  return source === player.source ? measured : undefined;
}

async function measure({ frames$ }: Player, recording: Recording | null): Promise<MeasuredNoise> {
  const frames = recording
    ? await framesToMeasure(recording)
    : await firstValueFrom(frames$.pipe(take(LOOKED_AT), toArray()), { defaultValue: [] });
  return await inWorker(frames.filter(({ fault }) => !fault).map(plain));
}

/** The frame may be in use: its depth is copied on its way. */
function plain({ depth, index, timestamp, metresPerUnit, intrinsics }: DepthFrame): NoiseFrame {
  return { depth: depth.data, frame: { index, timestamp, metresPerUnit, intrinsics } };
}

function inWorker(frames: readonly NoiseFrame[]): Promise<MeasuredNoise> {
  const worker = new Worker(new URL("./noiseWorker.ts", import.meta.url), { type: "module", name: "noise" });
  const answered = new Promise<MeasuredNoise>((resolve) => {
    worker.addEventListener("message", ({ data }: MessageEvent<MeasuredNoise>) => resolve(data));
    // A browser that starts no worker shows no noise.
    worker.addEventListener("error", () => resolve(null));
    worker.postMessage(frames);
  });
  return answered;
}
